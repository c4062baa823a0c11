"""The command `azul-table selftest`: test every light, button and reader with a person at the terminal."""

import json
import select
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import click

from device.commands.console import counted, file_error, layout_option, printable, reported
from hardware.api import HardwareError, HardwareEvent, LightFrame
from hardware.diagnostics.selftest import (
    COLOURS,
    GUIDES,
    Pattern,
    Report,
    SimulatedOperator,
    Step,
    plan,
    run,
)
from hardware.drivers.health import Reading, read
from hardware.drivers.open import Hardware, open_hardware
from hardware.layout.model import SIMULATED, Layout, read_layout, simulated

SHOWN = f"one after another, then all {', '.join(name for name, _ in COLOURS)}"


class Terms(NamedTuple):
    """How to open hardware, in how many seconds it is found or reported as missing, how to read the voltage.

    Others may be given as the object of click's context.
    """

    open_hardware: Callable[[Layout, Callable[[HardwareEvent], None]], Hardware] = open_hardware
    settle: float = 3.0
    power: Callable[[], Reading | None] = read


@click.command()
@layout_option()
@click.option(
    "--simulate",
    type=click.Choice(["table"]),
    help="Test the simulated table instead of the real one, with a simulated person.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the report to this file: as JSON if its name ends in .json, else as text.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=1),
    default=30.0,
    show_default=True,
    help="How long to wait for each button and reader.",
)
@click.pass_obj
def command(
    terms: Terms | None, layout: str, simulate: str | None, report: Path | None, seconds: float
) -> None:
    """Test every light, button and reader of the table, one after another.

    Missing parts are listed first; only the rest is tested. First come the order of colours, a slow ramp, and
    full white for 3 seconds while the voltage is watched; then lights part by part: answer whether they were
    right. Then press each button and lay a tag on each reader as you are asked to. Enter skips a button, a
    reader, or a pattern while it is shown. Exit status 1 if a part is not fine.
    """
    terms = terms or Terms()
    events: SimpleQueue[HardwareEvent] = SimpleQueue()
    with reported(HardwareError):
        table = read_layout(layout)
        if report is not None:
            _write(report, "")  # an error is reported before the test, not after it
        if simulate:
            table = simulated(table)
        hardware = terms.open_hardware(table, events.put)
    with closing(hardware):
        result = _run(table, hardware, events, seconds, terms)
    for line in result.to_text().splitlines():
        click.echo(printable(line))
    if report is not None:
        _write(report, _report_text(result, report))
    if not result.fine:
        raise SystemExit(1)


def _run(
    table: Layout, hardware: Hardware, events: SimpleQueue[HardwareEvent], seconds: float, terms: Terms
) -> Report:
    """Run the test with the person at the terminal, or with a simulated one at a simulated table."""
    began = datetime.now().astimezone().isoformat(timespec="seconds")
    if hardware.simulated is not None and table.drivers == SIMULATED:
        simulated_one = SimulatedOperator(hardware.simulated)
        clock = simulated_one.clock
        return run(table, hardware, events, simulated_one, began, seconds, clock, power=lambda: None)
    person = AtTerminal(len(plan(table)), table.name)
    return run(
        table, hardware, events, person, began, seconds, time.monotonic, terms.settle, power=terms.power
    )


class AtTerminal:
    """The person at the terminal who looks, answers and presses."""

    def __init__(self, steps: int, layout: str) -> None:
        self._steps = steps
        self._layout = layout
        self._step = 0

    def report_missing(self, why: str, steps: Sequence[Step]) -> None:
        """Print which part is missing; if nothing is left to test, what to do."""
        self._steps -= len(steps)
        click.echo(f"{_counted(steps)} can't be tested: {printable(why)}")
        if self._steps == 0:
            click.echo(f"Nothing is left to test; azul-table doctor --layout {self._layout} says what to do.")

    def begin(self, step: Step) -> None:
        """Print the next step."""
        self._step += 1
        match step.kind:
            case "lights":
                guide = GUIDES.get(step.pattern)
                text = f"{step.name}: {counted(len(step.lights), 'light')} {guide.shows if guide else SHOWN}"
                if guide is not None:
                    text += f" (Enter: skip)\n  look for: {guide.look_for}"
            case "buttons":
                text = f"press the button {step.name} (Enter: skip)"
            case "readers":
                text = f"lay a tag on the reader {step.name} (Enter: skip)"
        click.echo(f"[{self._step}/{self._steps}] {text}")

    def look(self, _frame: LightFrame, seconds: float) -> None:
        """Wait while the lights can be seen."""
        time.sleep(seconds)

    def judge(self, step: Step) -> str | None:
        """Ask whether the lights were right; return None to show them again, else the fault or ""."""
        answer = click.prompt(
            "  right? [y]es, [n]o, [a]gain",
            default="y",
            show_default=False,
            type=click.Choice(["y", "n", "a"]),
            show_choices=False,
        )
        if answer == "a":
            return None
        if answer == "y":
            return ""
        if guide := GUIDES.get(step.pattern):
            click.echo(f"  {guide.otherwise}")
        question = (
            "which colours did you see, in order" if step.pattern is Pattern.COLOURS else "what was wrong"
        )
        return str(click.prompt(f"  {question}", default="it was wrong"))

    def wants_to_skip(self) -> bool:
        """Return whether Enter was pressed."""
        return bool(sys.stdin.isatty() and select.select([sys.stdin], [], [], 0)[0] and sys.stdin.readline())


def _counted(steps: Sequence[Step]) -> str:
    """Return the numbers of lights, buttons and readers in some steps, as text."""
    groups = [step for step in steps if step.kind == "lights" and step.pattern is Pattern.GROUP]
    lights = sum(len(step.lights) for step in groups)
    buttons = sum(step.kind == "buttons" for step in steps)
    readers = sum(step.kind == "readers" for step in steps)
    counts = ((lights, "light"), (buttons, "button"), (readers, "reader"))
    *front, last = (counted(number, name) for number, name in counts if number)
    return f"{', '.join(front)} and {last}" if front else last


def _report_text(report: Report, path: Path) -> str:
    """Return the report as the content of a file."""
    if path.suffix == ".json":
        return json.dumps(report.to_json(), indent=1) + "\n"
    results = "\n".join(f"{it.outcome:8} {it.part}: {it.message}".rstrip(": ") for it in report.results)
    return f"{report.to_text()}\n\n{results}\n"


def _write(path: Path, text: str) -> None:
    """Write a file. Raises CommandError."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise file_error(str(path), "written", error) from None
