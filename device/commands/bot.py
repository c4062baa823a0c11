"""`azul-table bot`: a built-in bot on standard input and output, for any match runner (D3)."""

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

RESERVE: Final = 400  # milliseconds of a short clock that are not planned: a busy machine delays every move
RESERVED_PART: Final = 15
"""This part of a long clock is not planned either: 2 s of 30 s, so that a pause of 1 s does no harm."""
ROUNDS: Final = 5  # expected rounds of a game between good players
HARD_TURNS: Final = 2  # turns in a round at which the offer is too large to be searched to its end
EASY_GROUPS: Final = 10  # an offer of so many groups of tiles is searched to its end in a moment


@click.command()
@click.argument("name", type=click.Choice(BOT_NAMES), metavar="NAME")
@click.option(
    "--move-time",
    type=click.IntRange(min=1),
    metavar="MS",
    help="Longest search time for a move.  [default: as the clock allows]",
)
@click.option("--seed", metavar="TEXT", help="The same seed gives the same random numbers.  [default: drawn]")
def command(name: str, move_time: int | None, seed: str | None) -> None:
    """Run the bot NAME on standard input and output, with the competition's protocol.

    It subscribes to the state block, answers every turn with a line, and ends when its input ends.
    """
    chance = random.Random(seed)
    player = ProtocolPlayer(
        make_bot(name, Setup("dtc", ("", ""))), lambda number: int(chance.random() * number), move_time
    )
    try:
        play(player, sys.stdin.buffer if sys.stdin else (), click.echo)
    except ProtocolError as error:
        raise CommandError(str(error)) from None
    except BrokenPipeError:  # the reader is gone: the game is over
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def play(player: "ProtocolPlayer", lines: Iterable[bytes], write: Callable[[str], None]) -> None:
    """Answer turns until the lines end. Raises ProtocolError."""
    parser = TurnParser(Subscription.STATE)
    write(Subscription.STATE.value)
    for line in lines:
        if not line.endswith(b"\n"):
            return
        turn = parser.receive(line[:-1].decode("ascii", errors="backslashreplace"))
        if turn is not None:
            write(format_draft(player.choose(turn)))


class ProtocolPlayer:
    """Chooses a move on each turn, from its state block alone."""

    def __init__(self, bot: TimedBot, below: Below, move_time: int | None = None) -> None:
        self._bot = bot
        self._below = below
        self._move_time = move_time
        self._reserve = 0
        self._round = 0
        self._displays = 0  # with tiles on the turn before

    def choose(self, turn: Turn) -> Draft:
        """Return the move for a turn. Raises ProtocolError."""
        assert turn.view is not None
        if not self._round:
            self._reserve = reserve(turn.milliseconds)
        displays = sum(tiles != NO_TILES for tiles in turn.view.sources[1:])
        if displays > self._displays:  # displays are filled between rounds only
            self._round += 1
        self._displays = displays
        state = state_from_block(turn.view, self._round)
        parts = parts_to_come(self._round, sum(map(bool, chain(*turn.view.sources))))
        seconds = seconds_to_think(turn.milliseconds - self._reserve, parts, self._move_time)
        event = self._bot(state, self._below, seconds)
        assert isinstance(event, Draft)
        return event


def parts_to_come(round_number: int, groups: int) -> int:
    """Return the number of moves that share the remaining clock, this one and one extra included.

    `groups` are the tiles of one colour in one source. The first moves of a round need time; towards its end
    the search finishes early.
    """
    in_this = min(HARD_TURNS, 1 + max(0, groups - EASY_GROUPS) // 2)
    return HARD_TURNS * max(0, ROUNDS - round_number) + in_this + 1


def reserve(milliseconds: int) -> int:
    """Return the milliseconds of a game's clock that are not planned."""
    return max(RESERVE, milliseconds // RESERVED_PART)


def seconds_to_think(milliseconds: int, parts: int, most: int | None) -> float:
    """Return the time for a move: a part of the milliseconds left, at most `most`."""
    planned = max(0, milliseconds) / parts
    return min(planned, planned if most is None else most) / 1000
