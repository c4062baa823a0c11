"""Opponents for tables that are values: they answer the questions that are open."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from device.bots.simple import choices
from device.rules.events import Event
from device.rules.game import State
from device.table.prompts import live_buttons
from device.table.state import BotReply, BotRequest, Stage, Table, new_table
from tests.table.simulator import BUTTONS, MODE_BUTTONS, Simulator, random_draws

MOST_STEPS = 5_000
"""Whoever waits so often waits for something that never comes."""

Think = Callable[[State, int], Event]
"""Chooses for a seat."""


def random_choice(seed: int) -> Think:
    """Any choice, by chance."""
    random = Random(seed)

    def think(state: State, seat: int) -> Event:
        allowed = choices(state.for_seat(seat))
        return allowed[random.randrange(len(allowed))]

    return think


def reply_to(table: Table, asked: BotRequest, think: Think, at: float) -> BotReply:
    """What comes of a question."""
    assert table.play is not None
    return BotReply(asked.number, think(table.play.state, asked.seat), at)


def reply_to_all(sim: Simulator, think: Think) -> Simulator:
    """Answer every question that is open."""
    for asked in sim.table.opponents.requests:
        sim.reply(reply_to(sim.table, asked, think, sim.now))
    return sim


def begin_with(
    *players: str, mode: str = "standard", seed: int = 1, first: int = 1, resin: bool = False
) -> Simulator:
    """Hands at a table where the first seats are taken by opponents, or persons (""), and a game is on."""
    sim = Simulator(new_table(4, 9, physical_tiles=resin), random_draws(seed))
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
    """Let time pass, opponents answer, and persons press what is live, until something is so."""
    for _ in range(MOST_STEPS):
        if until(sim):
            return sim
        reply_to_all(sim, think)
        live = [b for b in BUTTONS if b in _worth_pressing(sim)]
        if person is not None and live:
            sim.press(live[person.randrange(len(live))])
        sim.wait(0.7)
    raise AssertionError("this never came")


def _worth_pressing(sim: Simulator) -> set[str]:
    live = set(live_buttons(sim.table)) - {"undo"}
    return live if sim.table.stage in (Stage.OFFER, Stage.CHOICE) else set()
