"""Random walks at a table for property tests: live buttons, other buttons, unknown ones, and time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from random import Random

from hypothesis import strategies as st

from device.rules.game import Setup
from device.rules.solo.game import LEVELS, WALLS
from device.table.prompts import live_buttons
from device.table.state import Table
from tests.table.simulator import BUTTONS, Simulator, empty_table, midway, to_end, to_end_of_round

NONSENSE = [
    "",
    " ",
    "display.10",
    "display.0",
    "seat.5.floor",
    "seat.9.line.1",
    "seat.1.line.6",
    "OK",
    "ok ",
    "☃",
]
"""Names of buttons that no table has."""

SETUPS = [
    *(Setup("standard", ("Ana", "Rui", "Eva", "Tom")[:players]) for players in (2, 3, 4)),
    *(Setup("gray", ("Ana", "Rui", "Eva", "Tom")[:players]) for players in (2, 3, 4)),
    Setup("dtc", ("Ana", "Rui")),
    *(Setup("solo", ("Ana",), 0, level, wall) for level in LEVELS for wall in WALLS),
]
"""Every game that people can choose."""


@dataclass(frozen=True)
class Step:
    """Some seconds, and then perhaps a button: a live one, any, or an unknown one."""

    seconds: float
    kind: str
    pick: int

    def button(self, table: Table) -> str | None:
        """Return the button that this step presses."""
        buttons: Sequence[str] = {
            "live": live_buttons(table),
            "any": BUTTONS,
            "nonsense": NONSENSE,
            "time": (),
        }[self.kind]
        return buttons[self.pick % len(buttons)] if buttons else None


@dataclass(frozen=True)
class Start:
    """Start of a walk: an empty table, or a game under way."""

    setup: Setup | None
    seed: int
    events: int
    confirm_columns: bool = True
    to: str = ""  # on to the score animation of this round, or to the end of the game

    def simulator(self) -> Simulator:
        """Return a simulator of its own at that start."""
        found = _start(self)
        return Simulator(found.table, found.draw, now=found.now)


@cache
def _start(start: Start) -> Simulator:
    if start.setup is None:
        return empty_table(confirm_columns=start.confirm_columns)
    sim = midway(start.setup, start.seed, start.events, confirm_columns=start.confirm_columns)
    match start.to:
        case "scoring":
            to_end_of_round(sim, Random(start.seed))
        case "over":
            to_end(sim, Random(start.seed))
    return sim


seconds = st.sampled_from([0.0, 0.001, 0.05, 0.3, 1.1, 2.5, 40.0])
kinds = st.sampled_from(["live"] * 6 + ["any"] * 2 + ["nonsense", "time"])
steps = st.builds(Step, seconds, kinds, st.integers(0, 200))
starts = st.builds(
    Start,
    st.sampled_from([None, *SETUPS]),
    st.integers(0, 5),
    st.one_of(st.integers(0, 12), st.integers(0, 150)),
    st.booleans(),
    st.sampled_from(["", "", "scoring", "over"]),
)
walks = st.tuples(starts, st.lists(steps, min_size=5, max_size=40))
"""A start, and steps from there."""

Walk = tuple[Start, list[Step]]


def moments(walk: Walk) -> Iterator[Simulator]:
    """Yield the same simulator at the start of a walk and after every step."""
    start, doing = walk
    sim = start.simulator()
    yield sim
    for step in doing:
        take_step(sim, step)
        yield sim


def take_step(sim: Simulator, step: Step) -> None:
    """Let time pass, then press the step's button if it has one."""
    sim.wait(step.seconds)
    button = step.button(sim.table)
    if button is not None:
        sim.press(button, after=0.0)


def whole_games() -> list[Start]:
    """Return starts in every kind of game, early, late, in a score animation and at the end."""
    return list(
        chain.from_iterable(
            (
                *(Start(setup, seed, events) for events in (0, 1, 7, 23, 61)),
                Start(setup, seed, 30, to="scoring"),
                Start(setup, seed, 0, to="over"),
            )
            for seed, setup in enumerate(SETUPS)
        )
    )
