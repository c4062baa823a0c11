"""Tag readers on serial ports: RDM6300 and ID-12LA, which send each tag by themselves, and the PN532.

Here are the parser of serial frames, the presence of tags with hysteresis, the driver `TagReaders` with one
thread for each reader, and the polling of a PN532. The driver opens a port again when the reader was
unplugged, sends garbage, or was silent for long, because readers sometimes stop answering.
"""

from __future__ import annotations

import re
import termios
from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import xor
from time import monotonic
from typing import Any, Final

from msgspec import Struct
from serial import Serial, SerialException

from hardware.api import HardwareEvent, Loss, PartError, TagArrived, TagLeft, reader_part
from hardware.drivers.raspberry_pi import device_of, find_board, skip_dependency_check
from hardware.drivers.supervisor import Supervisor, loss_of
from hardware.layout.file import ReadersDriver
from hardware.layout.model import Layout, Reader

# --- Frames of RDM6300 and ID-12LA -----------------------------------------------------------------------
# Both send `02`, ten hex digits (a version and four bytes of the tag), two hex digits of the XOR of those
# five bytes, and `03`; the ID-12LA puts CR LF before the `03`.

START: Final = 0x02
END: Final = 0x03
DIGITS: Final = 10
_LONGEST: Final = DIGITS + 4
_BODY: Final = re.compile(rb"([0-9A-F]{10})([0-9A-F]{2})(?:\r\n)?")


class FrameParser:
    """Parser of the bytes of a reader; never raises. Invalid frames are counted and skipped."""

    def __init__(self) -> None:
        self.damaged = 0
        """Frames that were started but are not valid."""
        self.noise = 0
        """Bytes outside of any frame."""
        self._frame: bytearray | None = None

    def feed(self, data: bytes) -> list[str]:
        """Parse more bytes; return the tags that they complete, ten hex digits each, in order."""
        tags = []
        for byte in data:
            if byte == START:
                self.damaged += self._frame is not None
                self._frame = bytearray()
            elif self._frame is None:
                self.noise += 1
            elif byte == END:
                tag = parse_tag(bytes(self._frame))
                self._frame = None
                if tag is None:
                    self.damaged += 1
                else:
                    tags.append(tag)
            elif len(self._frame) == _LONGEST:
                self.damaged += 1
                self._frame = None
            else:
                self._frame.append(byte)
        return tags


def parse_tag(body: bytes) -> str | None:
    """Return the tag in the bytes between `02` and `03`; None if they or their checksum are wrong."""
    found = _BODY.fullmatch(body)
    if found is None or _xor((found[1] + found[2]).decode("ascii")):
        return None
    return found[1].decode("ascii")


def encode_frame(tag: str, *, line_end: bool = False) -> bytes:
    """Return the frame that an RDM6300 sends for a tag; with `line_end` that of an ID-12LA."""
    body = f"{tag}{_xor(tag):02X}" + ("\r\n" if line_end else "")
    return bytes((START, *body.encode("ascii"), END))


def _xor(digits: str) -> int:
    """Return the XOR of the bytes in hex digits; 0 for bytes that end with their checksum."""
    return reduce(xor, bytes.fromhex(digits), 0)


# --- Presence of tags, with hysteresis -------------------------------------------------------------------
# A tag at rest is read again and again, and one read in sixteen misses it. So a tag arrives when it is read
# for the first time and has left when it was not read for LEAVES seconds. Tags that lie side by side are read
# alternately: each is tracked by itself.

LEAVES: Final = 1.2
"""Seconds without a read after which a tag has left. An RDM6300 reads some ten times a second. An ID-12LA
sends a tag only when it arrives: its tags leave after the same time and can arrive again."""


class Presence:
    """The tags that lie on one reader. Times are in seconds and never go back."""

    def __init__(self, reader: str, leaves: float = LEAVES) -> None:
        self._reader = reader
        self._leaves = leaves
        self._last_read: dict[str, float] = {}
        self._lost = False

    def seen(self, tag: str, at: float) -> list[TagArrived | TagLeft]:
        """Record that a tag was read at this time; return the events, oldest first."""
        events = self.passed(at)
        new = tag not in self._last_read
        self._last_read.pop(tag, None)
        self._last_read[tag] = at  # at the end: the dictionary is ordered by the time of the last read
        return [*events, TagArrived(self._reader, tag, at)] if new else events

    def passed(self, at: float) -> list[TagArrived | TagLeft]:
        """Record that this time was reached; return the tags that have left, the earliest first."""
        if self._lost:
            self._lost = False
            self._last_read = dict.fromkeys(self._last_read, at)
        gone = [tag for tag, read in self._last_read.items() if at - read >= self._leaves]
        return [TagLeft(self._reader, tag, self._last_read.pop(tag) + self._leaves) for tag in gone]

    def lost(self) -> None:
        """Record that the reader is lost until the next call: a tag that still lies there did not arrive."""
        self._lost = True


