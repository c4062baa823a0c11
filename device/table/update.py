"""State transitions: `update(table, event)` returns the table after a press, a tag, a tick or a draw.

Nothing here reads a clock or draws at random: events carry their time, and `state.needed_draw` says which
draw the caller has to make and send as an event.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from device.rules.board import FLOOR
from device.rules.errors import IllegalEventError
from device.rules.events import Choice, Draft
from device.rules.tiles import Colour
from device.table import (
    claims,
    lessons,
    opponents,
    physical_tiles,
    preferences,
    score_animation,
    seating,
    tag_input,
    turns,
)
from device.table.buttons import OK, UNDO, place_and_line_of, seat_button, source_button, source_of
from device.table.prompts import same_question
from device.table.score_animation import ScoreAnimation, restart_step
from device.table.state import (
    BotReply,
    ChanceDrawn,
    ChoiceMade,
    ClaimEvent,
    CurrentGame,
    FirstDrawn,
    FirstGameEvent,
    GameEvent,
    GameStarted,
    HintRequested,
    LastPress,
    LessonBegun,
    LessonEnded,
    LessonUndone,
    LobbyEvent,
    NeededDraw,
    OptionsChosen,
    PhonePressed,
    PlayedAgain,
    PlayerNamed,
    PreferencesChanged,
    Question,
    Refusal,
    RefusalReason,
    RefusedError,
    SeatClaimed,
    SeatGiven,
    SeatLeft,
    SeatReleased,
    Stage,
    StepRead,
    Table,
    TableEvent,
    TagsForgotten,
    TagShown,
    TeachingEvent,
    TeachingSwitched,
    Tick,
    TileShown,
    TilesSelected,
    needed_draw,
)
from device.table.tags import Action, ActionCard, Meaning, PlayerCard, TileTag
from hardware.api import ButtonPressed, Loss, PartBack, PartLost

FLASH_APART: Final = 0.5
"""Minimum seconds between the flashes of two refusals: nothing may flash more than 3 times a second."""
TOGETHER: Final = 0.25  # maximum seconds between two buttons that count as pressed together


def update(table: Table, event: TableEvent) -> Table:
    """Return the table after an event; an event that can't be accepted changes nothing but the refusal."""
    after = _note_part(table, event) if isinstance(event, PartLost | PartBack) else _go_on(table, event)
    if after is table or same_question(table, after):
        return after
    return replace(after, questions=table.questions + 1)


def _go_on(table: Table, event: GameEvent | FirstGameEvent) -> Table:
    passed = _pass_time(table, event.at)
    if passed.play is not table.play or passed.stage is not table.stage:
        passed = _hide_refusal(passed)  # the game has gone on by itself
    if isinstance(event, TeachingSwitched | StepRead):
        return lessons.attend(lessons.take(passed, event))
    after = _accept(passed, event)
    seats = claims.end_stale_claims(after.seats)
    if seats is not after.seats:
        after = replace(after, seats=seats)
    return lessons.attend(opponents.attend(after, event.at))


def _accept(table: Table, event: GameEvent) -> Table:
    match event:
        case ButtonPressed(button, at):
            return _press_alone_or_together(table, button, at)
        case PlayerNamed(place, name, at):
            button = f"seat.{place}.floor"
            return _try(table, button, lambda: seating.name_player(table, place, name), at)
        case PhonePressed() | SeatClaimed() | SeatReleased():
            return _accept_from_phone(table, event)
        case TagShown(reader, tag, at) if table.tags.lesson is not None:
            after, why = tag_input.teach(table, tag, at)
            return refuse(after, why, reader, at) if why is not None else _hide_refusal(after)
        case TagShown(reader, tag, at):
            meaning = table.tags.known.get(tag)
            return _try(table, reader, lambda: _show_tag(table, meaning, event), at)
        case TileShown(colour, reader, tag, at):
            return _try(table, reader or "centre", lambda: _show_tile(table, colour, reader, tag, at), at)
        case LessonBegun() | LessonUndone() | LessonEnded() | TagsForgotten():
            return _try(table, OK, lambda: _teach(table, event), event.at)
        case HintRequested(hinted, at):
            return _try(table, UNDO, lambda: opponents.request_hint(table, hinted, at), at)
        case ChanceDrawn() | FirstDrawn() | BotReply() | Tick():
            return _accept_draw_or_reply(table, event)
        case _:
            return _accept_message(table, event)


