"""Preferences: the settings that people change at the running table, and what the table is set to by them.

A preference that nobody chose has the value of the settings file; one that was chosen wins over the file.
"""

from dataclasses import fields, replace
from typing import Final

from device.table import opponents
from device.table.state import (
    LEAST_BRIGHTNESS,
    Preferences,
    RefusalReason,
    RefusedError,
    Stage,
    Table,
    TablePreview,
    TableSettings,
)

PREVIEW: Final = 6.0  # seconds for which the lights show a palette or a brightness that was chosen


def change(table: Table, changes: Preferences, hints: bool | None, at: float) -> Table:  # noqa: FBT001
    """Return the table with some preferences changed, and hints allowed or not. Raises RefusedError.

    A palette or a brightness is shown on the lights for a moment.
    """
    if table.stage is Stage.UNUSABLE:
        raise RefusedError(RefusalReason.NOT_NOW)
    if changes.palette is not None and changes.palette not in table.settings.palettes:
        raise RefusedError(RefusalReason.NO_SUCH_PALETTE)
    preferences = merged(table.preferences, changes)
    if changes.palette is not None or changes.brightness is not None:
        table = replace(table, preview=TablePreview(at))
    if hints is not None:
        options = replace(table.next_game.options, hints=hints)
        table = replace(table, next_game=replace(table.next_game, options=options))
    if hints is False:
        table = opponents.without_hints(table)
    return replace(table, preferences=preferences, settings=applied(table.settings, preferences))


def merged(before: Preferences, changes: Preferences) -> Preferences:
    """Return preferences with those changes that are not None."""
    values = {each.name: getattr(changes, each.name) for each in fields(changes)}
    return replace(before, **{name: value for name, value in values.items() if value is not None})


def applied(settings: TableSettings, chosen: Preferences) -> TableSettings:
    """Return settings with the preferences that were chosen; those that can't be used now are ignored."""
    palette, brightness, pace = chosen.palette, chosen.brightness, chosen.pace
    if palette in settings.palettes:
        settings = replace(settings, palette=palette)
    if brightness is not None and LEAST_BRIGHTNESS <= brightness <= 1:
        settings = replace(settings, brightness=brightness)
    if pace in opponents.PACES:
        settings = replace(settings, opponents=replace(settings.opponents, pace=pace))
    if chosen.sounds is not None:
        settings = replace(settings, sounds=chosen.sounds)
    if chosen.language is not None:
        settings = replace(settings, language=chosen.language or None)
    if chosen.confirm_columns is not None:
        settings = replace(settings, confirm_columns=chosen.confirm_columns)
    return settings


def previewing(table: Table, now: float) -> bool:
    """Return whether the lights show a palette or a brightness that was just chosen."""
    return table.preview is not None and 0 <= now - table.preview.at < PREVIEW
