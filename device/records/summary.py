"""Summary of a finished game for each player: the score, the victory, and where the points came from."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from device.rules import game
from device.rules.events import Event
from device.rules.game import Setup, State
from device.rules.scoring import BonusGiven, BonusKind, FloorCharged, Outcome, Step, TilePlaced
from device.rules.solo.scoring import PenaltyCharged, SoloOutcome, Victory


@dataclass(frozen=True, slots=True)
class PointSources:
    """The points of a player by where they came from; the sum is the score. `floor` is 0 or less.

    `other` is what only the solo game scores.
    """

    placing: int = 0
    rows: int = 0
    columns: int = 0
    colours: int = 0
    floor: int = 0
    other: int = 0


@dataclass(frozen=True, slots=True)
class PlayerSummary:
    """What a finished game brought a player; in solo every victory counts as a win."""

    seat: int
    score: int
    winner: bool
    points: PointSources


_BONUSES = {BonusKind.ROW: "rows", BonusKind.COLUMN: "columns", BonusKind.COLOUR: "colours"}


def summarize(chosen: Setup, events: Iterable[Event]) -> tuple[PlayerSummary, ...] | None:
    """Return the summary of every player, by seat; None for a game that is not over.

    Raises RulesError if the events are not legal.
    """
    state = game.setup(chosen)
    points = [PointSources()] * len(chosen.players)
    for event in events:
        state = state.apply(event)
        if state.closing_scores() is not None and state.account is not None:
            for step in state.account.steps:
                seat = state.player_of(step.seat)
                points[seat] = _with_step(points[seat], step)
    outcome = state.outcome()
    if outcome is None:
        return None
    return tuple(_summary(state, outcome, seat, found) for seat, found in enumerate(points))


def _with_step(points: PointSources, step: Step) -> PointSources:
    match step.item:
        case TilePlaced(points=more):
            return replace(points, placing=points.placing + more)
        case FloorCharged(points=more) | PenaltyCharged(points=more):
            return replace(points, floor=points.floor + more)
        case BonusGiven(kind=kind, points=more):
            name = _BONUSES[kind]
            return replace(points, **{name: getattr(points, name) + more})
        case _:
            return points


def _summary(state: State, outcome: Outcome | SoloOutcome, seat: int, points: PointSources) -> PlayerSummary:
    score = state.boards[seat].score
    if isinstance(outcome, SoloOutcome):
        winner = outcome.victory is not Victory.LOSS
    else:
        winner = seat in outcome.winners
    known = points.placing + points.rows + points.columns + points.colours + points.floor
    return PlayerSummary(seat, score, winner, replace(points, other=score - known))
