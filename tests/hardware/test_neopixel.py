"""Lights on the pins of a Pi: bytes of frames, the thread, pulses of SPI, what boards can do."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import ceil
from queue import SimpleQueue
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hardware.api import HardwareError, LightFrame, Loss, PartBack, PartError, PartLost, Rgb
from hardware.drivers.neopixel import NeoPixelLights, Strip, Way, check_board, check_user
from hardware.drivers.raspberry_pi import Board, parse_model
from hardware.drivers.spi import BUFFER_SIZE, RESET_SECONDS, SPEED, encode, frame_size
from hardware.layout.file import ColourOrder, LightsDriver
from hardware.layout.model import Chain, Layout
from hardware.pixels import FrameEncoder

from .waiting import Inbox, next_of, until, waiting_in

PI_3 = Board("Raspberry Pi 3 Model B Plus Rev 1.3", 3)
PI_4 = Board("Raspberry Pi 4 Model B Rev 1.4", 4)
PI_5 = Board("Raspberry Pi 5 Model B Rev 1.0", 5)
ORDERS: tuple[ColourOrder, ...] = ("GRB", "RGB", "RBG", "GBR", "BRG", "BGR")

channels = st.integers(0, 255)
colours = st.tuples(channels, channels, channels)


class Wire:
    """A strip that records every frame."""

    def __init__(self) -> None:
        self.sent: SimpleQueue[bytes] = SimpleQueue()
        self.threads: set[str] = set()
        self.errors: list[Exception] = []  # raised by the next frames, one each
        self.opened = self.closed = 0
        self.free = threading.Event()
        self.free.set()

    def open(self, chain: Chain, driver: LightsDriver, stopping: Callable[[], bool]) -> Strip:
        self.opened += 1
        return self

    def send(self, pixels: bytes) -> None:
        self.free.wait()
        if self.errors:
            raise self.errors.pop(0)
        self.threads.add(threading.current_thread().name)
        self.sent.put(pixels)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def wire() -> Wire:
    return Wire()


Open = Callable[..., NeoPixelLights]


@pytest.fixture
def inbox() -> Inbox:
    return SimpleQueue()


@pytest.fixture
def open_lights(duo: Layout, wire: Wire, inbox: Inbox) -> Iterator[Open]:
    """Return a function that opens the lights of the layout duo, with changes of its chain."""
    opened: list[NeoPixelLights] = []

    def open_lights(**chain: Any) -> NeoPixelLights:
        opened.append(NeoPixelLights(with_chain(duo, **chain), inbox.put, wire.open))
        assert next_of(wire.sent) == bytes(3 * 174)
        return opened[-1]

    yield open_lights
    wire.free.set()
    for lights in opened:
        lights.close()


def with_chain(layout: Layout, **changes: Any) -> Layout:
    return replace(layout, chains=(replace(layout.chains[0], **changes),))


def expected(layout: Layout, frame: LightFrame, order: str = "GRB") -> bytes:
    """Return the bytes of a frame, computed in the simplest way: gamma 2.2, full brightness."""
    data = bytearray(3 * len(layout.lights))
    for light in layout.lights:
        exact = [255 * (value / 255) ** 2.2 for value in frame.colour(light.name)]
        for name, value in zip("RGB", exact, strict=True):
            lit = max(exact) > 0 and value == max(exact)
            data[3 * light.pixel + order.index(name)] = max(int(value + 0.5), int(lit))
    return bytes(data)


FRAME = LightFrame({"seat.1.turn": (255, 128, 1), "status": (0, 10, 255), "display.5.5": (1, 2, 3)})


# --- Bytes ---


def test_a_frame_becomes_the_expected_bytes(duo: Layout, open_lights: Open, wire: Wire) -> None:
    open_lights().show(FRAME)
    sent = next_of(wire.sent)
    assert sent[0:3] == bytes((56, 255, 0))  # the turn light of seat 1 is pixel 0: green, red, blue
    assert sent[3 * 88 : 3 * 89] == bytes((0, 0, 1))
    assert sent[3 * 105 : 3 * 106] == bytes((0, 0, 255))
    assert sent == expected(duo, FRAME)


@pytest.mark.parametrize("order", ORDERS)
def test_colours_have_the_order_of_the_chain(
    duo: Layout, open_lights: Open, wire: Wire, order: ColourOrder
) -> None:
    open_lights(order=order).show(FRAME)
    assert next_of(wire.sent) == expected(duo, FRAME, order)


def test_frames_have_the_brightness_and_gamma_of_the_chain(open_lights: Open, wire: Wire) -> None:
    open_lights(brightness=0.5, gamma=1.0, order="RGB").show(LightFrame({"seat.1.turn": (255, 100, 1)}))
    assert next_of(wire.sent)[:3] == bytes((128, 50, 1))


def test_a_light_that_is_not_in_the_next_frame_is_dark_again(open_lights: Open, wire: Wire) -> None:
    lights = open_lights()
    lights.show(FRAME)
    assert next_of(wire.sent) != bytes(3 * 174)
    lights.show(LightFrame({}))
    assert next_of(wire.sent) == bytes(3 * 174)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_frame_after_any_other_is_sent_as_a_whole(duo: Layout, wire: Wire, data: st.DataObject) -> None:
    names = [light.name for light in duo.lights]
    frames = data.draw(
        st.lists(st.dictionaries(st.sampled_from(names), colours, max_size=40).map(LightFrame), max_size=5)
    )
    lights = NeoPixelLights(duo, lambda _event: None, wire.open)
    try:
        next_of(wire.sent)
        for frame in frames:
            lights.show(frame)
            sent: bytes = next_of(wire.sent)
            pairs = zip(sent, expected(duo, frame), strict=True)
            assert all(abs(byte - level) <= 1 for byte, level in pairs), "dithering adds a level"
    finally:
        lights.close()
        waiting_in(wire.sent)


@given(colours)
def test_the_pico_sends_the_same_colours(duo: Layout, colour: Rgb) -> None:
    frame = LightFrame({"status": colour})
    assert FrameEncoder(duo).encode(frame) == expected(duo, frame)


def test_an_invalid_frame_is_an_error(open_lights: Open, wire: Wire) -> None:
    lights = open_lights()
    with pytest.raises(HardwareError, match=r"seat\.3\.turn"):
        lights.show(LightFrame({"seat.3.turn": (1, 1, 1)}))
    with pytest.raises(HardwareError, match="outside of 0 to 255"):
        lights.show(LightFrame({"status": (256, 0, 0)}))
    assert waiting_in(wire.sent) == []


# --- Thread ---


def test_one_strip_and_one_thread_for_all_frames(open_lights: Open, wire: Wire) -> None:
    lights = open_lights()
    for value in range(1, 50):
        lights.show(LightFrame({"status": (value, 0, 0)}))
        next_of(wire.sent)
    assert wire.opened == 1
    assert wire.threads == {"lights"}


def test_the_latest_frame_wins_and_show_does_not_block(duo: Layout, open_lights: Open, wire: Wire) -> None:
    lights = open_lights()
    wire.free.clear()
    for value in range(256):
        lights.show(LightFrame({"status": (value, value, value)}))
    wire.free.set()
    last = LightFrame({"status": (255, 255, 255)})
    until(lambda: wire.sent.qsize() >= 1)
    sent = [next_of(wire.sent)]
    while sent[-1] != expected(duo, last):
        sent.append(next_of(wire.sent))
    assert len(sent) <= 2  # the one being sent, and the last


def test_a_frame_shown_again_is_sent_again(open_lights: Open, wire: Wire) -> None:
    """So the next refresh restores a strip that lost its power for a moment."""
    lights = open_lights()
    for _ in range(3):
        lights.show(FRAME)
        next_of(wire.sent)


def test_closing_closes_the_strip_once(open_lights: Open, wire: Wire, inbox: Inbox) -> None:
    lights = open_lights()
    lights.close()
    lights.close()
    assert wire.closed == 1
    assert "lights" not in {thread.name for thread in threading.enumerate()}
    assert waiting_in(inbox) == []


# --- Loss ---


def test_a_lost_strip_is_opened_again_with_the_latest_frame(
    duo: Layout, open_lights: Open, wire: Wire, inbox: Inbox
) -> None:
    lights = open_lights()
    lights.show(FRAME)
    next_of(wire.sent)
    wire.errors = [PartError(Loss.FAILED, "unable to start the DMA")]
    latest = LightFrame({"centre.1": (9, 99, 199)})
    lights.show(latest)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("lights", Loss.FAILED)
    assert "DMA" in lost.message
    assert next_of(wire.sent) == expected(duo, latest)
    assert isinstance(next_of(inbox), PartBack)
    assert (wire.opened, wire.closed) == (2, 1)


def test_a_strip_is_back_only_after_its_first_frame(duo: Layout, wire: Wire) -> None:
    """Many faults show only then."""
    wire.errors = [PartError(Loss.FAILED, "no memory"), PartError(Loss.FAILED, "no memory")]
    inbox: Inbox = SimpleQueue()
    lights = NeoPixelLights(duo, inbox.put, wire.open)
    next_of(wire.sent)
    assert isinstance(next_of(inbox), PartLost)
    assert isinstance(next_of(inbox), PartBack)
    lights.close()
    assert waiting_in(inbox) == []


@pytest.mark.parametrize(
    ("error", "reason", "words"),
    [
        (PermissionError(13, "Permission denied"), Loss.DENIED, "Permission denied"),
        (AttributeError("module 'board' has no attribute 'D99'"), Loss.FAILED, "D99"),
    ],
)
def test_a_frame_that_is_shown_while_the_strip_is_lost_is_no_error(
    duo: Layout, error: Exception, reason: Loss, words: str
) -> None:
    def fail(_chain: Chain, _driver: LightsDriver, _stopping: Callable[[], bool]) -> Any:
        raise error

    inbox: Inbox = SimpleQueue()
    lights = NeoPixelLights(duo, inbox.put, fail)
    lights.show(FRAME)
    lost = next_of(inbox)
    lights.close()
    assert isinstance(lost, PartLost) and lost.part == "lights"
    assert lost.reason is reason
    assert words in lost.message


def test_the_same_loss_is_reported_once(duo: Layout) -> None:
    tries = 0

    def fail(_chain: Chain, _driver: LightsDriver, _stopping: Callable[[], bool]) -> Any:
        nonlocal tries
        tries += 1
        raise OSError(2, "No such file or directory")

    inbox: Inbox = SimpleQueue()
    lights = NeoPixelLights(duo, inbox.put, fail)
    until(lambda: tries > 2)
    lights.close()
    assert len(waiting_in(inbox)) == 1


# --- SPI ---


@given(st.binary(max_size=700))
def test_spi_sends_short_pulses_for_0_and_long_ones_for_1(pixels: bytes) -> None:
    bits = "".join(f"{byte:08b}" for byte in encode(pixels))
    pulses = [len(pulse) for pulse in re.findall("1+", bits)]
    assert pulses == [1 + int(bit) for byte in pixels for bit in f"{byte:08b}"]
    starts = [match.start() for match in re.finditer("1+", bits)]
    assert {later - earlier for earlier, later in pairwise(starts)} <= {4}


def test_no_pulse_of_spi_crosses_the_end_of_a_byte() -> None:
    """Controllers of a Pi pause between two bytes, with a low line."""
    for byte in encode(bytes(range(256))):
        assert byte & 0b1000_0001 == 0


HIGH_FOR_0_AND_1 = {
    "WS2812": ((200, 500), (550, 850)),
    "WS2812B": ((250, 550), (650, 950)),
    "WS2812B-V5": ((220, 380), (580, 1000)),
    "SK6812": ((150, 450), (450, 750)),
    "WS2811": ((100, 400), (450, 750)),
}
"""Nanoseconds that the data sheets allow."""


@pytest.mark.parametrize("light", HIGH_FOR_0_AND_1)
@pytest.mark.parametrize("clock", [200e6, 250e6, 400e6, 500e6])
def test_pulses_fit_each_data_sheet_with_the_clocks_of_all_boards(light: str, clock: float) -> None:
    """The kernel's drivers spi-bcm2835 and spi-dw divide the clock by an even number, rounded up."""
    divider = 2 * ceil(clock / SPEED / 2)
    bit = 1e9 * divider / clock
    (shortest_0, longest_0), (shortest_1, longest_1) = HIGH_FOR_0_AND_1[light]
    assert shortest_0 <= bit <= longest_0
    assert shortest_1 <= 2 * bit <= longest_1
    assert RESET_SECONDS >= 280e-6, "of a WS2812B-V5, the longest"


