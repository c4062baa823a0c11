"""The pins of the buttons: a matrix with a diode at each button, and buttons outside the matrix.

A scan pulls one row low and reads the columns, which closed buttons pull low. A button outside the matrix
connects its pin to ground. All pins are read at once, as one word.
"""

from machine import Pin, mem32

from firmware_bridge.firmware.inputs import Switches

PINS_IN = 0xD0000004
"""The GPIO_IN register of RP2040 and RP2350."""
MAX_POLLS = 20


class Matrix:
    """All buttons of a table."""

    def __init__(self, rows: list[int], columns: list[int], buttons: list[int]) -> None:
        self._rows = [Pin(pin, Pin.OPEN_DRAIN, value=1) for pin in rows]
        for pin in columns + buttons:
            Pin(pin, Pin.IN, Pin.PULL_UP)
        self._columns = sum([1 << pin for pin in columns])
        self._buttons = sum([1 << pin for pin in buttons])
        lines = [[1 << pin for pin in columns] for _ in rows]
        lines.append([1 << pin for pin in buttons])
        self.switches = Switches(lines)
        for line in range(len(lines)):
            self.switches.begin(line, self._read(line))

    def scan(self, now: int) -> list[tuple[int, int, int]]:
        """Scan all lines; return events as kind, switch and time."""
        events = []
        for line in range(len(self._rows) + 1):
            found = self.switches.scan(line, self._read(line), now)
            if found:
                events.extend(found)
        return events

    def _read(self, line: int) -> int:
        """Return the pins of a line that closed buttons pull low, as a mask."""
        if line == len(self._rows):
            return int(~mem32[PINS_IN] & self._buttons)
        row = self._rows[line]
        columns = self._columns
        row.low()
        word = int(~mem32[PINS_IN] & columns)
        row.high()
        if word:  # weak pull-ups: wait until the columns are high again before the next row
            for _ in range(MAX_POLLS):
                if mem32[PINS_IN] & columns == columns:
                    break
        return word
