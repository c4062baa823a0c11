"""Opponents at the table: whom to ask, what became of it, and showing it slowly enough to follow.

`attend` keeps the questions that are open, each with a number; `take_answer` takes what came of one, and an
answer to a question that is not open any more changes nothing. What was chosen is shown as a person would do
it, step by step with the time (`pass_time`), and only then happens.
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
    Explanation,
    Hint,
    RefusalReason,
    RefusedError,
    Stage,
    StandIn,
    Table,
)

AFTER_MOVE: Final = 1.2
"""Seconds that people may look at the move before, at the normal pace."""
ATTEMPTS: Final = 2
"""How often an opponent that comes with the table is asked; then another stands in."""
PATIENCE: Final = 12.0
"""Seconds beyond its thinking in which an opponent's process must have answered, its start included."""
PROGRAM_PATIENCE: Final = 30.0
"""Seconds beyond a program's own time, which ends before: its start, and its end."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long an opponent's source and colour are shown, and then its line: seconds."""

    source: float
    line: float

    @property
    def before(self) -> float:
        """Seconds after the move before it."""
        return AFTER_MOVE * self.source / PACES["normal"].source


PACES: Final = {"slow": Pace(2.4, 2.0), "normal": Pace(1.4, 1.2), "fast": Pace(0.5, 0.4)}
MOTIVES_KEPT: Final = 12
SHOWN: Final = 2
"""The last step that is shown: the line, or a choice that is made by one button."""


# --- Who is asked ----------------------------------------------------------------------------------------


def attend(table: Table, now: float) -> Table:
    """Let go what was asked or chosen about a game that has gone on, and ask whoever is to choose now."""
    table = _forget_motives(table)
    seats = bots_to_act(table)
    if not (seats or table.asked or table.chosen):
        return table
    asked = tuple(each for each in table.asked if is_current(table.play, each, seats))
    chosen = tuple(each for each in table.chosen if is_current(table.play, each, seats))
    if (asked, chosen) != (table.asked, table.chosen):
        table = _let_go(table, asked, chosen)
    if table.question is not None:
        return table
    busy = {each.seat for each in asked} | {each.seat for each in chosen}
    for seat in seats:
        if seat not in busy:
            table = _ask(table, seat, who_chooses(table, seat), now)
    return table


def _forget_motives(table: Table) -> Table:
    """Keep why opponents chose what still stands, or is on show."""
    events = table.play.events if table.play is not None else ()
    on_show = {each.choice for each in table.chosen}
    kept = tuple(
        each
        for each in table.motives
        if each.at <= len(events) and (each.choice in on_show or each.choice in events[each.at : _end(each)])
    )
    return table if kept == table.motives else replace(table, motives=kept)


def _end(motive: Explanation) -> int | None:
    """Up to where the events may hold its choice: on gray walls others may choose before (G3)."""
    return motive.at + 1 if isinstance(motive.choice, Draft) else None


def bots_to_act(table: Table) -> tuple[int, ...]:
    """The game's seats of opponents that have a choice now."""
    return tuple(seat for seat in seats_to_act(table) if table.bot_of(seat))


def seats_to_act(table: Table) -> tuple[int, ...]:
    """The game's seats that have a choice now, people's and opponents'."""
    if table.play is None or table.stage not in (Stage.OFFER, Stage.CHOICE):
        return ()
    return table.play.state.to_act()


def who_chooses(table: Table, seat: int) -> str:
    """The opponent of a seat; who stands in for it where it has given up."""
    assert table.play is not None
    place = table.play.places[seat]
    gave_up = any(each.for_good and each.place == place for each in table.stand_ins)
    return STAND_IN if gave_up else table.bot_of(seat)


def position(play: Play, seat: int) -> ChoicePosition:
    """What a choice of a seat is made about."""
    return play.state.boards[seat] if play.state.simultaneous else play.events


def is_current(play: Play | None, each: BotRequest | BotChoice | Hint, seats: Iterable[int]) -> bool:
    """Whether a question, or what came of it, is about the game as it is, and one of these seats."""
    return play is not None and each.seat in seats and position(play, each.seat) == each.position


def _let_go(table: Table, asked: tuple[BotRequest, ...], chosen: tuple[BotChoice, ...]) -> Table:
    """Keep these alone; what an opponent had in hand is not in its hand any more."""
    showing = any(isinstance(each.choice, Draft) and each.step for each in table.chosen)
    gone = showing and not chosen
    return replace(table, asked=asked, chosen=chosen, selection=None if gone else table.selection)


def _ask(table: Table, seat: int, whom: str, now: float, attempt: int = 1) -> Table:
    assert table.play is not None
    number = table.questions + 1
    asked = BotRequest(number, seat, whom, position(table.play, seat), now, attempt)
    return replace(table, questions=number, asked=(*table.asked, asked))


# --- What came of it -------------------------------------------------------------------------------------


