"""Tournaments: a round robin with standings, Bradley-Terry ratings, and a folder that it is resumed from."""

import fcntl
import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from operator import mul
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from device.bots.dtc.match import Game, Player, Result, Terms, result_from_json
from device.records import record
from device.rules.errors import RulesError
from device.rules.scoring import Outcome

# --- Ratings: the Bradley-Terry model, fitted by maximum likelihood --------------------------------------
# A tie counts as half a win. As a prior, each bot also ties one game against a virtual
# average bot, so that a bot with only wins or losses has a rating too; with few games its error is wide.

SCALE: Final = 400 / math.log(10)  # Elo points per unit of strength: 400 points are odds of ten to one
Z_95: Final = 1.96  # standard errors on each side of a 95 % confidence interval
_STEPS: Final = 100
_CLOSE: Final = 1e-10

RatedGame = tuple[int, int, float]  # two bots by number, and the score of the first: 1, 0.5 or 0


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating in Elo points, the mean of all bots being 0, with the half width of its 95 % interval."""

    points: float
    error: float


def ratings(bots: int, games: Sequence[RatedGame]) -> list[Rating]:
    """Return the maximum likelihood rating of every bot, by Newton's method; errors from the curvature."""
    strengths = [0.0] * bots
    for _ in range(_STEPS):
        slope, curvature = _derivatives(strengths, games)
        inverse = _invert(curvature)
        step = [sum(map(mul, row, slope)) for row in inverse]
        longest = max(map(abs, step), default=0.0)
        shorten = min(1.0, 2.0 / longest) if longest else 1.0  # far from the maximum the step is too long
        strengths = [strength + shorten * by for strength, by in zip(strengths, step, strict=True)]
        if longest < _CLOSE:
            break
    covariance = _invert(_derivatives(strengths, games)[1])
    average = sum(strengths) / max(bots, 1)
    return [
        Rating(SCALE * (strength - average), Z_95 * SCALE * math.sqrt(_variance(covariance, bot)))
        for bot, strength in enumerate(strengths)
    ]


def _variance(covariance: list[list[float]], bot: int) -> float:
    """Return the variance of a bot's strength relative to the mean of all."""
    bots = len(covariance)
    of_average = sum(map(sum, covariance)) / bots**2
    return max(0.0, covariance[bot][bot] - 2 * sum(covariance[bot]) / bots + of_average)


