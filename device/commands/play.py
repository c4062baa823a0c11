"""The command `azul-table play`: the daemon, and the process of its pages."""

import errno
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import click
from msgspec.structs import astuple

from device.commands.console import CommandError, data_option, file_error, layout_option, log, reported
from device.runtime.data_folder import SOCKET, FolderInUseError, locked
from device.runtime.network import EVERYWHERE, addresses_of, url
from device.runtime.pages_process import PagesProcess
from device.runtime.systemd import ServiceManager
from hardware.api import PICO, HardwareError
from hardware.layout.model import Layout, read_layout

PORT_RETRIES: Final = 20  # every 0.1 s: the pages of a killed table may still hold the port


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
    help="The address to listen on: 127.0.0.1 for this machine only, 0.0.0.0 for the whole network.",
)
@click.option(
    "--tiles",
    type=click.Choice(["lights", "resin"]),
    default="lights",
    show_default=True,
    help="Play with lights as tiles, or with the tiles of the box, which are reported to the table.",
)
@click.option(
    "--phones",
    type=click.Choice(["auto", "look", "play"]),
    help="What phones in the network may press: every button (play), or only those without a working switch "
    "on the table (look). auto: every button if the table is simulated or its boards have no buttons.  "
    "[default: auto, or as in settings.toml]",
)
@click.option(
    "--simulate",
    type=click.Choice(["table", "pico"]),
    help="Play without hardware: a table that is only drawn, or the real firmware on a simulated Pico.",
)
def command(
    layout: str, data: Path, port: int, host: str, tiles: str, phones: str | None, simulate: str | None
) -> None:
    """Start the table with the hardware that its layout names, and its pages.

    Parts of the hardware that do not work are reported and tried again and again; the game goes on with the
    rest. Two addresses are printed: the twin is the table itself, drawn, to play on from this machine; the
    other is the page for phones. Ctrl-C ends both. The next start goes on where this one ended.
    """
    with _faults_reported(data), ExitStack() as closing:
        table_layout = _read_layout(layout, simulate)
        data = data.absolute()
        manager = ServiceManager()
        listening = closing.enter_context(manager.port() or _listen(host, port))
        runtime = closing.enter_context(locked(data))
        closing.callback(PagesProcess(runtime, SOCKET, listening, log).close)
        # Most of the program is imported here, while the pages' process starts.
        from device.runtime.assembly import PlayOptions, build_loop
        from device.runtime.settings import SettingsError, read_settings

        with reported(SettingsError):
            settings = read_settings(data)
        address = listening.getsockname()
        options = PlayOptions(tiles == "resin", phones, simulate, address[0], address[1])
        loop = build_loop(table_layout, data, runtime, settings, options, log, closing)
        closing.callback(manager.stopping)
        loop.run(partial(_ready, manager, listening), manager.alive)


@contextmanager
def _faults_reported(data: Path) -> Iterator[None]:
    """Turn faults of the data folder and the hardware into CommandError."""
    try:
        with reported(HardwareError):
            yield
    except FolderInUseError as error:
        advice = "another azul-table plays with this folder; end it, or choose another with --data"
        raise CommandError(f"{error}: {advice}") from None
    except OSError as error:
        raise file_error(str(error.filename or data), "used", error) from error


def _read_layout(name: str, simulate: str | None) -> Layout:
    """Read a layout. Raises LayoutError, and CommandError if it has no Pico that could be simulated."""
    layout = read_layout(name)
    if simulate == PICO and PICO not in astuple(layout.drivers):
        raise CommandError(
            f"--simulate pico: layout {layout.name!r} has no Pico; "
            "--simulate table plays it, drawn on the screen"
        )
    return layout


def _listen(host: str, port: int) -> socket.socket:
    """Listen for the pages: a port in use is reported before anything starts. Raises CommandError."""
    for _ in range(PORT_RETRIES):
        try:
            host.encode("idna")  # create_server would leave its socket open
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            return socket.create_server((host, port), family=family, backlog=128)
        except PermissionError as error:
            raise CommandError(f"--port {port}: only root may use this port; choose one from 1024") from error
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                reason = str(error.strerror).partition(" (while")[0]  # Python adds the address
                raise CommandError(f"--host {host}: can't be used: {reason}") from error
            time.sleep(0.1)
        except (TypeError, UnicodeError) as error:  # Python itself refuses such a name
            raise CommandError(f"--host {host}: can't be used: no machine can have such a name") from error
    raise CommandError(f"--port {port}: another program uses this port; choose another with --port")


def _ready(manager: ServiceManager, listening: socket.socket) -> None:
    """Print the addresses and notify the service manager."""
    host, port = listening.getsockname()[:2]
    everywhere = host in EVERYWHERE
    network = addresses_of(host, port).urls or (url(socket.gethostname() if everywhere else host, port),)
    click.echo(f"The table (twin): {url('127.0.0.1' if everywhere else host, port)}table")
    click.echo(f"For phones:       {network[0]}")
    manager.ready()
