"""The driver of tables whose wires go to a Pico: lights, buttons and readers over its serial line.

Here names become pixels and switches, and colours become what the strips want (`StripBytes`, with the levels
of `colours`). The latest frame wins; no call waits.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import FileIO
from time import monotonic
from typing import Final

from firmware_bridge.installer import firmware_checksum
from firmware_bridge.link import Link, Lost, Reason, find_port
from firmware_bridge.messages import Identity
from firmware_bridge.protocol import (
    Connection,
    Event,
    EventsDropped,
    HealthReport,
    LogLine,
    Ready,
    Refusal,
    Refused,
    Restarted,
    SwitchChanged,
    SwitchMuted,
    TagSeen,
)
from firmware_bridge.wiring import BYTES_A_LIGHT, WiredChain, Wiring
from hardware.api import STATUS, ButtonPressed, HardwareError, InputEvent, LightFrame, Loss
from hardware.drivers.gamma import WRONG_CHANNEL, levels, unknown_light
from hardware.drivers.rfid import Presence, tag_of
from hardware.layout.model import Layout

RECORD: Final = "AZUL_TABLE_RECORD"
"""The variable of the environment that names a file for all that goes over the line."""
COLOURS: Final = "RGB"
"""The order of the colours in a frame."""


@dataclass(frozen=True, slots=True)
class BridgeState:
    """How the Pico is: `connected` when its lights follow; if not, `why` says so, and what to do.

    `loss` is the kind of that reason. `muted` are buttons that chatter and are not listened to; `outdated`
    says that the firmware is not the one of this program; `said` is what the Pico last had to say in its log.
    """

    connected: bool = False
    why: str = "the Pico has not answered yet"
    loss: Loss | None = Loss.SILENT
    identity: Identity | None = None
    outdated: bool = False
    muted: frozenset[str] = frozenset()
    said: str = ""


class Bridge:
    """The lights, buttons and readers of a layout on a Pico (drivers `Lights` and `Inputs` in one).

    `port` names the serial port; without it the one Pico that is plugged in is looked for, again and again.
    `watch` is told of every change of `state`, from the thread of the bridge. All that goes over the line is
    kept for `firmware_bridge.dump` where the variable RECORD says. Raises HardwareError if the layout's wires
    don't go to a Pico, or if that file can't be written. One thread, `bridge-link`.
    """

    def __init__(
        self,
        layout: Layout,
        port: str | None = None,
        *,
        watch: Callable[[BridgeState], None] = lambda _state: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.state = BridgeState()
        self._wiring = wiring(layout)
        self._strip_bytes = StripBytes(layout)
        self._buttons = button_of_switch(layout, self._wiring)
        self._tags = [Presence(reader.name) for reader in layout.readers]
        self._watch = watch
        self._put: Callable[[InputEvent], None] | None = None
        self._lock = threading.Lock()
        self._started = False
        self._record = _recording()
        record = self._record.write if self._record is not None else None
        connection = Connection(self._wiring, secrets.randbits(32) or 1)
        self._link = Link(connection, (lambda: port) if port else find_port, self._happened, clock, record)

    def show(self, frame: LightFrame) -> None:
        """Make the lights show this frame, as soon as the Pico can."""
        self._link.show(self._strip_bytes.of(frame))
        self._begin()

    def start(self, put: Callable[[InputEvent], None]) -> None:
        """Give every event from now on to `put`, from the thread of the bridge."""
        self._put = put
        self._begin()

    def close(self) -> None:
        """End the events and the thread; the Pico soon shows that the table is not there."""
        self._put = None
        self._link.close()
        if self._record is not None:
            self._record.close()

    def _begin(self) -> None:
        with self._lock:
            if not self._started:
                self._started = True
                self._link.start()

    # --- In the thread of the bridge ---------------------------------------------------------------------

    def _happened(self, event: Event | Lost) -> None:
        match event:
            case SwitchChanged(switch, True, at):
                button = self._buttons.get(switch)
                if button is not None:
                    self._tell([ButtonPressed(button, at)])
            case TagSeen(reader, data, at):
                tag = tag_of(data)
                if tag is not None and reader < len(self._tags):
                    self._tell(self._tags[reader].seen(tag, at))
            case HealthReport(_, at):
                for presence in self._tags:
                    self._tell(presence.passed(at))
            case Lost() | Restarted():
                for presence in self._tags:
                    presence.lost()
                self._change(event)
            case _:
                self._change(event)

    def _tell(self, events: Sequence[InputEvent]) -> None:
        put = self._put
        if put is not None:
            for event in events:
                put(event)

    def _change(self, event: Event | Lost) -> None:
        """Take in what changes the state of the bridge."""
        state = self.state
        match event:
            case Ready(identity):
                state = BridgeState(
                    connected=True,
                    why="",
                    loss=None,
                    identity=identity,
                    outdated=identity.files != firmware_checksum(),
                    muted=state.muted if event.resumed else frozenset(),
                )
            case Lost(why, reason):
                loss = LOSSES[reason]
                state = replace(state, connected=False, why=why, loss=loss)
            case Refused():
                why, loss = _refusal(event), Loss.FAILED
                state = replace(state, connected=False, why=why, loss=loss, identity=event.identity)
            case SwitchMuted(switch, muted):
                button = {self._buttons.get(switch, f"switch {switch}")}
                state = replace(state, muted=state.muted | button if muted else state.muted - button)
            case LogLine(_, text):
                state = replace(state, said=text)
            case EventsDropped(count):
                state = replace(state, said=f"{count} events came too late and are void")
        if state != self.state:
            self.state = state
            self._watch(state)


class StripBytes:
    """Makes the bytes that the strips want out of frames."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout.name
        self._chains: list[tuple[int, int, bytes]] = []
        orders: dict[str, tuple[int, int, int]] = {}
        end = 0
        for chain in layout.chains:
            start, end = end, end + BYTES_A_LIGHT * chain.pixels
            self._chains.append((start, end, levels(chain)))
            first, second, third = (COLOURS.index(colour) for colour in chain.order)
            orders[chain.name] = first, second, third
        self._size = end
        offsets = light_offsets(layout)
        self._places = {light.name: (offsets[light.name], *orders[light.chain]) for light in layout.lights}

    def of(self, frame: LightFrame) -> bytes:
        """Return the bytes of all chains, one after another; raises HardwareError for what is no frame."""
        data = bytearray(self._size)
        try:
            for light, channels in frame.lit.items():
                offset, first, second, third = self._places[light]
                data[offset : offset + BYTES_A_LIGHT] = bytes(
                    (channels[first], channels[second], channels[third])
                )
        except KeyError as error:
            raise unknown_light(error.args[0], self._layout) from None
        except ValueError:
            raise HardwareError(WRONG_CHANNEL) from None
        return b"".join(data[start:end].translate(sent) for start, end, sent in self._chains)


