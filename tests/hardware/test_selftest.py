"""Self-test: every light, button and reader is tested, and reported."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from device.commands.cli import azul_table
from device.commands.selftest import AtTerminal, Terms
from hardware.api import (
    ButtonPressed,
    HardwareError,
    HardwareEvent,
    LightFrame,
    Loss,
    PartBack,
    PartLost,
    TagArrived,
)
from hardware.diagnostics.selftest import (
    RAMP_SECONDS,
    WHITE_SECONDS,
    Outcome,
    Pattern,
    Report,
    Result,
    SimulatedOperator,
    Step,
    plan,
    run,
    seen_order,
)
from hardware.drivers.health import Reading
from hardware.drivers.open import Hardware
from hardware.drivers.pico import RECORD
from hardware.drivers.simulated import SimulatedTable
from hardware.layout.model import Chain, Layout, shipped_layouts
from hardware.power import CurrentLimiter

from .waiting import Inbox


class Clock:
    """A clock that advances at every reading, so that no test waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.05
        return self.now


class FakeOperator:
    """An operator whose answers to each step are set by the tests: events and judgements by part."""

    def __init__(self, events: Inbox) -> None:
        self.events = events
        self.events_of: dict[str, list[HardwareEvent]] = {}
        self.judgements: dict[str, list[str | None]] = {}
        self.skipped: set[str] = set()
        self.frames: list[LightFrame] = []
        self.frames_of: dict[str, list[LightFrame]] = {}
        self.missing: dict[str, int] = {}
        self._name = ""

    def report_missing(self, reason: str, steps: Sequence[Step]) -> None:
        self.missing[reason] = len(steps)

    def begin(self, step: Step) -> None:
        usual: dict[str, list[HardwareEvent]] = {
            "lights": [],
            "buttons": [ButtonPressed(step.name, 0.0)],
            "readers": [TagArrived(step.name, "A", 0.0)],
        }
        self._name = step.name
        for event in self.events_of.get(step.name, usual[step.kind]):
            self.events.put(event)

    def look(self, frame: LightFrame, seconds: float) -> None:
        self.frames.append(frame)
        self.frames_of.setdefault(self._name, []).append(frame)

    def judge(self, step: Step) -> str | None:
        answers = self.judgements.get(step.part)
        return answers.pop(0) if answers else ""

    def wants_to_skip(self) -> bool:
        return self._name in self.skipped


@pytest.fixture
def operator() -> FakeOperator:
    return FakeOperator(SimpleQueue())


class NoLights:
    def show(self, frame: LightFrame) -> None: ...

    def close(self) -> None: ...


class Voltage:
    """The Pi's readings: those given, one after another, then the last one again and again."""

    def __init__(self, *readings: Reading | None) -> None:
        self._readings = list(readings)

    def __call__(self) -> Reading | None:
        return self._readings.pop(0) if len(self._readings) > 1 else self._readings[0]


def results_of(layout: Layout, operator: FakeOperator, *readings: Reading | None) -> dict[str, Result]:
    power = Voltage(*readings or (None,))
    report = run(
        layout, NoLights(), operator.events, operator, "today", 3.0, Clock(), poll=0.001, power=power
    )
    return {result.part: result for result in report.results}


def lit(step: Step) -> tuple[str, ...]:
    """Return the lights that a step tests."""
    return step.lights if step.kind == "lights" else ()


@pytest.mark.parametrize("name", shipped_layouts())
def test_every_light_button_and_reader_has_its_step(name: str, full: Layout, duo: Layout) -> None:
    layout = {"full": full, "duo": duo}.get(name, full)
    steps = plan(layout)
    everything = Counter(light.name for light in layout.lights)
    for pattern in Pattern:
        assert (
            Counter(light for step in steps if step.pattern is pattern for light in lit(step)) == everything
        )
    assert [step.name for step in steps if step.kind == "buttons"] == [it.name for it in layout.buttons]
    assert [step.name for step in steps if step.kind == "readers"] == [it.name for it in layout.readers]
    kinds = [step.kind for step in steps]
    assert kinds == sorted(kinds, key=["lights", "buttons", "readers"].index)


