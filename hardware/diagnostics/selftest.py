"""Self-test of every light, button and reader of a table, with an operator who looks, presses and lays tags.

`plan` makes the steps, `run` performs them and returns a report. The `Operator` is a person at a terminal
(`azul-table selftest`), or simulated. The first steps show what no program can measure: the order of colours,
the data signal at each brightness, and the voltage under load.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Final, Literal, Protocol

from msgspec import Struct, field

from hardware.api import (
    PICO,
    POWER,
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
from hardware.drivers.health import FAULTS, Reading, read
from hardware.drivers.simulated import SimulatedTable
from hardware.layout.checks import NETWORK_DRIVERS
from hardware.layout.model import Chain, Layout, Output
from hardware.power import CurrentLimiter

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
FULL: Final[Rgb] = (255, 255, 255)
WHITE_SECONDS: Final = 3.0
"""Seconds for which all lights are as bright as the supply allows."""
RAMP_SECONDS: Final = 8.0
RAMP_FRAME: Final = 1 / 25
"""Seconds from dark to full, and of each frame between."""
COLOUR_SECONDS: Final = 1.5
"""Seconds for which all lights of a chain show a colour."""
POLL: Final = 0.1
"""Seconds between two polls: whether the operator wants to skip a step, and of the voltage."""


# --- Steps -----------------------------------------------------------------------------------------------


class Pattern(StrEnum):
    """What a step shows on its lights."""

    GROUP = "group"  # one light after another, then all of them in each colour
    COLOURS = "colours"  # all lights of a chain in one colour after another
    RAMP = "ramp"  # all lights from dark to full
    WHITE = "white"  # all lights white


class Guide(Struct, frozen=True):
    """What a pattern shows, what to look for, and what it means if it looks otherwise."""

    shows: str
    look_for: str
    otherwise: str


GUIDES: Final[Mapping[Pattern, Guide]] = {
    Pattern.COLOURS: Guide(
        "all red, then green, then blue (and white, if the layout says that they have a white channel)",
        "all lights show the same colour, and the colours come in this order",
        "if all lights show the same other colour, the layout has the wrong order; if the colour changes "
        'along a strip, its lights have a white channel: write an order with "W"; if only some lights '
        "are wrong, check the resistor, the level shifter and the common ground",
    ),
    Pattern.RAMP: Guide(
        f"from dark to full white in {RAMP_SECONDS:g} seconds",
        "they get brighter evenly and without flicker, and the ends of the strips are as white as the starts",
        "if they flicker or show wrong colours at some level, check the level shifter (74AHCT125) and the "
        "common ground; if the far ends turn yellow or red, the voltage drops along the strip: feed 5 V "
        "there, too",
    ),
    Pattern.WHITE: Guide(
        f"white for {WHITE_SECONDS:g} seconds, as bright as the supply allows",
        "all lights stay white, and none flickers or goes out",
        "if lights flicker, go out or turn red, the supply is too weak for the current in the layout, its "
        "wires are too thin or too long, or the capacitor is missing",
    ),
}


class Step(Struct, frozen=True):
    """One step: show lights, or wait for a press of a button or for a tag on a reader.

    `kind` is the driver that it depends on; `lights` are those that are shown, or those beside the part.
    `chain` names the chain of the pattern COLOURS.
    """

    kind: Literal["lights", "buttons", "readers"]
    name: str
    lights: tuple[str, ...]
    pattern: Pattern = Pattern.GROUP
    chain: str = ""

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
    """Return every step: patterns on all lights, the lights group by group, the buttons, the readers."""
    groups: dict[str, list[str]] = {}
    for light in layout.lights:
        groups.setdefault(_group(light.name), []).append(light.name)
    everything = tuple(light.name for light in layout.lights)
    return [
        *(_colours_step(chain, layout) for chain in layout.chains),
        Step("lights", "ramp", everything, Pattern.RAMP),
        Step("lights", "white", everything, Pattern.WHITE),
        *(Step("lights", group, tuple(lights)) for group, lights in groups.items()),
        *(Step("buttons", it.name, _lights_at(it.name, layout)) for it in layout.buttons),
        *(Step("readers", it.name, _lights_at(it.name, layout)) for it in layout.readers),
    ]


def _colours_step(chain: Chain, layout: Layout) -> Step:
    lights = tuple(light.name for light in layout.lights if light.chain == chain.name)
    return Step("lights", f"colours of {chain.name}", lights, Pattern.COLOURS, chain.name)


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


# --- Order of colours ------------------------------------------------------------------------------------

COLOUR_OF_CHANNEL: Final[Mapping[str, Rgb]] = {
    **{name[0].upper(): colour for name, colour in COLOURS},
    "W": WHITE,
}
"""A colour that each channel shows alone: white comes from the white channel, if there is one."""


def shown_channels(chain: Chain) -> str:
    """Return the channels that the pattern COLOURS shows on a chain, in order: RGB, or RGBW."""
    return "RGBW" if "W" in chain.order else "RGB"


def seen_order(chain: Chain, answer: str) -> str | None:
    """Return the order of a chain's lights from the colours that somebody saw, None if that gives none.

    The answer names them in the order in which they were seen, such as `green, red, blue` or `grb`. A channel
    is sent at its position in the chain's order; what is seen is the channel that the light has there.
    """
    words = re.findall(r"[a-z]+", answer.lower())
    letters = "".join(word[0] for word in words) if len(words) > 1 else "".join(words)
    shown, seen = shown_channels(chain), letters.upper()
    if sorted(seen) != sorted(shown) or seen == shown:
        return None
    channel_at = {chain.order.index(sent): channel for sent, channel in zip(shown, seen, strict=True)}
    return "".join(channel_at[position] for position in range(len(shown)))


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
    """The operator of a simulated table: presses what is asked for, compares the lights with each frame.

    Looking takes no time; `clock` is the monotonic clock, advanced by the seconds of looking.
    """

    def __init__(self, table: SimulatedTable) -> None:
        self._table = table
        self._wrong: dict[str, None] = {}
        self._looked = 0.0

    def clock(self) -> float:
        """Return the time in seconds."""
        return monotonic() + self._looked

    def report_missing(self, reason: str, steps: Sequence[Step]) -> None:
        """Do nothing."""

    def begin(self, step: Step) -> None:
        """Press the button, or lay a tag on the reader."""
        self._wrong = {}
        if step.kind == "buttons":
            self._table.press(step.name)
        elif step.kind == "readers":
            self._table.show_tag(step.name, "selftest")

    def look(self, frame: LightFrame, seconds: float) -> None:
        """Compare the lights with the frame."""
        self._looked += seconds
        shown = self._table.frame
        for light in self._table.layout.lights:
            if shown.colour(light.name) != frame.colour(light.name):
                self._wrong[light.name] = None

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
    power: Callable[[], Reading | None] = read,
) -> Report:
    """Perform every step with this operator; wait for each button and reader so many seconds.

    Before that the drivers have `settle` seconds to report what is lost: such parts are not tested. `power`
    reads the state of the Pi, None on another machine. Raises HardwareError if the lights refuse a frame.
    """
    test = _Test(layout, lights, events, operator, seconds, clock, poll, power, CurrentLimiter(layout).limit)
    steps = plan(layout)
    test.settle(steps, settle)
    results = [test.perform(step) for step in steps]
    lights.show(LightFrame({}))
    return Report(layout.name, began, tuple(results))


class _Test(Struct):
    """A running self-test; `lost` has the messages of lost parts, `drops` of all lost in this step."""

    layout: Layout
    lights: Lights
    events: SimpleQueue[HardwareEvent]
    operator: Operator
    seconds: float
    clock: Callable[[], float]
    poll: float
    power: Callable[[], Reading | None]
    dim: Callable[[LightFrame], LightFrame]
    lost: dict[str, str] = field(default_factory=dict)
    drops: dict[str, str] = field(default_factory=dict)

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
        self.drops.clear()
        self.operator.begin(step)
        voltage = _Voltage(self.power if step.pattern is Pattern.WHITE else lambda: None)
        message, is_shown = None, True
        while message is None:
            is_shown = self._show_pattern(step, voltage)
            message = self.operator.judge(step) if is_shown else ""
        for _ in self._receive(0):
            pass  # parts that were lost meanwhile
        if faults := self._measured(voltage):
            return Result(step.part, Outcome.WRONG, "; ".join([*faults, *([message] if message else [])]))
        result = self._result(step, self._explained(step, message), skipped=not is_shown)
        if result.outcome is Outcome.FINE and voltage.is_known:
            return Result(step.part, Outcome.FINE, "the voltage of the Pi stayed above 4.63 V")
        return result

    def _show_pattern(self, step: Step, voltage: _Voltage) -> bool:
        """Show the pattern of a step; return False if the operator skips it."""
        match step.pattern:
            case Pattern.GROUP:
                self._show_group(step)
                return True
            case Pattern.COLOURS:
                shown = self._show_colours(step)
            case Pattern.RAMP:
                shown = self._show_ramp(step)
            case Pattern.WHITE:
                shown = self._hold(self._limited(dict.fromkeys(step.lights, FULL)), WHITE_SECONDS, voltage)
        self._show({}, 0)
        return shown

    def _show_group(self, step: Step) -> None:
        for light in step.lights:
            self._show({light: WHITE}, SINGLE)
        for _, colour in COLOURS:
            self._show(dict.fromkeys(step.lights, colour), GROUP)
        self._show({}, 0)

    def _show_colours(self, step: Step) -> bool:
        (chain,) = (chain for chain in self.layout.chains if chain.name == step.chain)
        levels = [COLOUR_OF_CHANNEL[channel] for channel in shown_channels(chain)]
        frames = (self._limited(dict.fromkeys(step.lights, level)) for level in levels)
        return all(self._hold(frame, COLOUR_SECONDS) for frame in frames)

    def _show_ramp(self, step: Step) -> bool:
        """Show all levels from dark to the brightest frame that the supply allows, as the clock advances."""
        brightest = self._limited(dict.fromkeys(step.lights, FULL)).lit
        start = self.clock()
        while (share := (self.clock() - start) / RAMP_SECONDS) < 1:
            self._show(
                {
                    light: (round(red * share), round(green * share), round(blue * share))
                    for light, (red, green, blue) in brightest.items()
                },
                RAMP_FRAME,
            )
            if self.operator.wants_to_skip():
                return False
        return self._hold(LightFrame(brightest), GROUP)

    def _hold(self, frame: LightFrame, seconds: float, voltage: _Voltage | None = None) -> bool:
        """Show a frame so long, and watch the voltage; return False if the operator skips the rest."""
        self.lights.show(frame)
        end = self.clock() + seconds
        while self.clock() < end:
            self.operator.look(frame, min(POLL, seconds))
            if voltage is not None:
                voltage.poll()
            if self.operator.wants_to_skip():
                return False
        return True

    def _show(self, lit: dict[str, Rgb], seconds: float) -> None:
        frame = self._limited(lit)
        self.lights.show(frame)
        self.operator.look(frame, seconds)

    def _limited(self, lit: dict[str, Rgb]) -> LightFrame:
        """Return the frame with these lights, dimmed to what the supply allows."""
        return self.dim(LightFrame(lit))

    def _measured(self, voltage: _Voltage) -> list[str]:
        """Return the faults of the power that were measured in this step."""
        faults = voltage.faults()
        if POWER in self.drops and not faults:
            faults.append(f"meanwhile {self.drops[POWER]}")
        if PICO in self.drops:
            faults.append(
                f"the Pico was lost meanwhile ({self.drops[PICO]}): its voltage fell, or its cable is loose; "
                "feed it by USB, and the lights from a supply of their own with a common ground"
            )
        return faults

    def _explained(self, step: Step, answer: str) -> str:
        """Return what the operator saw and what it means; for other colours, the order to write."""
        if not answer or step.pattern is Pattern.GROUP:
            return answer
        for chain in self.layout.chains:
            order = seen_order(chain, answer) if chain.name == step.chain else None
            if order is not None and "W" in order[:-1]:
                return (
                    f"{answer}: these lights want the order {order}; only those with white last can be used"
                )
            if order is not None:
                return f'{answer}: write order = "{order}" into the chain {chain.name} of the layout'
        return f"{answer}: {GUIDES[step.pattern].otherwise}"

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
                        self.lost[part] = self.drops[part] = message
                    case PartBack(part):
                        self.lost.pop(part, None)
                    case _:
                        pass  # a tag was taken off
                seconds = 0
        except Empty:
            return


class _Voltage:
    """The undervoltage flags of the Pi before and during a step."""

    def __init__(self, power: Callable[[], Reading | None]) -> None:
        self._power = power
        power()  # clears the flag of the past where it can be cleared
        self._before = power()
        self._low = False

    @property
    def is_known(self) -> bool:
        """Whether this machine reports its voltage."""
        return self._before is not None

    def poll(self) -> None:
        """Read the flags."""
        now = self._power()
        if now is not None and self._before is not None:
            happened = now.undervoltage_since and not self._before.undervoltage_since
            self._low = self._low or now.undervoltage or happened

    def faults(self) -> list[str]:
        """Return what was wrong with the voltage, if anything."""
        self.poll()
        if not self._low or self._before is None:
            return []
        when = "before the lights were on" if self._before.undervoltage else "while all lights were white"
        return [f"{when}: {FAULTS[POWER][1]}"]


def _and(names: Iterable[str]) -> str:
    return " and ".join(names)
