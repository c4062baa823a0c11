"""Probing of buttons, readers, the Pico and lights in the network, as part of `azul-table doctor`.

Buttons and readers are read while nobody touches them; a Pico is asked for its firmware, a WLED for its
lights.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Final

from msgspec.structs import astuple
from serial import Serial

from firmware_bridge.installer import InstallError, NoFirmwareError, firmware_checksum, identify
from firmware_bridge.link import find_port
from firmware_bridge.messages import Identity
from hardware.api import BUTTONS, LIGHTS, PICO, PartError, lights_part, reader_part
from hardware.diagnostics.doctor import Finding, Status
from hardware.drivers.gpio import PinFactory, closed_buttons, real_pins
from hardware.drivers.network import (
    NETWORK,
    ZEROCONF,
    Network,
    Span,
    WledInfo,
    find_wled,
    pixels_at,
    spans_of_hosts,
)
from hardware.drivers.raspberry_pi import install_command, pip_command
from hardware.drivers.rfid import BAUD, FrameParser, open_port, port_of
from hardware.drivers.supervisor import loss_of, one_line
from hardware.layout.checks import NETWORK_DRIVERS
from hardware.layout.model import Layout, Reader

LISTEN: Final = 1.0
"""Seconds for which each reader is listened to."""
MAX_NAMED: Final = 3
"""Closed buttons that are named one by one."""


def probe(
    layout: Layout,
    usable: Callable[[str], bool],
    pins: Callable[[], PinFactory] = real_pins,
    port_of: Callable[[Reader], str] = port_of,
    ask: Callable[[], Identity] = lambda: identify(find_port()),
    listen: Callable[[Serial], bytes] | None = None,
    network: Network = NETWORK,
    search: Callable[[], Mapping[str, str]] = find_wled,
) -> list[Finding]:
    """Probe the parts that are `usable` according to `examine`; return findings about their wires.

    `pins`, `port_of`, `ask` and `listen` open the pins and ports, ask the Pico and read from a port. `search`
    searches for controllers in the `network`. PN532 readers are not probed: they send nothing unless they are
    polled.
    """
    drivers = layout.drivers
    found: list[Finding] = []
    if PICO in astuple(drivers) and usable(PICO):
        found.append(_probe_firmware(ask))
    if drivers.lights in NETWORK_DRIVERS:
        for host, spans in spans_of_hosts(layout).items():
            found.append(_probe_controller(host, spans, network))
        found.append(_search_controllers(search))
    if drivers.buttons == "gpio" and usable(BUTTONS):
        found += _probe_buttons(layout, pins)
    if drivers.readers in ("rdm6300", "id-12la"):
        for reader in layout.readers:
            if usable(reader_part(reader.name)):
                found += _probe_reader(reader, port_of, listen or listen_to)
    return found


def _probe_firmware(ask: Callable[[], Identity]) -> Finding:
    part, remedy = "firmware", "azul-table firmware install"
    try:
        identity = ask()
    except NoFirmwareError:
        return Finding(part, Status.FAULT, "no firmware of azul-table answers on the Pico", remedy)
    except (InstallError, OSError) as error:
        return _in_use(part, str(error))
    message = f"{identity.board}: firmware {identity.version}, protocol {identity.newest}"
    if identity.files != firmware_checksum():
        return Finding(part, Status.FAULT, f"{message}, but its files differ from this program's", remedy)
    return Finding(part, Status.FINE, message)


def _probe_buttons(layout: Layout, pins: Callable[[], PinFactory]) -> list[Finding]:
    try:
        closed = closed_buttons(layout, pins)
    except Exception as error:  # noqa: BLE001 - each pin factory raises errors of its own
        return [_in_use(BUTTONS, loss_of(error)[1])]
    if not closed:
        return []
    if len(closed) == len(layout.buttons):
        message = "all buttons are closed although nobody presses one"
        remedy = (
            "check that their pins are not connected to ground: a button does that only while it is pressed"
        )
        return [Finding(BUTTONS, Status.GUESS, message, remedy)]
    named = ", ".join(f"{name} (GPIO{number})" for name, number in closed[:MAX_NAMED])
    more = f" and {len(closed) - MAX_NAMED} more" if len(closed) > MAX_NAMED else ""
    message = f"closed although nobody presses: {named}{more}"
    remedy = "check whether the button is stuck, its wires touch, or it is a type that opens when pressed"
    return [Finding(BUTTONS, Status.GUESS, message, remedy)]


def _probe_reader(
    reader: Reader, port_of: Callable[[Reader], str], listen: Callable[[Serial], bytes]
) -> list[Finding]:
    part = reader_part(reader.name)
    try:
        with open_port(port_of(reader), BAUD) as port:
            data = listen(port)
    except (PartError, OSError) as error:
        return [_in_use(part, loss_of(error)[1])]
    parser = FrameParser()
    tags = parser.feed(data)
    if tags:
        return [Finding(part, Status.FINE, f"reads the tag {tags[0]}")]
    if data and not data.strip(b"\0"):
        message = "the data line of the reader is held low"
        remedy = "check that the reader has power, and that its wire is on the right pin"
        return [Finding(part, Status.GUESS, message, remedy)]
    if parser.damaged or parser.noise:
        message = f"the reader sends invalid data: {data[:12]!r}"
        remedy = "check its ground, and that the layout names this kind of reader"
        return [Finding(part, Status.GUESS, message, remedy)]
    return []


# --- Lights in the network -------------------------------------------------------------------------------


def _probe_controller(host: str, spans: Sequence[Span], network: Network) -> Finding:
    """Resolve the name of a controller, ask it about its lights, and compare them with the layout."""
    part = lights_part(host)
    try:
        address = network.resolve(host)
    except PartError as error:
        message, _, remedy = str(error).partition("; ")
        return Finding(part, Status.FAULT, message, remedy)
    try:
        info = network.ask(address)
    except ConnectionRefusedError:  # it is there, but has no pages
        info = None
    except OSError as error:
        message = f"{host} ({address}) does not answer ({one_line(error)})"
        remedy = "look whether it has power and is in the network; a controller without pages may be fine"
        return Finding(part, Status.GUESS, message, remedy)
    if info is None:
        message = f"{host} ({address}) is there, but is not WLED: only its lights show whether it gets frames"
        return Finding(part, Status.FINE, message)
    return _compare(part, spans, info, address)


def _compare(part: str, spans: Sequence[Span], info: WledInfo, address: str) -> Finding:
    """Compare the lights of a WLED with those that the layout has there."""
    white = any(span.channels == len("RGBW") for span in spans)
    colours = "RGBW" if info.leds.white else "RGB"
    message = f"WLED {info.ver} at {address}: {info.leds.count} lights, {colours}"
    if info.leds.count < (needed := pixels_at(spans)):
        remedy = "correct their number in WLED's LED preferences, or the chain in the layout"
        return Finding(part, Status.FAULT, f"{message}, but the layout sends to {needed}", remedy)
    if white and not info.leds.white:
        remedy = "choose an RGBW type in WLED's LED preferences, or an order without W in the layout"
        return Finding(part, Status.FAULT, f"{message}, but the layout sends white to them", remedy)
    if info.leds.white and not white:
        remedy = 'write order = "RGBW" into the chain to use it'
        return Finding(part, Status.GUESS, f"{message}, but the layout does not use their white", remedy)
    return Finding(part, Status.FINE, message)


def _search_controllers(search: Callable[[], Mapping[str, str]]) -> Finding:
    """Search for WLED by mDNS, so that a maker can copy the names into the layout."""
    try:
        found = search()
    except ImportError:
        remedy = install_command(ZEROCONF, pip_command(), sys.version_info[:2])
        return Finding(LIGHTS, Status.GUESS, "WLED can't be searched for: zeroconf is missing", remedy)
    except OSError as error:
        remedy = "look whether this machine has joined the network"
        return Finding(LIGHTS, Status.GUESS, f"WLED can't be searched for: {one_line(error)}", remedy)
    names = ", ".join(f"{host} ({address})" for host, address in found.items())
    return Finding(LIGHTS, Status.FINE, f"WLED found by mDNS: {names or 'none'}")


def listen_to(port: Serial, seconds: float = LISTEN) -> bytes:
    """Return the bytes that a port receives within so many seconds."""
    received = b""
    end = monotonic() + seconds
    while monotonic() < end:
        received += port.read(max(1, port.in_waiting))
    return received


def _in_use(part: str, message: str) -> Finding:
    remedy = "end the program that uses it; is azul-table running? `sudo systemctl stop azul-table.socket`"
    return Finding(part, Status.GUESS, f"can't be probed: {message}", remedy)
