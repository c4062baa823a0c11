"""Lights in the network: packets, lost controllers, layouts, `doctor`, and receivers that are not ours.

Packets of E1.31 are read by the library `sacn` and by OLA. No receiver of DDP can be installed from a package
that is kept, so that `DdpDisplay` is written after the specification, and refuses what that does not allow.
"""

from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
import sys
import threading
import tomllib
import uuid
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, cycle
from pathlib import Path
from queue import SimpleQueue
from struct import unpack_from
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import ANY
from urllib.parse import urlencode
from urllib.request import urlopen

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from sacn.messages.data_packet import DataPacket
from sacn.receiving.receiver_handler import ReceiverHandler, ReceiverHandlerListener
from zeroconf import IPVersion, ServiceInfo, Zeroconf

from hardware.api import (
    ButtonPressed,
    HardwareError,
    HardwareEvent,
    LightFrame,
    Loss,
    PartBack,
    PartError,
    PartLost,
    PartMessage,
    lights_part,
)
from hardware.diagnostics import selftest
from hardware.diagnostics.doctor import Finding, Status, examine
from hardware.diagnostics.probe import probe
from hardware.diagnostics.selftest import Outcome, SimulatedOperator
from hardware.drivers import open as open_module
from hardware.drivers.network import (
    USUAL,
    WLED_SERVICE,
    ZEROCONF,
    DdpStream,
    E131Stream,
    Leds,
    Network,
    NetworkLights,
    Span,
    Times,
    WledInfo,
    ask_wled,
    component_of,
    connect,
    find_wled,
    resolve,
)
from hardware.drivers.open import open_hardware
from hardware.drivers.pico import wiring
from hardware.drivers.raspberry_pi import Machine
from hardware.drivers.simulated import SimulatedTable
from hardware.layout.checks import universe_runs
from hardware.layout.model import SIMULATED, Chain, Layout, Output, read_layout
from hardware.papers.__main__ import write_papers
from hardware.pixels import FrameEncoder

from .conftest import SHIPPED, Faults, changed
from .waiting import PATIENCE, Clock, Inbox, next_of, until, waiting_in

HOUSE = Path(__file__).parents[2]
RING, SEAT = "wled-ring.local", "192.168.1.40"
COMPONENT = uuid.UUID(int=7)

# --- DDP -------------------------------------------------------------------------------------------------


class DdpDisplay:
    """A display after the specification of DDP 1 (3waylabs): `shown` are its bytes at the latest push."""

    def __init__(self, size: int) -> None:
        self.shown: bytes | None = None
        self.pushes = 0
        self.types: set[int] = set()
        self._buffer = bytearray(size)
        self._sequence: int | None = None

    def receive(self, packet: bytes) -> None:
        flags, sequence, kind, target, offset, length = unpack_from(">BBBBIH", packet)
        assert flags & 0xC0 == 0x40, "version 1"
        assert flags & 0x3E == 0, "no timecode, storage, reply or query, and the reserved bit is zero"
        assert 1 <= sequence <= 15, "0 would mean that sequence numbers are not used"
        assert self._sequence is None or sequence == self._sequence % 15 + 1
        assert kind in (0x0B, 0x1B), "RGB or RGBW, each of 8 bits"
        assert target == 1, "the default output device"
        assert length == len(packet) - 10 <= 1440
        assert length % (3 if kind == 0x0B else 4) == offset % (3 if kind == 0x0B else 4) == 0
        assert offset + length <= len(self._buffer)
        self._sequence = sequence
        self.types.add(kind)
        self._buffer[offset : offset + length] = packet[10:]
        if flags & 0x01:
            self.pushes += 1
            self.shown = bytes(self._buffer)


def span(start: int, pixels: int, first: int = 0, channels: int = 3, **output: int) -> Span:
    return Span(start, pixels, channels, Output(RING, first, **output))


def pushed(packets: list[bytes]) -> list[int]:
    return [packet[0] & 0x01 for packet in packets]


def test_a_small_frame_is_one_packet_of_ddp() -> None:
    assert DdpStream([span(0, 2)]).frame(bytes(range(1, 7))) == [
        bytes.fromhex("41 01 0B 01 00000000 0006 010203040506")
    ]


def test_white_lights_have_a_data_type_of_their_own_and_four_bytes() -> None:
    assert DdpStream([span(0, 1, first=5, channels=4)]).frame(b"\1\2\3\4") == [
        bytes.fromhex("41 01 1B 01 00000014 0004 01020304")
    ]


@pytest.mark.parametrize(("channels", "pixels"), [(3, 480), (4, 360)])
def test_a_packet_has_whole_pixels_and_only_the_last_one_pushes(channels: int, pixels: int) -> None:
    data = bytes(value % 251 for value in range((2 * pixels + 1) * channels))
    packets = DdpStream([span(0, 2 * pixels + 1, 0, channels)]).frame(data)
    assert [len(packet) - 10 for packet in packets] == [1440, 1440, channels]
    assert pushed(packets) == [0, 0, 1]
    display = DdpDisplay(len(data))
    for packet in packets:
        display.receive(packet)
    assert display.shown == data


def test_several_chains_of_a_controller_are_pushed_together() -> None:
    packets = DdpStream([span(0, 2, first=10), span(6, 1, first=3)]).frame(b"abcdefghi")
    assert pushed(packets) == [0, 1]
    display = DdpDisplay(36)
    for packet in packets:
        display.receive(packet)
    assert display.shown == bytes(9) + b"ghi" + bytes(18) + b"abcdef"


def test_sequence_numbers_of_ddp_run_from_1_to_15() -> None:
    stream = DdpStream([span(0, 1)])
    numbers = [stream.frame(b"abc")[0][1] for _ in range(32)]
    assert numbers == [*range(1, 16), *range(1, 16), 1, 2]


def test_the_end_of_ddp_is_dark_and_said_three_times() -> None:
    packets = DdpStream([span(3, 2)]).end()
    assert [packet[10:] for packet in packets] == [bytes(6)] * 3
    assert pushed(packets) == [1, 1, 1]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 700)), min_size=1, max_size=4), st.data())
