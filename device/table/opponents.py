"""Opponents and hints: requests for choices, the replies to them, and showing a choice step by step.

An opponent's choice is shown as a person would make it, source first and then the line, and is made at the
end. A hint is a choice of the opponent `ADVISER` for a person; it is shown until a button is pressed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from device.rules.events import Choice, Draft, Tile
from device.table import turns
from device.table.explain import reasons_for
from device.table.game import Play, Selection
from device.table.state import (
    OPPONENTS,
    STAND_IN,
    BotChoice,
    BotReply,
    BotRequest,
    ChoicePosition,
    CurrentGame,
    Explanation,
    Hint,
    MissingHint,
    Opponents,
    RefusalReason,
    RefusedError,
    Stage,
    StandIn,
    Table,
)

ADVISER: Final = "strong"  # the opponent that gives hints
AFTER_MOVE: Final = 1.2  # seconds for which the move before stays in view, at the normal pace
ATTEMPTS: Final = 2  # how often a built-in opponent is asked before `STAND_IN` chooses in its place
PATIENCE: Final = 12.0
"""Seconds beyond its thinking time in which a built-in opponent must reply; it includes a process start."""
PROGRAM_PATIENCE: Final = 30.0
"""Seconds beyond the time for its game in which a bot program must reply; it includes start and end."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds for which an opponent's source and colour are shown, and then its line."""

    source: float
    line: float

    @property
    def before(self) -> float:
        """Seconds between the move before it and its source."""
        return AFTER_MOVE * self.source / PACES["normal"].source


PACES: Final = {"slow": Pace(2.4, 2.0), "normal": Pace(1.4, 1.2), "fast": Pace(0.5, 0.4)}
EXPLANATIONS_KEPT: Final = 12
LAST_STEP: Final = 2  # the step that shows the line, or a choice that is made by one button


# --- Requests ---


def attend(table: Table, now: float) -> Table:
    """Drop requests and choices about an earlier position, and ask every opponent that is to choose now."""
    table = _without_outdated(table)
    if table.game is None or table.game.question is not None:
        return table
    busy = {each.seat for each in table.opponents.requests} | {each.seat for each in table.game.bot_choices}
    for seat in bots_to_act(table):
        if seat not in busy:
            table = _send(table, seat, who_chooses(table, seat), now)
    return table


def _without_outdated(table: Table) -> Table:
    game, work = table.game, table.opponents
    if game is None:
        rest = Opponents(work.last_number, stand_ins=work.stand_ins)
        return table if rest == work else replace(table, opponents=rest)
    if not (work.requests or work.explanations or game.bot_choices or game.hints):
        return table
    seats = seats_to_act(table)
    requests = tuple(each for each in work.requests if _is_current(game.play, each, seats))
    choices = tuple(each for each in game.bot_choices if _is_current(game.play, each, seats))
    missing = (
        MissingHint(each.seat, "gone_on") for each in work.requests if each.hint and each not in requests
    )
    work = replace(
        work,
        requests=requests,
        explanations=_explanations_that_hold(work.explanations, game.play, choices),
        missing_hints=(*work.missing_hints, *missing),
    )
    hints = tuple(each for each in game.hints if _is_current(game.play, each, seats))
    after = replace(table, game=replace(_with_choices(game, choices), hints=hints), opponents=work)
    return table if after == table else after


def _is_current(play: Play, each: BotRequest | BotChoice | Hint, seats: Iterable[int]) -> bool:
    """Return whether it is about the present position and a seat that has a choice."""
    return each.seat in seats and position(play, each.seat) == each.position


def _explanations_that_hold(
    explanations: tuple[Explanation, ...], play: Play, choices: tuple[BotChoice, ...]
) -> tuple[Explanation, ...]:
    """Return the explanations of choices that are being shown, or were made and not taken back."""
    on_show = {each.choice for each in choices}
    return tuple(
        each
        for each in explanations
        if each.at <= len(play.events) and (each.choice in on_show or _was_made(each, play))
    )


def _was_made(each: Explanation, play: Play) -> bool:
    """Return whether its choice was made; on gray walls others may have chosen before it (G3)."""
    since = play.events[each.at :]
    return each.choice in (since[:1] if isinstance(each.choice, Draft) else since)


def _with_choices(game: CurrentGame, choices: tuple[BotChoice, ...]) -> CurrentGame:
    """Return the game with other choices of opponents; without any, no draft on show is selected."""
    showing = any(isinstance(each.choice, Draft) and each.step for each in game.bot_choices)
    selection = None if showing and not choices else game.selection
    return replace(game, bot_choices=choices, selection=selection)


