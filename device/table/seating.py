"""Before the game: taking seats, giving them to opponents, and choosing what to play and who starts (R3)."""

from dataclasses import dataclass, replace

from device.rules import game as rules
from device.rules.board import FLOOR, LINES
from device.rules.events import CENTRE
from device.rules.game import SOLO, Setup
from device.rules.solo.game import DISPLAYS as SOLO_DISPLAYS
from device.rules.solo.game import LEVELS, WALLS
from device.rules.standard import DISPLAYS, DTC
from device.table.buttons import seat_button, source_button
from device.table.game import normalize_name, start
from device.table.state import OPPONENTS, GameOptions, Movement, RefusalReason, RefusedError, Table

HINTS = 5
"""The display that allows hints or not; every table has as many."""
SOLO_PLACES = (1, 2)
"""The player board and the action board of a solo game."""


@dataclass(frozen=True, slots=True)
class MenuItem:
    """Something to choose for the next game, on the button of a display."""

    button: str
    group: str  # mode, level or wall
    value: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class SeatItem:
    """Somebody whom a taken seat can be given to, on one of its buttons; an empty name is a person."""

    button: str
    place: int
    bot: str
    chosen: bool


def modes(table: Table) -> tuple[str, ...]:
    """The modes that those who sit here can choose from; a program plays the bot ruleset alone (D3)."""
    players = len(table.taken)
    if players == 1:
        return () if _programs_sit(table) else (SOLO,)
    offered = (name for name, each in rules.RULESETS.items() if 2 <= players <= each.most_players)
    return tuple(name for name in offered if name == DTC.name or not _programs_sit(table))


def _programs_sit(table: Table) -> bool:
    return any(table.bot_at(place) not in ("", *OPPONENTS) for place in table.taken)


def seat_items(table: Table) -> tuple[SeatItem, ...]:
    """Whom taken seats can be given to: lines 1 to 4 an opponent, 5 the next program, the floor a person."""
    return tuple(
        SeatItem(seat_button(place, line), place, bot, table.bot_at(place) == bot)
        for place in sorted(table.taken)
        for line, bot in _on_offer(table, place)
    )


def _on_offer(table: Table, place: int) -> list[tuple[int, str]]:
    """Lines and who is on them; the fifth goes through the programs, and shows the one that is next."""
    offered = [(FLOOR, ""), *enumerate(OPPONENTS, start=1)]
    programs = table.manners.programs
    if not programs:
        return offered
    now = table.bot_at(place)
    following = programs[(programs.index(now) + 1) % len(programs)] if now in programs else programs[0]
    return [*offered, (LINES[-1], following)]


def menu(table: Table) -> tuple[MenuItem, ...]:
    """What can be chosen now, display by display: the mode; alone, the level and the player board's wall.

    And whether hints are allowed: alone at the centre, where nobody has to be drawn.
    """
    choices = [("mode", mode) for mode in modes(table)]
    if choices == [("mode", SOLO)]:
        choices = [*(("level", level) for level in LEVELS), *(("wall", wall) for wall in WALLS)]
    items = tuple(
        MenuItem(source_button(display), group, value, getattr(table.wishes, group) == value)
        for display, (group, value) in enumerate(choices, start=1)
    )
    alone = len(table.taken) == 1
    return (*items, MenuItem(source_button(CENTRE if alone else HINTS), "hints", "on", table.wishes.hints))


def why_not_enough(table: Table) -> RefusalReason | None:
    """What is missing for a game of those who sit here; None when it can begin."""
    players = len(table.taken)
    if not modes(table) and _programs_sit(table):
        return RefusalReason.PROGRAM_NEEDS_BOT_GAME
    if not modes(table) or (players == 1 and table.places < len(SOLO_PLACES)):
        return RefusalReason.TOO_FEW_SEATS
    needed = SOLO_DISPLAYS if players == 1 else DISPLAYS[players]
    return RefusalReason.NOT_ENOUGH_DISPLAYS if needed > table.displays else None


def take_seat(table: Table, place: int, line: int) -> Table:
    """Sit down at a free place, or give a taken one to an opponent, or back to a person."""
    if place not in table.taken:
        return replace(table, taken=(*table.taken, place))
    for item in seat_items(table):
        if item.button == seat_button(place, line) and not item.chosen:
            others = tuple(other for other in table.taken if other != place)
            return with_bot(replace(table, taken=(*others, place)), place, item.bot)
    raise RefusedError(RefusalReason.SEAT_TAKEN)


