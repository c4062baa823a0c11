"""`azul-table doctor`: what the table's hardware lacks on this machine, and what mends it."""

import json

import click

from device.bots import compiled_core
from device.commands.console import CommandError, json_option, layout_option, printable
from hardware.api import LayoutError
from hardware.diagnostics.doctor import Finding, Status, examine
from hardware.diagnostics.probe import probe
from hardware.drivers.raspberry_pi import Machine
from hardware.layout.model import read_layout, simulated

MARKS = {Status.FINE: "ok   ", Status.FAULT: "FAULT", Status.GUESS: "maybe"}


@click.command()
@layout_option()
@click.option(
    "--simulate", type=click.Choice(["table"]), help="Examine the simulated table instead of the real one."
)
@json_option()
def command(layout: str, simulate: str | None, *, as_json: bool) -> None:
    """Say what the table's hardware lacks on this machine, and what mends it.

    Devices, groups, config.txt, libraries and power are examined, and guesses are made at the wires. Each
    fault comes with the line that mends it, in the order to mend them. Nothing is changed. End `azul-table
    play` first: pins and ports can be listened to by one program only. Exit status 1 if there is a fault.
    """
    try:
        table = read_layout(layout)
    except LayoutError as error:
        raise CommandError(str(error)) from error
    if simulate:
        table = simulated(table)
    findings = examine(table, Machine())
    bad = {finding.part for finding in findings if finding.state is Status.FAULT}
    findings.append(core())
    findings += probe(table, usable=lambda part: not bad & {part, "board", "libraries", "restart"})
    faults = len([finding for finding in findings if finding.state is Status.FAULT])
    if as_json:
        told = {
            "layout": table.name,
            "faults": faults,
            "findings": [finding.to_json() for finding in findings],
        }
        click.echo(json.dumps(told))
    else:
        for finding in findings:
            click.echo(in_words(finding))
        click.echo(summary(faults))
    if faults:
        raise SystemExit(1)


def core() -> Finding:
    """Whether the bots think as fast as they can here; they play without it."""
    told, _, mend = compiled_core.description().partition(": ")
    return Finding("core", Status.GUESS if mend else Status.FINE, told, mend)


def in_words(finding: Finding) -> str:
    """A finding in one or two lines."""
    line = f"{MARKS[finding.state]}  {finding.part}: {printable(finding.message)}"
    return f"{line}\n       mend: {printable(finding.remedy)}" if finding.remedy else line


def summary(faults: int) -> str:
    """How it is in all, and what to do next."""
    if not faults:
        return "No fault found. `azul-table selftest` tries every light, button and reader."
    if faults == 1:
        return "1 fault. Mend it, then run `azul-table doctor` again."
    return f"{faults} faults. Mend them from the top, then run `azul-table doctor` again."
