"""Lights of a Pi down to the bytes on the line: real libraries, fake devices beneath them."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path
from typing import Final

import pytest

from hardware.api import LightFrame
from hardware.layout.file import LightsDriver
from hardware.layout.model import Layout
from hardware.pixels import FrameEncoder
from tests.harness.running import children, is_running

from .fake_devices import DMA, MESSAGE, PCM_FIFO, PIO, PWM_FIFO, WRITE, FakeDevices, Session, compile_library
from .waiting import until

pytestmark = pytest.mark.system

DARK: Final = bytes(3 * 174)
LIT: Final = {"seat.1.turn": (255, 128, 1), "status": (0, 10, 255), "display.5.5": (1, 2, 3)}
PIXELS: Final = bytes(range(256)) + bytes(2) + bytes(reversed(range(256))) + bytes(8)
"""A frame of 174 lights with every byte."""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_library(tmp_path_factory.mktemp("library"))


@pytest.fixture
def pi(library: Path, tmp_path: Path) -> FakeDevices:
    return FakeDevices(tmp_path / "pi", library)


@pytest.fixture
def frame(duo: Layout) -> bytes:
    """The bytes of the wire of the frame LIT; tests of pixels compute them in another way."""
    return FrameEncoder(duo).encode(LightFrame(LIT))


# --- SPI -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("generation", [3, 4, 5])
def test_spi_sends_the_frames_of_the_driver(
    library: Path, tmp_path: Path, frame: bytes, generation: int
) -> None:
    """Without a library of a vendor, and without a process of its own."""
    pi = FakeDevices(tmp_path / f"pi {generation}", library, generation)
    with Session(pi, whole=True) as lights:
        assert pi.until_sent(DARK).kind == WRITE
        lights.ask("show", LIT)
        assert pi.until_sent(frame).target == 3_000_000
        assert pi.settings() == {"mode 0", "bits 8"}
        lights.ask("close_lights")
        assert pi.sent()[-1].pixels == DARK
        assert children(lights.process.pid) == []


def test_other_threads_run_while_a_frame_is_sent(pi: FakeDevices, frame: bytes) -> None:
    """Bug fixed: rpi_ws281x held the GIL for the 6 ms of a frame, so that presses waited for it."""
    with Session(pi, whole=True) as lights:
        pi.until_sent(DARK)
        pi.fault("held", 1)
        lights.ask("show", LIT)
        until((pi.root / "holding").exists)
        assert lights.ask("descriptors")
        pi.fault("held", 0)
        pi.until_sent(frame)


@pytest.mark.parametrize(("order", "pixels"), [("GRB", PIXELS), ("GRBW", (PIXELS + PIXELS)[: 4 * 174])])
def test_spi_sends_each_byte_between_two_pauses(pi: FakeDevices, order: str, pixels: bytes) -> None:
    with Session(pi, order=order) as lights:
        lights.ask("open")
        lights.ask("send", pixels.hex())
        (sent,) = pi.sent()
        assert sent.pixels == pixels
        pause = bytes(113)  # 300 us at 3 MHz
        assert sent.data.startswith(pause) and sent.data.endswith(pause)
        assert len(sent.data) == 2 * len(pause) + 4 * len(pixels)


def test_a_missing_spi_device_is_reported_and_used_when_it_is_there(pi: FakeDevices, frame: bytes) -> None:
    pi.remove("dev/spidev0.0")
    with Session(pi, whole=True) as lights:
        lights.ask("show", LIT)
        lost, reason, message = lights.event()
        assert (lost, reason) == ("PartLost", "absent")
        assert "dtparam=spi=on into /boot/firmware/config.txt" in message
        pi.write("dev/spidev0.0", "")
        assert lights.event()[0] == "PartBack"
        assert pi.sent()[0].pixels == frame


def test_a_denied_spi_device_is_reported_with_the_group(pi: FakeDevices) -> None:
    pi.fault("dev/spidev0.0", errno.EACCES)
    with Session(pi) as lights:
        reason, message = lights.ask("open")
        assert reason == "denied"
        assert "usermod -aG spi" in message


def test_a_device_that_refuses_its_settings_is_reported(pi: FakeDevices) -> None:
    pi.fault("settings", errno.EINVAL)
    with Session(pi) as lights:
        before = lights.ask("descriptors")
        reason, message = lights.ask("open")
        assert reason == "failed"
        assert "Invalid argument" in message and "doctor" in message
        assert lights.ask("descriptors") == before


def test_a_failed_transfer_is_reported_and_the_latest_frame_is_sent_after_it(
    pi: FakeDevices, frame: bytes
) -> None:
    with Session(pi, whole=True) as lights:
        pi.until_sent(DARK)
        pi.fault("transfer", errno.EIO)
        lights.ask("show", {"status": (9, 9, 9)})
        lost, reason, message = lights.event()
        assert (lost, reason) == ("PartLost", "failed")
        assert "Input/output error" in message and "doctor" in message
        lights.ask("show", LIT)
        pi.fault("transfer", 0)
        assert lights.event()[0] == "PartBack"
        pi.until_sent(frame)


@pytest.mark.parametrize("size", ["2313", "nonsense"])
def test_a_buffer_that_is_too_small_is_reported_with_the_word_for_cmdline_txt(
    pi: FakeDevices, size: str
) -> None:
    """A frame of duo has 2,314 bytes; the kernel refuses longer ones also where the size can't be read."""
    pi.write("sys/module/spidev/parameters/bufsiz", size)
    with Session(pi) as lights:
        fault = lights.ask("open") or lights.ask("send", PIXELS.hex())
        assert fault[0] == "failed"
        assert "spidev.bufsiz=32768" in fault[1] and "cmdline.txt" in fault[1]
        assert pi.sent() == []


