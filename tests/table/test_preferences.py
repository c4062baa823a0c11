"""Preferences: settings that people change while the table runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from device.lights.animation import STEADY, dimmed
from device.lights.palettes import BOX, PALETTES
from device.lights.view import FrameMaker
from device.rules.tiles import COLOURS
from device.socket.messages import ChangeSettings, MessageError, decode, table_event
from device.socket.snapshot import Json, snapshot
from device.store.saved_table import from_saved_table, to_saved_table
from device.table.preferences import PREVIEW, applied
from device.table.prompts import asked
from device.table.state import Preferences, Stage, TableSettings, new_table
from device.table.update import update
from hardware.api import LightFrame
from tests.table.simulator import FULL, Simulator, empty_table, playing

NAMES = [light.name for light in FULL.lights]


def change(sim: Simulator, message: ChangeSettings) -> str | None:
    before = sim.refusals
    sim.table = update(sim.table, table_event(message, {}, sim.now))
    refusal = sim.table.refusal
    return None if refusal is None or refusal.number == before else refusal.why


def settings(sim: Simulator) -> Json:
    found = snapshot(sim.table, BOX)["settings"]
    assert isinstance(found, dict)
    return found


def test_what_is_left_out_stays() -> None:
    sim = playing()
    first = settings(sim)
    assert change(sim, ChangeSettings()) is None
    assert settings(sim) == first
    changes: Json = {"palette": "distinct", "brightness": 0.5, "pace": "fast", "hints": False}
    changes |= {"sounds": False, "language": "de", "confirm_columns": False}
    for key, value in changes.items():
        assert change(sim, ChangeSettings(**{key: value})) is None
    assert settings(sim) == first | changes
    assert change(sim, ChangeSettings(language=None)) is None
    assert settings(sim)["language"] is None


def test_settings_take_effect_in_the_game_and_ask_nothing_else() -> None:
    sim = playing("gray")
    question = asked(sim.table)
    change(sim, ChangeSettings(pace="slow", hints=False, confirm_columns=False))
    assert sim.table.settings.opponents.pace == "slow"
    assert not sim.table.settings.confirm_columns
    assert sim.table.next_game.options.hints is False
    assert asked(sim.table) == question


def test_an_unknown_palette_is_refused() -> None:
    sim = playing()
    assert change(sim, ChangeSettings(palette="own")) == "no_such_palette"
    assert settings(sim)["palette"] == "box"


@pytest.mark.parametrize(
    "fields", ['"brightness":0.1', '"brightness":1.5', '"pace":"mad"', '"language":"../x"', '"hints":1']
)
def test_settings_that_no_table_has_are_no_message(fields: str) -> None:
    with pytest.raises(MessageError):
        decode(b'{"type":"settings",%s}' % fields.encode())


def test_preferences_are_saved_and_win_over_the_settings_file() -> None:
    sim = empty_table()
    change(sim, ChangeSettings(palette="distinct", brightness=0.5))
    blank = new_table(TableSettings(4, 9, palette="box", brightness=0.8, language="en"))
    back = from_saved_table(to_saved_table(sim.table), None, blank, 0.0)
    assert (back.settings.palette, back.settings.brightness) == ("distinct", 0.5)
    assert back.settings.language == "en", "nobody chose one"
    assert back.preferences == sim.table.preferences


def test_preferences_that_can_not_be_used_any_more_are_ignored() -> None:
    """The settings file may have lost its palette since."""
    table_settings = TableSettings(4, 9)
    assert applied(table_settings, Preferences("own", 7.0, "mad")) == table_settings


def frame(sim: Simulator) -> LightFrame:
    return FrameMaker(NAMES, lambda frame: frame).at(sim.table, sim.now, BOX)


def test_a_palette_is_shown_on_the_displays_for_a_moment() -> None:
    sim = playing().wait(30)
    before = frame(sim).lit
    assert change(sim, ChangeSettings(palette="box")) is None
    shown = frame(sim)
    for display, colour in enumerate(COLOURS, start=1):
        assert shown.colour(f"display.{display}.4") == dimmed(BOX.shades[colour].light, STEADY)
    sim.wait(PREVIEW)
    assert frame(sim).lit.keys() == before.keys()


@pytest.mark.parametrize("brightness", [0.2, 0.5])
def test_brightness_is_that_of_every_light(brightness: float) -> None:
    sim = playing().wait(30)
    before = frame(sim).lit
    change(sim, ChangeSettings(brightness=brightness))
    sim.table = replace(sim.table, preview=None)
    for name, light in frame(sim).lit.items():
        assert light == tuple(int(channel * brightness) for channel in before[name])


def test_settings_are_not_changed_while_the_store_can_not_be_used() -> None:
    assert empty_table().table.stage is not Stage.UNUSABLE
    assert set(settings(empty_table())["palettes"]) == set(PALETTES)
