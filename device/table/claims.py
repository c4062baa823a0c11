"""Claims: the seats that belong to phones, and what a phone may do.

A phone claims a seat with the hash of a secret that only it has. Who presses (`by`) is the place that belongs
to the phone, 0 for a phone without a seat, None for somebody at the table itself, who may do everything. A
phone plays for its own seat and for the seats of people that belong to no phone, as a phone that several
players share does. What concerns all players (the options of a game, its end, the next one) may be done by
every phone that has a seat or plays for one.
"""

from collections.abc import Callable
from dataclasses import replace

from device.rules.events import Choice
from device.table.buttons import OK, UNDO, place_and_line_of, source_of
from device.table.game import Play, before_each_choice, seat_of
from device.table.opponents import without_hints
from device.table.score_animation import restart_step
from device.table.seating import give_seat, leave_seat
from device.table.state import (
    ChoiceMade,
    CurrentGame,
    FirstGameEvent,
    GameEvent,
    HintRequested,
    PhonePressed,
    PlayerNamed,
    Question,
    RefusalReason,
    RefusedError,
    SeatClaimed,
    SeatGiven,
    SeatLeft,
    SeatReleased,
    Seats,
    Stage,
    Table,
    TileShown,
    TilesSelected,
)
from device.table.turns import choices_of_people, choosing_places, undo
from hardware.api import ButtonPressed

# --- Claiming and releasing ---


def claim_seat(table: Table, event: SeatClaimed) -> Table:
    """Give a place to a phone: before a game also a free one, with its player's name. Raises RefusedError.

    The phone gives up the place that it had; before a game that place becomes free.
    """
    place, seats = event.place, table.seats
    if not 1 <= place <= table.settings.places:
        raise RefusedError(RefusalReason.SEAT_EMPTY)
    if event.by != place and seats.claim_at(place):
        raise RefusedError(RefusalReason.SEAT_CLAIMED)
    if place in seats.taken and seats.bot_at(place):
        raise RefusedError(RefusalReason.OPPONENTS_SEAT)
    if place not in seats.taken and table.game is not None:
        raise RefusedError(RefusalReason.NOT_NOW)
    if event.by is not None and event.by != place:
        table = _give_up(table, event.by, event.at)
    if table.game is None:
        table = give_seat(table, place, "", event.name if event.name.strip() else None)
    return replace(table, seats=table.seats.with_claim(place, event.claim))


def _give_up(table: Table, place: int, at: float) -> Table:
    """Release the place that a phone leaves for another one; before a game also free it.

    A question that the phone asked is dropped: else it could answer that itself from its next place.
    """
    if table.game is not None and table.game.asked_by == place:
        table = replace(table, game=without_question(table.game, at))
    if not place:
        return table
    if table.game is None and place in table.seats.taken:
        table = leave_seat(table, place)
    return replace(table, seats=table.seats.with_claim(place, ""))


def release_seat(table: Table, event: SeatReleased) -> Table:
    """Let a place belong to no phone; its player stays. Raises RefusedError."""
    if not 1 <= event.place <= table.settings.places:
        raise RefusedError(RefusalReason.SEAT_EMPTY)
    game = table.game
    if game is not None and game.asked_by == event.place:  # the phone could answer it without a seat
        table = replace(table, game=without_question(game, event.at))
    return replace(table, seats=table.seats.with_claim(event.place, ""))


def end_stale_claims(seats: Seats) -> Seats:
    """Return the seats without claims of places that nobody has taken, or that an opponent plays."""
    for place, claim in enumerate(seats.claims, start=1):
        if claim and (place not in seats.taken or seats.bot_at(place)):
            seats = seats.with_claim(place, "")
    return seats


# --- What a phone may do ---


def may_play_for(seats: Seats, by: int | None, place: int) -> bool:
    """Return whether somebody may play for a person's place: their own, or one that belongs to no phone."""
    return by is None or by == place or not seats.claim_at(place)


def has_a_say(seats: Seats, by: int | None) -> bool:
    """Return whether somebody may do what concerns all players.

    A phone without a seat may where a person's seat belongs to no phone, or where nobody sits.
    """
    if by is None or (by and seats.claim_at(by)):
        return True
    people = [place for place in seats.taken if not seats.bot_at(place)]
    return not people or any(not seats.claim_at(place) for place in people)


def event_of_phone(table: Table, event: GameEvent | FirstGameEvent, by: int) -> GameEvent | FirstGameEvent:
    """Return what a phone's event does at the table. Raises RefusedError if that phone may not do it."""
    match event:
        case ButtonPressed(button, at) if button in (OK, UNDO):
            _check_table_button(table, button, by)
            return PhonePressed(button, by, at)
        case ButtonPressed(button):
            _check_button(table, button, by)
        case PlayerNamed(place) | SeatReleased(place) | SeatGiven(place) | SeatLeft(place):
            _check_place(table, by, place)
        case TileShown() | TilesSelected():
            _check_choosing(table, by)
        case ChoiceMade(choice):
            _check_choice(table, choice, by)
        case HintRequested(place, at):
            return HintRequested(_place_for_hint(table, place, by), at)
        case SeatClaimed():
            return replace(event, by=by)  # `claim_seat` checks the rest
        case _:
            _check_say(table, by)
    return event


def _check_place(table: Table, by: int, place: int) -> None:
    if not may_play_for(table.seats, by, place):
        raise RefusedError(RefusalReason.SEAT_CLAIMED)


def _check_say(table: Table, by: int) -> None:
    if not has_a_say(table.seats, by):
        raise RefusedError(RefusalReason.ONLY_WATCHING)


