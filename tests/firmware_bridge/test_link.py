"""The link on real terminals: ports that appear, disappear, are in use, or stay silent."""

from __future__ import annotations

import errno
import os
import pty
import termios
import threading
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, pairwise, repeat
from pathlib import Path
from queue import SimpleQueue
from time import monotonic, sleep
from typing import Any, TypeVar

import pytest
import serial

from firmware_bridge.dump import dump
from firmware_bridge.firmware.session import Session
from firmware_bridge.link import (
    FIRST_BACKOFF,
    MAX_BACKOFF,
    Link,
    Lost,
    PortError,
    Reason,
    describe_port_error,
)
from firmware_bridge.loopback import FakeBoard
from firmware_bridge.messages import FrameSplitter, Log, encode
from firmware_bridge.protocol import (
    SILENCE_TIMEOUT,
    Connection,
    Event,
    HealthReport,
    Ready,
    SwitchChanged,
)
from firmware_bridge.wire import pack
from tests.firmware_bridge.wirings import SMALL
from tests.harness.waiting import DEADLINE, until

pytestmark = pytest.mark.system

FRAME = bytes(range(SMALL.light_bytes))
T = TypeVar("T")


class FakePico:
    """A fake Pico behind a pseudo-terminal: the firmware's session in a thread."""

    def __init__(self, link: Path, boot: int = 1) -> None:
        self.path = link
        self._master, terminal = pty.openpty()
        tty.setraw(terminal)
        os.set_blocking(self._master, False)
        link.unlink(missing_ok=True)
        link.symlink_to(os.ttyname(terminal))
        os.close(terminal)
        self.table = FakeBoard(self._write)
        self.session = Session(self.table, boot)
        self.frozen = False
        self._paused = self._paused_at = 0.0
        self._hands: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._ends = False
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    def _write(self, frame: bytes) -> None:
        if not self.frozen:
            with suppress(OSError):
                os.write(self._master, frame)

    def _live(self) -> None:
        lines = FrameSplitter(lambda line: self.session.receive(line, self.ticks))
        self.session.begin(self.ticks)
        while not self._ends:
            while not self._hands.empty():
                self._hands.get()()
            try:
                data = os.read(self._master, 4096)
                for _, raw in lines.feed(data) if not self.frozen else ():
                    if raw:
                        self.session.receive_raw(raw, self.ticks)
            except OSError:  # the port is closed, or has no bytes
                sleep(0.001)
            if not self.frozen:
                self.session.try_show()
                self.session.step(self.ticks)
        os.close(self._master)

    @property
    def ticks(self) -> int:
        return int((monotonic() - self._paused) * 1000) % (1 << 30)

    def do(self, action: Callable[[], None]) -> None:
        """Run a function in the Pico's thread between two rounds."""
        self._hands.put(action)

    def press(self, switch: int) -> None:
        self.do(lambda: self.session.queue_event(1, bytes((switch,)), self.ticks, self.ticks))

    def freeze(self) -> None:
        """Neither receive nor send from now on, and stop the Pico's clock."""
        self._paused_at = monotonic()
        self.frozen = True

    def thaw(self) -> None:
        """Listen again; the Pico's clock stood still meanwhile."""
        self._paused += monotonic() - self._paused_at
        self.frozen = False

    def unplug(self) -> None:
        if not self._ends:
            self._ends = True
            self._thread.join()
            self.path.unlink()


class Listener:
    """A link and the events that it delivers."""

    def __init__(
        self,
        port: Callable[[], str],
        record: Callable[[bytes], object] | None = None,
        silence: float = SILENCE_TIMEOUT,
    ) -> None:
        self.events: list[Event | Lost] = []
        self.threads: set[str] = set()
        self.lost_at = 0.0
        self.link = Link(Connection(SMALL, 7, silence), port, self._put, record=record)
        self.link.start()

    def _put(self, event: Event | Lost) -> None:
        self.threads.add(threading.current_thread().name)
        if isinstance(event, Lost):
            self.lost_at = monotonic()
        self.events.append(event)

    def of(self, kind: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, kind)]

    def lost(self) -> list[Reason]:
        return [event.reason for event in self.of(Lost)]

    def ready(self, count: int = 1) -> bool:
        return len(self.of(Ready)) >= count


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tty"


