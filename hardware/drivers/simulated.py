"""The simulated table: a driver like any other, chosen by name, whose lights and buttons exist only here.

It serves the twin on the screen and the tests alike. What a hand can do to a table is `press` and `show_tag`;
what an eye can see is `colour`, `frame` and `frames_shown`. It never waits and starts no thread: a press is
handed to the listener before `press` returns.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import chain
from time import monotonic

from hardware.api import ButtonPressed, HardwareError, InputEvent, LightFrame, Rgb, TagArrived, TagLeft
from hardware.drivers.gamma import WRONG_CHANNEL, unknown_light
from hardware.layout.model import Layout


class SimulatedTable:
    """The lights and the buttons of a layout without the wires (drivers `Lights` and `Inputs` in one).

    It is as strict as a real table: a light that the layout has not, or a channel beyond 0 to 255, raises
    HardwareError and leaves the lights as they were. Every method may be called from any thread.
    """

    def __init__(self, layout: Layout, clock: Callable[[], float] = monotonic) -> None:
        self.layout = layout
        self._clock = clock
        self._light_names = frozenset(light.name for light in layout.lights)
        self._button_names = frozenset(button.name for button in layout.buttons)
        self._reader_names = frozenset(reader.name for reader in layout.readers)
        self._lock = threading.Lock()
        self._frame = LightFrame({})
        self._frames_shown = 0
        self._put: Callable[[InputEvent], None] | None = None

    def show(self, frame: LightFrame) -> None:
        """Make the lights show this frame."""
        if not frame.lit.keys() <= self._light_names:
            raise unknown_light(min(frame.lit.keys() - self._light_names), self.layout.name)
        try:
            bytes(chain.from_iterable(frame.lit.values()))
        except ValueError:
            raise HardwareError(WRONG_CHANNEL) from None
        with self._lock:
            self._frame = frame
            self._frames_shown += 1

    def start(self, put: Callable[[InputEvent], None]) -> None:
        """Give every press from now on to `put`, in the thread of whoever presses."""
        self._put = put

    def close(self) -> None:
        """End the presses; the lights keep what they show, as a strip of lights does.

        The table is lights and inputs in one: either may be closed first, and twice does no harm.
        """
        self._put = None

    def press(self, button: str) -> None:
        """Press a button, as a hand would; raise HardwareError if there is none, or nobody listens."""
        if button not in self._button_names:
            raise HardwareError(
                f"there is no button {button!r} on layout {self.layout.name!r}; "
                "its buttons are named in the layout"
            )
        put = self._put
        if put is None:
            raise HardwareError(f"nobody listens to button {button!r}; start the table's inputs first")
        put(ButtonPressed(button, self._clock()))

    def show_tag(self, reader: str, tag: str) -> None:
        """Lay a tag on a reader and take it off again; raise HardwareError if there is no such reader."""
        if reader not in self._reader_names:
            raise HardwareError(f"there is no reader {reader!r} on layout {self.layout.name!r}")
        put = self._put
        if put is None:
            raise HardwareError(f"nobody listens to reader {reader!r}; start the table's inputs first")
        put(TagArrived(reader, tag, self._clock()))
        put(TagLeft(reader, tag, self._clock()))

    def colour(self, light: str) -> Rgb:
        """Return what a light shows; raise HardwareError if there is no such light."""
        if light not in self._light_names:
            raise HardwareError(f"there is no light {light!r} on layout {self.layout.name!r}")
        return self._frame.colour(light)

    @property
    def frame(self) -> LightFrame:
        """The frame shown last; all dark before the first."""
        return self._frame

    @property
    def frames_shown(self) -> int:
        """How many frames were shown so far."""
        return self._frames_shown
