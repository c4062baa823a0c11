"""The serial link to the Pico: find its port, keep a `Connection` running over it, reconnect with backoff.

`find_port` finds the Pico among the USB serial ports. `Link` runs one thread, the only one that touches the
port; other threads hand it frames and wake it through a pipe.
"""

from __future__ import annotations

import errno
import os
import selectors
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum
from pathlib import Path
from time import monotonic
from typing import Final

from msgspec import Struct
from serial import Serial

from firmware_bridge import wire
from firmware_bridge.dump import format_record
from firmware_bridge.protocol import Connection, Event, Noise, Ready, Silent, Stage

# --- Finding the port -------------------------------------------------------------------------------------

RASPBERRY_PI: Final = 0x2E8A
"""The USB vendor id of Raspberry Pi."""
MICROPYTHON: Final = 0x0005
BOOTLOADERS: Final = {0x0003: "Pico", 0x000F: "Pico 2"}
USB: Final = Path("/sys/bus/usb/devices")


class PortError(OSError):
    """No port was found; the message says what to do."""


def find_port(devices: Path = USB) -> str:
    """Return the port of the one Pico with MicroPython. Raises PortError for none or several."""
    ports = [f"/dev/{name}" for name in pico_ports(devices)]
    if len(ports) == 1:
        return ports[0]
    if ports:
        raise PortError(f"there are several Picos ({', '.join(ports)}); name the port of the table's")
    board = find_bootloader(devices)
    if board is not None:
        raise PortError(
            f"a {board} without MicroPython is plugged in: copy MicroPython's file for a {board} "
            "(micropython.org/download) onto the drive that it shows"
        )
    raise PortError("no Pico is plugged in; plug it in with a USB cable that carries data")


def pico_ports(devices: Path) -> list[str]:
    """Return the names of the serial ports of all Picos with MicroPython: `ttyACM0`."""
    names: set[str] = set()
    for product, device in _boards(devices):
        if product == MICROPYTHON:
            with suppress(OSError):  # unplugged meanwhile
                names.update(tty.name for tty in device.glob("*/tty/*"))
    return sorted(names)


def find_bootloader(devices: Path) -> str | None:
    """Return the name of a board that is in its USB bootloader, None if there is none."""
    boards = (BOOTLOADERS.get(product) for product, _ in _boards(devices))
    return next(filter(None, boards), None)


def _boards(devices: Path) -> Iterator[tuple[int, Path]]:
    """Yield the product id and the folder of every board of Raspberry Pi on USB."""
    for vendor in sorted(devices.glob("*/idVendor")):
        with suppress(OSError, ValueError):  # unplugged meanwhile
            product = int(vendor.with_name("idProduct").read_text("ascii"), 16)
            if int(vendor.read_text("ascii"), 16) == RASPBERRY_PI:
                yield product, vendor.parent


# --- The link ---------------------------------------------------------------------------------------------

FIRST_BACKOFF: Final = 0.05
MAX_BACKOFF: Final = 0.5
"""Seconds between attempts to open the port: exponential backoff from the first to the maximum."""
REFUSED_BACKOFF: Final = 3.0
"""Seconds until a Pico that refused is tried again; meanwhile other programs can use the port."""
CHUNK: Final = 4096
IN_USE: Final = (
    "another program has the Pico's port; end it: `sudo systemctl stop azul-table.socket`, if it is the table"
)
BAUD: Final = 115200
"""Ignored on USB, but pyserial needs a value."""


class Reason(Enum):
    """The kind of a connection failure."""

    NO_PORT = "no port"
    DENIED = "denied"
    TAKEN = "taken"
    GONE = "gone"
    SILENT = "silent"
    NO_FIRMWARE = "no firmware"
    OTHER = "other"


class Lost(Struct, frozen=True):
    """The connection failed; `message` is a sentence that says what to do."""

    message: str
    reason: Reason


