"""`azul-table bot`: a built-in bot on standard input and output, for anybody's runner (D3)."""

import os
import random
import sys
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Final

import click

from device.bots.dtc.protocol import (
    ProtocolError,
    Subscription,
    Turn,
    TurnParser,
    format_draft,
    state_from_block,
)
from device.bots.search import BOT_NAMES, TimedBot, make_bot
from device.bots.simple import Below
from device.commands.console import CommandError
from device.rules.events import Draft
from device.rules.game import Setup
from device.rules.tiles import NO_TILES

RESERVE: Final = 400
"""Milliseconds of a short clock that are never planned for thinking: a busy machine is late in every move."""
RESERVED: Final = 15
"""This part of a long one is not: of 30 s two, so that a machine may stand still for one."""
ROUNDS: Final = 5
"""How many rounds a game lasts where both play well."""
HARD: Final = 2
"""On how many of its turns in a round a bot meets an offer too large to think through."""
PLAIN: Final = 10
"""So many groups of tiles in the offer are thought through in a moment."""


@click.command()
@click.argument("name", type=click.Choice(BOT_NAMES), metavar="NAME")
@click.option(
    "--move-time",
    type=click.IntRange(min=1),
    metavar="MS",
    help="The longest that it thinks about a move.  [default: as the clock allows]",
)
@click.option("--seed", metavar="TEXT", help="The same seed gives the same random numbers.  [default: drawn]")
def command(name: str, move_time: int | None, seed: str | None) -> None:
    """Be the bot NAME on standard input and output, as the competition's protocol says.

    It asks for the state block, answers every turn with a line, and ends when its input does.
    """
    chance = random.Random(seed)
    player = Player(
        make_bot(name, Setup("dtc", ("", ""))), lambda number: int(chance.random() * number), move_time
    )
    try:
        play(player, sys.stdin.buffer if sys.stdin else (), _say)
    except ProtocolError as error:
        raise CommandError(str(error)) from None
    except BrokenPipeError:  # nobody listens any more: the game is over
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def play(player: "Player", lines: Iterable[bytes], say: Callable[[str], None]) -> None:
    """Answer turns until the lines end, wherever that is; raises ProtocolError."""
    parser = TurnParser(Subscription.STATE)
    say(Subscription.STATE.value)
    for line in lines:
        if not line.endswith(b"\n"):
            return
        turn = parser.receive(line[:-1].decode("ascii", errors="backslashreplace"))
        if turn is not None:
            say(format_draft(player.choose(turn)))


class Player:
    """Makes a move of every turn, from its state block alone."""

    def __init__(self, bot: TimedBot, below: Below, move_time: int | None = None) -> None:
        self._bot = bot
        self._below = below
        self._move_time = move_time
        self._reserve = 0
        self._round = 0
        self._displays = 0  # that held tiles on the turn before

    def choose(self, turn: Turn) -> Draft:
        """The move to answer with; raises ProtocolError."""
        assert turn.view is not None
        if not self._round:
            self._reserve = reserve(turn.milliseconds)
        displays = sum(tiles != NO_TILES for tiles in turn.view.sources[1:])
        if displays > self._displays:  # they are filled between rounds only
            self._round += 1
        self._displays = displays
        state = state_from_block(turn.view, self._round)
        parts = parts_to_come(self._round, sum(map(bool, chain(*turn.view.sources))))
        seconds = seconds_to_think(turn.milliseconds - self._reserve, parts, self._move_time)
        event = self._bot(state, self._below, seconds)
        assert isinstance(event, Draft)
        return event


def parts_to_come(round_number: int, groups: int) -> int:
    """Among how many moves the clock is to be shared, this one and one too many counted.

    `groups` of tiles of one colour in one place are there to be taken. The first moves of a round need time;
    towards its end the search comes to the end by itself.
    """
    in_this = min(HARD, 1 + max(0, groups - PLAIN) // 2)
    return HARD * max(0, ROUNDS - round_number) + in_this + 1


def reserve(milliseconds: int) -> int:
    """Of a whole game's clock the milliseconds that are never planned for thinking."""
    return max(RESERVE, milliseconds // RESERVED)


def seconds_to_think(milliseconds: int, parts: int, most: int | None) -> float:
    """How long a move may take with so much to share out, `most` milliseconds at the most."""
    planned = max(0, milliseconds) / parts
    return min(planned, planned if most is None else most) / 1000
