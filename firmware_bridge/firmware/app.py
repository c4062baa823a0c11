"""The firmware's loop: buttons, readers, lights and the conversation with the host, a round a millisecond."""

import sys
from binascii import crc32
from io import StringIO

from firmware_bridge import payload
from firmware_bridge.firmware import FILES, chip
from firmware_bridge.firmware.matrix import Matrix
from firmware_bridge.firmware.readers import Readers, machines_for
from firmware_bridge.firmware.session import LOST, Session, Table, since
from firmware_bridge.firmware.strips import Strips

WIRING_FILE = "wiring.bin"
LINES_A_ROUND = 4
PINS = 30
STUCK_CHECK = 100
LAST_WORDS = 100
"""Milliseconds for the last words to get out over USB."""


class Board(Table):
    """The Pico with everything that is wired to it."""

    def __init__(self, usb: chip.Usb) -> None:
        super().__init__()
        self.board = chip.board()
        self.files = check_of_files()
        self.machines = chip.machines()
        self.uarts = chip.UARTS
        self.host_is_lost = False
        self.matrix: Matrix | None = None
        self.readers: Readers | None = None
        self.strips: Strips | None = None
        self._write = usb.write
        self._now = 0
        wiring = load_wiring()
        if wiring:
            self._begin(wiring)

    def round(self, now: int) -> None:
        """Do what is due to the lights."""
        self._now = now
        if self.strips is not None:
            if self.host_is_lost:
                self.strips.pulse(now)
            else:
                self.strips.step(now)

    def write(self, frame: bytes) -> None:
        """Send a frame to the host."""
        self._write(frame)

    def configure(self, wiring: bytes) -> None:
        """Use this wiring; another one than before takes a new start, with all pins as they are by nature."""
        check = crc32(wiring) or 1
        if check == self.wiring:
            return
        if self.wiring:
            save_wiring(wiring)
            chip.restart()
        self._begin(wiring)
        if not self.fault:
            save_wiring(wiring)

    def show(self) -> bool:
        """Put `lights` on the strips."""
        return self.strips is not None and self.strips.show(self._now)

    def closed(self) -> bytes:
        """The closed switches."""
        return self.matrix.switches.closed() if self.matrix is not None else b""

    def free(self) -> int:
        """Bytes of free memory."""
        return chip.free()

    def host_found(self) -> None:
        """The host is there: it sends the whole frame."""
        self.host_is_lost = False

    def host_lost(self) -> None:
        """The host is gone: the lights stay, they are tiles; the status light breathes."""
        self.host_is_lost = True

    def _begin(self, wiring: bytes) -> None:
        """Take the pins in use, once; a wiring that can't be is told in `fault`."""
        self.wiring = crc32(wiring) or 1
        try:
            chains, rows, columns, buttons, readers, status = payload.read_wiring(wiring)
            self.fault = fault_of(chains, rows + columns + buttons, readers, self.machines)
            if self.fault:
                return
            # The readers first: their serial ports take pins to send, which are free for others afterwards.
            self.readers = Readers(readers, len(chains))
            self.matrix = Matrix(rows, columns, buttons)
            self.strips = Strips(chains, status)
            self.lights = self.strips.lights
        except (ValueError, OSError, MemoryError) as error:
            self.fault = repr(error)


def fault_of(
    chains: list[tuple[int, int]], switch_pins: list[int], readers: list[tuple[int, int]], machines: int
) -> str:
    """Say what is wrong with a wiring, nothing if it can be."""
    pins = [pin for pin, _ in chains] + switch_pins + [pin for pin, _ in readers]
    for pin in pins:
        if pin >= PINS:
            return "there is no pin GP" + str(pin)
        if pins.count(pin) > 1:
            return "GP" + str(pin) + " is given twice"
    needed = len(chains) + machines_for(readers)
    if needed > machines:
        return "chains and readers need " + str(needed) + " state machines, the chip has " + str(machines)
    return ""


def load_wiring() -> bytes:
    """Return the wiring that was kept, nothing if there is none or it is damaged."""
    try:
        with open(WIRING_FILE, "rb") as file:
            kept = file.read()
    except OSError:
        return b""
    wiring = kept[:-4]
    return wiring if crc32(wiring).to_bytes(4, "little") == kept[-4:] else b""


def save_wiring(wiring: bytes) -> None:
    """Keep a wiring for the next start; without it the host configures that one, too."""
    if wiring == load_wiring():
        return
    try:
        with open(WIRING_FILE, "wb") as file:
            file.write(wiring + crc32(wiring).to_bytes(4, "little"))
    except OSError:
        pass


def check_of_files() -> int:
    """Return the check of the firmware's files, by which the host knows whether they are its own."""
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
    """The firmware."""

    def __init__(self) -> None:
        self._usb = chip.Usb()
        self._board = Board(self._usb)
        self._session = Session(self._board, chip.boot_id())
        self._session.begin(chip.ticks_ms())
        self._scanned = -1
        self._round = chip.ticks_ms()
        self._timer = chip.every(STUCK_CHECK, self._while_stuck)
        self._watchdog = chip.watchdog()

    def run(self) -> None:
        """Run until the chip is reset or somebody presses Ctrl-C."""
        try:
            while True:
                self.step()
        except Exception as error:  # noqa: BLE001 - whatever it is, a fresh start is better than none
            self._die(error)

    def stop(self) -> None:
        """Leave the chip to the prompt."""
        self._timer.deinit()
        chip.stop_watchdog()

    def step(self) -> None:
        """Go one round."""
        self._watchdog.feed()
        lines = LINES_A_ROUND
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
        self._board.round(now)
        self._session.step(now)

    def _scan(self, now: int) -> None:
        session = self._session
        if self._board.matrix is not None:
            for kind, switch, at in self._board.matrix.scan(now):
                session.happened(kind, bytes((switch,)), at, now)
        if self._board.readers is not None:
            for reader, tag in self._board.readers.scan(now):
                data = bytes((reader,)) + tag
                if not session.waits(payload.TAG, data):
                    session.happened(payload.TAG, data, now, now)

    def _while_stuck(self, _timer: object) -> None:
        """Show that the host is lost while the loop waits for a line that it never ended."""
        now = chip.ticks_ms()
        if since(now, self._round) > LOST and self._board.strips is not None:
            self._board.strips.pulse(now)

    def _die(self, error: Exception) -> None:
        """Tell what went wrong and start anew: the host sets up a fresh start, whatever it was."""
        text = StringIO()
        sys.print_exception(error, text)  # type: ignore[attr-defined]
        self._session.log(payload.ERROR, text.getvalue())
        chip.sleep_ms(LAST_WORDS)
        chip.restart()
