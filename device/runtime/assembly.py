"""The parts of `azul-table play`, built and started: hardware, threads, socket server and main loop."""

import os
import pwd
import signal
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from device.runtime.bot_service import BotService, opponent_settings
from device.runtime.data_folder import SOCKET
from device.runtime.grader import Grader
from device.runtime.historian import Historian
from device.runtime.loop import Inbox, Observer, Stop, TableLoop, equipment_of
from device.runtime.network import Finder
from device.runtime.pin import AUTO, Pin, open_pin
from device.runtime.settings import Settings
from device.runtime.simulation import SimulatedParts
from device.socket.server import SocketServer
from device.socket.snapshot import Json, joining_json
from device.store import store
from device.table.access import seats_by_pages
from device.table.state import TableSettings
from hardware.api import PICO
from hardware.drivers.open import Hardware, open_hardware
from hardware.drivers.pico import PicoState
from hardware.drivers.simulated import SIMULATED
from hardware.drivers.simulated_pico import SimulatedPicoTable
from hardware.layout.model import Layout, layout_json, simulated

PICO_FOLDER: Final = "pico"  # of the simulated Pico's flash memory, next to the socket
UNPRIVILEGED: Final = "nobody"  # the user that the pages run as if the daemon runs as root

Log = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """The options of the command `play` that concern the table."""

    physical_tiles: bool = False
    phones: str | None = None  # "auto", "look" or "play"; None: as in the settings
    simulate: str | None = None  # "table" or "pico"
    host: str = "127.0.0.1"  # the address that the pages listen at
    port: int = 0


def build_loop(
    layout: Layout,
    data: Path,
    runtime: Path,
    settings: Settings,
    wanted: PlayOptions,
    log: Log,
    closing: ExitStack,
) -> TableLoop:
    """Start the hardware and all threads, and return the loop, ready to run; SIGINT and SIGTERM end it.

    `data` is the data folder, `runtime` its folder `run`, which becomes the working directory of this
    process. `log` takes one sentence. `closing` gets the calls that end what was started. Raises
    HardwareError for a simulated Pico that can't run.
    """
    os.chdir(runtime)  # the socket's path must be short; drivers may leave files here
    os.environ["LG_WD"] = str(runtime)  # lgpio changes the working directory of the whole process: to here
    inbox: Inbox = SimpleQueue()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: inbox.put(Stop()))
    hardware, simulated_parts = open_table_hardware(layout, inbox, wanted.simulate, Path(PICO_FOLDER))
    closing.callback(hardware.close)
    server, observers = _start_threads(layout, data, settings, inbox, log, closing)
    table_settings = TableSettings(
        layout.seats,
        layout.displays,
        settings.confirm_columns,
        wanted.physical_tiles,
        equipment_of(
            layout, phones_play=phones_play(layout, wanted.phones or settings.phones, wanted.simulate)
        ),
        opponent_settings(settings),
        palettes=tuple(settings.palettes),
        palette=settings.palette_name,
        brightness=settings.brightness,
    )
    return TableLoop(
        layout,
        store.newest_file(data),
        settings.palette,
        inbox,
        hardware,
        server,
        settings=table_settings,
        simulated=simulated_parts,
        observers=observers,
        log=log,
        joining=_joining(Finder(wanted.host, wanted.port), open_pin(settings.pin, data)),
        palettes=settings.palettes,
    )


def phones_play(layout: Layout, setting: str, simulate: str | None) -> bool:
    """Return whether phones may press every button.

    With "auto" they may where nobody presses anything else: on a simulated table, and on one whose boards
    have no buttons.
    """
    if setting != AUTO:
        return setting == "play"
    return simulate is not None or seats_by_pages(equipment_of(layout))


def _joining(find: Finder, pin: Pin) -> Callable[[], Json]:
    """Return a function that describes how phones join, as it is now."""

    def describe() -> Json:
        found = find()
        return joining_json(found.urls, here_only=found.here_only, pin=pin.pin, secret=pin.secret)

    return describe


def _start_threads(
    layout: Layout, data: Path, settings: Settings, inbox: Inbox, log: Log, closing: ExitStack
) -> tuple[SocketServer, list[Observer]]:
    """Start the threads beside the loop; return the socket's server and the loop's observers."""
    newest = partial(store.newest_file, data)
    grader = Grader(newest)
    historian = Historian(newest, settings.palette, log, inbox.put, palettes=settings.palettes)
    server = SocketServer(Path(SOCKET), layout_json(layout), inbox.put, historian.put)
    for part in (grader, historian, server):
        part.start()
        closing.callback(part.close)
    Path(SOCKET).chmod(0o600)  # only this user may connect
    if os.geteuid() == 0:  # only the unprivileged user of the pages, then
        os.chown(SOCKET, pwd.getpwnam(UNPRIVILEGED).pw_uid, -1)
    opponents = BotService(settings, data, inbox.put)
    closing.callback(opponents.close)
    return server, [grader.observe, opponents.observe, historian.observe]


def open_table_hardware(
    layout: Layout, inbox: Inbox, simulate: str | None, folder: Path
) -> tuple[Hardware, SimulatedParts]:
    """Open the hardware of a layout, or a simulation of it: None, "table" or "pico".

    `folder` keeps the flash memory of a simulated Pico. Raises HardwareError for one that can't run.
    """
    if simulate != PICO:
        opened = simulated(layout) if simulate else layout
        hardware = open_hardware(opened, inbox.put)
        readers = opened.drivers.readers == SIMULATED
        return hardware, SimulatedParts(readers=readers, table=hardware.simulated)
    tables: list[SimulatedPicoTable] = []

    def make_pico(
        layout: Layout, *, watch: Callable[[PicoState], None], clock: Callable[[], float]
    ) -> SimulatedPicoTable:
        tables.append(SimulatedPicoTable(layout, folder, watch=watch, clock=clock))
        return tables[0]

    hardware = open_hardware(layout, inbox.put, make_pico=make_pico)
    return hardware, SimulatedParts(readers=layout.drivers.readers in (PICO, SIMULATED), pico=tables[0])
