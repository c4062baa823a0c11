"""What the table tells of games that were played, as types; unknown fields are passed over."""

from __future__ import annotations

import msgspec

from web_ui.messages import Move, Snapshot, decode


class PastPlayer(msgspec.Struct, frozen=True):
    """Who played, and how it ended or stands; no score where the game is too long to tell."""

    seat: int
    name: str | None = None
    bot: str | None = None
    score: int | None = None
    winner: bool = False


class PastMove(Move, frozen=True):
    """A choice; which fields mean something depends on `kind`, as in `messages.Choosing`.

    Lost is how many points, where that is known.
    """

    source: int = 0
    colour: str = ""
    count: int = 0
    line: int = 0
    kind: str = "draft"
    row: int = 0
    column: int = 0
    position: int | None = None
    number: int = 0
    round: int = 0
    lost: float | None = None


class RoundScores(msgspec.Struct, frozen=True):
    """All players' scores after a round."""

    round: int
    scores: tuple[int, ...] = ()


class CostlyMove(msgspec.Struct, frozen=True):
    """A move that lost points, what was better, and the table before it, the better one chosen in it."""

    round: int
    lost: float
    played: PastMove
    better: PastMove
    table: Snapshot
    number: int = 0


class Review(msgspec.Struct, frozen=True):
    """What the choices of a player lost: how many were graded, and the costliest, the worst first."""

    seat: int
    lost: float = 0
    choices: int = 0
    costliest: tuple[CostlyMove, ...] = ()


class PastGame(msgspec.Struct, frozen=True):
    """A game in the list; times are UTC: 2026-11-20 13:46:07. Status: finished, in_play, stopped, unreadable.

    Of one that can't be read no more is known than its number and when it started.
    """

    number: int
    started: str
    status: str
    mode: str | None = None
    level: str | None = None
    wall: str | None = None
    rounds: int | None = None
    victory: str | None = None
    players: tuple[PastPlayer, ...] = ()


class RetoldGame(PastGame, frozen=True):
    """A game with all its choices, and its review as far as the table has come with it.

    Choices counts those to grade. Without moves and table the game is too long to tell.
    """

    choices: int = 0
    moves: tuple[PastMove, ...] | None = None
    scores: tuple[RoundScores, ...] | None = None
    reviews: tuple[Review, ...] | None = None
    table: Snapshot | None = None


class PastGames(msgspec.Struct, frozen=True):
    """Some games, the newest first, and whether there are older ones."""

    games: tuple[PastGame, ...] = ()
    more: bool = False


_games = msgspec.json.Decoder(PastGames)
_game = msgspec.json.Decoder(RetoldGame)
_text = msgspec.json.Decoder(str)


def read_games(raw: msgspec.Raw) -> PastGames:
    """A list of games; raises MessageError."""
    return decode(_games, raw)


def read_game(raw: msgspec.Raw) -> RetoldGame:
    """A game; raises MessageError."""
    return decode(_game, raw)


def read_record(raw: msgspec.Raw) -> str:
    """A game's record; raises MessageError."""
    return decode(_text, raw)