@pytest.fixture
def pico(path: Path) -> Iterator[FakePico]:
    pico = FakePico(path)
    yield pico
    pico.unplug()


MakeListener = Callable[..., Listener]


@pytest.fixture
def listen() -> Iterator[MakeListener]:
    made: list[Listener] = []

    def make(port: Callable[[], str], *options: Any, **named: Any) -> Listener:
        made.append(Listener(port, *options, **named))
        return made[-1]

    yield make
    for listener in made:
        listener.link.close()


def test_frames_and_presses_pass_over_a_terminal(pico: FakePico, listen: MakeListener) -> None:
    listener = listen(lambda: str(pico.path))
    listener.link.show(FRAME)
    until(lambda: pico.table.shown, "the frame")
    assert set(pico.table.shown) == {FRAME}  # shown again where the answer was late
    pico.press(3)
    until(lambda: listener.of(SwitchChanged), "the press")
    assert listener.threads == {"bridge-link"}


def test_a_missing_port_is_opened_when_it_appears(path: Path, listen: MakeListener) -> None:
    asked: list[Path] = []

    def there() -> str:
        asked.append(path)
        return str(path)

    listener = listen(there)
    until(lambda: len(asked) > 3, "some attempts")
    pico = FakePico(path)
    try:
        appeared = monotonic()
        until(listener.ready, "the Pico")
        assert monotonic() - appeared < 5
        assert listener.lost() == [Reason.NO_PORT], "a loss is reported once"
    finally:
        pico.unplug()


def test_the_message_of_a_port_error_is_reported(listen: MakeListener) -> None:
    def nowhere() -> str:
        raise PortError("no Pico is plugged in")

    listener = listen(nowhere)
    until(lambda: listener.events, "the loss")
    assert listener.events == [Lost("no Pico is plugged in", Reason.NO_PORT)]


def test_the_backoff_grows_but_allows_reconnecting_within_two_seconds(listen: MakeListener) -> None:
    asked: list[float] = []

    def nowhere() -> str:
        asked.append(monotonic())
        raise PortError("no")

    listen(nowhere)
    until(lambda: len(asked) >= 7, "seven attempts")
    pauses = [after - before for before, after in pairwise(asked)]
    for number, pause in enumerate(pauses):
        assert pause >= min(FIRST_BACKOFF * 2**number, MAX_BACKOFF) - 0.01
    assert max(pauses) < 2


def test_after_reconnecting_the_pico_gets_the_whole_frame(
    pico: FakePico, path: Path, listen: MakeListener
) -> None:
    listener = listen(lambda: str(path))
    listener.link.show(FRAME)
    until(lambda: pico.table.shown, "the frame")
    pico.unplug()
    until(listener.lost, "the loss")
    second = FakePico(path, boot=2)
    try:
        back = monotonic()
        until(lambda: second.table.shown, "the frame, again")
        assert monotonic() - back < 10
        assert set(second.table.shown) == {FRAME}
    finally:
        second.unplug()


def test_a_port_in_use_is_opened_when_it_is_released(pico: FakePico, listen: MakeListener) -> None:
    with serial.Serial(str(pico.path), exclusive=True):
        listener = listen(lambda: str(pico.path))
        until(listener.lost, "the loss")
        assert listener.lost() == [Reason.TAKEN]
    until(listener.ready, "the Pico")


def test_silence_is_reported_and_the_port_reopened(pico: FakePico, listen: MakeListener) -> None:
    listener = listen(lambda: str(pico.path))
    until(listener.ready, "the Pico")
    until(lambda: listener.of(HealthReport), "a heartbeat")
    pico.do(pico.freeze)
    until(lambda: listener.lost() == [Reason.SILENT], "the loss")
    assert listener.lost_at - listener.of(HealthReport)[-1].at >= SILENCE_TIMEOUT
    began = monotonic()
    pico.do(pico.thaw)
    until(lambda: listener.ready(2), "the Pico")
    assert monotonic() - began < 10


def test_presses_during_a_reconnection_are_not_lost(pico: FakePico, listen: MakeListener) -> None:
    """Within one boot event numbers continue, and unacknowledged events are delivered once."""
    listener = listen(lambda: str(pico.path))
    until(listener.ready, "the Pico")
    pico.press(1)
    until(lambda: listener.of(SwitchChanged), "a press")
    pico.do(pico.freeze)
    pico.press(2)
    until(listener.lost, "the loss")
    pico.do(pico.thaw)
    until(lambda: listener.ready(2), "the Pico")
    until(lambda: len(listener.of(SwitchChanged)) >= 2, "the press")
    sleep(0.3)
    assert [it.switch for it in listener.of(SwitchChanged)] == [1, 2]


