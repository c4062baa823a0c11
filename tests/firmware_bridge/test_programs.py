"""The PIO programs, cycle by cycle: WS2812 timing and receiving bytes of a reader."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.firmware_bridge.state_machine import Machine, assembled

programs = assembled()
MICROSECONDS = 1e6 / programs.STRIP_HZ

BIT = programs.STRIP_TICKS
BYTE = 8 * BIT
EDGE = 0.008
"""An edge is up to a cycle of 125 MHz late or early: the divider of the clock is no whole number."""

# The least and the longest time in microseconds, of each level (1: high) and each bit, by the data sheets.
# For the low level of a 1 they have no time in common but 0.58 to 0.60.
LIGHTS = {
    "WS2812B": {(1, 0): (0.25, 0.55), (1, 1): (0.65, 0.95), (0, 0): (0.70, 1.00), (0, 1): (0.30, 0.60)},
    "WS2812B-V5": {(1, 0): (0.22, 0.38), (1, 1): (0.58, 1.00), (0, 0): (0.58, 1.00), (0, 1): (0.58, 1.00)},
    "SK6812": {(1, 0): (0.15, 0.45), (1, 1): (0.45, 0.75), (0, 0): (0.75, 1.05), (0, 1): (0.45, 0.75)},
}
PERIODS = {"WS2812B": (0.65, 1.85), "WS2812B-V5": (0.80, 2.00), "SK6812": (0.90, 1.50)}
"""The least and the longest bit: TH + TL."""


def levels(sent: bytes, ticks: int) -> list[tuple[int, float]]:
    """Return each level of the strip's data line and its duration in microseconds."""
    machine = Machine(programs.strip, sent=sent)
    seen = []
    for _ in range(ticks):
        machine.tick()
        seen.append(machine.output)
    return [(level, len(list(run)) * MICROSECONDS) for level, run in groupby(seen)]


def decoded(seen: list[tuple[int, float]]) -> bytes:
    """Decode bits by the duration of the high level, as a light does."""
    bits = [int(time > 0.5) for level, time in seen if level == 1]
    return bytes(
        sum(bit << (7 - place) for place, bit in enumerate(bits[start : start + 8]))
        for start in range(0, len(bits), 8)
    )


@given(st.binary(min_size=1, max_size=30))
def test_bytes_are_sent_most_significant_bit_first(sent: bytes) -> None:
    assert decoded(levels(sent, BYTE * len(sent) + 20)) == sent


def durations(sent: bytes) -> Iterator[tuple[int, int, float]]:
    """Yield each level, the bit that it belongs to, and how long it lasts in microseconds."""
    seen = levels(sent, BYTE * len(sent))[1:]  # without the rest before the first bit
    bits = [int(bit) for byte in sent for bit in f"{byte:08b}"]
    for place, (level, time) in enumerate(seen[:-1]):
        yield level, bits[place // 2], time


SENT = bytes([0b10110010, 0, 255, 0x55])


@pytest.mark.parametrize("light", LIGHTS)
def test_the_pulse_widths_fit_the_lights(light: str) -> None:
    for level, bit, time in durations(SENT):
        least, longest = LIGHTS[light][level, bit]
        assert least <= time - EDGE < time + EDGE <= longest, (level, bit)
    least, longest = PERIODS[light]
    assert least < BIT * MICROSECONDS < longest


def test_a_0_is_high_for_300_to_350_ns() -> None:
    """A WS2812B-V5 takes more than 380 ns for a 1."""
    high = {time for level, bit, time in durations(SENT) if (level, bit) == (1, 0)}
    assert 0.300 <= min(high) - EDGE < max(high) + EDGE <= 0.350


def test_a_byte_takes_ten_microseconds() -> None:
    machine = Machine(programs.strip, sent=bytes(100))
    while machine.queue:
        machine.tick()
    assert machine.ticks * MICROSECONDS == pytest.approx(99 * 10.12, abs=1)


def test_the_line_idles_low() -> None:
    assert levels(b"", 1000) == [(0, 1000 * MICROSECONDS)]
    assert levels(b"\xff", 1000)[-1][0] == 0


def line(
    sent: bytes, *, start: float = 3.0, bit: float = programs.RECEIVER_TICKS, stop: int = 1
) -> list[int]:
    """Return the level of the line at each cycle while bytes are sent, 8N1, least significant bit first."""
    bits = [1] * 2
    for byte in sent:
        bits += [0, *(byte >> place & 1 for place in range(8)), stop]
    bits += [1] * 12
    ticks = round(start) + int(len(bits) * bit)
    places = [min(int((tick - start) / bit), len(bits) - 1) for tick in range(ticks)]
    return [1 if place < 0 or tick < start else bits[place] for tick, place in enumerate(places)]


def received(levels: list[int]) -> bytes:
    machine = Machine(programs.receiver, level=lambda tick: levels[tick] if tick < len(levels) else 1)
    for _ in levels:
        machine.tick()
    assert all(word < 256 for word in machine.received), "the byte is where a transfer of one byte finds it"
    return bytes(machine.received)


@given(st.binary(max_size=20), st.floats(0.0, 20.0))
def test_bytes_of_a_reader_are_received(sent: bytes, start: float) -> None:
    assert received(line(sent, start=start)) == sent


@given(st.binary(min_size=1, max_size=5), st.sampled_from([0.97, 0.98, 1.02, 1.03]))
def test_a_baud_rate_error_of_three_percent_is_tolerated(sent: bytes, off: float) -> None:
    assert received(line(sent, bit=programs.RECEIVER_TICKS * off)) == sent


def test_a_byte_without_a_stop_bit_is_discarded() -> None:
    broken = line(b"A", stop=0)
    assert received(broken + line(b"B")) == b"B"


def test_a_line_held_low_receives_nothing() -> None:
    assert received([0] * 1000 + line(b"B")) == b"B"


def test_the_programs_fit_into_one_pio_block() -> None:
    assert len(programs.strip.instructions) + len(programs.receiver.instructions) <= 32
