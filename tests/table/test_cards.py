"""Player cards, action cards and tagged tiles at the table."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from device.rules.tiles import COLOURS, Colour, letter
from device.table.game import Selection
from device.table.prompts import live_buttons, prompt
from device.table.state import Question, RefusalReason, Stage, TagShown, TagState
from device.table.tag_input import CARD_WAITS
from device.table.tags import Action, ActionCard, Meaning, PlayerCard, TileTag
from device.table.update import update
from tests.table.simulator import Simulator, dealt, empty_table, playing
from tests.table.simulator import to_end_of_round as play_to_end_of_round

CARDS: dict[str, Meaning] = {
    "A1": PlayerCard("Ana"),
    "A2": PlayerCard("Rui"),
    "C1": ActionCard(Action.UNDO),
    "C2": ActionCard(Action.OK),
    "C3": ActionCard(Action.NEW_GAME),
    **{f"tile-{letter(colour)}-01": TileTag(colour) for colour in COLOURS},
}
ANA, RUI, UNDO, OK, NEW_GAME = "A1", "A2", "C1", "C2", "C3"
DEAL = "bbyr kkww bbbb yyyy rrrr"


def with_cards(sim: Simulator) -> Simulator:
    sim.table = replace(sim.table, tags=TagState(CARDS))
    return sim


def show(sim: Simulator, tag: str, reader: str = "shared") -> RefusalReason | str | None:
    """Lay a tag on a reader; return why it was refused, None if it was accepted."""
    before = sim.refusals
    sim.now += 0.1
    sim.take(TagShown(reader, tag, sim.now))
    refusal = sim.table.refusal
    return None if refusal is None or refusal.number == before else refusal.why


@pytest.fixture
def seating() -> Simulator:
    return with_cards(empty_table())


@pytest.fixture
def offer() -> Simulator:
    return with_cards(dealt(DEAL))


# --- Player cards ---


def test_a_card_at_a_seats_own_reader_seats_its_player_there(seating: Simulator) -> None:
    assert show(seating, ANA, "seat.3") is None
    assert seating.table.seats.taken == (3,)
    assert seating.table.seats.names == ("", "", "Ana", "")
    assert seating.table.tags.card is None


@pytest.mark.parametrize("reader", ["shared", "display.2", "centre", "seat.9"])
def test_a_card_at_another_reader_seats_its_player_at_the_next_seat(seating: Simulator, reader: str) -> None:
    assert show(seating, ANA, reader) is None
    assert prompt(seating.table).key == "card_seat"
    assert prompt(seating.table).values == {"name": "Ana"}
    assert seating.refused("seat.2.line.4") is None
    assert seating.table.seats.taken == (2,)
    assert seating.table.seats.names == ("", "Ana", "", "")
    assert seating.refused("seat.1.floor") is None
    assert seating.table.seats.names == ("", "Ana", "", "")


def test_while_a_card_waits_the_seats_for_it_are_live_and_lit(seating: Simulator) -> None:
    seating.press("seat.4.floor").name(4, "Eva")
    show(seating, ANA)
    live = live_buttons(seating.table)
    assert {button.split(".")[1] for button in live if button.startswith("seat")} == {"1", "2", "3"}
    assert "undo" in live
    assert seating.rhythm("seat.1.turn") == "fast"
    assert seating.rhythm("seat.4.turn") == "steady"


def test_undo_drops_the_waiting_card_and_then_frees_the_seat(seating: Simulator) -> None:
    show(seating, ANA, "seat.1")
    show(seating, RUI)
    seating.press("undo")
    assert (seating.table.tags.card, seating.table.seats.taken) == (None, (1,))
    assert seating.press("undo").table.seats.taken == ()


def test_a_waiting_card_times_out(seating: Simulator) -> None:
    show(seating, ANA)
    assert seating.wait(CARD_WAITS - 1).table.tags.card is not None
    assert seating.wait(1).table.tags.card is None
    assert seating.press("seat.1.floor").table.seats.names == ("", "", "", "")


def test_a_second_card_replaces_the_waiting_one(seating: Simulator) -> None:
    show(seating, ANA)
    show(seating, RUI)
    seating.press("seat.1.floor")
    assert seating.table.seats.names[0] == "Rui"


def test_a_player_who_has_a_seat_is_refused_another(seating: Simulator) -> None:
    show(seating, ANA, "seat.1")
    assert show(seating, ANA, "seat.2") == RefusalReason.PLAYER_SITS
    assert show(seating, ANA) == RefusalReason.PLAYER_SITS
    assert seating.table.seats.taken == (1,)


def test_a_card_names_an_unnamed_seat_and_is_refused_at_a_named_one(seating: Simulator) -> None:
    show(seating, ANA, "seat.1")
    assert show(seating, RUI, "seat.1") == RefusalReason.SEAT_TAKEN
    show(seating, RUI)
    assert seating.refused("seat.1.floor") == RefusalReason.SEAT_TAKEN
    seating.press("undo", "seat.2.floor")
    show(seating, RUI)
    assert seating.refused("seat.2.floor") is None
    assert seating.table.seats.names[:2] == ("Ana", "Rui")
    assert seating.table.seats.taken == (1, 2)


def test_a_name_left_at_another_seat_moves_to_the_new_one(seating: Simulator) -> None:
    seating.name(4, "Ana")
    show(seating, ANA, "seat.1")
    assert seating.table.seats.names == ("Ana", "", "", "")


def test_a_player_card_is_refused_in_a_game(offer: Simulator) -> None:
    before = offer.table
    assert show(offer, ANA, "seat.1") == RefusalReason.CARD_NOT_NOW
    assert replace(offer.table, refusal=None) == before
    seating = with_cards(empty_table()).press("seat.1.floor", "seat.2.floor", "ok")
    assert seating.table.stage is Stage.CHOOSING
    assert show(seating, ANA) == RefusalReason.CARD_NOT_NOW


# --- Action cards ---


def test_the_undo_and_ok_cards_do_what_the_buttons_do(offer: Simulator) -> None:
    offer.press("display.1")
    assert show(offer, UNDO) is None
    assert offer.game.selection is None
    assert show(offer, UNDO) is None
    assert offer.game.question is Question.STOP_GAME
    assert show(offer, OK) is None
    assert offer.table.stage is Stage.CHOOSING
    assert show(offer, OK) == RefusalReason.NOTHING_TO_CONFIRM


def test_the_new_game_card_asks_before_it_stops_a_game(offer: Simulator) -> None:
    offer.press("display.1", "seat.1.floor", "display.2")
    assert show(offer, NEW_GAME) is None
    assert offer.game.question is Question.STOP_GAME
    assert offer.table.play is not None
    assert offer.press("undo").game.question is None
    assert offer.game.selection is not None, "the selection is kept"
    show(offer, NEW_GAME)
    offer.press("ok")
    assert offer.table.stage is Stage.CHOOSING
    assert offer.table.seats.taken == (1, 2)


def test_the_new_game_card_stops_a_score_animation_too() -> None:
    sim = with_cards(playing())
    play_to_end_of_round(sim, Random(1))
    assert sim.table.stage is Stage.SCORING
    assert show(sim, NEW_GAME) is None
    assert sim.press("ok").table.stage is Stage.CHOOSING
    assert sim.table.game is None


def test_the_new_game_card_does_what_ok_does_before_a_game(seating: Simulator) -> None:
    assert show(seating, NEW_GAME) == RefusalReason.TOO_FEW_SEATS
    seating.press("seat.1.floor", "seat.2.floor")
    assert show(seating, NEW_GAME) is None
    assert seating.table.stage is Stage.CHOOSING
    assert show(seating, NEW_GAME) == RefusalReason.NOT_NOW


# --- Tiles ---


def test_a_tile_at_a_displays_reader_selects_display_and_colour(offer: Simulator) -> None:
    assert show(offer, "tile-y-01", "display.1") is None
    assert offer.game.selection == Selection(1, Colour.YELLOW)
    assert show(offer, "tile-k-01", "display.1") == RefusalReason.COLOUR_NOT_THERE
    assert offer.game.selection == Selection(1, Colour.YELLOW)


def test_a_tile_at_the_shared_reader_selects_its_colour_at_the_selected_display(offer: Simulator) -> None:
    offer.press("display.1")
    assert show(offer, "tile-r-01") is None
    assert offer.game.selection == Selection(1, Colour.RED)


def test_a_display_may_be_pressed_after_the_tile_was_shown(offer: Simulator) -> None:
    assert show(offer, "tile-r-01") is None
    offer.wait(5)
    asked = prompt(offer.table)
    assert (asked.key, asked.values["colour"]) == ("choose_source", "r")
    assert [button for button in live_buttons(offer.table) if button != "undo"] == ["display.1", "display.5"]
    assert offer.rhythm("display.1.4") == "slow"
    assert offer.rhythm("display.1.1") == "steady"
    assert offer.refused("display.2") == RefusalReason.COLOUR_NOT_THERE
    assert offer.refused("display.1") is None
    assert offer.game.selection == Selection(1, Colour.RED)
    assert offer.press("display.1").game.selection == Selection(1, Colour.BLUE), "as a press always does"


def test_a_colour_missing_from_the_selected_display_is_kept_in_hand(offer: Simulator) -> None:
    offer.press("display.2")
    assert show(offer, "tile-y-01") is None
    assert offer.game.selection is None
    assert offer.press("display.4").game.selection == Selection(4, Colour.YELLOW)


def test_a_colour_on_no_source_is_refused() -> None:
    sim = with_cards(dealt("bbbb bbbb bbbb bbbb bbyy"))
    assert show(sim, "tile-w-01") == RefusalReason.COLOUR_NOT_THERE
    assert sim.game.colour_in_hand is None


def test_undo_drops_the_colour_in_hand(offer: Simulator) -> None:
    show(offer, "tile-r-01")
    offer.press("undo")
    assert offer.game.colour_in_hand is None
    assert prompt(offer.table).key == "draft"


def test_showing_a_tile_dismisses_an_open_question(offer: Simulator) -> None:
    assert offer.press("undo").game.question is Question.STOP_GAME
    show(offer, "tile-y-01", "display.1")
    assert offer.game.question is None
    assert offer.game.selection == Selection(1, Colour.YELLOW)


def test_an_unknown_tag_is_refused_and_changes_nothing_else(offer: Simulator) -> None:
    before = offer.table
    assert show(offer, "FFFF") == RefusalReason.UNKNOWN_TAG
    assert replace(offer.table, refusal=None) == before
    assert update(offer.table, TagShown("display.3", "FFFF", offer.now)).refusal is not None
