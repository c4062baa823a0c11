"""Past games: the list, and a page for each with its moves, boards and review.

The functions return the variables of a template as a dictionary.
"""

from __future__ import annotations

from datetime import UTC, datetime

from web_ui.messages import CostlyMove, Move, PastGame, PastGames, PastPlayer, Review, ReviewedGame
from web_ui.text.sentences import SnapshotFormatter
from web_ui.text.words import Words
from web_ui.views import boards, phone

Variables = dict[str, object]

WORTH_MARKING = 0.5
"""Points that a move must have lost to be marked; less is rounded to zero."""


# --- The list --------------------------------------------------------------------------------------------


def games(words: Words, found: PastGames) -> Variables:
    """Return a page of the list; `older` is the number before which older games are, 0 if there are none."""
    older = found.games[-1].number if found.more and found.games else 0
    return {"games": [_game(words, game) for game in found.games], "older": older}


def _game(words: Words, game: PastGame) -> Variables:
    """Describe a game; `status` is empty for a finished one, `fault` says that it is unreadable."""
    listed = {"number": game.number, "when": when(words, game.started)}
    if game.status == "unreadable":
        title = words.text("history.game", number=game.number)
        return {
            **listed,
            "practice": "",
            "fault": words.text("history.unreadable"),
            "title": title,
            "status": "",
        }
    return {
        **listed,
        "fault": "",
        "title": _mode(words, game),
        "practice": words.text("history.practice") if game.practice else "",
        "status": "" if game.status == "finished" else words.text(f"history.{game.status}"),
        "players": [_player(words, player) for player in game.players],
        "note": words.text(f"victory.{game.victory}") if game.victory else "",
    }


def _player(words: Words, player: PastPlayer) -> Variables:
    score = "" if player.score is None else words.text("board.points", points=player.score)
    return {"name": player_name(words, player), "score": score, "winner": player.winner}


def player_name(words: Words, player: PastPlayer) -> str:
    """Return the name of a player, or "Seat 2"."""
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


def day(words: Words, utc: str) -> str:
    """Return the day of a UTC time as text in this machine's time zone; unchanged if it can't be parsed."""
    try:
        time = datetime.fromisoformat(utc).replace(tzinfo=UTC).astimezone()
    except ValueError:
        return utc
    return words.text(
        "history.day", day=time.day, month=words.text(f"month.{time.month}"), year=str(time.year)
    )


# --- A single game ---------------------------------------------------------------------------------------


def past_game(words: Words, game: ReviewedGame) -> Variables:
    """Return the page of a game.

    `note` says, for example, that the game was stopped, `grading` how far its review is.
    """
    finished, position = game.status == "finished", game.position
    page = {
        "number": game.number,
        "head": words.text("history.game", number=game.number),
        "when": f"{_mode(words, game)} \N{MIDDLE DOT} {when(words, game.started)}",
        "note": words.text("history.too_long"),
        "finished": finished,
        "practice": words.text("history.practice_told") if game.practice else "",
        **dict.fromkeys(("grading", "result", "reviews", "rounds", "tiles"), ()),
    }
    if position is None:
        return page
    formatter = SnapshotFormatter(words, position)
    return page | {
        "head": formatter.result(position.result) if finished and position.result else page["head"],
        "note": "" if finished else words.text(f"history.{game.status}_told"),
        "grading": _grading(words, game),
        "result": phone.result(formatter),
        "reviews": [_review(words, game, review) for review in game.reviews or ()],
        "rounds": _rounds(formatter, game),
        "tiles": phone.palette(position),
    }


def _grading(words: Words, game: ReviewedGame) -> str:
    """Return how far the grading has come; empty once it is done."""
    graded = sum(review.choices for review in game.reviews or ())
    if game.practice or game.status != "finished" or graded >= game.choices:
        return ""
    return words.text("history.grading" if graded else "history.not_graded", done=graded, count=game.choices)


def _rounds(formatter: SnapshotFormatter, game: ReviewedGame) -> list[Variables]:
    """Describe each round: its title, the scores after it, and its choices."""
    moves = game.moves or ()
    after = {each.round: each.scores for each in game.scores or ()}
    return [
        {
            "title": formatter.words.text("round.number", round=number),
            "scores": scores_line(formatter, game, after[number]) if after.get(number) else "",
            "moves": [_move(formatter, move) for move in moves if move.round == number],
        }
        for number in dict.fromkeys(move.round for move in moves)
    ]


def scores_line(formatter: SnapshotFormatter, game: ReviewedGame, scores: tuple[int, ...]) -> str:
    """Return all scores after a round in one line."""
    words = formatter.words
    if formatter.solo:
        return words.text("account.solo", score=scores[0])
    named = zip(game.players, scores, strict=False)
    totals = (words.text("account.total", who=player_name(words, who), score=score) for who, score in named)
    return formatter.comma_list(totals)


def _move(formatter: SnapshotFormatter, move: Move) -> Variables:
    """Describe a choice, the colour of its tiles, and the points that it lost as text and label."""
    lost = round(move.lost) if move.lost is not None and move.lost >= WORTH_MARKING else None
    return {
        "step": move.number + 1,
        "text": made(formatter, move),
        "colour": move.colour,
        "lost": "" if lost is None else f"\N{MINUS SIGN}{lost}",
        "spoken": "" if lost is None else formatter.words.text("history.lost", points=lost),
    }


def made(formatter: SnapshotFormatter, move: Move) -> str:
    """Return a choice that was made, as a sentence."""
    if move.kind == "draft":
        return formatter.move(move)
    return formatter.words.text(
        "history.made", choice=formatter.choice(move), who=formatter.player(move.seat, move.name)
    )


# --- The review ------------------------------------------------------------------------------------------


def _review(words: Words, game: ReviewedGame, review: Review) -> Variables:
    """Describe the points that a player's choices lost, and the costliest of them."""
    who = next((player_name(words, player) for player in game.players if player.seat == review.seat), "")
    key = "review.lost" if review.costliest else "review.nothing"
    title = words.text(key, who=who, points=round(review.lost), count=review.choices)
    return {"title": title, "moves": [_costly(words, move) for move in review.costliest]}


def _costly(words: Words, move: CostlyMove) -> Variables:
    """Describe a costly move: round and points, the move played, the better one, and the position before."""
    formatter = SnapshotFormatter(words, move.position)
    return {
        "title": words.text("review.move", round=move.round, points=round(move.lost)),
        "step": move.number,
        "played": made(formatter, move.played),
        "better": words.text("review.better", choice=formatter.choice(move.better)),
        "offer": phone.offer(formatter),
        "board": boards.board(formatter, move.better.seat),
    }