def test_any_chains_arrive_at_their_pixels_by_ddp(chains: list[tuple[int, int]], data: st.DataObject) -> None:
    spans: list[Span] = []
    expected = bytearray()
    frame = b""
    for gap, pixels in chains:
        expected += bytes(3 * gap)
        spans.append(span(len(frame), pixels, first=len(expected) // 3))
        part = data.draw(st.binary(min_size=3, max_size=3)) * pixels
        frame += part
        expected += part
    stream, display = DdpStream(data.draw(st.permutations(spans))), DdpDisplay(len(expected))
    for _ in range(3):
        for packet in stream.frame(frame):
            display.receive(packet)
    assert (display.shown, display.pushes) == (bytes(expected), 3)


# --- E1.31 -----------------------------------------------------------------------------------------------


def e131(*spans: Span) -> E131Stream:
    return E131Stream(spans, COMPONENT, "azul-table on test")


def read(packets: list[bytes]) -> list[DataPacket]:
    """Read packets with the library sacn."""
    return [DataPacket.make_data_packet(packet) for packet in packets]


def test_a_full_packet_of_e131_is_that_of_another_library() -> None:
    """128 lights with white fill a universe."""
    slots = bytes(value % 256 for value in range(512))
    theirs = DataPacket(
        tuple(COMPONENT.bytes), "azul-table on test", 63_999, tuple(slots), priority=150, sequence=0
    )
    stream = e131(span(0, 128, channels=4, universe=63_999, priority=150))
    assert stream.frame(slots) == [bytes(theirs.getBytes())]
    theirs.sequence_increase()
    assert stream.frame(slots) == [bytes(theirs.getBytes())]
    terminated = stream.end()[1]
    assert read([terminated])[0].option_StreamTerminated


def test_a_short_packet_of_e131_has_lengths_of_its_own() -> None:
    (packet,) = e131(span(0, 2)).frame(b"abcdef")
    assert len(packet) == 126 + 6
    assert [unpack_from(">H", packet, at)[0] for at in (16, 38, 115)] == [
        0x7000 + len(packet) - at for at in (16, 38, 115)
    ]
    assert unpack_from(">H", packet, 123)[0] == 7, "the start code and six slots"
    assert packet[125:] == b"\0abcdef"
    (theirs,) = read([packet])
    assert (theirs.universe, theirs.priority, theirs.sequence, theirs.syncAddr) == (1, 100, 0, 0)
    assert (theirs.sourceName, theirs.cid) == ("azul-table on test", tuple(COMPONENT.bytes))


@pytest.mark.parametrize(("channels", "most"), [(3, 170), (4, 128)])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_no_pixel_is_split_over_two_universes(channels: int, most: int, more: int) -> None:
    pixels = most + more
    data = bytes(value % 251 for value in range(pixels * channels))
    packets = e131(span(0, pixels, channels=channels, universe=5)).frame(data)
    assert [len(packet) - 126 for packet in packets] == [
        min(pixels, most) * channels,
        *([channels] if more > 0 else []),
    ]
    assert b"".join(packet[126:] for packet in packets) == data
    assert [packet.universe for packet in read(packets)] == [5, 6][: len(packets)]


def test_two_chains_of_one_universe_are_one_packet() -> None:
    packets = e131(span(0, 1, first=169), span(3, 2, first=2), span(9, 1, first=170, priority=200)).frame(
        b"abcdefghijkl"
    )
    first, second = read(packets)
    assert bytes(first.dmxData) == bytes(6) + b"defghi" + bytes(495) + b"abc" + bytes(2)
    assert bytes(second.dmxData[:4]) == b"jkl\0"
    assert (first.priority, second.priority) == (100, 200)


def test_each_universe_counts_its_packets_to_255() -> None:
    stream = e131(span(0, 171))
    numbers = [[packet.sequence for packet in read(stream.frame(bytes(513)))] for _ in range(258)]
    assert numbers == [[number % 256] * 2 for number in range(258)]


class Availability(ReceiverHandlerListener):  # type: ignore[misc]
    """What sacn's receiver tells about universes."""

    def __init__(self) -> None:
        self.told: list[tuple[int, str]] = []
        self.received: list[bytes] = []

    def on_availability_change(self, universe: int, changed: str) -> None:
        self.told.append((universe, changed))

    def on_dmx_data_change(self, packet: DataPacket) -> None:
        self.received.append(bytes(packet.dmxData[:3]))


class NoSocket:
    """In place of the socket of sacn's receiver."""


def test_a_receiver_is_dark_before_the_stream_ends() -> None:
    told = Availability()
    receiver = ReceiverHandler("", 0, told, NoSocket())
    stream = e131(span(0, 1))
    for packet in [*stream.frame(b"abc"), *stream.end()]:
        receiver.on_data(packet, 1.0)
    assert told.received == [b"abc", bytes(3)]
    assert told.told == [(1, "available"), (1, "timeout"), (1, "timeout"), (1, "timeout")]


@given(st.integers(0, 400), st.integers(1, 400), st.sampled_from([3, 4]), st.integers(1, 60_000))
def test_the_runs_of_a_chain_are_its_pixels_in_order(
    first: int, pixels: int, channels: int, universe: int
) -> None:
    size = 512 // channels
    places = [
        (run.universe * size + run.first + at, run.pixel + at)
        for run in universe_runs(universe, first, pixels, channels)
        for at in range(run.pixels)
    ]
    assert places == [(universe * size + first + pixel, pixel) for pixel in range(pixels)]


def test_a_machine_keeps_its_identifier() -> None:
    """Receivers would merge two streams after a restart otherwise."""
    assert component_of("a") == component_of("a") != component_of("b")
    assert component_of("") != component_of("")


# --- Driver ----------------------------------------------------------------------------------------------


def as_text(driver: str, chains: str) -> tuple[tuple[str, str, str], ...]:
    """Return the changes that put the lights of duo into the network, those of seat 2 on another chain."""
    return (
        ("[drivers]", 'lights = "neopixel"', f'lights = "{driver}"'),
        ("[chain]", "lights = { pin = 10, pixels = 174 }", chains),
        ("[seat.2]", 'chain = "lights"\nfirst = 106', 'chain = "seat"\nfirst = 0'),
    )


def chains(ring: str = "", seat: str = "") -> str:
    return (
        f'lights = {{ host = "{RING}", pixels = 106{ring} }}\nseat = {{ host = "{SEAT}", pixels = 68{seat} }}'
    )


@pytest.fixture
def read_changed(tmp_path: Path) -> Callable[..., Layout]:
    def read_changed(driver: str = "ddp", text: str = chains()) -> Layout:
        layout = (SHIPPED / "duo.toml").read_text("utf-8")
        for change in as_text(driver, text):
            layout = changed(layout, *change)
        (tmp_path / "mine.toml").write_text(layout, "utf-8")
        return read_layout(str(tmp_path / "mine.toml"))

    return read_changed


@pytest.fixture
def layout(read_changed: Callable[..., Layout]) -> Layout:
    return read_changed()


class FakeLink:
    """A socket of the fake network: `errors` are raised by the next packets, one each."""

    def __init__(self, sent: SimpleQueue[bytes], errors: list[OSError]) -> None:
        self._sent = sent
        self._errors = errors

    def send(self, packet: bytes, /) -> int:
        if self._errors:
            raise self._errors.pop(0)
        self._sent.put(packet)
        return len(packet)

    def close(self) -> None:
        pass


WLED = WledInfo("0.15.0", Leds(200, lc=1))
UNREACHABLE = OSError(errno.EHOSTUNREACH, os.strerror(errno.EHOSTUNREACH))
REFUSED = ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
NO_WLED = (None, REFUSED, TimeoutError("timed out"))
NO_WLED_IDS = ("something else answers", "refused", "silent")
"""What other controllers answer when they are asked whether they are WLED."""


class FakeNetwork:
    """A network with controllers by address; `answers` is what each answers, an exception if it is silent."""

    def __init__(self) -> None:
        self.addresses = {RING: "192.168.1.30", SEAT: SEAT}
        self.answers: dict[str, WledInfo | OSError | None] = dict.fromkeys(self.addresses.values(), WLED)
        self.sent: dict[str, SimpleQueue[bytes]] = {it: SimpleQueue() for it in self.addresses.values()}
        self.errors: dict[str, list[OSError]] = {it: [] for it in self.addresses.values()}
        self.asked: SimpleQueue[str] = SimpleQueue()
        self.ports: set[int] = set()
        self.network = Network(self._resolve, self._connect, self._ask)

    def _resolve(self, host: str) -> str:
        if host not in self.addresses:
            raise PartError(Loss.SILENT, f"no {host} is in the network; look for it")
        return self.addresses[host]

    def _connect(self, address: str, port: int) -> FakeLink:
        self.ports.add(port)
        return FakeLink(self.sent[address], self.errors[address])

    def _ask(self, address: str) -> WledInfo | None:
        self.asked.put(address)
        answer = self.answers[address]
        if isinstance(answer, OSError):
            raise answer
        return answer

    def asked_again(self, address: str, times: int = 2) -> None:
        """Wait until a controller was asked so many times more."""
        waiting_in(self.asked)
        while times:
            times -= next_of(self.asked) == address


QUICK = Times(keep_alive=60, check=0.005, retry=0.005, quiet=5)
SEAT_AT = 3 * 106
FRAME = LightFrame({"seat.1.turn": (255, 128, 1), "seat.2.turn": (0, 10, 255)})
OTHER = LightFrame({"seat.1.turn": (1, 2, 3)})


class Table:
    """Lights on the fake network, with what they report."""

    def __init__(self, layout: Layout, times: Times = QUICK, fake: FakeNetwork | None = None) -> None:
        self.fake = fake or FakeNetwork()
        self.clock = Clock()
        self.inbox: Inbox = SimpleQueue()
        self.lights = NetworkLights(layout, self.inbox.put, self.fake.network, self.clock, times)
        self._encoder = FrameEncoder(layout)

    def bytes_of(self, frame: LightFrame, host: str) -> bytes:
        data = self._encoder.encode(frame)
        return data[:SEAT_AT] if host == RING else data[SEAT_AT:]

    def wait_for(self, frame: LightFrame, host: str) -> None:
        """Wait until a controller receives a frame."""
        expected = self.bytes_of(frame, host)
        while next_of(self.fake.sent[self.fake.addresses[host]])[10:] != expected:
            pass


@pytest.fixture
def make_table(layout: Layout) -> Iterator[Callable[..., Table]]:
    made: list[Table] = []

    def make_table(times: Times = QUICK, fake: FakeNetwork | None = None) -> Table:
        made.append(Table(layout, times, fake))
        return made[-1]

    yield make_table
    for table in made:
        table.lights.close()


MakeTable = Callable[..., Table]


def lost(table: Table, host: str) -> PartLost:
    event = next_of(table.inbox)
    assert isinstance(event, PartLost) and event.part == lights_part(host) == f"lights.{host}"
    assert "; " in event.message, "it says what to do"
    return event


def test_each_controller_receives_its_own_lights(make_table: MakeTable) -> None:
    table = make_table()
    table.lights.show(FRAME)
    table.wait_for(FRAME, RING)
    table.wait_for(FRAME, SEAT)
    assert table.bytes_of(FRAME, RING)[:2] == bytes((255, 56)), "red, then green, and gamma-corrected"
    assert table.fake.ports == {4048}


def test_e131_sends_each_controller_its_universes(read_changed: Callable[..., Layout]) -> None:
    layout = read_changed("e131", chains(", universe = 7, first = 100", ", universe = 7, priority = 20"))
    table = Table(layout)
    table.lights.show(FRAME)
    ring = table.fake.sent["192.168.1.30"]
    until(lambda: ring.qsize() >= 2)
    table.lights.close()
    packets = waiting_in(ring)
    universes = {packet.universe: packet for packet in read(packets[:2])}
    shown = bytes(universes[7].dmxData[300:510]) + bytes(universes[8].dmxData[:108])
    assert shown in (bytes(SEAT_AT), table.bytes_of(FRAME, RING))
    assert {packet.priority for packet in read(waiting_in(table.fake.sent[SEAT]))} == {20}
    assert table.fake.ports == {5568}
    assert all(packet.option_StreamTerminated for packet in read(packets[-6:]))
    assert packets[-1][126:] == bytes(108), "dark, for receivers that ignore the option"


@pytest.mark.parametrize(("driver", "header"), [("ddp", 10), ("e131", 126)])
def test_lights_with_white_have_four_bytes(
    read_changed: Callable[..., Layout], driver: str, header: int
) -> None:
    layout = read_changed(driver, chains(seat=', order = "RGBW"'))
    fake = FakeNetwork()
    lights = NetworkLights(layout, SimpleQueue[HardwareEvent]().put, fake.network)
    lights.show(LightFrame({"seat.2.turn": (255, 255, 255)}))
    packet = next_of(fake.sent[SEAT])
    while not any(packet[header:]):
        packet = next_of(fake.sent[SEAT])
    lights.close()
    assert packet[header:] == bytes((0, 0, 0, 255)) + bytes(4 * 67)
    assert driver == "e131" or packet[2] == 0x1B


def test_the_latest_frame_wins(make_table: MakeTable) -> None:
    table = make_table()
    for value in range(256):
        table.lights.show(LightFrame({"seat.1.turn": (value, value, value)}))
    table.wait_for(LightFrame({"seat.1.turn": (255, 255, 255)}), RING)
    assert table.inbox.empty()


def test_the_latest_frame_is_sent_again_and_again(make_table: MakeTable) -> None:
    table = make_table(replace(QUICK, keep_alive=0.002))
    table.lights.show(FRAME)
    table.wait_for(FRAME, SEAT)
    display = DdpDisplay(3 * 68)
    for _ in range(20):
        display.receive(next_of(table.fake.sent[SEAT]))
        assert display.shown == table.bytes_of(FRAME, SEAT)


def test_frames_are_repeated_before_receivers_take_the_stream_for_ended() -> None:
    """E1.31 and WLED wait for 2.5 seconds; one packet may be lost in between."""
    assert 2 * USUAL.keep_alive < 2.5


def test_closing_turns_all_lights_dark(make_table: MakeTable) -> None:
    table = make_table()
    table.lights.show(FRAME)
    table.wait_for(FRAME, RING)
    table.wait_for(FRAME, SEAT)
    table.lights.close()
    for host, address in table.fake.addresses.items():
        dark = waiting_in(table.fake.sent[address])[-3:]
        assert [packet[10:] for packet in dark] == [bytes(len(table.bytes_of(FRAME, host)))] * 3
    table.lights.close()
    assert table.inbox.empty()
    until(lambda: not any(thread.name.startswith("lights") for thread in threading.enumerate()))


def test_closing_does_not_wait_for_a_name(layout: Layout) -> None:
    asked, free = threading.Event(), threading.Event()

    def blocking(_host: str) -> str:
        asked.set()
        free.wait()
        raise PartError(Loss.SILENT, "too late")

    inbox: Inbox = SimpleQueue()
    fake = FakeNetwork()
    lights = NetworkLights(layout, inbox.put, replace(fake.network, resolve=blocking))
    asked.wait()
    lights.show(FRAME)
    lights.close()
    free.set()
    until(lambda: not any(thread.name.startswith("lights") for thread in threading.enumerate()))
    assert inbox.empty()
    assert all(sent.empty() for sent in fake.sent.values())


def test_an_invalid_frame_is_an_error(make_table: MakeTable) -> None:
    with pytest.raises(HardwareError, match=r"seat\.3\.turn"):
        make_table().lights.show(LightFrame({"seat.3.turn": (1, 1, 1)}))


# --- Loss ------------------------------------------------------------------------------------------------


def test_a_wled_that_does_not_answer_is_lost_until_it_does(make_table: MakeTable) -> None:
    table = make_table()
    address = table.fake.addresses[RING]
    table.lights.show(FRAME)
    table.wait_for(FRAME, RING)
    table.fake.asked_again(address)
    table.fake.answers[address] = TimeoutError("timed out")
    event = lost(table, RING)
    assert event.reason is Loss.SILENT
    assert RING in event.message and "timed out" in event.message
    waiting_in(table.fake.sent[address])
    table.fake.answers[address] = WLED
    assert isinstance(next_of(table.inbox), PartBack)
    table.wait_for(FRAME, RING)


def test_a_lost_controller_does_not_stop_the_others(make_table: MakeTable) -> None:
    table = make_table()
    table.fake.asked_again(SEAT)
    table.fake.answers[SEAT] = TimeoutError("timed out")
    table.fake.errors[SEAT] += [UNREACHABLE] * 1000
    table.lights.show(FRAME)
    table.wait_for(FRAME, RING)
    lost(table, SEAT)
    table.lights.show(OTHER)
    table.wait_for(OTHER, RING)


def test_a_busy_wled_may_miss_a_question(make_table: MakeTable) -> None:
    table = make_table()
    address = table.fake.addresses[RING]
    table.fake.asked_again(address)
    some: list[WledInfo | OSError] = [TimeoutError("timed out"), WLED, WLED, WLED]
    answers = cycle(some)

    class Missing(dict[str, WledInfo | OSError | None]):
        def __getitem__(self, key: str) -> WledInfo | OSError | None:
            return next(answers) if key == address else WLED

    table.fake.answers = Missing()
    table.fake.asked_again(address, 12)
    assert table.inbox.empty()


def test_a_controller_whose_name_is_unknown_is_lost_until_it_joins(make_table: MakeTable) -> None:
    fake = FakeNetwork()
    address = fake.addresses.pop(RING)
    table = make_table(fake=fake)
    table.lights.show(FRAME)
    table.wait_for(FRAME, SEAT)
    assert lost(table, RING).reason is Loss.SILENT
    assert fake.sent[address].empty()
    fake.addresses[RING] = address
    assert isinstance(next_of(table.inbox), PartBack)
    table.wait_for(FRAME, RING)


def test_a_controller_that_returns_with_another_address_is_found(make_table: MakeTable) -> None:
    table = make_table()
    address, new = table.fake.addresses[RING], "192.168.1.99"
    table.fake.asked_again(address)
    table.fake.sent[new], table.fake.errors[new], table.fake.answers[new] = SimpleQueue(), [], WLED
    table.fake.answers[address] = TimeoutError("timed out")
    lost(table, RING)
    table.fake.addresses[RING] = new
    table.lights.show(FRAME)
    assert isinstance(next_of(table.inbox), PartBack)
    table.wait_for(FRAME, RING)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "reason", "words"),
    [
        (UNREACHABLE, Loss.SILENT, "No route to host"),
        (OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH)), Loss.SILENT, "Network is unreachable"),
        (REFUSED, Loss.FAILED, "port 4048"),
        (PermissionError(errno.EPERM, os.strerror(errno.EPERM)), Loss.DENIED, "firewall"),
    ],
)
@pytest.mark.parametrize("answer", [WLED, *NO_WLED], ids=["wled", *NO_WLED_IDS])
def test_errors_of_packets_are_a_loss_until_there_are_none(
    make_table: MakeTable, answer: WledInfo | OSError | None, error: OSError, reason: Loss, words: str
) -> None:
    """They are all that a controller without WLED tells."""
    fake = FakeNetwork()
    address = fake.addresses[RING]
    fake.answers[address] = answer
    table = make_table(fake=fake)
    table.lights.show(FRAME)
    table.wait_for(FRAME, RING)
    fake.asked_again(address)
    fake.errors[address].append(error)
    table.lights.show(OTHER)
    table.wait_for(OTHER, RING)  # sent once more: the error was that of the packet before
    event = lost(table, RING)
    assert event.reason is reason
    assert words in event.message
    table.lights.show(FRAME)
    table.wait_for(FRAME, RING)
    assert table.inbox.empty()
    table.clock.now += QUICK.quiet
    assert next_of(table.inbox) == PartBack(lights_part(RING), table.clock.now)


