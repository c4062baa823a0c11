"""Past games: the list, and a page for each with its moves, boards and review, as view models."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from web_ui.messages import (
    CostlyMove,
    Move,
    PastGame,
    PastGames,
    PastPlayer,
    PastPosition,
    Review,
    ReviewedGame,
)
from web_ui.text.sentences import SnapshotFormatter
from web_ui.text.words import Words
from web_ui.views import boards, phone
from web_ui.views.boards import BoardView
from web_ui.views.phone import ResultView, SoloResultView, SourceView, TileView

WORTH_MARKING = 0.5
"""Points that a move must have lost to be marked; less is rounded to zero."""


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """A player in the list: name, score as text, and whether they won."""

    name: str
    score: str
    winner: bool


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game in the list; `status` is empty for a finished one; `fault` says that it is unreadable."""

    number: int
    title: str
    when: str
    status: str
    players: tuple[PlayerLine, ...]
    note: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class GamesView:
    """A page of the list; `older` is the number before which older games are listed, 0 if there are none."""

    games: tuple[GameLine, ...]
    older: int


@dataclass(frozen=True, slots=True)
class MoveLine:
    """A choice as a sentence, the colour of its tiles, and the points that it lost as text and label."""

    text: str
    colour: str
    lost: str = ""
    spoken: str = ""


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round: its title, the scores after it, and its choices."""

    title: str
    scores: str
    moves: tuple[MoveLine, ...]


@dataclass(frozen=True, slots=True)
class CostlyView:
    """A costly move: round and points, the move played, the better one, and the position before."""

    title: str
    played: MoveLine
    better: str
    offer: tuple[SourceView, ...]
    board: BoardView | None


@dataclass(frozen=True, slots=True)
class ReviewView:
    """The points that a player's choices lost, and the costliest of them."""

    title: str
    moves: tuple[CostlyView, ...]


@dataclass(frozen=True, slots=True)
class PastGameView:
    """The page of a game; `note` says, for example, that it was stopped, `grading` how far its review is."""

    number: int
    head: str
    when: str
    note: str
    grading: str
    finished: bool
    result: ResultView | SoloResultView | None
    reviews: tuple[ReviewView, ...]
    rounds: tuple[RoundView, ...]
    boards: tuple[BoardView, ...]
    tiles: tuple[TileView, ...]


# --- The list --------------------------------------------------------------------------------------------


def games(words: Words, found: PastGames) -> GamesView:
    """Return a page of the list."""
    older = found.games[-1].number if found.more and found.games else 0
    return GamesView(tuple(_game_line(words, game) for game in found.games), older)


def _game_line(words: Words, game: PastGame) -> GameLine:
    if game.status == "unreadable":
        title, started = words.text("history.game", number=game.number), when(words, game.started)
        return GameLine(game.number, title, started, "", (), fault=words.text("history.unreadable"))
    status = "" if game.status == "finished" else words.text(f"history.{game.status}")
    victory = words.text(f"victory.{game.victory}") if game.victory else ""
    return GameLine(
        number=game.number,
        title=_mode(words, game),
        when=when(words, game.started),
        status=status,
        players=tuple(_player_line(words, player) for player in game.players),
        note=victory,
    )


def _player_line(words: Words, player: PastPlayer) -> PlayerLine:
    score = "" if player.score is None else words.text("board.points", points=player.score)
    return PlayerLine(_name(words, player), score, player.winner)


def _name(words: Words, player: PastPlayer) -> str:
    return player.name or player.bot or words.text("player.unnamed", seat=player.seat)


def _mode(words: Words, game: PastGame) -> str:
    """Return what was played: the mode, and in solo the level and the wall."""
    chosen = [words.text(f"menu.mode.{game.mode}")]
    chosen += [words.text(f"menu.level.{game.level}")] if game.level else []
    chosen += [words.text(f"menu.wall.{game.wall}")] if game.wall else []
    return " \N{MIDDLE DOT} ".join(chosen)


def when(words: Words, utc: str) -> str:
    """Return a UTC time (ISO 8601) as text in this machine's time zone; unchanged if it can't be parsed."""
    try:
        time = datetime.fromisoformat(utc).replace(tzinfo=UTC).astimezone()
    except ValueError:
        return utc
    month = words.text(f"month.{time.month}")
    return words.text("history.when", day=time.day, month=month, year=str(time.year), time=f"{time:%H:%M}")


