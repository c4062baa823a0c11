"""The command `azul-table replay`: verify every game of a record file."""

import json
import sys
from collections.abc import Iterator

import click

from device.commands.console import CommandError, counted, file_error, json_option, printable, printable_file
from device.records.json_form import LONGEST_LINE, RecordError, result_json
from device.records.record import Record, read
from device.rules.game import SOLO
from device.rules.solo.scoring import SoloOutcome


@click.command()
@click.argument("file", type=click.Path())
@json_option("Print one JSON object for each game.")
def command(file: str, *, as_json: bool) -> None:
    """Verify every game of a record FILE (- is standard input).

    Every event is replayed, every deal is checked against the bag and the lid, and every score is computed
    again. One line is printed for each game. The first fault, named as FILE:LINE, ends the command with
    status 1.
    """
    describe = in_json if as_json else in_words
    for record in records(file):
        click.echo(describe(record))


def records(file: str) -> Iterator[Record]:
    """Yield every verified game of a record file. Raises CommandError, which names the file and the line."""
    try:
        yield from read(_lines(file))
    except RecordError as error:
        raise CommandError(f"{printable_file(file)}:{error.line}: {error.message}") from None


def _lines(file: str) -> Iterator[bytes]:
    """Yield the lines of a file; one that is too long for a record comes in pieces, to limit memory."""
    if file == "-" and sys.stdin is None:
        raise CommandError("standard input is closed")
    try:
        with sys.stdin.buffer if file == "-" else open(file, "rb") as stream:  # noqa: PTH123 - any bytes
            while line := stream.readline(LONGEST_LINE + 1):
                yield line
    except OSError as error:
        raise file_error(file, "read", error) from None


def in_words(record: Record) -> str:
    """Return a verified game as one line: `game 1 (line 1): standard, 5 rounds: Ana 57, Rui 40; Ana wins`."""
    chosen = record.setup
    names = [printable(name) for name in chosen.players]
    solo = f" ({chosen.level}, {chosen.wall} wall)" if chosen.mode == SOLO else ""
    rounds = counted(record.rounds, "round")
    return (
        f"game {record.number} (line {record.line}): {chosen.mode}{solo}, {rounds}: {_ending(record, names)}"
    )


def _ending(record: Record, names: list[str]) -> str:
    """Return the scores, how the game ended, and who won."""
    outcome = record.outcome
    if isinstance(outcome, SoloOutcome):
        return f"{names[0]} {outcome.score}; {outcome.victory.value}"
    parts = [", ".join(f"{name} {score}" for name, score in zip(names, outcome.scores, strict=True))]
    if record.stopped:
        parts.append("stopped by its limit of rounds")
    if record.forfeit is not None:
        parts.append(f"{names[record.forfeit.seat]} forfeits ({record.forfeit.why})")
    *others, last = [names[seat] for seat in outcome.winners]
    parts.append(f"{', '.join(others)} and {last} share the victory" if others else f"{last} wins")
    return "; ".join(parts)


def in_json(record: Record) -> str:
    """Return a verified game as one line of JSON; `ended` is finished, stopped (R17) or forfeit."""
    chosen = record.setup
    result: dict[str, object] = {
        "game": record.number,
        "line": record.line,
        "mode": chosen.mode,
        "players": chosen.players,
        "rounds": record.rounds,
        **result_json(record.outcome, record.forfeit),
        "ended": "forfeit" if record.forfeit else "stopped" if record.stopped else "finished",
    }
    if chosen.mode == SOLO:
        result |= {"level": chosen.level, "wall": chosen.wall}
    return json.dumps(result, separators=(",", ":"))