def test_lights_are_shown_by_groups_and_buttons_by_their_lights(duo: Layout) -> None:
    steps = [step for step in plan(duo) if step.pattern is Pattern.GROUP]
    assert steps[0] == Step("lights", "display.1", tuple(f"display.1.{place}" for place in range(1, 5)))
    assert {step.part for step in steps if step.kind == "lights"} >= {
        "centre",
        "seat.2.wall",
        "status",
    }
    places = {step.name: step.lights for step in steps if step.kind == "buttons"}
    assert places["seat.1.line.2"] == ("seat.1.line.2.1", "seat.1.line.2.2")
    assert places["ok"] == ("status",)
    assert len(places["centre"]) == 16


def test_a_table_without_faults_is_fine(duo: Layout, operator: FakeOperator) -> None:
    results = results_of(duo, operator)
    assert {result.outcome for result in results.values()} == {Outcome.FINE}
    assert len(results) == len(plan(duo))


def test_each_light_is_shown_alone_and_each_group_in_three_colours(
    duo: Layout, operator: FakeOperator
) -> None:
    small = replace(duo, supply=replace(duo.supply, amperes=0.5))
    results_of(small, operator)
    alone = {light for frame in operator.frames if len(frame.lit) == 1 for light in frame.lit}
    assert alone == {light.name for light in duo.lights}
    wall = operator.frames_of["seat.1.wall"]
    together = [set(frame.lit.values()) for frame in wall if "seat.1.wall.1.1" in frame.lit][1:]
    assert [[channel > 0 for channel in colour] for (colour,) in together] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]
    assert all(CurrentLimiter(small).milliamperes(frame) <= small.supply.budget for frame in operator.frames)
    assert operator.frames_of["white"], "full white, too"


def test_lights_are_judged_and_shown_again_on_request(duo: Layout, operator: FakeOperator) -> None:
    operator.judgements["centre"] = [None, "red and green are swapped"]
    results = results_of(duo, operator)
    assert results["centre"] == Result("centre", Outcome.WRONG, "red and green are swapped")
    shown = operator.frames_of["centre"]
    assert sum("centre.1" in frame.lit and len(frame.lit) == 1 for frame in shown) == 2


def test_swapped_buttons_are_wrong(duo: Layout, operator: FakeOperator) -> None:
    operator.events_of["ok"] = [ButtonPressed("undo", 0.0)]
    operator.events_of["undo"] = [*[ButtonPressed("ok", 0.0)] * 2, ButtonPressed("undo", 0.0)]
    operator.skipped.add("ok")
    results = results_of(duo, operator)
    assert results["button.ok"].outcome is Outcome.WRONG
    assert results["button.ok"].message == "undo answered instead; are wires swapped?"
    assert results["button.undo"].message == "ok answered as well; are wires swapped?"


def test_a_button_without_an_answer_is_wrong(duo: Layout, operator: FakeOperator) -> None:
    operator.events_of["display.3"] = []
    assert results_of(duo, operator)["button.display.3"] == Result(
        "button.display.3", Outcome.WRONG, "no answer within 3 seconds"
    )


def test_a_reader_can_be_skipped(duo: Layout, operator: FakeOperator) -> None:
    operator.events_of["shared"] = []
    operator.skipped.add("shared")
    assert results_of(duo, operator)["reader.shared"] == Result("reader.shared", Outcome.SKIPPED)


def test_lost_parts_are_reported_with_the_reason(duo: Layout, operator: FakeOperator) -> None:
    operator.events.put(PartLost("lights", Loss.ABSENT, "no strip", 0.0))
    operator.events_of["seat.1.line.1"] = [
        PartLost("reader.shared", Loss.SILENT, "deaf", 0.0),
        PartBack("lights", 0.0),
    ]
    operator.events_of["shared"] = []
    operator.skipped |= {"seat.1.line.1", "shared"}
    results = results_of(duo, operator)
    assert results["centre"] == Result("centre", Outcome.LOST, "no strip")
    assert results["button.seat.1.line.1"].outcome is Outcome.SKIPPED
    assert results["reader.shared"] == Result("reader.shared", Outcome.LOST, "deaf")


def test_a_part_that_is_back_is_tested(duo: Layout, operator: FakeOperator) -> None:
    operator.events.put(PartLost("lights", Loss.ABSENT, "no strip", 0.0))
    operator.events.put(PartBack("lights", 0.0))
    assert {result.outcome for result in results_of(duo, operator).values()} == {Outcome.FINE}


