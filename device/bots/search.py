"""Choices, hints and grades by search within a time limit, for states of all modes; and the bots by name.

    searcher = Searcher(MASTER, time.monotonic)
    event = searcher.choose(state, seconds=1.0)

Values are in points: of the expected final margin over the best other player, or in solo of the expected
final score, the bonus for victory included.
"""

import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

from device.bots.convert import from_move, to_move, to_position, to_solo_position
from device.bots.core import constants, weights
from device.bots.core.alpha_beta import AlphaBeta
from device.bots.core.evaluation import Evaluation
from device.bots.core.multiplayer_tree import MultiplayerTree
from device.bots.core.solo_tree import SoloTree
from device.bots.simple import SIMPLE_BOTS, Below, choices, wall_potential
from device.bots.workers import clock, run_all
from device.rules import game
from device.rules.board import Board, legal_columns, next_full_line
from device.rules.events import Draft, Event, Tile
from device.rules.game import Setup, State
from device.rules.scoring import FLOOR_COSTS, let_line_fall, tile_line
from device.rules.solo.game import SoloState
from device.rules.standard import StandardState

Clock = Callable[[], float]

FIRST_PART: Final = 0.55  # part of the time for a hint or a grade that goes to the search for the best choice
MARGIN: Final = 0.005  # seconds of the time limit that are kept for the work after the search


STRONG: Final = "strong"
MASTER: Final = "master"
STRENGTHS: Final = {STRONG: "quick", MASTER: "deep"}
"""The searching bots, with the kind of search of the games from which their weights were learned."""


@dataclass(frozen=True, slots=True)
class Hint:
    """The best choice, its value in points, and the gain over the next best choice; None if there is none."""

    event: Event
    value: float
    gain: float | None
    next_best: Event | None