def _check_choosing(table: Table, by: int) -> None:
    """Refuse a phone whose player does not choose now; where no person does, one that only watches."""
    place = table.acting_place
    if table.play is None or place is None or table.bots_turn:
        _check_say(table, by)
    else:
        _check_place(table, by, player_at(table.play, place))


def _check_choice(table: Table, choice: Choice, by: int) -> None:
    """Check a choice, which need not be legal, for the player who would make it."""
    play = table.play
    if play is None:
        _check_say(table, by)
        return
    seat = seat_of(play.state, choice)
    if 0 <= seat < len(play.places):  # else the table refuses it
        _check_place(table, by, player_at(play, play.places[seat]))


def _check_button(table: Table, button: str, by: int) -> None:
    """Check a button of a source or a seat."""
    found = place_and_line_of(button)
    if found is None or source_of(button) is not None:
        _check_choosing(table, by)
    elif table.play is not None:
        _check_place(table, by, player_at(table.play, found[0]))
    elif table.stage is Stage.SEATING:
        _check_place(table, by, found[0])
    else:  # it chooses who starts
        _check_say(table, by)


def _check_table_button(table: Table, button: str, by: int) -> None:
    """Check `ok` and `undo`, which concern all players, or only the one who is asked."""
    game, seats = table.game, table.seats
    if game is not None and game.question is Question.UNDO_ASKED:
        _check_answer(seats, game, button, by)
        return
    _check_say(table, by)
    if game is None:
        if button == UNDO and table.stage is Stage.SEATING and table.tags.card is None and seats.taken:
            _check_place(table, by, seats.taken[-1])
    elif game.question is Question.STOP_GAME and button == OK:
        others = [place for place in seats.taken if not may_play_for(seats, by, place)]
        if game.asked_by == by and others:
            raise RefusedError(RefusalReason.OTHERS_ANSWER)
    elif button == UNDO and game.question is not Question.STOP_GAME and _in_hand(table, game):
        _check_choosing(table, by)
    elif button == OK and OK in choices_of_people(table):
        for place in choosing_places(game.play):
            _check_place(table, by, player_at(game.play, place))


def _check_answer(seats: Seats, game: CurrentGame, button: str, by: int) -> None:
    """Check an answer to the question of an undo: who asked may take the question back."""
    withdrawn = button == UNDO and by == game.asked_by
    if not withdrawn and not may_play_for(seats, by, game.asked_of or 0):
        raise RefusedError(RefusalReason.OTHERS_ANSWER)


def _place_for_hint(table: Table, place: int | None, by: int) -> int | None:
    """Return the place that a phone may ask a hint for; without one named, its own. Raises RefusedError."""
    if place is None and by:
        place = by
    if place is not None:
        owner = player_at(table.play, place) if table.play is not None else place
        _check_place(table, by, owner)
    elif table.play is not None:
        for each in (*choosing_places(table.play), table.acting_place):
            if each is not None:
                _check_place(table, by, player_at(table.play, each))
    return place


def player_at(play: Play, place: int) -> int:
    """Return the place of the player who has the board at a place: in solo one player has both."""
    seat = play.seat_at(place)
    return place if seat is None else play.places[play.state.player_of(seat)]


# --- Presses of `ok` and `undo` by phones ---


def press_of_phone(table: Table, event: PhonePressed, press: Callable[[Table, str, float], Table]) -> Table:
    """Return the table after `ok` or `undo` by a phone that may press it. Raises RefusedError.

    An undo that would take back the choice of another phone's player becomes a question to that player; `ok`
    then undoes. `press` is what the same press does at the table.
    """
    table = without_hints(table)
    game = table.game
    if game is None:
        return press(table, event.button, event.at)
    stopping = game.question is Question.STOP_GAME
    if game.question is Question.UNDO_ASKED:
        return answer_undo(table, game, event.button, event.at)
    if event.button == UNDO and not (stopping or game.reported_tiles or _in_hand(table, game)):
        other = _player_of_undone_choice(table, game.play, event.by)
        if other is not None:
            asked = replace(game, question=Question.UNDO_ASKED, asked_by=event.by, asked_of=other)
            return replace(table, game=asked)
    after = press(table, event.button, event.at)
    if after.game is not None and after.game.question is Question.STOP_GAME and not stopping:
        return replace(after, game=replace(after.game, asked_by=event.by))
    return after


def answer_undo(table: Table, game: CurrentGame, button: str, at: float) -> Table:
    """Answer the question of an undo: `ok` takes the choice back, `undo` plays on."""
    closed = replace(table, game=without_question(game, at))
    return undo(closed, at) if button == OK else closed


def without_question(game: CurrentGame, at: float) -> CurrentGame:
    """Return the game after its open question was answered or dropped; a score animation goes on."""
    if game.question is None:
        return game
    animation = restart_step(game.animation, at)
    return replace(game, question=None, asked_by=None, asked_of=None, animation=animation)


def _in_hand(table: Table, game: CurrentGame) -> bool:
    """Return whether a person has tiles in hand, which is what `undo` takes back first."""
    return (game.selection is not None and not table.bots_turn) or game.colour_in_hand is not None


def _player_of_undone_choice(table: Table, play: Play, by: int) -> int | None:
    """Return the place of the latest choice that undo takes back and this phone may not; None without one."""
    after = undo(table, 0.0).play
    if after is None or after is play:
        return None
    found = None
    for then in before_each_choice(play, lambda seat: not table.bot_of(seat)):
        if len(then.events) < len(after.events):
            break
        choice = play.events[len(then.events)]
        assert isinstance(choice, Choice)
        place = player_at(play, play.places[seat_of(then.state, choice)])
        if found is None and not may_play_for(table.seats, by, place):
            found = place
    return found
