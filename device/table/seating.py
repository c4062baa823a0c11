"""Before a game: taking seats, giving them to opponents, choosing the game and its starting player (R3)."""

from dataclasses import dataclass, replace

from device.rules import game as rules
from device.rules.board import FLOOR, LINES
from device.rules.events import CENTRE
from device.rules.game import SOLO, Setup
from device.rules.solo.game import DISPLAYS as SOLO_DISPLAYS
from device.rules.solo.game import LEVELS, WALLS
from device.rules.standard import DISPLAYS, DTC
from device.table.buttons import seat_button, source_button
from device.table.game import default_name, normalize_name, start
from device.table.state import (
    OPPONENTS,
    CurrentGame,
    GameOptions,
    Movement,
    NextGame,
    OptionsChosen,
    RefusalReason,
    RefusedError,
    Seats,
    Stage,
    Table,
)

HINTS = 5  # the display whose button switches hints; every table has it
SOLO_PLACES = (1, 2)  # the places of a solo game's player board and action board


@dataclass(frozen=True, slots=True)
class MenuItem:
    """An option of the next game, and the button of the source that chooses it."""

    button: str
    group: str  # mode, level, wall or hints
    value: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class SeatItem:
    """A player that a taken place can be given to, by one of its buttons; `bot` is empty for a person."""

    button: str
    place: int
    bot: str
    chosen: bool


def modes(table: Table) -> tuple[str, ...]:
    """Return the modes on offer for the taken seats; bot programs play the bot ruleset only (D3)."""
    players = len(table.seats.taken)
    if players == 1:
        return () if _programs_sit(table) else (SOLO,)
    offered = (name for name, each in rules.RULESETS.items() if 2 <= players <= each.most_players)
    return tuple(name for name in offered if name == DTC.name or not _programs_sit(table))


def _programs_sit(table: Table) -> bool:
    return any(table.seats.bot_at(place) not in ("", *OPPONENTS) for place in table.seats.taken)


def seat_items(table: Table) -> tuple[SeatItem, ...]:
    """Return who can play each taken seat: lines 1 to 4 opponents, 5 the next program, the floor a person."""
    return tuple(
        SeatItem(seat_button(place, line), place, bot, table.seats.bot_at(place) == bot)
        for place in sorted(table.seats.taken)
        for line, bot in _players_by_line(table, place)
    )


def _players_by_line(table: Table, place: int) -> list[tuple[int, str]]:
    """Return lines and their opponents; the fifth goes through the bot programs, the next one first."""
    offered = [(FLOOR, ""), *enumerate(OPPONENTS, start=1)]
    programs = table.settings.opponents.programs
    if not programs:
        return offered
    now = table.seats.bot_at(place)
    following = programs[(programs.index(now) + 1) % len(programs)] if now in programs else programs[0]
    return [*offered, (LINES[-1], following)]


def menu(table: Table) -> tuple[MenuItem, ...]:
    """Return the options on offer, display by display: the mode; for one player the level and the wall.

    The last item switches hints; for one player it is at the centre, which draws no starting player then.
    """
    options = table.next_game.options
    choices = [("mode", mode) for mode in modes(table)]
    if choices == [("mode", SOLO)]:
        choices = [*(("level", level) for level in LEVELS), *(("wall", wall) for wall in WALLS)]
    items = tuple(
        MenuItem(source_button(display), group, value, getattr(options, group) == value)
        for display, (group, value) in enumerate(choices, start=1)
    )
    alone = len(table.seats.taken) == 1
    return (*items, MenuItem(source_button(CENTRE if alone else HINTS), "hints", "on", options.hints))


def why_not_enough(table: Table) -> RefusalReason | None:
    """Return what is missing for a game of the taken seats; None if it can begin."""
    players, settings = len(table.seats.taken), table.settings
    if not modes(table) and _programs_sit(table):
        return RefusalReason.PROGRAM_NEEDS_BOT_GAME
    if not modes(table) or (players == 1 and settings.places < len(SOLO_PLACES)):
        return RefusalReason.TOO_FEW_SEATS
    needed = SOLO_DISPLAYS if players == 1 else DISPLAYS[players]
    return RefusalReason.NOT_ENOUGH_DISPLAYS if needed > settings.displays else None


def take_seat(table: Table, place: int, line: int) -> Table:
    """Take a free place, or change who plays a taken one. Raises RefusedError."""
    seats = table.seats
    if place not in seats.taken:
        return replace(table, seats=replace(seats, taken=(*seats.taken, place)))
    for item in seat_items(table):
        if item.button == seat_button(place, line) and not item.chosen:
            others = tuple(other for other in seats.taken if other != place)
            return replace(table, seats=replace(seats, taken=(*others, place)).with_bot(place, item.bot))
    raise RefusedError(RefusalReason.SEAT_TAKEN)