def is_in(text: str, recorded: Sequence[bytes]) -> bool:
    return text in "\n".join(dump(b"".join(recorded).splitlines(keepends=True)))


def test_the_traffic_can_be_recorded_and_decoded(pico: FakePico, listen: MakeListener) -> None:
    recorded: list[bytes] = []
    listener = listen(lambda: str(pico.path), recorded.append)
    listener.link.show(FRAME)
    for text in (" hello {", " identity {", " configure {", " show {", " inputs {"):
        until(partial(is_in, text, recorded), text)


def test_a_frame_received_in_two_pieces_is_recorded_as_one(path: Path, listen: MakeListener) -> None:
    """Bug fixed: both halves were recorded as damaged lines."""
    pico, terminal = pty.openpty()
    tty.setraw(terminal)
    path.symlink_to(os.ttyname(terminal))
    recorded: list[bytes] = []
    listen(lambda: str(path), recorded.append, silence=DEADLINE)  # nobody answers here
    until(lambda: recorded, "the port to be opened")
    kind, body = encode(Log(1, "a word"))
    frame = pack(kind, 0, body)
    for piece in (frame[:9], frame[9:], b">>> half"):
        os.write(pico, piece)
        sleep(0.05)
    until(partial(is_in, "a word", recorded), "the frame")
    os.close(pico)
    os.close(terminal)
    until(partial(is_in, ">>> half", recorded), "the bytes received before the port went")
    received = [line for line in dump(recorded) if " < " in line]
    assert len(received) == 2 and "not base64" not in "".join(received)


def test_a_recording_that_fails_does_not_disturb_the_lights(pico: FakePico, listen: MakeListener) -> None:
    """Bug fixed: a full disk was reported as an unusable port, and the lights went out."""

    def full(_data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    listener = listen(lambda: str(pico.path), full)
    listener.link.show(FRAME)
    until(lambda: FRAME in pico.table.shown, "the frame")
    assert listener.lost() == []


def test_after_close_nothing_is_reported_and_a_second_close_does_nothing(
    pico: FakePico, listen: MakeListener
) -> None:
    listener = listen(lambda: str(pico.path))
    until(listener.ready, "the Pico")
    listener.link.close()
    listener.link.close()
    listener.link.show(FRAME)
    sleep(0.1)
    assert pico.table.shown == []
    assert not [thread for thread in threading.enumerate() if thread.name == "bridge-link"]


def test_a_link_that_was_never_started_can_be_closed() -> None:
    link = Link(Connection(SMALL, session=7), lambda: "", lambda _event: None)
    link.close()


def test_close_does_not_wait_for_the_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug fixed: the thread could wake before the flag was set, and slept on."""
    looked = threading.Event()

    def no_port() -> str:
        looked.set()
        raise PortError("no Pico is plugged in")

    def write(descriptor: int, data: bytes) -> int:
        written = os_write(descriptor, data)
        sleep(0.05)  # the thread that it wakes goes first
        return written

    os_write = os.write
    times = chain([1e6], repeat(0.0))  # a pause without end
    link = Link(Connection(SMALL, session=7), no_port, lambda _event: None, clock=lambda: next(times))
    link.start()
    assert looked.wait(DEADLINE)
    sleep(0.05)
    monkeypatch.setattr(os, "write", write)
    closing = threading.Thread(target=link.close, daemon=True)
    closing.start()
    closing.join(DEADLINE)
    assert not closing.is_alive()


@pytest.mark.parametrize("cause", [OSError(5, "Input/output error"), termios.error(5, "Input/output error")])
def test_an_error_while_writing_means_unplugged(cause: Exception) -> None:
    """Bug fixed: pyserial does not pass on the errno, so the error was reported as unknown."""
    try:
        try:
            raise cause
        except (OSError, termios.error) as met:
            raise serial.SerialException(f"write failed: {met}")  # noqa: B904 - as pyserial does
    except serial.SerialException as error:
        assert describe_port_error(error).reason is Reason.GONE
    assert describe_port_error(cause).reason is Reason.GONE