def test_missing_parts_are_reported_first_and_not_tested(duo: Layout, operator: FakeOperator) -> None:
    """Without hardware it asked whether invisible lights were right."""
    operator.events.put(PartLost("lights", Loss.ABSENT, "no strip", 0.0))
    operator.events.put(PartLost("reader.shared", Loss.ABSENT, "no reader", 0.0))
    operator.judgements = {step.part: ["must not be asked"] for step in plan(duo) if step.kind == "lights"}
    report = run(duo, NoLights(), operator.events, operator, "today", 3.0, Clock(), poll=0.001, settle=0.2)
    groups = sum(step.kind == "lights" for step in plan(duo))
    assert operator.missing == {"no strip": groups, "no reader": 1}
    text = {result.part: result for result in report.results}
    assert text["centre"] == Result("centre", Outcome.LOST, "no strip")
    assert text["reader.shared"] == Result("reader.shared", Outcome.LOST, "no reader")
    assert text["button.ok"].outcome is Outcome.FINE


def test_a_missing_pico_takes_all_parts_that_are_wired_to_it(
    full: Layout, duo: Layout, operator: FakeOperator
) -> None:
    operator.events.put(PartLost("pico", Loss.ABSENT, "no Pico", 0.0))
    run(full, NoLights(), operator.events, operator, "today", 3.0, Clock(), poll=0.001, settle=0.2)
    assert operator.missing == {"no Pico": len(plan(full))}
    operator.missing.clear()
    operator.events.put(PartLost("pico", Loss.ABSENT, "no Pico", 0.0))
    run(duo, NoLights(), operator.events, operator, "today", 3.0, Clock(), poll=0.001, settle=0.2)
    assert operator.missing == {}, "nothing of this table is wired to a Pico"


def test_the_command_without_hardware_asks_nothing() -> None:
    def lost(_layout: Layout, put: Callable[[HardwareEvent], None]) -> Hardware:
        put(PartLost("pico", Loss.ABSENT, "no Pico", 0.0))
        return Hardware(None, None)

    status, text = selftest("--layout", "full", terms=Terms(lost, settle=0.1))
    assert status == 1
    assert text.startswith("338 lights, 36 buttons and 5 readers can't be tested: no Pico\nNothing is left")
    assert "[1/" not in text and "right?" not in text


def test_a_press_before_its_step_does_not_count(duo: Layout, operator: FakeOperator) -> None:
    operator.events_of["display.1"] = [ButtonPressed("display.1", 0.0), ButtonPressed("display.2", 0.0)]
    operator.events_of["display.2"] = []
    assert results_of(duo, operator)["button.display.2"].outcome is Outcome.WRONG


def test_a_report_as_text_and_as_json() -> None:
    results = (
        Result("centre", Outcome.FINE),
        Result("button.ok", Outcome.WRONG, "nothing came"),
        Result("reader.shared", Outcome.SKIPPED),
    )
    report = Report("duo", "today", results)
    assert report.to_text().splitlines() == [
        "Self-test of the layout duo, today",
        "wrong    button.ok: nothing came",
        "skipped  reader.shared",
        "1 of 3 parts are fine.",
    ]
    assert not report.fine
    assert json.loads(json.dumps(report.to_json()))["results"][1] == {
        "part": "button.ok",
        "outcome": "wrong",
        "told": "nothing came",
    }
    assert Report("duo", "today", results[:1]).fine


# --- Patterns ---


def test_the_first_steps_show_what_no_program_can_measure(duo: Layout, full: Layout) -> None:
    assert [step.part for step in plan(duo)][:4] == ["colours of lights", "ramp", "white", "display.1"]
    chains = [step for step in plan(full) if step.pattern is Pattern.COLOURS]
    assert [step.chain for step in chains] == [chain.name for chain in full.chains]
    assert all(len(step.lights) == chain.pixels for step, chain in zip(chains, full.chains, strict=True))


def test_all_lights_of_a_chain_show_one_colour_after_another(duo: Layout, operator: FakeOperator) -> None:
    results_of(duo, operator)
    frames = [frame for frame in operator.frames_of["colours of lights"] if frame.lit]
    assert {len(frame.lit) for frame in frames} == {len(duo.lights)}
    shown = list(dict.fromkeys(colour for frame in frames for colour in frame.lit.values()))
    assert [[channel > 0 for channel in colour] for colour in shown] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]


