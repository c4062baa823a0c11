"""Table on a simulated Pico: the real firmware, the real serial link and the real driver.

In contrast to `SimulatedTable` nothing is shortened. A press closes a simulated contact, which bounces, is
scanned by the firmware and comes back as an event over a pseudo-terminal; a frame becomes the bytes of the
strips.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from time import monotonic, sleep
from typing import Final

from firmware_bridge.protocol import SILENCE_TIMEOUT
from firmware_bridge.simulator.process import PRESS, SimulatedPico, SimulatorError
from hardware.api import (
    LIGHTS,
    PICO,
    HardwareError,
    HardwareEvent,
    LightFrame,
    reader_part,
)
from hardware.drivers.pico import PicoDriver, PicoState
from hardware.drivers.rfid import LEAVES, encode_frame
from hardware.drivers.simulated_faults import (
    BOUNCE_EVERY,
    BUTTON,
    REPEATS,
    Fault,
    FaultSwitches,
    Kind,
    events_of,
    possible_faults,
)
from hardware.layout.model import Layout
from hardware.pixels import FrameEncoder, is_near

RELEASE: Final = 0.06
"""Seconds for which a button must be released before it can be pressed again: less is debounced."""
MAX_WAITING: Final = 16
"""Presses that may wait in the queue."""
_TAG: Final = re.compile(r"[0-9A-F]{10}")


class SimulatedPicoTable:
    """The lights, buttons and readers of a layout on a simulated Pico (drivers `Lights` and `Inputs` in one).

    `folder` keeps the Pico's flash memory; its path must be short, as paths of ports are. `watch`, `clock`,
    `leaves` and `silence` are those of `PicoDriver`; `make_pico` makes the Pico. `faults` are those of its
    parts. One process; threads: `bridge-link` of the driver, `simulated-pico` of the process,
    `simulated-hand` from the first `try_press` on, and `simulated-bounce` while a contact bounces.

    Raises HardwareError if the layout is not wired to a Pico, or if MicroPython for the simulation is
    missing.
    """

    def __init__(
        self,
        layout: Layout,
        folder: Path,
        *,
        watch: Callable[[PicoState], None] = lambda _state: None,
        clock: Callable[[], float] = monotonic,
        leaves: float = LEAVES,
        silence: float = SILENCE_TIMEOUT,
        make_pico: Callable[..., SimulatedPico] = SimulatedPico,
    ) -> None:
        self.layout = layout
        try:
            self.pico = make_pico(folder)
            self.pico.plug()
        except SimulatorError as error:
            raise HardwareError(str(error)) from error
        self.driver = PicoDriver(
            layout, self.pico.port, watch=watch, clock=clock, leaves=leaves, silence=silence
        )
        self._encoder = FrameEncoder(layout)
        self._pins = {button.name: self.pins_of(button.switch) for button in layout.buttons}
        self._readers = {reader.name: reader.pin for reader in layout.readers}
        self._presses: SimpleQueue[str | None] = SimpleQueue()
        self._hand: threading.Thread | None = None
        self._closing = False
        self._clock = clock
        self._put: Callable[[HardwareEvent], None] | None = None
        self._bouncing: dict[str, threading.Event] = {}
        named = layout.drivers
        self.faults = FaultSwitches(
            layout,
            possible_faults(
                layout,
                lights=named.lights == PICO,
                buttons=named.buttons == PICO,
                readers=named.readers == PICO,
                pico=True,
            ),
        )

    def pins_of(self, switch: int | tuple[int, int]) -> tuple[int, ...]:
        """Return the pins that a switch connects: a row and a column, or its own pin with ground."""
        if isinstance(switch, int):
            return (switch,)
        matrix = self.layout.matrix
        assert matrix is not None  # checked with the layout: a crossing has a matrix
        return matrix.rows[switch[0] - 1], matrix.columns[switch[1] - 1]

    # --- Driver ---

    def show(self, frame: LightFrame) -> None:
        """Show a frame as soon as the Pico can. Raises HardwareError for an invalid frame."""
        self.driver.show(frame)

    def start(self, put: Callable[[HardwareEvent], None]) -> None:
        """Pass every event from now on to `put`, from the thread of the link."""
        self._put = put
        self.driver.start(put)

    def close(self) -> None:
        """Close the driver and cut the Pico's power; a second call does nothing."""
        self._put = None
        for still in self._bouncing.values():
            still.set()
        if self._hand is not None:
            self._closing = True
            self._presses.put(None)
            self._hand.join()
            self._hand = None
        self.driver.close()
        self.pico.unplug()

    # --- Simulated inputs ---

    def press(self, button: str, seconds: float = PRESS) -> None:
        """Press a button for so many seconds; return at once. Raises HardwareError for an unknown one."""
        pins = self._pins.get(button)
        if pins is None:
            raise HardwareError(f"there is no button {button!r} on layout {self.layout.name!r}")
        self.pico.press(*pins, seconds=seconds)

    def try_press(self, button: str) -> bool:
        """Press a button when the presses before it are done; returns at once.

        Returns False, and presses nothing, if that would not become an event: the Pico is not connected, the
        button is muted or unknown, or too many presses are waiting.
        """
        connected = self.driver.state.connected and button in self._pins
        if not connected or self.button_dead(button):
            return False
        if self._presses.qsize() >= MAX_WAITING:
            return False
        if self._hand is None:
            self._hand = threading.Thread(target=self._press_all, name="simulated-hand", daemon=True)
            self._hand.start()
        self._presses.put(button)
        return True

    def button_dead(self, button: str) -> bool:
        """Return whether a fault keeps a press of this button from becoming an event."""
        muted = button in self.driver.state.muted
        return self._pico_dead or muted or self.faults.button_dead(button)

    @property
    def _pico_dead(self) -> bool:
        return self.faults.has(PICO) or self.faults.has(PICO, Kind.FREEZE)

    def _press_all(self) -> None:
        """Press one button after another; each is released before the next is pressed."""
        while (button := self._presses.get()) is not None and not self._closing:
            pins = self._pins[button]
            self.pico.set_switch(*pins, closed=True)
            sleep(PRESS)
            self.pico.set_switch(*pins, closed=False)
            sleep(RELEASE)

    def try_tag(self, reader: str, tag: str) -> bool:
        """Lay a tag (ten hex digits) on a reader for a moment; return False if that is no event."""
        connected = self.driver.state.connected and reader in self._readers
        if not connected or self.reader_dead(reader) or not _TAG.fullmatch(tag):
            return False
        repeats = REPEATS if self.faults.has(reader_part(reader), Kind.REPEAT) else 1
        self.pico.receive(self._readers[reader], encode_frame(tag) * repeats)
        return True

    def reader_dead(self, reader: str) -> bool:
        """Return whether a fault keeps a tag on this reader from becoming an event."""
        on_pico = reader in self._readers and reader_part(reader) in self.faults.possible
        return self.faults.has(reader_part(reader)) or (on_pico and self._pico_dead)

    # --- Faults ---

    def set_fault(self, fault: Fault, *, on: bool) -> bool:
        """Begin or end a fault; return False if it is not possible here. Returns at once.

        A Pico can't notice that a cable of lights, buttons or a reader is pulled: nothing is reported then.
        """
        if not self.faults.knows(fault):
            return False
        if fault.kind is Kind.RESTART:
            if on:
                self._let_go()
                self.pico.reset(wait=False)
        elif self.faults.switch(fault, on=on):
            self._act(fault, on=on)
        return True

    def _act(self, fault: Fault, *, on: bool) -> None:
        match fault:
            case Fault(part, Kind.UNPLUG) if part == PICO:
                self._let_go()
                if on:
                    self.pico.unplug()
                else:
                    self.pico.plug(wait=False)
            case Fault(_, Kind.FREEZE):
                self.pico.freeze(frozen=on)
            case Fault(part, Kind.HANG):
                self.pico.set_switch(*self._pins[part.removeprefix(f"{BUTTON}.")], closed=on)
            case Fault(part, Kind.BOUNCE):
                self._bounce(part.removeprefix(f"{BUTTON}."), on=on)
            case Fault(_, Kind.BROWNOUT):
                if on and not self.faults.has(PICO):
                    self._let_go()
                    self.pico.reset(wait=False)
                for event in events_of(fault, on=on, at=self._clock()):
                    if self._put is not None:
                        self._put(event)

    def _let_go(self) -> None:
        """End the faults that a reset ends: the Pico is not frozen then, and finds all buttons open."""
        for fault in self.faults.on:
            if fault.kind in (Kind.HANG, Kind.FREEZE):
                self.faults.switch(fault, on=False)

    def _bounce(self, button: str, *, on: bool) -> None:
        if not on:
            self._bouncing.pop(button).set()
            return
        still = self._bouncing[button] = threading.Event()
        threading.Thread(
            target=self._bounce_until, args=(button, still), name="simulated-bounce", daemon=True
        ).start()

    def _bounce_until(self, button: str, still: threading.Event) -> None:
        """Close and open a contact until the event `still` is set; it is open then."""
        closed = True
        while not still.wait(BOUNCE_EVERY):
            if self.faults.has(PICO, Kind.FREEZE):
                continue  # it reads nothing, and its pipe must not fill up
            self.pico.set_switch(*self._pins[button], closed=closed)
            closed = not closed
        self.pico.set_switch(*self._pins[button], closed=False)

    # --- Simulated outputs ---

    def shows(self, frame: LightFrame) -> bool:
        """Return whether the strips show this frame, with dithering; they are dark before the first.

        They are dark without power, and while their cable is pulled.
        """
        if self.faults.has(LIGHTS) or not self.pico.powered:
            return frame == LightFrame({})
        received = (
            self.pico.strips.get(chain.pin, bytes(chain.channels * chain.pixels))
            for chain in self.layout.chains
        )
        return is_near(b"".join(received), self._encoder.encode(frame))