class Link:
    """A connection to a Pico that reconnects by itself; it runs one thread, `bridge-link`.

    `port` is called before each attempt and returns the port's name, or raises OSError. `put` receives every
    event, in the link's thread. `record` receives all traffic in the format that `dump` reads.
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
        self._partial_line = b""  # an incomplete line of the Pico, for the recording
        self._lock = threading.Lock()
        self._frame: bytes | None = None
        self._closing = False
        self._last_lost: Lost | None = None
        self._prompt = ""
        self._wake_in, self._wake_out = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._run, name="bridge-link", daemon=True)

    def start(self) -> None:
        """Start the thread; a missing port is tried again with backoff."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread and close the port; a second call does nothing."""
        with self._lock:
            if self._closing:
                return
            self._closing = True  # set before the thread wakes, which checks it
            self._wake()
        if self._thread.is_alive():
            self._thread.join()
        os.close(self._wake_in)
        os.close(self._wake_out)

    def show(self, frame: bytes) -> None:
        """Set the bytes for the strips; an unsent frame is replaced. Does nothing after `close`."""
        with self._lock:
            if not self._closing:
                self._frame = frame
                self._wake()

    def _wake(self) -> None:
        """Wake the thread; the lock must be held, so that the pipe is still open."""
        with suppress(BlockingIOError):  # the pipe is full: a wake-up is pending
            os.write(self._wake_out, b"w")

    # --- The thread --------------------------------------------------------------------------------------

    def _run(self) -> None:
        pause = FIRST_BACKOFF
        while not self._closing:
            try:
                name = self._port()
                with Serial(name, BAUD, timeout=0, write_timeout=0, exclusive=True) as port:
                    if self._run_connection(port):
                        pause = FIRST_BACKOFF
            except (OSError, ValueError, termios.error) as error:  # SerialException is an OSError
                self._report_lost(describe_port_error(error))
            refused = self._connection.stage is Stage.REFUSED
            self._connection.closed()
            self._record_received(wire.END if self._partial_line else b"")
            self._sleep(REFUSED_BACKOFF if refused else pause)
            pause = min(2 * pause, MAX_BACKOFF)

    def _run_connection(self, port: Serial) -> bool:
        """Run the connection until the port is lost; return True if the handshake was completed."""
        connection = self._connection
        connection.opened(self._clock())
        self._prompt = ""
        was_ready = False
        waiting = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake_in, selectors.EVENT_READ)
            selector.register(port, selectors.EVENT_READ)
            was_waiting = False
            while not self._closing:
                waiting += self._data_to_send()
                if waiting:
                    waiting = waiting[_write(port.fileno(), waiting) :]
                was_ready |= self._deliver_events()
                if connection.stage in (Stage.CLOSED, Stage.REFUSED):
                    return was_ready
                if bool(waiting) != was_waiting:
                    was_waiting = not was_waiting
                    wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if was_waiting else 0)
                    selector.modify(port, wanted)
                pause = max(0.0, connection.next_time() - self._clock())
                for key, ready in selector.select(pause):
                    if key.fd == self._wake_in:
                        os.read(self._wake_in, CHUNK)
                    elif ready & selectors.EVENT_READ:
                        data = _read(key.fd)
                        self._record_received(data)
                        connection.receive_data(data, self._clock())
        return was_ready

    def _data_to_send(self) -> bytes:
        with self._lock:
            frame, self._frame = self._frame, None
        if frame is not None:
            self._connection.show(frame)
        data = self._connection.data_to_send(self._clock())
        self._record_data(">", data)
        return data

    def _record_received(self, data: bytes) -> None:
        """Record the lines that these bytes complete; a port may return part of a line."""
        if self._record is not None:
            lines, end, self._partial_line = (self._partial_line + data).rpartition(wire.END)
            self._record_data("<", lines + end)

    def _record_data(self, direction: str, data: bytes) -> None:
        if self._record is not None and data:
            with suppress(OSError):  # a full disk does not disturb the link
                self._record(format_record(self._clock(), direction, data))

    def _deliver_events(self) -> bool:
        """Deliver all pending events; return True if the handshake was completed."""
        ready = False
        while (event := self._connection.next_event()) is not None:
            match event:
                case Ready():
                    ready = True
                    self._last_lost = None
                case Noise(text):
                    self._prompt = text
                case Silent():
                    self._report_lost(self._explain_silence())
            self._put(event)
        return ready

    def _explain_silence(self) -> Lost:
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

    def _report_lost(self, lost: Lost) -> None:
        if lost != self._last_lost:
            self._last_lost = lost
            self._put(lost)

    def _sleep(self, seconds: float) -> None:
        """Sleep, or return early when the link is closed."""
        end = self._clock() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake_in, selectors.EVENT_READ)
            while not self._closing:
                if selector.select(max(0.0, end - self._clock())):
                    os.read(self._wake_in, CHUNK)
                if self._clock() >= end:
                    return


# Serial.read and Serial.write call `select` each time; the link has done so already.


def _write(fd: int, data: bytes) -> int:
    """Write to a port without waiting; return how many bytes it has taken."""
    try:
        return os.write(fd, data[:CHUNK])
    except BlockingIOError:
        return 0


def _read(fd: int) -> bytes:
    """Read from a port that has bytes. Raises OSError (EIO) if it is gone."""
    data = os.read(fd, CHUNK)
    if not data:
        raise OSError(errno.EIO, "the port is gone")
    return data


def describe_port_error(error: Exception) -> Lost:
    """Translate an error of a port into a Lost with a sentence that says what to do."""
    number = _errno_of(error)
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


def _errno_of(error: BaseException | None) -> int | None:
    """Return the errno of an exception, or of its cause: pyserial does not pass it on."""
    while error is not None:
        if isinstance(error, OSError) and error.errno is not None:
            return error.errno
        if isinstance(error, termios.error) and isinstance(error.args[0], int):
            return error.args[0]
        error = error.__context__
    return None
