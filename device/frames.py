"""Frames of light: what the table shows, as far as a layout has lights, within what its supply gives."""

from collections.abc import Callable, Sequence

from device.appliance import Table
from device.lights import repeats_after, view
from device.palettes import Palette
from device.rhythm import frame_time
from hardware.api import LightFrame


class Frames:
    """Makes frames; while a table rests and only the rhythms go on, those that come again are made once."""

    def __init__(self, names: Sequence[str], limit: Callable[[LightFrame], LightFrame]) -> None:
        self.names = names
        self._limit = limit
        self._kept_of: tuple[Table, Palette] | None = None
        self._kept: dict[float, LightFrame] = {}

    def at(self, table: Table, now: float, palette: Palette) -> LightFrame:
        """What the lights show at `now` (seconds, the clock of the events)."""
        period = repeats_after(table, now)
        if period is None:
            return self._made(table, now, palette)
        if self._kept_of is None or self._kept_of[0] is not table or self._kept_of[1] is not palette:
            self._kept_of, self._kept = (table, palette), {}
        moment = frame_time(now) % period
        if moment not in self._kept:
            self._kept[moment] = self._made(table, now, palette)
        return self._kept[moment]

    def _made(self, table: Table, now: float, palette: Palette) -> LightFrame:
        lit = view(table, now, palette).lit
        return self._limit(LightFrame({name: lit[name] for name in self.names if name in lit}))
