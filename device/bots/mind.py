"""Thinking about a state of any mode within a budget of time: the best choice, a hint, a grade.

    mind = Mind(MASTER, time.monotonic)
    event = mind.think(state, seconds=1.0)

A mind keeps its tables between thoughts, so it belongs to one thread. Worths are in points: of the expected
final margin (to the best other player), or in solo of the expected final score, victory counted in.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from device.bots.convert import draft_of, move_of, position_of, solo_event, solo_position_of
from device.bots.core import weights
from device.bots.core.alpha_beta import AlphaBeta
from device.bots.core.evaluation import Evaluation
from device.bots.core.multiplayer_tree import MultiplayerTree
from device.bots.core.solo_tree import SoloTree
from device.bots.simple import Below, Bot, choices, play_calm, play_greedy, play_random, promise_of_wall
from device.rules import game
from device.rules.board import Board, legal_columns, next_full_line
from device.rules.events import Draft, Event, Tile
from device.rules.game import Setup, State
from device.rules.scoring import FLOOR_COSTS, let_line_fall, tile_line
from device.rules.solo.game import SoloState
from device.rules.standard import StandardState

# --- What the columns of a gray wall are worth: this round's points, and parts of the bonuses ------------
# The learned worths come from games that filled their walls from the left, so they know little of other
# walls. A wall and its mirror image are worth the same (G1), and choices by this rule win as often.

AHEAD: Final = 2
"""How many further full lines are tried in all their columns; more would take too long."""


def column_worths(state: State, seat: int) -> dict[Tile, float]:
    """What each column is worth, in points, that a seat may choose for its topmost full line."""
    board = state.boards[seat]
    line = next_full_line(board)
    assert line is not None, "there is no tile to place"
    charged = isinstance(state, StandardState)  # in solo the floor costs nothing (S11)
    return {
        Tile(seat, line, column): _worth(tile_line(board, line, column).board, AHEAD, charged=charged)
        for column in legal_columns(board, line)
    }


def _worth(board: Board, ahead: int, *, charged: bool) -> float:
    """The most that so many other full lines can make of a board."""
    line = next_full_line(board)
    if line is None or not ahead:
        return board.score - FLOOR_COSTS[len(board.floor) * charged] + promise_of_wall(board.wall)
    columns = legal_columns(board, line)
    if not columns:  # G2
        return _worth(let_line_fall(board, line)[0].board, ahead, charged=charged)
    return max(_worth(tile_line(board, line, column).board, ahead - 1, charged=charged) for column in columns)


# ----------------------------------------------------------------------------------------------------------

Clock = Callable[[], float]

FIRST_PART: Final = 0.55
"""How much of the time for a hint or a grade goes to finding the best choice."""
LATE: Final = 0.005
"""Seconds kept back for what comes after the search."""


@dataclass(frozen=True, slots=True)
class Strength:
    """What tells one searching opponent from another."""

    name: str
    learned: str = "deep"  # which weights: learned from games searched deep, or one move deep


STRONG: Final = Strength("strong", learned="quick")
MASTER: Final = Strength("master")
STRENGTHS: Final = {each.name: each for each in (STRONG, MASTER)}


@dataclass(frozen=True, slots=True)
class Hint:
    """The best choice, what it is worth in points, and how much more than the next best; None: no other."""

    event: Event
    worth: float
    gain: float | None
    next_best: Event | None


@dataclass(frozen=True, slots=True)
class Grade:
    """How many points a choice lost against the best one, which is named; 0 where it was as good."""

    lost: float
    best: Event


@dataclass(frozen=True, slots=True)
class Found:
    """A choice that a search came to, its worth in points, and how deep the search went."""

    event: Event
    worth: float
    depth: int


class Mind:
    """One opponent's thinking."""

    def __init__(self, strength: Strength, clock: Clock) -> None:
        self.strength = strength
        self._clock = clock
        self._values: dict[str, Evaluation] = {}
        self._duels: dict[str, AlphaBeta] = {}
        self._crowds: dict[str, MultiplayerTree] = {}
        self._alones: dict[str, SoloTree] = {}

    def think(self, state: State, seconds: float, seat: int | None = None) -> Event:
        """The best choice, found in so many seconds, of a seat; of the first that has one by default."""
        end = self._until(seconds)
        allowed = choices(state, seat)
        if len(allowed) == 1:
            return allowed[0]
        if isinstance(allowed[0], Tile):
            return _hint_of_column(state, allowed[0].seat).event
        return self._search(state, end).event

    def prepare(self, state: State) -> None:
        """Load and make what thinking about such a state needs, so that the first thought is not late."""
        if isinstance(state, SoloState):
            self._alone(state)
        elif len(state.boards) == 2:
            self._duel(self._name(state))
        else:
            self._crowd(self._name(state))

    def hint(self, state: State, seconds: float, seat: int | None = None) -> Hint:
        """The best choice, and what it gains against the next best; of a seat as in `think`."""
        end = self._until(seconds)
        first = choices(state, seat)[0]
        if isinstance(first, Tile):
            return _hint_of_column(state, first.seat)
        best = self._search(state, end - seconds * (1 - FIRST_PART))
        others = [event for event in choices(state) if event != best.event]
        if not others:
            return Hint(best.event, best.worth, None, None)
        second = self._search(state, end, without=best.event, depth=best.depth)
        return Hint(best.event, best.worth, max(0.0, best.worth - second.worth), second.event)

    def grade(self, state: State, event: Event, seconds: float) -> Grade:
        """How many points a legal choice loses against the best one for that seat."""
        if isinstance(event, Tile):
            return _grade_column(state, event)
        end = self._until(seconds)
        best = self._search(state, end - seconds * (1 - FIRST_PART))
        if best.event == event or _loses_at_once(state, best.event):  # going on is never worse than that
            return Grade(0.0, event)
        played = self._search(state, end, only=event, depth=best.depth)
        lost = best.worth - played.worth
        return Grade(lost, best.event) if lost > 0 else Grade(0.0, event)

    # --- Searches ----------------------------------------------------------------------------------------

    def _until(self, seconds: float) -> float:
        """When to have an answer; whatever is loaded or made until then is thinking time, too."""
        return self._clock() + seconds - LATE

    def _search(
        self,
        state: State,
        end: float,
        *,
        only: Event | None = None,
        without: Event | None = None,
        depth: int = 0,
    ) -> Found:
        """The best choice by then: of one alone, or of all but one; `depth` as another search had it."""
        if isinstance(state, SoloState):
            return self._search_solo(state, end, only, without)
        assert isinstance(state, StandardState)
        asked = [-1 if event is None else move_of(event) for event in (only, without)]
        position = position_of(state)
        name = self._name(state)
        if len(state.boards) == 2:
            duel = self._duel(name)
            move = duel.best_move(position, end - self._clock(), asked[0], asked[1], depth or 99)
            return Found(draft_of(move), duel.value / 100, duel.depth)
        crowd = self._crowd(name)
        move = crowd.best_move(position, end - self._clock(), asked[0], asked[1])
        return Found(draft_of(move), crowd.value / 100, crowd.depth)

    def _search_solo(self, state: SoloState, end: float, only: Event | None, without: Event | None) -> Found:
        alone = self._alone(state)
        position = solo_position_of(state)
        asked = [-1 if event is None else move_of(event) for event in (only, without)]
        move = alone.best_move(position, end - self._clock(), asked[0], asked[1])
        return Found(solo_event(position.phase, move), alone.value / 100, alone.depth)

    def _alone(self, state: SoloState) -> SoloTree:
        name = "solo-gray" if state.gray else "solo-coloured"
        if name not in self._alones:
            self._alones[name] = SoloTree(weights.read(name), self._clock)
        return self._alones[name]

    def _duel(self, name: str) -> AlphaBeta:
        if name not in self._duels:
            self._duels[name] = AlphaBeta(self._value(name), self._clock)
        return self._duels[name]

    def _crowd(self, name: str) -> MultiplayerTree:
        if name not in self._crowds:
            self._crowds[name] = MultiplayerTree(self._value(name), self._clock)
        return self._crowds[name]

    def _name(self, state: State) -> str:
        """Of the weights for a state: the bot ruleset's are the standard game's."""
        mode = "gray" if state.has_gray_wall(0) else "standard"
        return f"{mode}-{len(state.boards)}"

    def _value(self, name: str) -> Evaluation:
        if name not in self._values:
            learned = next(each for each in self._names(name) if weights.exists(each))
            self._values[name] = Evaluation(weights.read(learned))
        return self._values[name]

    def _names(self, name: str) -> tuple[str, ...]:
        """The weights that would do for a game, the fittest first."""
        return (f"{name}-{self.strength.learned}", name, f"{name.partition('-')[0]}-2")


