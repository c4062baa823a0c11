"""The end of a game: the bonuses as they come, then the ranking with the winner, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from web_ui.messages import FinalScore, Result, Step
from web_ui.text.sentences import SnapshotFormatter, step_sentence
from web_ui.views.lobby import rights
from web_ui.views.phone import BEFORE_THE_GAME, LEVELS, Viewer

BONUSES = ("row", "column", "colour")
"""The kinds of bonuses, in the order in which they are listed."""


class BonusView(Struct, frozen=True):
    """The bonuses of one kind: how many, their points, what they are, and the letter of a colour."""

    kind: str
    points: str
    says: str
    letter: str = ""


class PlaceView(Struct, frozen=True):
    """A player in the ranking; `rank` counts from 1 and is shared by equal players.

    `height` is how high the player stands, from 1 (low) to 4. `fresh`: a bonus came just now.
    """

    rank: int
    name: str
    initial: str
    score: int
    rows: str
    bonuses: tuple[BonusView, ...]
    winner: bool
    mine: bool
    machine: bool
    height: int
    fresh: bool = False


class EndingView(Struct, frozen=True):
    """The end of a game.

    `counting`: the bonuses are being counted, and nobody has won yet. Of a solo game `levels` are what scores
    are worth: least points, name, and whether it was reached; `lost` says whether it was lost.
    """

    title: str
    counting: bool
    players: tuple[PlaceView, ...] = ()
    notes: tuple[str, ...] = ()
    rule: str = ""
    score: int = 0
    levels: tuple[tuple[int, str, bool], ...] = ()
    lost: bool = False
    may_go_on: bool = False


def ending(formatter: SnapshotFormatter, viewer: Viewer) -> EndingView | None:
    """Return the end of the game; None before it, and in the lobby."""
    snapshot = formatter.snapshot
    if snapshot.stage in BEFORE_THE_GAME:
        return None
    steps = formatter.steps()
    if snapshot.result is None:
        counting = snapshot.account is not None and snapshot.account.running
        bonuses = counting and any(step.step == "bonus" for step in steps)
        return _counting(formatter, viewer, steps) if bonuses else None
    may_go_on = rights(snapshot, viewer).table
    if snapshot.result.victory:
        return _solo(formatter, snapshot.result, may_go_on=may_go_on)
    return _ranking(formatter, viewer, snapshot.result, steps, may_go_on=may_go_on)


# --- Bonuses ---------------------------------------------------------------------------------------------


def _bonuses(formatter: SnapshotFormatter, steps: Sequence[Step], seat: int) -> tuple[BonusView, ...]:
    """Return the bonuses of a seat among these steps, in their order."""
    own = [step for step in steps if step.seat == seat and step.step == "bonus"]
    return tuple(
        BonusView(
            step.kind if step.kind in BONUSES else "row",
            f"+{step.points}",
            step_sentence(formatter, step),
            str(step.which) if step.kind == "colour" else "",
        )
        for step in own
    )


def _counting(formatter: SnapshotFormatter, viewer: Viewer, steps: Sequence[Step]) -> EndingView:
    """Return the players in the order of their seats, with the bonuses counted so far."""
    seats = [seat for seat in formatter.snapshot.seats if seat.taken]
    last = steps[-1]
    players = tuple(
        PlaceView(
            rank=0,
            name=(name := formatter.player(seat.seat, seat.name)),
            initial=name[:1].upper(),
            score=seat.score,
            rows="",
            bonuses=_bonuses(formatter, steps, seat.seat),
            winner=False,
            mine=seat.seat == viewer.seat,
            machine=bool(seat.bot),
            height=0,
            fresh=seat.seat == last.seat,
        )
        for seat in seats
    )
    return EndingView(
        formatter.words.text("ending.counting"),
        counting=True,
        players=players,
        notes=(step_sentence(formatter, last),),
    )


# --- The ranking -----------------------------------------------------------------------------------------


def _ranking(
    formatter: SnapshotFormatter, viewer: Viewer, result: Result, steps: Sequence[Step], *, may_go_on: bool
) -> EndingView:
    words = formatter.words
    best_first = sorted(result.scores, key=lambda end: (not end.winner, -end.score, -end.rows, end.seat))
    ranks = _ranks(best_first)
    players = tuple(
        _place(formatter, viewer, steps, end, rank) for end, rank in zip(best_first, ranks, strict=True)
    )
    notes = [words.text(f"result.tie_{result.tie}")] if result.tie in ("rows", "shared") else []
    own = next((place for place in players if place.mine), None)
    if own is not None:
        key = "ending.you_won" if own.winner else "ending.your_rank"
        notes.insert(0, words.text(key, rank=formatter.ordinal(own.rank), count=len(players)))
    winners = [place.name for place in players if place.winner]
    title = words.text(
        "ending.shared" if len(winners) > 1 else "ending.wins", who=formatter.and_list(winners)
    )
    return EndingView(title, counting=False, players=players, notes=tuple(notes), may_go_on=may_go_on)


def _ranks(best_first: Sequence[FinalScore]) -> list[int]:
    """Return the rank of each player; equal players share one."""
    ranks: list[int] = []
    for at, end in enumerate(best_first):
        before = best_first[at - 1] if at else None
        alike = before is not None and (before.winner, before.score, before.rows) == (
            end.winner,
            end.score,
            end.rows,
        )
        ranks.append(ranks[-1] if alike else at + 1)
    return ranks


def _place(
    formatter: SnapshotFormatter, viewer: Viewer, steps: Sequence[Step], end: FinalScore, rank: int
) -> PlaceView:
    name = formatter.player(end.seat, end.name)
    return PlaceView(
        rank=rank,
        name=name,
        initial=name[:1].upper(),
        score=end.score,
        rows=formatter.words.text("ending.rows", count=end.rows),
        bonuses=_bonuses(formatter, steps, end.seat),
        winner=end.winner,
        mine=end.seat == viewer.seat,
        machine=any(seat.seat == end.seat and seat.bot for seat in formatter.snapshot.seats),
        height=max(1, 5 - rank),
    )


def _solo(formatter: SnapshotFormatter, result: Result, *, may_go_on: bool) -> EndingView:
    words = formatter.words
    notes = [formatter.result(result)] if result.rule is not None else []
    notes += [words.text(f"result.{result.ending}")] if f"result.{result.ending}" in words else []
    if result.victory == "master" and result.score >= LEVELS[0][0]:
        notes.append(words.text("result.not_artisan"))
    return EndingView(
        title=words.text("ending.solo_lost" if result.rule else f"victory.{result.victory}"),
        counting=False,
        notes=tuple(notes),
        rule=result.rule or "",
        score=result.score,
        levels=tuple(
            (least, words.text(f"victory.{name}"), name == result.victory) for least, name in LEVELS
        ),
        lost=result.rule is not None,
        may_go_on=may_go_on,
    )