@pytest.mark.parametrize(("order", "most"), [("GRB", 322), ("GRBW", 241)])
def test_so_many_lights_fit_into_the_usual_buffer_of_spi(order: Any, most: int) -> None:
    assert frame_size(Chain("lights", 10, most, order)) <= BUFFER_SIZE
    assert frame_size(Chain("lights", 10, most + 1, order)) > BUFFER_SIZE
    assert frame_size(Chain("lights", 10, 2, order)) == len(encode(bytes(2 * len(order))))


# --- Boards ---


@pytest.mark.parametrize(
    ("board", "pin", "lights_driver", "way"),
    [
        (PI_3, 10, "neopixel", Way.SPI),
        (PI_4, 10, "spi", Way.SPI),
        (PI_5, 10, "spi", Way.SPI),
        (PI_5, 10, "neopixel", Way.SPI),
        (PI_4, 18, "pwm", Way.PWM),
        (PI_4, 13, "neopixel", Way.PWM),
        (PI_4, 21, "neopixel", Way.PCM),
        (PI_5, 10, "pio", Way.PIO),
        (PI_5, 25, "pio", Way.PIO),
        (PI_5, 18, "neopixel", Way.PIO),
    ],
)
def test_the_pin_and_the_board_decide_how_lights_are_sent(
    board: Board, pin: int, lights_driver: LightsDriver, way: Way
) -> None:
    assert check_board(Chain("lights", pin, 1), lights_driver, board) is way


