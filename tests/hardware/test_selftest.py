"""The walk through a table: every light shown, every button and reader asked for, and a true report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import pytest
from click.testing import CliRunner

from device.commands.cli import azul_table
from device.commands.selftest import AtTerminal
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
    LayTag,
    Outcome,
    PressButton,
    Report,
    Result,
    ShowLights,
    SimulatedOperator,
    Step,
    plan,
    run,
)
from hardware.drivers.open import Hardware
from hardware.drivers.pico import RECORD
from hardware.drivers.simulated import SimulatedTable
from hardware.layout.model import Layout, shipped_layouts
from hardware.power import milliamperes

from .waiting import Inbox


class Clock:
    """A clock that goes on by itself, so that nothing is waited for."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.05
        return self.now


class Hands:
    """A person of whom tests say how each step goes: `doing` a step puts events, `judging` tells faults."""

    def __init__(self, events: Inbox) -> None:
        self.events = events
        self.doing: dict[str, list[HardwareEvent]] = {}
        self.judging: dict[str, list[str | None]] = {}
        self.skipping: set[str] = set()
        self.frames: list[LightFrame] = []
        self.missed: dict[str, int] = {}
        self._name = ""

    def report_missing(self, why: str, steps: Sequence[Step]) -> None:
        self.missed[why] = len(steps)

    def begin(self, step: Step) -> None:
        match step:
            case PressButton(name):
                usual: list[HardwareEvent] = [ButtonPressed(name, 0.0)]
            case LayTag(name):
                usual = [TagArrived(name, "A", 0.0)]
            case ShowLights(name):
                usual = []
        self._name = name
        for event in self.doing.get(name, usual):
            self.events.put(event)

    def look(self, frame: LightFrame, seconds: float) -> None:
        self.frames.append(frame)

    def judge(self, step: ShowLights) -> str | None:
        judged = self.judging.get(step.part)
        return judged.pop(0) if judged else ""

    def wants_to_skip(self) -> bool:
        return self._name in self.skipping


@pytest.fixture
def hands() -> Hands:
    return Hands(SimpleQueue())


class NoLights:
    def show(self, frame: LightFrame) -> None: ...

    def close(self) -> None: ...


def walked(layout: Layout, hands: Hands) -> dict[str, Result]:
    report = run(layout, NoLights(), hands.events, hands, "today", 3.0, Clock(), poll=0.001)
    return {result.part: result for result in report.results}


@pytest.mark.parametrize("name", shipped_layouts())
def test_every_light_button_and_reader_has_its_step(name: str, full: Layout, duo: Layout) -> None:
    layout = {"full": full, "duo": duo}.get(name, full)
    steps = plan(layout)
    lights = Counter(light for step in steps if isinstance(step, ShowLights) for light in step.lights)
    assert lights == Counter(light.name for light in layout.lights)
    assert [step.button for step in steps if isinstance(step, PressButton)] == [
        it.name for it in layout.buttons
    ]
    assert [step.reader for step in steps if isinstance(step, LayTag)] == [it.name for it in layout.readers]
    kinds = [type(step) for step in steps]
    assert kinds == sorted(kinds, key=[ShowLights, PressButton, LayTag].index)


def test_lights_are_walked_part_by_part_and_buttons_are_shown_by_their_lights(duo: Layout) -> None:
    steps = plan(duo)
    assert steps[0] == ShowLights("display.1", tuple(f"display.1.{place}" for place in range(1, 5)))
    assert {step.part for step in steps if isinstance(step, ShowLights)} >= {
        "centre",
        "seat.2.wall",
        "status",
    }
    places = {step.button: step.lights for step in steps if isinstance(step, PressButton)}
    assert places["seat.1.line.2"] == ("seat.1.line.2.1", "seat.1.line.2.2")
    assert places["ok"] == ("status",)
    assert len(places["centre"]) == 16


def test_a_table_that_is_right(duo: Layout, hands: Hands) -> None:
    results = walked(duo, hands)
    assert {result.outcome for result in results.values()} == {Outcome.FINE}
    assert len(results) == len(plan(duo))


def test_each_light_is_shown_alone_then_all_of_its_part_in_three_colours(duo: Layout, hands: Hands) -> None:
    small = replace(duo, supply=replace(duo.supply, amperes=0.5))
    walked(small, hands)
    alone = Counter(light for frame in hands.frames if len(frame.lit) == 1 for light in frame.lit)
    assert alone.keys() == {light.name for light in duo.lights}
    together = [set(frame.lit.values()) for frame in hands.frames if "seat.1.wall.1.1" in frame.lit][1:]
    assert [[channel > 0 for channel in colour] for (colour,) in together] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]
    assert all(milliamperes(frame, small.supply) <= small.supply.budget for frame in hands.frames)


