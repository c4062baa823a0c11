"""Physical tiles: people draw and report them; the table counts and refuses impossible ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from device.lights.palettes import BOX
from device.records.record import Record
from device.rules.events import Chance, Deal, Draw, Penalty, ScoringColour
from device.rules.game import SOLO, Setup
from device.rules.tiles import ALL_TILES, COLOURS, Colour, add, count, total
from device.runtime.simulation import simulated_tiles
from device.socket.snapshot import snapshot
from device.store.saved_table import from_saved_table, to_saved_table
from device.table.physical_tiles import in_bag, next_slot
from device.table.prompts import live_buttons, prompt
from device.table.state import (
    GameEvent,
    PastGameEvent,
    Question,
    RefusalReason,
    Stage,
    TableSettings,
    TileShown,
    needed_draw,
    new_table,
)
from device.table.update import update
from hardware.api import ButtonPressed
from tests.harness.sampling import some
from tests.table.simulator import (
    BUTTONS,
    Simulator,
    begin_game,
    finished,
    game_of,
    games_of,
    play_record,
    random_draws,
    record_files,
    recorded_draws,
    to_end_of_round,
    with_game,
)


@dataclass
class ReportingSimulator(Simulator):
    """A simulator whose draws are reported tile by tile."""

    reporting: bool = True
    least_bag: int = 0  # with fewer tiles in the bag nothing is reported

    def take(self, event: GameEvent | PastGameEvent) -> None:
        super().take(event)
        while self.reporting and self.is_reporting and sum(self.play.state.bag) >= self.least_bag:
            self.report_all(self.draw(self.play))

    @property
    def is_reporting(self) -> bool:
        """Whether the table waits for a reported tile."""
        return self.table.stage is Stage.REPORTING

    def skip(self) -> Simulator:
        """Press `ok` through a whole score animation, step by step."""
        while self.table.stage is Stage.SCORING:
            self.press("ok")
        return self

    def report(self, colour: Colour, tag: str | None = None) -> str | None:
        """Report a tile; return why it was refused, None if it was accepted."""
        before = self.refusals
        self.table = update(self.table, TileShown(colour, None, tag, self.now))
        refusal = self.table.refusal
        return None if refusal is None or refusal.number == before else refusal.why

    def report_all(self, event: Chance) -> None:
        """Report every tile of a draw in the order of its slots."""
        match event:
            case Deal(displays):
                for tiles in displays:
                    self._report_display([colour for colour in COLOURS for _ in range(tiles[colour])])
            case Penalty(tiles=colours):
                for colour in colours:
                    assert self.report(colour) is None
            case ScoringColour(colour) | Draw(colour):
                assert self.report(colour) is None

    def _report_display(self, tiles: list[Colour]) -> None:
        """Report the tiles of a display, those of the bag before those of the lid (R4)."""
        while tiles:
            colour = next(colour for colour in tiles if in_bag(self.game)[colour])
            assert self.report(colour) is None
            tiles.remove(colour)


def physical_game(setup: Setup, *, reporting: bool = True, seed: int = 1) -> ReportingSimulator:
    """Return a table with physical tiles where a game begins, and with its first tiles if `reporting`."""
    sim = ReportingSimulator(
        new_table(TableSettings(4, 9, physical_tiles=True)), random_draws(seed), reporting=reporting
    )
    begin_game(sim, setup, range(1, len(setup.players) + 1))
    return sim


TWO = Setup("standard", ("Ana", "Rui"))
FOUR = Setup("standard", ("Ana", "Rui", "Eva", "Tom"))


def test_the_table_asks_for_each_drawn_tile_in_the_order_of_its_slots() -> None:
    sim = physical_game(TWO, reporting=False)
    assert needed_draw(sim.table) is None
    asked = []
    for colour in [COLOURS[0], COLOURS[1]] * 10:
        question = prompt(sim.table)
        asked.append((question.key, question.values["display"], question.values["at"]))
        assert sim.report(colour) is None
    assert asked == [("tell_tile", display, at) for display in range(1, 6) for at in range(1, 5)]
    assert not sim.is_reporting
    assert sim.play.state.sources[1:] == ((2, 2, 0, 0, 0),) * 5


def test_reported_tiles_are_lit_and_the_next_slot_pulses() -> None:
    sim = physical_game(TWO, reporting=False)
    assert sim.rhythm("display.1.1") == "fast"
    sim.report(Colour.RED)
    assert sim.rhythm("display.1.1") == "steady"
    assert sim.rhythm("display.1.2") == "fast"
    assert sim.rhythm("display.1.3") == "dark"


def test_a_21st_blue_tile_is_refused_at_once() -> None:
    sim = physical_game(FOUR, reporting=False)
    for _ in range(20):
        assert sim.report(Colour.BLUE) is None
    reported = sim.game.reported_tiles
    assert sim.report(Colour.BLUE) == RefusalReason.TILE_NOT_LEFT
    assert sim.game.reported_tiles == reported
    assert sim.report(Colour.WHITE) is None


def test_the_same_tagged_tile_twice_is_refused() -> None:
    sim = physical_game(TWO, reporting=False)
    assert sim.report(Colour.BLUE, "tile-b-01") is None
    assert sim.report(Colour.BLUE, "tile-b-01") == RefusalReason.TILE_REPORTED_ALREADY
    assert sim.report(Colour.BLUE, "tile-b-02") is None


def test_undo_takes_back_a_reported_tile() -> None:
    sim = physical_game(TWO, reporting=False)
    sim.report(Colour.BLUE)
    sim.report(Colour.RED)
    sim.press("undo")
    assert [tile.colour for tile in sim.game.reported_tiles] == [Colour.BLUE]
    sim.report(Colour.YELLOW)
    assert [tile.colour for tile in sim.game.reported_tiles] == [Colour.BLUE, Colour.YELLOW]


def test_a_tile_of_the_lid_is_refused_while_the_bag_holds_others_and_taken_once_it_is_poured() -> None:
    """R4: the lid goes into the bag the moment it is empty and a tile is due."""
    sim = physical_game(FOUR)
    sim.least_bag = 36
    for _ in range(2):
        to_end_of_round(sim, Random(3)).skip()
    assert sum(sim.play.state.bag) == 100 - 2 * 36
    state = sim.play.state
    only_in_lid = [colour for colour in COLOURS if state.lid[colour] and not state.bag[colour]]
    if only_in_lid and sum(state.bag):
        assert sim.report(only_in_lid[0]) == RefusalReason.TILE_IN_LID
    for colour in COLOURS:
        for _ in range(state.bag[colour]):
            assert sim.report(colour) is None
    assert prompt(sim.table).key == "tell_after_lid"
    assert in_bag(sim.game) == state.lid
    first = next(colour for colour in COLOURS if state.lid[colour])
    assert sim.report(first) is None
    assert prompt(sim.table).key == "tell_tile"


def test_while_tiles_are_reported_only_undo_is_live() -> None:
    sim = physical_game(TWO, reporting=False)
    sim.report(Colour.BLUE)
    assert live_buttons(sim.table) == ("undo",)
    for button in BUTTONS:
        refused = update(sim.table, ButtonPressed(button, sim.now)).refusal
        assert (refused is None) == (button == "undo")


def test_a_tile_shown_in_an_offer_chooses_its_display_and_colour() -> None:
    sim = physical_game(TWO)
    state = sim.play.state
    colour = next(colour for colour in COLOURS if state.sources[3][colour])
    sim.table = update(sim.table, TileShown(colour, "display.3", None, sim.now))
    assert sim.game.selection is not None
    assert (sim.game.selection.source, sim.game.selection.colour) == (3, colour)


def test_the_score_animation_goes_on_with_ok() -> None:
    sim = physical_game(TWO)
    to_end_of_round(sim, Random(5))
    assert sim.game.animation is not None
    shown = sim.game.animation.shown
    sim.wait(60.0)
    assert sim.game.animation is not None
    assert sim.game.animation.shown == shown
    sim.press("ok")
    assert sim.game.animation is not None
    assert sim.game.animation.shown > shown


def test_the_snapshot_counts_the_bag_and_the_lid() -> None:
    sim = physical_game(TWO, reporting=False)
    sim.report(Colour.BLUE)
    counted = snapshot(sim.table, BOX)["resin"]
    assert counted["bag"] == "b" * 19 + "y" * 20 + "r" * 20 + "k" * 20 + "w" * 20
    assert counted["told"] == [{"display": 1, "at": 1, "colour": "b", "tag": None}]


def test_reported_tiles_are_restored_after_a_power_cut() -> None:
    sim = physical_game(TWO, reporting=False)
    sim.report(Colour.BLUE, "tile-b-07")
    kept = to_saved_table(sim.table)
    play = sim.play
    back = from_saved_table(kept, play, new_table(TableSettings(4, 9, physical_tiles=True)), 0.0)
    assert game_of(back).reported_tiles == sim.game.reported_tiles
    assert next_slot(game_of(back)) == next_slot(sim.game)
    assert game_of(back).question is Question.YOUR_BOARD


def test_after_a_power_cut_the_sources_are_steady_until_ok() -> None:
    """Players compare the physical tiles with the lights."""
    sim = physical_game(TWO)
    sim.wait(10.0)
    sim.table = with_game(sim.table, question=Question.YOUR_BOARD)
    assert sim.rhythm("display.1.1") == "steady"
    sim.press("ok")
    assert sim.rhythm("display.1.1") == "slow"


def test_the_drawer_holds_the_boxs_100_tiles() -> None:
    tiles = simulated_tiles()
    assert len(tiles) == 100
    assert count(tile.colour for tile in tiles.values()) == ALL_TILES


@pytest.mark.parametrize("setup", [Setup(SOLO, ("Solo",), 0, "expert", "gray")])
def test_solo_asks_for_displays_the_penalty_row_and_the_scoring_colour(setup: Setup) -> None:
    sim = physical_game(setup, reporting=False)
    asked = []
    while sim.is_reporting:
        drawn = sim.draw(sim.play)
        asked.append(prompt(sim.table).key)
        sim.report_all(drawn)
    assert asked == ["tell_tile", "tell_penalty", "tell_scoring_colour"]
    assert len(sim.play.state.boards[1].floor) == 7


@pytest.mark.parametrize("path", some(record_files()), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_recorded_games_reported_tile_by_tile_have_the_same_end(path: Path) -> None:
    games: list[Record] = [each for each in games_of(path) if finished(each)]
    if not games:
        pytest.skip("no game of this file came to its end by itself")
    recorded = games[0]
    sim = ReportingSimulator(
        new_table(TableSettings(4, 9, physical_tiles=True)), recorded_draws(recorded.events)
    )
    begin_game(sim, recorded.setup, range(1, len(recorded.setup.players) + 1))
    play_record(sim, recorded)
    assert sim.play.state.outcome() == recorded.outcome
    assert sim.play.state == recorded.state


def test_the_bag_and_the_reported_tiles_are_100_tiles() -> None:
    sim = physical_game(TWO, reporting=False)
    for colour in (Colour.BLUE, Colour.RED, Colour.RED):
        sim.report(colour)
        reported = count(tile.colour for tile in sim.game.reported_tiles)
        assert total([in_bag(sim.game), reported]) == add(ALL_TILES, (0, 0, 0, 0, 0))