@pytest.mark.parametrize(
    ("board", "pin", "lights_driver", "words"),
    [
        (None, 10, "neopixel", "not a Raspberry Pi"),
        (PI_4, 5, "neopixel", "use GPIO10, or else one of GPIO12, GPIO13, GPIO18, GPIO19, GPIO21"),
        (PI_4, 10, "pio", "no PIO"),
        (PI_5, 18, "pwm", "by SPI or PIO, not by PWM"),
    ],
)
def test_drivers_that_a_board_does_not_have(
    board: Board | None, pin: int, lights_driver: LightsDriver, words: str
) -> None:
    with pytest.raises(PartError, match=words) as raised:
        check_board(Chain("lights", pin, 1), lights_driver, board)
    assert raised.value.reason is Loss.ABSENT


@pytest.mark.parametrize("way", [Way.PWM, Way.PCM])
def test_only_root_sends_by_pwm_and_pcm(way: Way) -> None:
    check_user(way, is_root=True)
    with pytest.raises(PartError, match=f"only root may send to lights by {way}.*GPIO10") as raised:
        check_user(way, is_root=False)
    assert raised.value.reason is Loss.DENIED


@pytest.mark.parametrize("way", [Way.SPI, Way.PIO])
def test_everybody_in_the_group_sends_by_spi_and_pio(way: Way) -> None:
    check_user(way, is_root=False)


@pytest.mark.parametrize(
    ("model", "generation"),
    [
        ("Raspberry Pi 4 Model B Rev 1.5\0", 4),
        ("Raspberry Pi 400 Rev 1.0\0", 4),
        ("Raspberry Pi Compute Module 4 Rev 1.0\0", 4),
        ("Raspberry Pi 5 Model B Rev 1.0\0", 5),
        ("Raspberry Pi 500 Rev 1.0\0", 5),
        ("Raspberry Pi Compute Module 5 Lite Rev 1.0\0", 5),
        ("Raspberry Pi 3 Model A Plus Rev 1.0\0", 3),
        ("Raspberry Pi Zero 2 W Rev 1.0\0", 3),
        ("Raspberry Pi Zero W Rev 1.1\0", 1),
        ("Raspberry Pi Model B Plus Rev 1.2\0", 1),
    ],
)
def test_boards_are_parsed_from_their_models(model: str, generation: int) -> None:
    assert parse_model(model) == Board(model.strip("\0"), generation)


@pytest.mark.parametrize("model", ["", "Pine64 RockPro64", "linux,dummy-virt\0"])
def test_other_models_are_not_a_raspberry_pi(model: str) -> None:
    assert parse_model(model) is None