def test_lights_that_are_wrong_and_lights_that_are_to_be_seen_again(duo: Layout, hands: Hands) -> None:
    hands.judging["centre"] = [None, "red and green are swapped"]
    results = walked(duo, hands)
    assert results["centre"] == Result("centre", Outcome.WRONG, "red and green are swapped")
    assert sum("centre.1" in frame.lit and len(frame.lit) == 1 for frame in hands.frames) == 2


def test_buttons_whose_wires_are_swapped(duo: Layout, hands: Hands) -> None:
    hands.doing["ok"] = [ButtonPressed("undo", 0.0)]
    hands.doing["undo"] = [ButtonPressed("ok", 0.0), ButtonPressed("undo", 0.0)]
    hands.skipping.add("ok")
    results = walked(duo, hands)
    assert results["button.ok"].outcome is Outcome.WRONG
    assert results["button.ok"].message == "undo answered instead; are wires swapped?"
    assert results["button.undo"].message == "ok answered as well; are wires swapped?"


def test_a_button_that_does_not_answer(duo: Layout, hands: Hands) -> None:
    hands.doing["display.3"] = []
    assert walked(duo, hands)["button.display.3"] == Result(
        "button.display.3", Outcome.WRONG, "no answer within 3 seconds"
    )


def test_a_reader_that_is_skipped(duo: Layout, hands: Hands) -> None:
    hands.doing["shared"] = []
    hands.skipping.add("shared")
    assert walked(duo, hands)["reader.shared"] == Result("reader.shared", Outcome.SKIPPED)


def test_parts_that_are_lost_are_told_with_the_reason(duo: Layout, hands: Hands) -> None:
    hands.events.put(PartLost("lights", Loss.ABSENT, "no strip", 0.0))
    hands.doing["seat.1.line.1"] = [
        PartLost("reader.shared", Loss.SILENT, "deaf", 0.0),
        PartBack("lights", 0.0),
    ]
    hands.doing["shared"] = []
    hands.skipping |= {"seat.1.line.1", "shared"}
    results = walked(duo, hands)
    assert results["centre"] == Result("centre", Outcome.LOST, "no strip")
    assert results["button.seat.1.line.1"].outcome is Outcome.SKIPPED
    assert results["reader.shared"] == Result("reader.shared", Outcome.LOST, "deaf")


def test_what_is_not_there_is_told_first_and_not_asked_about(duo: Layout, hands: Hands) -> None:
    """Without any hardware it asked whether lights were right that nobody could see."""
    hands.events.put(PartLost("lights", Loss.ABSENT, "no strip", 0.0))
    hands.events.put(PartLost("reader.shared", Loss.ABSENT, "no reader", 0.0))
    hands.judging = {
        step.part: ["nobody is to be asked"] for step in plan(duo) if isinstance(step, ShowLights)
    }
    report = run(duo, NoLights(), hands.events, hands, "today", 3.0, Clock(), poll=0.001, settle=0.2)
    walks = sum(isinstance(step, ShowLights) for step in plan(duo))
    assert hands.missed == {"no strip": walks, "no reader": 1}
    told = {result.part: result for result in report.results}
    assert told["centre"] == Result("centre", Outcome.LOST, "no strip")
    assert told["reader.shared"] == Result("reader.shared", Outcome.LOST, "no reader")
    assert told["button.ok"].outcome is Outcome.FINE


def test_a_pico_that_is_not_there_takes_all_that_hangs_on_it(full: Layout, duo: Layout, hands: Hands) -> None:
    hands.events.put(PartLost("pico", Loss.ABSENT, "no Pico", 0.0))
    run(full, NoLights(), hands.events, hands, "today", 3.0, Clock(), poll=0.001, settle=0.2)
    assert hands.missed == {"no Pico": len(plan(full))}
    hands.missed.clear()
    hands.events.put(PartLost("pico", Loss.ABSENT, "no Pico", 0.0))
    run(duo, NoLights(), hands.events, hands, "today", 3.0, Clock(), poll=0.001, settle=0.2)
    assert hands.missed == {}, "nothing of this table hangs on a Pico"


