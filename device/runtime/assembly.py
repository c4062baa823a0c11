"""What `azul-table play` runs, put together: the loop, the hardware, and all that works beside them."""

import os
import pwd
import signal
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from device.commands.console import Refused, Wanted, say
from device.runtime.bot_service import Thinking, manners
from device.runtime.data_folder import SOCKET
from device.runtime.grader import Grader
from device.runtime.historian import Historian
from device.runtime.loop import Daemon, Inbox, Options, Stop, Watcher
from device.runtime.settings import Settings, SettingsError, read_settings
from device.runtime.simulation import Simulated
from device.socket.server import SocketServer
from device.store import store
from hardware.api import PICO
from hardware.drivers.open import SIMULATED, Hardware, open_hardware
from hardware.drivers.pico import BridgeState
from hardware.drivers.simulated_pico import SimulatedPicoTable
from hardware.layout.model import Layout, drawing, simulated

PICO_FOLDER: Final = "pico"
"""Where the simulated Pico keeps its flash memory, beside the socket."""
UNPRIVILEGED: Final = "nobody"


def assembled(layout: Layout, data: Path, runtime: Path, wanted: Wanted, closing: ExitStack) -> Daemon:
    """The loop, which a signal ends, the rest started; `closing` takes it apart in the opposite order.

    From now on this process works in the folder `runtime`. Raises Refused for what is wrong with the
    settings, HardwareError for a simulated Pico that can't run.
    """
    try:
        settings = read_settings(data)
    except SettingsError as error:
        raise Refused(str(error)) from error
    _work_in(runtime)
    inbox: Inbox = SimpleQueue()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: inbox.put(Stop()))
    hardware, what_is_simulated = open_table(layout, inbox, wanted.simulate, Path(PICO_FOLDER))
    closing.callback(hardware.close)
    server, watchers = _start_threads(layout, data, settings, inbox, closing)
    return Daemon(
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


def _work_in(runtime: Path) -> None:
    os.chdir(runtime)  # a short path for the socket; drivers may leave their files here, too
    os.environ["LG_WD"] = str(runtime)  # lgpio, when it is loaded, takes the whole process there: here


def _start_threads(
    layout: Layout, data: Path, settings: Settings, inbox: Inbox, closing: ExitStack
) -> tuple[SocketServer, list[Watcher]]:
    """Start what works beside the loop: the socket's server, and who looks at the table after every step."""
    newest = partial(store.newest, data)
    grader = Grader(newest)
    historian = Historian(newest, settings.palette, say)
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


def _let_pages_in(path: Path) -> None:
    """Only this user may press; of root's table, the unprivileged user that the pages run as."""
    path.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(path, pwd.getpwnam(UNPRIVILEGED).pw_uid, -1)