@pytest.mark.parametrize("answer", NO_WLED, ids=NO_WLED_IDS)
def test_a_controller_that_is_not_wled_is_not_lost(make_table: MakeTable, answer: OSError | None) -> None:
    fake = FakeNetwork()
    fake.answers = dict.fromkeys(fake.answers, answer)
    table = make_table(fake=fake)
    fake.asked_again(SEAT, 5)
    table.lights.show(FRAME)
    table.wait_for(FRAME, RING)
    assert table.inbox.empty()


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOBUFS])
def test_a_full_buffer_of_the_kernel_is_no_loss(make_table: MakeTable, number: int) -> None:
    table = make_table()
    table.lights.show(FRAME)
    table.wait_for(FRAME, SEAT)
    table.fake.errors[SEAT].append(OSError(number, os.strerror(number)))
    table.lights.show(OTHER)
    table.wait_for(OTHER, RING)
    table.lights.show(FRAME)
    table.wait_for(FRAME, SEAT)
    table.fake.asked_again(SEAT)
    assert table.inbox.empty()


def test_a_wled_that_ignores_packets_is_told_once(make_table: MakeTable) -> None:
    fake = FakeNetwork()
    fake.answers[SEAT] = replace(WLED, live=False)
    table = make_table(fake=fake)
    message = next_of(table.inbox)
    assert isinstance(message, PartMessage) and message.part == lights_part(SEAT)
    assert "sync settings" in message.message
    fake.asked_again(SEAT, 5)
    assert table.inbox.empty()


