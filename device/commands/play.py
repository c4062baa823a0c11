"""`azul-table play`: the daemon and its pages."""

import errno
import os
import pwd
import signal
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import click

from device import store
from device.commands.console import Refused, say
from device.commands.options import data_option, layout_option
from device.config import Settings, SettingsError, read_settings
from device.daemon import Daemon, Inbox, Options, Stop, Watcher
from device.data_folder import SOCKET, TakenError, taken
from device.grader import Grader
from device.historian import Historian
from device.pages_process import PagesProcess
from device.service import Manager
from device.simulation import Simulated
from device.socket_server import SocketServer
from device.thinking import Thinking, manners
from hardware.api import PICO, HardwareError, LayoutError
from hardware.bridge import BridgeState
from hardware.layout import Layout, drawing, read_layout, simulated
from hardware.opening import SIMULATED, Hardware, open_hardware
from hardware.sim_pico import SimulatedPicoTable

PICO_FOLDER: Final = "pico"
"""Where the simulated Pico keeps its flash memory, beside the socket."""
UNPRIVILEGED: Final = "nobody"
PORT_RETRIES: Final = 20
"""Tenths of a second that a port may still be held by the pages of a table that was killed."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line wants of the table, beside its layout and its folder."""

    host: str
    port: int
    resin: bool
    phones: str | None
    simulate: str | None


@click.command()
@layout_option
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
    except (LayoutError, SettingsError, HardwareError) as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"{error.filename or data}: can't be used: {error.strerror}") from error


def _play(layout: Layout, data: Path, wanted: Wanted, closing: ExitStack) -> None:
    """Put the table together and let it run; `closing` takes it apart, in the opposite order."""
    manager = Manager()
    listening = closing.enter_context(manager.port() or _listen(wanted.host, wanted.port))
    runtime = closing.enter_context(taken(data))
    settings = read_settings(data)
    closing.callback(PagesProcess(runtime, SOCKET, listening, say).close)
    _work_in(runtime)
    inbox: Inbox = SimpleQueue()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: inbox.put(Stop()))
    hardware, what_is_simulated = open_table(layout, inbox, wanted.simulate, Path(PICO_FOLDER))
    closing.callback(hardware.close)
    server, watchers = _start_threads(layout, data, settings, inbox, closing)
    daemon = Daemon(
        layout,
        store.newest(data),
        settings.palette,
        inbox,
        hardware,
        server,
        options=_options(settings, wanted, what_is_simulated),
        watchers=watchers,
        say=say,
    )
    closing.callback(manager.stopping)

    def ready() -> None:
        _print_addresses(listening)
        manager.ready()

    daemon.run(ready, manager.alive)


def _work_in(runtime: Path) -> None:
    os.chdir(runtime)  # a short path for the socket; drivers may leave their files here, too
    os.environ["LG_WD"] = str(runtime)  # lgpio, when it is loaded, takes the whole process there: here


def _start_threads(
    layout: Layout, data: Path, settings: Settings, inbox: Inbox, closing: ExitStack
) -> tuple[SocketServer, list[Watcher]]:
    """Start what works beside the loop: the socket's server, and who looks at the table after every step."""
    newest = partial(store.newest, data)
    grader = Grader(newest)
    historian = Historian(newest, settings.palette)
    server = SocketServer(Path(SOCKET), drawing(layout), inbox.put, historian.put)
    for part in (grader, historian, server):
        part.start()
        closing.callback(part.close)
    _let_pages_in(Path(SOCKET))
    opponents = Thinking(settings, data, inbox.put)
    closing.callback(opponents.close)
    return server, [grader, opponents]


def _options(settings: Settings, wanted: Wanted, what_is_simulated: Simulated) -> Options:
    """How the table is played; what the command line says goes before the settings."""
    phones_play = settings.phones_play if wanted.phones is None else wanted.phones == "play"
    return Options(
        settings.confirm_columns,
        resin=wanted.resin,
        phones_play=phones_play,
        simulated=what_is_simulated,
        manners=manners(settings),
    )


def open_table(
    layout: Layout, inbox: Inbox, simulate: str | None, folder: Path
) -> tuple[Hardware, Simulated]:
    """Open what the layout names, or what is simulated in its place because somebody asked for that.

    `folder` keeps the flash memory of a simulated Pico. Raises HardwareError where that can't run.
    """
    if simulate != PICO:
        opened = simulated(layout) if simulate else layout
        return open_hardware(opened, inbox.put), Simulated(readers=opened.drivers.readers == SIMULATED)
    tables: list[SimulatedPicoTable] = []

    def make_pico(
        layout: Layout, *, watch: Callable[[BridgeState], None], clock: Callable[[], float]
    ) -> SimulatedPicoTable:
        tables.append(SimulatedPicoTable(layout, folder, watch=watch, clock=clock))
        return tables[0]

    hardware = open_hardware(layout, inbox.put, make_pico=make_pico)
    return hardware, Simulated(readers=layout.drivers.readers in (PICO, SIMULATED), pico=tables[0])


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
    raise Refused(f"--port {port}: another program uses this port; choose another with --port")


def _let_pages_in(path: Path) -> None:
    """Only this user may press; of root's table, the unprivileged user that the pages run as."""
    path.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(path, pwd.getpwnam(UNPRIVILEGED).pw_uid, -1)


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
