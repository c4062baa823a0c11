"""The link with a clock of the test and a Pico that answers when the test lets it: nothing waits for time."""

from __future__ import annotations

import errno
import io
import os
import pty
import termios
import tty
from collections.abc import Callable, Iterator
from itertools import count
from queue import SimpleQueue
from typing import TypeVar

import pytest

from firmware_bridge.dump import dump
from firmware_bridge.firmware.session import Session
from firmware_bridge.link import (
    FIRST_BACKOFF,
    IN_USE,
    REFUSED_BACKOFF,
    Link,
    Lost,
    PortError,
    Reason,
    describe_port_error,
)
from firmware_bridge.loopback import FakeBoard
from firmware_bridge.messages import FrameSplitter
from firmware_bridge.protocol import (
    SILENCE_TIMEOUT,
    Connection,
    Event,
    Noise,
    Ready,
    Refused,
    Silent,
    SwitchChanged,
)
from tests.firmware_bridge.wirings import SMALL
from tests.harness.waiting import DEADLINE, until

FRAME = bytes(range(SMALL.light_bytes))
T = TypeVar("T")


class Terminal:
    """A link on a pseudo-terminal; the test is the Pico at its other end, and sets the link's clock."""

    def __init__(self, boot: int = 1) -> None:
        self.now = 0.0
        self.opened: list[float] = []  # when the link opened the port
        self.events: SimpleQueue[Event | Lost] = SimpleQueue()
        self.recorded: list[bytes] = []
        self._master, self._port = pty.openpty()
        tty.setraw(self._port)
        os.set_blocking(self._master, False)
        self._frames = FrameSplitter()
        self.board = FakeBoard(self.write)
        self.session = Session(self.board, boot)
        self.link = Link(
            Connection(SMALL, session=7), self._name, self.events.put, self._clock, self.recorded.append
        )
        self.link.start()

    def _name(self) -> str:
        self.opened.append(self.now)
        return os.ttyname(self._port)

    def _clock(self) -> float:
        return self.now

    def write(self, data: bytes) -> None:
        os.write(self._master, data)

    def read(self) -> list[tuple[bytes, bytes]]:
        """Return the lines that the link has sent since the last call, each with the bytes that follow it."""
        try:
            return list(self._frames.feed(os.read(self._master, 4096)))
        except BlockingIOError:
            return []

    def answer(self) -> bool:
        """Answer what the link has sent; return False if that was nothing."""
        frames = self.read()
        now = int(self.now * 1000)
        for line, raw in frames:
            if self.session.receive(line, now):
                self.session.receive_raw(raw, now)
        return bool(frames)

    def event(self, kind: type[T]) -> T:
        """Answer the link until it delivers an event of this kind, and return that."""

        def arrived() -> list[T]:
            self.answer()
            return [] if self.events.empty() else [it for it in [self.events.get()] if isinstance(it, kind)]

        return until(arrived, kind.__name__)[0]

    def prompt(self) -> None:
        """Answer the greeting with a prompt, as MicroPython without the firmware does."""
        until(self.read, "the greeting")
        self.write(b">>> \r\n")
        assert self.events.get(timeout=DEADLINE) == Noise(">>>")

    def silence(self) -> Lost:
        """Let time pass, without an answer, until the link reports the Pico as lost; return that.

        Bytes that the link has not read yet count as heard when it reads them: once may not be enough.
        """

        def reported() -> list[Lost]:
            self.now += SILENCE_TIMEOUT + 0.1
            self.link.show(FRAME)
            return [] if self.events.empty() else [it for it in [self.events.get()] if isinstance(it, Lost)]

        return until(reported, "Lost")[0]

    def reconnect(self, look: Callable[[], object]) -> None:
        """Let time pass until the link has opened the port again and `look` finds its greeting."""

        def greeted() -> bool:
            self.now += FIRST_BACKOFF
            self.link.show(FRAME)
            return bool(look())

        until(greeted, "the greeting of the next connection")

    def close(self) -> None:
        self.link.close()
        os.close(self._master)
        os.close(self._port)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


def test_what_the_pico_sends_is_delivered(terminal: Terminal) -> None:
    terminal.event(Ready)
    terminal.link.show(FRAME)
    until(lambda: terminal.answer() and terminal.board.shown, "the frame")
    assert terminal.board.shown == [FRAME]
    terminal.session.queue_event(1, b"\3", 0, 0)
    assert terminal.event(SwitchChanged).switch == 3


