"""The walk through every light, button and reader of a table, with somebody who looks and presses.

What is shown and asked is planned purely; a `Person` answers: somebody at a terminal, or simulated hands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol

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
    reader_part,
)
from hardware.drivers.simulated import SimulatedTable
from hardware.layout.model import Layout
from hardware.power import limit

WHITE: Final[Rgb] = (120, 120, 120)
COLOURS: Final[tuple[tuple[str, Rgb], ...]] = (
    ("red", (200, 0, 0)),
    ("green", (0, 200, 0)),
    ("blue", (0, 0, 200)),
)
EACH: Final = 0.12
"""Seconds that a single light is shown."""
ALL: Final = 0.7
"""Seconds that all lights of a part show a colour."""
GLANCE: Final = 0.1
"""Seconds between two looks whether the person wants to go on."""


class Outcome(StrEnum):
    """How a part came through."""

    FINE = "fine"
    WRONG = "wrong"
    SKIPPED = "skipped"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Walk:
    """Lights of one part, to be shown one after another and then together."""

    part: str
    lights: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Press:
    """A button to be pressed, and the lights that show where it is."""

    button: str
    lights: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LayTag:
    """A reader that a tag is to be laid on, and the lights that show where it is."""

    reader: str
    lights: tuple[str, ...]


Step = Walk | Press | LayTag


@dataclass(frozen=True, slots=True)
class Result:
    """What a step found; `told` says what was wrong, empty if nothing was."""

    part: str
    outcome: Outcome
    told: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found, in the order of the walk; `began` is the date and time as text."""

    layout: str
    began: str
    results: tuple[Result, ...]

    @property
    def fine(self) -> bool:
        """Whether every part came through."""
        return all(result.outcome is Outcome.FINE for result in self.results)

    def in_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return {**asdict(self), "fine": self.fine}

    def in_words(self) -> str:
        """Return the report as text: what is not fine first."""
        bad = [result for result in self.results if result.outcome is not Outcome.FINE]
        lines = [f"Self-test of the layout {self.layout}, {self.began}"]
        lines += [f"{result.outcome:8} {result.part}: {result.told}".rstrip(": ") for result in bad]
        lines.append(f"{len(self.results) - len(bad)} of {len(self.results)} parts are fine.")
        return "\n".join(lines)


class Person(Protocol):
    """Who looks at the table and touches it."""

    def miss(self, why: str, steps: Sequence[Step]) -> None:
        """Hear, before anything is asked, what can't be tested and why."""

    def begin(self, step: Step) -> None:
        """Hear what comes next, and do what it asks for."""

    def look(self, frame: LightFrame, seconds: float) -> None:
        """Look at what is shown, for so long."""

    def judge(self, step: Walk) -> str | None:
        """Say what was wrong with the lights: nothing (""), or what; None to see them again."""

    def skips(self) -> bool:
        """Tell whether this step is to be passed over; does not wait."""


def plan(layout: Layout) -> list[Step]:
    """Return every step: the lights part by part, then the buttons, then the readers."""
    groups: dict[str, list[str]] = {}
    for light in layout.lights:
        groups.setdefault(part_of(light.name), []).append(light.name)
    steps: list[Step] = [Walk(part, tuple(lights)) for part, lights in groups.items()]
    steps += [Press(it.name, _lights_at(it.name, layout)) for it in layout.buttons]
    steps += [LayTag(it.name, _lights_at(it.name, layout)) for it in layout.readers]
    return steps


def part_of(light: str) -> str:
    """Return the part of the table that a light belongs to: `seat.1.line` of `seat.1.line.3.2`."""
    names = light.split(".")
    return ".".join(names[: 3 if names[0] == "seat" else 2 if names[0] == "display" else 1])


def _lights_at(name: str, layout: Layout) -> tuple[str, ...]:
    """Return the lights at a button or reader: those whose names begin with its name, or the status light."""
    lights = [
        light.name for light in layout.lights if light.name == name or light.name.startswith(f"{name}.")
    ]
    return tuple(lights) if lights else (STATUS,)


def run(
    layout: Layout,
    lights: Lights,
    events: SimpleQueue[HardwareEvent],
    person: Person,
    began: str,
    seconds: float,
    clock: Callable[[], float],
    settle: float = 0.0,
) -> Report:
    """Go through every step with this person; each button and reader is waited for so many seconds.

    Before that the drivers have `settle` seconds to find what they drive: what is lost is not asked about.
    """
    test = _Test(layout, lights, events, person, seconds, clock)
    steps = plan(layout)
    test.settle(steps, settle)
    results = [test.do(step) for step in steps]
    lights.show(LightFrame({}))
    return Report(layout.name, began, tuple(results))