# --- Layouts ---------------------------------------------------------------------------------------------


def hosts_of(layout: Layout) -> list[str]:
    return [chain.wire.host for chain in layout.chains if isinstance(chain.wire, Output)]


def test_chains_of_a_layout_name_controllers(layout: Layout) -> None:
    assert layout.drivers.lights == "ddp"
    assert layout.drivers.buttons == "gpio"
    assert layout.chains == (
        Chain("lights", Output(RING), 106, "RGB"),
        Chain("seat", Output(SEAT), 68, "RGB"),
    )


def test_the_example_of_the_makers_guide_is_a_layout(tmp_path: Path) -> None:
    guide = (HOUSE / "hardware/wiring/README.md").read_text("utf-8")
    example = guide.split("### Lights in the network")[1].split("```toml\n")[1].split("```")[0]
    drivers, tables = example.split("[chain.lights]")
    text = (SHIPPED / "duo.toml").read_text("utf-8")
    start = text.index("[drivers]")
    text = text[:start] + drivers + text[text.index("\n[chain]", start) :]
    text = changed(text, "[chain]", "[chain]\nlights = { pin = 10, pixels = 174 }", f"[chain.lights]{tables}")
    text = changed(text, "[seat.2]", 'chain = "lights"\nfirst = 106', 'chain = "seat2"\nfirst = 0')
    (tmp_path / "mine.toml").write_text(text, "utf-8")
    assert hosts_of(read_layout(str(tmp_path / "mine.toml"))) == ["wled-table.local", "192.168.1.40"]