def test_the_command_without_any_hardware_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.commands.selftest.SETTLE", 0.1)
    monkeypatch.setattr(
        "device.commands.selftest.open_hardware",
        lambda layout, put: (put(PartLost("pico", Loss.ABSENT, "no Pico", 0.0)), Hardware(None, None))[1],
    )
    status, told = selftest("--layout", "full")
    assert status == 1
    assert told.startswith("338 lights, 36 buttons and 5 readers can't be tested: no Pico\nNothing is left")
    assert "[1/" not in told and "right?" not in told


def test_what_was_pressed_before_it_was_asked_for_does_not_count(duo: Layout, hands: Hands) -> None:
    hands.doing["display.1"] = [ButtonPressed("display.1", 0.0), ButtonPressed("display.2", 0.0)]
    hands.doing["display.2"] = []
    assert walked(duo, hands)["button.display.2"].outcome is Outcome.WRONG


def test_a_report_in_words_and_in_json() -> None:
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


# On the simulated table


def test_simulated_hands_see_what_is_wrong(duo: Layout) -> None:
    class Blind(SimulatedTable):
        """A table one of whose lights is dead, and one of whose buttons is not connected."""

        def show(self, frame: LightFrame) -> None:
            super().show(LightFrame({name: it for name, it in frame.lit.items() if name != "centre.3"}))

        def press(self, button: str) -> None:
            if button == "undo":
                return
            super().press(button)

    table = Blind(duo)
    events: Inbox = SimpleQueue()
    table.start(events.put)
    report = run(duo, table, events, SimulatedOperator(table), "today", 1.0, Clock(), poll=0.001)
    bad = {result.part: result for result in report.results if result.outcome is not Outcome.FINE}
    assert bad.keys() == {"centre", "button.undo"}
    assert "centre.3" in bad["centre"].message


def selftest(*arguments: str, typed: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(azul_table, ["selftest", *arguments], input=typed)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.mark.parametrize("layout", ["full", "duo"])
def test_the_command_on_the_simulated_table(layout: str, tmp_path: Path) -> None:
    kept = tmp_path / "report.json"
    status, told = selftest("--layout", layout, "--simulate", "table", "--report", str(kept))
    assert status == 0
    assert "parts are fine" in told
    report = json.loads(kept.read_text())
    assert report["fine"] and report["layout"] == layout


def test_a_report_as_text(tmp_path: Path) -> None:
    kept = tmp_path / "report.txt"
    selftest("--layout", "duo", "--simulate", "table", "--report", str(kept))
    assert "fine     button.ok\n" in kept.read_text()


def test_a_report_that_can_not_be_kept_is_told_before_the_walk(tmp_path: Path) -> None:
    status, told = selftest("--simulate", "table", "--report", str(tmp_path / "none/report.txt"))
    assert status == 1
    assert told.endswith("can't be written: No such file or directory\n")


def test_a_layout_that_is_none() -> None:
    status, told = selftest("--layout", "fool")
    assert status == 1 and "there is no layout" in told


def test_hardware_that_can_not_be_opened_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes over the Pico's line could not be kept where somebody wanted it: that was a traceback."""
    monkeypatch.setenv(RECORD, str(tmp_path))
    status, told = selftest("--layout", "full")
    assert status == 1 and told == f"{RECORD}: {tmp_path} can't be written: Is a directory\n"


@pytest.mark.parametrize(
    ("typed", "judged"),
    [("y\n", ""), ("\n", ""), ("a\n", None), ("n\nall dark\n", "all dark"), ("x\nn\n\n", "it was wrong")],
)
def test_answers_at_the_terminal(typed: str, judged: str | None) -> None:
    import click

    @click.command()
    def ask() -> None:
        person = AtTerminal(9, "duo")
        step = ShowLights("centre", ("centre.1", "centre.2"))
        person.begin(step)
        click.echo(repr(person.judge(step)))

    told = CliRunner().invoke(ask, input=typed).output
    assert told.startswith("[1/9] centre: 2 lights one after another, then all red, green, blue\n")
    assert told.endswith(f"{judged!r}\n")


def test_a_table_that_refuses_a_frame_says_why(duo: Layout, hands: Hands) -> None:
    class Refusing(NoLights):
        def show(self, frame: LightFrame) -> None:
            raise HardwareError("no")

    with pytest.raises(HardwareError):
        run(duo, Refusing(), hands.events, hands, "today", 1.0, Clock(), poll=0.001)
