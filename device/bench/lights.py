"""Time to compute a frame of all lights, from the table's state to the input of the driver."""

from collections.abc import Callable
from itertools import count
from statistics import median

from device.bench.figure import Figure
from device.lights.palettes import BOX
from device.lights.view import view
from device.table.prompts import live_buttons
from device.table.state import ChanceDrawn, Stage, Table, TableSettings, needed_draw, new_table
from device.table.update import update
from hardware.api import ButtonPressed, LightFrame
from hardware.layout.model import Layout
from hardware.power import CurrentLimiter

GOAL = 1.0  # milliseconds, median
STEP = 0.05  # seconds of game time between two frames


def measure(
    layout: Layout, seconds: float, clock: Callable[[], float], below: Callable[[int], int]
) -> Figure:
    """Measure the time for every frame of random games at a full table, for so many seconds."""
    names = [light.name for light in layout.lights]
    limiter, taken = CurrentLimiter(layout), []
    start = clock()
    while clock() - start < seconds:
        for table, now in _random_game(layout, below):
            began = clock()
            lit = view(table, now, BOX).lit
            limiter.limit(LightFrame({name: lit[name] for name in names if name in lit}))
            taken.append(clock() - began)
    name = f"lights, a frame of {len(names)}, median"
    return Figure(name, median(taken) * 1000, "ms", GOAL, at_least=False)


def _random_game(layout: Layout, below: Callable[[int], int]) -> "list[tuple[Table, float]]":
    """Return the states, with their times, of a game in which players press random live buttons."""
    table = new_table(TableSettings(layout.seats, layout.displays))
    times = count(1)
    moments = []
    seats = [f"seat.{place}.floor" for place in range(1, layout.seats + 1)]
    for button in (*seats, "ok", "seat.1.floor"):
        table = update(table, ButtonPressed(button, next(times) * STEP))
    while table.stage is not Stage.OVER:
        now = next(times) * STEP
        if needed_draw(table):
            assert table.play is not None
            table = update(table, ChanceDrawn(table.play.state.chance(below), now))
        else:
            live = [button for button in live_buttons(table) if button != "undo"]
            table = update(table, ButtonPressed(live[below(len(live))], now))
        moments.append((table, now))
    return moments