def test_all_keys_of_a_chain_by_e131(read_changed: Callable[..., Layout]) -> None:
    keys = ', universe = 3, first = 20, priority = 0, order = "GRB", gamma = 1, brightness = 0.5'
    ring, seat = read_changed("e131", chains(keys)).chains
    assert ring == Chain("lights", Output(RING, 20, 3, 0), 106, "GRB", 0.5, 1.0)
    assert seat.wire == Output(SEAT, 0, 1, 100)


def test_a_chain_in_the_network_is_on_no_pin(layout: Layout) -> None:
    with pytest.raises(HardwareError, match=r"at wled-ring\.local in the network"):
        layout.chains[0].pin  # noqa: B018 - a property


def test_a_controller_is_the_same_in_capital_letters(read_changed: Callable[..., Layout]) -> None:
    two = chains().replace(SEAT, "WLED-Ring.local").replace("pixels = 68", "pixels = 68, first = 106")
    assert hosts_of(read_changed("ddp", two)) == [RING, RING]


@pytest.mark.parametrize(
    "host", ["a", "10.0.0.7", "fd00::7", "wled-1a2b3c", "x.y.example", "1a.2b", "W" * 63]
)
def test_names_and_addresses_are_hosts(faults: Faults, host: str) -> None:
    assert faults("duo", *as_text("ddp", chains().replace(SEAT, host))) == []


@pytest.mark.parametrize(
    "host",
    [
        *(
            "http://wled.local",
            "wled.local:80",
            "wled.local/json",
            "user@wled",
            "wled local",
            "",
            ".",
            "wled.local.",
        ),
        *("-wled", "wled-", "wled_1", "fünf", "192.168.1", "192.168.1.256", "7", "0x7f.1", "1.2.3.4:4048"),
        *("[fd00::7]", "fe80::1%eth0", "0.0.0.0", "::", "255.255.255.255", "239.255.0.1", "ff02::1"),
        *("W" * 64, ".".join(["w" * 60] * 5), "wled\\nlocal", "wled\\u0000"),
    ],
)
def test_anything_else_is_no_host(faults: Faults, host: str) -> None:
    (fault,) = faults("duo", *as_text("ddp", chains().replace(SEAT, host)))
    assert fault.startswith("chain.seat.host: ")
    assert (
        "is neither the name nor the address of a controller; write it without http://, port or path" in fault
    )


PATHS = {"pin": "pin = 10", "host": 'host = "x.local"', "first": "first = 0", "universe": "universe = 1"}


@pytest.mark.parametrize(
    ("driver", "keys", "expected"),
    [
        (
            "ddp",
            ("pin",),
            ["host: is missing; add host, the name", "pin: is for lights on a pin only; remove it"],
        ),
        ("ddp", ("host", "pin"), ["pin: is for lights on a pin only; remove it"]),
        (
            "ddp",
            ("host", "universe"),
            ['universe: is for lights by e131 only; remove it, or write lights = "e131"'],
        ),
        ("ddp", ("first",), ["host: is missing"]),
        ("e131", (), ["host: is missing"]),
        ("e131", ("host", "first", "universe"), []),
        (
            "neopixel",
            ("host",),
            ['host: is for lights in the network only; remove it, or write lights = "ddp" or'],
        ),
        ("neopixel", ("pin", "first"), ["first: is for lights in the network only"]),
        ("neopixel", (), ["pin: is missing; add pin, the number of a pin"]),
        ("simulated", ("pin",), []),
        ("simulated", ("host", "universe"), []),
        ("simulated", (), ["pin: is missing"]),
        ("simulated", ("host", "pin"), ["pin: is for lights on a pin only"]),
        ("dpp", ("host",), []),
    ],
)
def test_each_driver_needs_its_own_keys(
    faults: Faults, driver: str, keys: tuple[str, ...], expected: list[str]
) -> None:
    written = ", ".join([*(PATHS[key] for key in keys), "pixels = 174"])
    first, second, _ = as_text(driver, f"lights = {{ {written} }}")
    found = [fault for fault in faults("duo", first, second) if not fault.startswith("drivers.lights: ")]
    assert len(found) == len(expected), found
    for fault, words in zip(found, expected, strict=True):
        assert fault.startswith(f"chain.lights.{words}")


def test_a_wrong_host_is_not_missing_as_well(faults: Faults) -> None:
    (fault,) = faults("duo", *as_text("ddp", chains().replace(f'"{SEAT}"', "5")))
    assert fault.startswith("chain.seat.host: 5 is not a valid host; write the name or address")


