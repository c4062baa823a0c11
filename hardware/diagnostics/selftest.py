"""Self-test of every light, button and reader of a table, with an operator who looks, presses and lays tags.

`plan` makes the steps, `run` performs them and returns a report. The `Operator` is a person at a terminal
(`azul-table selftest`), or simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from queue import Empty, SimpleQueue
from typing import Any, Final, Literal, Protocol

from msgspec import Struct, field

from hardware.api import (
    PICO,
    STATUS,
    ButtonPressed,
    HardwareEvent,
    LightFrame,
    Lights,
    PartBack,
    PartLost,
    Rgb,
    TagArrived,
    button_part,
    lights_part,
    reader_part,
)
from hardware.drivers.simulated import SimulatedTable
from hardware.layout.checks import NETWORK_DRIVERS
from hardware.layout.model import Layout, Output
from hardware.power import limit

WHITE: Final[Rgb] = (120, 120, 120)
COLOURS: Final[tuple[tuple[str, Rgb], ...]] = (
    ("red", (200, 0, 0)),
    ("green", (0, 200, 0)),
    ("blue", (0, 0, 200)),
)
SINGLE: Final = 0.12
"""Seconds for which a single light is shown."""
GROUP: Final = 0.7
"""Seconds for which all lights of a group show a colour."""
POLL: Final = 0.1
"""Seconds between two polls whether the operator wants to skip a step."""


# --- Steps -----------------------------------------------------------------------------------------------


class Step(Struct, frozen=True):
    """One step: show a group of lights, or wait for a press of a button or for a tag on a reader.

    `kind` is the driver that it depends on; `lights` are those of the group, or those beside the part.
    """

    kind: Literal["lights", "buttons", "readers"]
    name: str
    lights: tuple[str, ...]

    @property
    def part(self) -> str:
        """The part as the report names it."""
        match self.kind:
            case "lights":
                return self.name
            case "buttons":
                return button_part(self.name)
            case "readers":
                return reader_part(self.name)


def plan(layout: Layout) -> list[Step]:
    """Return every step: the lights group by group, then the buttons, then the readers."""
    groups: dict[str, list[str]] = {}
    for light in layout.lights:
        groups.setdefault(_group(light.name), []).append(light.name)
    return [
        *(Step("lights", group, tuple(lights)) for group, lights in groups.items()),
        *(Step("buttons", it.name, _lights_at(it.name, layout)) for it in layout.buttons),
        *(Step("readers", it.name, _lights_at(it.name, layout)) for it in layout.readers),
    ]


def _group(light: str) -> str:
    """Return the group of a light: `seat.1.line` for `seat.1.line.3.2`."""
    names = light.split(".")
    return ".".join(names[: 3 if names[0] == "seat" else 2 if names[0] == "display" else 1])


def _lights_at(name: str, layout: Layout) -> tuple[str, ...]:
    """Return the lights whose names begin with the name of a button or reader; else the status light."""
    lights = [
        light.name for light in layout.lights if light.name == name or light.name.startswith(f"{name}.")
    ]
    return tuple(lights) if lights else (STATUS,)


# --- Report ----------------------------------------------------------------------------------------------


class Outcome(StrEnum):
    """Outcome of a step."""

    FINE = "fine"
    WRONG = "wrong"
    SKIPPED = "skipped"
    LOST = "lost"


class Result(Struct, frozen=True):
    """Result of a step; `message` says what is wrong, "" if nothing is."""

    part: str
    outcome: Outcome
    message: str = ""


class Report(Struct, frozen=True):
    """All results in the order of the steps; `began` is the date and time as text."""

    layout: str
    began: str
    results: tuple[Result, ...]

    @property
    def fine(self) -> bool:
        """Whether every part is fine."""
        return all(result.outcome is Outcome.FINE for result in self.results)

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        results = [{"part": it.part, "outcome": it.outcome, "told": it.message} for it in self.results]
        return {"layout": self.layout, "began": self.began, "results": results, "fine": self.fine}

    def to_text(self) -> str:
        """Return a summary: each part that is not fine, and how many are."""
        bad = [result for result in self.results if result.outcome is not Outcome.FINE]
        lines = [f"Self-test of the layout {self.layout}, {self.began}"]
        lines += [f"{result.outcome:8} {result.part}: {result.message}".rstrip(": ") for result in bad]
        lines.append(f"{len(self.results) - len(bad)} of {len(self.results)} parts are fine.")
        return "\n".join(lines)


# --- Operator --------------------------------------------------------------------------------------------


class Operator(Protocol):
    """The person who looks at the table and touches it."""

    def report_missing(self, reason: str, steps: Sequence[Step]) -> None:
        """Tell the operator, before the first step, which steps can't be tested and why."""

    def begin(self, step: Step) -> None:
        """Announce the next step, and ask for what the operator has to do."""

    def look(self, frame: LightFrame, seconds: float) -> None:
        """Give the operator so many seconds to look at a frame."""

    def judge(self, step: Step) -> str | None:
        """Return what was wrong with the lights, "" if nothing was, None to show them again."""

    def wants_to_skip(self) -> bool:
        """Return whether this step is to be skipped; does not block."""


