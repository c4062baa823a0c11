"""A full round robin: who plays whom with which deals, and the table that comes of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from device.bots.contestants import Contestant
from device.bots.match import Game, Result, Terms
from device.bots.rating import Rating, ratings

SEEDS: Final = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's line of the table; who has as many points and game points shares a place."""

    place: int
    name: str
    points: int  # 2 for a win, 1 for a tie
    game_points: int  # scored in all games, the faults' -50 among them
    won: int
    tied: int
    lost: int
    faults: int
    thinking: int  # milliseconds, in all games
    rating: Rating

    @property
    def games(self) -> int:
        """How many games it has played."""
        return self.won + self.tied + self.lost

    def in_json(self) -> dict[str, Any]:
        """The line as a JSON object."""
        return {
            "place": self.place,
            "bot": self.name,
            "games": self.games,
            "points": self.points,
            "game_points": self.game_points,
            "won": self.won,
            "tied": self.tied,
            "lost": self.lost,
            "faults": self.faults,
            "thinking": self.thinking,
            "rating": round(self.rating.points, 1),
            "rating_error": round(self.rating.error, 1),
        }


def schedule(players: Sequence[Contestant], seeds: Iterable[int], terms: Terms) -> list[Game]:
    """Every pair with every seed, each bot starting once; seed by seed, so that a part already says much."""
    games: list[Game] = []
    for seed in seeds:
        for pair in combinations(players, 2):
            for first in range(2):
                games.append(Game(len(games) + 1, pair, seed, first, terms))
    return games


def standings(names: Sequence[str], results: Iterable[Result]) -> list[Standing]:
    """The table of the games so far, the best first."""
    played = list(results)
    strengths = ratings(len(names), [_rated(names, result) for result in played])
    lines = [_standing(name, strength, played) for name, strength in zip(names, strengths, strict=True)]
    best = sorted(((line["points"], line["game_points"]) for line in lines), reverse=True)
    placed = [Standing(best.index((line["points"], line["game_points"])) + 1, **line) for line in lines]
    return sorted(placed, key=lambda line: line.place)


def _rated(names: Sequence[str], result: Result) -> tuple[int, int, float]:
    one, other = map(names.index, result.names)
    return one, other, result.points(0) / (result.points(0) + result.points(1))


def _standing(name: str, rating: Rating, results: list[Result]) -> dict[str, Any]:
    """A bot's line but for its place."""
    own = [(result, result.names.index(name)) for result in results if name in result.names]
    won = sum(result.winners == (seat,) for result, seat in own)
    tied = sum(len(result.winners) > 1 for result, _ in own)
    return {
        "name": name,
        "points": sum(result.points(seat) for result, seat in own),
        "game_points": sum(result.scores[seat] for result, seat in own),
        "won": won,
        "tied": tied,
        "lost": len(own) - won - tied,
        "faults": sum(result.fault is not None and result.fault.seat == seat for result, seat in own),
        "thinking": sum(result.thinking[seat] for result, seat in own),
        "rating": rating,
    }
