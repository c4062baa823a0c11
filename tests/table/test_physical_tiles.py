"""Tiles of resin: people draw and tell the table, which counts along and refuses what can't be."""

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
    BotReply,
    PlayerNamed,
    Question,
    RefusalReason,
    Stage,
    Tick,
    TileShown,
    needed_draw,
    new_table,
)
from device.table.update import update
from hardware.api import ButtonPressed
from tests.table.hands import (
    BUTTONS,
    Hands,
    drawn_at_random,
    drawn_from,
    finished,
    game_of,
    games_of,
    play_record,
    record_files,
    sat_down,
    to_end_of_round,
    with_game,
)


@dataclass
class TellingHands(Hands):
    """Hands that draw real tiles: what `draw` gives is told to the table, tile by tile."""

    telling: bool = True
    least_bag: int = 0  # with fewer tiles in the bag nothing is told

    def _take(self, event: ButtonPressed | Tick | PlayerNamed | BotReply | TileShown) -> None:
        super()._take(event)
        while self.telling and self.is_telling and sum(self.play.state.bag) >= self.least_bag:
            self.tell_all(self.draw(self.play))

    @property
    def is_telling(self) -> bool:
        """Whether the table waits to be told."""
        return self.table.stage is Stage.REPORTING

    def skip(self) -> Hands:
        """Press `ok` through a whole ceremony, step by step."""
        while self.table.stage is Stage.SCORING:
            self.press("ok")
        return self

    def tell(self, colour: Colour, tag: str | None = None) -> str | None:
        """Tell a tile; why it was refused, None where it was taken."""
        before = self.refusals
        self.table = update(self.table, TileShown(colour, None, tag, self.now))
        refusal = self.table.refusal
        return None if refusal is None or refusal.number == before else refusal.why

    def tell_all(self, event: Chance) -> None:
        """Tell every tile of a draw in the order of its slots."""
        match event:
            case Deal(displays):
                for tiles in displays:
                    self._tell_display([colour for colour in COLOURS for _ in range(tiles[colour])])
            case Penalty(tiles=colours):
                for colour in colours:
                    assert self.tell(colour) is None
            case ScoringColour(colour) | Draw(colour):
                assert self.tell(colour) is None

    def _tell_display(self, tiles: list[Colour]) -> None:
        """A display that the bag's last tiles lie on gets those first (R4)."""
        while tiles:
            colour = next(colour for colour in tiles if in_bag(self.game)[colour])
            assert self.tell(colour) is None
            tiles.remove(colour)


def at_resin_table(setup: Setup, *, telling: bool = True, seed: int = 1) -> TellingHands:
    """Hands at a table of resin where a game begins; with `telling` its first tiles lie already."""
    hands = TellingHands(new_table(4, 9, physical_tiles=True), drawn_at_random(seed), telling=telling)
    sat_down(hands, setup, range(1, len(setup.players) + 1))
    return hands


TWO = Setup("standard", ("Ana", "Rui"))
FOUR = Setup("standard", ("Ana", "Rui", "Eva", "Tom"))


def test_the_table_draws_nothing_and_asks_for_each_tile_in_its_slot() -> None:
    hands = at_resin_table(TWO, telling=False)
    assert needed_draw(hands.table) is None
    asked = []
    for colour in [COLOURS[0], COLOURS[1]] * 10:
        told = prompt(hands.table)
        asked.append((told.say, told.values["display"], told.values["at"]))
        assert hands.tell(colour) is None
    assert asked == [("tell_tile", display, at) for display in range(1, 6) for at in range(1, 5)]
    assert not hands.is_telling
    assert hands.play.state.sources[1:] == ((2, 2, 0, 0, 0),) * 5


def test_told_tiles_are_lit_and_the_next_slot_pulses() -> None:
    hands = at_resin_table(TWO, telling=False)
    assert hands.rhythm("display.1.1") == "fast"
    hands.tell(Colour.RED)
    assert hands.rhythm("display.1.1") == "steady"
    assert hands.rhythm("display.1.2") == "fast"
    assert hands.rhythm("display.1.3") == "dark"


def test_a_21st_blue_tile_is_refused_at_once() -> None:
    hands = at_resin_table(FOUR, telling=False)
    for _ in range(20):
        assert hands.tell(Colour.BLUE) is None
    told = hands.game.reported_tiles
    assert hands.tell(Colour.BLUE) == RefusalReason.TILE_NOT_LEFT
    assert hands.game.reported_tiles == told
    assert hands.tell(Colour.WHITE) is None


def test_the_same_tagged_tile_twice_is_refused() -> None:
    hands = at_resin_table(TWO, telling=False)
    assert hands.tell(Colour.BLUE, "tile-b-01") is None
    assert hands.tell(Colour.BLUE, "tile-b-01") == RefusalReason.TILE_REPORTED_ALREADY
    assert hands.tell(Colour.BLUE, "tile-b-02") is None


def test_a_wrong_tile_is_taken_back_by_undo() -> None:
    hands = at_resin_table(TWO, telling=False)
    hands.tell(Colour.BLUE)
    hands.tell(Colour.RED)
    hands.press("undo")
    assert [tile.colour for tile in hands.game.reported_tiles] == [Colour.BLUE]
    hands.tell(Colour.YELLOW)
    assert [tile.colour for tile in hands.game.reported_tiles] == [Colour.BLUE, Colour.YELLOW]


