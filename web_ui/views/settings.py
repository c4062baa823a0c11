"""The page of settings: the colours and the brightness of the lights, opponents, hints, sounds, language."""

from __future__ import annotations

from msgspec import Struct

from web_ui.latest import Presence, View
from web_ui.text.sentences import SnapshotFormatter
from web_ui.text.words import Words, read_all_words
from web_ui.views.phone import TurnView, Viewer, turn

LETTERS = "byrkw"
"""The letters of the colours in the order of the wall."""

SWITCHES = ("hints", "confirm_columns", "sounds")
"""Settings that are on or off."""

Change = dict[str, object]
"""The message that changes a setting."""


class PaletteView(Struct, frozen=True):
    """A palette: its name, what it is good for, and the colours of its lights."""

    name: str
    about: str
    lights: tuple[str, ...]
    chosen: bool
    change: Change


class OptionView(Struct, frozen=True):
    """A value of a setting, or a setting that is on or off, and the message that changes it."""

    name: str
    about: str
    chosen: bool
    change: Change


class SettingsView(Struct, frozen=True):
    """The settings as they are, the brightness in percent; `may`: the viewer may change them."""

    palettes: tuple[PaletteView, ...]
    brightness: int
    least_brightness: int
    paces: tuple[OptionView, ...]
    switches: tuple[OptionView, ...]
    languages: tuple[OptionView, ...]
    may: bool


def head(view: View, words: Words, viewer: Viewer) -> TurnView:
    """Return what the page is for, or why the table can't be seen; who may not change anything is told so."""
    if view.presence is not Presence.HERE or view.snapshot is None:
        return turn(view, words, viewer)
    notes = () if viewer.at_table else (words.text("settings.look_only"),)
    return TurnView(words.text("settings.title"), words.text("settings.intro"), notes=notes)


def settings(formatter: SnapshotFormatter, viewer: Viewer) -> SettingsView | None:
    """Return the settings; None if the table sends none."""
    now, text = formatter.snapshot.settings, formatter.words.text
    if now is None:
        return None
    return SettingsView(
        palettes=tuple(
            PaletteView(
                text(f"settings.palette.{name}"),
                text(f"settings.palette_about.{name}"),
                tuple(lights[letter] for letter in LETTERS if letter in lights),
                name == now.palette,
                _change("palette", name),
            )
            for name, lights in now.palettes.items()
        ),
        brightness=round(100 * now.brightness),
        least_brightness=round(100 * now.least_brightness),
        paces=tuple(
            OptionView(
                text(f"settings.pace.{pace}"),
                text(f"settings.pace_about.{pace}"),
                pace == now.pace,
                _change("pace", pace),
            )
            for pace in now.paces
        ),
        switches=tuple(
            OptionView(
                text(f"settings.switch.{name}"),
                text(f"settings.switch_about.{name}"),
                getattr(now, name),
                _change(name, not getattr(now, name)),
            )
            for name in SWITCHES
        ),
        languages=_languages(formatter.words, now.language),
        may=viewer.at_table,
    )


def _languages(words: Words, now: str | None) -> tuple[OptionView, ...]:
    """Return the languages of the pages, each by its own name; first that of each browser."""
    browsers = OptionView(words.text("settings.browsers"), "", now is None, _change("language", None))
    others = (
        OptionView(each.text("language"), "", code == now, _change("language", code))
        for code, each in read_all_words().items()
    )
    return (browsers, *others)


def _change(name: str, value: object) -> Change:
    return {"type": "settings", name: value}