def undo(table: Table) -> Table:
    """Go one step back before a game. Raises RefusedError.

    From choosing back to the seats; there a waiting card is dropped, else the last change of a seat is
    taken back: an opponent's becomes a person's, a person's becomes free and loses its name.
    """
    seats = table.seats
    if table.stage is Stage.CHOOSING:
        return replace(table, next_game=NextGame(table.next_game.options))
    if table.tags.card is not None:
        return replace(table, tags=replace(table.tags, card=None))
    if not seats.taken:
        raise RefusedError(RefusalReason.NOTHING_TO_UNDO)
    place = seats.taken[-1]
    if seats.bot_at(place):
        return replace(table, seats=seats.with_bot(place, ""))
    return replace(table, seats=replace(seats, taken=seats.taken[:-1]).with_name(place, ""))


def begin_choosing(table: Table) -> Table:
    """Go from the seats to the choosing of a game. Raises RefusedError."""
    if (why := why_not_enough(table)) is not None:
        raise RefusedError(why)
    next_game = NextGame(next_options(table), choosing=True)
    return replace(table, next_game=next_game, tags=replace(table.tags, card=None))


# --- The lobby: what the pages do with one message each ---


def give_seat(table: Table, place: int, bot: str, name: str | None) -> Table:
    """Let an opponent, or with an empty `bot` a person, sit at a place, taken or not; None keeps the name.

    Raises RefusedError.
    """
    _check_lobby(table)
    if not 1 <= place <= table.settings.places:
        raise RefusedError(RefusalReason.NO_SUCH_SEAT)
    if bot not in ("", *opponents_on_offer(table)):
        raise RefusedError(RefusalReason.NO_SUCH_OPPONENT)
    seats = table.seats
    if place not in seats.taken or seats.bot_at(place) != bot:
        others = tuple(other for other in seats.taken if other != place)
        seats = replace(seats, taken=(*others, place)).with_bot(place, bot)
    if name is not None:
        seats = seats.with_name(place, player_name(name))
    return _with_seats(table, seats)


def leave_seat(table: Table, place: int) -> Table:
    """Free a place, with the name of its player. Raises RefusedError."""
    _check_lobby(table)
    seats = table.seats
    if place not in seats.taken:
        raise RefusedError(RefusalReason.SEAT_EMPTY)
    taken = tuple(other for other in seats.taken if other != place)
    return _with_seats(table, replace(seats, taken=taken).with_bot(place, "").with_name(place, ""))


def change_options(table: Table, changes: OptionsChosen) -> Table:
    """Change options of the next game. Raises RefusedError for a mode that the seats taken can't play."""
    _check_lobby(table)
    if changes.mode is not None and changes.mode not in modes(table):
        programs = _programs_sit(table)
        raise RefusedError(
            RefusalReason.PROGRAM_NEEDS_BOT_GAME if programs else RefusalReason.MODE_NOT_FOR_SEATS
        )
    now = table.next_game.options
    options = GameOptions(
        changes.mode or now.mode,
        changes.level or now.level,
        changes.wall or now.wall,
        now.hints if changes.hints is None else changes.hints,
    )
    return replace(table, next_game=replace(table.next_game, options=options))


def start_game(table: Table, first: int | None, at: float) -> Table:
    """Begin the next game with the player at a place, or with None let the place be drawn (R3).

    Raises RefusedError.
    """
    _check_lobby(table)
    if not table.next_game.choosing or why_not_enough(table) is not None:
        table = begin_choosing(table)
    if table.next_game.options.mode == SOLO:
        return begin_game(table, table.seats.taken[0], at)
    if first is not None:
        return begin_game(table, first, at)
    return replace(table, next_game=replace(table.next_game, drawing_first=True))


def play_again(table: Table, at: float) -> Table:
    """Begin the game that is over again, with the same seats; who starts is drawn. Raises RefusedError."""
    if table.stage is not Stage.OVER:
        raise RefusedError(RefusalReason.NOT_NOW)
    return start_game(choose_again(table), None, at)


def opponents_on_offer(table: Table) -> tuple[str, ...]:
    """Return the opponents that a seat can be given to: the table's own, then the bot programs."""
    return (*OPPONENTS, *table.settings.opponents.programs)


def next_options(table: Table) -> GameOptions:
    """Return the options of the next game, with a mode that the seats taken can play."""
    options, offered = table.next_game.options, modes(table)
    return options if options.mode in offered or not offered else replace(options, mode=offered[0])


