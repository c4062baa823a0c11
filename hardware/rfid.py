"""Tag readers on serial ports: RDM6300 and ID-12LA, which tell each tag by themselves, and the PN532.

Each reader has a thread, named for it. It opens the port, and opens it again when the reader was unplugged,
when what it says makes no sense, and when it has said nothing for long: readers go deaf. `tag_frames` makes
tags of the bytes, `presence` makes arrivals and leavings of the tags.
"""

from __future__ import annotations

import errno
import termios
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from serial import Serial, SerialException

from hardware.api import HardwareEvent, Loss, PartError, reader_part
from hardware.keeper import Keeper
from hardware.layout import Layout, Reader
from hardware.layout_file import ReadersDriver
from hardware.pi import device_of, find_board
from hardware.pn532 import BAUD as PN532_BAUD
from hardware.pn532 import poll
from hardware.presence import Presence
from hardware.tag_frames import TagFrames

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
