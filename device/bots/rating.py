"""Ratings out of results: the strengths that make them most likely (Bradley and Terry), with their errors.

A tie counts as half a win. Each bot also ties one game against an average bot that nobody sees (a prior), so
that who wins or loses everything gets a rating too; the fewer the games, the wider the error says so.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SCALE: Final = 400 / math.log(10)
"""Elo points of one unit of strength: 400 points are ten wins to one loss."""
SURE: Final = 1.96
"""Standard errors on each side of an interval that holds the truth 19 times in 20."""
_STEPS: Final = 100
_CLOSE: Final = 1e-10

Game = tuple[int, int, float]
"""Two bots by number, and what the first won of the game: 1, 0.5 or 0."""


@dataclass(frozen=True, slots=True)
class Rating:
    """In Elo points, the average of all bots being 0; the truth lies within `error` 19 times in 20."""

    points: float
    error: float


def ratings(bots: int, games: Sequence[Game]) -> list[Rating]:
    """The rating of every bot, by Newton's method on the likelihood; the errors from its curvature."""
    strengths = [0.0] * bots
    for _ in range(_STEPS):
        slope, curvature = _derivatives(strengths, games)
        inverse = _inverse(curvature)
        step = [sum(map(_product, row, slope)) for row in inverse]
        longest = max(map(abs, step), default=0.0)
        shorten = min(1.0, 2.0 / longest) if longest else 1.0  # far from the top the curve leads too far
        strengths = [strength + shorten * by for strength, by in zip(strengths, step, strict=True)]
        if longest < _CLOSE:
            break
    covariance = _inverse(_derivatives(strengths, games)[1])
    average = sum(strengths) / max(bots, 1)
    return [
        Rating(SCALE * (strength - average), SURE * SCALE * math.sqrt(_variance(covariance, bot)))
        for bot, strength in enumerate(strengths)
    ]


def _variance(covariance: list[list[float]], bot: int) -> float:
    """How far a bot's strength may be off, seen from the average of all."""
    bots = len(covariance)
    of_average = sum(map(sum, covariance)) / bots**2
    return max(0.0, covariance[bot][bot] - 2 * sum(covariance[bot]) / bots + of_average)


def share(won: float, games: int) -> tuple[float, float]:
    """Between which shares the truth lies 19 times in 20, if `won` of `games` were won (Wilson)."""
    weight = SURE**2 / games
    middle = (won / games + weight / 2) / (1 + weight)
    off = math.sqrt(won / games * (1 - won / games) * weight + weight**2 / 4) / (1 + weight)
    return middle - off, middle + off


def _product(one: float, other: float) -> float:
    return one * other


def _expected(difference: float) -> float:
    """What a bot wins on average against one that is weaker by so much."""
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, difference))))


def _derivatives(strengths: list[float], games: Sequence[Game]) -> tuple[list[float], list[list[float]]]:
    """The slope of the logarithm of the likelihood, and how it curves down (Fisher's information)."""
    slope = []
    curvature = [[0.0] * len(strengths) for _ in strengths]
    for bot, strength in enumerate(strengths):
        expected = _expected(strength)  # the tie against the average bot
        slope.append(0.5 - expected)
        curvature[bot][bot] = expected * (1 - expected)
    for one, other, won in games:
        expected = _expected(strengths[one] - strengths[other])
        slope[one] += won - expected
        slope[other] -= won - expected
        information = expected * (1 - expected)
        for row, column, sign in ((one, one, 1), (other, other, 1), (one, other, -1), (other, one, -1)):
            curvature[row][column] += sign * information
    return slope, curvature


def _inverse(matrix: list[list[float]]) -> list[list[float]]:
    """The inverse of a small symmetric, positive matrix, by elimination."""
    size = len(matrix)
    rows = [[*row, *(float(column == number) for column in range(size))] for number, row in enumerate(matrix)]
    for pivot in range(size):
        divisor = rows[pivot][pivot]
        rows[pivot] = [value / divisor for value in rows[pivot]]
        for number in range(size):
            if number != pivot and (factor := rows[number][pivot]):
                rows[number] = [
                    value - factor * above for value, above in zip(rows[number], rows[pivot], strict=True)
                ]
    return [row[size:] for row in rows]
