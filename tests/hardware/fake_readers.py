"""Fake tag readers on pseudo-terminals, which are found under a fixed path."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import sys
import termios
import threading
import tty
from pathlib import Path

from hardware.drivers.rfid import encode_frame

ACK = b"\x00\x00\xff\x00\xff\x00"


class FakePort:
    """A serial port at a fixed path that can be plugged in and unplugged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.master = -1
        self._slave = -1
        self.plug()

    def plug(self) -> None:
        self.master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.path.symlink_to(os.ttyname(self._slave))

    def unplug(self) -> None:
        if self.master >= 0:
            self.path.unlink()
            os.close(self._slave)
            os.close(self.master)
            self.master = -1

    def unread(self) -> int:
        """Return how many bytes were sent but not yet read."""
        return int.from_bytes(fcntl.ioctl(self._slave, termios.FIONREAD, bytes(4)), sys.byteorder)

    def send(self, data: bytes) -> None:
        os.write(self.master, data)


class FakeRdm6300(FakePort):
    def read_tag(self, tag: str) -> None:
        self.send(encode_frame(tag))


class FakeId12La(FakePort):
    def read_tag(self, tag: str) -> None:
        self.send(encode_frame(tag, line_end=True))


class FakePn532(FakePort):
    """A PN532 as in the chip's manual: it acknowledges each frame and answers it if there is an answer.

    `tag` is the number of the tag that lies on it. While `silent` it answers nothing, while `garbled` with
    invalid data, while `alternating` every second time. It sleeps until it is woken up; `wake_ups` counts
    that, `commands` are those received.
    """

    def __init__(self, path: Path) -> None:
        self.tag: bytes | None = None
        self.silent = False
        self.garbled = False
        self.alternating = False
        self.wake_ups = 0
        self.commands: list[int] = []
        super().__init__(path)

    def plug(self) -> None:
        super().plug()
        self._plugged = True
        self._thread = threading.Thread(target=self._serve, args=(self.master,), daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        self._plugged = False
        self._thread.join()
        super().unplug()

    def _serve(self, master: int) -> None:
        asleep, waiting = True, b""
        while self._plugged:
            if not select.select([master], [], [], 0.01)[0]:
                continue
            waiting += os.read(master, 256)
            if self.silent:
                waiting = b""
                continue
            if b"\x55\x55" in waiting:
                asleep = False
                self.wake_ups += 1
                waiting = waiting.partition(b"\x55\x55")[2]
            while not asleep and (command := self._frame(waiting)) is not None:
                body, waiting = command
                self._answer(master, body)

    def _frame(self, data: bytes) -> tuple[bytes, bytes] | None:
        """Return the body of the next complete frame, and the bytes after it."""
        start = data.find(b"\x00\xff")
        if start < 0 or len(data) < start + 4:
            return None
        length = data[start + 2]
        assert (length + data[start + 3]) & 0xFF == 0
        end = start + 4 + length + 2
        if len(data) < end:
            return None
        assert sum(data[start + 4 : end - 1]) & 0xFF == 0
        return data[start + 4 : start + 4 + length], data[end:]

    def _answer(self, master: int, body: bytes) -> None:
        assert body[0] == 0xD4
        self.commands.append(body[1])
        match body[1]:
            case 0x02:
                answer = bytes((0x32, 0x01, 0x06, 0x07))
            case 0x14:
                assert body[2:] == bytes((0x01, 0x14, 0x01))
                answer = b""
            case 0x4A:
                tag = self.tag
                if tag is None:
                    os.write(master, ACK)
                    return
                answer = bytes((1, 1, 0x00, 0x04, 0x08, len(tag), *tag))
            case _:
                raise AssertionError(f"{body.hex()} is an unexpected command")
        garbled = self.garbled or (self.alternating and len(self.commands) % 2 == 0)
        said = bytes((0xD5, body[1] + 1)) + answer
        frame = bytes((0, 0, 0xFF, len(said), -len(said) & 0xFF)) + said + bytes((-sum(said) & 0xFF, 0))
        os.write(master, ACK + (bytes(len(frame)) if garbled else frame))