@dataclass(frozen=True, slots=True)
class Grade:
    """The loss in points of a choice against the best one; 0 and the choice itself if none is better."""

    lost: float
    best: Event


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The choice found by a search, its value in points, and the depth or visits."""

    event: Event
    value: float
    depth: int


class Searcher:
    """Searches as one of STRENGTHS; keeps tables and trees between searches, so it belongs to one thread."""

    def __init__(self, strength: str, clock: Clock) -> None:
        self._learned = STRENGTHS[strength]
        self._clock = clock
        self._searches: dict[str, AlphaBeta | MultiplayerTree | SoloTree] = {}

    def choose(self, state: State, seconds: float, seat: int | None = None) -> Event:
        """Return the best choice found in so many seconds, for a seat or the first that has a choice."""
        end = self._deadline(seconds)
        allowed = choices(state, seat)
        if len(allowed) == 1:
            return allowed[0]
        if isinstance(allowed[0], Tile):
            return _column_hint(state, allowed[0].seat).event
        return self._search(state, end).event

    def hint(self, state: State, seconds: float, seat: int | None = None) -> Hint:
        """Return the best choice and its gain over the next best; for a seat as in `choose`."""
        end = self._deadline(seconds)
        first = choices(state, seat)[0]
        if isinstance(first, Tile):
            return _column_hint(state, first.seat)
        best = self._search(state, end - seconds * (1 - FIRST_PART))
        if all(event == best.event for event in choices(state)):
            return Hint(best.event, best.value, None, None)
        second = self._search(state, end, excluded=best.event, depth=best.depth)
        return Hint(best.event, best.value, max(0.0, best.value - second.value), second.event)

    def grade(self, state: State, event: Event, seconds: float) -> Grade:
        """Return the loss in points of a legal choice against the best one for its seat."""
        if isinstance(event, Tile):
            return _column_grade(state, event)
        end = self._deadline(seconds)
        best = self._search(state, end - seconds * (1 - FIRST_PART))
        if best.event == event or (isinstance(best.event, Draft) and state.loses_at_once(best.event)):
            return Grade(0.0, event)  # going on is never worse than losing at once (S7)
        played = self._search(state, end, only=event, depth=best.depth)
        lost = best.value - played.value
        return Grade(lost, best.event) if lost > 0 else Grade(0.0, event)

    def _deadline(self, seconds: float) -> float:
        """Return the time of the deadline; loading and allocating count as searching."""
        return self._clock() + seconds - MARGIN

    def _search(
        self,
        state: State,
        end: float,
        *,
        only: Event | None = None,
        excluded: Event | None = None,
        depth: int = 0,
    ) -> SearchResult:
        """Search until `end`, one choice alone or all but one, at most so deep (0: no limit)."""
        only_move, excluded_move = (-1 if event is None else to_move(event) for event in (only, excluded))
        search = self.prepare(state)
        if isinstance(search, SoloTree):
            assert isinstance(state, SoloState)
            solo = to_solo_position(state)
            move = search.best_move(solo, end - self._clock(), only_move, excluded_move)
            return SearchResult(from_move(solo.phase, move), search.value / 100, search.depth)
        assert isinstance(state, StandardState)
        position = to_position(state)
        if isinstance(search, AlphaBeta):
            move = search.best_move(position, end - self._clock(), only_move, excluded_move, depth or 99)
        else:
            move = search.best_move(position, end - self._clock(), only_move, excluded_move)
        return SearchResult(from_move(constants.OFFER, move), search.value / 100, search.depth)

    def prepare(self, state: State) -> AlphaBeta | MultiplayerTree | SoloTree:
        """Return the search for such states; the first call loads its weights and allocates its tables."""
        players = len(state.boards)
        gray = state.has_gray_wall(0)
        if isinstance(state, SoloState):
            name = "solo-gray" if gray else "solo-coloured"
            if name not in self._searches:
                self._searches[name] = SoloTree(weights.read(name), self._clock)
            return self._searches[name]
        mode = "gray" if gray else "standard"  # the bot ruleset has the weights of the standard game
        name = f"{mode}-{players}"
        if name not in self._searches:
            files = (f"{name}-{self._learned}", name, f"{mode}-2")
            evaluation = Evaluation(weights.read(next(each for each in files if weights.exists(each))))
            kind = AlphaBeta if players == 2 else MultiplayerTree
            self._searches[name] = kind(evaluation, self._clock)
        return self._searches[name]


# --- Columns of gray walls, by a rule --------------------------------------------------------------------
# The learned weights come from games that filled their walls from the left, so they know little of other
# walls. By this rule a wall and its mirror image have the same value (G1), and its choices win as often.

LINES_AHEAD: Final = 2  # how many further full lines are tried in all their columns; more would take too long


def column_values(state: State, seat: int) -> dict[Tile, float]:
    """Return the value in points of each column that a seat may choose for its topmost full line."""
    board = state.boards[seat]
    line = next_full_line(board)
    assert line is not None, "there is no tile to place"
    charged = isinstance(state, StandardState)  # in solo the floor costs nothing (S11)
    tiled = {column: tile_line(board, line, column).board for column in legal_columns(board, line)}
    return {
        Tile(seat, line, column): _tiled_value(after, LINES_AHEAD, charged=charged)
        for column, after in tiled.items()
    }


def _tiled_value(board: Board, ahead: int, *, charged: bool) -> float:
    """Return the best value of a board after the next `ahead` full lines are tiled."""
    line = next_full_line(board)
    if line is None or not ahead:
        return board.score - FLOOR_COSTS[len(board.floor) * charged] + wall_potential(board.wall)
    columns = legal_columns(board, line)
    if not columns:  # G2
        return _tiled_value(let_line_fall(board, line)[0].board, ahead, charged=charged)
    tiled = [tile_line(board, line, column).board for column in columns]
    return max(_tiled_value(board, ahead - 1, charged=charged) for board in tiled)


def _column_hint(state: State, seat: int) -> Hint:
    """Return the hint for a column; of equal ones the leftmost."""
    values = column_values(state, seat)
    first, *others = sorted(values, key=lambda tile: (-values[tile], tile.column))
    if not others:
        return Hint(first, values[first], None, None)
    return Hint(first, values[first], values[first] - values[others[0]], others[0])


def _column_grade(state: State, tile: Tile) -> Grade:
    values = column_values(state, tile.seat)
    best = max(values, key=lambda each: values[each])
    lost = values[best] - values[tile]
    return Grade(lost, best) if lost > 0 else Grade(0.0, tile)


# --- The bots by name ------------------------------------------------------------------------------------

TimedBot = Callable[[State, Below, float], Event]
"""Chooses for the first seat that has to act, within so many seconds."""

BOT_NAMES: Final = (*SIMPLE_BOTS, *STRENGTHS)  # from the weakest to the strongest


def make_bot(name: str, setup: Setup | None = None, clock: Clock = time.monotonic) -> TimedBot:
    """Return the bot of a name, prepared for games with a setup; it may keep tables between choices."""
    if name in SIMPLE_BOTS:
        bot = SIMPLE_BOTS[name]
        return lambda state, below, _: bot(state, below)
    searcher = Searcher(name, clock)
    if setup is not None:
        searcher.prepare(game.setup(setup))
    return lambda state, _, seconds: searcher.choose(state, seconds)


# --- Grading of many choices -----------------------------------------------------------------------------


class GradingError(Exception):
    """A choice could not be graded because of an error in this program, or because its process ended."""


@cache
def searcher(name: str) -> Searcher:
    """Return the searcher of this process for a strength; it keeps its tables between calls."""
    return Searcher(name, clock)


def grade_choice(state: State, event: Event, seconds: float) -> Grade:
    """Return master's grade of a choice."""
    return searcher(MASTER).grade(state, event, seconds)


def grade_all(
    choices: Sequence[tuple[State, Event]], seconds: float, executor: Executor, at_once: int
) -> Generator[tuple[int, Grade], None, None]:
    """Grade choices through an executor, so many at once, with so many seconds each; yield index and grade.

    The grades come as they are found. Raises GradingError.
    """
    try:
        yield from run_all(executor, (partial(grade_choice, *each, seconds) for each in choices), at_once)
    except BrokenExecutor as error:
        raise GradingError(str(error)) from None
    except Exception as error:
        raise GradingError(f"{type(error).__name__}: {error}") from error
