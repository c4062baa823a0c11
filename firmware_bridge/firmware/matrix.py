"""The pins of the buttons: a matrix with a diode at each button, and buttons with a pin of their own.

A row is drawn low, the columns with a closed button follow; every button connects its pins, or its pin with
ground. All pins are read at once, as one word.
"""

from machine import Pin, mem32

from firmware_bridge.firmware.switches import Switches

PINS_IN = 0xD0000004
"""Where the chip (RP2040 and RP2350) shows all pins as one word."""
MOST_WAITS = 20


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
        """Return what happened, as kind, switch and time."""
        events = []
        for line in range(len(self._rows) + 1):
            found = self.switches.scan(line, self._read(line), now)
            if found:
                events.extend(found)
        return events

    def _read(self, line: int) -> int:
        """Return the pins of a line that a closed button draws low."""
        if line == len(self._rows):
            return int(~mem32[PINS_IN] & self._buttons)
        row = self._rows[line]
        columns = self._columns
        row.low()
        word = int(~mem32[PINS_IN] & columns)
        row.high()
        if word:  # weak pull-ups: let the columns rise again, or the next row sees this one's buttons
            for _ in range(MOST_WAITS):
                if mem32[PINS_IN] & columns == columns:
                    break
        return word
