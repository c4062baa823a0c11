"""The folder of a tournament: what was asked for, every game as it ended, and going on after an interruption.

    tournament.json   the bots, the seeds, the terms
    records.jsonl     the games' records, one after another, as `azul-table replay` verifies them
    results.jsonl     a line for each game, and where its record ends
    logs/             each bot's standard error in each game
    standings.json    the table, when all games are played

A game counts once its line in results.jsonl is whole; what was written of another after it is cut off at the
next start.
"""

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from device.bots.contestants import Contestant
from device.bots.match import Result, Terms, result_of
from device.rules import record
from device.rules.errors import RulesError
from device.rules.scoring import Outcome

SETTINGS: Final = "tournament.json"
RECORDS: Final = "records.jsonl"
RESULTS: Final = "results.jsonl"
STANDINGS: Final = "standings.json"
LOGS: Final = "logs"


class LedgerError(Exception):
    """A folder that can't take this tournament's games."""


def settings_of(
    players: Sequence[Contestant], seeds: Sequence[int], terms: Terms, program: str
) -> dict[str, Any]:
    """What makes a tournament this one: nothing of it may change between its games."""
    bots = [
        {"name": player.name, "command": player.command, "fingerprint": player.fingerprint}
        for player in players
    ]
    told = {"program": program, "bots": bots, "seeds": list(seeds), "terms": asdict(terms)}
    plain: dict[str, Any] = json.loads(json.dumps(told))
    return plain


def folder_name(settings: dict[str, Any]) -> str:
    """The same for the same tournament, and different for any other."""
    names = "-".join(re.sub(r"[^\w.]+", "_", bot["name"], flags=re.ASCII) for bot in settings["bots"])
    return f"{names[:60]}-{hashlib.sha256(_json(settings)).hexdigest()[:8]}"


class Ledger:
    """An open folder; one process at a time."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        """Open a folder, or make it; raises LedgerError and OSError."""
        self.folder = folder
        self.results: list[Result] = []
        self.logs = folder / LOGS
        self.logs.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise LedgerError(f"{folder}: another process plays this tournament now") from None
        try:
            self._check(settings)
            self._resume()
        except BaseException:
            os.close(self._lock)
            raise

    def _check(self, settings: dict[str, Any]) -> None:
        """Whether the folder is new, or of the same tournament."""
        path = self.folder / SETTINGS
        if not path.exists():
            if (self.folder / RESULTS).exists():
                raise LedgerError(f"{path}: is missing, so nobody knows whose games lie beside it")
            _write_whole(path, _json(settings))
            return
        try:
            found = json.loads(path.read_bytes())
            different = [key for key in settings if found.get(key) != settings[key]]
        except (ValueError, AttributeError):
            raise LedgerError(f"{path}: is damaged") from None
        if different:
            what = ", ".join(different)
            raise LedgerError(f"{self.folder}: holds a tournament with other {what}; choose another folder")

    def _resume(self) -> None:
        """Read the games that are done, and cut off what was being written when the last process ended."""
        records = self.folder / RECORDS
        results = self.folder / RESULTS
        written = records.read_bytes() if records.exists() else b""
        lines = results.read_bytes().splitlines(keepends=True) if results.exists() else []
        kept = start = 0
        for number, line in enumerate(lines, start=1):
            told = _whole_line(line)
            if told is None or not start < told["end"] <= len(written):
                if number < len(lines):  # only the last can be one that was being written
                    why = "is damaged, or its record is missing; mend it, or end the file before it"
                    raise LedgerError(f"{results}: line {number} {why}")
                break
            self.results.append(self._verified(told, written[start : told["end"]]))
            kept += len(line)
            start = told["end"]
        self._records = _opened_at(records, start)
        self._results = _opened_at(results, kept)

    def _verified(self, told: dict[str, Any], written: bytes) -> Result:
        """A game that is done, if its record says the same as its line."""
        try:
            (verified,) = record.read(written.splitlines(keepends=True))
            result = result_of(told, written)
            outcome = verified.outcome
            assert isinstance(outcome, Outcome)
            setup = verified.setup
            in_record = (setup.players, setup.first, outcome.scores, outcome.winners)
            if in_record != (result.names, result.first, result.scores, result.winners):
                raise ValueError("its line and its record tell of different games")
        except (RulesError, ValueError, KeyError, TypeError) as error:
            raise LedgerError(f"{self.folder}: game {told.get('game')} is damaged: {error}") from None
        return result

    def add(self, result: Result) -> None:
        """Keep a game; it is on the disk when this returns."""
        self._records.write(result.written)
        _flush(self._records)
        line = result.in_json() | {"end": self._records.tell()}
        self._results.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        self._results.flush()
        self.results.append(result)  # from here on the next start finds it, whatever interrupts
        _flush(self._results)

    def finish(self, table: dict[str, Any]) -> None:
        """Write the table beside the games."""
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
    """A line that was written to its end; None for one that was not."""
    try:
        told = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    return told if isinstance(told, dict) and isinstance(told.get("end"), int) else None


def _opened_at(path: Path, end: int) -> BinaryIO:
    """A file open for writing at its end, which is cut off to be there."""
    stream = path.open("r+b" if path.exists() else "x+b")
    stream.truncate(end)
    stream.seek(end)
    return stream


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as stream:
        stream.write(data)
        _flush(stream)
    part.replace(path)


def _flush(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())