def take_answer(table: Table, answer: BotReply) -> Table:
    """Show what an opponent chose; ask again, or somebody else, where it chose nothing that is allowed."""
    asked = next((each for each in table.asked if each.number == answer.number), None)
    if asked is None or table.play is None:
        return table
    choice = choice_of(table.play, asked, answer)
    if choice is None:
        return _ask_anew(table, asked, answer.why, answer.detail, answer.at)
    place = table.play.places[asked.seat]
    stand_ins = table.stand_ins
    if asked.attempt <= ATTEMPTS:
        stand_ins = tuple(each for each in stand_ins if each.for_good or each.place != place)
    since = answer.at
    if table.movement is not None:
        since = max(since, table.movement.at + PACES[table.manners.pace].before)
    motive = Explanation(asked.seat, len(table.play.events), choice, reasons_for(table.play.state, choice))
    return replace(
        table,
        motives=(*table.motives, motive)[-MOTIVES_KEPT:],
        asked=tuple(each for each in table.asked if each is not asked),
        chosen=(*table.chosen, BotChoice(asked.seat, choice, asked.position, since)),
        stand_ins=stand_ins,
    )


def choice_of(play: Play, asked: BotRequest, answer: BotReply) -> Choice | None:
    """What an answer chooses, where that is allowed now; on gray walls for the board that was asked about."""
    choice = answer.choice
    if not isinstance(choice, Choice) or choice not in play.state.legal():
        return None
    return None if isinstance(choice, Tile) and choice.seat != asked.seat else choice


def _ask_anew(table: Table, asked: BotRequest, why: str, detail: str, now: float) -> Table:
    """Ask once more; then, and at once for a program, somebody stands in, and the table says why."""
    table = replace(table, asked=tuple(each for each in table.asked if each is not asked))
    assert table.play is not None
    program = asked.whom not in OPPONENTS
    attempt = asked.attempt + 1
    if not program and attempt <= ATTEMPTS:
        return _ask(table, asked.seat, asked.whom, now, attempt)
    place = table.play.places[asked.seat]
    if not any(each.place == place for each in table.stand_ins):
        stand_in = StandIn(place, why, detail, for_good=program)
        table = replace(table, stand_ins=(*table.stand_ins, stand_in))
    return _ask(table, asked.seat, STAND_IN, now, 1 if program else attempt)


# --- Showing it ------------------------------------------------------------------------------------------


def pass_time(table: Table, now: float) -> Table:
    """Go on with what opponents do: ask anew who does not answer, show what they chose, let it happen."""
    if not (table.asked or table.chosen):
        return table
    for asked in table.asked:
        if now - asked.since > _patience(table, asked):
            table = _ask_anew(table, asked, "lost", "", now)
    if table.question is not None or table.hands_due:
        return _from_the_start(table, now)
    for chosen in table.chosen:
        table = _show(table, chosen, now)
    return table


def _patience(table: Table, asked: BotRequest) -> float:
    if asked.whom not in OPPONENTS:
        return PROGRAM_PATIENCE + table.manners.program
    return PATIENCE + len(table.asked) * table.manners.thought


def _from_the_start(table: Table, now: float) -> Table:
    """While people have something else to answer, nothing is shown; what was chosen is shown after it."""
    shown_later = tuple(replace(each, since=max(each.since, now), step=0) for each in table.chosen)
    if shown_later == table.chosen:
        return table
    return replace(_let_go(table, table.asked, ()), chosen=shown_later)


def _show(table: Table, chosen: BotChoice, now: float) -> Table:
    pace = PACES[table.manners.pace]
    shown = now - chosen.since
    draft = chosen.choice if isinstance(chosen.choice, Draft) else None
    before_line = pace.source if draft is not None else 0.0
    if shown >= before_line + pace.line:
        return make(table, chosen, now)
    step = 0 if shown < 0 else 1 if shown < before_line else SHOWN
    if step <= chosen.step:
        return table
    going_on = tuple(replace(each, step=step) if each is chosen else each for each in table.chosen)
    table = replace(table, chosen=going_on)
    if draft is not None:
        in_hand = Selection(draft.source, draft.colour, draft.line if step == SHOWN else None)
        table = replace(table, selection=in_hand)
    return table


def make(table: Table, chosen: BotChoice, now: float) -> Table:
    """Let an opponent's choice happen; tiles of resin are moved by people, who say when."""
    table = replace(table, chosen=tuple(each for each in table.chosen if each is not chosen))
    table = turns.apply_event(table, chosen.choice, now)
    return replace(table, hands_due=table.resin and table.stage in (Stage.OFFER, Stage.CHOICE, Stage.SCORING))


def can_skip(table: Table) -> bool:
    """Whether `ok` skips ahead: what was chosen happens at once; or says that tiles of resin were moved."""
    return table.hands_due or (bool(table.chosen) and table.stage in (Stage.OFFER, Stage.CHOICE))


def skip(table: Table, now: float) -> Table:
    """What `ok` does then; raises RefusedError where there is nothing to skip."""
    if table.hands_due:
        return replace(table, hands_due=False, movement=None)
    if not can_skip(table):
        raise RefusedError(RefusalReason.NOTHING_TO_CONFIRM)
    for chosen in table.chosen:
        table = make(table, chosen, now)
    return table
