"""Driver of a table that is wired to a Pico: lights, buttons and readers over its serial link.

`PicoDriver` connects the link of `firmware_bridge` with the layout: pin numbers become names, light frames
become pixel bytes. The latest frame wins; no call blocks.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Sequence
from io import FileIO
from time import monotonic
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.installer import firmware_checksum
from firmware_bridge.link import Link, Lost, Reason, find_port
from firmware_bridge.messages import Log
from firmware_bridge.protocol import (
    SILENCE_TIMEOUT,
    Connection,
    Event,
    EventsDropped,
    HealthReport,
    Ready,
    Refusal,
    Refused,
    Restarted,
    SwitchChanged,
    SwitchMuted,
    TagSeen,
)
from firmware_bridge.wiring import WiredChain, Wiring
from hardware.api import STATUS, ButtonPressed, HardwareError, InputEvent, LightFrame, Loss
from hardware.drivers.rfid import LEAVES, Presence, parse_tag
from hardware.layout.checks import NETWORK_DRIVERS
from hardware.layout.model import Layout
from hardware.pixels import DitheringEncoder, pixel_offsets

RECORD: Final = "AZUL_TABLE_RECORD"
"""Environment variable with the path of a file in which all bytes of the link are recorded."""


class PicoState(Struct, frozen=True):
    """Connection state of a Pico.

    `connected` while its lights follow. While it is not, `loss` is the kind of failure and `message` says
    why and what to do. `muted` are chattering buttons that are ignored; `outdated` is whether the firmware
    differs from the one of this program; `log` is the latest log message of the Pico.
    """

    connected: bool = False
    message: str = "the Pico has not answered yet"
    loss: Loss | None = Loss.SILENT
    outdated: bool = False
    muted: frozenset[str] = frozenset()
    log: str = ""


class PicoDriver:
    """The lights, buttons and readers of a layout on a Pico (drivers `Lights` and `Inputs` in one).

    `port` names the serial port; without it the only Pico that is plugged in is searched for, again and
    again. `watch` is called with every new `state`, from the thread of the link, `bridge-link`. A tag has
    left when it was not read for `leaves` seconds. The Pico counts as lost after `silence` seconds without a
    frame of its own. `make_link` makes the serial link, whose bytes are all recorded for
    `firmware_bridge.dump` if the environment variable RECORD is set.

    Raises HardwareError if the layout is not wired to a Pico, or if that file can't be written.
    """

    def __init__(
        self,
        layout: Layout,
        port: str | None = None,
        *,
        watch: Callable[[PicoState], None] = lambda _state: None,
        clock: Callable[[], float] = monotonic,
        leaves: float = LEAVES,
        silence: float = SILENCE_TIMEOUT,
        make_link: Callable[..., Any] = Link,
    ) -> None:
        self.state = PicoState()
        self._wiring = wiring(layout)
        self._encoder = DitheringEncoder(layout, clock)
        self._buttons = button_of_switch(layout, self._wiring)
        self._readers = [Presence(reader.name, leaves) for reader in layout.readers]
        self._watch = watch
        self._put: Callable[[InputEvent], None] | None = None
        self._lock = threading.Lock()
        self._started = False
        self._record = _open_record()
        record = self._record.write if self._record is not None else None
        connection = Connection(self._wiring, secrets.randbits(32) or 1, silence)
        ports = (lambda: port) if port else find_port
        self._link = make_link(connection, ports, self.receive, clock, record)

    def show(self, frame: LightFrame) -> None:
        """Show a frame as soon as the Pico can. Raises HardwareError for an invalid frame."""
        self._link.show(self._encoder.encode(frame))
        self._start_link()

    def start(self, put: Callable[[InputEvent], None]) -> None:
        """Pass every event from now on to `put`, from the thread of the link."""
        self._put = put
        self._start_link()

    def close(self) -> None:
        """Stop the events and the thread; the Pico notices the missing heartbeat."""
        self._put = None
        self._link.close()
        if self._record is not None:
            self._record.close()

    def _start_link(self) -> None:
        with self._lock:
            if not self._started:
                self._started = True
                self._link.start()

    # --- In the thread of the link ---

    def receive(self, event: Event | Lost) -> None:
        """Handle an event of the link."""
        match event:
            case SwitchChanged(switch, True, at):
                button = self._buttons.get(switch)
                if button is not None:
                    self._put_all([ButtonPressed(button, at)])
            case TagSeen(reader, data, at):
                tag = parse_tag(data)
                if tag is not None and reader < len(self._readers):
                    self._put_all(self._readers[reader].seen(tag, at))
            case HealthReport(_, at):
                for presence in self._readers:
                    self._put_all(presence.passed(at))
            case Lost() | Restarted():
                for presence in self._readers:
                    presence.lost()
                self._update_state(event)
            case _:
                self._update_state(event)

    def _put_all(self, events: Sequence[InputEvent]) -> None:
        put = self._put
        if put is not None:
            for event in events:
                put(event)

    def _update_state(self, event: Event | Lost) -> None:
        """Apply an event to the state; call `watch` if the state changes."""
        state = self.state
        match event:
            case Ready(identity):
                state = PicoState(
                    connected=True,
                    message="",
                    loss=None,
                    outdated=identity.files != firmware_checksum(),
                    muted=state.muted if event.resumed else frozenset(),
                )
            case Lost(message, reason):
                state = replace(state, connected=False, message=message, loss=LOSS_OF_REASON[reason])
            case Refused():
                message = _refusal_message(event)
                state = replace(state, connected=False, message=message, loss=Loss.FAILED)
            case SwitchMuted(switch, muted):
                button = {self._buttons.get(switch, f"switch {switch}")}
                state = replace(state, muted=state.muted | button if muted else state.muted - button)
            case Log(_, text):
                state = replace(state, log=text)
            case EventsDropped(count):
                state = replace(state, log=f"{count} events were dropped because they arrived too late")
        if state != self.state:
            self.state = state
            self._watch(state)


def _open_record() -> FileIO | None:
    """Open the file that records the link; return None if RECORD is not set."""
    name = os.environ.get(RECORD)
    if not name:
        return None
    try:
        return FileIO(name, "ab")
    except OSError as error:
        raise HardwareError(f"{RECORD}: {name} can't be written: {error.strerror}") from error


# --- Wiring of a layout ----------------------------------------------------------------------------------


def wiring(layout: Layout) -> Wiring:
    """Return the wiring of a layout for the Pico. Raises HardwareError if it is wired to something else."""
    if layout.controller != "pico":
        raise HardwareError(
            f"layout {layout.name!r} is wired to a {layout.controller}, not to a Pico; "
            'change its controller to "pico", or use the drivers of the Pi'
        )
    matrix, offsets = layout.matrix, pixel_offsets(layout)
    wired = layout.drivers.lights not in NETWORK_DRIVERS
    chains = layout.chains if wired else ()
    return Wiring(
        chains=tuple(WiredChain(chain.pin, chain.pixels, chain.channels) for chain in chains),
        rows=matrix.rows if matrix else (),
        columns=matrix.columns if matrix else (),
        buttons=tuple(button.switch for button in layout.buttons if isinstance(button.switch, int)),
        readers=tuple(reader.pin for reader in layout.readers),
        status=sorted(offsets.values()).index(offsets[STATUS]) if wired else None,  # every pixel has a light
    )


def button_of_switch(layout: Layout, wired: Wiring) -> dict[int, str]:
    """Return the name of the button on each switch number of the Pico."""
    return {
        wired.button(button.switch)
        if isinstance(button.switch, int)
        else wired.matrix_switch(button.switch[0] - 1, button.switch[1] - 1): button.name
        for button in layout.buttons
    }


# --- Messages --------------------------------------------------------------------------------------------

LOSS_OF_REASON: Final = {
    Reason.NO_PORT: Loss.ABSENT,
    Reason.DENIED: Loss.DENIED,
    Reason.TAKEN: Loss.BUSY,
    Reason.GONE: Loss.UNPLUGGED,
    Reason.SILENT: Loss.SILENT,
    Reason.NO_FIRMWARE: Loss.GARBLED,
    Reason.OTHER: Loss.FAILED,
}


def _refusal_message(refused: Refused) -> str:
    match refused.reason:
        case Refusal.OLDER:
            return "the Pico's firmware is older than this program: `azul-table firmware install` updates it"
        case Refusal.NEWER:
            return "the Pico's firmware is newer than this program: install the newer azul-table on the Pi"
        case Refusal.WIRING:
            return (
                f"the Pico can't use the wiring of the layout ({refused.detail}): correct the layout's pins"
            )
