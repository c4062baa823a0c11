"""The checks of a layout file's drivers: each can do, with these wires, what the table needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hardware.layout_file import LayoutFile
from hardware.layout_reader import Faults, key_text
from hardware.pin_checks import switches, wires

ABLE: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "pi": {
        "lights": ("neopixel", "spi", "pwm", "pio", "simulated"),
        "buttons": ("gpio", "simulated"),
        "readers": ("rdm6300", "id-12la", "pn532", "simulated"),
    },
    "pico": dict.fromkeys(("lights", "buttons", "readers"), ("pico", "simulated")),
}
"""The drivers that each controller has for each kind of part."""
LIGHT_PINS: Final = {"spi": (10,), "pwm": (12, 13, 18, 19)}
"""Pins of a Pi that can send to lights, by how they are sent. PIO can use any."""


def check_drivers(file: LayoutFile, faults: Faults) -> None:
    """Note drivers that the controller has not, and wires that a driver can't use."""
    if file.controller is None:
        return
    for kind, able in ABLE[file.controller].items():
        named = getattr(file.drivers, kind, None)
        if named is not None and named not in able:
            names = " or ".join(f'"{driver}"' for driver in able)
            faults.add(
                f"drivers.{kind}",
                f"a {file.controller} has no driver {named!r} for its {kind}",
                f"write {names}",
            )
    _check_ports(file, faults)
    if file.controller == "pi":
        _check_lights(file, faults)
        _check_buttons(file, faults)


def _check_lights(file: LayoutFile, faults: Faults) -> None:
    driver = file.drivers.lights if file.drivers else None
    if driver == "simulated":
        return
    if len(file.chain) > 1:
        faults.add(
            "chain",
            f"a Raspberry Pi sends to lights on one data line, and there are {len(file.chain)}",
            "string all lights on one, or let a Pico send to them",
        )
    pins = LIGHT_PINS.get(driver or "", ())
    for name, chain in file.chain.items():
        if pins and chain.pin not in pins:
            able = " or ".join(f"GPIO{pin}" for pin in pins)
            faults.add(
                f"chain.{key_text(name)}.pin", f"GPIO{chain.pin} can't send by {driver}", f"take {able}"
            )


def _check_buttons(file: LayoutFile, faults: Faults) -> None:
    driver = file.drivers.buttons if file.drivers else None
    crossed = [path for path, switch in switches(file) if not isinstance(switch, int)]
    if crossed and file.matrix and driver != "simulated":  # that it is missing is noted where it is
        faults.add(
            crossed[0],
            "a Raspberry Pi scans no matrix of buttons",
            "give each button a pin of its own, or let a Pico read them",
        )


def _check_ports(file: LayoutFile, faults: Faults) -> None:
    """Note readers on ports that are none, that two of them share, or that a Pico can't have."""
    taken: dict[str, str] = {}
    for path, port in wires(file):
        if isinstance(port, int):
            continue
        if file.controller == "pico":
            faults.add(path, "a Pico has no such port", "write the number of the pin that receives")
        elif not port.startswith("/dev/") or "\0" in port:
            faults.add(path, f"{port!r} is no port", 'write its path, as "/dev/ttyUSB0"')
        elif port in taken:
            faults.add(path, f"{port} is already taken by {taken[port]}", "give each reader its own")
        taken.setdefault(port, path)