def _check_lobby(table: Table) -> None:
    """Raise RefusedError unless seats and options can be changed now."""
    if table.stage is Stage.TEACHING:
        raise RefusedError(RefusalReason.TEACHING)
    if table.stage not in (Stage.SEATING, Stage.CHOOSING):
        raise RefusedError(RefusalReason.NOT_NOW)


def _with_seats(table: Table, seats: Seats) -> Table:
    """Return the table with other seats; a game that is being chosen must suit them."""
    after = replace(table, seats=seats)
    if not table.next_game.choosing:
        return after
    options = next_options(after)
    return replace(after, next_game=NextGame(options, choosing=why_not_enough(after) is None))


def choose_again(table: Table) -> Table:
    """End the game in play, over or not, and let the same players choose the next one."""
    last_game = table.play if table.play is not None and table.play.over else None
    next_game = NextGame(table.next_game.options, choosing=True)
    return replace(table, game=None, last_game=last_game, next_game=next_game)


def choose_option(table: Table, source: int) -> Table:
    """Choose a source's item of the menu; the centre draws the starting player (R3). Raises RefusedError."""
    next_game = table.next_game
    for item in menu(table):
        if item.button == source_button(source):
            options = _with_option(next_game.options, item)
            return replace(table, next_game=replace(next_game, options=options))
    if source == CENTRE and table.seats.taken:
        return replace(table, next_game=replace(next_game, drawing_first=True))
    raise RefusedError(RefusalReason.NO_SUCH_MODE)


def _with_option(options: GameOptions, item: MenuItem) -> GameOptions:
    match item.group:
        case "hints":
            return replace(options, hints=not options.hints)
        case "level":
            return replace(options, level=item.value)
        case "wall":
            return replace(options, wall=item.value)
        case _:
            return replace(options, mode=item.value)


def begin_game(table: Table, place: int, at: float) -> Table:
    """Begin the chosen game with the player at `place` (R3). Raises RefusedError.

    The other players follow clockwise. Only names of persons who play are kept.
    """
    if place not in table.seats.taken:
        raise RefusedError(RefusalReason.SEAT_EMPTY)
    places = tuple(sorted(table.seats.taken))
    if table.next_game.options.mode == SOLO:
        table = replace(table, seats=_at_first_place(table.seats))
        place, places = 1, SOLO_PLACES
    play = start(_setup(table, place), places)
    seats = table.seats
    for other in range(1, table.settings.places + 1):
        if other not in seats.taken or seats.bot_at(other):
            seats = seats.with_name(other, "")
    return replace(
        table,
        seats=seats,
        next_game=NextGame(table.next_game.options),
        game=CurrentGame(play, movement=Movement(play, at)),
        last_game=None,
        opponents=replace(table.opponents, stand_ins=()),
    )


def chosen_game(table: Table) -> Setup | None:
    """Return the game that is being chosen, with any starting player; None if none is."""
    if not table.next_game.choosing or table.next_game.options.mode not in modes(table):
        return None
    return _setup(table, min(table.seats.taken))


def _setup(table: Table, first: int) -> Setup:
    """Return the chosen game of the taken seats; `first` is the place of the starting player."""
    options, places = table.next_game.options, sorted(table.seats.taken)
    names = tuple(table.seats.name_at(place) or default_name(place) for place in places)
    if options.mode == SOLO:
        return Setup(SOLO, names, 0, options.level, options.wall)
    return Setup(options.mode, names, places.index(first))


def _at_first_place(seats: Seats) -> Seats:
    """Return the seats of a solo game: its player moves to the player board at place 1, with the name."""
    place = seats.taken[0]
    names, bots = list(seats.names), list(seats.bots)
    for each in (names, bots):
        each[0], each[place - 1] = each[place - 1], each[0]
    moved = Seats(tuple(names), tuple(bots), taken=(1,))
    return moved.with_claim(1, seats.claim_at(place))


def name_player(table: Table, place: int, name: str) -> Table:
    """Note the name of a player before a game. Raises RefusedError."""
    if not 1 <= place <= table.settings.places:
        raise RefusedError(RefusalReason.SEAT_EMPTY)
    if table.game is not None:
        raise RefusedError(RefusalReason.NOT_NOW)
    return replace(table, seats=table.seats.with_name(place, player_name(name)))


def player_name(text: str) -> str:
    """Return a normalized name, which may be empty. Raises RefusedError."""
    try:
        return normalize_name(text)
    except ValueError as error:
        raise RefusedError(RefusalReason.NAME_TOO_LONG) from error
