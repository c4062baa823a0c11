"""Seats that belong to phones: claiming, releasing, and that no phone plays for another's seat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.lights.palettes import BOX
from device.rules.events import Choice, Draft, Event, Tile
from device.rules.game import Setup
from device.rules.tiles import Colour
from device.socket.snapshot import snapshot
from device.table.claims import event_of_phone, has_a_say, may_play_for
from device.table.game import Play, advance, seat_of, start
from device.table.prompts import live_buttons, prompt
from device.table.state import (
    ChoiceMade,
    GameEvent,
    GameStarted,
    HintRequested,
    OptionsChosen,
    PlayedAgain,
    PlayerNamed,
    Question,
    RefusedError,
    SeatClaimed,
    SeatGiven,
    SeatLeft,
    SeatReleased,
    Seats,
    TileShown,
    TilesSelected,
)
from hardware.api import ButtonPressed
from tests.table.simulator import BUTTONS, Simulator, begin_game, dealt, empty_table, midway
from tests.table.walks import Start, starts

ANA, RUI, EVA = "a" * 64, "b" * 64, "c" * 64
CLAIMS = (ANA, RUI, EVA, "d" * 64)
DEAL = "bbyr kkww rryy bykw bbbb"


def claim(sim: Simulator, place: int, secret: str, name: str = "", by: int | None = 0) -> str | None:
    """Claim a seat; return why it was refused."""
    return sent(sim, SeatClaimed(place, secret, name, by, sim.now))


def sent(sim: Simulator, event: GameEvent, by: int | None = None) -> str | None:
    """Send an event, of a phone with `by`; return why it was refused."""
    before = sim.table.refusal.number if sim.table.refusal is not None else 0
    try:
        done = event if by is None else event_of_phone(sim.table, event, by)
    except RefusedError as refused:
        return refused.why
    sim.take(done)
    refusal = sim.table.refusal
    return refusal.why if refusal is not None and refusal.number > before else None


def press(sim: Simulator, by: int, *buttons: str) -> str | None:
    """Press buttons on the phone of a seat (0: of none); return why the last one was refused."""
    why = None
    for button in buttons:
        sim.now += 1.0
        why = sent(sim, ButtonPressed(button, sim.now), by)
    return why


def claimed(sim: Simulator, *places: int) -> Simulator:
    """Give places to phones of their own."""
    seats = sim.table.seats
    for place in places:
        seats = seats.with_claim(place, CLAIMS[place - 1])
    sim.table = replace(sim.table, seats=seats)
    return sim


# --- Claiming and releasing ---


def test_a_phone_takes_a_free_seat_and_its_name_in_one_step() -> None:
    sim = empty_table()
    assert claim(sim, 2, RUI, " Rui ") is None
    seats = sim.table.seats
    assert (seats.taken, seats.name_at(2), seats.claim_at(2)) == ((2,), "Rui", RUI)
    shown = snapshot(sim.table, BOX)["seats"]
    assert [seat["claimed"] for seat in shown] == [False, True, False, False]
    assert shown[1]["claim"] == RUI


def test_a_claim_without_a_name_keeps_the_name() -> None:
    sim = empty_table().press("seat.1.floor").name(1, "Ana")
    assert claim(sim, 1, ANA) is None
    assert sim.table.seats.name_at(1) == "Ana"


def test_a_claimed_seat_is_not_taken_over_by_another_phone() -> None:
    sim = empty_table()
    claim(sim, 1, ANA, "Ana")
    assert claim(sim, 1, RUI, "Rui") == "seat_claimed"
    assert claim(sim, 1, RUI, "Rui", by=None) == "seat_claimed", "at the table it is released first"
    assert sent(sim, SeatReleased(1, sim.now), by=2) == "seat_claimed"
    assert sent(sim, SeatReleased(1, sim.now), by=0) == "seat_claimed"
    assert (sim.table.seats.claim_at(1), sim.table.seats.name_at(1)) == (ANA, "Ana")


def test_the_table_and_its_own_phone_release_a_seat() -> None:
    for by in (None, 1):
        sim = empty_table()
        claim(sim, 1, ANA, "Ana")
        assert sent(sim, SeatReleased(1, sim.now), by) is None
        assert (sim.table.seats.claims, sim.table.seats.taken) == ((), (1,))
        assert claim(sim, 1, RUI, "Rui") is None


def test_a_phone_has_one_seat() -> None:
    sim = empty_table()
    claim(sim, 1, ANA, "Ana")
    assert claim(sim, 3, EVA, "Ana", by=1) is None
    seats = sim.table.seats
    assert (seats.taken, seats.name_at(1), seats.claim_at(1), seats.claim_at(3)) == ((3,), None, "", EVA)


def test_a_refused_claim_keeps_the_phones_seat() -> None:
    sim = empty_table()
    claim(sim, 1, ANA, "Ana")
    claim(sim, 2, RUI, "Rui")
    assert claim(sim, 2, EVA, by=1) == "seat_claimed"
    assert claim(sim, 3, EVA, name="x" * 21, by=1) == "name_too_long"
    assert sim.table.seats.claims[:2] == (ANA, RUI)
    assert sim.table.seats.taken == (1, 2)


@pytest.mark.parametrize("place", [0, -1, 5, 99])
def test_a_seat_that_the_table_does_not_have_is_not_claimed(place: int) -> None:
    sim = empty_table()
    assert claim(sim, place, ANA) == "seat_empty"
    assert sent(sim, SeatReleased(place, sim.now)) == "seat_empty"


def test_an_opponents_seat_is_not_claimed() -> None:
    sim = empty_table().press("seat.1.floor", "seat.1.line.2")
    assert claim(sim, 1, ANA) == "opponents_seat"


def test_a_persons_seat_is_claimed_during_a_game_too() -> None:
    sim = dealt(DEAL)
    assert claim(sim, 1, ANA, "Other") is None
    assert (sim.table.seats.claim_at(1), sim.table.seats.name_at(1)) == (ANA, "Ana")
    assert claim(sim, 3, EVA) == "not_now", "nobody plays there"


def test_a_claim_ends_when_its_seat_is_left_or_given_to_an_opponent() -> None:
    sim = empty_table()
    claim(sim, 1, ANA, "Ana")
    sim.press("undo")
    assert (sim.table.seats.taken, sim.table.seats.claims) == ((), ())
    claim(sim, 1, ANA, "Ana")
    sim.press("seat.1.line.1")
    assert sim.table.seats.claims == ()


def test_claims_stay_for_the_next_game_of_the_same_players() -> None:
    sim = claimed(dealt(DEAL), 1, 2)
    sim.press("undo", "ok")
    assert sim.table.seats.claims[:2] == (ANA, RUI)


def test_the_claim_of_a_solo_player_goes_along_to_the_first_seat() -> None:
    sim = empty_table()
    claim(sim, 3, EVA, "Eva")
    sim.press("ok", "seat.3.floor")
    assert (sim.table.seats.taken, sim.table.seats.claims[:3]) == ((1,), (EVA, "", ""))


# --- Who may do what ---


def test_a_phone_plays_for_its_own_seat_and_for_unclaimed_ones() -> None:
    sim = claimed(dealt(DEAL), 2)
    assert press(sim, 0, "display.1", "seat.1.line.2") is None
    assert press(sim, 0, "display.2") == "seat_claimed"
    assert press(sim, 0, "seat.2.line.3") == "seat_claimed"
    assert press(sim, 2, "display.2", "seat.2.line.3") is None
    assert press(sim, 2, "display.3", "seat.1.line.3") is None, "nobody has claimed that seat"


def test_a_phone_does_not_take_put_back_or_place_tiles_for_another() -> None:
    sim = claimed(dealt(DEAL), 1, 2)
    press(sim, 1, "display.1")
    selected = sim.game.selection
    for button in ("display.1", "display.2", "centre", "seat.1.line.2", "seat.1.floor", "undo"):
        assert press(sim, 2, button) == "seat_claimed"
    assert sent(sim, TileShown(Colour.BLUE, None, None, sim.now), by=2) == "seat_claimed"
    assert sim.game.selection == selected


def test_a_phone_does_not_name_or_unseat_another() -> None:
    sim = empty_table()
    claim(sim, 1, ANA, "Ana")
    claim(sim, 2, RUI, "Rui")
    before = sim.table.seats
    assert sent(sim, PlayerNamed(1, "Silly", sim.now), by=2) == "seat_claimed"
    for button in ("seat.1.line.1", "seat.1.line.4", "seat.1.floor"):
        assert press(sim, 2, button) == "seat_claimed"
    assert press(sim, 1, "undo") == "seat_claimed", "the last who sat down is Rui"
    assert sim.table.seats == before
    assert sent(sim, PlayerNamed(2, "Rui B", sim.now), by=2) is None


def test_a_phone_asks_hints_for_its_own_seat_only() -> None:
    sim = claimed(dealt(DEAL), 1, 2)
    assert sent(sim, HintRequested(1, sim.now), by=2) == "seat_claimed"
    assert event_of_phone(sim.table, HintRequested(None, 1.0), 2) == HintRequested(2, 1.0)
    assert sent(sim, HintRequested(None, sim.now), by=0) == "seat_claimed"
    assert event_of_phone(sim.table, HintRequested(1, 1.0), 1) == HintRequested(1, 1.0)


def test_a_phone_that_only_watches_presses_nothing() -> None:
    sim = claimed(dealt(DEAL), 1, 2)
    assert not has_a_say(sim.table.seats, 0)
    assert press(sim, 0, "ok") == press(sim, 0, "undo") == "only_watching"


def test_any_seated_phone_chooses_the_game() -> None:
    sim = empty_table()
    assert press(sim, 0, "seat.4.floor") is None, "nobody sits: a phone that all share begins"
    claim(sim, 1, ANA, "Ana")
    claim(sim, 2, RUI, "Rui")
    assert press(sim, 0, "ok") is None, "seat 4 belongs to no phone"
    assert press(sim, 2, "display.2") is None
    assert press(sim, 2, "seat.1.floor") is None, "Rui chooses that Ana starts"
    assert sim.play.setup.mode == "gray"


def test_the_buttons_of_both_solo_boards_belong_to_the_player() -> None:
    sim = claimed(begin_game(empty_table(), Setup("solo", ("Ana",), 0, "easy", "coloured"), [1]), 1)
    sim.wait(10.0)
    assert press(sim, 0, "seat.2.line.1") == "seat_claimed"
    assert press(sim, 2, "seat.2.line.1") == "seat_claimed"
    assert press(sim, 1, "seat.2.line.1") != "seat_claimed"


def test_only_places_of_people_count_for_having_a_say() -> None:
    seats = Seats(("Ana", "", "", ""), ("", "greedy", "", ""), (1, 2), (ANA,))
    assert not has_a_say(seats, 0)
    assert has_a_say(seats, 1)
    assert not has_a_say(seats, 2), "an opponent has no phone"
    assert has_a_say(seats, None)
    assert may_play_for(seats, None, 1)


def test_a_phone_makes_no_choice_for_another_and_gives_no_seat_of_another_away() -> None:
    sim = claimed(dealt(DEAL), 1, 2)
    assert sent(sim, ChoiceMade(Draft(1, Colour.BLUE, 2), sim.now), by=2) == "seat_claimed"
    assert sent(sim, TilesSelected((1, Colour.BLUE), sim.now), by=2) == "seat_claimed"
    assert sent(sim, TilesSelected(None, sim.now), by=0) == "seat_claimed"
    assert sent(sim, ChoiceMade(Draft(1, Colour.BLUE, 2), sim.now), by=1) is None
    lobby = empty_table()
    claim(lobby, 1, ANA, "Ana")
    for event in (SeatGiven(1, "greedy", None, 1.0), SeatGiven(1, "", "Silly", 1.0), SeatLeft(1, 1.0)):
        assert sent(lobby, event, by=2) == "seat_claimed"
    assert sent(lobby, SeatGiven(2, "greedy", None, 1.0), by=1) is None
    assert sent(lobby, GameStarted(None, 1.0), by=0) == "only_watching"
    assert sent(lobby, SeatLeft(1, 1.0), by=1) is None
    assert lobby.table.seats.claims == ()


# --- Undo of another's choice ---


def test_undo_of_ones_own_choice_is_not_asked() -> None:
    sim = claimed(dealt(DEAL), 1, 2)
    press(sim, 1, "display.1", "seat.1.line.2")
    assert press(sim, 1, "undo") is None
    assert (sim.game.question, sim.play.moves) == (None, ())


def test_undo_of_anothers_choice_asks_that_player() -> None:
    sim = claimed(dealt(DEAL), 1, 2)
    press(sim, 1, "display.1", "seat.1.line.2")
    assert press(sim, 2, "undo") is None
    assert sim.game.question is Question.UNDO_ASKED
    asked = prompt(sim.table)
    assert asked.values == {"seat": 1, "name": "Ana", "by": 2, "by_name": "Rui"}
    assert {"ok", "undo"} <= set(live_buttons(sim.table))
    assert press(sim, 2, "ok") == "others_answer"
    assert press(sim, 0, "ok") == press(sim, 0, "undo") == "others_answer"
    assert len(sim.play.moves) == 1
    assert press(sim, 1, "ok") is None
    assert prompt(sim.table).key == "draft"
    assert not sim.play.moves


@pytest.mark.parametrize("by", [1, 2], ids=["refused", "withdrawn"])
def test_undo_plays_on(by: int) -> None:
    sim = claimed(dealt(DEAL), 1, 2)
    press(sim, 1, "display.1", "seat.1.line.2")
    press(sim, 2, "undo")
    assert press(sim, by, "undo") is None
    assert (sim.game.question, len(sim.play.moves)) == (None, 1)


def test_the_table_answers_too() -> None:
    for button, moves in (("ok", 0), ("undo", 1)):
        sim = claimed(dealt(DEAL), 1, 2)
        press(sim, 1, "display.1", "seat.1.line.2")
        press(sim, 2, "undo")
        sim.press(button)
        assert (sim.game.question, len(sim.play.moves)) == (None, moves)


def test_playing_on_answers_no() -> None:
    sim = claimed(dealt(DEAL), 1, 2)
    press(sim, 1, "display.1", "seat.1.line.2")
    press(sim, 2, "undo")
    assert press(sim, 2, "display.2", "seat.2.line.3") is None
    assert (sim.game.question, sim.game.asked_by, sim.game.asked_of) == (None, None, None)
    assert len(sim.play.moves) == 2


def test_undo_at_the_table_is_not_asked() -> None:
    sim = claimed(dealt(DEAL), 1, 2)
    press(sim, 1, "display.1", "seat.1.line.2")
    sim.press("undo")
    assert sim.play.moves == ()


def test_ok_of_one_phone_and_undo_of_another_are_not_pressed_together() -> None:
    sim = claimed(dealt(DEAL), 1, 2)
    press(sim, 1, "display.1", "seat.1.line.2")
    press(sim, 2, "undo")
    sim.take(event_of_phone(sim.table, ButtonPressed("ok", sim.now), 1))
    sim.take(event_of_phone(sim.table, ButtonPressed("undo", sim.now), 1))
    assert not sim.table.opponents.requests


# --- Stopping the game ---


def test_a_phone_does_not_stop_the_game_of_others_alone() -> None:
    sim = claimed(dealt(DEAL), 1, 2)
    press(sim, 1, "undo")
    assert sim.game.question is Question.STOP_GAME
    assert press(sim, 1, "ok") == "others_answer"
    assert press(sim, 2, "ok") is None
    assert sim.table.play is None


def test_a_phone_does_not_answer_its_own_question_from_another_seat() -> None:
    sim = claimed(dealt(DEAL), 1)
    press(sim, 0, "undo")
    assert press(sim, 0, "ok") == "others_answer"
    assert claim(sim, 2, RUI, by=0) is None
    assert sim.game.question is None
    press(sim, 2, "undo")
    sent(sim, SeatReleased(2, sim.now), by=2)
    assert sim.game.question is None


def test_a_player_alone_with_opponents_or_unclaimed_seats_stops_the_game() -> None:
    sim = claimed(dealt(DEAL), 1)
    press(sim, 1, "undo", "ok")
    assert sim.table.play is None


# --- Whatever a phone does ---


def made(choice: Choice) -> Callable[[float], GameEvent]:
    """Return the event of a choice."""
    return partial(ChoiceMade, choice)


PhoneEvent = Callable[[float], GameEvent] | None
places = st.integers(0, 5)
phone_events: st.SearchStrategy[PhoneEvent] = st.one_of(
    st.sampled_from([*BUTTONS, *["ok", "undo"] * 6]).map(lambda button: partial(ButtonPressed, button)),
    st.none(),  # a live button
    places.map(lambda place: partial(PlayerNamed, place, "Mallory")),
    places.map(lambda place: partial(SeatReleased, place)),
    places.map(lambda place: partial(SeatClaimed, place, "e" * 64, "Mallory", None)),
    places.map(lambda place: partial(HintRequested, place or None)),
    st.sampled_from(Colour).map(lambda colour: partial(TileShown, colour, None, None)),
    st.tuples(st.integers(0, 9), st.sampled_from(Colour)).map(lambda tiles: partial(TilesSelected, tiles)),
    st.just(partial(TilesSelected, None)),
    st.builds(Draft, st.integers(0, 9), st.sampled_from(Colour), st.integers(0, 5)).map(made),
    st.builds(Tile, st.integers(0, 3), st.integers(1, 5), st.integers(1, 5)).map(made),
    st.tuples(places, st.sampled_from(["", "greedy"])).map(lambda sits: partial(SeatGiven, *sits, "Mallory")),
    places.map(lambda place: partial(SeatLeft, place)),
    places.map(lambda place: partial(GameStarted, place or None)),
    st.sampled_from([OptionsChosen, PlayedAgain]),
)
attacks = st.lists(st.tuples(phone_events, st.integers(0, 200)), max_size=30)


def choices_of(play: Play | None, place: int) -> list[Event]:
    """Return the choices that the player at a place has made in a game."""
    if play is None:
        return []
    made: list[Event] = []
    then = start(play.setup, play.places)
    for event in play.events:
        if isinstance(event, Choice):
            owner = play.places[then.state.player_of(seat_of(then.state, event))]
            made += [event] if owner == place else []
        then = advance(then, event)
    return made


@given(starts, st.integers(0, 2), attacks)
def test_no_phone_changes_the_seat_or_the_choices_of_another(
    where: Start, own: int, attack: list[tuple[PhoneEvent, int]]
) -> None:
    """The first player's phone is away; another phone, with seat `own` or none, does what it likes."""
    sim = where.simulator()
    if sim.table.game is None:
        claim(sim, 1, ANA, "Ana")
        claim(sim, 2, RUI, "Rui")
    victim = 1
    claimed(sim, *(place for place in (victim, own) if place in sim.table.seats.taken))
    name, board = sim.table.seats.name_at(victim), choices_of(sim.table.play, victim)
    over = sim.table.play is not None and sim.table.play.over
    for event, pick in attack:
        sim.now += 1.0
        claims = enumerate(sim.table.seats.claims, start=1)
        mine = next((place for place, each in claims if each not in ("", ANA)), 0)
        live = live_buttons(sim.table)
        button = live[pick % len(live)]
        sent(sim, event(sim.now) if event is not None else ButtonPressed(button, sim.now), mine)
        assert sim.table.seats.claim_at(victim) == ANA
        assert sim.table.seats.name_at(victim) == name
        assert victim in sim.table.seats.taken
        if not over:
            assert choices_of(sim.table.play, victim) == board


def test_the_attack_of_the_property_reaches_games() -> None:
    assert midway(Setup("standard", ("Ana", "Rui")), 0, 7).table.seats.taken == (1, 2)
