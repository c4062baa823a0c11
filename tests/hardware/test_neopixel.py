"""Lights through Adafruit's real NeoPixel library, down to the bytes that it sends."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hardware.api import HardwareError, LightFrame, Loss, PartBack, PartError, PartLost, Rgb
from hardware.drivers import neopixel as driver
from hardware.drivers.neopixel import NeoPixelLights, check_board
from hardware.drivers.raspberry_pi import Board, parse_model
from hardware.layout.file import ColourOrder, LightsDriver
from hardware.layout.model import Chain, Layout
from hardware.pixels import FrameEncoder

from . import vendors
from .waiting import Inbox, next_of, until, waiting_in

PI_3 = Board("Raspberry Pi 3 Model B Plus Rev 1.3", 3)
PI_4 = Board("Raspberry Pi 4 Model B Rev 1.4", 4)
PI_5 = Board("Raspberry Pi 5 Model B Rev 1.0", 5)
ORDERS: tuple[ColourOrder, ...] = ("GRB", "RGB", "RBG", "GBR", "BRG", "BGR")

channels = st.integers(0, 255)
colours = st.tuples(channels, channels, channels)


class Wire:
    """Replacement of `neopixel_write` that records every buffer."""

    def __init__(self) -> None:
        self.sent: SimpleQueue[bytes] = SimpleQueue()
        self.pins: set[int] = set()
        self.buffers: set[int] = set()
        self.threads: set[str] = set()
        self.errors: list[Exception] = []  # raised by the next frames, one each
        self.free = threading.Event()
        self.free.set()

    def __call__(self, pin: Any, buffer: bytearray) -> None:
        self.free.wait()
        if self.errors:
            raise self.errors.pop(0)
        self.pins.add(pin._pin.id)
        self.buffers.add(id(buffer))
        self.threads.add(threading.current_thread().name)
        self.sent.put(bytes(buffer))


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    board, neopixel = vendors.blinka()
    wire = Wire()
    monkeypatch.setattr(neopixel, "neopixel_write", wire)
    for number in (10, 12, 18):
        monkeypatch.setattr(board, f"D{number}", vendors.pin(number), raising=False)
    monkeypatch.setattr(driver, "find_board", lambda: PI_4)
    return wire


Open = Callable[..., NeoPixelLights]


@pytest.fixture
def inbox() -> Inbox:
    return SimpleQueue()


@pytest.fixture
def open_lights(duo: Layout, wire: Wire, inbox: Inbox) -> Iterator[Open]:
    """Return a function that opens the lights of the layout duo, with changes of its chain."""
    opened: list[NeoPixelLights] = []

    def open_lights(**chain: Any) -> NeoPixelLights:
        opened.append(NeoPixelLights(with_chain(duo, **chain), inbox.put))
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


def assert_near(sent: bytes, nearest: bytes) -> None:
    """Assert that every byte is at its level or a neighbouring one, as with dithering."""
    assert all(abs(byte - level) <= 1 for byte, level in zip(sent, nearest, strict=True))


FRAME = LightFrame({"seat.1.turn": (255, 128, 1), "status": (0, 10, 255), "display.5.5": (1, 2, 3)})


# --- Bytes ---


def test_a_frame_becomes_the_expected_bytes(duo: Layout, open_lights: Open, wire: Wire) -> None:
    open_lights().show(FRAME)
    sent = next_of(wire.sent)
    assert sent[0:3] == bytes((56, 255, 0))  # the turn light of seat 1 is pixel 0: green, red, blue
    assert sent[3 * 88 : 3 * 89] == bytes((0, 0, 1))
    assert sent[3 * 105 : 3 * 106] == bytes((0, 0, 255))
    assert sent == expected(duo, FRAME)
    assert wire.pins == {10}


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
    """The driver passes only changed pixels to the library, which sends the whole strip."""
    names = [light.name for light in duo.lights]
    frames = data.draw(
        st.lists(st.dictionaries(st.sampled_from(names), colours, max_size=40).map(LightFrame), max_size=5)
    )
    lights = NeoPixelLights(duo, lambda _event: None)
    try:
        next_of(wire.sent)
        for frame in frames:
            lights.show(frame)
            assert_near(next_of(wire.sent), expected(duo, frame))
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


def test_one_buffer_and_one_thread_for_all_frames(open_lights: Open, wire: Wire) -> None:
    lights = open_lights()
    for value in range(1, 50):
        lights.show(LightFrame({"status": (value, 0, 0)}))
        next_of(wire.sent)
    assert len(wire.buffers) == 1
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


def test_closing_turns_the_lights_dark(open_lights: Open, wire: Wire, inbox: Inbox) -> None:
    lights = open_lights()
    lights.show(FRAME)
    next_of(wire.sent)
    lights.close()
    assert next_of(wire.sent) == bytes(3 * 174)
    lights.close()
    assert "lights" not in {thread.name for thread in threading.enumerate()}
    assert waiting_in(inbox) == []


# --- Loss ---


def test_a_lost_strip_is_opened_again_with_the_latest_frame(
    duo: Layout, open_lights: Open, wire: Wire, inbox: Inbox
) -> None:
    lights = open_lights()
    lights.show(FRAME)
    next_of(wire.sent)
    error = RuntimeError("ws2811_render failed with code -10 (Unable to start the DMA)")
    wire.errors = [error, error]  # for a frame, and for the dark frame at the release of the strip
    latest = LightFrame({"centre.1": (9, 99, 199)})
    lights.show(latest)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("lights", Loss.FAILED)
    assert "DMA" in lost.message
    assert isinstance(next_of(inbox), PartBack)
    assert next_of(wire.sent) == bytes(3 * 174)
    assert next_of(wire.sent) == expected(duo, latest)


@pytest.mark.parametrize(
    ("error", "reason", "words"),
    [
        (
            RuntimeError("NeoPixel support requires running with sudo, please try again!"),
            Loss.DENIED,
            "GPIO10",
        ),
        (RuntimeError("ws2811_init failed with code -13 (Unable to initialize SPI)"), Loss.ABSENT, "doctor"),
        (RuntimeError("Failed to open PIO device (error -13)"), Loss.ABSENT, "doctor"),
        (
            RuntimeError("The platform library '_rpi_ws281x' was not found. To install, try typing: pip"),
            Loss.LIBRARY,
            "_rpi_ws281x",
        ),
        (NotImplementedError("Board not supported"), Loss.LIBRARY, "Board not supported"),
        (ModuleNotFoundError("No module named 'neopixel'"), Loss.LIBRARY, "'neopixel'"),
        (PermissionError(13, "Permission denied"), Loss.DENIED, "Permission denied"),
        (AttributeError("module 'board' has no attribute 'D99'"), Loss.FAILED, "D99"),
    ],
)
def test_errors_of_libraries_have_a_reason_and_a_remedy(
    duo: Layout, wire: Wire, error: Exception, reason: Loss, words: str
) -> None:
    """A frame that is shown while the strip is lost is no error."""

    def fail(_chain: Chain, _driver: LightsDriver) -> Any:
        raise error

    inbox: Inbox = SimpleQueue()
    lights = NeoPixelLights(duo, inbox.put, fail)
    lights.show(FRAME)
    lost = next_of(inbox)
    lights.close()
    assert isinstance(lost, PartLost) and lost.part == "lights"
    assert lost.reason is reason
    assert words in lost.message


def test_the_same_loss_is_reported_once(duo: Layout, wire: Wire) -> None:
    tries = 0

    def fail(_chain: Chain, _driver: LightsDriver) -> Any:
        nonlocal tries
        tries += 1
        raise OSError(2, "No such file or directory")

    inbox: Inbox = SimpleQueue()
    lights = NeoPixelLights(duo, inbox.put, fail)
    until(lambda: tries > 2)
    lights.close()
    assert len(waiting_in(inbox)) == 1


# --- Boards ---


@pytest.mark.parametrize(
    ("board", "pin", "lights_driver"),
    [
        (PI_3, 10, "neopixel"),
        (PI_4, 10, "spi"),
        (PI_4, 18, "pwm"),
        (PI_4, 21, "neopixel"),
        (PI_5, 10, "neopixel"),
        (PI_5, 25, "pio"),
    ],
)
def test_drivers_that_a_board_has(board: Board, pin: int, lights_driver: LightsDriver) -> None:
    check_board(Chain("lights", pin, 1), lights_driver, board)


@pytest.mark.parametrize(
    ("board", "pin", "lights_driver", "words"),
    [
        (None, 10, "neopixel", "not a Raspberry Pi"),
        (PI_4, 5, "neopixel", "GPIO10"),
        (PI_4, 10, "pio", "no PIO"),
        (PI_5, 10, "spi", "by PIO"),
        (PI_5, 18, "pwm", "by PIO"),
    ],
)
def test_drivers_that_a_board_does_not_have(
    board: Board | None, pin: int, lights_driver: LightsDriver, words: str
) -> None:
    with pytest.raises(PartError, match=words) as raised:
        check_board(Chain("lights", pin, 1), lights_driver, board)
    assert raised.value.reason is Loss.ABSENT


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


# --- Blinka's driver for a Pi 4 ---


class FakeRpiWs281x(ModuleType):
    """Replacement of the C library `rpi_ws281x` that records values, frames, and initializations."""

    WS2811_SUCCESS = 0
    WS2811_STRIP_RGB = 0x100800
    SK6812_STRIP_RGBW = 0x18100800

    def __init__(self) -> None:
        super().__init__("_rpi_ws281x")
        self.leds: dict[int, int] = {}
        self.shown: SimpleQueue[bytes] = SimpleQueue()
        self.values: dict[str, Any] = {}
        self.begun = self.ended = 0

    def ws2811_init(self, _strip: object) -> int:
        self.begun += 1
        return 0

    def ws2811_fini(self, _strip: object) -> None:
        self.ended += 1

    def ws2811_led_set(self, _channel: object, pixel: int, colour: int) -> None:
        self.leds[pixel] = colour

    def ws2811_render(self, _strip: object) -> int:
        self.shown.put(b"".join(self.leds[pixel].to_bytes(3, "big") for pixel in sorted(self.leds)))
        return 0

    def __getattr__(self, name: str) -> Any:
        """Setters of the channel store a value, getters return it."""
        if name.startswith("__"):
            raise AttributeError(name)
        key = name.removeprefix("ws2811_channel_t_").rpartition("_")[0]
        if name.endswith("_set"):
            return lambda _object, value: self.values.update({key: value})
        return lambda *_arguments: self.values.get(key, object())


def test_blinka_sends_the_same_bytes_to_one_strip_of_a_pi_4(
    duo: Layout, wire: Wire, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = FakeRpiWs281x()
    monkeypatch.setitem(sys.modules, "_rpi_ws281x", library)
    from adafruit_blinka.microcontroller.bcm283x import neopixel as of_pi_4

    monkeypatch.setattr(of_pi_4.time, "sleep", lambda _seconds: None)
    _, neopixel = vendors.blinka()
    monkeypatch.setattr(neopixel, "neopixel_write", of_pi_4.neopixel_write)
    lights = NeoPixelLights(duo, inbox.put)
    assert next_of(library.shown) == bytes(3 * 174)
    for number in range(20):
        frame = LightFrame({"status": (number, 0, 9), "centre.1": (200, 100, number)})
        lights.show(frame)
        assert_near(next_of(library.shown), expected(duo, frame))
    lights.close()
    assert next_of(library.shown) == bytes(3 * 174)
    assert library.begun == 1
    assert (library.values["count"], library.values["gpionum"]) == (174, 10)
    of_pi_4.neopixel_cleanup()
    assert library.ended == 1
    assert waiting_in(inbox) == []
