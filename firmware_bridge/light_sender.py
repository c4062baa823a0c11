"""Which bytes of light are on their way to the Pico: differences, one frame at a time, the latest wins.

What the Pico holds is never taken on trust: every Show carries the check of the whole frame, and when the
Pico's bytes have another one, all of them are sent again. So a lost or repeated difference can't be seen.
"""

from __future__ import annotations

from binascii import crc32
from typing import Final

from firmware_bridge.messages import Lights, Message, Run, Show, Shown
from firmware_bridge.payload import RUN_HEADER
from firmware_bridge.wire import MOST_PAYLOAD
from firmware_bridge.wiring import BYTES_A_LIGHT

RETRY: Final = 0.12
"""Seconds until a frame that was not answered is asked for again."""
TRIES: Final = 3
"""Times that is done before all bytes are sent again."""
REFRESH: Final = 1.0
"""Seconds after which a frame that stays is checked again."""
CHEAPER: Final = 12
"""Equal bytes between two differences that are sent along: a run of its own costs the Pico more."""

LATER: Final = float("inf")


class LightSender:
    """Decides what to send so that the strips show the frame wanted last."""

    def __init__(self) -> None:
        self._wanted: bytes | None = None
        self._held: bytes | None = None
        self._shown: bytes | None = None
        self._waiting: bytes | None = None
        self._number = 0
        self._tries = 0
        self._next = 0.0

    def want(self, frame: bytes) -> None:
        """Name the bytes that the strips should show; it replaces what was wanted before."""
        self._wanted = frame

    def restart(self) -> None:
        """Take nothing for granted any more: the peer or the port is a new one."""
        self._held = self._shown = self._waiting = None

    def due(self, now: float) -> list[Message]:
        """Return what is to be sent now."""
        if now < self.next_time():
            return []
        if self._waiting is not None:
            self._tries += 1
            self._next = now + RETRY
            if self._tries < TRIES:
                return [Show(self._number, crc32(self._waiting))]
            self._held = None
        frame = self._wanted
        assert frame is not None
        messages = lights(self._held, frame)
        self._held = self._waiting = frame
        self._number = (self._number + 1) & 0xFFFF
        self._tries = 0
        self._next = now + RETRY
        return [*messages, Show(self._number, crc32(frame))]

    def next_time(self) -> float:
        """When something is to be sent, if nothing happens before."""
        if self._wanted is None:
            return LATER
        if self._waiting is None and self._wanted != self._shown:
            return -LATER
        return self._next

    def answered(self, answer: Shown, now: float) -> bool:
        """Take in an answer; True if by it a frame is on the strips that was not before."""
        if self._waiting is None or answer.number != self._number:
            return False
        frame, self._waiting = self._waiting, None
        if answer.differs:
            self._held = self._shown = None
            return False
        fresh = frame != self._shown
        self._shown = frame
        self._next = now + REFRESH
        return fresh


def lights(held: bytes | None, frame: bytes) -> list[Message]:
    """Return the messages that make the bytes `held` (None: unknown) those of the frame."""
    messages: list[Message] = []
    runs: list[Run] = []
    room = MOST_PAYLOAD
    for start, end in differences(held, frame):
        at = start
        while at < end:
            if room <= RUN_HEADER:
                messages.append(Lights(tuple(runs)))
                runs, room = [], MOST_PAYLOAD
            cut = min(end, at + room - RUN_HEADER)
            runs.append(Run(at, frame[at:cut]))
            room -= RUN_HEADER + cut - at
            at = cut
    if runs:
        messages.append(Lights(tuple(runs)))
    return messages


def differences(held: bytes | None, frame: bytes) -> list[tuple[int, int]]:
    """Return where the frame differs, from and to which byte; stretches that nearly touch are one."""
    if held is None or len(held) != len(frame):
        return [(0, len(frame))]
    found: list[tuple[int, int]] = []
    for at in range(0, len(frame), BYTES_A_LIGHT):
        end = at + BYTES_A_LIGHT
        if held[at:end] != frame[at:end]:
            if found and at - found[-1][1] < CHEAPER:
                found[-1] = found[-1][0], end
            else:
                found.append((at, end))
    return found