def _accept_draw_or_reply(table: Table, event: ChanceDrawn | FirstDrawn | BotReply | Tick) -> Table:
    match event:
        case ChanceDrawn(drawn, at):
            return turns.apply_event(table, drawn, at) if needed_draw(table) is NeededDraw.EVENT else table
        case FirstDrawn(place, at):
            return seating.begin_game(table, place, at) if needed_draw(table) is NeededDraw.FIRST else table
        case BotReply():
            return opponents.take_reply(table, event)
        case Tick():
            return table


def _accept_from_phone(table: Table, event: ClaimEvent) -> Table:
    match event:
        case PhonePressed(button, _, at):  # never counts as pressed together with the button of somebody else
            after = _try(table, button, lambda: claims.press_of_phone(table, event, _press), at)
            return replace(after, last_press=None)
        case SeatClaimed(place, _, _, _, at):
            return _try(table, f"seat.{place}.floor", lambda: claims.claim_seat(table, event), at)
        case SeatReleased(place, at):
            return _try(table, f"seat.{place}.floor", lambda: claims.release_seat(table, event), at)


def _pass_time(table: Table, now: float) -> Table:
    """Return the table at `now`: cards, lessons, opponents' choices and the score animation go on with time.

    The animation waits while a question is open, and with physical tiles for `ok`.
    """
    table = tag_input.pass_time(table, now)
    if table.tags.lesson is not None:
        return table
    table = opponents.pass_time(table, now)
    game = table.game
    if game is None or game.animation is None or game.question is not None or table.settings.physical_tiles:
        return table
    opening = table.settings.opening + lessons.reading_time(table)
    animation = score_animation.pass_time(game.animation, game.play, now, opening)
    return table if animation is game.animation else _show_scoring(table, game, animation, now)


def _show_scoring(table: Table, game: CurrentGame, animation: ScoreAnimation | None, at: float) -> Table:
    """Return the table at another step of the score animation; None ends it, and perhaps the game."""
    over_since = at if animation is None and game.play.over else None
    return replace(table, game=replace(game, animation=animation, over_since=over_since))


# --- Refusals ---


def _try(table: Table, button: str, action: Callable[[], Table], at: float) -> Table:
    """Return the table after an action, or with its refusal shown at a button."""
    try:
        after = action()
    except (RefusedError, IllegalEventError) as refused:
        return refuse(table, refused.why, button, at)
    return _hide_refusal(after)


def _hide_refusal(table: Table) -> Table:
    if table.refusal is None or not table.refusal.shown:
        return table
    return replace(table, refusal=replace(table.refusal, shown=False))


def refuse(table: Table, why: str, button: str, at: float) -> Table:
    """Return the table with a refusal to show; soon after another one, without a flash of its own."""
    refusal, last = Refusal(why, button, button, at, 1), table.refusal
    if last is not None:
        refusal = replace(refusal, number=last.number + 1)
        if at - last.at < FLASH_APART:
            refusal = replace(refusal, flash=last.flash, at=last.at)
    return replace(table, refusal=refusal)


# --- Buttons ---


def _press_alone_or_together(table: Table, button: str, at: float) -> Table:
    """Accept a press; `undo` and `ok` pressed together ask for a hint.

    The first of the two takes effect at once and is taken back when the second comes, so that no press has
    to wait for another.
    """
    last = table.last_press
    if last is not None and {last.button, button} == {OK, UNDO} and abs(at - last.at) <= TOGETHER:
        back = opponents.attend(replace(opponents.without_hints(table), game=last.game, last_press=None), at)
        return _try(back, button, lambda: opponents.request_hint(back, None, at), at)
    after = _try(table, button, lambda: opponents.without_hints(_press(table, button, at)), at)
    game, choosing = table.game, table.stage in (Stage.OFFER, Stage.CHOICE)
    if game is None or button not in (OK, UNDO) or not choosing or game.question is Question.STOP_GAME:
        return replace(after, last_press=None)
    return replace(after, last_press=LastPress(button, at, replace(game, question=None)))


