"""The checks of a layout file that need no ruler: its parts, its pixels, its power.

Every check looks at the whole file and notes all that it finds. Parts that could not be read are left out
here: their fault is noted already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hardware.layout_file import DisplayPlate, LayoutFile, SeatBoard
from hardware.layout_reader import Faults, key_text
from hardware.places import DIGITS, FIFTH_LIGHT, FLOOR_SPACES, SIDE, display_lights

MOST_SEATS: Final = 4
MOST_DISPLAYS: Final = 9
DISPLAYS_FOR_SEATS: Final = {2: 5, 3: 7, 4: 9}
TILES_OF_A_DISPLAY: Final = 4
BOARD_PARTS: Final = {
    "turn": 1,
    "tens": DIGITS,
    "units": DIGITS,
    "lines": SIDE * (SIDE + 1) // 2,
    "floor": FLOOR_SPACES,
    "wall": SIDE * SIDE,
}
"""How many lights each part of a seat's board has."""
BOARD_LIGHTS: Final = sum(BOARD_PARTS.values())


@dataclass(frozen=True, slots=True)
class Run:
    """Pixels of a chain, one after another, that a part of the table takes."""

    path: str
    first: int
    lights: int

    @property
    def end(self) -> int:
        """The pixel after the last."""
        return self.first + self.lights

    def __str__(self) -> str:
        return pixels_text(self.first, self.end)


def pixels_text(first: int, end: int) -> str:
    """Name the pixels from `first` up to, not with, `end`."""
    return f"pixel {first}" if end - first == 1 else f"pixels {first} to {end - 1}"


def check_parts(file: LayoutFile, document: Mapping[str, Any], faults: Faults) -> None:
    """Note seats and displays that are missing or too many, and lights too few for what may lie there."""
    displays = DISPLAYS_FOR_SEATS.get(file.seats or 0, 0)
    reason = f"a table for {file.seats} needs {file.seats} seats and {displays} displays"
    if "seat_board" in document or "seat" in document:  # else the boards are on the players' phones
        _check_numbers("seat", document, file.seats or 0, file.seats or MOST_SEATS, reason, faults)
    if "seat" in document and "seat_board" not in document:
        faults.add("seat_board", "is missing", "add the table [seat_board], or remove the seats' tables")
    _check_numbers("display", document, displays, MOST_DISPLAYS, reason, faults)
    if file.display_plate:
        _check_display(file.display_plate, faults)
    tiles = 3 * displays + 1
    if file.centre and displays and 1 < _centre_size(file) < tiles:
        faults.add(
            "centre.rings",
            f"{_centre_size(file)} lights are too few: {3 * displays} tiles of {displays} displays "
            "and the marker may lie here",
            f"make the rings' lights {tiles} or more in all, or a single one",
        )


def _check_display(plate: DisplayPlate, faults: Faults) -> None:
    """Note a display that has neither a light for each tile nor a single one."""
    if len(plate.lights) not in (1, TILES_OF_A_DISPLAY):
        wrong = f"{len(plate.lights)} points are neither four lights nor a single one"
        faults.add("display_plate.lights", wrong, "write four points, or one")
    for key in ("fifth", "fifth_size"):
        given = getattr(plate, key) is not None
        if len(plate.lights) == TILES_OF_A_DISPLAY and not given:
            faults.add(f"display_plate.{key}", "is missing", "add it for display 5, which has five lights")
        elif len(plate.lights) == 1 and given:
            faults.add(f"display_plate.{key}", "is not for displays with a single light", "remove it")


def _check_numbers(
    kind: str, document: Mapping[str, Any], needed: int, most: int, reason: str, faults: Faults
) -> None:
    """Note tables [kind.N] that are missing up to `needed` or below the highest, or stand above `most`."""
    if not isinstance(document.get(kind, {}), dict):
        return  # noted when it was read
    present = _table(document, kind)
    numbers = {str(number): number for number in range(1, most + 1)}
    for key in present:
        if key not in numbers:
            faults.add(
                f"{kind}.{key_text(key)}",
                f"there is no such {kind} on this table",
                f"number the {kind}s from 1 to {most}, or remove it",
            )
    highest = max((numbers[key] for key in present if key in numbers), default=0)
    for number in range(1, max(needed, highest) + 1):
        if str(number) not in present:
            why = reason if number <= needed else f"there is a {kind} {highest}"
            faults.add(f"{kind}.{number}", f"is missing ({why})", f"add the table [{kind}.{number}]")


