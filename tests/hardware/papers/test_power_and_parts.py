"""Power feeds, fuses and the shopping list: computed from the layout, and listed in the guide."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from hardware.api import LightFrame
from hardware.layout.model import Layout, read_layout
from hardware.papers.__main__ import ORDER
from hardware.papers.parts import PI_SPARE_AMPERES, amperes_from_pi, shopping_list, update_guide
from hardware.papers.power_feeds import (
    COPPER,
    FUSE_LOAD,
    FUSES,
    MAX_DROP,
    MAX_FUSE,
    MAX_LIGHTS,
    PI_PIN_AMPERES,
    SUPPLY_LOAD,
    fed_by_pi,
    feeds,
    full_white_amperes,
    main_fuse,
    supply_amperes,
    voltage_drop,
    wire_length,
)
from hardware.papers.wiring import crossing_circuit, divider_circuit
from hardware.power import CurrentLimiter

from .conftest import Documents
from .wires import WIRING


def amounts(name: str) -> dict[str, str]:
    return {item.part: item.amount for item in shopping_list(read_layout(name)) if item.number}


def texts(svg: str) -> list[str]:
    """Return all lines of text in an SVG drawing."""
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
    """The Pi feeds its few lights: one fuse, and no other supply."""
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


def test_the_list_has_every_button_reader_and_light(layout: Layout) -> None:
    numbers = {item.part: item.number for item in shopping_list(layout)}
    buttons = sum(number for part, number in numbers.items() if part.startswith("push button"))
    assert buttons == len(layout.buttons)
    assert numbers["lights, WS2812 for 5 V"] == sum(chain.pixels for chain in layout.chains)
    assert numbers["resistor 1 kOhm"] == numbers["resistor 2 kOhm"] == len(layout.readers)


def test_different_fuses_are_listed_by_kind() -> None:
    layout = read_layout("full")
    (first, *others) = layout.chains
    shorter = replace(layout, chains=(replace(first, pixels=20), *others))
    (fuses,) = (item for item in shopping_list(shorter) if item.part == "blade fuses of the feeds")
    assert fuses.amount == "9 (1 of 2 A, 8 of 3 A)"


def test_every_light_has_one_feed(layout: Layout) -> None:
    for chain in layout.chains:
        next_pixel = 0
        for feed in (feed for feed in feeds(layout) if feed.chain == chain.name):
            assert feed.pixel == next_pixel
            assert 0 < feed.lights <= MAX_LIGHTS
            (light,) = (it for it in layout.lights if (it.chain, it.pixel) == (feed.chain, feed.pixel))
            assert feed.light == light.name
            next_pixel += feed.lights
        assert next_pixel == chain.pixels


def test_a_feed_loads_its_fuse_and_its_wire_within_their_limits(layout: Layout) -> None:
    for feed in feeds(layout):
        lights = [it.name for it in layout.lights if it.chain == feed.chain]
        white = LightFrame(dict.fromkeys(lights[: feed.lights], (255, 255, 255)))
        others = (len(layout.lights) - feed.lights) * layout.supply.idle_milliamperes
        asked = CurrentLimiter(layout).milliamperes(white) - others
        assert feed.amperes == pytest.approx(asked / 1000)
        assert feed.amperes <= FUSE_LOAD * feed.fuse
        assert feed.wire >= FUSES[feed.fuse]
        assert voltage_drop(feed.amperes, wire_length(layout), feed.wire) <= MAX_DROP


def test_lights_with_a_white_channel_have_more_feeds_with_the_same_fuses(layout: Layout) -> None:
    """81 mA each: a fuse of 3 A, loaded by three quarters, feeds 27 of them."""
    chains = tuple(replace(chain, order="GRBW") for chain in layout.chains)
    four = replace(layout, chains=chains)
    assert full_white_amperes(four) == pytest.approx(len(layout.lights) * 0.081)
    assert max(feed.fuse for feed in feeds(four)) <= MAX_FUSE
    assert max(feed.lights for feed in feeds(four)) <= 27


def test_the_fuse_of_a_feed_protects_the_thin_wires_of_its_chain(layout: Layout) -> None:
    """A fuse of 5 A did not blow on 6 A, the short-circuit current at the end of a chain of 0.2 mm²."""
    for feed in feeds(layout):
        short = 5.0 / (2 * feed.lights * 0.1 * COPPER / 0.2)  # lights are 10 cm apart at the most
        assert short >= 2 * feed.fuse


def test_the_current_limit_fits_supply_and_main_fuse(layout: Layout) -> None:
    white = LightFrame({light.name: (255, 255, 255) for light in layout.lights})
    limiter = CurrentLimiter(layout)
    asked = limiter.milliamperes(limiter.limit(white)) / 1000
    assert min(full_white_amperes(layout), 0.98 * layout.supply.amperes) <= asked <= layout.supply.amperes
    if fed_by_pi(layout):
        assert full_white_amperes(layout) <= PI_PIN_AMPERES
    assert layout.supply.amperes <= SUPPLY_LOAD * supply_amperes(layout)
    assert layout.supply.amperes <= FUSE_LOAD * main_fuse(layout)
    assert full_white_amperes(layout) == pytest.approx(limiter.milliamperes(white) / 1000)


def test_the_supply_of_the_pi_is_sufficient(layout: Layout) -> None:
    assert 0 < amperes_from_pi(layout) <= PI_SPARE_AMPERES


def test_the_tables_of_the_guide_are_up_to_date() -> None:
    """If not: `make diagrams`."""
    guide = (WIRING / "README.md").read_text("utf-8")
    assert update_guide(guide, [read_layout(name) for name in ORDER]) == guide


def test_a_guide_without_a_place_for_a_table_is_an_error() -> None:
    with pytest.raises(ValueError, match="no place for the table 'power'"):
        update_guide("<!-- parts -->\n<!-- end -->\n", [read_layout("duo")])


def test_the_guide_links_every_document() -> None:
    guide = (WIRING / "README.md").read_text("utf-8")
    papers = [path.name for path in WIRING.iterdir() if path.suffix in (".png", ".svg", ".pdf")]
    assert papers
    assert [paper for paper in papers if f"({paper})" not in guide and f'"{paper}"' not in guide] == []


def test_the_circuit_has_the_numbers_of_its_layout(documents: Documents) -> None:
    layout = documents.layout
    written = texts(documents.circuit)
    assert f"main fuse {main_fuse(layout):g} A" in written
    assert f"chain {layout.chains[0].name}: {layout.chains[0].pixels} lights" in written
    text = " ".join(written)
    assert f"All {len(layout.lights)} lights at full white: {full_white_amperes(layout):.1f} A." in text
    assert f"to {layout.supply.amperes:g} A at most" in text
    for number, feed in enumerate(() if fed_by_pi(layout) else feeds(layout), 1):
        assert f"F{number} {feed.fuse:g} A: {feed.lights} lights from light {feed.pixel}" in text


def test_the_committed_circuits_are_up_to_date(documents: Documents) -> None:
    """If not: `make diagrams`. Their lines may differ with the version of schemdraw."""
    committed = (WIRING / f"{documents.layout.name}-circuit.svg").read_text("utf-8")
    assert texts(committed) == texts(documents.circuit)


def test_the_small_circuits_are_committed() -> None:
    assert texts((WIRING / "crossing.svg").read_text("utf-8")) == texts(crossing_circuit())
    assert texts((WIRING / "divider.svg").read_text("utf-8")) == texts(divider_circuit())
    assert "stripe to the row" in texts(crossing_circuit())