class SimulatedOperator:
    """The operator of a simulated table: presses what is asked for, compares the lights with each frame."""

    def __init__(self, table: SimulatedTable) -> None:
        self._table = table
        self._wrong: list[str] = []

    def report_missing(self, reason: str, steps: Sequence[Step]) -> None:
        """Do nothing."""

    def begin(self, step: Step) -> None:
        """Press the button, or lay a tag on the reader."""
        self._wrong = []
        if step.kind == "buttons":
            self._table.press(step.name)
        elif step.kind == "readers":
            self._table.show_tag(step.name, "selftest")

    def look(self, frame: LightFrame, _seconds: float) -> None:
        """Compare the lights with the frame."""
        self._wrong += [
            light.name
            for light in self._table.layout.lights
            if self._table.colour(light.name) != frame.colour(light.name)
        ]

    def judge(self, _step: Step) -> str:
        """Return the names of the lights that differed."""
        return f"{_and(self._wrong)} did not show it" if self._wrong else ""

    def wants_to_skip(self) -> bool:
        """Return False."""
        return False


# --- Run -------------------------------------------------------------------------------------------------


def run(
    layout: Layout,
    lights: Lights,
    events: SimpleQueue[HardwareEvent],
    operator: Operator,
    began: str,
    seconds: float,
    clock: Callable[[], float],
    settle: float = 0.0,
    poll: float = POLL,
) -> Report:
    """Perform every step with this operator; wait for each button and reader so many seconds.

    Before that the drivers have `settle` seconds to report what is lost: such parts are not tested. Raises
    HardwareError if the lights refuse a frame.
    """
    test = _Test(layout, lights, events, operator, seconds, clock, poll)
    steps = plan(layout)
    test.settle(steps, settle)
    results = [test.perform(step) for step in steps]
    lights.show(LightFrame({}))
    return Report(layout.name, began, tuple(results))