def test_lights_with_a_white_channel_show_it_as_well(duo: Layout, operator: FakeOperator) -> None:
    (chain,) = duo.chains
    rgbw = replace(duo, chains=(replace(chain, order="GRBW"),))
    operator.judgements["colours of lights"] = ["green red blue white"]
    results = results_of(rgbw, operator)
    last = [frame for frame in operator.frames_of["colours of lights"] if frame.lit][-1]
    red, green, blue = last.lit["status"]
    assert red == green == blue > 0
    assert 'order = "RGBW"' in results["colours of lights"].message


def test_lights_with_white_in_another_place_can_not_be_used(duo: Layout, operator: FakeOperator) -> None:
    (chain,) = duo.chains
    operator.judgements["colours of lights"] = ["white red blue green"]
    results = results_of(replace(duo, chains=(replace(chain, order="GRBW"),)), operator)
    assert "only those with white last" in results["colours of lights"].message


@pytest.mark.parametrize(
    ("order", "answer", "seen"),
    [
        ("GRB", "green red blue", "RGB"),
        ("GRB", "Green, red and blue", None),
        ("GRB", "grb", "RGB"),
        ("RGB", "green, red, blue", "GRB"),
        ("RGB", "b r g", "BRG"),
        ("GRB", "blue red green", "RBG"),
        ("BGR", "green blue red", "RBG"),
        ("GRB", "red green blue", None),
        ("GRB", "green green blue", None),
        ("GRB", "all dark", None),
        ("GRB", "it was wrong", None),
        ("GRB", "", None),
        ("GRBW", "white red blue green", "RWBG"),
        ("GRBW", "green red blue", None),
    ],
)
def test_the_order_of_colours_follows_from_what_was_seen(order: str, answer: str, seen: str | None) -> None:
    chain = Chain("lights", 10, 174, order)  # type: ignore[arg-type]
    assert seen_order(chain, answer) == seen


@given(st.permutations("RGBW"), st.permutations("RGBW"))
def test_the_order_that_is_found_shows_the_right_colours(written: list[str], real: list[str]) -> None:
    """A light shows the channel that it has at the position where another one was sent."""
    chain = Chain("lights", 10, 1, "".join(written))  # type: ignore[arg-type]
    answer = "".join(real[written.index(channel)] for channel in "RGBW").lower()
    assert seen_order(chain, answer) == (None if written == real else "".join(real))


def test_wrong_colours_name_the_order_to_write(duo: Layout, operator: FakeOperator) -> None:
    operator.judgements["colours of lights"] = ["green red blue"]
    result = results_of(duo, operator)["colours of lights"]
    assert result.outcome is Outcome.WRONG
    assert result.message == 'green red blue: write order = "RGB" into the chain lights of the layout'


@pytest.mark.parametrize(
    ("part", "cause"),
    [("ramp", "74AHCT125"), ("white", "supply is too weak"), ("colours of lights", "resistor")],
)
def test_a_wrong_pattern_says_what_it_may_mean(
    duo: Layout, operator: FakeOperator, part: str, cause: str
) -> None:
    operator.judgements[part] = ["it flickers"]
    result = results_of(duo, operator)[part]
    assert result.outcome is Outcome.WRONG
    assert result.message.startswith("it flickers: ") and cause in result.message


def test_the_ramp_rises_slowly_to_what_the_supply_allows(duo: Layout, operator: FakeOperator) -> None:
    clock = Clock()
    start = clock.now
    run(duo, NoLights(), operator.events, operator, "today", 3.0, clock, poll=0.001, power=lambda: None)
    frames = operator.frames_of["ramp"]
    levels = [frame.colour("status")[0] for frame in frames if frame.lit]
    assert levels == sorted(levels) and levels[0] < 3
    assert max(now - before for before, now in pairwise(levels)) < 5
    assert all(len(set(frame.lit.values())) <= 1 for frame in frames)
    brightest = max(CurrentLimiter(duo).milliamperes(frame) for frame in frames)
    assert 0.97 * duo.supply.budget < brightest <= duo.supply.budget
    assert clock.now - start > RAMP_SECONDS + WHITE_SECONDS


