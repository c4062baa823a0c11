"""Replay of a past game: the position after each step, and the curve of scores and of points lost.

A step is one event of the game, a choice or a draw; step 0 is the position before the first one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from web_ui.messages import Move, Opponent, PastPosition, ReplayPosition, ReviewedGame
from web_ui.text.sentences import MARKER, SnapshotFormatter
from web_ui.text.words import Words
from web_ui.views import boards, history, phone
from web_ui.views.boards import BoardView, FloorView
from web_ui.views.phone import SourceView

# --- Positions -------------------------------------------------------------------------------------------


class PositionView(Struct, frozen=True):
    """The position after a step: a sentence about the step, the offer, and every board."""

    step: int
    text: str
    round: str
    offer: tuple[SourceView, ...]
    boards: tuple[BoardView, ...]


def position(words: Words, game: ReviewedGame, found: ReplayPosition) -> PositionView:
    """Return the position of a game after a step."""
    formatter = SnapshotFormatter(words, found.position)
    views = (boards.board(formatter, seat.seat) for seat in found.position.seats)
    return PositionView(
        found.step,
        _sentence(formatter, game, found),
        words.text("round.number", round=found.position.round) if found.position.round else "",
        _offer(formatter, found.position),
        tuple(view for view in views if view is not None),
    )


def parts(shown: PositionView) -> list[tuple[str, object]]:
    """Return the parts of a position that change on their own: the offer, each board's head, each board."""
    found: list[tuple[str, object]] = [("offer", shown.offer)]
    for board in shown.boards:
        found.append((f"head.{board.seat}", replace(board, lines=(), wall=(), floor=FloorView((), ""))))
        found.append((f"board.{board.seat}", replace(board, acting=False, due="", points="", score="")))
    return found


def _offer(formatter: SnapshotFormatter, shown: PastPosition) -> tuple[SourceView, ...]:
    """Return all displays and the centre, also the empty ones: each stays at its place in all steps."""
    displays = [phone.source(formatter, number, tiles) for number, tiles in enumerate(shown.displays, 1)]
    if formatter.solo:
        return tuple(displays)
    centre = shown.centre + (MARKER if shown.marker_in_centre else "")
    return (*displays, phone.source(formatter, 0, centre))


def _sentence(formatter: SnapshotFormatter, game: ReviewedGame, found: ReplayPosition) -> str:
    """Return what happened in a step, the points that it lost, and the scores if it changed any."""
    words, event = formatter.words, found.event
    if event is None:
        return words.text("replay.start")
    parts = [_happened(formatter, event)]
    lost = next((move.lost for move in game.moves or () if move.number == found.step - 1), None)
    if lost is not None and lost >= history.WORTH_MARKING:
        parts.append(words.text("replay.lost", points=round(lost)))
    scores = next((scores for step, scores in game.curve or () if step == found.step), None)
    if scores is not None:
        parts.append(words.text("replay.points", scores=history.scores_line(formatter, game, scores)))
    return " ".join(parts)


def _happened(formatter: SnapshotFormatter, event: Move) -> str:
    """Return an event as a sentence."""
    words = formatter.words
    match event.kind:
        case "deal" | "penalty" as kind:
            return words.text(f"replay.{kind}")
        case "scoring_colour" | "draw" as kind:
            return words.text(f"replay.{kind}", colour=formatter.colour(event.colour))
        case _:
            return history.made(formatter, event)


def levels(words: Words) -> list[tuple[str, str]]:
    """Return the opponents for a game for practice, each with a phrase for its strength."""
    return [(bot, f"{bot.capitalize()}: {words.text(f'opponent.{bot}')}") for bot in get_args(Opponent)]


# --- The curve -------------------------------------------------------------------------------------------

WIDTH, LEFT, RIGHT = 400, 26, 394
"""Width of the picture, and where its axis of steps begins and ends."""

TOP, BOTTOM = 10, 118
"""Where the scores' axis ends and begins, from above."""

LOST_TOP, LOST_BOTTOM = 134, 176
"""Where the axis of lost points ends and begins."""

LEAST_SCORE = 20
"""Points that the axis of scores reaches at least."""

LEAST_LOST = 5
"""Points that the axis of lost points reaches at least."""