def win_share(won: float, games: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of the share of wins, if `won` of `games` were won."""
    weight = Z_95**2 / games
    middle = (won / games + weight / 2) / (1 + weight)
    off = math.sqrt(won / games * (1 - won / games) * weight + weight**2 / 4) / (1 + weight)
    return middle - off, middle + off


def _expected(difference: float) -> float:
    """Return the expected score of a bot against one that is weaker by a difference of strength."""
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, difference))))


def _derivatives(strengths: list[float], games: Sequence[RatedGame]) -> tuple[list[float], list[list[float]]]:
    """Return the gradient of the log-likelihood, and its negative curvature (Fisher information)."""
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


def _invert(matrix: list[list[float]]) -> list[list[float]]:
    """Return the inverse of a small symmetric, positive definite matrix, by elimination."""
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


# --- The results folder ------------------------------------------------------------------------------------
# tournament.json   bots, seeds and terms
# records.jsonl     the records of the games; `azul-table replay` verifies them
# results.jsonl     a line for each game, with the end of its record in records.jsonl
# logs/             standard error of each bot in each game
# standings.json    written when all games are played
#
# A game counts once its line in results.jsonl is complete; incomplete data after it is truncated at the next
# start.

SETTINGS: Final = "tournament.json"
RECORDS: Final = "records.jsonl"
RESULTS: Final = "results.jsonl"
STANDINGS: Final = "standings.json"
LOGS: Final = "logs"


class ResultsError(Exception):
    """A folder that can't hold the games of this tournament."""


def tournament_settings(
    players: Sequence[Player], seeds: Sequence[int], terms: Terms, program: str
) -> dict[str, Any]:
    """Return what identifies a tournament: nothing of it may change between its games."""
    bots = [
        {"name": player.name, "command": player.command, "fingerprint": player.fingerprint}
        for player in players
    ]
    settings = {"program": program, "bots": bots, "seeds": list(seeds), "terms": asdict(terms)}
    plain: dict[str, Any] = json.loads(json.dumps(settings))
    return plain


def folder_name(settings: dict[str, Any]) -> str:
    """Return a folder name that is the same for the same tournament and different for any other."""
    names = "-".join(re.sub(r"[^\w.]+", "_", bot["name"], flags=re.ASCII) for bot in settings["bots"])
    return f"{names[:60]}-{hashlib.sha256(_json(settings)).hexdigest()[:8]}"


class ResultsFolder:
    """An open folder of results, locked for one process at a time."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        """Open or create a folder, and read the games that are done. Raises ResultsError and OSError."""
        self.folder = folder
        self.results: list[Result] = []
        self.logs = folder / LOGS
        self.logs.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise ResultsError(f"{folder}: another process plays this tournament now") from None
        try:
            self._check(settings)
            self._resume()
        except BaseException:
            os.close(self._lock)
            raise

    def _check(self, settings: dict[str, Any]) -> None:
        """Check that the folder is new or of the same tournament. Raises ResultsError."""
        path = self.folder / SETTINGS
        if not path.exists():
            if (self.folder / RESULTS).exists():
                raise ResultsError(f"{path}: is missing, but there are results of an unknown tournament")
            _write_whole(path, _json(settings))
            return
        try:
            found = json.loads(path.read_bytes())
            different = [key for key in settings if found.get(key) != settings[key]]
        except (ValueError, AttributeError):
            raise ResultsError(f"{path}: is damaged") from None
        if different:
            what = ", ".join(different)
            raise ResultsError(f"{self.folder}: holds a tournament with other {what}; choose another folder")

    def _resume(self) -> None:
        """Read the games that are done, and truncate what the last process left incomplete."""
        records = self.folder / RECORDS
        results = self.folder / RESULTS
        written = records.read_bytes() if records.exists() else b""
        lines = results.read_bytes().splitlines(keepends=True) if results.exists() else []
        kept = start = 0
        for number, line in enumerate(lines, start=1):
            data = _whole_line(line)
            if data is None or not start < data["end"] <= len(written):
                if number < len(lines):  # only the last line can be incomplete
                    why = "is damaged, or its record is missing; mend it, or end the file before it"
                    raise ResultsError(f"{results}: line {number} {why}")
                break
            self.results.append(self._verified(data, written[start : data["end"]]))
            kept += len(line)
            start = data["end"]
        self._records = _opened_at(records, start)
        self._results = _opened_at(results, kept)

    def _verified(self, data: dict[str, Any], written: bytes) -> Result:
        """Return a game that is done, checked against its record. Raises ResultsError."""
        try:
            (verified,) = record.read(written.splitlines(keepends=True))
            result = result_from_json(data, written)
            outcome = verified.outcome
            assert isinstance(outcome, Outcome)
            setup = verified.setup
            in_record = (setup.players, setup.first, outcome.scores, outcome.winners)
            if in_record != (result.names, result.first, result.scores, result.winners):
                raise ValueError("its line and its record are of different games")
        except (RulesError, ValueError) as error:
            raise ResultsError(f"{self.folder}: game {data.get('game')} is damaged: {error}") from None
        return result

    def add(self, result: Result) -> None:
        """Append a game; it is on the disk when this returns. Raises OSError."""
        self._records.write(result.written)
        _flush(self._records)
        line = result.in_json() | {"end": self._records.tell()}
        self._results.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        self._results.flush()
        self.results.append(result)  # from here on the next start reads it
        _flush(self._results)

    def finish(self, table: dict[str, Any]) -> None:
        """Write the standings. Raises OSError."""
        _write_whole(self.folder / STANDINGS, _json(table))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._records.close()
        self._results.close()
        os.close(self._lock)


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, indent=2).encode() + b"\n"


def _whole_line(line: bytes) -> dict[str, Any] | None:
    """Return the object of a complete line; None for an incomplete one."""
    try:
        data = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    return data if isinstance(data, dict) and isinstance(data.get("end"), int) else None


def _opened_at(path: Path, end: int) -> BinaryIO:
    """Open a file for writing, truncated to `end` bytes."""
    stream = path.open("ab")
    stream.truncate(end)
    return stream


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as stream:
        stream.write(data)
        _flush(stream)
    part.replace(path)


def _flush(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())


# --- Schedule and standings --------------------------------------------------------------------------------

SEEDS: Final = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's line of the standings; equal points and game points share a place."""

    place: int
    name: str
    points: int  # 2 for a win, 1 for a tie
    game_points: int  # in all games, -50 for a fault included
    won: int
    tied: int
    lost: int
    faults: int
    thinking: int  # milliseconds, in all games
    rating: Rating

    @property
    def games(self) -> int:
        """Number of games played."""
        return self.won + self.tied + self.lost

    def in_json(self) -> dict[str, Any]:
        """Return the line as a JSON object."""
        line = asdict(self)
        rating = line.pop("rating")
        head = {"place": line.pop("place"), "bot": line.pop("name"), "games": self.games}
        rounded = {"rating": round(rating["points"], 1), "rating_error": round(rating["error"], 1)}
        return head | line | rounded


def schedule(players: Sequence[Player], seeds: Iterable[int], terms: Terms) -> list[Game]:
    """Return every pair with every seed, each bot starting once, ordered by seed."""
    games: list[Game] = []
    for seed in seeds:
        for pair in combinations(players, 2):
            for first in range(2):
                games.append(Game(len(games) + 1, pair, seed, first, terms))
    return games


def standings(names: Sequence[str], results: Iterable[Result]) -> list[Standing]:
    """Return the standings of the games so far, the best first."""
    played = list(results)
    strengths = ratings(len(names), [_rated(names, result) for result in played])
    lines = [_standing(name, strength, played) for name, strength in zip(names, strengths, strict=True)]
    best = sorted(((line.points, line.game_points) for line in lines), reverse=True)
    placed = [replace(line, place=best.index((line.points, line.game_points)) + 1) for line in lines]
    return sorted(placed, key=lambda line: line.place)


def _rated(names: Sequence[str], result: Result) -> tuple[int, int, float]:
    one, other = map(names.index, result.names)
    return one, other, result.points(0) / (result.points(0) + result.points(1))


def _standing(name: str, rating: Rating, results: list[Result]) -> Standing:
    """Return a bot's line, with place 0."""
    own = [(result, result.names.index(name)) for result in results if name in result.names]
    points = sum(result.points(seat) for result, seat in own)
    game_points = sum(result.scores[seat] for result, seat in own)
    won = sum(result.winners == (seat,) for result, seat in own)
    tied = sum(len(result.winners) > 1 for result, _ in own)
    lost = len(own) - won - tied
    faults = sum(result.fault is not None and result.fault.seat == seat for result, seat in own)
    thinking = sum(result.thinking[seat] for result, seat in own)
    return Standing(0, name, points, game_points, won, tied, lost, faults, thinking, rating)