def test_full_white_is_as_bright_as_the_supply_allows(duo: Layout, operator: FakeOperator) -> None:
    results_of(duo, operator)
    white = next(frame for frame in operator.frames_of["white"] if frame.lit)
    assert len(white.lit) == len(duo.lights)
    assert 0.97 * duo.supply.budget < CurrentLimiter(duo).milliamperes(white) <= duo.supply.budget
    strong = replace(duo, supply=replace(duo.supply, amperes=20.0))
    operator.frames_of.clear()
    results_of(strong, operator)
    assert operator.frames_of["white"][0].colour("status") == (255, 255, 255)


FINE = Reading()
LOW = Reading(undervoltage=True, undervoltage_since=True)
PAST = Reading(undervoltage_since=True)


@pytest.mark.parametrize(
    ("readings", "text"),
    [
        ((FINE, FINE, FINE, LOW, FINE), "while all lights were white: the Pi gets less than 4.63 V"),
        ((FINE, FINE, FINE, PAST), "while all lights were white"),
        ((PAST, FINE, FINE, PAST, FINE), "while all lights were white"),
        ((LOW, LOW), "before the lights were on"),
    ],
    ids=["for a moment", "between two readings", "again", "before"],
)
def test_undervoltage_during_full_white_is_wrong(
    duo: Layout, operator: FakeOperator, readings: tuple[Reading, ...], text: str
) -> None:
    result = results_of(duo, operator, *readings)["white"]
    assert result.outcome is Outcome.WRONG
    assert result.message.startswith(text) and "own supply" in result.message


@pytest.mark.parametrize("readings", [(FINE,), (PAST,)], ids=["never", "once since the start"])
def test_a_voltage_that_stays_is_in_the_report(
    duo: Layout, operator: FakeOperator, readings: tuple[Reading, ...]
) -> None:
    result = results_of(duo, operator, *readings)["white"]
    assert result == Result("white", Outcome.FINE, "the voltage of the Pi stayed above 4.63 V")


def test_a_pico_that_restarts_during_full_white_is_wrong(full: Layout, operator: FakeOperator) -> None:
    """It is back when the person has answered."""
    operator.events_of["white"] = [
        PartLost("pico", Loss.UNPLUGGED, "the port is gone", 0.0),
        PartBack("pico", 0.0),
    ]
    result = results_of(full, operator)["white"]
    assert result.outcome is Outcome.WRONG
    assert "the Pico was lost meanwhile (the port is gone)" in result.message


def test_an_alarm_of_the_power_monitor_during_full_white_is_wrong(
    duo: Layout, operator: FakeOperator
) -> None:
    operator.events_of["white"] = [PartLost("power", Loss.VOLTAGE, "less than 4.63 V: feed it", 0.0)]
    assert results_of(duo, operator)["white"] == Result(
        "white", Outcome.WRONG, "meanwhile less than 4.63 V: feed it"
    )


def test_what_was_measured_and_what_was_seen_are_both_reported(duo: Layout, operator: FakeOperator) -> None:
    operator.judgements["white"] = ["the far end is red"]
    message = results_of(duo, operator, FINE, FINE, LOW)["white"].message
    assert "4.63 V" in message and message.endswith("; the far end is red")


@pytest.mark.parametrize("part", ["colours of lights", "ramp", "white"])
def test_a_pattern_can_be_skipped_while_it_is_shown(duo: Layout, operator: FakeOperator, part: str) -> None:
    operator.skipped.add(part)
    operator.judgements[part] = ["must not be asked"]
    assert results_of(duo, operator)[part] == Result(part, Outcome.SKIPPED)
    assert len([frame for frame in operator.frames_of[part] if frame.lit]) == 1


def test_undervoltage_in_a_skipped_step_is_reported(duo: Layout, operator: FakeOperator) -> None:
    operator.skipped.add("white")
    assert "4.63 V" in results_of(duo, operator, FINE, FINE, LOW)["white"].message


def test_a_pattern_is_shown_again_on_request(duo: Layout, operator: FakeOperator) -> None:
    operator.judgements["ramp"] = [None, ""]
    results_of(duo, operator)
    levels = [frame.colour("status")[0] for frame in operator.frames_of["ramp"]]
    assert levels.count(0) >= 2 and levels.count(max(levels)) >= 2


# --- Simulated table and command ---


