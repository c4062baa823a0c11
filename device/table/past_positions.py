"""Positions of past games at the table: shown in light, or played on from as a game for practice."""

from collections.abc import Mapping
from dataclasses import replace

from device.rules.game import SOLO, Setup
from device.table.game import Play, default_name, start
from device.table.seating import SOLO_PLACES
from device.table.state import (
    OPPONENTS,
    CurrentGame,
    GameOptions,
    Movement,
    NextGame,
    PositionShown,
    PracticeBegun,
    RefusalReason,
    RefusedError,
    Seats,
    Showing,
    Stage,
    Table,
)


def show_position(table: Table, event: PositionShown) -> Table:
    """Show a position of a past game, or stop showing one. Raises RefusedError while a game is in play.

    From one position to the next the lights sweep as in a game.
    """
    if event.play is None:
        return stop_showing(table)
    _check(table, event.play)
    before = table.showing.game.play if table.showing is not None else None
    if before is None or (before.setup, before.places) != (event.play.setup, event.play.places):
        before = start(event.play.setup, event.play.places)
    game = CurrentGame(event.play, movement=Movement(before, event.at))
    step = len(event.play.events)
    return replace(table, showing=Showing(game, event.number, step, event.steps))


def stop_showing(table: Table) -> Table:
    """Return the table without a position that is shown."""
    return table if table.showing is None else replace(table, showing=None)


def begin_practice(table: Table, event: PracticeBegun) -> Table:
    """Begin a game for practice in a position: opponents sit at the given places, people at all others.

    Raises RefusedError, also where the box's own tiles lie on the table: they can't jump to a position.
    """
    play, bots = event.play, dict(event.bots)
    _check(table, play)
    if play.over or table.settings.physical_tiles:
        raise RefusedError(RefusalReason.NOT_NOW)
    players = play.places[: len(play.setup.players)]
    if any(place not in players or bot not in OPPONENTS for place, bot in bots.items()):
        raise RefusedError(RefusalReason.SEAT_EMPTY)
    seats = _seats(table, play, bots)
    names = tuple(seats.name_at(place) or default_name(place) for place in players)
    practice = replace(play, setup=replace(play.setup, players=names), practice=len(play.events))
    before = start(practice.setup, practice.places)
    options = _options(play.setup, table.next_game.options)
    return replace(
        table,
        seats=seats,
        next_game=NextGame(options),
        game=CurrentGame(practice, movement=Movement(before, event.at)),
        last_game=None,
        opponents=replace(table.opponents, stand_ins=()),
        showing=None,
    )


def _check(table: Table, play: Play) -> None:
    """Raise RefusedError unless no game is in play and the table is large enough for a position."""
    if table.game is not None or table.stage in (Stage.UNUSABLE, Stage.TEACHING):
        raise RefusedError(RefusalReason.NOT_NOW)
    if max(play.places) > table.settings.places:
        raise RefusedError(RefusalReason.TOO_FEW_SEATS)
    if len(play.state.sources) - 1 > table.settings.displays:
        raise RefusedError(RefusalReason.NOT_ENOUGH_DISPLAYS)


def _seats(table: Table, play: Play, bots: Mapping[int, str]) -> Seats:
    """Return the seats of a position's players: people keep their names of that game."""
    nobody = ("",) * table.settings.places
    seats = Seats(nobody, nobody, SOLO_PLACES[:1] if play.setup.mode == SOLO else play.places)
    for seat in range(len(play.setup.players)):
        place = play.places[seat]
        if place in bots:
            seats = seats.with_bot(place, bots[place])
        else:
            seats = seats.with_name(place, play.name_of(seat) or "")
    return seats


def _options(chosen: Setup, before: GameOptions) -> GameOptions:
    """Return the options of the next game: those of the position's game, and hints as they are now."""
    return replace(
        before, mode=chosen.mode, level=chosen.level or before.level, wall=chosen.wall or before.wall
    )
