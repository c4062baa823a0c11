"""The command `azul-table firmware`: install the firmware on the Pico, or show which one runs there."""

import json
from typing import NamedTuple

import click
from msgspec.structs import asdict

from device.commands.console import CommandError, json_option, reported
from firmware_bridge import installer
from firmware_bridge.firmware import VERSION
from firmware_bridge.installer import InstallError, firmware_checksum
from firmware_bridge.link import PortError, find_port
from firmware_bridge.messages import Identity

PORT = click.option("--port", metavar="PATH", help="The Pico's serial port.  [default: that of the one Pico]")


class Timeouts(NamedTuple):
    """Seconds to wait for the firmware; another one may be given as the object of click's context."""

    reply: float = installer.REPLY_TIMEOUT
    start: float = installer.START_TIMEOUT


@click.group()
def command() -> None:
    """Install the firmware on the Pico, or show which one runs there.

    The Pico needs MicroPython first: hold BOOTSEL while you plug it in, and copy the file of MicroPython for
    your board (micropython.org/download) to the drive that appears.
    """


@command.command()
@PORT
@click.pass_obj
def install(timeouts: Timeouts | None, port: str | None) -> None:
    """Copy the firmware to the Pico, start it, and check that it runs."""
    with reported(InstallError):
        identity = installer.install(_chosen(port), click.echo, start_timeout=(timeouts or Timeouts()).start)
    click.echo(in_words(identity))


@command.command()
@PORT
@json_option()
@click.pass_obj
def info(timeouts: Timeouts | None, port: str | None, *, as_json: bool) -> None:
    """Show which firmware the Pico runs; exit status 1 if none, or not that of this program."""
    path = _chosen(port)
    with reported(InstallError):
        identity = installer.identify(path, (timeouts or Timeouts()).reply)
    same = identity.files == firmware_checksum()
    if as_json:
        click.echo(json.dumps({"port": path, **asdict(identity), "same": same}))
    else:
        click.echo(in_words(identity))
    if not same:
        raise CommandError(
            f"this program has other files (firmware {VERSION}): `azul-table firmware install` copies them"
        )


def in_words(identity: Identity) -> str:
    """Return one line such as `Raspberry Pi Pico with RP2040: firmware 2.0.0, protocol 2, wiring known`."""
    wiring = "wiring known" if identity.wiring else "no wiring yet"
    return f"{identity.board}: firmware {identity.version}, protocol {identity.newest}, {wiring}"


def _chosen(port: str | None) -> str:
    """Return the port, or that of the only Pico. Raises CommandError."""
    with reported(PortError):
        return port or find_port()
