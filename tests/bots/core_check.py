"""Comparison of the core with `device.rules`: both play the same game, step by step.

`python -m tests.bots.core_check [GAMES] [uncompiled] [TITLE...]` runs it with many games: 10,000 of every
mode, or only of the titles given, such as "solo 1 easy gray".
"""

import os
import random
import sys
from collections.abc import Iterable
from typing import Any

from device.bots.compiled_core import is_compiled
from device.bots.convert import draft_from_move, from_move, pack, to_move, to_position, to_solo_position
from device.bots.core import constants, position
from device.bots.core.position import Position, tiles_in
from device.bots.core.solo_position import SoloPosition
from device.bots.simple import play_greedy
from device.rules import game
from device.rules.events import Deal, Draft, Draw, Event, Penalty, ScoringColour, Tile
from device.rules.game import Setup, State
from device.rules.solo.game import SoloState
from device.rules.standard import StandardState

Core = Position | SoloPosition

ROUNDS = 40
"""A gray game may never end, because its rows can be blocked (R17)."""
NAMES = ("Ana", "Rui", "Eva", "Ida")
SETUPS = [
    *(Setup(mode, NAMES[:players]) for mode in ("standard", "gray") for players in (2, 3, 4)),
    Setup("dtc", NAMES[:2], first=1),
    *(
        Setup("solo", NAMES[:1], level=level, wall=wall)
        for level in ("easy", "normal", "expert")
        for wall in ("coloured", "gray")
    ),
]


def title(chosen: Setup) -> str:
    words = (chosen.mode, str(len(chosen.players)), chosen.level, chosen.wall)
    return " ".join(word for word in words if word)


def core_of(state: State) -> Core:
    """Convert a state of any mode to the core."""
    if isinstance(state, SoloState):
        return to_solo_position(state)
    assert isinstance(state, StandardState)
    return to_position(state)


def figures(core: Core) -> dict[str, Any]:
    """Return all fields of a core position except the undo stack and the random state, by name."""
    names = {name for name in core.__slots__ if not name.startswith("saved_")} - {"depth", "random_state"}
    return {name: getattr(core, name) for name in names}


def events_of(core: Core) -> list[Event]:
    """Return all choices that the core allows now, of all seats."""
    if isinstance(core, SoloPosition) and core.phase != constants.OFFER:
        mask = core.choices()
        return [from_move(core.phase, choice) for choice in range(25) if mask >> choice & 1]
    if core.phase == constants.OFFER:
        return [draft_from_move(move) for move in drafts_of(core)]
    if isinstance(core, SoloPosition) or core.phase != constants.TILING:
        return []
    tiles: list[Event] = []
    for player in range(core.players):
        if core.full[player]:
            row = core.next_row(player)
            columns = core.columns(player, row)
            tiles += [Tile(player, row + 1, column + 1) for column in range(5) if columns >> column & 1]
    return tiles


def drafts_of(core: Core) -> list[int]:
    """Return all drafts that the core allows in an offer, as its integers; in solo, from one display."""
    mine = core.open[core.turn]
    sources = [core.display] if isinstance(core, SoloPosition) else range(core.displays + 1)
    return [
        32 * source + 6 * colour + line
        for source in sources
        for colour in range(5)
        if core.sources[source] >> 5 * colour & 31
        for line in range(6)
        if mine >> 6 * colour + line & 1
    ]


def play(core: Core, event: Event) -> None:
    """Apply an event of the rules to the core, which does not check it."""
    if isinstance(core, SoloPosition):
        _play_solo(core, event)
        return
    match event:
        case Deal(displays):
            _deal(core, [pack(tiles) for tiles in displays])
        case Draft():
            core.play(to_move(event))
        case Tile(seat, row, column):
            core.tile(seat, row - 1, column - 1)
        case _:
            raise TypeError(f"no event of a game for two or more: {event}")
    if core.phase == constants.TILING:
        core.advance_tiling()


def _deal(core: Position, displays: list[int]) -> None:
    """Fill the displays with packed counts, from the lid, too, when the bag is short."""
    bag, lid = core.pool
    if tiles_in(bag) < sum(map(tiles_in, displays)):
        bag, lid = bag + lid, 0
    core.pool = [bag - sum(displays), lid]
    core.sources = [0, *displays, *[0] * (9 - len(displays))]
    core.holders = sum(
        constants.CENTRE_BITS[colour] << display
        for display, tiles in enumerate(displays, start=1)
        for colour in range(5)
        if tiles >> 5 * colour & 31
    )
    core.start_offer()


def _play_solo(core: SoloPosition, event: Event) -> None:
    match event:
        case Deal(displays):
            core.sources = [0, *map(pack, displays)]
            core.bag -= sum(map(pack, displays))
            core.start_offer()
        case Penalty(tiles):
            core.penalty = sum(colour << 3 * place for place, colour in enumerate(tiles))
            core.penalties = len(tiles)
            core.bag -= sum(1 << 5 * colour for colour in tiles)
            core.phase = constants.COLOUR
        case ScoringColour(colour) | Draw(colour):
            core.set_draw(colour)
        case _:
            core.play(to_move(event))


def differences(core: Core, state: State) -> dict[str, object]:
    """Return the fields in which core and rules differ: the core's value and the expected one."""
    holds, should = figures(core), figures(core_of(state))
    return {name: (holds[name], should[name]) for name in holds if holds[name] != should[name]}


def check_random_game(chosen: Setup, chance: random.Random) -> int:
    """Compare a random game; return the number of steps.

    Half of the games avoid the floor, and half of the solo games mostly play `greedy`, or few would get far.
    """

    def below(number: int) -> int:
        return int(chance.random() * number)

    state = game.setup(chosen)
    core = core_of(state)
    steps = 0
    builders = chance.random() < 0.5
    skilled = chosen.mode == "solo" and chance.random() < 0.5
    while not state.over and state.round <= ROUNDS:
        if state.chance_due:
            event: Event = state.chance(below)
        else:
            legal = state.legal()
            assert set(events_of(core)) == set(legal)
            if builders:
                legal = [event for event in legal if getattr(event, "line", 1)] or legal
            event = legal[below(len(legal))]
            if skilled and below(8):
                event = play_greedy(state, below)
        state = state.apply(event)
        play(core, event)
        assert differences(core, state) == {}, event
        steps += 1
    assert events_of(core) == [] or state.round > ROUNDS
    return steps


def check_events(chosen: Setup, events: Iterable[Event]) -> None:
    """Compare a recorded game."""
    state = game.setup(chosen)
    core = core_of(state)
    for event in events:
        assert set(events_of(core)) == set(state.legal())
        state = state.apply(event)
        play(core, event)
        assert differences(core, state) == {}, event


AS_PYTHON = """
from device.bots.compiled_core import use_sources
use_sources()
from tests.bots.core_check import main
main()
"""


def main() -> None:
    words = sys.argv[1:]
    if "uncompiled" in words and is_compiled(position):
        os.execv(sys.executable, [sys.executable, "-c", AS_PYTHON, *words])
    kind = "compiled" if is_compiled(position) else "uncompiled"
    games = next((int(word) for word in words if word.isdecimal()), 10_000)
    titles = {title(chosen) for chosen in SETUPS}
    asked = titles & set(words) or titles
    for chosen in SETUPS:
        if title(chosen) in asked:
            chance = random.Random(title(chosen))
            steps = sum(check_random_game(chosen, chance) for _ in range(games))
            print(f"{title(chosen)}, {kind}: {games} games, {steps} steps agree", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
