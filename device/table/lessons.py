"""A first game taught by the table: each step is explained when it first comes, in a few sentences.

`attend` follows the table: it shows the step that the present situation first needs, for as long as the
situation lasts or until people have read it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from device.rules.board import FLOOR, LINES, Board
from device.rules.events import CENTRE, Remove, Scoring, Swap, Tile
from device.rules.game import SOLO
from device.rules.scoring import BonusGiven, FloorCharged
from device.rules.solo.penalty_row import ACTION
from device.rules.tiles import letter
from device.table.prompts import lines_for_selection
from device.table.score_animation import ScoreAnimation
from device.table.state import FirstGame, FirstGameEvent, Stage, StepRead, Table, TeachingSwitched
from device.table.turns import choices_of_people

READING: Final = 9.0
"""Seconds before the first step of a scoring that is explained, unless somebody goes on."""


FIRST_DISPLAY: Final = 1


class Step(StrEnum):
    """What can be explained; the values are keys of the pages' words."""

    STUCK = "stuck"  # no line takes the selected tiles
    PLACE = "place"
    COLUMN = "column"  # gray walls: the column is chosen
    DRAFT = "draft"
    CENTRE = "centre"
    ROUND = "round"  # the second one: what stays, and which colours a line takes
    ROW = "row"  # one tile is missing in a row of a wall
    FULL = "full"
    BEGUN = "begun"
    BONUS = "bonus"
    SCORING = "scoring"
    FLOOR = "floor"  # what it costs
    OVER = "over"
    SOLO_SQUARE = "solo_square"  # where the scoring tile goes
    SOLO_PLACE = "solo_place"
    SOLO_DRAFT = "solo_draft"
    SOLO_PLAYER = "solo_player"  # the second colour of a display
    SOLO_PENALTIES = "solo_penalties"
    SOLO_SWAP = "solo_swap"
    SOLO_REMOVE = "solo_remove"
    SOLO_SCORING = "solo_scoring"
    SOLO_OVER = "solo_over"


IN_SCORING: Final = (Step.BONUS, Step.SCORING, Step.FLOOR, Step.SOLO_SCORING)
"""Steps that people read before the score animation goes on."""

Values = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class Explained:
    """The step that is on show, the values of its sentences, and in an offer whose `seat` it is for."""

    step: Step
    values: Values


# --- Teaching ---


def is_known(first_game: FirstGame) -> bool:
    """Return whether all steps of a saved first game exist."""
    steps = (*first_game.explained, *((first_game.step,) if first_game.step is not None else ()))
    return set(steps) <= set(Step)


def take(table: Table, event: FirstGameEvent) -> Table:
    """Return the table after teaching was switched on or off, or after the step on show was read."""
    match event:
        case TeachingSwitched(on=False):
            return replace(table, first_game=None)
        case TeachingSwitched():
            return table if table.first_game is not None else replace(table, first_game=FirstGame())
        case StepRead():
            return mark_read(table)


def mark_read(table: Table) -> Table:
    """Return the table without the step on show: people have read it."""
    first_game = table.first_game
    return table if first_game is None else replace(table, first_game=_without_step(first_game))


def _without_step(first_game: FirstGame) -> FirstGame:
    if first_game.step is None:
        return first_game
    return FirstGame((*first_game.explained, first_game.step))


def attend(table: Table) -> Table:
    """Return the table with the step that has to be explained now.

    With the end of the first game its teaching ends; a game that was stopped is explained anew.
    """
    before = table.first_game
    if before is None:
        return table
    ended = Step.OVER in (*before.explained, before.step)
    if ended and table.stage is not Stage.OVER:
        return replace(table, first_game=None)
    if table.game is None:
        after = FirstGame()
    elif table.game.question is not None or table.tags.lesson is not None:
        after = before
    else:
        after = _explain(table, before)
    return table if after == before else replace(table, first_game=after)


def _explain(table: Table, before: FirstGame) -> FirstGame:
    """Return what is explained in a game: nothing new once a score animation has begun."""
    due = list(_situations(table))
    scoring = table.stage is Stage.SCORING
    if before.step in due or (scoring and before.step in IN_SCORING):
        return before
    after = _without_step(before)
    animation = table.game.animation if table.game is not None else None
    if scoring and animation is not None and animation.shown:
        return after
    return replace(after, step=next((step for step in due if step not in after.explained), None))


def reading_time(table: Table) -> float:
    """Return for how many seconds a scoring waits for people to read what is explained of it."""
    step = table.first_game.step if table.first_game is not None else None
    return READING if step in IN_SCORING else 0.0


