"""Wiring diagrams: they have exactly the wires of their layouts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hardware.layout.checks import CONTROLLERS
from hardware.layout.model import Layout, read_layout
from hardware.papers.__main__ import ORDER
from hardware.papers.power_feeds import FUSES, fed_by_pi, feeds, main_fuse, supply_amperes
from hardware.papers.wiring import source_checksum, source_of

from .wires import (
    BOARDS,
    PIN_POSITIONS,
    POWER_PINS,
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


def as_text(found: Counter[Wire]) -> list[str]:
    return sorted(" to ".join(sorted(wire)) for wire in found)


def components(harness: Any) -> Counter[str]:
    """Return the number of additional components of a diagram by kind."""
    found: Counter[str] = Counter()
    for it in (*harness.connectors.values(), *harness.cables.values()):
        for component in it.additional_components:
            found[component.type] += int(component.qty)
    return found


def boards(name: str) -> list[dict[int, str]]:
    """Return the labels of the board's pins in each diagram of a layout, by their positions."""
    drawn = [harness(f"{name}-{subject}") for subject in SUBJECTS]
    board = BOARDS[read_layout(name).controller]
    return [pins(it, board) for it in drawn if board in it.connectors]


def test_every_layout_has_exactly_its_diagrams() -> None:
    assert sorted(path.stem for path in WIRING.glob("*.yaml")) == sorted(DIAGRAMS)
    assert sorted(path.stem for path in WIRING.glob("*.png")) == sorted(DIAGRAMS)


@pytest.mark.slow
@each_layout
@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_diagram_has_the_wires_of_its_layout_and_no_others(name: str, subject: str) -> None:
    wanted = Counter(SUBJECTS[subject](read_layout(name)))
    found = wires(harness(f"{name}-{subject}"))
    assert as_text(found - wanted) == []
    assert as_text(wanted - found) == []


@each_layout
def test_pins_of_a_board_have_the_labels_of_its_pinout(name: str) -> None:
    controller = read_layout(name).controller
    printed = {place: CONTROLLERS[controller].name(pin) for pin, place in PIN_POSITIONS[controller].items()}
    printed.update(POWER_PINS[controller])
    for found in boards(name):
        assert found.items() <= printed.items()


@each_layout
def test_no_pin_of_a_board_is_used_twice(name: str) -> None:
    """Ground, too: boards have several pins for it."""
    used = [place for found in boards(name) for place in found]
    assert [place for place, times in Counter(used).items() if times > 1] == []


@each_layout
def test_every_crossing_of_a_matrix_has_a_diode(name: str) -> None:
    crossed = sum(not isinstance(button.switch, int) for button in read_layout(name).buttons)
    assert components(harness(f"{name}-buttons")).total() == crossed


@each_layout
def test_every_chain_has_its_resistor_and_capacitors(name: str) -> None:
    layout = read_layout(name)
    chains = len(layout.chains)
    assert components(harness(f"{name}-data")) == {
        "330 ohm resistor": chains,
        "100 nF capacitor from VCC to GND": -(-chains // 4),
    }
    assert components(harness(f"{name}-power")) == {"1000 uF capacitor at its first light": chains}


@each_layout
def test_every_reader_has_two_resistors(name: str) -> None:
    assert components(harness(f"{name}-readers")).total() == 2 * len(read_layout(name).readers)


@each_layout
def test_power_wires_are_thick_enough_for_their_fuses(name: str) -> None:
    layout = read_layout(name)
    drawn = harness(f"{name}-power")
    gauges = {cable.name: float(cable.gauge) for cable in drawn.cables.values()}
    wanted = {f"Feed {number}": feed.wire for number, feed in enumerate(feeds(layout), 1)}
    main = ["Main", "Main 0 V"] if fed_by_pi(layout) else ["Main", "Main 0 V", "Main from fuse"]
    assert gauges == wanted | dict.fromkeys(main, FUSES[main_fuse(layout)])
    assert drawn.connectors["Main fuse"].type == f"blade fuse {main_fuse(layout):g} A"
    if not fed_by_pi(layout):
        assert drawn.connectors["Supply"].type == f"5 V supply of {supply_amperes(layout):g} A"


@each_layout
def test_chains_have_the_length_of_the_layout(name: str) -> None:
    for subject in ("data", "power"):
        drawn = harness(f"{name}-{subject}")
        for chain in read_layout(name).chains:
            assert drawn.connectors[chain.name].type == f"chain of {chain.pixels} lights"


@pytest.mark.parametrize("diagram", DIAGRAMS)
def test_every_picture_is_up_to_date(diagram: str) -> None:
    """If not: `make diagrams`."""
    assert source_of(WIRING / f"{diagram}.png") == source_checksum(WIRING / f"{diagram}.yaml")


@pytest.mark.parametrize("diagram", DIAGRAMS)
def test_every_diagram_names_its_layout_in_its_first_line(diagram: str) -> None:
    text = (WIRING / f"{diagram}.yaml").read_text("utf-8")
    assert re.match(rf"#.*`{diagram.partition('-')[0]}`", text)
