"""Tag readers on serial ports: RDM6300 and ID-12LA, which tell each tag by themselves, and the PN532.

Each reader has a thread, named for it. It opens the port, and opens it again when the reader was unplugged,
when what it says makes no sense, and when it has said nothing for long: readers go deaf. `tag_frames` makes
tags of the bytes, `presence` makes arrivals and leavings of the tags.
"""

from __future__ import annotations

import errno
import os
import re
import termios
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, Final

from serial import Serial, SerialException

from hardware.api import HardwareEvent, Loss, PartError, TagArrived, TagLeft, reader_part
from hardware.drivers.raspberry_pi import device_of, find_board
from hardware.drivers.supervisor import Keeper
from hardware.layout.file import ReadersDriver
from hardware.layout.model import Layout, Reader

# --- What RDM6300 and ID-12LA readers send, as tags: bytes in, tags out; no port -------------------------
# Both send `02`, ten hex digits (a version and four bytes of the tag), two hex digits of the XOR of those
# five bytes, and `03`; the ID-12LA puts CR LF before the `03`. Nothing raises: what is no frame is counted
# and skipped, up to the next `02`.

START: Final = 0x02
END: Final = 0x03
DIGITS: Final = 10
_LONGEST: Final = DIGITS + 4
_BODY: Final = re.compile(rb"([0-9A-F]{10})([0-9A-F]{2})(?:\r\n)?")


class TagFrames:
    """Turns the bytes of a reader into tags, ten hex digits each, however the bytes are cut."""

    def __init__(self) -> None:
        self.good = 0
        """Frames that were tags."""
        self.damaged = 0
        """Frames that were begun but were no tags."""
        self.noise = 0
        """Bytes outside of any frame."""
        self._frame: bytearray | None = None

    def receive(self, data: bytes) -> list[str]:
        """Take in what arrived; return the tags that it completes, in order."""
        tags = []
        for byte in data:
            if byte == START:
                self.damaged += self._frame is not None
                self._frame = bytearray()
            elif self._frame is None:
                self.noise += 1
            elif byte == END:
                tag = tag_of(bytes(self._frame))
                self._frame = None
                if tag is None:
                    self.damaged += 1
                else:
                    self.good += 1
                    tags.append(tag)
            elif len(self._frame) == _LONGEST:
                self.damaged += 1
                self._frame = None
            else:
                self._frame.append(byte)
        return tags


def tag_of(body: bytes) -> str | None:
    """Return the tag in what stands between `02` and `03`; None if it is none, or its check is wrong."""
    found = _BODY.fullmatch(body)
    if found is None:
        return None
    check = 0
    for byte in bytes.fromhex((found[1] + found[2]).decode("ascii")):
        check ^= byte  # over the bytes and their check itself: nothing is left
    return found[1].decode("ascii") if check == 0 else None


def frame_of(tag: str, *, line_end: bool = False) -> bytes:
    """Return the frame that says this tag, as a reader sends it; `line_end` as an ID-12LA."""
    check = 0
    for byte in bytes.fromhex(tag):
        check ^= byte
    body = f"{tag}{check:02X}" + ("\r\n" if line_end else "")
    return bytes((START, *body.encode("ascii"), END))


# --- Tags that come and go at one reader: reads in ---
# A tag at rest is read again and again, and one read in sixteen misses it. So a tag has come when it is read
# for the first time, and is gone when it was not read for LEAVES seconds. Tags that lie side by side are read
# in turns: each of them is there for itself.

LEAVES: Final = 1.2
"""Seconds without a read after which a tag is gone. An RDM6300 reads some ten times a second. An ID-12LA
tells a tag only as it comes: that is taken for gone after the same time, and may come anew."""


class Presence:
    """The tags that lie on one reader. Times are in seconds and never go back."""

    def __init__(self, reader: str, leaves: float = LEAVES) -> None:
        self._reader = reader
        self._leaves = leaves
        self._read: dict[str, float] = {}
        self._lost = False

    def seen(self, tag: str, at: float) -> list[TagArrived | TagLeft]:
        """Take in that a tag was read at this time; return what follows, oldest first."""
        events = self.passed(at)
        new = tag not in self._read
        self._read.pop(tag, None)
        self._read[tag] = at  # behind the others: they are in the order of their last read
        return [*events, TagArrived(self._reader, tag, at)] if new else events

    def passed(self, at: float) -> list[TagArrived | TagLeft]:
        """Take in that this time was reached; return the tags that are gone, the longest gone first."""
        if self._lost:
            self._lost = False
            self._read = dict.fromkeys(self._read, at)
        gone = [tag for tag, read in self._read.items() if at - read >= self._leaves]
        return [TagLeft(self._reader, tag, self._read.pop(tag) + self._leaves) for tag in gone]

    def lost(self) -> None:
        """Take in that the reader is lost, until the next call: what lies there then did not come anew."""
        self._lost = True


