"""The main loop of the firmware: inputs, lights and the serial protocol.

A round reads at most one line and one piece of a frame of light, and scans the buttons if the millisecond has
changed since the last scan. What need not be done each millisecond is done every SLOW milliseconds.
"""

import sys
from binascii import crc32
from io import StringIO

from firmware_bridge import payload
from firmware_bridge.firmware import FILES, chip
from firmware_bridge.firmware.matrix import Matrix
from firmware_bridge.firmware.readers import Readers, state_machines_needed
from firmware_bridge.firmware.session import HOST_TIMEOUT, Board, Session, ticks_since
from firmware_bridge.firmware.strips import Strips
from firmware_bridge.wire import MAX_LINE

WIRING_FILE = "wiring.bin"
PIECE = 340
"""Bytes of light that a round reads at most, so that buttons are scanned in between: 2 ms on an RP2040."""
SLOW = 5
"""Milliseconds between reads of the readers, whose buffers hold 8 ms at least, and looks at the timeouts."""
PINS = 30
BLOCKED_CHECK = 100
FLUSH_TIME = 100
"""Milliseconds for the last log line to be sent over USB."""


class PicoBoard(Board):
    """The Pico with everything that is wired to it."""

    def __init__(self, usb: chip.Usb) -> None:
        super().__init__()
        self.board = chip.board()
        self.files = firmware_checksum()
        self.machines = chip.machines()
        self.uarts = chip.UARTS
        self.matrix: Matrix | None = None
        self.readers: Readers | None = None
        self.strips: Strips | None = None
        self.write = usb.write  # type: ignore[method-assign, assignment]
        wiring = load_wiring()
        if wiring:
            self._set_up(wiring)

    def refresh(self, *, host_lost: bool) -> None:
        """Refresh the strips, or let the status light pulse over the last frame while the host is lost."""
        if self.strips is not None:
            if host_lost:
                self.strips.pulse()
            else:
                self.strips.step()

    def configure(self, wiring: bytes) -> None:
        """Apply a wiring; a changed wiring is stored and the chip restarts, so that all pins are reset."""
        check = crc32(wiring) or 1
        if check == self.wiring:
            return
        if self.wiring:
            save_wiring(wiring)
            chip.restart()
        self._set_up(wiring)
        if not self.fault:
            save_wiring(wiring)

    def closed(self) -> bytes:
        """Return the closed switches as a bit field."""
        return self.matrix.switches.closed() if self.matrix is not None else b""

    def free(self) -> int:
        """Return the free memory in bytes."""
        return chip.free()

    def _set_up(self, wiring: bytes) -> None:
        """Set up the pins, once a boot; `fault` describes an unusable wiring."""
        self.wiring = crc32(wiring) or 1
        try:
            chains, rows, columns, buttons, readers, status = payload.read_wiring(wiring)
            self.fault = wiring_fault(chains, rows + columns + buttons, readers, self.machines)
            if self.fault:
                return
            # Readers first: their UARTs claim a TX pin, which is free for others afterwards.
            self.readers = Readers(readers, len(chains))
            self.matrix = Matrix(rows, columns, buttons)
            self.strips = Strips(chains, status)
            self.lights = self.strips.lights
            self.show = self.strips.show  # type: ignore[method-assign]
        except (ValueError, OSError, MemoryError) as error:
            self.fault = repr(error)


def wiring_fault(
    chains: list[tuple[int, int, int]], switch_pins: list[int], readers: list[tuple[int, int]], machines: int
) -> str:
    """Return the fault of a wiring, an empty text if there is none."""
    pins = [chain[0] for chain in chains] + switch_pins + [pin for pin, _ in readers]
    for pin in pins:
        if pin >= PINS:
            return "there is no pin GP" + str(pin)
        if pins.count(pin) > 1:
            return "GP" + str(pin) + " is given twice"
    needed = len(chains) + state_machines_needed(readers)
    if needed > machines:
        return "chains and readers need " + str(needed) + " state machines, the chip has " + str(machines)
    return ""