# --- A single game ---------------------------------------------------------------------------------------


def past_game(words: Words, game: ReviewedGame) -> PastGameView:
    """Return the page of a game."""
    finished = game.status == "finished"
    parts = [_mode(words, game), when(words, game.started)]
    about = " \N{MIDDLE DOT} ".join(parts)
    title, position = words.text("history.game", number=game.number), game.position
    if position is None:
        note = words.text("history.too_long")
        return PastGameView(game.number, title, about, note, "", finished, None, (), (), (), ())
    formatter = SnapshotFormatter(words, position)
    return PastGameView(
        number=game.number,
        head=formatter.result(position.result) if finished and position.result else title,
        when=about,
        note="" if finished else words.text(f"history.{game.status}_told"),
        grading=_grading(words, game),
        finished=finished,
        result=phone.result(formatter),
        reviews=tuple(_review(words, game, review) for review in game.reviews or ()),
        rounds=_rounds(formatter, game),
        boards=_boards(formatter, position),
        tiles=phone.palette(position),
    )


def _grading(words: Words, game: ReviewedGame) -> str:
    """Return how far the grading has come; empty once it is done."""
    graded = sum(review.choices for review in game.reviews or ())
    if game.status != "finished" or graded >= game.choices:
        return ""
    return words.text("history.grading" if graded else "history.not_graded", done=graded, count=game.choices)


def _boards(formatter: SnapshotFormatter, position: PastPosition) -> tuple[BoardView, ...]:
    found = (boards.board(formatter, seat.seat) for seat in position.seats)
    return tuple(board for board in found if board is not None)


def _rounds(formatter: SnapshotFormatter, game: ReviewedGame) -> tuple[RoundView, ...]:
    words, moves = formatter.words, game.moves or ()
    after = {each.round: each.scores for each in game.scores or ()}
    return tuple(
        RoundView(
            title=words.text("round.number", round=number),
            scores=_scores(formatter, game, after.get(number, ())),
            moves=tuple(_move(formatter, move) for move in moves if move.round == number),
        )
        for number in dict.fromkeys(move.round for move in moves)
    )


def _scores(formatter: SnapshotFormatter, game: ReviewedGame, scores: tuple[int, ...]) -> str:
    """Return all scores after a round in one line."""
    words = formatter.words
    if formatter.solo:
        return words.text("account.solo", score=scores[0]) if scores else ""
    named = zip(game.players, scores, strict=False)
    return (
        formatter.comma_list(
            words.text("account.total", who=_name(words, player), score=score) for player, score in named
        )
        if scores
        else ""
    )


def _move(formatter: SnapshotFormatter, move: Move) -> MoveLine:
    lost = move.lost or 0
    if lost < WORTH_MARKING:
        return MoveLine(_made(formatter, move), move.colour)
    points = formatter.words.text("history.lost", points=round(lost))
    return MoveLine(_made(formatter, move), move.colour, f"\N{MINUS SIGN}{round(lost)}", points)


def _made(formatter: SnapshotFormatter, move: Move) -> str:
    """Return a choice that was made, as a sentence."""
    if move.kind == "draft":
        return formatter.move(move)
    return formatter.words.text(
        "history.made", choice=formatter.choice(move), who=formatter.player(move.seat, move.name)
    )


# --- The review ------------------------------------------------------------------------------------------


def _review(words: Words, game: ReviewedGame, review: Review) -> ReviewView:
    who = next((_name(words, player) for player in game.players if player.seat == review.seat), "")
    key = "review.lost" if review.costliest else "review.nothing"
    title = words.text(key, who=who, points=round(review.lost), count=review.choices)
    return ReviewView(title, tuple(_costly(words, move) for move in review.costliest))


def _costly(words: Words, move: CostlyMove) -> CostlyView:
    formatter = SnapshotFormatter(words, move.position)
    return CostlyView(
        title=words.text("review.move", round=move.round, points=round(move.lost)),
        played=MoveLine(_made(formatter, move.played), move.played.colour),
        better=words.text("review.better", choice=formatter.choice(move.better)),
        offer=phone.offer(formatter),
        board=boards.board(formatter, move.better.seat),
    )