def check_pixels(file: LayoutFile, document: Mapping[str, Any], faults: Faults) -> None:
    """Note pixels that two parts share, that lie beyond a chain, and that carry no light."""
    if file.seat_board is not None:
        _check_runs("seat_board", _board_runs(file.seat_board), BOARD_LIGHTS, faults)
    runs: dict[str, list[Run]] = {name: [] for name in file.chain}
    named = _table(document, "chain")
    for chain, run in _chain_runs(file):
        if chain in runs:
            runs[chain].append(run)
        elif chain not in named:
            path = run.path.removesuffix("first") + "chain"
            known = ", ".join(map(key_text, named)) or "a chain that you add"
            faults.add(path, f"there is no chain {chain!r}", f"write one of {known}")
    gaps = _lit_parts_are_read(file, document)
    for name, chained in runs.items():
        _check_runs(f"chain.{key_text(name)}", chained, file.chain[name].pixels, faults, gaps=gaps)


def _lit_parts_are_read(file: LayoutFile, document: Mapping[str, Any]) -> bool:
    """Tell whether every part with lights could be read; if not, what looks like a gap may be none."""
    return (
        file.seat.keys() == _table(document, "seat").keys()
        and file.display.keys() == _table(document, "display").keys()
        and (file.display_plate is not None or not file.display)
        and (file.centre is not None or "centre" not in document)
        and (file.status is not None or "status" not in document)
    )


def _table(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return a table of the document, an empty one if there is something else or nothing."""
    table = document.get(key)
    return table if isinstance(table, dict) else {}


def _board_runs(board: SeatBoard) -> list[Run]:
    return [
        Run(f"seat_board.{part}.first", getattr(board, part).first, lights)
        for part, lights in BOARD_PARTS.items()
    ]


def _chain_runs(file: LayoutFile) -> Iterator[tuple[str, Run]]:
    """Name the chain and the pixels of every part of the table that carries lights."""
    for number, seat in file.seat.items():
        yield seat.chain, Run(f"seat.{key_text(number)}.first", seat.first, BOARD_LIGHTS)
    if (plate := file.display_plate) is not None:
        for number, display in file.display.items():
            lights = display_lights(plate, fifth=number == FIFTH_LIGHT)
            yield display.chain, Run(f"display.{key_text(number)}.first", display.first, len(lights))
    if file.centre:
        yield file.centre.chain, Run("centre.first", file.centre.first, _centre_size(file))
    if file.status:
        yield file.status.chain, Run("status.first", file.status.first, 1)


def _centre_size(file: LayoutFile) -> int:
    return sum(ring.lights for ring in file.centre.rings) if file.centre else 0


def _check_runs(path: str, runs: Sequence[Run], pixels: int, faults: Faults, *, gaps: bool = True) -> None:
    """Note what is wrong with the runs that share one chain (or one board) of so many pixels."""
    furthest = Run(path, 0, 0)
    for run in sorted(runs, key=lambda run: run.first):
        if run.first < furthest.end:
            shared = pixels_text(run.first, min(run.end, furthest.end))
            faults.add(
                run.path,
                f"{shared} of {path} already belong to {furthest.path}",
                "give each light its own pixel",
            )
        elif run.first > furthest.end and gaps:
            _gap(path, furthest.end, run.first, faults)
        if run.end > pixels:
            faults.add(
                run.path,
                f"{run} reach beyond {path}, which has {pixels}",
                "start lower, or lengthen the chain",
            )
        furthest = max(furthest, run, key=lambda run: run.end)
    if furthest.end < pixels and gaps:
        _gap(path, furthest.end, pixels, faults)


def _gap(path: str, first: int, end: int, faults: Faults) -> None:
    faults.add(path, f"{pixels_text(first, end)} carry no light", "close the gap, or shorten the chain")


def check_supply(file: LayoutFile, faults: Faults) -> None:
    """Note a supply that can't even feed the lights while all of them are dark."""
    if file.supply is None:
        return
    lights = sum(run.lights for _, run in _chain_runs(file))
    dark = lights * file.supply.idle_milliamperes
    if file.supply.amperes * 1000 <= dark:
        faults.add(
            "supply.amperes",
            f"{file.supply.amperes:g} A is not more than the {lights} lights take when all are dark "
            f"({dark / 1000:g} A)",
            "take a stronger supply, and write what it gives",
        )
