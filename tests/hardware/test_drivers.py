"""The drivers that a layout names, how they are checked, and how they are all opened together."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import pytest

from hardware.api import (
    ButtonPressed,
    LightFrame,
    Lights,
    Loss,
    PartBack,
    PartLost,
    PartMessage,
    TagArrived,
    TagLeft,
)
from hardware.drivers.open import OUTDATED, open_hardware, part_events
from hardware.drivers.pico import PicoState
from hardware.layout.model import DRIVERS, SIMULATED, Chain, Drivers, Layout, Reader, read_layout, simulated

from .conftest import SHIPPED, Faults, changed
from .waiting import Inbox, next_of, waiting_in

# --- In the layout file ---


def written(tmp_path: Path, name: str, *changes: tuple[str, str, str]) -> Layout:
    text = (SHIPPED / f"{name}.toml").read_text("utf-8")
    for change in changes:
        text = changed(text, *change)
    (tmp_path / "mine.toml").write_text(text, "utf-8")
    return read_layout(str(tmp_path / "mine.toml"))


def test_the_drivers_of_the_layouts_that_ship(full: Layout, duo: Layout) -> None:
    assert full.drivers == DRIVERS["pico"]
    assert duo.drivers == DRIVERS["pi"] == Drivers("neopixel", "gpio", "rdm6300")


@pytest.mark.parametrize("name", ["full", "duo"])
def test_a_layout_that_names_no_drivers_has_those_of_its_controller(tmp_path: Path, name: str) -> None:
    text = (SHIPPED / f"{name}.toml").read_text("utf-8")
    start = text.index("[drivers]")
    end = text.index("\n[", start + 1)
    (tmp_path / "mine.toml").write_text(text[:start] + text[end:], "utf-8")
    layout = read_layout(str(tmp_path / "mine.toml"))
    assert layout.drivers == DRIVERS[layout.controller]


def test_what_a_chain_is_when_nothing_is_written(duo: Layout) -> None:
    assert duo.chains == (Chain("lights", 10, 174, "GRB", 1.0, 2.2),)


def test_what_a_maker_may_write(tmp_path: Path) -> None:
    layout = written(
        tmp_path,
        "duo",
        ("[drivers]", 'lights = "neopixel"', 'lights = "pio"'),
        ("[drivers]", 'readers = "rdm6300"', 'readers = "pn532"'),
        ("[chain]", "pixels = 174", 'pixels = 174, order = "RGB", brightness = 0.5, gamma = 1'),
        ("[shared]", "reader = 15", 'reader = "/dev/ttyUSB0"'),
    )
    assert layout.drivers == Drivers("pio", "gpio", "pn532")
    assert layout.chains == (Chain("lights", 10, 174, "RGB", 0.5, 1.0),)
    assert layout.readers == (Reader("shared", "/dev/ttyUSB0"),)


def test_with_pio_the_pins_of_the_spi_bus_are_free(tmp_path: Path) -> None:
    pin_9 = ("[ok]", "button = 12", "button = 9")
    written(tmp_path, "duo", ("[drivers]", 'lights = "neopixel"', 'lights = "pio"'), pin_9)


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        (
            "duo",
            ("[drivers]", '"neopixel"', '"leds"'),
            ("drivers.lights: 'leds' is not a valid driver of lights", '"spi"'),
        ),
        (
            "duo",
            ("[drivers]", '"neopixel"', '"pico"'),
            ("drivers.lights: a pi has no driver 'pico'", '"spi"'),
        ),
        ("duo", ("[drivers]", '"gpio"', '"pico"'), ("drivers.buttons: a pi has no driver 'pico'", '"gpio"')),
        (
            "duo",
            ("[drivers]", '"rdm6300"', '"rc522"'),
            ("drivers.readers: 'rc522' is not a valid driver", '"pn532"'),
        ),
        (
            "full",
            ("[drivers]", 'lights = "pico"', 'lights = "spi"'),
            ("drivers.lights: a pico has no driver",),
        ),
        (
            "duo",
            ("[drivers]", "lights =", "light ="),
            ("drivers.light: is not a known key; is lights meant?",),
        ),
        (
            "duo",
            ("[drivers]", '"neopixel"', '"pwm"'),
            ("chain.lights.pin: GPIO10 can't send by pwm", "GPIO18"),
        ),
        ("duo", ("[chain]", "pin = 10", 'order = "GRBW", pin = 10'), ("chain.lights.order: 'GRBW' is not",)),
        ("duo", ("[chain]", "pin = 10", "brightness = 0, pin = 10"), ("chain.lights.brightness: 0 is not",)),
        (
            "duo",
            ("[chain]", "pin = 10", "brightness = nan, pin = 10"),
            ("chain.lights.brightness: nan is not",),
        ),
        (
            "duo",
            ("[chain]", "pin = 10", "gamma = 0.5, pin = 10"),
            ("chain.lights.gamma: 0.5 is not a valid gamma",),
        ),
        (
            "duo",
            ("[shared]", "reader = 15", 'reader = "USB0"'),
            ("shared.reader: 'USB0' is not a port", "/dev/"),
        ),
        (
            "duo",
            ("[shared]", "reader = 15", "reader = true"),
            ("shared.reader: true is not a valid pin or port",),
        ),
        ("full", ("[shared]", "reader = 1", 'reader = "/dev/ttyUSB0"'), ("a Pico has no such port",)),
        (
            "duo",
            ("[ok]", "button = 12", "button = [1, 1]\n[matrix]\nrows = [12]\ncolumns = [21]"),
            ("ok.button: a Raspberry Pi can't scan a matrix of buttons",),
        ),
    ],
)
def test_drivers_that_can_not_be(
    faults: Faults, name: str, change: tuple[str, str, str], words: tuple[str, ...]
) -> None:
    (fault,) = faults(name, change)
    for word in words:
        assert word in fault


def test_two_readers_on_one_port(faults: Faults) -> None:
    (fault,) = faults(
        "duo",
        ("[shared]", "reader = 15", 'reader = "/dev/ttyUSB0"'),
        ("[centre]", "button = 7", 'button = 7\nreader = "/dev/ttyUSB0"'),
    )
    assert "is already used by centre.reader" in fault


def test_a_pi_has_one_data_line_for_lights(faults: Faults) -> None:
    two = "lights = { pin = 10, pixels = 106 }\nmore = { pin = 21, pixels = 68 }"
    (fault,) = faults(
        "duo",
        ("[chain]", "lights = { pin = 10, pixels = 174 }", two),
        ("[seat.2]", 'chain = "lights"\nfirst = 106', 'chain = "more"\nfirst = 0'),
    )
    assert fault.startswith("chain: a Raspberry Pi sends to lights on one data line, and there are 2; ")


# --- Opened ---


@pytest.fixture
def inbox() -> Inbox:
    return SimpleQueue()


def threads() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


def test_the_simulated_table_by_its_name(full: Layout, inbox: Inbox) -> None:
    before = threads()
    hardware = open_hardware(simulated(full), inbox.put)
    lights: Lights = hardware
    assert simulated(full).drivers == SIMULATED
    assert hardware.simulated is not None
    lights.show(LightFrame({"status": (1, 2, 3)}))
    assert hardware.simulated.colour("status") == (1, 2, 3)
    hardware.simulated.press("ok")
    hardware.simulated.show_tag("shared", "tile-b-01")
    assert [type(next_of(inbox)) for _ in range(3)] == [ButtonPressed, TagArrived, TagLeft]
    assert threads() <= before
    hardware.close()
    hardware.close()
    assert inbox.empty()


@pytest.mark.system
def test_what_a_machine_without_pins_has_not_is_told_and_the_table_goes_on(duo: Layout, inbox: Inbox) -> None:
    """On this machine. Nothing is simulated in the place of what is missing."""
    before = threads()
    hardware = open_hardware(duo, inbox.put)
    hardware.show(LightFrame({"status": (1, 2, 3)}))
    lost: dict[str, PartLost] = {}
    while len(lost) < 3:
        event = next_of(inbox)
        assert isinstance(event, PartLost)
        lost[event.part] = event
    assert lost.keys() == {"lights", "buttons", "reader.shared"}
    assert {event.reason for event in lost.values()} == {Loss.ABSENT}
    assert hardware.simulated is None
    assert {"lights", "buttons", "reader.shared", "power"} <= threads()
    hardware.close()
    left = threads() - before
    assert len(left) <= 1 and all(name.startswith("Thread-") for name in left), left  # lgpio's own


def test_readers_that_are_simulated_beside_real_buttons(duo: Layout, inbox: Inbox) -> None:
    """The twin's drawer for a table that has no readers yet; its buttons are the real ones."""
    from gpiozero.pins.mock import MockFactory

    layout = replace(duo, drivers=Drivers("simulated", "gpio", "simulated"))
    hardware = open_hardware(layout, inbox.put, pins=MockFactory)
    assert hardware.simulated is not None
    hardware.simulated.press("ok")
    hardware.simulated.show_tag("shared", "tile-b-01")
    assert [type(next_of(inbox)) for _ in range(2)] == [TagArrived, TagLeft]
    hardware.close()


