"""A conversation with a Pico over a real port: one thread that opens it, and opens it again.

The thread is the only one that touches the port. Others leave it what to show, and wake it.
"""

from __future__ import annotations

import errno
import os
import selectors
import termios
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from time import monotonic
from typing import Final

from serial import Serial

from firmware_bridge import wire
from firmware_bridge.dump import record
from firmware_bridge.protocol import Connection, Event, Noise, Ready, Silent, Stage

# --- Which serial port the Pico is on --------------------------------------------------------------------

RASPBERRY_PI: Final = 0x2E8A
"""The vendor number of what Raspberry Pi makes, on USB."""
MICROPYTHON: Final = 0x0005
BOOTLOADERS: Final = {0x0003: "Pico", 0x000F: "Pico 2"}


class PortError(OSError):
    """There is no port to open; the message says what to do."""


def find_port() -> str:
    """Return the one port where a Pico with MicroPython is; raises PortError if there is none, or several."""
    from serial.tools import list_ports

    picos = sorted(
        port.device for port in list_ports.comports() if port.vid == RASPBERRY_PI and port.pid == MICROPYTHON
    )
    if len(picos) == 1:
        return str(picos[0])
    if picos:
        raise PortError(f"there are several Picos ({', '.join(picos)}); name the port of the table's")
    board = in_bootloader()
    if board is not None:
        raise PortError(
            f"a {board} without MicroPython is plugged in: copy MicroPython's file for a {board} "
            "(micropython.org/download) onto the drive that it shows"
        )
    raise PortError("no Pico is plugged in; plug it in with a USB cable that carries data")


def in_bootloader(devices: Path = Path("/sys/bus/usb/devices")) -> str | None:
    """Return what board waits for a MicroPython, None if none does."""
    for vendor in devices.glob("*/idVendor"):
        try:
            product = vendor.with_name("idProduct").read_text("ascii")
            if int(vendor.read_text("ascii"), 16) == RASPBERRY_PI:
                board = BOOTLOADERS.get(int(product, 16))
                if board is not None:
                    return board
        except (OSError, ValueError):  # unplugged while we looked
            continue
    return None


# ----------------------------------------------------------------------------------------------------------

FIRST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 0.5
"""Seconds between two attempts to open the port: they grow from the first to the longest."""
REFUSED_PAUSE: Final = 3.0
"""Seconds until a Pico that can't be talked to is tried again; meanwhile others can have the port."""
CHUNK: Final = 4096
IN_USE: Final = (
    "another program has the Pico's port; end it: `sudo systemctl stop azul-table.socket`, if it is the table"
)
BAUD: Final = 115200
"""Of no meaning on USB, but a port must have one."""


class Reason(Enum):
    """Why there is no conversation."""

    NO_PORT = "no port"
    DENIED = "denied"
    TAKEN = "taken"
    GONE = "gone"
    SILENT = "silent"
    NO_FIRMWARE = "no firmware"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Lost:
    """There is no conversation; `why` is a sentence that says what to do."""

    why: str
    reason: Reason


