"""The main loop of the firmware: inputs, lights and the serial protocol, one round a millisecond."""

import sys
from binascii import crc32
from io import StringIO

from firmware_bridge import payload
from firmware_bridge.firmware import FILES, chip
from firmware_bridge.firmware.matrix import Matrix
from firmware_bridge.firmware.readers import Readers, state_machines_needed
from firmware_bridge.firmware.session import HOST_TIMEOUT, Board, Session, ticks_since
from firmware_bridge.firmware.strips import Strips

WIRING_FILE = "wiring.bin"
MAX_LINES_A_ROUND = 4
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
        self._write = usb.write
        self._now = 0
        wiring = load_wiring()
        if wiring:
            self._set_up(wiring)

    def round(self, now: int, *, host_lost: bool) -> None:
        """Refresh the strips, or let the status light pulse over the last frame while the host is lost."""
        self._now = now
        if self.strips is not None:
            if host_lost:
                self.strips.pulse(now)
            else:
                self.strips.step(now)

    def write(self, frame: bytes) -> None:
        """Send a frame to the host."""
        self._write(frame)

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

    def show(self) -> bool:
        """Show `lights` on the strips; return False while they are busy."""
        return self.strips is not None and self.strips.show(self._now)

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
        except (ValueError, OSError, MemoryError) as error:
            self.fault = repr(error)


def wiring_fault(
    chains: list[tuple[int, int]], switch_pins: list[int], readers: list[tuple[int, int]], machines: int
) -> str:
    """Return the fault of a wiring, an empty text if there is none."""
    pins = [pin for pin, _ in chains] + switch_pins + [pin for pin, _ in readers]
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
        self._scanned = -1
        self._round = chip.ticks_ms()
        self._timer = chip.every(BLOCKED_CHECK, self._pulse_while_blocked)
        self._watchdog = chip.watchdog()

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
        """Run one round: receive lines, scan inputs, refresh lights, send."""
        self._watchdog.feed()
        lines = MAX_LINES_A_ROUND
        waiting = self._usb.wait(1)
        while waiting:
            line = self._usb.read_line()
            self._session.receive(line, chip.ticks_ms())
            lines -= 1
            waiting = lines > 0 and self._usb.wait(0)
        now = self._round = chip.ticks_ms()
        if now != self._scanned:
            self._scanned = now
            self._scan(now)
        self._board.round(now, host_lost=self._session.host_lost)
        self._session.step(now)

    def _scan(self, now: int) -> None:
        session = self._session
        if self._board.matrix is not None:
            for kind, switch, at in self._board.matrix.scan(now):
                session.queue_event(kind, bytes((switch,)), at, now)
        if self._board.readers is not None:
            for reader, tag in self._board.readers.scan(now):
                data = bytes((reader,)) + tag
                if not session.is_pending(payload.TAG, data):
                    session.queue_event(payload.TAG, data, now, now)

    def _pulse_while_blocked(self, _timer: object) -> None:
        """Let the status light pulse while the loop is blocked in an incomplete line of a lost host."""
        now = chip.ticks_ms()
        if ticks_since(now, self._round) > HOST_TIMEOUT and self._board.strips is not None:
            self._board.strips.pulse(now)

    def _restart_after(self, error: Exception) -> None:
        """Send the traceback as a log line and restart the chip; the host configures it again."""
        text = StringIO()
        sys.print_exception(error, text)  # type: ignore[attr-defined]
        self._session.log(payload.ERROR, text.getvalue())
        chip.sleep_ms(FLUSH_TIME)
        chip.restart()