def bots_to_act(table: Table) -> tuple[int, ...]:
    """Return the seats of opponents that have a choice now."""
    return tuple(seat for seat in seats_to_act(table) if table.bot_of(seat))


def seats_to_act(table: Table) -> tuple[int, ...]:
    """Return the seats that have a choice now, people's and opponents'."""
    if table.play is None or table.stage not in (Stage.OFFER, Stage.CHOICE):
        return ()
    return table.play.state.to_act()


def who_chooses(table: Table, seat: int) -> str:
    """Return the opponent of a seat, or the one that stands in for it to the end of the game."""
    assert table.play is not None
    place = table.play.places[seat]
    gave_up = any(each.for_good and each.place == place for each in table.opponents.stand_ins)
    return STAND_IN if gave_up else table.bot_of(seat)


def position(play: Play, seat: int) -> ChoicePosition:
    """Return what a choice of a seat depends on."""
    return play.state.boards[seat] if play.state.simultaneous else play.events


def _send(
    table: Table, seat: int, opponent: str, now: float, attempt: int = 1, *, hint: bool = False
) -> Table:
    """Return the table with one more open request."""
    assert table.play is not None
    work = table.opponents
    number = work.last_number + 1
    request = BotRequest(number, seat, opponent, position(table.play, seat), now, attempt, hint)
    return replace(table, opponents=replace(work, last_number=number, requests=(*work.requests, request)))


def _close(table: Table, request: BotRequest) -> Table:
    requests = tuple(each for each in table.opponents.requests if each is not request)
    return replace(table, opponents=replace(table.opponents, requests=requests))


# --- Hints ---


def seats_for_hints(table: Table) -> tuple[int, ...]:
    """Return the seats of persons who may ask for a hint now."""
    if table.game is None or table.game.question is not None or not table.next_game.options.hints:
        return ()
    return tuple(seat for seat in seats_to_act(table) if not table.bot_of(seat))


def request_hint(table: Table, place: int | None, now: float) -> Table:
    """Ask for a hint for a place; None stands for all that have a choice. Raises RefusedError."""
    if table.game is None or not table.next_game.options.hints:
        raise RefusedError(RefusalReason.NO_HINTS if table.game is not None else RefusalReason.NOT_NOW)
    seats = [seat for seat in seats_for_hints(table) if place in (None, table.game.play.places[seat])]
    if not seats:
        raise RefusedError(RefusalReason.BOTS_TURN if table.bots_turn else RefusalReason.NO_HINT_NOW)
    known = {each.seat for each in table.opponents.requests} | {each.seat for each in table.game.hints}
    table = replace(table, opponents=replace(table.opponents, missing_hints=()))
    for seat in seats:
        if seat not in known:
            table = _send(table, seat, ADVISER, now, hint=True)
    return table


def without_hints(table: Table) -> Table:
    """Return the table without hints on show and without notes about missing ones; requests stay open."""
    game = replace(table.game, hints=()) if table.game is not None else None
    return replace(table, game=game, opponents=replace(table.opponents, missing_hints=()))


# --- Replies ---


def take_reply(table: Table, reply: BotReply) -> Table:
    """Show what an opponent chose or advises; without a legal choice ask again, or another opponent.

    A reply to a request that is not open any more is ignored.
    """
    request = next((each for each in table.opponents.requests if each.number == reply.number), None)
    game = table.game
    if request is None or game is None:
        return table
    choice = _choice_of(game.play, request, reply)
    if choice is None:
        return _retry(table, request, reply.why, reply.detail, reply.at)
    table = _close(table, request)
    if request.hint:
        hint = Hint(request.seat, choice, request.position, reply.gain, reply.next_best)
        return replace(table, game=replace(game, hints=(*game.hints, hint)))
    work, place = table.opponents, game.play.places[request.seat]
    stand_ins = work.stand_ins
    if request.attempt <= ATTEMPTS:
        stand_ins = tuple(each for each in stand_ins if each.for_good or each.place != place)
    reasons = reasons_for(game.play.state, choice)
    explanation = Explanation(request.seat, len(game.play.events), choice, reasons)
    explanations = (*work.explanations, explanation)[-EXPLANATIONS_KEPT:]
    before = PACES[table.settings.opponents.pace].before
    since = max(reply.at, game.movement.at + before) if game.movement is not None else reply.at
    bot_choice = BotChoice(request.seat, choice, request.position, since)
    return replace(
        table,
        game=replace(game, bot_choices=(*game.bot_choices, bot_choice)),
        opponents=replace(work, stand_ins=stand_ins, explanations=explanations),
    )