def test_a_buffer_that_just_fits_is_enough(pi: FakeDevices) -> None:
    pi.write("sys/module/spidev/parameters/bufsiz", "2314")
    with Session(pi) as lights:
        assert lights.ask("open") is None
        assert lights.ask("send", PIXELS.hex()) is None


def test_spi_opened_100_times_leaves_no_descriptor_open(pi: FakeDevices) -> None:
    """Each second time the transfer fails."""
    with Session(pi) as lights:
        before = lights.ask("descriptors")
        for number in range(100):
            pi.fault("transfer", errno.EIO if number % 2 else 0)
            lights.ask("open")
            fault = lights.ask("send", PIXELS.hex())
            assert (fault is not None) == bool(number % 2)
            lights.ask("close")
        pi.write("sys/module/spidev/parameters/bufsiz", "100")
        assert lights.ask("open")[0] == "failed"
        assert lights.ask("descriptors") == before


# --- PWM and PCM: the process of the lights ---------------------------------------------------------------


@pytest.mark.parametrize(("pin", "fifo"), [(12, PWM_FIFO), (13, PWM_FIFO), (18, PWM_FIFO), (21, PCM_FIFO)])
def test_dma_sends_the_frames_of_the_driver(pi: FakeDevices, frame: bytes, pin: int, fifo: int) -> None:
    pi.write("user", "0")
    with Session(pi, pin=pin, whole=True) as lights:
        assert pi.until_sent(DARK).kind == DMA
        lights.ask("show", LIT)
        assert pi.until_sent(frame).target == fifo
        lights.ask("close_lights")
        assert pi.sent()[-1].pixels == DARK
        assert children(lights.process.pid) == []


@pytest.mark.parametrize("pin", [10, 18])
@pytest.mark.parametrize(("order", "pixels"), [("GRB", PIXELS), ("GRBW", (PIXELS + PIXELS)[: 4 * 174])])
def test_the_libraries_send_each_byte_as_it_is(pi: FakeDevices, pin: int, order: str, pixels: bytes) -> None:
    with Session(pi, pin=pin, order=order) as lights:
        lights.ask("open_process")
        assert lights.ask("send", pixels.hex()) is None
        (sent,) = pi.sent()
        assert sent.kind == (MESSAGE if pin == 10 else DMA)
        assert sent.pixels == pixels