def _loses_at_once(state: State, event: Event) -> bool:
    """Whether a choice in solo sends an eighth tile to the penalty row (S7)."""
    return isinstance(event, Draft) and state.loses_at_once(event)


def _hint_of_column(state: State, seat: int) -> Hint:
    """By the rule that grades columns; of equal ones the leftmost."""
    worths = column_worths(state, seat)
    first, *others = sorted(worths, key=lambda tile: (-worths[tile], tile.column))
    if not others:
        return Hint(first, worths[first], None, None)
    return Hint(first, worths[first], worths[first] - worths[others[0]], others[0])


def _grade_column(state: State, tile: Tile) -> Grade:
    worths = column_worths(state, tile.seat)
    best = max(worths, key=lambda each: worths[each])
    lost = worths[best] - worths[tile]
    return Grade(lost, best) if lost > 0 else Grade(0.0, tile)


# --- The bots that come with the table, by name, each thinking within a budget of time -------------------

Thinker = Callable[[State, Below, float], Event]
"""Chooses for the first seat that has to act; the number is the seconds that it may think."""

QUICK: Final[dict[str, Bot]] = {"random": play_random, "calm": play_calm, "greedy": play_greedy}
"""Those that need no time."""

NAMES: Final = (*QUICK, "strong", "master")
"""From the weakest to the best."""


def thinker(name: str, setup: Setup | None = None) -> Thinker:
    """A bot of one of NAMES, for one game: it may remember what it thought.

    It is ready for games like `setup`; another one's first choice waits for its weights.
    """
    if name in QUICK:
        bot = QUICK[name]
        return lambda state, below, _: bot(state, below)
    # only now: their tables take a moment

    mind = Mind(STRENGTHS[name], time.monotonic)
    if setup is not None:
        mind.prepare(game.setup(setup))
    return lambda state, _, seconds: mind.think(state, seconds)