def test_a_tile_of_the_lid_is_refused_while_the_bag_holds_others_and_taken_once_it_is_poured() -> None:
    """R4: the lid goes into the bag the moment it is empty and a tile is due."""
    hands = at_resin_table(FOUR)
    hands.least_bag = 36
    for _ in range(2):
        to_end_of_round(hands, Random(3)).skip()
    assert sum(hands.play.state.bag) == 100 - 2 * 36
    state = hands.play.state
    only_in_lid = [colour for colour in COLOURS if state.lid[colour] and not state.bag[colour]]
    if only_in_lid and sum(state.bag):
        assert hands.tell(only_in_lid[0]) == RefusalReason.TILE_IN_LID
    for colour in COLOURS:
        for _ in range(state.bag[colour]):
            assert hands.tell(colour) is None
    assert prompt(hands.table).say == "tell_after_lid"
    assert in_bag(hands.game) == state.lid
    first = next(colour for colour in COLOURS if state.lid[colour])
    assert hands.tell(first) is None
    assert prompt(hands.table).say == "tell_tile"


def test_while_tiles_are_told_only_undo_is_live() -> None:
    hands = at_resin_table(TWO, telling=False)
    hands.tell(Colour.BLUE)
    assert live_buttons(hands.table) == ("undo",)
    for button in BUTTONS:
        refused = update(hands.table, ButtonPressed(button, hands.now)).refusal
        assert (refused is None) == (button == "undo")


def test_a_tile_shown_in_an_offer_chooses_its_display_and_colour() -> None:
    hands = at_resin_table(TWO)
    state = hands.play.state
    colour = next(colour for colour in COLOURS if state.sources[3][colour])
    hands.table = update(hands.table, TileShown(colour, "display.3", None, hands.now))
    assert hands.game.selection is not None
    assert (hands.game.selection.source, hands.game.selection.colour) == (3, colour)


def test_scoring_goes_on_when_hands_have_moved_the_tile() -> None:
    hands = at_resin_table(TWO)
    to_end_of_round(hands, Random(5))
    assert hands.game.animation is not None
    shown = hands.game.animation.shown
    hands.wait(60.0)
    assert hands.game.animation is not None
    assert hands.game.animation.shown == shown
    hands.press("ok")
    assert hands.game.animation is not None
    assert hands.game.animation.shown > shown


def test_the_bag_and_the_lid_are_counted_on_the_pages() -> None:
    hands = at_resin_table(TWO, telling=False)
    hands.tell(Colour.BLUE)
    counted = snapshot(hands.table, BOX)["resin"]
    assert counted["bag"] == "b" * 19 + "y" * 20 + "r" * 20 + "k" * 20 + "w" * 20
    assert counted["told"] == [{"display": 1, "at": 1, "colour": "b", "tag": None}]


def test_told_tiles_are_kept_over_a_power_cut() -> None:
    hands = at_resin_table(TWO, telling=False)
    hands.tell(Colour.BLUE, "tile-b-07")
    kept = to_saved_table(hands.table)
    play = hands.play
    back = from_saved_table(kept, play, new_table(4, 9, physical_tiles=True), 0.0)
    assert game_of(back).reported_tiles == hands.game.reported_tiles
    assert next_slot(game_of(back)) == next_slot(hands.game)
    assert game_of(back).question is Question.YOUR_BOARD


def test_after_a_power_cut_nothing_pulses_but_what_asks() -> None:
    """In resin the lights show what the players must check: steady, until somebody says yes."""
    hands = at_resin_table(TWO)
    hands.wait(10.0)
    hands.table = with_game(hands.table, question=Question.YOUR_BOARD)
    assert hands.rhythm("display.1.1") == "steady"
    hands.press("ok")
    assert hands.rhythm("display.1.1") == "slow"


def test_the_drawer_holds_the_boxs_100_tiles() -> None:
    tiles = simulated_tiles()
    assert len(tiles) == 100
    assert count(tile.colour for tile in tiles.values()) == ALL_TILES


@pytest.mark.parametrize("setup", [Setup(SOLO, ("Solo",), 0, "expert", "gray")])
def test_solo_is_told_its_displays_its_penalty_row_and_its_colour(setup: Setup) -> None:
    hands = at_resin_table(setup, telling=False)
    asked = []
    while hands.is_telling:
        drawn = hands.draw(hands.play)
        asked.append(prompt(hands.table).say)
        hands.tell_all(drawn)
    assert asked == ["tell_tile", "tell_penalty", "tell_scoring_colour"]
    assert len(hands.play.state.boards[1].floor) == 7


@pytest.mark.parametrize("path", record_files(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_recorded_games_told_tile_by_tile_come_to_the_same_end(path: Path) -> None:
    games: list[Record] = [each for each in games_of(path) if finished(each)]
    if not games:
        pytest.skip("no game of this file came to its end by itself")
    recorded = games[0]
    hands = TellingHands(new_table(4, 9, physical_tiles=True), drawn_from(recorded.events))
    sat_down(hands, recorded.setup, range(1, len(recorded.setup.players) + 1))
    play_record(hands, recorded)
    assert hands.play.state.outcome() == recorded.outcome
    assert hands.play.state == recorded.state


def test_100_tiles_are_always_somewhere() -> None:
    hands = at_resin_table(TWO, telling=False)
    for colour in (Colour.BLUE, Colour.RED, Colour.RED):
        hands.tell(colour)
        told = count(tile.colour for tile in hands.game.reported_tiles)
        assert total([in_bag(hands.game), told]) == add(ALL_TILES, (0, 0, 0, 0, 0))
