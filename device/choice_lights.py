"""Choices other than drafts in light: a gray wall's columns, the solo game's squares and penalty tiles."""

from device.appliance import Table
from device.painting import Painting, line_lights, wall_light
from device.palettes import Palette
from device.play import Play, Selection, sent_to_penalty_row
from device.rhythm import STEADY, dimmed, fast, slow
from device.rules import standard
from device.rules.board import FLOOR
from device.rules.events import Draft, Event, Remove, Scoring, Swap, Tile
from device.rules.penalty_row import ACTION, tiles_in
from device.rules.tiles import Colour
from device.turns import choices_of_people
from hardware.api import Rgb


def paint_choices(painting: Painting, table: Table, play: Play, palette: Palette, now: float) -> None:
    """What people can choose pulses slowly, what an opponent has chosen fast.

    A tile whose column is asked for pulses fast on its line.
    """
    for event in choices_of_people(table).values():
        paint_choice(painting, play, event, palette, slow(now) * STEADY, fast(now))
    for chosen in table.chosen:
        if chosen.step:
            paint_choice(painting, play, chosen.choice, palette, fast(now), fast(now))


def paint_choice(
    painting: Painting, play: Play, event: Event, palette: Palette, level: float, of_line: float
) -> None:
    """Light where a choice goes; a tile's line at a level of its own."""
    match event:
        case Tile(seat, row, column):
            place = play.places[seat]
            colour = play.state.boards[seat].colours[row - 1]
            assert colour is not None
            painting[wall_light(place, row, column)] = _light(palette, colour, level)
            for name in line_lights(place, row):
                painting[name] = _light(palette, colour, of_line)
        case Scoring(row, column):
            painting[wall_light(play.places[ACTION], row, column)] = dimmed(palette.marker, level)
        case _:
            _paint_penalty_choice(painting, play, event, palette, level)


def _paint_penalty_choice(
    painting: Painting, play: Play, event: Event, palette: Palette, level: float
) -> None:
    names = line_lights(play.places[ACTION], FLOOR)
    tiles = tiles_in(play.state.boards[ACTION])
    positions = []
    if isinstance(event, Swap):
        positions = [event.position, event.position + 1]
    elif isinstance(event, Remove) and event.position is not None:
        positions = [event.position]
    for position in positions:
        painting[names[position - 1]] = _light(palette, tiles[position - 1], level)


def paint_scoring_tile(painting: Painting, play: Play, palette: Palette) -> None:
    """The scoring tile lies on the action wall until it is covered (S1, S9)."""
    state = play.state
    if not isinstance(state, standard.State) and state.scoring_tile is not None:
        painting[wall_light(play.places[ACTION], *state.scoring_tile)] = dimmed(palette.marker, STEADY)


def paint_sent(painting: Painting, play: Play, selection: Selection, palette: Palette, level: float) -> None:
    """The penalty spaces that a tried draft would fill (S4 to S6)."""
    assert selection.tried is not None
    draft = Draft(selection.source, selection.colour, selection.tried)
    free = line_lights(play.places[ACTION], FLOOR)[len(play.state.boards[ACTION].floor) :]
    for name, colour in zip(free, sent_to_penalty_row(play.state, draft), strict=False):
        painting[name] = _light(palette, colour, level)


def _light(palette: Palette, colour: Colour, level: float) -> Rgb:
    return dimmed(palette.shades[colour].light, level)
