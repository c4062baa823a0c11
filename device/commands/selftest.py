"""`azul-table selftest`: every light, button and reader of the table, with somebody who looks and presses."""

import json
import select
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import click

from device.commands.console import CommandError, file_error, layout_option, printable
from hardware.api import HardwareError, HardwareEvent, LightFrame
from hardware.diagnostics.selftest import (
    COLOURS,
    LayTag,
    Operator,
    PressButton,
    Report,
    ShowLights,
    SimulatedOperator,
    Step,
    plan,
    run,
)
from hardware.drivers.open import Hardware, open_hardware
from hardware.layout.model import SIMULATED, Layout, read_layout, simulated

SETTLE: Final = 3.0
"""Seconds in which real hardware is found, or told to be missing."""
WALKED = f"one after another, then all {', '.join(name for name, _ in COLOURS)}"


@click.command()
@layout_option()
@click.option(
    "--simulate",
    type=click.Choice(["table"]),
    help="Try the simulated table instead of the real one, with simulated hands.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep the report in this file: JSON if its name ends so, else text.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=1),
    default=30.0,
    show_default=True,
    help="How long each button and reader is waited for.",
)
def command(layout: str, simulate: str | None, report: Path | None, seconds: float) -> None:
    """ShowLights through every light, and ask for every button and reader.

    First it says what is not there; only the rest is tested. Lights are shown part by part; say whether they
    were right. Then press each button and lay a tag on each reader as you are asked to; Enter skips one. Exit
    status 1 if a part is not fine.
    """
    events: SimpleQueue[HardwareEvent] = SimpleQueue()
    try:
        table = read_layout(layout)
        if report is not None:
            keep(report, "")  # a file that can't be written is told before the walk, not after it
        if simulate:
            table = simulated(table)
        hardware = open_hardware(table, events.put)
    except HardwareError as error:
        raise CommandError(str(error)) from error
    try:
        told = _walk(table, hardware, events, seconds)
    finally:
        hardware.close()
    click.echo(printable_lines(told.to_text()))
    if report is not None:
        keep(report, as_text(told, report))
    if not told.fine:
        raise SystemExit(1)


def _walk(table: Layout, hardware: Hardware, events: SimpleQueue[HardwareEvent], seconds: float) -> Report:
    person: Operator = AtTerminal(len(plan(table)), table.name)
    settle = 0.0 if table.drivers == SIMULATED else SETTLE
    if hardware.simulated is not None and table.drivers == SIMULATED:
        person = SimulatedOperator(hardware.simulated)
    began = datetime.now().astimezone().isoformat(timespec="seconds")
    return run(table, hardware, events, person, began, seconds, time.monotonic, settle)


class AtTerminal:
    """Somebody at this terminal."""

    def __init__(self, steps: int, layout: str) -> None:
        self._steps = steps
        self._layout = layout
        self._step = 0

    def report_missing(self, why: str, steps: Sequence[Step]) -> None:
        """Say what is not there; where nothing is, what helps."""
        self._steps -= len(steps)
        click.echo(f"{_counted(steps)} can't be tested: {printable(why)}")
        if self._steps == 0:
            click.echo(f"Nothing is left to test; azul-table doctor --layout {self._layout} says what to do.")

    def begin(self, step: Step) -> None:
        """Say what comes."""
        self._step += 1
        match step:
            case ShowLights(part, lights):
                count = "1 light" if len(lights) == 1 else f"{len(lights)} lights"
                told = f"{part}: {count} {WALKED}"
            case PressButton(button):
                told = f"press the button {button} (Enter: skip)"
            case LayTag(reader):
                told = f"lay a tag on the reader {reader} (Enter: skip)"
        click.echo(f"[{self._step}/{self._steps}] {told}")

    def look(self, _frame: LightFrame, seconds: float) -> None:
        """Have the time to see it."""
        time.sleep(seconds)

    def judge(self, _step: ShowLights) -> str | None:
        """Ask how it was."""
        answer = click.prompt(
            "  right? [y]es, [n]o, [a]gain",
            default="y",
            show_default=False,
            type=click.Choice(["y", "n", "a"]),
            show_choices=False,
        )
        if answer == "a":
            return None
        return "" if answer == "y" else str(click.prompt("  what was wrong", default="it was wrong"))

    def wants_to_skip(self) -> bool:
        """Tell whether Enter was pressed."""
        return bool(sys.stdin.isatty() and select.select([sys.stdin], [], [], 0)[0] and sys.stdin.readline())


def _counted(steps: Sequence[Step]) -> str:
    """Lights, buttons and readers of these steps, counted."""
    lights = sum(len(step.lights) for step in steps if isinstance(step, ShowLights))
    buttons = sum(isinstance(step, PressButton) for step in steps)
    readers = sum(isinstance(step, LayTag) for step in steps)
    counts = ((lights, "light"), (buttons, "button"), (readers, "reader"))
    *front, last = (f"{number} {name}{'s' if number > 1 else ''}" for number, name in counts if number)
    return f"{', '.join(front)} and {last}" if front else last


def as_text(report: Report, path: Path) -> str:
    """The report as its file is to hold it."""
    if path.suffix == ".json":
        return json.dumps(report.to_json(), indent=1) + "\n"
    results = "\n".join(f"{it.outcome:8} {it.part}: {it.message}".rstrip(": ") for it in report.results)
    return f"{report.to_text()}\n\n{results}\n"


def keep(path: Path, text: str) -> None:
    """Write a file; raises CommandError where that can't be."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise file_error(str(path), "written", error) from None


def printable_lines(text: str) -> str:
    """Text of several lines that leaves the terminal alone."""
    return "\n".join(map(printable, text.splitlines()))