# --- The PN532 on a serial port, by Adafruit's driver: asked again and again whether a tag lies there
# It does not say by itself that it went deaf, so it is asked for its version now and then. A PN532 that does
# not answer, or that answers nonsense, is given up; whoever opened it opens it again, which wakes it up.

PN532_BAUD: Final = 115200
POLL: Final = 0.2
"""Seconds that the PN532 looks for a tag."""
HEALTH: Final = 2.0
"""Seconds without a tag after which it is asked for its version."""
PN532_QUIET: Final = 600.0
"""Seconds without a tag after which it is initialised anew."""
MOST_FAULTS: Final = 5
"""Answers one after another that made no sense; one or two come of a tag that moves."""


def poll(
    port: Serial,
    keeper: Keeper,
    take: Callable[[Sequence[str]], None],
    clock: Callable[[], float],
) -> None:
    """Ask the PN532 at this port for tags until it has seen none for long; raises PartError, or OSError."""
    chip = _wake(port)
    keeper.works()
    answered = seen = clock()
    faults = 0
    while not keeper.ending:
        tag, understood = _ask(chip)
        take([tag] if tag else [])
        now = clock()
        faults = 0 if understood else faults + 1
        if tag:
            answered = seen = now
        elif faults > MOST_FAULTS:
            raise PartError(
                Loss.GARBLED,
                f"the PN532 at {port.name} answers nonsense; look at its wires and its ground",
            )
        elif now - answered > HEALTH:
            _check(chip, port)
            answered = clock()
        if now - seen > PN532_QUIET:
            return


def _wake(port: Serial) -> Any:
    """Return the chip, awake; the vendor's driver asks it for its version."""
    # Blinka would ask on a terminal whether to install what is missing, and hang the start of the table.
    os.environ.setdefault("BLINKA_SKIP_DEPENDENCY_CHECK", "1")
    from adafruit_pn532.adafruit_pn532 import BusyError
    from adafruit_pn532.uart import PN532_UART

    try:
        return PN532_UART(port)
    except (RuntimeError, BusyError, IndexError) as error:
        raise _silent(port) from error


def _ask(chip: Any) -> tuple[str | None, bool]:
    """Return the tag that lies there, None if none does, and whether the answer made sense."""
    from adafruit_pn532.adafruit_pn532 import BusyError

    try:
        number = chip.read_passive_target(timeout=POLL)
    except (RuntimeError, BusyError, IndexError):
        return None, False
    return (bytes(number).hex().upper() if number else None), True


def _check(chip: Any, port: Serial) -> None:
    """Raise PartError if the chip does not even say its version; a late answer may spoil the first try."""
    from adafruit_pn532.adafruit_pn532 import BusyError

    for _ in range(2):
        try:
            chip.firmware_version  # noqa: B018 - asking is what it is for
        except (RuntimeError, BusyError, IndexError):
            continue
        return
    raise _silent(port)


def _silent(port: Serial) -> PartError:
    return PartError(
        Loss.SILENT,
        f"the PN532 at {port.name} does not answer; look at its power, at both data wires, and that its "
        "switches are set to UART (HSU)",
    )


# ----------------------------------------------------------------------------------------------------------

BAUD: Final = 9600
WAIT: Final = 0.2
"""Seconds that a read waits for a byte."""
CHUNK: Final = 256
QUIET: Final = 300.0
"""Seconds without a byte after which a port is opened anew, as one that hangs says nothing either."""
MOST_DAMAGED: Final = 5
MOST_NOISE: Final = 200
"""Damaged frames, and bytes outside of frames, since the last tag: more is no reader, or a wrong speed."""
CLEAN: Final = 3.0
"""Seconds without noise after which a reader that made no sense is believed again."""

Take = Callable[[Sequence[str]], None]
"""Takes in the tags read just now; none lets the time pass."""


