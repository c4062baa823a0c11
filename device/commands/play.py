"""`azul-table play`: the daemon and its pages."""

import errno
import socket
import time
from contextlib import ExitStack
from dataclasses import astuple
from pathlib import Path
from typing import Final

import click

from device.commands.console import Refused, Wanted, data_option, layout_option, say
from device.runtime.data_folder import SOCKET, TakenError, taken
from device.runtime.pages_process import PagesProcess
from device.runtime.systemd import Manager
from hardware.api import PICO, HardwareError
from hardware.layout.model import Layout, read_layout

PORT_RETRIES: Final = 20
"""Tenths of a second that a port may still be held by the pages of a table that was killed."""


@click.command()
@layout_option()
@data_option("The folder of saved games and settings; made if missing.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="The pages' port."
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Who may look: 127.0.0.1 is this machine only, 0.0.0.0 is everybody in the network.",
)
@click.option(
    "--tiles",
    type=click.Choice(["lights", "resin"]),
    default="lights",
    show_default=True,
    help="Whether the lights are the tiles, or the box's own tiles lie on the table and are told to it.",
)
@click.option(
    "--phones",
    type=click.Choice(["look", "play"]),
    help="Whether phones in the network may press every button, or only those that the table has no working "
    "switch for.  [default: look, or as settings.toml says]",
)
@click.option(
    "--simulate",
    type=click.Choice(["table", "pico"]),
    help="Play without the hardware: a table that is drawn only, or the real firmware on a simulated Pico.",
)
def command(
    layout: str,
    data: Path,
    port: int,
    host: str,
    tiles: str,
    phones: str | None,
    simulate: str | None,
) -> None:
    """Start the table with the hardware that its layout names, and its pages.

    What of it does not work is said, and tried again and again; play goes on with what is left. Two addresses
    are printed: the twin is the table itself, drawn, to play on from this machine; the other is the page for
    phones. Ctrl-C ends both, and the next start goes on where this one ended.
    """
    try:
        table_layout = read_layout(layout)
        if simulate == PICO and PICO not in astuple(table_layout.drivers):
            raise Refused(
                f"--simulate pico: layout {table_layout.name!r} has no Pico; "
                "--simulate table plays it, drawn on the screen"
            )
        wanted = Wanted(host, port, tiles == "resin", phones, simulate)
        with ExitStack() as closing:
            _play(table_layout, data.absolute(), wanted, closing)
    except TakenError as error:
        raise Refused(
            f"{error}: another azul-table plays with this folder; end it, or choose another with --data"
        ) from None
    except HardwareError as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"{error.filename or data}: can't be used: {error.strerror}") from error


def _play(layout: Layout, data: Path, wanted: Wanted, closing: ExitStack) -> None:
    """Put the table together and let it run; `closing` takes it apart, in the opposite order."""
    manager = Manager()
    listening = closing.enter_context(manager.port() or _listen(wanted.host, wanted.port))
    runtime = closing.enter_context(taken(data))
    closing.callback(PagesProcess(runtime, SOCKET, listening, say).close)
    from device.runtime.assembly import assembled  # most of the table: it loads while the pages start

    daemon = assembled(layout, data, runtime, wanted, closing)
    closing.callback(manager.stopping)

    def ready() -> None:
        _print_addresses(listening)
        manager.ready()

    daemon.run(ready, manager.alive)


def _listen(host: str, port: int) -> socket.socket:
    """Listen for the pages; they get the socket, so that a taken port is known before anything starts."""
    for _ in range(PORT_RETRIES):
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            return socket.create_server((host, port), family=family, backlog=128)
        except PermissionError as error:
            raise Refused(f"--port {port}: only root may use this port; choose one from 1024") from error
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                reason = str(error.strerror).partition(" (while")[0]  # Python adds the address
                raise Refused(f"--host {host}: can't be used: {reason}") from error
            time.sleep(0.1)
        except (TypeError, UnicodeError) as error:  # by Python, before anybody is asked
            raise Refused(f"--host {host}: can't be used: no machine can have such a name") from error
    raise Refused(f"--port {port}: another program uses this port; choose another with --port")


def _print_addresses(listening: socket.socket) -> None:
    host, port = listening.getsockname()[:2]
    everywhere = host in ("0.0.0.0", "::")
    here = f"[{host}]" if ":" in host else host
    click.echo(f"The table (twin): http://{'127.0.0.1' if everywhere else here}:{port}/table")
    click.echo(f"For phones:       http://{_own_address() if everywhere else here}:{port}/")


def _own_address() -> str:
    """The address of this machine in its network, as far as it knows; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address kept for documentation
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])