def _press(table: Table, button: str, at: float) -> Table:
    """Return the table after the press of a button; raises RefusedError."""
    if table.faults.store is not None:
        if button != OK:
            raise RefusedError(RefusalReason.NOT_NOW)
        return replace(table, faults=replace(table.faults, store=None))  # with the new file that is offered
    if table.tags.lesson is not None:
        if button not in (OK, UNDO):
            raise RefusedError(RefusalReason.TEACHING)
        return (tag_input.end_lesson if button == OK else tag_input.undo_last_tag)(table, at)
    if table.game is None:
        return _press_before_game(table, button, at)
    return _press_in_game(table, table.game, button, at)


def _press_before_game(table: Table, button: str, at: float) -> Table:
    choosing = table.stage is Stage.CHOOSING
    if button == OK:
        if choosing:
            raise RefusedError(RefusalReason.NOTHING_TO_CONFIRM)
        return seating.begin_choosing(table)
    if button == UNDO:
        return seating.undo(table)
    if (source := source_of(button)) is not None and source <= table.settings.displays:
        if choosing:
            return seating.choose_option(table, source)
        raise RefusedError(RefusalReason.NOT_NOW)
    place, line = _place_and_line(table, button)
    if choosing:
        return seating.begin_game(table, place, at)
    if table.tags.card is not None:
        return tag_input.seat_player(table, place, table.tags.card.name)
    return seating.take_seat(table, place, line)


def _press_in_game(table: Table, game: CurrentGame, button: str, at: float) -> Table:
    if game.question is Question.UNDO_ASKED and button in (OK, UNDO):
        return claims.answer_undo(table, game, button, at)
    if game.question is not None:
        if button == OK and game.question is Question.STOP_GAME:
            return seating.choose_again(table)
        stopping = game.question is Question.STOP_GAME
        game = claims.without_question(game, at)
        table = replace(table, game=game)
        if button == OK or (button == UNDO and stopping):
            return table
    if button == OK and opponents.can_skip(table):
        return opponents.skip(table, at)
    game = replace(game, tiles_to_move=False)  # whoever plays on has moved them
    table = replace(table, game=game)
    if button == UNDO and game.reported_tiles:
        return replace(table, game=replace(game, reported_tiles=game.reported_tiles[:-1]))
    if button == UNDO:
        return turns.undo(table, at)
    if table.stage is Stage.CHOICE:
        return turns.make_choice(table, button, at)
    if button == OK:
        return _confirm(table, game, at)
    if (source := source_of(button)) is not None and source <= table.settings.displays:
        return turns.select_source(table, source)
    place, line = _place_and_line(table, button)
    if table.stage is not Stage.OFFER:
        raise RefusedError(RefusalReason.NOT_NOW)
    return turns.draft_to(table, place, line, at)


def _place_and_line(table: Table, button: str) -> tuple[int, int]:
    """Return the place and the line of a seat's button; raises RefusedError for any other button."""
    found = place_and_line_of(button)
    if found is None or found[0] > table.settings.places:
        raise RefusedError(RefusalReason.UNKNOWN_BUTTON)
    return found


def _confirm(table: Table, game: CurrentGame, at: float) -> Table:
    """Skip the score animation, or its step with physical tiles; after a game, go to the next one.

    While people read what is explained of a scoring, `ok` ends the reading.
    """
    if table.stage is Stage.OVER:
        return seating.choose_again(table)
    if game.animation is None:
        raise RefusedError(RefusalReason.NOTHING_TO_CONFIRM)
    following = None
    if lessons.is_read_first(table, game.animation):
        return lessons.mark_read(
            replace(table, game=replace(game, animation=restart_step(game.animation, at)))
        )
    if table.settings.physical_tiles:
        following = score_animation.next_step(game.animation, game.play, at)
    return _show_scoring(table, replace(game, movement=None), following, at)


# --- Messages of the pages ---


def _accept_message(
    table: Table, event: TilesSelected | ChoiceMade | LobbyEvent | PreferencesChanged
) -> Table:
    """Return the table after a message; no press of `ok` or `undo` before it belongs to it."""
    match event:
        case TilesSelected(tiles, at):
            button = source_button(tiles[0]) if tiles is not None else UNDO
            after = _try(table, button, lambda: _select_tiles(table, tiles, at), at)
        case ChoiceMade(choice, at):
            after = _try(table, _button_of(table, choice), lambda: _choose(table, choice, at), at)
        case PreferencesChanged(changes, hints, at):
            after = _try(table, OK, lambda: preferences.change(table, changes, hints, at), at)
        case _:
            button = seat_button(event.place, FLOOR) if isinstance(event, SeatGiven | SeatLeft) else OK
            after = _try(table, button, lambda: _change_lobby(table, event), event.at)
    return replace(after, last_press=None)


