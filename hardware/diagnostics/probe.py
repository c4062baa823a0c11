"""What only the parts can tell: pins and ports are listened to while nobody touches them, a Pico is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from time import monotonic
from typing import Final

from firmware_bridge.installer import InstallError, NoFirmwareError, firmware_checksum, identify
from firmware_bridge.link import find_port
from firmware_bridge.messages import Identity
from hardware.api import PICO, PartError
from hardware.diagnostics.doctor import Finding, State
from hardware.drivers.gpio import PinFactory, real_pins
from hardware.drivers.rfid import BAUD, TagFrames, open_port, port_of
from hardware.drivers.supervisor import loss_of
from hardware.layout.model import Layout, Reader

LISTEN: Final = 1.0
"""Seconds that a reader is listened to."""
FEW: Final = 3
"""Closed buttons that are named one by one."""


def probe(
    layout: Layout,
    sound: Callable[[str], bool],
    pins: Callable[[], PinFactory] = real_pins,
    port_of: Callable[[Reader], str] = port_of,
    ask: Callable[[], Identity] = lambda: identify(find_port()),
) -> list[Finding]:
    """Listen to the parts that are `sound` so far, and return what their wires may lack.

    PN532 readers are left alone: they say nothing unless they are asked.
    """
    drivers = layout.drivers
    found: list[Finding] = []
    if PICO in astuple(drivers) and sound(PICO):
        found.append(_firmware(ask))
    if drivers.buttons == "gpio" and sound("buttons"):
        found += _buttons(layout, pins)
    if drivers.readers in ("rdm6300", "id-12la"):
        for reader in layout.readers:
            if sound(f"reader.{reader.name}"):
                found += _reader(reader, port_of)
    return found


def _firmware(ask: Callable[[], Identity]) -> Finding:
    part, mend = "firmware", "azul-table firmware install"
    try:
        identity = ask()
    except NoFirmwareError:
        return Finding(part, State.FAULT, "no firmware of azul-table answers on the Pico", mend)
    except (InstallError, OSError) as error:
        return _in_use(part, str(error))
    told = f"{identity.board}: firmware {identity.version}, protocol {identity.newest}"
    if identity.files != firmware_checksum():
        return Finding(part, State.FAULT, f"{told}, but not of this program's files", mend)
    return Finding(part, State.FINE, told)


def _buttons(layout: Layout, pins: Callable[[], PinFactory]) -> list[Finding]:
    try:
        closed = closed_buttons(layout, pins)
    except Exception as error:  # noqa: BLE001 - each pin factory raises errors of its own
        return [_in_use("buttons", loss_of(error)[1])]
    if not closed:
        return []
    if len(closed) == len(layout.buttons):
        told = "all buttons are closed though nobody presses one"
        mend = (
            "look whether their pins lie at ground: the buttons must connect them with it only when pressed"
        )
        return [Finding("buttons", State.GUESS, told, mend)]
    named = ", ".join(f"{name} (GPIO{number})" for name, number in closed[:FEW])
    more = f" and {len(closed) - FEW} more" if len(closed) > FEW else ""
    told = f"closed though nobody presses: {named}{more}"
    mend = "look whether it is stuck, whether its wires touch, and whether it is one that opens when pressed"
    return [Finding("buttons", State.GUESS, told, mend)]


def closed_buttons(layout: Layout, pins: Callable[[], PinFactory]) -> list[tuple[str, int]]:
    """Return the buttons that are closed now, with their pins; raises what the pin factory raises."""
    from gpiozero import InputDevice

    closed = []
    factory = pins()
    try:
        for button in layout.buttons:
            if isinstance(button.switch, int):
                device = InputDevice(button.switch, pull_up=True, pin_factory=factory)
                if device.is_active:
                    closed.append((button.name, button.switch))
                device.close()
    finally:
        factory.close()
    return closed


def _reader(reader: Reader, port_of: Callable[[Reader], str]) -> list[Finding]:
    part = f"reader.{reader.name}"
    try:
        data = _heard(port_of(reader))
    except (PartError, OSError) as error:
        return [_in_use(part, loss_of(error)[1])]
    frames = TagFrames()
    tags = frames.receive(data)
    if tags:
        return [Finding(part, State.FINE, f"a tag lies there: {tags[0]}")]
    if data and not data.strip(b"\0"):
        told = "the line of the reader is held low"
        return [
            Finding(part, State.GUESS, told, "look whether the reader has power, and its wire the right pin")
        ]
    if frames.damaged or frames.noise:
        told = f"what the reader sends makes no sense: {data[:12]!r}"
        mend = "look at its ground, and whether the layout names this kind of reader"
        return [Finding(part, State.GUESS, told, mend)]
    return []


def _heard(path: str) -> bytes:
    """Return what comes from a port."""
    heard = b""
    with open_port(path, BAUD) as port:
        end = monotonic() + LISTEN
        while monotonic() < end:
            heard += port.read(max(1, port.in_waiting))
    return heard


def _in_use(part: str, told: str) -> Finding:
    mend = "end the program that has it; is azul-table running? `sudo systemctl stop azul-table.socket`"
    return Finding(part, State.GUESS, f"can't be listened to: {told}", mend)
