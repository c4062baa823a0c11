"""The wiring diagrams say what the layouts say: every wire, nothing more and nothing less."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hardware.layout.checks import CONTROLLERS
from hardware.layout.model import Layout, read_layout
from hardware.papers.__main__ import ORDER
from hardware.papers.power_feeds import FUSES, feeds, main_fuse, on_the_pi, supply_amperes
from hardware.papers.wiring import PLACES, POWER_PINS, check_of, drawn_from

from .wires import (
    BOARDS,
    WIRING,
    Wire,
    button_wires,
    data_wires,
    harness,
    pins,
    power_wires,
    reader_wires,
    wires,
)

SUBJECTS: dict[str, Callable[[Layout], Iterator[Wire]]] = {
    "data": data_wires,
    "power": power_wires,
    "buttons": button_wires,
    "readers": reader_wires,
}
DIAGRAMS = [f"{name}-{subject}" for name in ORDER for subject in SUBJECTS]

each_layout = pytest.mark.parametrize("name", ORDER)


def told(found: Counter[Wire]) -> list[str]:
    return sorted(" to ".join(sorted(wire)) for wire in found)


def components(harness: Any) -> Counter[str]:
    """What is built in besides, by its name."""
    found: Counter[str] = Counter()
    for it in (*harness.connectors.values(), *harness.cables.values()):
        for component in it.additional_components:
            found[component.type] += int(component.qty)
    return found


def boards(name: str) -> list[dict[int, str]]:
    """The pins of a layout's board in each of its diagrams, by their places."""
    drawn = [harness(f"{name}-{subject}") for subject in SUBJECTS]
    board = BOARDS[read_layout(name).controller]
    return [pins(it, board) for it in drawn if board in it.connectors]


def test_every_layout_has_every_diagram_and_no_other_is_there() -> None:
    assert sorted(path.stem for path in WIRING.glob("*.yaml")) == sorted(DIAGRAMS)
    assert sorted(path.stem for path in WIRING.glob("*.png")) == sorted(DIAGRAMS)


@each_layout
@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_diagram_has_the_wires_of_its_layout_and_no_others(name: str, subject: str) -> None:
    wanted = Counter(SUBJECTS[subject](read_layout(name)))
    found = wires(harness(f"{name}-{subject}"))
    assert told(found - wanted) == []
    assert told(wanted - found) == []


@each_layout
def test_a_board_names_its_pins_at_their_places(name: str) -> None:
    controller = read_layout(name).controller
    printed = {place: CONTROLLERS[controller].name(pin) for pin, place in PLACES[controller].items()}
    printed.update(POWER_PINS[controller])
    for found in boards(name):
        assert found.items() <= printed.items()


@each_layout
def test_every_pin_of_a_board_is_wired_once_at_most(name: str) -> None:
    """A pin in two diagrams would be two things; of ground there are several pins to choose from."""
    used = [place for found in boards(name) for place in found]
    assert [place for place, times in Counter(used).items() if times > 1] == []


@each_layout
def test_a_diode_at_every_crossing_of_a_matrix(name: str) -> None:
    crossed = sum(not isinstance(button.switch, int) for button in read_layout(name).buttons)
    assert components(harness(f"{name}-buttons")).total() == crossed


@each_layout
def test_a_resistor_and_capacitors_for_every_chain(name: str) -> None:
    layout = read_layout(name)
    chains = len(layout.chains)
    assert components(harness(f"{name}-data")) == {
        "330 ohm resistor": chains,
        "100 nF capacitor from VCC to GND": -(-chains // 4),
    }
    assert components(harness(f"{name}-power")) == {"1000 uF capacitor at its first light": chains}


@each_layout
def test_two_resistors_for_every_reader(name: str) -> None:
    assert components(harness(f"{name}-readers")).total() == 2 * len(read_layout(name).readers)


@each_layout
def test_power_wires_are_as_thick_as_their_fuses_want(name: str) -> None:
    layout = read_layout(name)
    drawn = harness(f"{name}-power")
    gauges = {cable.name: float(cable.gauge) for cable in drawn.cables.values()}
    wanted = {f"Feed {number}": feed.wire for number, feed in enumerate(feeds(layout), 1)}
    main = ["Main", "Main 0 V"] if on_the_pi(layout) else ["Main", "Main 0 V", "Main from fuse"]
    assert gauges == wanted | dict.fromkeys(main, FUSES[main_fuse(layout)])
    assert drawn.connectors["Main fuse"].type == f"blade fuse {main_fuse(layout):g} A"
    if not on_the_pi(layout):
        assert drawn.connectors["Supply"].type == f"5 V supply of {supply_amperes(layout):g} A"


@each_layout
def test_chains_are_as_long_as_drawn(name: str) -> None:
    for subject in ("data", "power"):
        drawn = harness(f"{name}-{subject}")
        for chain in read_layout(name).chains:
            assert drawn.connectors[chain.name].type == f"chain of {chain.pixels} lights"


@pytest.mark.parametrize("diagram", DIAGRAMS)
def test_a_picture_is_drawn_from_its_file_as_it_is_now(diagram: str) -> None:
    """If not: `make diagrams`."""
    assert drawn_from(WIRING / f"{diagram}.png") == check_of(WIRING / f"{diagram}.yaml")


@pytest.mark.parametrize("diagram", DIAGRAMS)
def test_a_file_says_at_its_head_which_layout_it_is_of(diagram: str) -> None:
    text = (WIRING / f"{diagram}.yaml").read_text("utf-8")
    assert re.match(rf"#.*`{diagram.partition('-')[0]}`", text)