class Link:
    """Keeps a conversation going; `put` gets what happens, from the link's own thread.

    `port` is called before each attempt and returns the port's name, or raises OSError. `record` gets all
    that goes over the line, in the form that `dump` reads. One thread.
    """

    def __init__(
        self,
        connection: Connection,
        port: Callable[[], str],
        put: Callable[[Event | Lost], None],
        clock: Callable[[], float] = monotonic,
        record: Callable[[bytes], object] | None = None,
    ) -> None:
        self._connection = connection
        self._port = port
        self._put = put
        self._clock = clock
        self._record = record
        self._half = b""  # a line of the Pico's that has begun, for the recording
        self._lock = threading.Lock()
        self._frame: bytes | None = None
        self._ending = False
        self._told: Lost | None = None
        self._prompt = ""
        self._wake_in, self._wake_out = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._run, name="bridge-link", daemon=True)

    def start(self) -> None:
        """Begin; a port that is not there is waited for."""
        self._thread.start()

    def close(self) -> None:
        """End the conversation and the thread; a second call does nothing."""
        with self._lock:
            if self._ending:
                return
            self._ending = True  # before the thread wakes: that is what it looks at
            self._wake()
        if self._thread.is_alive():
            self._thread.join()
        os.close(self._wake_in)
        os.close(self._wake_out)

    def show(self, frame: bytes) -> None:
        """Name the bytes for the strips; a frame that was not sent yet gives way. Nothing after `close`."""
        with self._lock:
            if not self._ending:
                self._frame = frame
                self._wake()

    def _wake(self) -> None:
        """Wake the thread; only under the lock, so that the pipe is still there."""
        with suppress(BlockingIOError):  # it is awake more than enough
            os.write(self._wake_out, b"w")

    # --- The thread --------------------------------------------------------------------------------------

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._ending:
            try:
                name = self._port()
                with Serial(name, BAUD, timeout=0, write_timeout=0, exclusive=True) as port:
                    if self._converse(port):
                        pause = FIRST_PAUSE
            except (OSError, ValueError, termios.error) as error:  # SerialException is an OSError
                self._lose(reason_of(error))
            refused = self._connection.stage is Stage.REFUSED
            self._connection.closed()
            self._keep_heard(wire.END if self._half else b"")
            self._sleep(REFUSED_PAUSE if refused else pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _converse(self, port: Serial) -> bool:
        """Talk until there is no more to say; True if the lights followed meanwhile."""
        connection = self._connection
        connection.opened(self._clock())
        self._prompt = ""
        was_ready = False
        waiting = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake_in, selectors.EVENT_READ)
            selector.register(port, selectors.EVENT_READ)
            while not self._ending:
                waiting += self._to_send()
                was_ready |= self._tell()
                if connection.stage in (Stage.CLOSED, Stage.REFUSED):
                    return was_ready
                events = selectors.EVENT_READ | (selectors.EVENT_WRITE if waiting else 0)
                selector.modify(port, events)
                pause = max(0.0, connection.next_time() - self._clock())
                for key, ready in selector.select(pause):
                    if key.fd == self._wake_in:
                        os.read(self._wake_in, CHUNK)
                    elif ready & selectors.EVENT_WRITE:
                        waiting = waiting[port.write(waiting[:CHUNK]) or 0 :]
                    if key.fd != self._wake_in and ready & selectors.EVENT_READ:
                        data = port.read(CHUNK)
                        self._keep_heard(data)
                        connection.receive_data(data, self._clock())
        return was_ready

    def _to_send(self) -> bytes:
        with self._lock:
            frame, self._frame = self._frame, None
        if frame is not None:
            self._connection.show(frame)
        data = self._connection.data_to_send(self._clock())
        self._keep(">", data)
        return data

    def _keep_heard(self, data: bytes) -> None:
        """Keep the lines that this completes: a port may give a frame in pieces."""
        if self._record is not None:
            lines, end, self._half = (self._half + data).rpartition(wire.END)
            self._keep("<", lines + end)

    def _keep(self, direction: str, data: bytes) -> None:
        if self._record is not None and data:
            with suppress(OSError):  # a full disk is no fault of the line
                self._record(record(self._clock(), direction, data))

    def _tell(self) -> bool:
        """Put what happened; True if the lights follow."""
        ready = False
        while (event := self._connection.next_event()) is not None:
            match event:
                case Ready():
                    ready = True
                    self._told = None
                case Noise(text):
                    self._prompt = text
                case Silent():
                    self._lose(self._silence())
            self._put(event)
        return ready

    def _silence(self) -> Lost:
        if self._prompt:
            return Lost(
                f"the Pico runs no firmware of azul-table (it says {self._prompt!r}): "
                "`azul-table firmware install` puts it there",
                Reason.NO_FIRMWARE,
            )
        return Lost(
            "the Pico does not answer; if it does not come back, unplug it and plug it in again",
            Reason.SILENT,
        )

    def _lose(self, lost: Lost) -> None:
        if lost != self._told:
            self._told = lost
            self._put(lost)

    def _sleep(self, seconds: float) -> None:
        """Wait, but not longer than until somebody wakes the thread to end it."""
        end = self._clock() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake_in, selectors.EVENT_READ)
            while not self._ending:
                if selector.select(max(0.0, end - self._clock())):
                    os.read(self._wake_in, CHUNK)
                if self._clock() >= end:
                    return


def reason_of(error: Exception) -> Lost:
    """Say why a port could not be used, or no longer."""
    number = _number_of(error)
    if isinstance(error, PortError):
        return Lost(str(error), Reason.NO_PORT)
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return Lost("the Pico's port is not there; plug the Pico in", Reason.NO_PORT)
    if number in (errno.EACCES, errno.EPERM):
        return Lost(
            "this user may not use the Pico's port; `sudo usermod -aG dialout $USER`, then log in anew",
            Reason.DENIED,
        )
    if number in (errno.EAGAIN, errno.EBUSY):
        return Lost(IN_USE, Reason.TAKEN)
    if number == errno.EIO or "returned no data" in str(error):
        return Lost("the Pico was unplugged, or started anew", Reason.GONE)
    return Lost(f"the Pico's port can't be used: {error}", Reason.OTHER)


def _number_of(error: BaseException | None) -> int | None:
    """Return the number of an error, or of the one that it came from: pyserial drops it on its way."""
    while error is not None:
        if isinstance(error, OSError) and error.errno is not None:
            return error.errno
        if isinstance(error, termios.error) and isinstance(error.args[0], int):
            return error.args[0]
        error = error.__context__
    return None