class _Test(Struct):
    """A running self-test; `lost` are the messages of lost parts."""

    layout: Layout
    lights: Lights
    events: SimpleQueue[HardwareEvent]
    operator: Operator
    seconds: float
    clock: Callable[[], float]
    poll: float
    lost: dict[str, str] = field(default_factory=dict)

    def settle(self, steps: Sequence[Step], seconds: float) -> None:
        """Wait for reports of the drivers; tell the operator what can't be tested, once for each reason."""
        end = self.clock() + seconds
        while (left := end - self.clock()) > 0:
            for _ in self._receive(min(left, self.poll)):
                pass
        missing: dict[str, list[Step]] = {}
        for step in steps:
            if (reason := self._why_lost(step)) is not None:
                missing.setdefault(reason, []).append(step)
        for reason, missed in missing.items():
            self.operator.report_missing(reason, missed)

    def perform(self, step: Step) -> Result:
        """Perform a step and return its result."""
        for _ in self._receive(0):
            pass  # presses and tags from before this step don't count
        if (reason := self._why_lost(step)) is not None:
            return Result(step.part, Outcome.LOST, reason)
        if step.kind != "lights":
            return self._wait_for(step)
        self.operator.begin(step)
        message = None
        while message is None:
            self._show_group(step)
            message = self.operator.judge(step)
        return self._result(step, message)

    def _show_group(self, step: Step) -> None:
        for light in step.lights:
            self._show({light: WHITE}, SINGLE)
        for _, colour in COLOURS:
            self._show(dict.fromkeys(step.lights, colour), GROUP)
        self._show({}, 0)

    def _show(self, lit: dict[str, Rgb], seconds: float) -> None:
        frame = limit(LightFrame(lit), self.layout.supply)
        self.lights.show(frame)
        self.operator.look(frame, seconds)

    def _wait_for(self, step: Step) -> Result:
        """Wait for a button or reader; report others that answer instead of it."""
        self._show(dict.fromkeys(step.lights, WHITE), 0)
        self.operator.begin(step)
        others: list[str] = []
        end = self.clock() + self.seconds
        while self.clock() < end:
            for answered in self._receive(self.poll):
                if answered == step.name:
                    message = f"{_and(others)} answered as well; are wires swapped?" if others else ""
                    return Result(step.part, Outcome.WRONG if others else Outcome.FINE, message)
                if answered not in others:
                    others.append(answered)
            if self.operator.wants_to_skip():
                return self._result(step, "", skipped=not others, others=others)
        return self._result(step, f"no answer within {self.seconds:g} seconds", others=others)

    def _result(
        self, step: Step, message: str, *, skipped: bool = False, others: Sequence[str] = ()
    ) -> Result:
        if others:
            return Result(step.part, Outcome.WRONG, f"{_and(others)} answered instead; are wires swapped?")
        if (reason := self._why_lost(step)) is not None:
            return Result(step.part, Outcome.LOST, reason)
        if skipped:
            return Result(step.part, Outcome.SKIPPED)
        return Result(step.part, Outcome.WRONG if message else Outcome.FINE, message)

    def _why_lost(self, step: Step) -> str | None:
        """Return why a part, all of its kind, or the Pico or controller that has them is lost; else None."""
        on_pico = getattr(self.layout.drivers, step.kind) == PICO
        names = (step.part, step.kind, PICO) if on_pico else (step.part, step.kind, *self._controllers(step))
        return next((self.lost[name] for name in names if name in self.lost), None)

    def _controllers(self, step: Step) -> Sequence[str]:
        """Return the controllers in the network, as parts, that send to the lights of a step."""
        if self.layout.drivers.lights not in NETWORK_DRIVERS or step.kind != "lights":
            return ()
        chains = {light.chain for light in self.layout.lights if light.name in step.lights}
        wires = [chain.wire for chain in self.layout.chains if chain.name in chains]
        return [lights_part(wire.host) for wire in wires if isinstance(wire, Output)]

    def _receive(self, seconds: float) -> Iterator[str]:
        """Yield the buttons and readers that answer within so many seconds; record parts lost and back."""
        try:
            while True:
                match self.events.get(timeout=seconds) if seconds else self.events.get_nowait():
                    case ButtonPressed(name) | TagArrived(name):
                        yield name
                    case PartLost(part, _, message):
                        self.lost[part] = message
                    case PartBack(part):
                        self.lost.pop(part, None)
                    case _:
                        pass  # a tag was taken off
                seconds = 0
        except Empty:
            return


def _and(names: Iterable[str]) -> str:
    return " and ".join(names)
