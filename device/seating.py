"""Before the game: taking seats, and choosing what to play and who starts (R3)."""

from dataclasses import dataclass, replace

from device.appliance import LONGEST_NAME, Movement, RefusedError, Table, Why, Wishes
from device.buttons import source_button
from device.play import start
from device.rules import game as rules
from device.rules.events import CENTRE
from device.rules.game import SOLO, Setup
from device.rules.solo_dealing import DISPLAYS as SOLO_DISPLAYS
from device.rules.solo_state import LEVELS, WALLS
from device.rules.standard import DISPLAYS

SOLO_PLACES = (1, 2)
"""The player board and the action board of a solo game."""


@dataclass(frozen=True, slots=True)
class MenuItem:
    """Something to choose for the next game, on the button of a display."""

    button: str
    group: str  # mode, level or wall
    value: str
    chosen: bool


def modes(players: int) -> tuple[str, ...]:
    """The modes that a number of players can choose from."""
    if players == 1:
        return (SOLO,)
    return tuple(name for name, each in rules.RULESETS.items() if 2 <= players <= each.most_players)


def menu(table: Table) -> tuple[MenuItem, ...]:
    """What can be chosen now, display by display: the mode; alone, the level and the player board's wall."""
    choices = [("mode", mode) for mode in modes(len(table.taken))]
    if choices == [("mode", SOLO)]:
        choices = [*(("level", level) for level in LEVELS), *(("wall", wall) for wall in WALLS)]
    return tuple(
        MenuItem(source_button(display), group, value, getattr(table.wishes, group) == value)
        for display, (group, value) in enumerate(choices, start=1)
    )


def why_not_enough(table: Table) -> Why | None:
    """What is missing for a game of those who sit here; None when it can begin."""
    players = len(table.taken)
    if not modes(players) or (players == 1 and table.places < len(SOLO_PLACES)):
        return Why.TOO_FEW_SEATS
    needed = SOLO_DISPLAYS if players == 1 else DISPLAYS[players]
    return Why.NOT_ENOUGH_DISPLAYS if needed > table.displays else None


def take_seat(table: Table, place: int) -> Table:
    """Sit down at a free place."""
    if place in table.taken:
        raise RefusedError(Why.SEAT_TAKEN)
    return replace(table, taken=(*table.taken, place))


def go_choosing(table: Table) -> Table:
    """All sit: go on to what is played."""
    if (why := why_not_enough(table)) is not None:
        raise RefusedError(why)
    offered = modes(len(table.taken))
    mode = table.wishes.mode if table.wishes.mode in offered else offered[0]
    return replace(table, choosing=True, wishes=replace(table.wishes, mode=mode))


def choose(table: Table, source: int) -> Table:
    """Choose a mode, or with the centre's button that the one who starts is drawn at random (R3)."""
    if source == CENTRE:
        return replace(table, drawing_first=True)
    for item in menu(table):
        if item.button == source_button(source):
            return replace(table, wishes=_wish(table.wishes, item))
    raise RefusedError(Why.NO_SUCH_MODE)


def _wish(wishes: Wishes, item: MenuItem) -> Wishes:
    match item.group:
        case "level":
            return replace(wishes, level=item.value)
        case "wall":
            return replace(wishes, wall=item.value)
        case _:
            return replace(wishes, mode=item.value)


def begin(table: Table, place: int, at: float) -> Table:
    """Begin the game with the player at `place` (R3); seats follow each other clockwise."""
    if place not in table.taken:
        raise RefusedError(Why.SEAT_EMPTY)
    if table.wishes.mode == SOLO:
        table = _move_to_first_place(table)
        setup = Setup(SOLO, (table.name_of(1),), 0, table.wishes.level, table.wishes.wall)
        places: tuple[int, ...] = SOLO_PLACES
    else:
        places = tuple(sorted(table.taken))
        setup = Setup(table.wishes.mode, tuple(map(table.name_of, places)), places.index(place))
    play = start(setup, places)
    return replace(table, play=play, choosing=False, drawing_first=False, movement=Movement(play, at))


def _move_to_first_place(table: Table) -> Table:
    """Who plays alone sits at the player board, seat 1, and takes the name along."""
    place = table.taken[0]
    names = list(table.names)
    names[0], names[place - 1] = names[place - 1], names[0]
    return replace(table, taken=(1,), names=tuple(names))


def name_player(table: Table, place: int, name: str) -> Table:
    """Note a player's name; a game that has begun keeps the names that it began with."""
    if not 1 <= place <= table.places:
        raise RefusedError(Why.SEAT_EMPTY)
    if table.play is not None:
        raise RefusedError(Why.NOT_NOW)
    said = " ".join(name.split())
    if len(said) > LONGEST_NAME or not said.isprintable():
        raise RefusedError(Why.NAME_TOO_LONG)
    return replace(table, names=(*table.names[: place - 1], said, *table.names[place:]))
