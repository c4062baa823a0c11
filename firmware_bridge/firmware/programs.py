# ruff: noqa: F821
# mypy: disable-error-code="name-defined, untyped-decorator, call-overload"
"""PIO programs: WS2812 output and a UART receiver. Their instructions are names that `rp2` defines."""

import rp2

STRIP_HZ = 11_860_000
"""Cycles of 84.3 ns. A bit of 15 takes 1.265 µs, a byte 10.12 µs.

| time in ns | this program | WS2812B | WS2812B-V5 | SK6812 |
| --- | --- | --- | --- | --- |
| 0, high | 4 cycles, 337 | 250 to 550 | 220 to 380 | 150 to 450 |
| 1, high | 8 cycles, 675 | 650 to 950 | 580 to 1000 | 450 to 750 |
| 0, low | 11 cycles, 927 | 700 to 1000 | 580 to 1000 | 750 to 1050 |
| 1, low | 7 cycles, 590 | 300 to 600 | 580 to 1000 | 450 to 750 |

A clock of 125 MHz is divided by 10.54: an edge is up to 8 ns early or late.
"""
STRIP_TICKS = 15
"""Cycles of a bit."""

RECEIVER_TICKS = 16
"""State machine cycles per bit of a reader."""


@rp2.asm_pio(
    sideset_init=rp2.PIO.OUT_LOW,
    out_shiftdir=rp2.PIO.SHIFT_LEFT,
    autopull=True,
    pull_thresh=8,
    fifo_join=rp2.PIO.JOIN_TX,
)
def strip() -> None:
    """Send bytes to WS2812 lights: each bit is high for 4 (0) or 8 (1) of its 15 cycles.

    The line stays low while the first instruction waits for the next byte.
    """
    wrap_target()
    label("bit")
    out(x, 1).side(0)[6]
    jmp(not_x, "zero").side(1)[3]
    jmp("bit").side(1)[3]
    label("zero")
    nop().side(0)[3]
    wrap()


@rp2.asm_pio(in_shiftdir=rp2.PIO.SHIFT_RIGHT, fifo_join=rp2.PIO.JOIN_RX)
def receiver() -> None:
    """Receive bytes, 8N1: sample each bit in its middle; discard a byte without a stop bit.

    The byte is pushed in the lowest eight bits, where a one-byte DMA transfer reads it.
    """
    wrap_target()
    label("start")
    wait(0, pin, 0)
    set(x, 7)[22]
    label("bit")
    in_(pins, 1)
    jmp(x_dec, "bit")[14]
    jmp(pin, "stop")
    wait(1, pin, 0)
    jmp("start")
    label("stop")
    in_(null, 24)
    push(noblock)
    wrap()