class _Test:
    """The running walk."""

    def __init__(
        self,
        layout: Layout,
        lights: Lights,
        events: SimpleQueue[HardwareEvent],
        person: Person,
        seconds: float,
        clock: Callable[[], float],
    ) -> None:
        self._layout = layout
        self._lights = lights
        self._events = events
        self._person = person
        self._seconds = seconds
        self._clock = clock
        self._lost: dict[str, str] = {}

    def settle(self, steps: Sequence[Step], seconds: float) -> None:
        """Wait for what the drivers find, and say what can't be tested, for each reason once."""
        end = self._clock() + seconds
        while (left := end - self._clock()) > 0:
            for _ in self._waiting(min(left, GLANCE)):
                pass
        missing: dict[str, list[Step]] = {}
        for step in steps:
            if (why := self._why_lost(*_part_and_kind(step))) is not None:
                missing.setdefault(why, []).append(step)
        for why, missed in missing.items():
            self._person.miss(why, missed)

    def do(self, step: Step) -> Result:
        for _ in self._waiting(0):
            pass  # what was pressed before it was asked for does not count
        named, kind = _part_and_kind(step)
        if (why := self._why_lost(named, kind)) is not None:
            return Result(named, Outcome.LOST, why)
        match step:
            case Walk(part):
                self._person.begin(step)
                told = None
                while told is None:
                    self._walk(step)
                    told = self._person.judge(step)
                return self._result(part, "lights", told)
            case Press(button, lights):
                return self._touch(step, button_part(button), "buttons", button, lights)
            case LayTag(reader, lights):
                return self._touch(step, reader_part(reader), "readers", reader, lights)

    def _walk(self, step: Walk) -> None:
        for light in step.lights:
            self._show({light: WHITE}, EACH)
        for _, colour in COLOURS:
            self._show(dict.fromkeys(step.lights, colour), ALL)
        self._show({}, 0)

    def _show(self, lit: dict[str, Rgb], seconds: float) -> None:
        frame = limit(LightFrame(lit), self._layout.supply)
        self._lights.show(frame)
        self._person.look(frame, seconds)

    def _touch(self, step: Step, part: str, kind: str, name: str, lights: Sequence[str]) -> Result:
        """Wait for a button or a reader; others that answer in its place are told."""
        self._show(dict.fromkeys(lights, WHITE), 0)
        self._person.begin(step)
        others: list[str] = []
        end = self._clock() + self._seconds
        while self._clock() < end:
            for came in self._waiting(GLANCE):
                if came == name:
                    told = f"{_and(others)} answered as well; are wires swapped?" if others else ""
                    return Result(part, Outcome.WRONG if others else Outcome.FINE, told)
                if came not in others:
                    others.append(came)
            if self._person.skips():
                return self._result(part, kind, "", skipped=not others, others=others)
        return self._result(part, kind, f"nothing came within {self._seconds:g} seconds", others=others)

    def _result(
        self, part: str, kind: str, told: str, *, skipped: bool = False, others: Sequence[str] = ()
    ) -> Result:
        if others:
            return Result(part, Outcome.WRONG, f"{_and(others)} answered in its place; are wires swapped?")
        if (lost := self._why_lost(part, kind)) is not None:
            return Result(part, Outcome.LOST, lost)
        if skipped:
            return Result(part, Outcome.SKIPPED)
        return Result(part, Outcome.WRONG if told else Outcome.FINE, told)

    def _why_lost(self, part: str, kind: str) -> str | None:
        """Why a part does not work: it is lost itself, or all of its kind, or the Pico that they hang on."""
        on_pico = getattr(self._layout.drivers, kind) == PICO
        names = (part, kind, PICO) if on_pico else (part, kind)
        return next((self._lost[name] for name in names if name in self._lost), None)

    def _waiting(self, seconds: float) -> Iterator[str]:
        """Name what was touched, or is within so many seconds; note parts lost and back."""
        try:
            while True:
                match self._events.get(timeout=seconds) if seconds else self._events.get_nowait():
                    case ButtonPressed(name) | TagArrived(name):
                        yield name
                    case PartLost(part, _, told):
                        self._lost[part] = told
                    case PartBack(part):
                        self._lost.pop(part, None)
                    case _:
                        pass  # a tag was taken away
                seconds = 0
        except Empty:
            return


def _part_and_kind(step: Step) -> tuple[str, str]:
    """Return the part of a step as the report names it, and which driver it hangs on."""
    match step:
        case Walk(part):
            return part, "lights"
        case Press(button):
            return button_part(button), "buttons"
        case LayTag(reader):
            return reader_part(reader), "readers"


class SimulatedHands:
    """The person for a simulated table: it presses what it is asked for, and sees what its lights show."""

    def __init__(self, table: SimulatedTable) -> None:
        self._table = table
        self._wrong: list[str] = []

    def miss(self, why: str, steps: Sequence[Step]) -> None:
        """Take no notice."""

    def begin(self, step: Step) -> None:
        """Press the button, or lay a tag on the reader."""
        self._wrong = []
        match step:
            case Press(button):
                self._table.press(button)
            case LayTag(reader):
                self._table.show_tag(reader, "selftest")

    def look(self, frame: LightFrame, _seconds: float) -> None:
        """Compare the lights with what is shown."""
        self._wrong += [
            light.name
            for light in self._table.layout.lights
            if self._table.colour(light.name) != frame.colour(light.name)
        ]

    def judge(self, _step: Walk) -> str:
        """Name the lights that showed something else."""
        return f"{_and(self._wrong)} did not show it" if self._wrong else ""

    def skips(self) -> bool:
        """Pass over nothing."""
        return False


def _and(names: Iterable[str]) -> str:
    return " and ".join(names)