def is_read_first(table: Table, animation: ScoreAnimation) -> bool:
    """Return whether a score animation waits for people to read; physical tiles wait for `ok` anyway."""
    return not animation.shown and reading_time(table) > 0 and not table.settings.physical_tiles


def explained(table: Table) -> Explained | None:
    """Return the step on show with its values; None while nothing is explained."""
    if table.first_game is None or table.first_game.step is None:
        return None
    step = Step(table.first_game.step)
    values: Values = _VALUES[step](table) if step in _VALUES else {}
    place = table.acting_place
    return Explained(step, values if place is None else {**values, "seat": place})


# --- Situations ---


def _situations(table: Table) -> Iterator[Step]:
    """Yield every step that the present situation is an example of, the most important first."""
    if table.play is None:
        return
    match table.stage:
        case Stage.OFFER:
            yield from _drafting(table)
        case Stage.CHOICE:
            chosen = {type(event) for event in choices_of_people(table).values()}
            yield from (step for kind, step in _CHOICES.items() if kind in chosen)
        case Stage.SCORING:
            yield from _scoring(table)
        case Stage.OVER:
            yield Step.SOLO_OVER if _is_solo(table) else Step.OVER
        case _:
            pass


_CHOICES: Final = {
    Tile: Step.COLUMN,
    Scoring: Step.SOLO_SQUARE,
    Swap: Step.SOLO_SWAP,
    Remove: Step.SOLO_REMOVE,
}


def _is_solo(table: Table) -> bool:
    return table.play is not None and table.play.setup.mode == SOLO


def _drafting(table: Table) -> Iterator[Step]:
    """Yield what a person who is to draft may need to know."""
    board = _own_board(table)
    assert table.game is not None
    play, selection = table.game.play, table.game.selection
    if board is None:
        return
    if selection is not None:
        if lines_for_selection(table) == (FLOOR,):
            yield Step.STUCK
        yield Step.SOLO_PLACE if _is_solo(table) else Step.PLACE
        return
    if not _is_solo(table):
        yield Step.DRAFT
    elif play.state.turn == ACTION:
        yield Step.SOLO_DRAFT
        if FIRST_DISPLAY not in play.state.sources_to_draft():
            yield Step.SOLO_PENALTIES
    else:
        yield Step.SOLO_PLAYER
    if CENTRE in play.state.sources_to_draft():
        yield Step.CENTRE
    if play.state.round > 1:
        yield Step.ROUND
    if any(_nearly_complete(each) is not None for each in play.state.boards):
        yield Step.ROW
    if full_line(board) is not None:
        yield Step.FULL
    if begun_line(board) is not None:
        yield Step.BEGUN


def _own_board(table: Table) -> Board | None:
    """Return the board of the person who is to draft; None while an opponent is."""
    if table.play is None or table.acting_place is None or table.bots_turn:
        return None
    return table.play.state.boards[table.play.state.turn]


def _scoring(table: Table) -> Iterator[Step]:
    account = table.play.state.account if table.play is not None else None
    if account is None:
        return
    if any(isinstance(step.item, BonusGiven) for step in account.steps):
        yield Step.BONUS
    yield Step.SOLO_SCORING if _is_solo(table) else Step.SCORING
    if any(isinstance(step.item, FloorCharged) and step.item.tiles for step in account.steps):
        yield Step.FLOOR


def full_line(board: Board) -> int | None:
    """Return the first full line of a board."""
    return next((line for line in LINES if board.held[line - 1] == line), None)


def begun_line(board: Board) -> int | None:
    """Return the first line of a board that holds some tiles but is not full."""
    return next((line for line in LINES if 0 < board.held[line - 1] < line), None)


def _nearly_complete(board: Board) -> int | None:
    """Return the first row of a wall that lacks a single tile."""
    return next((row for row in LINES if sum(tile is not None for tile in board.wall[row - 1]) == 4), None)


def nearly_complete_row(table: Table) -> tuple[int, int] | None:
    """Return the place and the row of the first wall that lacks a single tile in a row."""
    play = table.play
    for seat, board in enumerate(play.state.boards if play is not None else ()):
        if play is not None and (row := _nearly_complete(board)) is not None:
            return play.places[seat], row
    return None


def _begun_values(table: Table) -> Values:
    board = _own_board(table)
    line = begun_line(board) if board is not None else None
    if board is None or line is None or (colour := board.colours[line - 1]) is None:
        return {}
    return {"line": line, "colour": letter(colour), "count": line - board.held[line - 1]}


def _full_values(table: Table) -> Values:
    board = _own_board(table)
    line = full_line(board) if board is not None else None
    return {} if line is None else {"line": line}


_VALUES: Final[dict[Step, Callable[[Table], Values]]] = {Step.BEGUN: _begun_values, Step.FULL: _full_values}
