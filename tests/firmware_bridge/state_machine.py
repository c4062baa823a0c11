"""A PIO state machine, simulated cycle by cycle, for the instructions that the firmware uses.

`assembled` runs the firmware's own `programs.py` with a stand-in of `rp2`, and keeps the instructions as they
are written. `Machine` executes them as the chip's data sheet says: side-set at the start of an instruction, a
delay after it, `out` waiting for a byte, `wait` for a pin.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any
from unittest.mock import patch


@dataclass
class Instruction:
    name: str
    arguments: tuple[Any, ...]
    side_set: int | None = None
    delay: int = 0

    def side(self, value: int) -> Instruction:
        self.side_set = value
        return self

    def __getitem__(self, delay: int) -> Instruction:
        self.delay = delay
        return self


@dataclass
class Program:
    options: dict[str, Any]
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    bottom: int = 0
    top: int = 0


NAMES = ("x", "not_x", "x_dec", "pins", "pin", "null", "noblock")


def _assemble(function: Callable[[], None], options: dict[str, Any]) -> Program:
    program = Program(options)

    def add(name: str) -> Callable[..., Instruction]:
        def instruction(*arguments: Any) -> Instruction:
            program.instructions.append(Instruction(name, arguments))
            return program.instructions[-1]

        return instruction

    def wrap_target() -> None:
        program.bottom = len(program.instructions)

    def wrap() -> None:
        program.top = len(program.instructions) - 1

    def label(name: str) -> None:
        program.labels[name] = len(program.instructions)

    names: dict[str, Any] = {name: name for name in NAMES}
    names |= {name: add(name) for name in ("out", "jmp", "nop", "wait", "set", "in_", "push")}
    names |= {"wrap_target": wrap_target, "wrap": wrap, "label": label}
    with patch.dict(function.__globals__, names):
        function()
    return program


class PIO:
    IN_LOW, IN_HIGH, OUT_LOW, OUT_HIGH = 0, 1, 2, 3
    SHIFT_LEFT, SHIFT_RIGHT = 0, 1
    JOIN_NONE, JOIN_TX, JOIN_RX = 0, 1, 2


def assembled() -> ModuleType:
    """Return the firmware's PIO programs as `Program` values."""
    rp2 = ModuleType("rp2")
    rp2.PIO = PIO  # type: ignore[attr-defined]
    rp2.asm_pio = lambda **options: lambda function: _assemble(function, options)  # type: ignore[attr-defined]
    name = "firmware_bridge.firmware.programs"
    with patch.dict(sys.modules, {"rp2": rp2}):
        sys.modules.pop(name, None)
        module = importlib.import_module(name)
    sys.modules.pop(name, None)
    return module


class Machine:
    """One state machine; `output` is the level of its output pin, `level` returns that of its input pin."""

    def __init__(
        self, program: Program, *, sent: bytes = b"", level: Callable[[int], int] = lambda _: 1
    ) -> None:
        self.program = program
        self.queue = list(sent)
        self.level = level
        self.output = 0
        self.received: list[int] = []
        self.ticks = 0
        self._at = 0
        self._x = 0
        self._out, self._out_left = 0, 0
        self._in = 0
        self._rest = 0

    def tick(self) -> None:
        """Execute one cycle."""
        if self._rest:
            self._rest -= 1
        else:
            self._execute(self.program.instructions[self._at])
        self.ticks += 1

    def _execute(self, instruction: Instruction) -> None:
        if instruction.side_set is not None:
            self.output = instruction.side_set
        following = self.program.bottom if self._at == self.program.top else self._at + 1
        arguments = instruction.arguments
        match instruction.name:
            case "out":
                if not self._pull():
                    return
                self._x = self._out >> 31
                self._out = self._out << 1 & 0xFFFFFFFF
                self._out_left -= 1
            case "jmp":
                if self._jumps(*arguments[:-1]):
                    following = self.program.labels[arguments[-1]]
            case "wait":
                if self.level(self.ticks) != arguments[0]:
                    return
            case "set":
                self._x = arguments[1]
            case "in_":
                source, count = arguments
                bits = 0 if source == "null" else self.level(self.ticks)
                self._in = (self._in >> count) | (bits << (32 - count)) & 0xFFFFFFFF
            case "push":
                self.received.append(self._in)
                self._in = 0
        self._at = following
        self._rest = instruction.delay

    def _pull(self) -> bool:
        """Autopull: a byte written to the FIFO is repeated in all four bytes of the word."""
        if self._out_left == 0:
            if not self.queue:
                return False
            self._out = self.queue.pop(0) * 0x01010101
            self._out_left = self.program.options["pull_thresh"]
        return True

    def _jumps(self, condition: str = "") -> bool:
        match condition:
            case "not_x":
                return self._x == 0
            case "x_dec":
                self._x = (self._x - 1) & 0xFFFFFFFF
                return self._x != 0xFFFFFFFF
            case "pin":
                return self.level(self.ticks) == 1
        return True
