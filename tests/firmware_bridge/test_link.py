"""The link on real terminals: ports that come, go, are taken, and say nothing."""

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
from typing import TypeVar

import pytest
import serial

from firmware_bridge import protocol
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
from firmware_bridge.messages import Log, encode
from firmware_bridge.protocol import (
    SILENCE_TIMEOUT,
    Connection,
    Event,
    FrameShown,
    HealthReport,
    Ready,
    SwitchChanged,
)
from firmware_bridge.wire import LineSplitter, pack
from tests.firmware_bridge.wirings import SMALL
from tests.harness.waiting import DEADLINE, until

pytestmark = pytest.mark.system

FRAME = bytes(range(SMALL.light_bytes))
T = TypeVar("T")


class PaperPico:
    """A Pico of paper behind a pseudo-terminal, with a thread that goes its rounds."""

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
        self.deaf = False
        self._paused = self._paused_at = 0.0
        self._hands: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._ends = False
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    def _write(self, frame: bytes) -> None:
        if not self.deaf:
            with suppress(OSError):
                os.write(self._master, frame)

    def _live(self) -> None:
        lines = LineSplitter()
        self.session.begin(self.ticks)
        while not self._ends:
            while not self._hands.empty():
                self._hands.get()()
            try:
                for line in lines.feed(os.read(self._master, 4096)):
                    if not self.deaf:
                        self.session.receive(line, self.ticks)
            except OSError:  # nobody there, or nothing said
                sleep(0.001)
            if not self.deaf:
                self.session.step(self.ticks)
        os.close(self._master)

    @property
    def ticks(self) -> int:
        return int((monotonic() - self._paused) * 1000) % (1 << 30)

    def do(self, what: Callable[[], None]) -> None:
        """Let it do something in its own thread, between two rounds."""
        self._hands.put(what)

    def press(self, switch: int) -> None:
        self.do(lambda: self.session.queue_event(1, bytes((switch,)), self.ticks, self.ticks))

    def become_deaf(self) -> None:
        """Neither receive nor send from now on, and stop the Pico's clock."""
        self._paused_at = monotonic()
        self.deaf = True

    def hear_again(self) -> None:
        """Listen again; the Pico's clock stood still meanwhile."""
        self._paused += monotonic() - self._paused_at
        self.deaf = False

    def unplug(self) -> None:
        if not self._ends:
            self._ends = True
            self._thread.join()
            self.path.unlink()


class Listener:
    """A link, and what it puts."""

    def __init__(self, port: Callable[[], str], record: Callable[[bytes], object] | None = None) -> None:
        self.events: list[Event | Lost] = []
        self.threads: set[str] = set()
        self.lost_at = 0.0
        self.link = Link(Connection(SMALL, session=7), port, self._put, record=record)
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
def pico(path: Path) -> Iterator[PaperPico]:
    pico = PaperPico(path)
    yield pico
    pico.unplug()


MakeListener = Callable[..., Listener]


@pytest.fixture
def listen() -> Iterator[MakeListener]:
    made: list[Listener] = []

    def make(port: Callable[[], str], record: Callable[[bytes], object] | None = None) -> Listener:
        made.append(Listener(port, record))
        return made[-1]

    yield make
    for listener in made:
        listener.link.close()


def test_frames_and_presses_go_over_a_terminal(pico: PaperPico, listen: MakeListener) -> None:
    listener = listen(lambda: str(pico.path))
    listener.link.show(FRAME)
    until(lambda: listener.of(FrameShown), "the frame")
    assert set(pico.table.shown) == {FRAME}  # shown again where the answer was late
    pico.press(3)
    until(lambda: listener.of(SwitchChanged), "the press")
    assert listener.threads == {"bridge-link"}


def test_a_port_that_is_not_there_is_waited_for(path: Path, listen: MakeListener) -> None:
    asked: list[Path] = []

    def there() -> str:
        asked.append(path)
        return str(path)

    listener = listen(there)
    until(lambda: len(asked) > 3, "some attempts")
    pico = PaperPico(path)
    try:
        appeared = monotonic()
        until(listener.ready, "the Pico")
        assert monotonic() - appeared < 5
        assert listener.lost() == [Reason.NO_PORT], "a loss is told once"
    finally:
        pico.unplug()


def test_looking_for_a_port_that_cant_be_found_is_told_in_its_words(listen: MakeListener) -> None:
    def nowhere() -> str:
        raise PortError("no Pico is plugged in")

    listener = listen(nowhere)
    until(lambda: listener.events, "the loss")
    assert listener.events == [Lost("no Pico is plugged in", Reason.NO_PORT)]


def test_pauses_grow_but_stay_short_enough_to_be_back_within_two_seconds(listen: MakeListener) -> None:
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


def test_unplugged_and_back_it_gets_the_whole_frame(
    pico: PaperPico, path: Path, listen: MakeListener
) -> None:
    listener = listen(lambda: str(path))
    listener.link.show(FRAME)
    until(lambda: pico.table.shown, "the frame")
    pico.unplug()
    until(listener.lost, "the loss")
    second = PaperPico(path, boot=2)
    try:
        back = monotonic()
        until(lambda: second.table.shown, "the frame, again")
        assert monotonic() - back < 10
        assert set(second.table.shown) == {FRAME}
    finally:
        second.unplug()


