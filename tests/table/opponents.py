"""Opponents for the simulator: they reply to the open requests."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from device.bots.simple import choices
from device.rules.events import Event
from device.rules.game import State
from device.table.prompts import live_buttons
from device.table.state import BotReply, BotRequest, Stage, Table, TableSettings, new_table
from tests.table.simulator import BUTTONS, MODE_BUTTONS, Simulator, random_draws

MOST_STEPS = 5_000
"""Steps after which `play_until` gives up."""

Think = Callable[[State, int], Event]
"""Returns a choice for a seat."""


def random_choice(seed: int) -> Think:
    """Return an opponent that chooses at random."""
    random = Random(seed)

    def think(state: State, seat: int) -> Event:
        allowed = choices(state.for_seat(seat))
        return allowed[random.randrange(len(allowed))]

    return think


def reply_to(table: Table, request: BotRequest, think: Think, at: float) -> BotReply:
    """Return the reply to a request."""
    assert table.play is not None
    return BotReply(request.number, think(table.play.state, request.seat), at)


def reply_to_all(sim: Simulator, think: Think) -> Simulator:
    """Reply to all open requests."""
    for request in sim.table.opponents.requests:
        sim.reply(reply_to(sim.table, request, think, sim.now))
    return sim


def begin_with(
    *players: str, mode: str = "standard", seed: int = 1, first: int = 1, resin: bool = False
) -> Simulator:
    """Return a table in a game; the first places have opponents, or persons (an empty name)."""
    sim = Simulator(new_table(TableSettings(4, 9, physical_tiles=resin)), random_draws(seed))
    for place, bot in enumerate(players, start=1):
        sim.press(f"seat.{place}.floor")
        if bot:
            sim.press(f"seat.{place}.line.{('calm', 'greedy', 'strong', 'master').index(bot) + 1}")
    sim.press("ok")
    if mode != "solo":
        sim.press(MODE_BUTTONS[mode])
    return sim.press(f"seat.{first}.floor")


def play_until(
    sim: Simulator, think: Think, until: Callable[[Simulator], bool], person: Random | None = None
) -> Simulator:
    """Let time pass, opponents reply and persons press live buttons until a condition is true."""
    for _ in range(MOST_STEPS):
        if until(sim):
            return sim
        reply_to_all(sim, think)
        live = [b for b in BUTTONS if b in _worth_pressing(sim)]
        if person is not None and live:
            sim.press(live[person.randrange(len(live))])
        sim.wait(0.7)
    raise AssertionError("the condition never became true")


def _worth_pressing(sim: Simulator) -> set[str]:
    live = set(live_buttons(sim.table)) - {"undo"}
    return live if sim.table.stage in (Stage.OFFER, Stage.CHOICE) else set()