@pytest.mark.system
def test_a_table_on_a_pico(full: Layout, inbox: Inbox) -> None:
    """No Pico is plugged in here: it is told as lost, and nothing else is."""
    hardware = open_hardware(full, inbox.put)
    hardware.show(LightFrame({"status": (1, 2, 3)}))
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("pico", Loss.ABSENT)
    assert "Pico" in lost.message
    hardware.close()
    assert waiting_in(inbox) == []


def test_what_a_pico_says_of_itself_as_parts_lost_and_back() -> None:
    """The first state is one that works, so that a Pico that is there at once is not told at all."""
    there = PicoState(connected=True, message="", loss=None)
    gone = PicoState(connected=False, message="the Pico was unplugged", loss=Loss.UNPLUGGED)
    silent = PicoState(connected=False, message="the Pico does not answer", loss=Loss.SILENT)
    chatters = PicoState(connected=True, message="", loss=None, muted=frozenset({"ok"}))
    lost = PartLost("pico", Loss.UNPLUGGED, "the Pico was unplugged", 1.0)
    assert part_events(there, there, 1.0) == []
    assert part_events(there, gone, 1.0) == [lost]
    assert part_events(gone, gone, 1.0) == []
    assert part_events(gone, silent, 2.0) == [PartLost("pico", Loss.SILENT, silent.message, 2.0)]
    assert part_events(silent, there, 3.0) == [PartBack("pico", 3.0)]
    failed = replace(there, log="ValueError: 7", outdated=True)
    assert part_events(there, failed, 4.0) == [
        PartMessage("pico", OUTDATED, 4.0),
        PartMessage("pico", "ValueError: 7", 4.0),
    ]
    assert part_events(failed, failed, 5.0) == []
    (muted,) = part_events(there, chatters, 4.0)
    assert isinstance(muted, PartLost) and (muted.part, muted.reason) == ("button.ok", Loss.CHATTERING)
    assert part_events(chatters, there, 5.0) == [PartBack("button.ok", 5.0)]