def _choice_of(play: Play, request: BotRequest, reply: BotReply) -> Choice | None:
    """Return the choice of a reply if it is legal; on gray walls only for the seat that was asked."""
    choice = reply.choice
    if not isinstance(choice, Choice) or choice not in play.state.legal():
        return None
    return None if isinstance(choice, Tile) and choice.seat != request.seat else choice


def _retry(table: Table, request: BotRequest, why: str, detail: str, now: float) -> Table:
    """Repeat a request once; then, for a bot program at once, ask the stand-in and note why.

    A hint has no stand-in: it is missing then.
    """
    table = _close(table, request)
    assert table.play is not None
    program = request.opponent not in OPPONENTS
    attempt = request.attempt + 1
    if not program and attempt <= ATTEMPTS:
        return _send(table, request.seat, request.opponent, now, attempt, hint=request.hint)
    work = table.opponents
    if request.hint:
        missing = MissingHint(request.seat, "silent")
        return replace(table, opponents=replace(work, missing_hints=(*work.missing_hints, missing)))
    place = table.play.places[request.seat]
    if not any(each.place == place for each in work.stand_ins):
        stand_in = StandIn(place, why, detail, for_good=program)
        table = replace(table, opponents=replace(work, stand_ins=(*work.stand_ins, stand_in)))
    return _send(table, request.seat, STAND_IN, now, 1 if program else attempt)


# --- Showing choices ---


def pass_time(table: Table, now: float) -> Table:
    """Repeat requests without a reply in time, go on with the choices on show, and make those shown long."""
    for request in table.opponents.requests:
        if now - request.since > _patience(table, request):
            table = _retry(table, request, "lost", "", now)
    game = table.game
    if game is None:
        return table
    if game.question is not None or game.tiles_to_move:
        return _show_later(table, game, now)
    for choice in game.bot_choices:
        table = _show(table, choice, now)
    return table


def _patience(table: Table, request: BotRequest) -> float:
    """Return the seconds in which the reply must come; one process thinks for all built-in opponents."""
    settings = table.settings.opponents
    if request.opponent not in OPPONENTS:
        return PROGRAM_PATIENCE + settings.program_seconds
    before = 1 if request.hint else sum(not each.hint for each in table.opponents.requests)
    return PATIENCE + before * settings.think_seconds


def _show_later(table: Table, game: CurrentGame, now: float) -> Table:
    """While people have something else to do, show nothing; the choices are shown from the start after it."""
    later = tuple(replace(each, since=max(each.since, now), step=0) for each in game.bot_choices)
    if later == game.bot_choices:
        return table
    return replace(table, game=replace(_with_choices(game, ()), bot_choices=later))


def _show(table: Table, choice: BotChoice, now: float) -> Table:
    """Show the step of a choice that is due at `now`, or make the choice."""
    assert table.game is not None
    pace = PACES[table.settings.opponents.pace]
    shown = now - choice.since
    draft = choice.choice if isinstance(choice.choice, Draft) else None
    before_line = pace.source if draft is not None else 0.0
    if shown >= before_line + pace.line:
        return _make(table, choice, now)
    step = 0 if shown < 0 else 1 if shown < before_line else LAST_STEP
    if step <= choice.step:
        return table
    choices = tuple(replace(each, step=step) if each is choice else each for each in table.game.bot_choices)
    selection = table.game.selection
    if draft is not None:
        selection = Selection(draft.source, draft.colour, draft.line if step == LAST_STEP else None)
    return replace(table, game=replace(table.game, bot_choices=choices, selection=selection))


def _make(table: Table, choice: BotChoice, now: float) -> Table:
    """Apply an opponent's choice; people move its physical tiles then."""
    assert table.game is not None
    choices = tuple(each for each in table.game.bot_choices if each is not choice)
    table = turns.apply_event(
        replace(table, game=replace(table.game, bot_choices=choices)), choice.choice, now
    )
    assert table.game is not None
    to_move = table.settings.physical_tiles and table.stage in (Stage.OFFER, Stage.CHOICE, Stage.SCORING)
    return replace(table, game=replace(table.game, tiles_to_move=to_move))


def can_skip(table: Table) -> bool:
    """Return whether `ok` makes the choices on show at once, or confirms that physical tiles were moved."""
    game = table.game
    if game is None:
        return False
    return game.tiles_to_move or (bool(game.bot_choices) and table.stage in (Stage.OFFER, Stage.CHOICE))


def skip(table: Table, now: float) -> Table:
    """Do what `ok` does if `can_skip` is true."""
    game = table.game
    assert game is not None
    if game.tiles_to_move:
        return replace(table, game=replace(game, tiles_to_move=False, movement=None))
    for choice in game.bot_choices:
        table = _make(table, choice, now)
    return table
