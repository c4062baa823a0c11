"""The command `azul-table doctor`: check the table's hardware on this machine."""

import json

import click

from device.bots import compiled_core
from device.commands.console import json_option, layout_option, printable, reported
from hardware.api import LayoutError
from hardware.diagnostics.doctor import Finding, Status, examine
from hardware.diagnostics.probe import probe
from hardware.drivers.raspberry_pi import Machine
from hardware.layout.model import read_layout, simulated

MARKS = {Status.FINE: "ok   ", Status.FAULT: "FAULT", Status.GUESS: "maybe", Status.LOOK: "look "}


@click.command()
@layout_option()
@click.option(
    "--simulate", type=click.Choice(["table"]), help="Check the simulated table instead of the real one."
)
@json_option()
@click.pass_obj
def command(machine: Machine | None, layout: str, simulate: str | None, *, as_json: bool) -> None:
    """Check the table's hardware on this machine, and print how to fix each fault.

    Devices, pins, groups, config.txt, libraries and power are checked, and likely faults of the wiring are
    named. If the service is installed, the checks are for its user. Faults are listed in the order in which
    to fix them, each with the command that does it; "look" marks what only a person can see. Nothing is
    changed. End `azul-table play` first: only one program can use pins and ports. Exit status 1 if there is a
    fault.
    """
    with reported(LayoutError):
        table = read_layout(layout)
    if simulate:
        table = simulated(table)
    machine = machine or Machine()  # another one may be the object of click's context
    findings = examine(table, machine)
    bad = {finding.part for finding in findings if finding.state is Status.FAULT}
    findings.append(core())
    if not machine.runs_table:  # `examine` says so
        findings += probe(table, usable=lambda part: not bad & {part, "board", "libraries", "restart"})
    faults = len([finding for finding in findings if finding.state is Status.FAULT])
    if as_json:
        result = {
            "layout": table.name,
            "faults": faults,
            "findings": [finding.to_json() for finding in findings],
        }
        click.echo(json.dumps(result))
    else:
        for finding in findings:
            click.echo(in_words(finding))
        click.echo(summary(faults))
    if faults:
        raise SystemExit(1)


def core() -> Finding:
    """Return whether the bots use the compiled core; without it they are slower."""
    message, _, remedy = compiled_core.description().partition(": ")
    return Finding("core", Status.GUESS if remedy else Status.FINE, message, remedy)


def in_words(finding: Finding) -> str:
    """Return a finding as one or two lines."""
    line = f"{MARKS[finding.state]}  {finding.part}: {printable(finding.message)}"
    word = "test" if finding.state is Status.LOOK else "fix"
    return f"{line}\n       {word}: {printable(finding.remedy)}" if finding.remedy else line


def summary(faults: int) -> str:
    """Return the last line: how many faults there are, and what to do next."""
    if not faults:
        return "No fault found. `azul-table selftest` tries every light, button and reader."
    if faults == 1:
        return "1 fault. Fix it, then run `azul-table doctor` again."
    return f"{faults} faults. Fix them from the top, then run `azul-table doctor` again."
