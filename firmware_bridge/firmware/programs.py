# ruff: noqa: F821
# mypy: disable-error-code="name-defined, untyped-decorator, call-overload"
"""PIO programs: WS2812 output and a UART receiver. Their instructions are names that `rp2` defines."""

import rp2

STRIP_TICKS = 10
"""State machine cycles per WS2812 bit."""
STRIP_HZ = 800_000 * STRIP_TICKS
"""A bit takes 1.25 microseconds, a byte 10."""

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
    """Send bytes to WS2812 lights: each bit is high for 3 (0) or 6 (1) of its 10 cycles.

    The line stays low while the first instruction waits for the next byte.
    """
    wrap_target()
    label("bit")
    out(x, 1).side(0)[3]
    jmp(not_x, "zero").side(1)[2]
    jmp("bit").side(1)[2]
    label("zero")
    nop().side(0)[2]
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