def _select_tiles(table: Table, tiles: tuple[int, Colour] | None, at: float) -> Table:
    return turns.select_tiles(_playing_on(table, at), tiles)


def _choose(table: Table, choice: Choice, at: float) -> Table:
    return opponents.without_hints(turns.choose(_playing_on(table, at), choice, at))


def _playing_on(table: Table, at: float) -> Table:
    """Return the table for somebody who plays on, whatever it asks. Raises RefusedError without a game."""
    if table.stage is Stage.TEACHING:
        raise RefusedError(RefusalReason.TEACHING)
    if table.faults.store is not None or table.game is None:
        raise RefusedError(RefusalReason.NOT_NOW)
    return replace(table, game=replace(claims.without_question(table.game, at), tiles_to_move=False))


def _button_of(table: Table, choice: Choice) -> str:
    """Return the button that makes a choice, whose lights flash when it is refused; else `ok`."""
    play = table.play
    if isinstance(choice, Draft) and table.acting_place is not None:
        return seat_button(table.acting_place, choice.line)
    if play is not None and choice in turns.choices(play).values():
        return turns.button_of(play, choice)
    return OK


def _change_lobby(table: Table, event: LobbyEvent) -> Table:
    match event:
        case SeatGiven(place, bot, name):
            return seating.give_seat(table, place, bot, name)
        case SeatLeft(place):
            return seating.leave_seat(table, place)
        case OptionsChosen():
            return seating.change_options(table, event)
        case GameStarted(first, at):
            return seating.start_game(table, first, at)
        case PlayedAgain(at):
            return seating.play_again(table, at)


# --- Tags and tiles ---


def _teach(table: Table, event: TeachingEvent) -> Table:
    match event:
        case LessonBegun(subject, at):
            return tag_input.begin_lesson(table, subject, at)
        case LessonUndone(at):
            return tag_input.undo_last_tag(table, at)
        case LessonEnded(at):
            return tag_input.end_lesson(table, at)
        case TagsForgotten(tags):
            return tag_input.forget_tags(table, tags)


def _show_tag(table: Table, meaning: Meaning | None, shown: TagShown) -> Table:
    """Do what a tag on a reader means; raises RefusedError."""
    if table.faults.store is not None:
        raise RefusedError(RefusalReason.NOT_NOW)
    match meaning:
        case TileTag(colour):
            return _show_tile(table, colour, shown.reader, shown.tag, shown.at)
        case PlayerCard(name):
            return tag_input.show_player(table, name, shown.reader, shown.at)
        case ActionCard(Action.NEW_GAME):
            return tag_input.new_game(table)
        case ActionCard(action):
            return _press(table, UNDO if action is Action.UNDO else OK, shown.at)
        case None:
            raise RefusedError(RefusalReason.UNKNOWN_TAG)


def _show_tile(table: Table, colour: Colour, reader: str | None, tag: str | None, at: float) -> Table:
    """Report a drawn tile, or select a colour in an offer; an open question counts as answered."""
    if table.game is not None:
        table = replace(table, game=replace(table.game, question=None, asked_by=None, asked_of=None))
    match table.stage:
        case Stage.TEACHING:
            raise RefusedError(RefusalReason.TEACHING)
        case Stage.REPORTING:
            return physical_tiles.report_tile(table, colour, tag, at)
        case Stage.OFFER:
            return turns.select_colour(table, colour, source_of(reader) if reader else None)
        case _:
            raise RefusedError(RefusalReason.NOT_NOW)


# --- Hardware faults ---


def _note_part(table: Table, event: PartLost | PartBack) -> Table:
    """Note that a part was lost or is back; a new reason for a loss does not change its time."""
    lost = table.faults.parts
    before = next((each for each in lost if each.part == event.part), None)
    if isinstance(event, PartBack):
        parts = tuple(each for each in lost if each is not before)
    elif before is None:
        parts = (*lost, event)
    elif (before.reason, event.reason) == (Loss.UNPLUGGED, Loss.ABSENT):
        return table  # unplugged is the more precise of the two
    else:
        same_time = PartLost(event.part, event.reason, event.message, before.at)
        parts = tuple(same_time if each is before else each for each in lost)
    return table if parts == lost else replace(table, faults=replace(table.faults, parts=parts))