def leave_seat(table: Table) -> Table:
    """Take back what was last done to a seat: an opponent's is a person's again, a person's is free.

    Whoever gets up takes their name along.
    """
    place = table.taken[-1]
    if table.bot_at(place):
        return with_bot(table, place, "")
    return _with_name(replace(table, taken=table.taken[:-1]), place, "")


def with_bot(table: Table, place: int, bot: str) -> Table:
    """Give a place to an opponent; with an empty name back to a person."""
    return replace(table, bots=(*table.bots[: place - 1], bot, *table.bots[place:]))


def begin_choosing(table: Table) -> Table:
    """All sit: go on to what is played."""
    if (why := why_not_enough(table)) is not None:
        raise RefusedError(why)
    offered = modes(table)
    mode = table.wishes.mode if table.wishes.mode in offered else offered[0]
    return replace(table, choosing=True, wishes=replace(table.wishes, mode=mode))


def choose_again(table: Table) -> Table:
    """After a game, or instead of it: the same players choose what is played next."""
    return replace(
        table,
        play=None,
        last_game=table.play if table.play is not None and table.play.over else None,
        selection=None,
        colour_in_hand=None,
        told=(),
        movement=None,
        question=None,
        ceremony=None,
        choosing=True,
        hands_due=False,
    )


def choose_option(table: Table, source: int) -> Table:
    """Choose what stands on the menu, or with the centre's button that who starts is drawn at random (R3)."""
    for item in menu(table):
        if item.button == source_button(source):
            return replace(table, wishes=_wish(table.wishes, item))
    if source == CENTRE:
        return replace(table, drawing_first=True)
    raise RefusedError(RefusalReason.NO_SUCH_MODE)


def _wish(wishes: GameOptions, item: MenuItem) -> GameOptions:
    match item.group:
        case "level":
            return replace(wishes, level=item.value)
        case "wall":
            return replace(wishes, wall=item.value)
        case "hints":
            return replace(wishes, hints=not wishes.hints)
        case _:
            return replace(wishes, mode=item.value)


def begin_game(table: Table, place: int, at: float) -> Table:
    """Begin the game with the player at `place` (R3); seats follow each other clockwise.

    Only those who play it are remembered by name, not who sat where an opponent sits now.
    """
    if place not in table.taken:
        raise RefusedError(RefusalReason.SEAT_EMPTY)
    solo = table.wishes.mode == SOLO
    if solo:
        table = _move_to_first_place(table)
        place = 1
    play = start(_setup(table, place), SOLO_PLACES if solo else tuple(sorted(table.taken)))
    for other in range(1, table.places + 1):
        if other not in table.taken or table.bot_at(other):
            table = _with_name(table, other, "")
    begun = replace(table, play=play, choosing=False, drawing_first=False, movement=Movement(play, at))
    return replace(begun, last_game=None, stand_ins=(), hands_due=False)


def chosen_game(table: Table) -> Setup | None:
    """The game that would be played, whoever starts; None while it is not being chosen."""
    if not table.choosing or table.wishes.mode not in modes(table):
        return None
    return _setup(table, min(table.taken))


def _setup(table: Table, first: int) -> Setup:
    """The chosen game of those who sit here, with who starts by place."""
    wishes, places = table.wishes, sorted(table.taken)
    names = tuple(map(table.name_of, places))
    if wishes.mode == SOLO:
        return Setup(SOLO, names, 0, wishes.level, wishes.wall)
    return Setup(wishes.mode, names, places.index(first))


def _move_to_first_place(table: Table) -> Table:
    """Who plays alone sits at the player board, seat 1, and takes the name along."""
    place = table.taken[0]
    names, bots = list(table.names), list(table.bots)
    for each in (names, bots):
        each[0], each[place - 1] = each[place - 1], each[0]
    return replace(table, taken=(1,), names=tuple(names), bots=tuple(bots))


def name_player(table: Table, place: int, name: str) -> Table:
    """Note a player's name; a game that has begun keeps the names that it began with."""
    if not 1 <= place <= table.places:
        raise RefusedError(RefusalReason.SEAT_EMPTY)
    if table.play is not None:
        raise RefusedError(RefusalReason.NOT_NOW)
    try:
        said = normalize_name(name)
    except ValueError as error:
        raise RefusedError(RefusalReason.NAME_TOO_LONG) from error
    return _with_name(table, place, said)


def _with_name(table: Table, place: int, name: str) -> Table:
    return replace(table, names=(*table.names[: place - 1], name, *table.names[place:]))