def _recording() -> FileIO | None:
    """Return the file that keeps what goes over the line, None where none is wanted."""
    name = os.environ.get(RECORD)
    if not name:
        return None
    try:
        return FileIO(name, "ab")
    except OSError as error:
        raise HardwareError(f"{RECORD}: {name} can't be written: {error.strerror}") from error


def light_offsets(layout: Layout) -> dict[str, int]:
    """Return where each light's bytes are, counted over all chains in the layout's order."""
    firsts: dict[str, int] = {}
    first = 0
    for chain in layout.chains:
        firsts[chain.name] = first
        first += chain.pixels
    return {light.name: BYTES_A_LIGHT * (firsts[light.chain] + light.pixel) for light in layout.lights}


def wiring(layout: Layout) -> Wiring:
    """Return a layout's wires as the Pico needs to know them; raises HardwareError if they go elsewhere."""
    if layout.controller != "pico":
        raise HardwareError(
            f"layout {layout.name!r} is wired to a {layout.controller}, not to a Pico; "
            'change its controller to "pico", or use the drivers of the Pi'
        )
    matrix = layout.matrix
    status = light_offsets(layout).get(STATUS)
    return Wiring(
        chains=tuple(WiredChain(chain.pin, chain.pixels) for chain in layout.chains),
        rows=matrix.rows if matrix else (),
        columns=matrix.columns if matrix else (),
        buttons=tuple(button.switch for button in layout.buttons if isinstance(button.switch, int)),
        readers=tuple(reader.pin for reader in layout.readers),
        status=None if status is None else status // BYTES_A_LIGHT,
    )


def button_of_switch(layout: Layout, wired: Wiring) -> dict[int, str]:
    """Return which button each of the Pico's switches is."""
    return {
        wired.button(button.switch)
        if isinstance(button.switch, int)
        else wired.matrix_switch(button.switch[0] - 1, button.switch[1] - 1): button.name
        for button in layout.buttons
    }


LOSSES: Final = {
    Reason.NO_PORT: Loss.ABSENT,
    Reason.DENIED: Loss.DENIED,
    Reason.TAKEN: Loss.BUSY,
    Reason.GONE: Loss.UNPLUGGED,
    Reason.SILENT: Loss.SILENT,
    Reason.NO_FIRMWARE: Loss.GARBLED,
    Reason.OTHER: Loss.FAILED,
}
"""What the pages call the reasons of the link."""


def _refusal(refused: Refused) -> str:
    match refused.reason:
        case Refusal.OLDER:
            return "the Pico's firmware is older than this program: `azul-table firmware install` renews it"
        case Refusal.NEWER:
            return "the Pico's firmware is newer than this program: install the newer azul-table on the Pi"
        case Refusal.WIRING:
            return f"the Pico can't use the layout's wiring ({refused.detail}): mend the layout's pins"
