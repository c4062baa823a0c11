"""The pins of the buttons: a matrix with a diode at each button, and buttons outside the matrix.

A pressed button of the matrix pulls its column low while its row is low. A button outside the matrix connects
its pin to ground. At rest all rows are low, so that one word of pins tells that nothing is pressed; while a
button is pressed, a scan pulls one row low after the other.
"""

from machine import Pin, mem32

from firmware_bridge.firmware.inputs import Switches

PINS_IN = 0xD0000004
"""The GPIO_IN register of RP2040 and RP2350."""
MAX_POLLS = 20
NOTHING: list[tuple[int, int, int]] = []


class Matrix:
    """All buttons of a table."""

    def __init__(self, rows: list[int], columns: list[int], buttons: list[int]) -> None:
        self._rows = [Pin(pin, Pin.OPEN_DRAIN, value=1) for pin in rows]
        for pin in columns + buttons:
            Pin(pin, Pin.IN, Pin.PULL_UP)
        self._columns = sum([1 << pin for pin in columns])
        self._buttons = sum([1 << pin for pin in buttons])
        self._pins = self._columns | self._buttons
        self._at_rest = -1
        """The pins while all rows are low and nothing changes, -1 while the rows are high."""
        lines = [[1 << pin for pin in columns] for _ in rows]
        lines.append([1 << pin for pin in buttons])
        self.switches = Switches(lines)
        for line, word in enumerate(self._read_lines()):
            self.switches.begin(line, word)

    def scan(self, now: int) -> list[tuple[int, int, int]]:
        """Scan all lines; return events as kind, switch and time."""
        if mem32[PINS_IN] & self._pins == self._at_rest:
            return NOTHING
        words = self._read_lines()
        events = []
        for line, word in enumerate(words):
            events.extend(self.switches.scan(line, word, now))
        if not any(words[:-1]) and self.switches.are_stable():
            for row in self._rows:
                row.low()
            self._at_rest = self._pins & ~words[-1]
        return events

    def _read_lines(self) -> list[int]:
        """Return for each line the mask of the pins that closed buttons pull low."""
        columns = self._columns
        if self._at_rest >= 0:
            self._at_rest = -1
            for row in self._rows:
                row.high()
            self._settle()
        words = []
        for row in self._rows:
            row.low()
            word = ~mem32[PINS_IN] & columns
            row.high()
            words.append(word)
            if word:
                self._settle()
        words.append(~mem32[PINS_IN] & self._buttons)
        return words

    def _settle(self) -> None:
        """Wait until the weak pull-ups have raised the columns, before the next row is pulled low."""
        columns = self._columns
        for _ in range(MAX_POLLS):
            if mem32[PINS_IN] & columns == columns:
                break