# --- Driver ----------------------------------------------------------------------------------------------

BAUD: Final = 9600
PN532_BAUD: Final = 115200
CHUNK: Final = 256
MAX_DAMAGED: Final = 5
MAX_NOISE: Final = 200
"""Damaged frames, and bytes outside of frames, since the last tag: more are from no reader."""
MAX_INVALID: Final = 5
"""Invalid answers of a PN532 in succession; one or two come from a tag that moves."""


class Times(Struct, frozen=True):
    """Times of the readers in seconds."""

    read: float = 0.2  # for which a read of the port waits for a byte
    poll: float = 0.2  # for which a PN532 looks for a tag
    clean: float = 3.0  # without noise, until a reader that sent garbage counts as working again
    silent: float = 300.0  # without a byte of an RDM6300 or ID-12LA, until its port is opened again
    health_check: float = 2.0  # without a tag on a PN532, until it is asked for its version
    initialize: float = 600.0  # without a tag on a PN532, until it is initialized again


USUAL: Final = Times()

TakeTags = Callable[[Sequence[str]], None]
"""Takes the tags that were read just now; an empty list means that time has passed."""


def port_of(reader: Reader) -> str:
    """Return the path of a reader's serial port. Raises PartError if the board has none at its pin."""
    return reader.wire if isinstance(reader.wire, str) else device_of(reader.wire, find_board())


class TagReaders:
    """The readers of a layout on serial ports (driver `Inputs`); one thread for each reader."""

    def __init__(
        self,
        layout: Layout,
        clock: Callable[[], float] = monotonic,
        times: Times = USUAL,
    ) -> None:
        self._readers = [
            _SerialReader(it, layout.drivers.readers, clock, times, Presence(it.name))
            for it in layout.readers
        ]
        self._supervisors: list[Supervisor] = []
        self._clock = clock

    def start(self, put: Callable[[HardwareEvent], None]) -> None:
        """Pass every tag, and every reader lost and back, to `put`, from the threads of the readers."""
        for reader in self._readers:
            part = reader_part(reader.reader.name)
            supervisor = Supervisor(part, partial(reader.work, put), put, self._clock)
            self._supervisors.append(supervisor)
            supervisor.start()

    def close(self) -> None:
        """Close the ports and end the threads; a second call does nothing."""
        for supervisor in self._supervisors:
            supervisor.stop()
        for supervisor in self._supervisors:
            supervisor.close()


class _SerialReader(Struct):
    """One reader and its serial port; `garbled` while it sends invalid data."""

    reader: Reader
    driver: ReadersDriver
    clock: Callable[[], float]
    times: Times
    presence: Presence
    garbled: bool = False

    def work(self, put: Callable[[HardwareEvent], None], supervisor: Supervisor) -> None:
        """Do the work of this reader's supervisor. Raises PartError."""
        path, is_pn532 = port_of(self.reader), self.driver == "pn532"
        self.presence.lost()

        def take(tags: Sequence[str]) -> None:
            now = self.clock()
            events = self.presence.passed(now)
            for tag in tags:
                events += self.presence.seen(tag, now)
            for event in events:
                put(event)

        with open_port(path, PN532_BAUD if is_pn532 else BAUD, self.times.read) as port:
            try:
                if is_pn532:
                    poll_pn532(port, supervisor, take, self.clock, self.times)
                else:
                    self._listen(port, supervisor, take)
            except (OSError, termios.error) as error:
                message = f"the reader at {path} is gone; plug it in again, or check its wires"
                raise PartError(Loss.UNPLUGGED, message) from error

    def _listen(self, port: Serial, supervisor: Supervisor, take: TakeTags) -> None:
        """Listen to an RDM6300 or ID-12LA until it has been silent for long."""
        parser = FrameParser()
        heard = self.clock()
        if not self.garbled:
            supervisor.working()
        while not supervisor.stopping:
            data = port.read(max(1, min(port.in_waiting, CHUNK)))
            tags = parser.feed(data)
            take(tags)
            now = self.clock()
            if data:
                heard = now
            elif now - heard > self.times.silent:
                return
            if tags or (self.garbled and now - heard > self.times.clean):
                self.garbled = False
                parser.damaged = parser.noise = 0
                supervisor.working()
            elif parser.damaged > MAX_DAMAGED or parser.noise > MAX_NOISE:
                self.garbled = True
                message = f"{port.name} receives data that no reader sends"
                wires = "check the wires (ground; 3.3 V, not 5, on the Pi's pin)"
                raise PartError(
                    Loss.GARBLED, f"{message}: {wires}, and that the layout names this kind of reader"
                )