def test_a_prompt_instead_of_an_answer_is_a_pico_without_firmware(terminal: Terminal) -> None:
    terminal.prompt()
    lost = terminal.silence()
    assert lost.reason is Reason.NO_FIRMWARE
    assert "'>>>'" in lost.message and "azul-table firmware install" in lost.message


def test_no_answer_at_all_is_silence(terminal: Terminal) -> None:
    until(terminal.read, "the greeting")
    assert terminal.silence().reason is Reason.SILENT
    assert isinstance(terminal.events.get(timeout=DEADLINE), Silent)


def test_a_prompt_of_an_earlier_connection_explains_no_later_silence(terminal: Terminal) -> None:
    terminal.prompt()
    assert terminal.silence().reason is Reason.NO_FIRMWARE
    terminal.reconnect(terminal.read)
    assert terminal.silence().reason is Reason.SILENT


@pytest.mark.slow
def test_a_pico_that_refuses_is_left_alone_for_a_while(terminal: Terminal) -> None:
    """Other programs can use its port meanwhile."""
    terminal.board.fault = "there is no pin GP29"
    terminal.event(Refused)
    terminal.reconnect(terminal.read)
    first, second = terminal.opened
    assert second - first >= REFUSED_BACKOFF


def test_the_same_loss_is_reported_again_after_the_pico_was_back(terminal: Terminal) -> None:
    for _ in range(2):
        terminal.event(Ready)
        assert terminal.silence().reason is Reason.SILENT
        terminal.reconnect(terminal.answer)


def test_a_loss_is_reported_once_until_its_reason_changes() -> None:
    faults = [PortError("none")] * 4 + [PortError("two")] * 3 + [OSError(errno.ENOENT, "")] * 3
    events, left = SimpleQueue[Event | Lost](), iter(faults)

    def port() -> str:
        raise next(left, PortError("the end"))

    link = Link(Connection(SMALL, session=7), port, events.put, _hurried())
    link.start()
    found = [events.get(timeout=DEADLINE) for _ in range(4)]
    link.close()
    assert [it.message if isinstance(it, Lost) else "" for it in found] == [
        "none",
        "two",
        "the Pico's port is not there; plug the Pico in",
        "the end",
    ]
    assert events.empty()


def test_the_traffic_is_recorded_with_its_direction_and_time(terminal: Terminal) -> None:
    terminal.event(Ready)
    terminal.now = 0.25  # less than the link waits for an answer
    for piece in (b">>> ha", b"lf\n"):
        terminal.write(piece)
    terminal.event(Noise)
    recorded = list(dump(io.BytesIO(b"".join(terminal.recorded))))
    assert any(line.startswith("0.000000 > ") and " hello " in line for line in recorded)
    assert any(line.startswith("0.000000 < ") and " identity " in line for line in recorded)
    assert "0.250000 <     - no frame: b'>>> half'" in recorded


def _hurried() -> Callable[[], float]:
    """Return a clock on which every pause is over at once."""
    times = count(0.0, 1.0)
    return lambda: next(times)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PortError("no Pico is plugged in"), Reason.NO_PORT),
        (OSError(errno.ENOENT, "No such file or directory"), Reason.NO_PORT),
        (OSError(errno.ENODEV, "No such device"), Reason.NO_PORT),
        (OSError(errno.EACCES, "Permission denied"), Reason.DENIED),
        (OSError(errno.EAGAIN, "Resource temporarily unavailable"), Reason.TAKEN),
        (OSError(errno.EBUSY, "Device or resource busy"), Reason.TAKEN),
        (OSError(errno.EIO, "Input/output error"), Reason.GONE),
        (termios.error(errno.EIO, "Input/output error"), Reason.GONE),
        (OSError("device reports readiness to read but returned no data"), Reason.GONE),
        (ValueError("not a valid baudrate"), Reason.OTHER),
    ],
)
def test_an_error_of_the_port_has_a_reason(error: Exception, reason: Reason) -> None:
    lost = describe_port_error(error)
    assert lost.reason is reason
    assert (lost.message == IN_USE) == (reason is Reason.TAKEN)