def load_wiring() -> bytes:
    """Return the stored wiring, empty if there is none or its CRC-32 differs."""
    try:
        with open(WIRING_FILE, "rb") as file:
            stored = file.read()
    except OSError:
        return b""
    wiring = stored[:-4]
    return wiring if crc32(wiring).to_bytes(4, "little") == stored[-4:] else b""


def save_wiring(wiring: bytes) -> None:
    """Store a wiring for the next boot; if that fails, the host configures it again."""
    if wiring == load_wiring():
        return
    try:
        with open(WIRING_FILE, "wb") as file:
            file.write(wiring + crc32(wiring).to_bytes(4, "little"))
    except OSError:
        pass


def firmware_checksum() -> int:
    """Return the CRC-32 of the firmware's files, which the host compares with its own copy."""
    check = 0
    for name in FILES:
        check = crc32(name.encode(), check)
        with open("/" + name, "rb") as file:
            data = file.read(512)
            while data:
                check = crc32(data, check)
                data = file.read(512)
    return check


class App:
    """The firmware: one `step` a round."""

    def __init__(self) -> None:
        self._usb = chip.Usb()
        self._board = PicoBoard(self._usb)
        self._session = Session(self._board, chip.boot_id())
        self._session.begin(chip.ticks_ms())
        self._raw = memoryview(b"")
        self._raw_size = self._raw_read = 0
        self._scanned = self._slow = self._round = chip.ticks_ms()
        self._timer = chip.every(BLOCKED_CHECK, self._pulse_while_blocked)
        self._feed = chip.watchdog().feed

    def run(self) -> None:
        """Run until the chip is reset or Ctrl-C arrives."""
        try:
            while True:
                self.step()
        except Exception as error:  # noqa: BLE001 - any fault ends in a restart
            self._restart_after(error)

    def stop(self) -> None:
        """Stop timer and watchdog and return to the prompt."""
        self._timer.deinit()
        chip.stop_watchdog()

    def step(self) -> None:
        """Run one round: read, scan inputs, show and send what is due."""
        self._feed()
        if self._usb.ready():
            self._read()
        session = self._session
        if session.waits_for_strips:
            session.try_show()
        now = chip.ticks_ms()
        if now == self._scanned:
            return
        self._scanned = self._round = now
        matrix = self._board.matrix
        if matrix is not None:
            for kind, switch, at in matrix.scan(now):
                session.queue_event(kind, bytes((switch,)), at, now)
        if ticks_since(now, self._slow) >= SLOW:
            self._slow = now
            self._step_slowly(now)

    def _read(self) -> None:
        """Read a line, or a piece of the bytes that follow one."""
        if not self._raw_size:
            line = self._usb.read_line(MAX_LINE)
            self._raw_size = self._session.receive(line, chip.ticks_ms())
            self._raw_read = 0
            if not self._raw_size:
                return
            if len(self._raw) != self._raw_size:
                self._raw = memoryview(bytearray(self._raw_size))
        start = self._raw_read
        self._raw_read = end = min(self._raw_size, start + PIECE)
        self._usb.read_into(self._raw[start:end])
        if end == self._raw_size:
            self._raw_size = 0
            self._session.receive_raw(self._raw, chip.ticks_ms())

    def _step_slowly(self, now: int) -> None:
        board, session = self._board, self._session
        if board.readers is not None:
            for reader, tag in board.readers.scan(now):
                data = bytes((reader,)) + tag
                if not session.is_pending(payload.TAG, data):
                    session.queue_event(payload.TAG, data, now, now)
        board.refresh(host_lost=session.host_lost)
        session.step(now)

    def _pulse_while_blocked(self, _timer: object) -> None:
        """Let the status light pulse while the loop is blocked in an incomplete line of a lost host."""
        now = chip.ticks_ms()
        if ticks_since(now, self._round) > HOST_TIMEOUT and self._board.strips is not None:
            self._board.strips.pulse()

    def _restart_after(self, error: Exception) -> None:
        """Send the traceback as a log line and restart the chip; the host configures it again."""
        text = StringIO()
        sys.print_exception(error, text)  # type: ignore[attr-defined]
        self._session.log(payload.ERROR, text.getvalue())
        chip.sleep_ms(FLUSH_TIME)
        chip.restart()