def test_a_port_that_another_program_has_is_waited_for(pico: PaperPico, listen: MakeListener) -> None:
    with serial.Serial(str(pico.path), exclusive=True):
        listener = listen(lambda: str(pico.path))
        until(listener.lost, "the loss")
        assert listener.lost() == [Reason.TAKEN]
    until(listener.ready, "the Pico")


def test_silence_is_told_and_the_port_opened_anew(pico: PaperPico, listen: MakeListener) -> None:
    listener = listen(lambda: str(pico.path))
    until(listener.ready, "the Pico")
    until(lambda: listener.of(HealthReport), "a heartbeat")
    pico.do(pico.become_deaf)
    until(lambda: listener.lost() == [Reason.SILENT], "the loss")
    assert listener.lost_at - listener.of(HealthReport)[-1].at >= SILENCE_TIMEOUT
    heard = monotonic()
    pico.do(pico.hear_again)
    until(lambda: listener.ready(2), "the Pico")
    assert monotonic() - heard < 10


def test_what_was_pressed_while_the_port_was_opened_anew_is_not_lost(
    pico: PaperPico, listen: MakeListener
) -> None:
    """The same boot: numbers go on, and what nobody took yet comes once."""
    listener = listen(lambda: str(pico.path))
    until(listener.ready, "the Pico")
    pico.press(1)
    until(lambda: listener.of(SwitchChanged), "a press")
    pico.do(pico.become_deaf)
    pico.press(2)
    until(listener.lost, "the loss")
    pico.do(pico.hear_again)
    until(lambda: listener.ready(2), "the Pico")
    until(lambda: len(listener.of(SwitchChanged)) >= 2, "the press")
    sleep(0.3)
    assert [it.switch for it in listener.of(SwitchChanged)] == [1, 2]


def is_in(what: str, recorded: Sequence[bytes]) -> bool:
    return what in "\n".join(dump(b"".join(recorded).splitlines(keepends=True)))


def test_what_goes_over_the_line_can_be_read_afterwards(pico: PaperPico, listen: MakeListener) -> None:
    recorded: list[bytes] = []
    listener = listen(lambda: str(pico.path), recorded.append)
    listener.link.show(FRAME)
    for what in (" hello {", " identity {", " configure {", " lights {", " show {", " inputs {"):
        until(partial(is_in, what, recorded), what)


def test_a_frame_that_came_in_two_pieces_is_recorded_as_one(
    path: Path, listen: MakeListener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, a recording showed both halves of it as damaged."""
    monkeypatch.setattr(protocol, "SILENCE_TIMEOUT", DEADLINE)  # nobody answers here
    pico, terminal = pty.openpty()
    tty.setraw(terminal)
    path.symlink_to(os.ttyname(terminal))
    recorded: list[bytes] = []
    listen(lambda: str(path), recorded.append)
    until(lambda: recorded, "the port to be opened")
    kind, body = encode(Log(1, "a word"))
    frame = pack(kind, 0, body)
    for piece in (frame[:9], frame[9:], b">>> half"):
        os.write(pico, piece)
        sleep(0.05)
    until(partial(is_in, "a word", recorded), "the frame")
    os.close(pico)
    os.close(terminal)
    until(partial(is_in, ">>> half", recorded), "what had come when the port went")
    heard = [line for line in dump(recorded) if " < " in line]
    assert len(heard) == 2 and "not base64" not in "".join(heard)


def test_a_recording_that_can_not_be_written_costs_no_lights(pico: PaperPico, listen: MakeListener) -> None:
    """Once, a full disk was told as a port that can't be used, and the table was dark."""

    def full(_data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    listener = listen(lambda: str(pico.path), full)
    listener.link.show(FRAME)
    until(lambda: FRAME in pico.table.shown, "the frame")
    assert listener.lost() == []


def test_after_close_nothing_is_said_and_closing_twice_does_no_harm(
    pico: PaperPico, listen: MakeListener
) -> None:
    listener = listen(lambda: str(pico.path))
    until(listener.ready, "the Pico")
    listener.link.close()
    listener.link.close()
    listener.link.show(FRAME)
    sleep(0.1)
    assert pico.table.shown == []
    assert not [thread for thread in threading.enumerate() if thread.name == "bridge-link"]


def test_a_link_that_never_began_can_be_closed() -> None:
    link = Link(Connection(SMALL, session=7), lambda: "", lambda _event: None)
    link.close()


def test_who_ends_it_does_not_wait_for_the_end_of_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, the thread could be awake before it was told to end, and went on waiting."""
    looked = threading.Event()

    def no_port() -> str:
        looked.set()
        raise PortError("no Pico is plugged in")

    def write(descriptor: int, data: bytes) -> int:
        written = os_write(descriptor, data)
        sleep(0.05)  # whom it wakes goes first
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
def test_a_port_that_goes_while_it_is_written_to_was_unplugged(cause: Exception) -> None:
    """Once, it was told as failed: pyserial drops the number of what it met."""
    try:
        try:
            raise cause
        except (OSError, termios.error) as met:
            raise serial.SerialException(f"write failed: {met}")  # noqa: B904 - as pyserial does
    except serial.SerialException as error:
        assert describe_port_error(error).reason is Reason.GONE
    assert describe_port_error(cause).reason is Reason.GONE
