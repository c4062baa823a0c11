"""A program that has the lights of a Pi, for tests: reads calls, writes results and events, as JSON lines.

`fake_devices.Session` starts it.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from hardware.api import HardwareEvent, LightFrame, PartError
from hardware.drivers.neopixel import NeoPixelLights, Strip, open_strip
from hardware.drivers.neopixel_process import StripProcess
from hardware.layout.file import LightsDriver
from hardware.layout.model import read_layout

SHOW_SECONDS = 1.0
"""After which a library hangs: shorter than for players, and long enough for a busy machine."""


def say(kind: str, what: object) -> None:
    """Write a result or an event in one piece: events come from another thread."""
    os.write(1, json.dumps([kind, what]).encode() + b"\n")


def put(event: HardwareEvent) -> None:
    say("event", [type(event).__name__, getattr(event, "reason", ""), getattr(event, "message", "")])


class Session:
    """The calls that a test may make."""

    def __init__(self, pin: int, driver: LightsDriver, order: Any, *, whole: bool) -> None:
        layout = read_layout("duo")
        (chain,) = layout.chains
        self._chain = replace(chain, wire=pin, order=order)
        self._driver = driver
        self._strip: Strip | None = None
        self._lights: NeoPixelLights | None = None
        if whole:
            drivers = replace(layout.drivers, lights=driver)
            changed = replace(layout, chains=(self._chain,), drivers=drivers)
            self._lights = NeoPixelLights(changed, put, partial(open_strip, show_seconds=SHOW_SECONDS))

    def show(self, lit: dict[str, list[int]]) -> None:
        assert self._lights is not None
        self._lights.show(LightFrame({name: (red, green, blue) for name, (red, green, blue) in lit.items()}))

    def close_lights(self) -> None:
        assert self._lights is not None
        self._lights.close()

    def open(self) -> None:
        self._strip = open_strip(self._chain, self._driver, lambda: False)

    def open_process(self) -> None:
        self._strip = StripProcess(self._chain, lambda: False)

    def send(self, pixels: str) -> None:
        assert self._strip is not None
        self._strip.send(bytes.fromhex(pixels))

    def close(self) -> None:
        assert self._strip is not None
        self._strip.close()

    def descriptors(self) -> list[str]:
        """Return what this process has open."""
        return sorted(str(Path(each).readlink()) for each in Path("/proc/self/fd").iterdir() if each.exists())


def main() -> None:
    session = Session(**json.loads(sys.argv[1]))
    for line in sys.stdin:
        call, *arguments = json.loads(line)
        try:
            say("result", getattr(session, call)(*arguments))
        except PartError as error:
            say("result", [error.reason, str(error)])


if __name__ == "__main__":
    main()