def open_port(path: str, baud: int, timeout: float = USUAL.read) -> Serial:
    """Open a serial port for this process alone; reads time out after `timeout` seconds. Raises PartError."""
    try:
        return Serial(path, baud, timeout=timeout, write_timeout=1.0, exclusive=True)
    except SerialException as error:
        loss, _ = loss_of(error)
        match loss:
            case Loss.ABSENT:
                message = f"there is no {path}; plug the reader in, or enable its port (`azul-table doctor`)"
            case Loss.DENIED:
                message = f"no permission for {path}; `sudo usermod -aG dialout $USER`, then log in again"
            case Loss.BUSY:
                message = f"another program uses {path}; end it"
            case _:
                loss, message = Loss.FAILED, f"{path} can't be opened: {error}"
        raise PartError(loss, message) from error


# --- PN532, by Adafruit's library ------------------------------------------------------------------------
# It is polled for tags. It does not report that it hangs, so it is asked for its version now and then. A
# PN532 that does not answer, or whose answers are invalid, is closed; the supervisor opens it again, which
# wakes it up.


def poll_pn532(
    port: Serial, supervisor: Supervisor, take: TakeTags, clock: Callable[[], float], times: Times = USUAL
) -> None:
    """Poll the PN532 at this port until it has seen no tag for long. Raises PartError or OSError."""
    chip = _wake_up(port)
    supervisor.working()
    answered = seen = clock()
    invalid = 0
    while not supervisor.stopping:
        tag, valid = _poll_once(chip, times.poll)
        take([tag] if tag else [])
        now = clock()
        invalid = 0 if valid else invalid + 1
        if tag:
            answered = seen = now
        elif invalid > MAX_INVALID:
            message = f"the answers of the PN532 at {port.name} are invalid; check its wires and its ground"
            raise PartError(Loss.GARBLED, message)
        elif now - answered > times.health_check:
            _check_health(chip, port)
            answered = clock()
        if now - seen > times.initialize:
            return


def _wake_up(port: Serial) -> Any:
    """Return the chip, awake; the library asks it for its version."""
    skip_dependency_check()
    from adafruit_pn532.adafruit_pn532 import BusyError
    from adafruit_pn532.uart import PN532_UART

    try:
        return PN532_UART(port)
    except (RuntimeError, BusyError, IndexError) as error:
        raise _no_answer(port) from error


def _poll_once(chip: Any, timeout: float) -> tuple[str | None, bool]:
    """Return the tag that lies there, None if none does, and whether the answer was valid."""
    from adafruit_pn532.adafruit_pn532 import BusyError

    try:
        number = chip.read_passive_target(timeout=timeout)
    except (RuntimeError, BusyError, IndexError):
        return None, False
    return (bytes(number).hex().upper() if number else None), True


def _check_health(chip: Any, port: Serial) -> None:
    """Raise PartError if the chip does not answer with its version; a late answer may spoil the first try."""
    from adafruit_pn532.adafruit_pn532 import BusyError

    for _ in range(2):
        try:
            chip.firmware_version  # noqa: B018 - reading it asks the chip
        except (RuntimeError, BusyError, IndexError):
            continue
        return
    raise _no_answer(port)


def _no_answer(port: Serial) -> PartError:
    remedy = "check its power, both data wires, and that its switches are set to UART (HSU)"
    return PartError(Loss.SILENT, f"the PN532 at {port.name} does not answer; {remedy}")