def port_of(reader: Reader) -> str:
    """Return the path of a reader's port; raises PartError where the board has none at its pin."""
    if isinstance(reader.wire, str):
        return reader.wire
    return device_of(reader.wire, find_board())


class TagReaders:
    """The readers of a layout on serial ports (driver `Inputs`); one thread a reader."""

    def __init__(
        self,
        layout: Layout,
        port_of: Callable[[Reader], str] = port_of,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._lines = [_Line(reader, layout.drivers.readers, port_of, clock) for reader in layout.readers]
        self._keepers: list[Keeper] = []
        self._clock = clock

    def start(self, put: Callable[[HardwareEvent], None]) -> None:
        """Give every tag, and every reader lost and back, to `put`, from the threads of the readers."""
        for line in self._lines:
            keeper = Keeper(reader_part(line.reader.name), line.worker(put), put, self._clock)
            self._keepers.append(keeper)
            keeper.start()

    def close(self) -> None:
        """Give the ports back and end the threads; a second call does nothing."""
        for keeper in self._keepers:
            keeper.end()
        for keeper in self._keepers:
            keeper.close()


class _Line:
    """One reader and its port."""

    def __init__(
        self,
        reader: Reader,
        kind: ReadersDriver,
        port_of: Callable[[Reader], str],
        clock: Callable[[], float],
    ) -> None:
        self.reader = reader
        self._kind = kind
        self._port_of = port_of
        self._clock = clock
        self._garbled = False
        self._presence = Presence(reader.name)

    def worker(self, put: Callable[[HardwareEvent], None]) -> Callable[[Keeper], None]:
        """Return the work of this reader's keeper."""
        return lambda keeper: self._work(keeper, put)

    def _work(self, keeper: Keeper, put: Callable[[HardwareEvent], None]) -> None:
        path = self._port_of(self.reader)
        self._presence.lost()

        def take(tags: Sequence[str]) -> None:
            now = self._clock()
            events = self._presence.passed(now)
            for tag in tags:
                events += self._presence.seen(tag, now)
            for event in events:
                put(event)

        with open_port(path, PN532_BAUD if self._kind == "pn532" else BAUD) as port:
            try:
                if self._kind == "pn532":
                    poll(port, keeper, take, self._clock)
                else:
                    self._listen(port, keeper, take)
            except (OSError, termios.error) as error:
                raise PartError(
                    Loss.UNPLUGGED, f"the reader at {path} is gone; plug it in again, or look at its wires"
                ) from error

    def _listen(self, port: Serial, keeper: Keeper, take: Take) -> None:
        """Hear an RDM6300 or ID-12LA until it is silent for long."""
        frames = TagFrames()
        heard = self._clock()
        if not self._garbled:
            keeper.works()
        while not keeper.ending:
            data = port.read(max(1, min(port.in_waiting, CHUNK)))
            tags = frames.receive(data)
            take(tags)
            now = self._clock()
            if data:
                heard = now
            elif now - heard > QUIET:
                return
            if tags or (self._garbled and now - heard > CLEAN):
                self._garbled = False
                frames.damaged = frames.noise = 0
                keeper.works()
            elif frames.damaged > MOST_DAMAGED or frames.noise > MOST_NOISE:
                self._garbled = True
                raise PartError(
                    Loss.GARBLED,
                    f"what comes from {port.name} is no reader's: look at the wires (ground; 3.3 V, not 5, "
                    "on the Pi's pin), and whether the layout names this kind of reader",
                )


def open_port(path: str, baud: int) -> Serial:
    """Open a serial port for this process alone; raises PartError with what to do."""
    try:
        return Serial(path, baud, timeout=WAIT, write_timeout=1.0, exclusive=True)
    except SerialException as error:
        match error.errno:
            case errno.ENOENT | errno.ENODEV | errno.ENXIO:
                why = Loss.ABSENT
                told = f"there is no {path}; plug the reader in, or switch its port on (`azul-table doctor`)"
            case errno.EACCES | errno.EPERM:
                why = Loss.DENIED
                told = f"this user may not use {path}; `sudo usermod -aG dialout $USER`, then log in anew"
            case errno.EAGAIN | errno.EBUSY:
                why, told = Loss.BUSY, f"another program has {path}; end it"
            case _:
                why, told = Loss.FAILED, f"{path} can't be used: {error}"
        raise PartError(why, told) from error
