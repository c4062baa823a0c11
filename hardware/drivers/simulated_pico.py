"""A table on a simulated Pico: the real firmware, the real line and the real bridge; hands and eyes are here.

It is `SimulatedTable`'s stricter brother. A press closes a simulated contact, which bounces through the
firmware's own scanning, over a pseudo-terminal and the bridge, until it comes out as an event; a frame goes
all the way to the bytes that the strips get.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from time import monotonic, sleep
from typing import Final

from firmware_bridge.simulator.process import PICO, PRESS, SimulatedPico, SimulatorError
from hardware.api import HardwareError, HardwareEvent, LightFrame
from hardware.drivers.pico import Bridge, BridgeState, StripBytes
from hardware.drivers.rfid import frame_of
from hardware.layout.model import Layout

REST: Final = 0.06
"""Seconds that a button must be let go before it can be pressed again: what is shorter is bouncing."""
MOST_WAITING: Final = 16
"""Presses that wait for those before them."""
_TAG: Final = re.compile(r"[0-9A-F]{10}")


class SimulatedPicoTable:
    """The lights, buttons and readers of a layout on a simulated Pico (drivers `Lights` and `Inputs` in one).

    `folder` keeps the Pico's flash memory; its path must not be long, as ports' paths are. Raises
    HardwareError if the layout's wires don't go to a Pico, or if MicroPython for the simulation is missing.
    One process; threads: `bridge-link` of the bridge, `simulated-pico` of the process, and `simulated-hand`
    once something was pressed by `pass_press`.
    """

    def __init__(
        self,
        layout: Layout,
        folder: Path,
        *,
        watch: Callable[[BridgeState], None] = lambda _state: None,
        board: str = PICO,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.layout = layout
        try:
            self.pico = SimulatedPico(folder, board=board)
            self.pico.plug()
        except SimulatorError as error:
            raise HardwareError(str(error)) from error
        self.bridge = Bridge(layout, self.pico.port, watch=watch, clock=clock)
        self._strip_bytes = StripBytes(layout)
        self._pins = {button.name: self._pins_of(button.switch) for button in layout.buttons}
        self._readers = {reader.name: reader.pin for reader in layout.readers}
        self._presses: SimpleQueue[str | None] = SimpleQueue()
        self._hand: threading.Thread | None = None
        self._ending = False

    def _pins_of(self, switch: int | tuple[int, int]) -> tuple[int, ...]:
        """Return the pins that a button connects: a row and a column, or its own with ground."""
        if isinstance(switch, int):
            return (switch,)
        matrix = self.layout.matrix
        assert matrix is not None  # the layout was checked: a crossing has a matrix
        return matrix.rows[switch[0] - 1], matrix.columns[switch[1] - 1]

    # --- Driver ------------------------------------------------------------------------------------------

    def show(self, frame: LightFrame) -> None:
        """Make the lights show this frame, as soon as the Pico can."""
        self.bridge.show(frame)

    def start(self, put: Callable[[HardwareEvent], None]) -> None:
        """Give every event from now on to `put`, from the thread of the bridge."""
        self.bridge.start(put)

    def close(self) -> None:
        """End the bridge and take the Pico's power; a second call does nothing."""
        if self._hand is not None:
            self._ending = True
            self._presses.put(None)
            self._hand.join()
            self._hand = None
        self.bridge.close()
        self.pico.close()

    # --- Hands -------------------------------------------------------------------------------------------

    def press(self, button: str, seconds: float = PRESS) -> None:
        """Press a button and let it go; returns at once. Raises HardwareError if there is no such button."""
        pins = self._pins.get(button)
        if pins is None:
            raise HardwareError(
                f"there is no button {button!r} on layout {self.layout.name!r}; "
                "its buttons are named in the layout"
            )
        self.pico.press(*pins, seconds=seconds)

    def show_tag(self, reader: str, tag: str) -> None:
        """Lay a tag (ten hex digits) on a reader for a moment; raises HardwareError if there is none such."""
        pin = self._readers.get(reader)
        if pin is None:
            raise HardwareError(f"there is no reader {reader!r} on layout {self.layout.name!r}")
        self.pico.receive(pin, frame_of(tag))

    def pass_press(self, button: str) -> bool:
        """Press a button after those before it, as one hand does; returns at once.

        False, and nothing is pressed, where that would not become an event: the Pico is not there, the button
        is muted or none of this table's, or too many presses wait.
        """
        state = self.bridge.state
        if not state.connected or button in state.muted or button not in self._pins:
            return False
        if self._presses.qsize() >= MOST_WAITING:
            return False
        if self._hand is None:
            self._hand = threading.Thread(target=self._press_all, name="simulated-hand", daemon=True)
            self._hand.start()
        self._presses.put(button)
        return True

    def _press_all(self) -> None:
        """Press one button after another: however late this thread is, a finger leaves before the next."""
        while (button := self._presses.get()) is not None and not self._ending:
            pins = self._pins[button]
            self.pico.set_switch(*pins, closed=True)
            sleep(PRESS)
            self.pico.set_switch(*pins, closed=False)
            sleep(REST)

    def pass_tag(self, reader: str, tag: str) -> bool:
        """Lay a tag on a reader for a moment; False where that would not become an event."""
        if not self.bridge.state.connected or reader not in self._readers or not _TAG.fullmatch(tag):
            return False
        self.show_tag(reader, tag)
        return True

    @property
    def plugged(self) -> bool:
        """Whether the Pico has power."""
        return self.pico.powered

    def plug(self, *, plugged: bool) -> None:
        """Plug the Pico in, or pull it out; returns at once."""
        if plugged:
            self.pico.plug(wait=False)
        else:
            self.pico.unplug()

    # --- Eyes --------------------------------------------------------------------------------------------

    @property
    def strip_bytes(self) -> bytes:
        """What all strips were sent last, one chain after another; dark where nothing was sent yet."""
        return b"".join(
            self.pico.strips.get(chain.pin, bytes(3 * chain.pixels)) for chain in self.layout.chains
        )

    def shows(self, frame: LightFrame) -> bool:
        """Tell whether the strips show exactly this frame."""
        return self.strip_bytes == self._strip_bytes.of(frame)
