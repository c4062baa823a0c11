"""The power sum, the fuses and the parts to buy: computed from the layout, and told in the guide."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from hardware.api import LightFrame
from hardware.layout.model import read_layout
from hardware.papers.__main__ import ORDER
from hardware.papers.parts import PI_GIVES, from_pi, renewed, shopping_list
from hardware.papers.power_feeds import (
    COPPER,
    FUSE_LOAD,
    FUSES,
    MOST_DROP,
    MOST_LIGHTS,
    PI_PIN,
    SUPPLY_LOAD,
    all_white,
    drop,
    feeds,
    main_fuse,
    on_the_pi,
    reach,
    supply_amperes,
)
from hardware.papers.wiring import crossing_circuit, divider_circuit, power_circuit
from hardware.power import limit, milliamperes

from .wires import WIRING

each_layout = pytest.mark.parametrize("name", ORDER)


def amounts(name: str) -> dict[str, str]:
    return {item.part: item.amount for item in shopping_list(read_layout(name)) if item.number}


def texts(svg: str) -> list[str]:
    """All that is written in a drawing, line by line."""
    written = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(line.itertext()).strip() for text in written for line in (list(text) or [text])]


def test_parts_of_the_full_table() -> None:
    found = amounts("full")
    assert found["lights, WS2812 for 5 V"] == "338"
    assert found["diode 1N4148"] == "36"
    assert found["push button for a hole of 24 mm"] == "33"
    assert found["push button for a hole of 30 mm"] == "3"
    assert found["74AHCT125 in DIP-14"] == "2"
    assert found["blade fuses of the feeds"] == "10 of 3 A"
    assert found["power supply of the lights, 5 V"] == "1 of 14 A"
    assert found["reader RDM6300 with its antenna, 125 kHz"] == "5"
    assert found["Raspberry Pi Pico with pins"] == "1"
    assert found["tags, EM4100 125 kHz"] == "107"


def test_parts_of_the_duo_table() -> None:
    found = amounts("duo")
    assert found["lights, WS2812 for 5 V"] == "174"
    assert found["push button for a hole of 24 mm"] == "19"
    assert found["blade fuses of the feeds"] == "5 of 3 A"
    assert found["resistor 330 ohm"] == "1"
    assert not found.keys() & {"diode 1N4148", "Raspberry Pi Pico with pins", "USB cable for the Pico"}


def test_parts_of_the_smallest_table() -> None:
    """Its few lights hang on the Pi: one fuse, and no other supply."""
    found = amounts("indicators")
    assert found["lights, WS2812 for 5 V"] == "11"
    assert found["main fuse, its holder for a wire"] == "1 of 1 A"
    assert found["push button for a hole of 24 mm"] == "9"
    assert found["push button for a hole of 30 mm"] == "3"
    assert not found.keys() & {
        "power supply of the lights, 5 V",
        "block for blade fuses",
        "blade fuses of the feeds",
        "blade fuse of the level shifters",
    }


@each_layout
def test_every_button_reader_and_light_is_bought(name: str) -> None:
    layout = read_layout(name)
    numbers = {item.part: item.number for item in shopping_list(layout)}
    buttons = sum(number for part, number in numbers.items() if part.startswith("push button"))
    assert buttons == len(layout.buttons)
    assert numbers["lights, WS2812 for 5 V"] == sum(chain.pixels for chain in layout.chains)
    assert numbers["resistor 1 kOhm"] == numbers["resistor 2 kOhm"] == len(layout.readers)


def test_fuses_that_are_not_alike_are_all_named() -> None:
    layout = read_layout("full")
    (first, *others) = layout.chains
    shorter = replace(layout, chains=(replace(first, pixels=20), *others))
    (fuses,) = (item for item in shopping_list(shorter) if item.part == "blade fuses of the feeds")
    assert fuses.amount == "9 (1 of 2 A, 8 of 3 A)"


@each_layout
def test_feeds_carry_every_light_once(name: str) -> None:
    layout = read_layout(name)
    for chain in layout.chains:
        next_pixel = 0
        for feed in (feed for feed in feeds(layout) if feed.chain == chain.name):
            assert feed.pixel == next_pixel
            assert 0 < feed.lights <= MOST_LIGHTS
            (light,) = (it for it in layout.lights if (it.chain, it.pixel) == (feed.chain, feed.pixel))
            assert feed.light == light.name
            next_pixel += feed.lights
        assert next_pixel == chain.pixels


@each_layout
def test_a_feed_never_asks_more_of_its_fuse_than_it_carries_for_hours(name: str) -> None:
    layout = read_layout(name)
    for feed in feeds(layout):
        lights = [it.name for it in layout.lights if it.chain == feed.chain]
        white = LightFrame(dict.fromkeys(lights[: feed.lights], (255, 255, 255)))
        alone = replace(layout.supply, lights=feed.lights)
        assert feed.amperes == pytest.approx(milliamperes(white, alone) / 1000)
        assert feed.amperes <= FUSE_LOAD * feed.fuse
        assert feed.wire >= FUSES[feed.fuse]
        assert drop(feed.amperes, reach(layout), feed.wire) <= MOST_DROP


@each_layout
def test_the_fuse_of_a_feed_guards_the_thin_wires_of_its_chain_as_well(name: str) -> None:
    """Bug mended: 5 A would hold while a short at the far end of a chain of 0.2 mm² lets 6 A through."""
    for feed in feeds(read_layout(name)):
        short = 5.0 / (2 * feed.lights * 0.1 * COPPER / 0.2)  # lights are 10 cm apart at the most
        assert short >= 2 * feed.fuse


@each_layout
def test_what_the_table_may_ask_for_fits_supply_and_main_fuse(name: str) -> None:
    layout = read_layout(name)
    white = LightFrame({light.name: (255, 255, 255) for light in layout.lights})
    asked = milliamperes(limit(white, layout.supply), layout.supply) / 1000
    assert asked <= layout.supply.amperes
    if on_the_pi(layout):
        assert all_white(layout) <= PI_PIN
    assert layout.supply.amperes <= SUPPLY_LOAD * supply_amperes(layout)
    assert layout.supply.amperes <= FUSE_LOAD * main_fuse(layout)
    assert all_white(layout) == pytest.approx(milliamperes(white, layout.supply) / 1000)


@each_layout
def test_what_hangs_on_the_pi_fits_its_supply(name: str) -> None:
    assert 0 < from_pi(read_layout(name)) <= PI_GIVES


def test_the_guide_tells_the_tables_as_they_are_now() -> None:
    """If not: `make diagrams`."""
    guide = (WIRING / "README.md").read_text("utf-8")
    assert renewed(guide, [read_layout(name) for name in ORDER]) == guide


def test_a_guide_without_a_place_for_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for its table 'power'"):
        renewed("<!-- parts -->\n<!-- end -->\n", [read_layout("duo")])


def test_the_guide_shows_every_picture_and_links_every_paper() -> None:
    guide = (WIRING / "README.md").read_text("utf-8")
    papers = [path.name for path in WIRING.iterdir() if path.suffix in (".png", ".svg", ".pdf")]
    assert papers
    assert [paper for paper in papers if f"({paper})" not in guide and f'"{paper}"' not in guide] == []


@each_layout
def test_the_circuit_tells_the_numbers_of_its_layout(name: str) -> None:
    layout = read_layout(name)
    written = texts(power_circuit(layout))
    assert f"main fuse {main_fuse(layout):g} A" in written
    assert f"chain {layout.chains[0].name}: {layout.chains[0].pixels} lights" in written
    told = " ".join(written)
    assert f"All {len(layout.lights)} lights at full white: {all_white(layout):.1f} A." in told
    assert f"to {layout.supply.amperes:g} A at most" in told
    for number, feed in enumerate(() if on_the_pi(layout) else feeds(layout), 1):
        assert f"F{number} {feed.fuse:g} A: {feed.lights} lights from light {feed.pixel}" in told


@each_layout
def test_the_committed_circuits_say_the_same(name: str) -> None:
    """If not: `make diagrams`. Their lines may differ with the version of schemdraw."""
    committed = (WIRING / f"{name}-circuit.svg").read_text("utf-8")
    assert texts(committed) == texts(power_circuit(read_layout(name)))


def test_the_small_circuits_are_committed() -> None:
    assert texts((WIRING / "crossing.svg").read_text("utf-8")) == texts(crossing_circuit())
    assert texts((WIRING / "divider.svg").read_text("utf-8")) == texts(divider_circuit())
    assert "stripe to the row" in texts(crossing_circuit())
