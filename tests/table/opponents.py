"""Opponents for tables that are values: they answer the questions that are open."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from device.bots.simple import choices
from device.rules.events import Event
from device.rules.game import State
from device.table.prompts import live_buttons
from device.table.state import BotReply, BotRequest, Stage, Table, new_table
from tests.table.hands import BUTTONS, MODE_BUTTONS, Hands, drawn_at_random

MOST_STEPS = 5_000
"""Whoever waits so often waits for something that never comes."""

Think = Callable[[State, int], Event]
"""Chooses for a seat."""


def any_choice(seed: int) -> Think:
    """Any choice, by chance."""
    random = Random(seed)

    def think(state: State, seat: int) -> Event:
        allowed = choices(state.for_seat(seat))
        return allowed[random.randrange(len(allowed))]

    return think


def answer_to(table: Table, asked: BotRequest, think: Think, at: float) -> BotReply:
    """What comes of a question."""
    assert table.play is not None
    return BotReply(asked.number, think(table.play.state, asked.seat), at)


def answer_all(hands: Hands, think: Think) -> Hands:
    """Answer every question that is open."""
    for asked in hands.table.opponents.requests:
        hands.hear(answer_to(hands.table, asked, think, hands.now))
    return hands


def seated(
    *players: str, mode: str = "standard", seed: int = 1, first: int = 1, resin: bool = False
) -> Hands:
    """Hands at a table where the first seats are taken by opponents, or persons (""), and a game is on."""
    hands = Hands(new_table(4, 9, physical_tiles=resin), drawn_at_random(seed))
    for place, bot in enumerate(players, start=1):
        hands.press(f"seat.{place}.floor")
        if bot:
            hands.press(f"seat.{place}.line.{('calm', 'greedy', 'strong', 'master').index(bot) + 1}")
    hands.press("ok")
    if mode != "solo":
        hands.press(MODE_BUTTONS[mode])
    return hands.press(f"seat.{first}.floor")


def play_on(
    hands: Hands, think: Think, until: Callable[[Hands], bool], person: Random | None = None
) -> Hands:
    """Let time pass, opponents answer, and persons press what is live, until something is so."""
    for _ in range(MOST_STEPS):
        if until(hands):
            return hands
        answer_all(hands, think)
        live = [b for b in BUTTONS if b in _worth_pressing(hands)]
        if person is not None and live:
            hands.press(live[person.randrange(len(live))])
        hands.wait(0.7)
    raise AssertionError("this never came")


def _worth_pressing(hands: Hands) -> set[str]:
    live = set(live_buttons(hands.table)) - {"undo"}
    return live if hands.table.stage in (Stage.OFFER, Stage.CHOICE) else set()
