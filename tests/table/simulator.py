"""Simulator of a table without hardware: a table value, a clock, presses, and the draws of the loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from device.lights.palettes import BOX
from device.lights.view import view
from device.records import record
from device.records.record import Record
from device.rules.events import Chance, Deal, Draft, Event, Tile
from device.rules.game import SOLO, Setup
from device.rules.tiles import Colour, Counts, letters
from device.table.game import Play, start
from device.table.state import (
    BotReply,
    BotRequest,
    ChanceDrawn,
    CurrentGame,
    FirstDrawn,
    FirstGameEvent,
    GameEvent,
    GameOptions,
    NeededDraw,
    NextGame,
    PastGameEvent,
    PlayerNamed,
    Seats,
    Stage,
    Table,
    TableSettings,
    Tick,
    TileShown,
    needed_draw,
    new_table,
)
from device.table.turns import button_of
from device.table.update import update
from hardware.api import ButtonPressed, LightFrame, Rgb
from hardware.layout.model import read_layout
from tests.harness.sampling import some

FULL = read_layout("full")
DUO = read_layout("duo")
BUTTONS = [button.name for button in FULL.buttons]

RECORDS = Path(__file__).resolve().parents[3] / "shared" / "records"
GOLDEN = Path(__file__).resolve().parents[1] / "golden"

MOST_EVENTS = 10_000
"""Events after which a simulator gives up."""

Draw = Callable[[Play], Chance]
"""Returns the chance event that a game waits for."""


def random_draws(seed: int) -> Draw:
    """Return seeded draws; after undo the same draws follow."""

    def draw(play: Play) -> Chance:
        drawn = sum(isinstance(event, Chance) for event in play.events)
        event = play.state.chance(Random(f"{seed}/{drawn}").randrange)
        assert isinstance(event, Chance)
        return event

    return draw


def recorded_draws(events: Iterable[Event]) -> Draw:
    """Return the draws of a record, one after another."""
    chances = [event for event in events if isinstance(event, Chance)]
    return lambda play: chances[sum(isinstance(event, Chance) for event in play.events)]


@dataclass
class Simulator:
    """A table, the time in seconds, and the buttons pressed so far."""

    table: Table
    draw: Draw = field(default_factory=lambda: random_draws(1))
    first: int = 1  # the place that is drawn as starting player
    now: float = 100.0
    pressed: list[str] = field(default_factory=list)
    taken: int = 0  # events so far
    _frames: tuple[Table | None, dict[float, LightFrame]] = (None, {})  # of the present table, by time

    def wait(self, seconds: float) -> Simulator:
        """Let some seconds pass."""
        self.now += seconds
        self.take(Tick(self.now))
        return self

    def press(self, *buttons: str, after: float = 0.1) -> Simulator:
        """Press buttons one after another, each `after` seconds after the one before."""
        for button in buttons:
            self.now += after
            self.pressed.append(button)
            self.take(ButtonPressed(button, self.now))
        return self

    def name(self, place: int, name: str) -> Simulator:
        """Give a player at a place a name."""
        self.take(PlayerNamed(place, name, self.now))
        return self

    def report_letter(self, letter: str) -> Simulator:
        """Report a drawn tile by its letter."""
        self.take(TileShown(Colour("byrkw".index(letter)), None, None, self.now))
        return self

    def reply(self, answer: BotReply) -> Simulator:
        """Take the reply to a request."""
        self.take(answer)
        return self

    def refused(self, button: str, after: float = 0.1) -> str | None:
        """Press a button; return why it was refused, None if it was accepted."""
        before = self.refusals
        self.press(button, after=after)
        refusal = self.table.refusal
        return None if refusal is None or refusal.number == before else refusal.why

    def take(self, event: GameEvent | FirstGameEvent | PastGameEvent) -> None:
        """Take an event at the present time, and make the draws that follow."""
        self.taken += 1
        assert self.taken < MOST_EVENTS, "too many events"
        self.table = settle(update(self.table, event), self.draw, self.first, self.now)

    @property
    def play(self) -> Play:
        """The game in play."""
        assert self.table.play is not None
        return self.table.play

    @property
    def game(self) -> CurrentGame:
        """The game in play, with everything under way in it."""
        return game_of(self.table)

    @property
    def hint_requests(self) -> tuple[BotRequest, ...]:
        """The open requests for hints."""
        return tuple(each for each in self.table.opponents.requests if each.hint)

    @property
    def refusals(self) -> int:
        """The number of refusals so far."""
        return self.table.refusal.number if self.table.refusal is not None else 0

    @property
    def frame(self) -> LightFrame:
        """What all lights show now, with or without a place in the layout."""
        return self.frame_at(self.now)

    def frame_at(self, now: float) -> LightFrame:
        """Return what all lights show at a time without presses, computed once for each table."""
        if self._frames[0] is not self.table:
            self._frames = (self.table, {})
        frames = self._frames[1]
        if now not in frames:
            frames[now] = view(self.table, now, BOX)
        return frames[now]

    def levels(self, *lights: str, seconds: float = 2.0) -> dict[str, list[int]]:
        """Return the brightest channel of some lights in each of the next frames, without presses."""
        frames = [self.frame_at(self.now + at / 16) for at in range(int(seconds * 16))]
        return {light: [max(frame.colour(light)) for frame in frames] for light in lights}

    def rhythm(self, light: str) -> str:
        """Return the rhythm of a light without presses: dark, steady, slow or fast."""
        return rhythm_of(self.levels(light)[light])

    def colour(self, light: str) -> Rgb:
        """Return what a light shows now."""
        return self.frame.colour(light)

    # --- Choices ---

    def choose(self, source: str, letter: str) -> Simulator:
        """Press a source until a colour of it is selected."""
        number = 0 if source == "centre" else int(source.removeprefix("display."))
        offered = "".join(dict.fromkeys(letters(self.play.state.sources[number])))
        return self.press(*[source] * (offered.index(letter) + 1))

    def make(self, event: Event) -> Simulator:
        """Make a choice by its buttons; a line that is only tried first is pressed again."""
        before = len(self.play.events)
        if isinstance(event, Draft):
            self._draft(event)
        else:
            self.press(button_of(self.play, event))
        assert self.play.events[before : before + 1] == (event,), f"{event} could not be made"
        return self

    def _draft(self, event: Draft) -> None:
        place = self.play.places[self.play.state.turn]
        source = f"display.{event.source}" if event.source else "centre"
        line = f"seat.{place}.line.{event.line}" if event.line else f"seat.{place}.floor"
        self.choose(source, "byrkw"[event.colour]).press(line)
        if self.game.selection is not None and self.game.selection.tried == event.line:
            self.press(line)

    def skip(self) -> Simulator:
        """Skip the score animation if one is running."""
        return self.press("ok") if self.table.stage is Stage.SCORING else self


def rhythm_of(levels: list[int]) -> str:
    """Return the rhythm of two seconds of levels that repeat, by how often they rise."""
    changes = [after - before for before, after in zip(levels, levels[1:] + levels[:1], strict=True)]
    up = [change > 0 for change in changes if change]
    rises = sum(now and not before for before, now in zip(up[-1:] + up, up, strict=False))
    names = {0: "steady" if any(levels) else "dark", 1: "slow", 4: "fast"}
    return names.get(rises, f"{rises} rises")


def game_of(table: Table) -> CurrentGame:
    """Return the game in play, with what is under way in it."""
    assert table.game is not None
    return table.game


def with_game(table: Table, **changes: Any) -> Table:
    """Return the table with some fields of its game in play replaced."""
    return replace(table, game=replace(game_of(table), **changes))


def with_settings(table: Table, **changes: Any) -> Table:
    """Return the table with some of its settings replaced."""
    return replace(table, settings=replace(table.settings, **changes))


def settle(table: Table, draw: Draw, first: int, now: float) -> Table:
    """Make the draws that a table waits for, until it waits for people."""
    while (want := needed_draw(table)) is not None:
        if want is NeededDraw.FIRST:
            table = update(
                table, FirstDrawn(first if first in table.seats.taken else table.seats.taken[0], now)
            )
        else:
            assert table.play is not None
            table = update(table, ChanceDrawn(draw(table.play), now))
    return table


# --- Tables ---


def empty_table(
    places: int = 4, displays: int = 9, *, confirm_columns: bool = True, draw: Draw | None = None
) -> Simulator:
    """Return a table where nobody sits."""
    table = new_table(TableSettings(places, displays, confirm_columns=confirm_columns))
    return Simulator(table, draw) if draw is not None else Simulator(table)


MODE_BUTTONS = {"standard": "display.1", "gray": "display.2", "dtc": "display.3"}
LEVEL_BUTTONS = {"easy": "display.1", "normal": "display.2", "expert": "display.3"}
WALL_BUTTONS = {"coloured": "display.4", "gray": "display.5"}


def begin_game(sim: Simulator, setup: Setup, places: Iterable[int]) -> Simulator:
    """Take seats, name the players, choose the options of a setup, and begin the game."""
    taken = list(places)
    for place, name in zip(taken, setup.players, strict=True):
        sim.name(place, name).press(f"seat.{place}.floor")
    sim.press("ok")
    if setup.mode == SOLO:
        sim.press(LEVEL_BUTTONS[setup.level or ""], WALL_BUTTONS[setup.wall or ""])
    else:
        sim.press(MODE_BUTTONS[setup.mode])
    return sim.press(f"seat.{taken[setup.first]}.line.1")


def playing(
    mode: str = "standard",
    players: int = 2,
    *,
    seed: int = 1,
    level: str | None = None,
    wall: str | None = None,
    confirm_columns: bool = True,
) -> Simulator:
    """Return a table whose game has just been dealt; its first places play, and place 1 starts."""
    if mode == SOLO:
        setup = Setup(SOLO, ("Solo",), 0, level or "easy", wall or "coloured")
    else:
        setup = Setup(mode, ("Ana", "Rui", "Eva", "Tom")[:players])
    sim = empty_table(confirm_columns=confirm_columns, draw=random_draws(seed))
    return begin_game(sim, setup, range(1, len(setup.players) + 1))


def dealt(*deals: str, players: int = 2, mode: str = "standard") -> Simulator:
    """Return a table whose game has given first deals, each as displays in letters: "bbyr kkww ..."."""
    given = [Deal(tuple(counts(each) for each in deal.split())) for deal in deals]
    later = random_draws(1)

    def draw(play: Play) -> Chance:
        drawn = sum(isinstance(event, Deal) for event in play.events)
        return given[drawn] if drawn < len(given) else later(play)

    setup = Setup(mode, ("Ana", "Rui", "Eva", "Tom")[:players])
    return begin_game(empty_table(draw=draw), setup, range(1, players + 1))


def counts(text: str) -> Counts:
    """Return the counts of tiles given as letters."""
    b, y, r, k, w = (text.count(letter) for letter in "byrkw")
    return (b, y, r, k, w)


# --- Records ---


def record_files() -> list[Path]:
    """Return all files of recorded games."""
    return sorted([*RECORDS.glob("*.jsonl"), *GOLDEN.glob("*.jsonl")])


@cache
def games_of(path: Path) -> tuple[Record, ...]:
    """Return some games of a file, verified."""
    with path.open("rb") as file:
        return tuple(some(record.read(file), 30))


def finished(recorded: Record) -> bool:
    """Return whether a game was neither stopped at a limit of rounds nor forfeited."""
    return not recorded.stopped and recorded.forfeit is None


def grouped_by_seat(events: Iterable[Event]) -> list[Event]:
    """Return events with each round's placements in seat order, as a record lists them (G3)."""
    listed: list[Event] = []
    placements: list[Tile] = []
    for event in [*events, None]:
        if isinstance(event, Tile):
            placements.append(event)
            continue
        placements.sort(key=lambda tile: tile.seat)
        listed.extend(placements)
        placements.clear()
        if event is not None:
            listed.append(event)
    return listed