@pytest.mark.parametrize(
    ("driver", "ring", "seat", "words"),
    [
        ("ddp", "", ", first = 105", "chain.seat: overlaps chain.lights at pixel 105 of wled-ring.local"),
        ("ddp", ", first = 67", "", "chain.lights: overlaps chain.seat at pixel 67 of wled-ring.local"),
        (
            "e131",
            "",
            ", first = 105",
            "chain.seat: overlaps chain.lights at pixel 105 of universe 1 of wled-ring",
        ),
        ("e131", ", first = 130", ", universe = 2", "at pixels 0 to 65 of universe 2 of wled-ring.local"),
        ("e131", ", universe = 63999, first = 100", "", "chain.lights.universe: extends to universe 64000"),
    ],
)
def test_two_chains_can_not_have_the_same_pixels(
    faults: Faults, driver: str, ring: str, seat: str, words: str
) -> None:
    (fault,) = faults("duo", *as_text(driver, chains(ring, seat).replace(SEAT, RING)))
    assert words in fault


@pytest.mark.parametrize(
    ("driver", "ring", "seat"),
    [
        ("ddp", "", ", first = 106"),
        ("e131", "", ", first = 106"),
        ("e131", ", universe = 2", ""),
        ("e131", ", first = 64", ", universe = 2"),
    ],
)
def test_chains_side_by_side_at_one_controller(faults: Faults, driver: str, ring: str, seat: str) -> None:
    assert faults("duo", *as_text(driver, chains(ring, seat).replace(SEAT, RING))) == []


@pytest.mark.parametrize(
    ("key", "title"),
    [
        ("universe = 0", "universe: 0 is not a valid universe; write a whole number from 1 to 63999"),
        ("universe = 64000", "universe: 64000 is not a valid universe"),
        ("priority = 201", "priority: 201 is not a valid priority; write a whole number from 0 to 200"),
        ("first = -1", "first: -1 is not a valid pixel"),
    ],
)
def test_numbers_out_of_range_are_faults(faults: Faults, key: str, title: str) -> None:
    (fault,) = faults("duo", *as_text("e131", chains(f", {key}")))
    assert fault.startswith(f"chain.lights.{title}")


def test_a_table_with_a_pico_may_have_lights_in_the_network(tmp_path: Path) -> None:
    """The Pico has the buttons and the readers then, and no strip."""
    text = (SHIPPED / "full.toml").read_text("utf-8")
    start = text.index("\n[chain]")
    end = text.index("\n[", start + 1)
    for number, line in enumerate(list(text[start:end].splitlines())):
        if "pin =" in line:
            new = line.replace(line[line.index("pin =") : line.index(",")], f'host = "wled-{number}.local"')
            text = text.replace(line, new)
    text = text.replace('lights = "pico"', 'lights = "ddp"')
    (tmp_path / "mine.toml").write_text(text, "utf-8")
    layout = read_layout(str(tmp_path / "mine.toml"))
    assert layout.drivers == replace(layout.drivers, lights="ddp", buttons="pico", readers="pico")
    wired = wiring(layout)
    assert (wired.chains, wired.status) == ((), None)
    assert (
        (wired.rows, wired.columns) == (layout.matrix.rows, layout.matrix.columns) if layout.matrix else False
    )


# --- The table around the driver -------------------------------------------------------------------------