@pytest.mark.parametrize(
    ("pin", "missing", "words"),
    [
        (10, "spidev0.0", "SPI"),
        (10, "gpiomem", "SPI"),
        (18, "mem", "only root"),
        (18, "gpiochip0", "GPIO 18"),
    ],
)
def test_a_missing_device_ends_the_process_with_a_sentence(
    pi: FakeDevices, pin: int, missing: str, words: str
) -> None:
    """Bug fixed: after a failed initialization the strip was used again, and rpi_ws281x crashed."""
    pi.remove(f"dev/{missing}")
    with Session(pi, pin=pin) as lights:
        for _ in range(2):
            lights.ask("open_process")
            _, message = lights.ask("send", PIXELS.hex())
            assert words in message and "SIG" not in message
            lights.ask("close")
        assert children(lights.process.pid) == []


@pytest.mark.parametrize(
    ("revision", "words"),
    [("c03117", "revision is not supported"), ("c0ffee", "unable to identify the board")],
)
def test_a_revision_that_a_library_does_not_know_is_reported(
    pi: FakeDevices, revision: str, words: str
) -> None:
    """The first one is unknown to rpi_ws281x, the second one to Blinka."""
    pi.write("proc/cpuinfo", f"Hardware\t: BCM2835\nRevision\t: {revision}\n")
    pi.write("user", "0")
    with Session(pi, pin=18, whole=True) as lights:
        lost, reason, message = lights.event()
        assert (lost, reason) == ("PartLost", "library")
        assert words in message and "GPIO10" in message
        assert lights.ask("close_lights") is None


def test_spi_needs_no_known_revision(pi: FakeDevices) -> None:
    pi.write("proc/cpuinfo", "Hardware\t: BCM2835\nRevision\t: c0ffee\n")
    with Session(pi, whole=True):
        pi.until_sent(DARK)


@pytest.mark.parametrize("pin", [18, 21])
def test_pwm_and_pcm_are_refused_for_a_user_who_is_not_root(pi: FakeDevices, pin: int) -> None:
    pi.write("user", "1000")
    with Session(pi, pin=pin) as lights:
        reason, message = lights.ask("open")
        assert reason == "denied"
        assert "GPIO10" in message and "sudo azul-table play" in message
        assert children(lights.process.pid) == []


def test_a_crash_of_the_library_is_reported_and_the_latest_frame_is_sent_after_it(
    pi: FakeDevices, frame: bytes
) -> None:
    pi.write("user", "0")
    with Session(pi, pin=18, whole=True) as lights:
        pi.until_sent(DARK)
        (process,) = children(lights.process.pid)
        os.kill(process, signal.SIGSEGV)
        lights.ask("show", LIT)
        lost, reason, message = lights.event()
        assert (lost, reason) == ("PartLost", "failed")
        assert "SIGSEGV" in message and "doctor" in message
        assert lights.event()[0] == "PartBack"
        pi.until_sent(frame)
        assert len(children(lights.process.pid)) == 1


def test_a_library_that_hangs_is_killed_and_started_again(pi: FakeDevices, frame: bytes) -> None:
    pi.write("user", "0")
    with Session(pi, pin=18, whole=True) as lights:
        pi.until_sent(DARK)
        (process,) = children(lights.process.pid)
        pi.fault("dma", 1)
        until(
            lambda: lights.ask("show", LIT) or lights.has_event()
        )  # each waits for the end of the one before
        lost, reason, message = lights.event()
        assert (lost, reason) == ("PartLost", "silent")
        assert "did not answer" in message
        assert not is_running(process)
        lights.ask("show", LIT)
        pi.fault("dma", 0)
        assert lights.event()[0] == "PartBack"
        pi.until_sent(frame)


# --- PIO of a Pi 5 ----------------------------------------------------------------------------------------


@pytest.fixture
def pi_5(library: Path, tmp_path: Path) -> FakeDevices:
    return FakeDevices(tmp_path / "pi 5", library, 5)