def play_record(sim: Simulator, game_record: Record) -> Simulator:
    """Make every choice of a recorded game by its buttons; skip all score animations but the last."""
    for event in game_record.events:
        if not isinstance(event, Chance):
            sim.skip().make(event)
    return sim


# --- Games under way ---


def midway(setup: Setup, seed: int, events: int, *, confirm_columns: bool = True) -> Simulator:
    """Return a table whose game has had so many random choices, or has ended before."""
    moments, random = _random_game(setup, seed, confirm_columns)
    while len(moments) <= events and moments[-1].table.stage is not Stage.OVER:
        sim = replace(moments[-1], pressed=list(moments[-1].pressed))
        if sim.table.stage is Stage.SCORING:
            sim.skip()
        else:
            sim.make(random_event(sim.play, random))
        moments.append(sim)
    sim = moments[min(events, len(moments) - 1)]
    return replace(sim, pressed=list(sim.pressed))


@cache
def _random_game(setup: Setup, seed: int, confirm_columns: bool) -> tuple[list[Simulator], Random]:  # noqa: FBT001
    """Return the start of a game, in a list to which `midway` adds later moments, and its random numbers."""
    draw = random_draws(seed)
    solo = setup.mode == SOLO
    places = (1, 2) if solo else tuple(range(1, len(setup.players) + 1))
    names = (*setup.players, *[""] * (4 - len(setup.players)))
    taken = (1,) if solo else places
    options = GameOptions(setup.mode, setup.level or "easy", setup.wall or "coloured")
    sim = Simulator(
        replace(
            new_table(TableSettings(4, 9, confirm_columns=confirm_columns)),
            seats=Seats(names, ("",) * 4, taken),
            next_game=NextGame(options),
            game=CurrentGame(start(setup, places)),
        ),
        draw,
    )
    return [sim.wait(0.0)], Random(seed)


def random_event(play: Play, random: Random) -> Event:
    """Return a random choice; in solo one that sends few tiles to the penalty row, for a longer game."""
    allowed = play.state.legal()
    random.shuffle(allowed)
    return min(
        allowed,
        key=lambda event: len(play.state.sent_to_penalty_row(event)) if isinstance(event, Draft) else 0,
    )


def to_end_of_round(sim: Simulator, random: Random) -> Simulator:
    """Make random choices until the score animation of the round, or the end of the game."""
    while sim.table.stage in (Stage.OFFER, Stage.CHOICE):
        sim.make(random_event(sim.play, random))
    return sim


def to_end(sim: Simulator, random: Random) -> Simulator:
    """Make random choices until the game and its score animation are over."""
    while sim.table.stage is not Stage.OVER:
        to_end_of_round(sim.skip(), random).skip()
    return sim


def colours_of(letters_of_colours: str) -> list[Colour]:
    """Return colours from letters."""
    return [Colour("byrkw".index(letter)) for letter in letters_of_colours]