class LineView(Struct, frozen=True):
    """A player's line: the SVG path, the name, and what the line says in words."""

    number: int
    path: str
    name: str
    score: str
    lost: str


class BarView(Struct, frozen=True):
    """The points that a choice lost, as a bar of the player with this number."""

    step: int
    number: int
    x: float
    y: float
    width: float
    height: float


class MarkView(Struct, frozen=True):
    """A mark of an axis."""

    at: float
    text: str


class CurveView(Struct, frozen=True):
    """The scores of all players and what each choice lost, step by step, as a picture.

    `x` of a step is `left` + step * `per_step`.
    """

    left: float
    per_step: float
    lines: tuple[LineView, ...]
    bars: tuple[BarView, ...]
    rounds: tuple[MarkView, ...]
    scores: tuple[MarkView, ...]
    lost: tuple[MarkView, ...]
    spoken: str


def curve(words: Words, game: ReviewedGame) -> CurveView | None:
    """Return the curve of a game; None for a game that is too long, or has no step yet."""
    if not game.curve or not game.events:
        return None
    per_step = (RIGHT - LEFT) / game.events
    most = max(LEAST_SCORE, *(score for _, scores in game.curve for score in scores))
    moves = [move for move in game.moves or () if move.lost is not None]
    worst = max([LEAST_LOST, *(move.lost or 0.0 for move in moves)])
    lines = tuple(_lines(words, game, per_step, most))
    numbers = {player.seat: at for at, player in enumerate(game.players, 1)}
    return CurveView(
        LEFT,
        round(per_step, 4),
        lines,
        tuple(_bar(move, numbers.get(move.seat, 1), per_step, worst) for move in moves if move.lost),
        tuple(_rounds(words, game.moves or (), per_step)),
        tuple(MarkView(_height(score, most), str(score)) for score in _marks(most)),
        (MarkView(LOST_TOP, str(round(worst))), MarkView(LOST_BOTTOM, "0")) if moves else (),
        " ".join(_spoken(words, line) for line in lines),
    )


def _lines(words: Words, game: ReviewedGame, per_step: float, most: int) -> Iterable[LineView]:
    reviewed = {review.seat: review for review in game.reviews or ()}
    for at, player in enumerate(game.players):
        steps = [(step, scores[at]) for step, scores in game.curve or () if at < len(scores)]
        path = [f"M{LEFT} {_height(steps[0][1], most)}"]
        for step, score in steps[1:]:
            path += [f"H{LEFT + step * per_step:.1f}", f"V{_height(score, most)}"]
        review = reviewed.get(player.seat)
        yield LineView(
            at + 1,
            " ".join([*path, f"H{RIGHT}"]),
            history.player_name(words, player),
            words.text("board.points", points=steps[-1][1]),
            words.text("history.lost", points=round(review.lost)) if review is not None else "",
        )


def _height(score: int, most: int) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * score / most, 1)


def _bar(move: Move, number: int, per_step: float, worst: float) -> BarView:
    """Return the bar of a choice: it ends where the position after the choice is."""
    height = max(1.0, (LOST_BOTTOM - LOST_TOP) * (move.lost or 0.0) / worst)
    width = min(max(per_step * 0.7, 1.2), 9.0)
    x = LEFT + (move.number + 0.5) * per_step - width / 2
    return BarView(move.number + 1, number, *(round(v, 1) for v in (x, LOST_BOTTOM - height, width, height)))


def _rounds(words: Words, moves: Sequence[Move], per_step: float) -> Iterable[MarkView]:
    """Yield where each round begins."""
    first: dict[int, int] = {}
    for move in moves:
        first.setdefault(move.round, move.number)
    for number, at in first.items():
        yield MarkView(round(LEFT + max(at - 1, 0) * per_step, 1), words.text("replay.round", round=number))


def _marks(most: int) -> range:
    """Return at most five round numbers up to a number."""
    step = next((step for step in (5, 10, 20, 50, 100) if most / step <= 4), 200)
    return range(0, most + 1, step)


def _spoken(words: Words, line: LineView) -> str:
    key = "replay.line_lost" if line.lost else "replay.line"
    return words.text(key, who=line.name, score=line.score, lost=line.lost)