@pytest.mark.parametrize(("driver", "pin"), [("pio", 10), ("neopixel", 18)])
def test_pio_sends_the_frames_of_the_driver(
    pi_5: FakeDevices, frame: bytes, driver: LightsDriver, pin: int
) -> None:
    """Words of 32 bits: two more bytes, which follow the last light."""
    with Session(pi_5, pin=pin, driver=driver, whole=True) as lights:
        assert pi_5.until_sent(DARK + bytes(2)).kind == PIO
        lights.ask("show", LIT)
        pi_5.until_sent(frame + bytes(2))
        lights.ask("close_lights")
        assert pi_5.sent()[-1].pixels == DARK + bytes(2)
        assert children(lights.process.pid) == []


def test_an_exit_of_the_library_is_reported_with_its_last_words(pi_5: FakeDevices) -> None:
    """Without the process of its own it would end the table."""
    pi_5.fault("pio", errno.EBUSY)
    with Session(pi_5, pin=18, whole=True) as lights:
        lost, reason, message = lights.event()
        assert (lost, reason) == ("PartLost", "failed")
        assert "No PIO state machines are available" in message and "doctor" in message
        assert lights.ask("close_lights") is None


def test_a_pi_5_without_pio_is_reported(pi_5: FakeDevices) -> None:
    pi_5.remove("dev/pio0")
    with Session(pi_5, pin=18) as lights:
        lights.ask("open")
        reason, message = lights.ask("send", PIXELS.hex())
        assert reason == "absent"
        assert "PIO" in message and "doctor" in message


# --- End of the process -----------------------------------------------------------------------------------


def test_closing_does_not_wait_for_a_library_that_hangs(pi: FakeDevices) -> None:
    pi.write("user", "0")
    with Session(pi, pin=18, whole=True) as lights:
        pi.until_sent(DARK)
        pi.fault("dma", 1)
        lights.ask("show", LIT)
        assert lights.ask("close_lights") is None
        assert children(lights.process.pid) == []
        assert not lights.has_event()


def test_the_process_of_the_lights_ends_with_the_table(pi: FakeDevices) -> None:
    pi.write("user", "0")
    with Session(pi, pin=18, whole=True) as lights:
        pi.until_sent(DARK)
        (process,) = children(lights.process.pid)
    until(lambda: not is_running(process))


def test_a_process_that_hangs_ends_with_the_table(pi: FakeDevices) -> None:
    """It does not notice that its input is closed."""
    with Session(pi, pin=18) as lights:
        lights.ask("open_process")
        assert lights.ask("send", PIXELS.hex()) is None
        (process,) = children(lights.process.pid)
        os.kill(process, signal.SIGSTOP)
    until(lambda: not is_running(process))


def test_the_process_opened_again_leaves_no_descriptor_and_no_process(pi: FakeDevices) -> None:
    """Each second time the initialization fails."""
    with Session(pi, pin=18) as lights:
        before = lights.ask("descriptors")
        for number in range(6):
            pi.fault("mailbox", errno.EIO if number % 2 else 0)
            lights.ask("open_process")
            fault = lights.ask("send", PIXELS.hex())
            assert (fault is not None) == bool(number % 2)
            lights.ask("close")
        assert lights.ask("descriptors") == before
        assert children(lights.process.pid) == []


def test_a_missing_library_is_reported_with_its_name(pi: FakeDevices, tmp_path: Path) -> None:
    (tmp_path / "neopixel.py").write_text("raise ModuleNotFoundError(\"No module named 'neopixel'\")\n")
    with Session(pi, pin=18, PYTHONPATH=str(tmp_path)) as lights:
        lights.ask("open_process")
        reason, message = lights.ask("send", PIXELS.hex())
        assert reason == "library"
        assert "No module named 'neopixel'" in message


def test_what_a_library_prints_is_no_answer(pi: FakeDevices, tmp_path: Path) -> None:
    """And what it printed last is reported if it ends without an error."""
    (tmp_path / "neopixel.py").write_text("import os\nprint('shown', flush=True)\nos._exit(3)\n")
    with Session(pi, pin=18, PYTHONPATH=str(tmp_path)) as lights:
        lights.ask("open_process")
        reason, message = lights.ask("send", PIXELS.hex())
        assert reason == "failed"
        assert "with status 3" in message and "(shown)" in message