def test_a_layout_opens_its_lights_in_the_network(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeNetwork()
    monkeypatch.setattr(open_module, "NetworkLights", partial(NetworkLights, network=fake.network))
    inbox: Inbox = SimpleQueue()
    simulated_inputs = replace(layout, drivers=replace(SIMULATED, lights="ddp"))
    hardware = open_hardware(simulated_inputs, inbox.put)
    hardware.show(FRAME)
    packet = next_of(fake.sent[SEAT])
    while packet[10:] == bytes(204):
        packet = next_of(fake.sent[SEAT])
    assert packet[10:] == FrameEncoder(layout).encode(FRAME)[SEAT_AT:]
    assert hardware.simulated is not None
    hardware.simulated.press("ok")  # phones and the twin have the buttons
    assert isinstance(next_of(inbox), ButtonPressed)
    hardware.close()
    assert [packet[10:] for packet in waiting_in(fake.sent[SEAT])[-3:]] == [bytes(204)] * 3


def test_the_self_test_skips_lights_of_a_lost_controller_only(layout: Layout) -> None:
    events: SimpleQueue[HardwareEvent] = SimpleQueue()
    events.put(PartLost(lights_part(SEAT), Loss.SILENT, "no answer; look for it", 1.0))
    table = SimulatedTable(layout)
    table.start(events.put)
    clock = count(0.0, 0.25).__next__
    report = selftest.run(layout, table, events, SimulatedOperator(table), "", 60, clock, poll=0)
    outcomes = {result.part: result.outcome for result in report.results}
    lost = {part for part, outcome in outcomes.items() if outcome is Outcome.LOST}
    assert lost == {part for part in outcomes if part.startswith("seat.2.")} | {
        "colours of seat",
        "ramp",
        "white",
    }
    assert {outcome for part, outcome in outcomes.items() if part not in lost} == {Outcome.FINE}


@pytest.mark.slow
def test_a_template_and_a_circuit_name_the_controllers(layout: Layout, tmp_path: Path) -> None:
    write_papers(layout, tmp_path)
    circuit = (tmp_path / "mine-circuit.svg").read_text("utf-8")
    assert f"lights, data from {RING}" in circuit
    assert f"seat, data from {SEAT}" in circuit
    assert "Raspberry Pi" not in circuit
    assert (tmp_path / "mine-template.svg").exists()


# --- Doctor ----------------------------------------------------------------------------------------------


def probed(
    layout: Layout, fake: FakeNetwork, found: Mapping[str, str] | Exception | None = None
) -> list[Finding]:
    def search() -> Mapping[str, str]:
        if isinstance(found, Exception):
            raise found
        return found or {}

    layout = replace(layout, drivers=replace(SIMULATED, lights=layout.drivers.lights))
    return probe(layout, lambda _part: True, network=fake.network, search=search)


def test_doctor_finds_a_table_in_the_network_fine(layout: Layout) -> None:
    found = probed(layout, FakeNetwork(), {RING: "192.168.1.30", "wled-desk.local": "192.168.1.31"})
    assert {finding.state for finding in found} == {Status.FINE}
    assert [finding.part for finding in found] == [lights_part(RING), lights_part(SEAT), "lights"]
    assert found[0].message == "WLED 0.15.0 at 192.168.1.30: 200 lights, RGB"
    assert found[2].message.endswith("wled-ring.local (192.168.1.30), wled-desk.local (192.168.1.31)")


@pytest.mark.parametrize(
    ("answer", "state", "words", "remedy"),
    [
        (
            WledInfo("0.15.0", Leds(105)),
            Status.FAULT,
            "105 lights, RGB, but the layout sends to 106",
            "LED pref",
        ),
        (WledInfo("0.15.0", Leds(106, lc=3)), Status.GUESS, "does not use their white", 'order = "RGBW"'),
        (WledInfo("0.14.0", Leds(106, rgbw=True)), Status.GUESS, "RGBW", "order"),
        (TimeoutError("timed out"), Status.GUESS, "does not answer (timed out)", "power"),
        (REFUSED, Status.FINE, "is not WLED", ""),
        (None, Status.FINE, "is not WLED", ""),
    ],
)
def test_doctor_compares_a_controller_with_the_layout(
    layout: Layout, answer: WledInfo | OSError | None, state: Status, words: str, remedy: str
) -> None:
    fake = FakeNetwork()
    fake.answers["192.168.1.30"] = answer
    ring, seat, _ = probed(layout, fake)
    assert (ring.state, seat.state) == (state, Status.FINE)
    assert words in ring.message and remedy in ring.remedy


def test_doctor_counts_pixels_from_the_first_of_the_controller(read_changed: Callable[..., Layout]) -> None:
    fake = FakeNetwork()
    fake.answers["192.168.1.30"] = WledInfo("0.15.0", Leds(340))
    two = chains(", universe = 7", ", universe = 9, first = 1").replace(SEAT, RING)
    ring, _ = probed(read_changed("e131", two), fake)
    assert "but the layout sends to 409" in ring.message, "two universes of 170, and 69"


def test_doctor_names_a_host_that_is_not_there(layout: Layout) -> None:
    fake = FakeNetwork()
    del fake.addresses[RING]
    fault = probed(layout, fake)[0]
    assert (fault.state, fault.message) == (Status.FAULT, f"no {RING} is in the network")


def test_doctor_says_how_to_install_zeroconf(layout: Layout) -> None:
    finding = probed(layout, FakeNetwork(), ModuleNotFoundError("zeroconf"))[-1]
    assert finding.state is Status.GUESS
    assert "zeroconf is missing" in finding.message
    assert f"pip install 'zeroconf{ZEROCONF.bounds}'" in finding.remedy
    assert probed(layout, FakeNetwork(), OSError("no network"))[-1].state is Status.GUESS
    assert probed(layout, FakeNetwork())[-1].message == "WLED found by mDNS: none"


def test_the_bounds_of_zeroconf_are_those_of_pyproject_toml() -> None:
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["optional-dependencies"]["network"] == [f"{ZEROCONF.name}{ZEROCONF.bounds}"]


def test_lights_in_the_network_need_nothing_of_a_pi(layout: Layout, tmp_path: Path) -> None:
    elsewhere = replace(layout, drivers=replace(SIMULATED, lights="ddp"))
    found = examine(elsewhere, Machine(root=tmp_path))
    assert [finding for finding in found if finding.state is not Status.FINE] == []


# --- The real network ------------------------------------------------------------------------------------


class FakeWled:
    """A web server on the loopback interface that answers as WLED does: with `answer`, or 404 without one."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self.answer: bytes | None = b""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = outer.answer if self.path == "/json/info" else None
                self.send_response(404 if body is None else 200)
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer((address, 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def wled() -> Iterator[FakeWled]:
    wled = FakeWled()
    yield wled
    wled.close()


INFO = b"""{"ver":"0.15.0","vid":2410270,"leds":{"count":120,"pwr":470,"fps":42,"maxpwr":850,"maxseg":32,
"lc":3,"rgbw":true,"seglc":[3]},"str":false,"name":"Ring","udpport":21324,"live":true,"lm":"DDP","lip":"192.168.1.2",
"brand":"WLED","product":"FOSS","mac":"1a2b3c4d5e6f","ip":"192.168.1.40"}"""


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (INFO, WledInfo("0.15.0", Leds(120, 3, rgbw=True), "Ring", live=True)),
        (None, None),
        (b"<html>a printer</html>", None),
        (b"{}", None),
        (b'{"ver": 1, "leds": []}', None),
        (b"\xff\xfe", None),
    ],
)
def test_a_web_server_is_asked_whether_it_is_wled(
    wled: FakeWled, answer: bytes | None, expected: WledInfo | None
) -> None:
    wled.answer = answer
    assert ask_wled("127.0.0.1", wled.port) == expected


def test_a_machine_without_web_server_refuses(wled: FakeWled) -> None:
    wled.close()
    with pytest.raises(ConnectionRefusedError):
        ask_wled("127.0.0.1", wled.port)


def test_a_silent_web_server_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(TimeoutError):
        ask_wled("127.0.0.1", server.getsockname()[1], timeout=0.02)


def test_something_that_is_no_web_server_is_not_wled() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as client:
                client.recv(1000)
                client.sendall(b"SSH-2.0-OpenSSH\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        assert ask_wled("127.0.0.1", server.getsockname()[1]) is None
        thread.join()


def test_names_are_resolved_to_addresses_of_ipv4_if_there_are_any(monkeypatch: pytest.MonkeyPatch) -> None:
    v6 = (socket.AF_INET6, socket.SOCK_DGRAM, 17, "", ("fd00::7", 0, 0, 0))
    v4 = (socket.AF_INET, socket.SOCK_DGRAM, 17, "", ("192.168.1.7", 0))
    for found, address in (([v6, v4], "192.168.1.7"), ([v6], "fd00::7")):
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_given, found=found, **_more: found)
        assert resolve("x.local") == address


@pytest.mark.parametrize("error", [socket.gaierror(-2, "Name or service not known"), UnicodeError("label")])
def test_a_name_that_nobody_has_is_a_silent_part(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_given: object, **_more: object) -> None:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(PartError, match=r"no x\.local is in the network .*; look") as raised:
        resolve("x.local")
    assert raised.value.reason is Loss.SILENT


@pytest.fixture
def own_address() -> str:
    """Return an address of the loopback interface that other runs of the tests don't use."""
    pid = os.getpid()
    return f"127.1{pid >> 16 & 63}.{pid >> 8 & 255}.{pid & 255}"


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_packets_arrive_at_a_socket(own_address: str, family: socket.AddressFamily) -> None:
    address = own_address if family == socket.AF_INET else "::1"
    with socket.socket(family, socket.SOCK_DGRAM) as receiver:
        try:
            receiver.bind((address, 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
        receiver.settimeout(PATIENCE)
        link = connect(address, receiver.getsockname()[1])
        link.send(b"packet")
        assert receiver.recv(100) == b"packet"
        link.close()


NOBODY = """
from time import sleep
from hardware.drivers.network import connect
link = connect("10.9.9.2", 4048)
for _ in range(6000):
    try:
        link.send(b"packet")
    except OSError as error:
        print(error.strerror)
        break
    sleep(0.01)
"""


@pytest.mark.system
def test_a_socket_is_told_that_nobody_has_the_address() -> None:
    """Bug fixed: Linux tells a connected UDP socket so only with IP_RECVERR."""
    wires = (
        "ip link set lo up && ip link add name near type veth peer name far && "
        "ip link set near up && ip link set far up && "
        "ip addr add 10.9.9.1/24 dev near && echo 10 > /proc/sys/net/ipv4/neigh/near/retrans_time_ms"
    )
    unshared = ["unshare", "--map-root-user", "--net", "sh", "-c"]
    try:
        possible = subprocess.run([*unshared, wires], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        possible = False
    if not possible:
        pytest.skip("this machine makes no network of its own: it needs unshare, ip and user namespaces")
    command = [*unshared, f'{wires} && exec "$0" -c "$1"', sys.executable, NOBODY]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HOUSE)
    assert told.stdout == "No route to host\n"


@pytest.mark.system
def test_a_table_in_the_real_network_loses_and_finds_a_controller(
    read_changed: Callable[..., Layout], own_address: str
) -> None:
    """Its kernel refuses packets while nothing receives them; it is no WLED, so that nothing else tells."""
    ring_address = own_address.replace("127.1", "127.2", 1)
    layout = read_changed("ddp", chains().replace(SEAT, own_address).replace(RING, ring_address))
    hosts = hosts_of(layout)
    inbox: Inbox = SimpleQueue()
    display = DdpDisplay(204)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ring:
        ring.bind((hosts[0], DdpStream.port))
        ring.settimeout(PATIENCE)
        times = Times(keep_alive=0.05, check=0.05, retry=0.05, quiet=0.3)
        lights = NetworkLights(layout, inbox.put, times=times)
        lights.show(FRAME)
        event = next_of(inbox)
        assert isinstance(event, PartLost)
        assert (event.part, event.reason) == (lights_part(hosts[1]), Loss.FAILED)
        assert "refuses packets at its port 4048" in event.message
        while ring.recv(2000)[10:] != FrameEncoder(layout).encode(FRAME)[:SEAT_AT]:
            pass
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as seat:
            seat.bind((hosts[1], DdpStream.port))
            seat.settimeout(PATIENCE)
            display.receive(seat.recv(2000))
            assert display.shown == FrameEncoder(layout).encode(FRAME)[SEAT_AT:]
            assert next_of(inbox) == PartBack(lights_part(hosts[1]), ANY)
            lights.close()
            while any(display.shown or b""):
                display.receive(seat.recv(2000))
    assert inbox.empty()


@pytest.mark.system
def test_doctor_finds_wled_by_mdns() -> None:
    """The real zeroconf answers and asks by loopback, where a record is not repeated within a second."""
    name = f"wled-{os.getpid()}"
    info = ServiceInfo(
        WLED_SERVICE, f"{name}.{WLED_SERVICE}", 80, addresses=[bytes((127, 0, 0, 9))], server=f"{name}.local."
    )
    with Zeroconf(["127.0.0.1"], ip_version=IPVersion.V4Only) as responder:
        responder.register_service(info)
        until(lambda: find_wled(1.5, ["127.0.0.1"]).get(f"{name}.local") == "127.0.0.9")


# --- OLA -------------------------------------------------------------------------------------------------

OTHER_PLUGINS = (
    *("artnet", "dummy", "espnet", "ftdidmx", "gpio", "karate", "kinet", "milinst", "nanoleaf", "opendmx"),
    *("openpixelcontrol", "osc", "pathport", "renard", "sandnet", "shownet", "spi", "stageprofi", "uartdmx"),
    *("usbdmx", "usbserial"),
)


class Ola:
    """OLA's daemon, which receives E1.31 as its universes and tells them by HTTP."""

    def __init__(self, folder: Path, universes: int) -> None:
        for plugin in OTHER_PLUGINS:
            (folder / f"ola-{plugin}.conf").write_text("enabled = false\n")
        user = None
        if os.geteuid() == 0:  # as whom it refuses to run
            user = "nobody"
            shutil.chown(folder, user)
        web, rpc = free_port(), free_port()
        self._url = f"http://127.0.0.1:{web}"
        ports = ["--http-port", str(web), "--rpc-port", str(rpc)]
        command = ["olad", "--config-dir", str(folder), *ports, "--no-register-with-dns-sd"]
        self._log = (folder / "log").open("wb")
        self._process = subprocess.Popen(command, user=user, stdout=self._log, stderr=self._log, cwd="/")
        until(self._answers)
        for universe in range(1, universes + 1):
            self._add(universe)

    def _add(self, universe: int) -> None:
        """Make a universe of OLA, with an input that receives the universe of E1.31 with its number."""
        ports = self._get("/json/get_ports")
        free = [it["id"] for it in ports if it["device"].startswith("E1.31") and not it["is_output"]]
        self._get("/new_universe", {"id": universe, "name": f"u{universe}", "add_ports": free[0]})

    def slots(self, universe: int) -> bytes:
        return bytes(self._get(f"/get_dmx?u={universe}")["dmx"])

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._log.close()

    def _answers(self) -> bool:
        assert self._process.poll() is None, "olad has ended"
        try:
            self._get("/json/server_stats")
        except OSError:
            return False
        return True

    def _get(self, path: str, posted: Mapping[str, object] | None = None) -> Any:
        data = urlencode(posted).encode() if posted else None
        with urlopen(self._url + path, data, timeout=PATIENCE) as response:
            return msgspec.json.decode(response.read())


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def ola() -> Iterator[Ola]:
    if shutil.which("olad") is None:
        pytest.skip("OLA is not installed: `make test-setup` installs the package ola")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        try:
            taken.bind(("", E131Stream.port))
        except OSError:
            pytest.skip(f"another program receives E1.31 here, at port {E131Stream.port}")
    with TemporaryDirectory(dir="/tmp") as folder:
        ola = Ola(Path(folder), 3)
        yield ola
        ola.close()


@pytest.mark.system
def test_ola_receives_every_light_of_a_table(read_changed: Callable[..., Layout], ola: Ola) -> None:
    text = (
        chains(", first = 100", ", universe = 3, priority = 150")
        .replace(SEAT, "localhost")
        .replace(RING, "127.0.0.1")
    )
    layout = read_changed("e131", text)
    inbox: Inbox = SimpleQueue()
    lights = NetworkLights(layout, inbox.put)
    colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (200, 100, 50)]
    frames = [
        LightFrame({light.name: colours[(at + step) % 4] for at, light in enumerate(layout.lights)})
        for step in range(4)
    ]
    for frame in [*frames, LightFrame({})]:
        lights.show(frame)
        data = FrameEncoder(layout).encode(frame)
        until(lambda: ola.slots(1)[300:510] == data[:210])  # noqa: B023 - called at once
        until(lambda: ola.slots(2)[:108] == data[210:318])  # noqa: B023
        until(lambda: ola.slots(3)[:204] == data[318:])  # noqa: B023
    lights.show(frames[0])
    until(lambda: any(ola.slots(3)))
    lights.close()
    until(lambda: not any(ola.slots(3)[:204]))
    assert inbox.empty()