def test_the_simulated_operator_finds_faults(duo: Layout) -> None:
    class FaultyTable(SimulatedTable):
        """A table with a dead light and a disconnected button."""

        def show(self, frame: LightFrame) -> None:
            super().show(LightFrame({name: it for name, it in frame.lit.items() if name != "centre.3"}))

        def press(self, button: str) -> None:
            if button == "undo":
                return
            super().press(button)

    table = FaultyTable(duo)
    events: Inbox = SimpleQueue()
    table.start(events.put)
    report = run(duo, table, events, SimulatedOperator(table), "today", 1.0, Clock(), poll=0.001)
    bad = {result.part: result for result in report.results if result.outcome is not Outcome.FINE}
    assert bad.keys() == {"colours of lights", "ramp", "white", "centre", "button.undo"}
    assert all("centre.3" in bad[part].message for part in ("ramp", "white", "centre"))
    assert table.frame == LightFrame({}), "dark at the end"


def selftest(*arguments: str, typed: str = "", terms: Terms | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(azul_table, ["selftest", *arguments], input=typed, obj=terms)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["full", "duo"])
def test_the_command_passes_on_the_simulated_table(layout: str, tmp_path: Path) -> None:
    kept = tmp_path / "report.json"
    status, text = selftest("--layout", layout, "--simulate", "table", "--report", str(kept))
    assert status == 0
    assert "parts are fine" in text
    report = json.loads(kept.read_text())
    assert report["fine"] and report["layout"] == layout


def test_the_command_writes_a_report_as_text(tmp_path: Path) -> None:
    kept = tmp_path / "report.txt"
    selftest("--layout", "duo", "--simulate", "table", "--report", str(kept))
    assert "fine     button.ok\n" in kept.read_text()


def test_a_report_file_that_can_not_be_written_is_an_error_before_the_test(tmp_path: Path) -> None:
    status, text = selftest("--simulate", "table", "--report", str(tmp_path / "none/report.txt"))
    assert status == 1
    assert text.endswith("can't be written: No such file or directory\n")


def test_an_unknown_layout_is_an_error() -> None:
    status, text = selftest("--layout", "fool")
    assert status == 1 and "there is no layout" in text


def test_hardware_that_can_not_be_opened_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record file of the link that could not be written ended with a traceback."""
    monkeypatch.setenv(RECORD, str(tmp_path))
    status, text = selftest("--layout", "full")
    assert status == 1 and text == f"{RECORD}: {tmp_path} can't be written: Is a directory\n"


@pytest.mark.parametrize(
    ("typed", "judgement"),
    [("y\n", ""), ("\n", ""), ("a\n", None), ("n\nall dark\n", "all dark"), ("x\nn\n\n", "it was wrong")],
)
def test_answers_at_the_terminal(typed: str, judgement: str | None) -> None:
    import click

    @click.command()
    def ask() -> None:
        person = AtTerminal(9, "duo")
        step = Step("lights", "centre", ("centre.1", "centre.2"))
        person.begin(step)
        click.echo(repr(person.judge(step)))

    text = CliRunner().invoke(ask, input=typed).output
    assert text.startswith("[1/9] centre: 2 lights one after another, then all red, green, blue\n")
    assert text.endswith(f"{judgement!r}\n")


def test_the_terminal_says_what_to_look_for_and_what_it_means() -> None:
    import click

    @click.command()
    def ask() -> None:
        person = AtTerminal(9, "duo")
        step = Step("lights", "colours of lights", ("status",), Pattern.COLOURS, "lights")
        person.begin(step)
        click.echo(repr(person.judge(step)))

    text = CliRunner().invoke(ask, input="n\ngrb\n").output
    assert "colours of lights: 1 light all red, then green" in text and "(Enter: skip)" in text
    assert "look for: all lights show the same colour" in text
    assert "which colours did you see, in order" in text and 'an order with "W"' in text
    assert text.endswith("'grb'\n")


def test_a_refused_frame_is_an_error(duo: Layout, operator: FakeOperator) -> None:
    class Refusing(NoLights):
        def show(self, frame: LightFrame) -> None:
            raise HardwareError("no")

    with pytest.raises(HardwareError):
        run(duo, Refusing(), operator.events, operator, "today", 1.0, Clock(), poll=0.001)
