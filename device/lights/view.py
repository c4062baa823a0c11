"""The light language: `view(table, now, palette)` says what every light shows at a moment.

Steady: a tile lies here. Slow pulse: can be chosen. Fast pulse: chosen. One short flash: refused.
Sweep: something moves. Two beats and a pause, on the status light: a part of the table is lost.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from device.lights.animation import FAINT, FLASH, SLOW, STEADY, beats, dimmed, fast, frame_time, slow, swell
from device.lights.board import (
    ROUND,
    Painting,
    free_spaces,
    lights_of_selection,
    line_lights,
    merge_single_lights,
    paint_board,
    paint_choice,
    paint_choices,
    paint_lesson,
    paint_score,
    paint_scoring_tile,
    paint_sent,
    paint_sources,
    source_lights,
)
from device.lights.palettes import Palette
from device.lights.score_animation import paint_score_animation
from device.rules.board import FLOOR, LINES
from device.rules.events import CENTRE, Draft
from device.rules.game import SOLO
from device.rules.scoring import Outcome
from device.rules.solo.penalty_row import ACTION
from device.rules.tiles import Colour
from device.table.buttons import place_and_line_of, source_of
from device.table.game import Play, Selection
from device.table.physical_tiles import NOWHERE, PENALTY_ROW, Slot, next_slot, slots
from device.table.prompts import acting_places, lines_for_selection, live_buttons, sources_on_offer
from device.table.seating import menu
from device.table.state import OPPONENTS, CurrentGame, Question, Stage, Table
from device.table.tag_input import seats_for_a_card
from hardware import api
from hardware.api import DARK, LightFrame, Rgb

TURN: Final[Rgb] = (120, 255, 120)
OFFERED: Final[Rgb] = (150, 150, 130)
OPPONENT: Final[Rgb] = (60, 160, 255)
REFUSED: Final[Rgb] = (255, 60, 40)
LOST: Final[Rgb] = (255, 90, 0)
CREST: Final[Rgb] = (255, 255, 255)
"""The front of a sweep."""
SWEEP: Final = 0.06
"""Seconds that a sweep takes for each light that changes, up to its longest."""
LONGEST_SWEEP: Final = 1.2
GUIDING: Final = 6.0
"""Seconds for which the lights show hands what to move."""


def view(table: Table, now: float, palette: Palette) -> LightFrame:
    """What every light shows at `now` (seconds, the clock of the events)."""
    now = frame_time(now)
    painting = Painting()
    foremost: list[str] = []
    match table.stage:
        case Stage.UNUSABLE:
            painting[api.STATUS] = dimmed(REFUSED, fast(now))
        case Stage.SEATING:
            _paint_seating(painting, table, now)
        case Stage.CHOOSING:
            _paint_choosing(painting, table, now)
        case Stage.TEACHING:
            paint_lesson(painting, table, palette, now)
        case _:
            foremost = _paint_play(painting, table, now, palette)
    _paint_status(painting, table, now)
    _paint_refusal(painting, table, now)
    merge_single_lights(painting, table.settings.equipment.single, foremost, now)
    return LightFrame(painting)


def repeats_after(table: Table, now: float) -> float | None:
    """Seconds after which its lights come again and again; None where more than their rhythms moves them.

    A ceremony goes on by itself, a flash and a sweep come to their end.
    """
    now = frame_time(now)
    flashing = table.refusal is not None and now - table.refusal.at < FLASH
    game = table.game
    scoring = game is not None and game.animation is not None
    moving = game is not None and _is_moving(table, game, now) and not game.tiles_to_move
    if flashing or moving or scoring:
        return None
    return ROUND if table.settings.equipment.single else SLOW


# --- Before the game -------------------------------------------------------------------------------------


def _paint_seating(painting: Painting, table: Table, now: float) -> None:
    for place in range(1, table.settings.places + 1):
        level = STEADY if place in table.seats.taken else slow(now) * 0.5
        if table.tags.card is not None and place in seats_for_a_card(table):
            level = fast(now)
        painting[api.turn_light(place)] = dimmed(TURN, level)
        _paint_opponent(painting, table, place)


def _paint_opponent(painting: Painting, table: Table, place: int) -> None:
    """An opponent's strength as lines that are lit, the more the stronger; a program as the fifth line alone.

    So many of its lights as the program's number among the settings'.
    """
    bot = table.seats.bot_at(place) if place in table.seats.taken else ""
    lines: list[str] = []
    if bot in OPPONENTS:
        lines = [name for line in range(1, OPPONENTS.index(bot) + 2) for name in line_lights(place, line)]
    elif bot in table.settings.opponents.programs:
        lines = line_lights(place, len(LINES))[: table.settings.opponents.programs.index(bot) + 1]
    for name in lines:
        painting[name] = dimmed(OPPONENT, STEADY)


def _paint_choosing(painting: Painting, table: Table, now: float) -> None:
    """What can be chosen stands on the displays; who starts is asked at the seats, and the centre draws."""
    for item in menu(table):
        level = fast(now) if item.chosen else slow(now) * 0.5
        light = OPPONENT if item.group == "hints" else OFFERED
        for name in source_lights(source_of(item.button) or CENTRE)[:4]:
            painting[name] = dimmed(light, level)
    for place in table.seats.taken:
        painting[api.turn_light(place)] = dimmed(TURN, slow(now))
        _paint_opponent(painting, table, place)
    if table.next_game.options.mode != SOLO:
        painting[api.centre_light(1)] = dimmed(OFFERED, slow(now))


# --- The game --------------------------------------------------------------------------------------------


def _paint_play(painting: Painting, table: Table, now: float, palette: Palette) -> list[str]:
    """Light the game; the lights of what matters most now, by name."""
    foremost: list[str] = []
    game = table.game
    assert game is not None
    play = game.play
    moving = _is_moving(table, game, now)
    if game.animation is not None:
        paint_score_animation(painting, play, game.animation, palette, now)
    else:
        _paint_boards(painting, play, palette)
        resting = moving or (table.settings.physical_tiles and game.question is Question.YOUR_BOARD)
        _paint_drafts(painting, table, game, STEADY if resting else slow(now), now, palette)
    paint_scoring_tile(painting, play, palette)
    if moving:
        foremost = (_guide if table.settings.physical_tiles else _sweep)(painting, game, now, palette)
    elif game.selection is not None:
        foremost = lights_of_selection(play.state, game.selection, palette)
        _paint_targets(painting, table, game, now, palette)
    elif table.stage is Stage.CHOICE:
        paint_choices(painting, table, game, palette, now)
        for hint in game.hints:
            paint_choice(painting, play, hint.choice, palette, swell(now), fast(now))
    elif table.stage is Stage.REPORTING:
        foremost = _paint_reported(painting, game, now, palette)
    for hint in game.hints:
        if isinstance(hint.choice, Draft):
            foremost = _paint_advice(painting, play, hint.choice, now, palette)
    _paint_turn(painting, table, play, now)
    return foremost


def _paint_advice(painting: Painting, play: Play, draft: Draft, now: float, palette: Palette) -> list[str]:
    """The spaces that an advised draft would fill; the lights of its tiles, which are lit where they lie."""
    seat = play.state.turn
    tiles = play.state.sources[draft.source][draft.colour]
    if draft.line != FLOOR or play.state.keeps_score(seat):
        for name in free_spaces(play.places[seat], play.state.boards[seat], draft.line, tiles):
            painting[name] = dimmed(palette.shades[draft.colour].light, swell(now))
    return lights_of_selection(play.state, Selection(draft.source, draft.colour), palette)


def _paint_boards(painting: Painting, play: Play, palette: Palette) -> None:
    for seat, board in enumerate(play.state.boards):
        paint_board(painting, play.places[seat], board, palette)
        if play.state.keeps_score(seat):
            paint_score(painting, play.places[seat], board.score)


def _paint_reported(painting: Painting, game: CurrentGame, now: float, palette: Palette) -> list[str]:
    """With tiles of resin: those told so far, and the slot that the next one goes to; the lights of that."""
    for slot, tile in zip(slots(game.play), game.reported_tiles, strict=False):
        for name in _slot_lights(game.play, slot):
            painting[name] = dimmed(palette.shades[tile.colour].light, STEADY)
    slot_due = next_slot(game)
    due = _slot_lights(game.play, slot_due) if slot_due is not None else []
    for name in due:
        painting[name] = dimmed(OFFERED, fast(now))
    return due


def _slot_lights(play: Play, slot: Slot) -> list[str]:
    if slot.display == NOWHERE:
        return []
    if slot.display == PENALTY_ROW:
        return line_lights(play.places[ACTION], FLOOR)[slot.at - 1 : slot.at]
    return source_lights(slot.display)[slot.at - 1 : slot.at]


def _paint_drafts(
    painting: Painting, table: Table, game: CurrentGame, offered: float, now: float, palette: Palette
) -> None:
    """The sources: what can be taken pulses slowly, what is selected fast, what is advised twice."""
    selection = game.selection
    on_offer = sources_on_offer(table)
    drafts = [each.choice for each in game.hints if isinstance(each.choice, Draft)]
    advised = {(draft.source, draft.colour) for draft in drafts}

    def level_of(source: int, colour: Colour) -> float:
        if (source, colour) in advised:
            return swell(now)
        if selection is not None and (source, colour) == (selection.source, selection.colour):
            return fast(now)
        takes = source in on_offer and game.colour_in_hand in (None, colour)
        return offered if takes else STEADY

    paint_sources(painting, game.play.state, palette, level_of)


def _paint_targets(painting: Painting, table: Table, game: CurrentGame, now: float, palette: Palette) -> None:
    """The spaces that the selected tiles would fill on each legal line and on the floor, dimmed and pulsing.

    The first draft from the centre costs a floor space for the marker, too (R6). In solo a line that is tried
    pulses fast, and so do the tiles that it would send to the penalty row.
    """
    selection, place, play = game.selection, table.acting_place, game.play
    if selection is None or place is None:
        return
    seat = play.places.index(place)
    board = play.state.boards[seat]
    tiles = play.state.sources[selection.source][selection.colour]
    marker = int(selection.source == CENTRE and play.state.marker_in_centre)
    for line in lines_for_selection(table):
        if line == FLOOR and not play.state.keeps_score(seat):
            continue
        level = fast(now) if line == selection.tried else FAINT + FAINT * slow(now)
        extra = marker if line == FLOOR else 0
        for at, name in enumerate(free_spaces(place, board, line, tiles + extra)):
            light = palette.marker if at < extra else palette.shades[selection.colour].light
            painting[name] = dimmed(light, level)
    if selection.tried is not None:
        paint_sent(painting, play, selection, palette, fast(now))


def _paint_turn(painting: Painting, table: Table, play: Play, now: float) -> None:
    result = play.state.outcome()
    if table.stage is Stage.OVER and isinstance(result, Outcome):
        for seat in result.winners:
            painting[api.turn_light(play.places[seat])] = dimmed(TURN, fast(now))
    for place in acting_places(table):
        painting[api.turn_light(place)] = dimmed(TURN, STEADY)


# --- What moves, what was refused, what `ok` would do ----------------------------------------------------


def _is_moving(table: Table, game: CurrentGame, now: float) -> bool:
    """Whether the last movement is still shown; tiles of resin are moved by hand, which takes longer."""
    if game.movement is None or game.selection is not None or table.stage is Stage.REPORTING:
        return False
    if game.animation is not None and game.animation.shown:
        return False
    longest = GUIDING if table.settings.physical_tiles else LONGEST_SWEEP
    return game.tiles_to_move or now - game.movement.at < longest


def _changes(painting: Painting, game: CurrentGame, palette: Palette) -> tuple[Painting, list[str]]:
    """How it was lit before, and the lights that differ now: those that were left, then those reached."""
    assert game.movement is not None
    before = Painting()
    _paint_boards(before, game.movement.before, palette)
    paint_sources(before, game.movement.before.state, palette, lambda _source, _colour: STEADY)
    changed = [name for name in before if name not in painting]
    changed += [name for name, light in painting.items() if before.get(name, DARK) != light]
    return before, changed


def _sweep(painting: Painting, game: CurrentGame, now: float, palette: Palette) -> list[str]:
    """Hold back what changed: tiles leave one after another, then arrive one after another; the front."""
    assert game.movement is not None
    before, changed = _changes(painting, game, palette)
    seconds = min(LONGEST_SWEEP, SWEEP * len(changed))
    arrived = int((now - game.movement.at) / seconds * len(changed)) if changed else 0
    for name in changed[arrived + 1 :]:
        painting[name] = before.get(name, DARK)
    on_its_way = changed[arrived : arrived + 1]
    for name in on_its_way:
        painting[name] = CREST
    return on_its_way


def _guide(painting: Painting, game: CurrentGame, now: float, palette: Palette) -> list[str]:
    """Show hands what to move: where tiles leave pulses fast, where they go to pulses slowly; all these."""
    before, changed = _changes(painting, game, palette)
    for name in changed:
        leaves = name not in painting
        light = before[name] if leaves else painting[name]
        painting[name] = dimmed(light, fast(now) if leaves else slow(now))
    return changed


def _paint_status(painting: Painting, table: Table, now: float) -> None:
    """The status light pulses while `ok` would do something, and beats while a part is lost."""
    if table.faults.parts and beats(now):
        painting[api.STATUS] = LOST
    elif table.faults.store is None and table.tags.lesson is None:
        level = slow(now) if "ok" in live_buttons(table) else FAINT
        painting[api.STATUS] = dimmed(OFFERED, level)


def _paint_refusal(painting: Painting, table: Table, now: float) -> None:
    if table.refusal is not None and 0 <= now - table.refusal.at < FLASH:
        for name in _lights_at(table, table.refusal.flash):
            painting[name] = REFUSED


def _lights_at(table: Table, button: str) -> Iterable[str]:
    """The lights beside a button; the status light where the table has none such."""
    if (source := source_of(button)) is not None:
        return source_lights(source)
    found = place_and_line_of(button) if table.settings.equipment.boards else None
    if found is not None and found[0] <= table.settings.places:
        return line_lights(*found)
    return (api.STATUS,)


# --- Frames of light: what the table shows, as far as a layout has lights ---


class Frames:
    """Makes frames; while a table rests and only the rhythms go on, those that come again are made once."""

    def __init__(self, names: Sequence[str], limit: Callable[[LightFrame], LightFrame]) -> None:
        self.names = names
        self._limit = limit
        self._kept_of: tuple[Table, Palette] | None = None
        self._kept: dict[float, LightFrame] = {}

    def at(self, table: Table, now: float, palette: Palette) -> LightFrame:
        """What the lights show at `now` (seconds, the clock of the events)."""
        period = repeats_after(table, now)
        if period is None:
            return self._made(table, now, palette)
        if self._kept_of is None or self._kept_of[0] is not table or self._kept_of[1] is not palette:
            self._kept_of, self._kept = (table, palette), {}
        moment = frame_time(now) % period
        if moment not in self._kept:
            self._kept[moment] = self._made(table, now, palette)
        return self._kept[moment]

    def _made(self, table: Table, now: float, palette: Palette) -> LightFrame:
        lit = view(table, now, palette).lit
        return self._limit(LightFrame({name: lit[name] for name in self.names if name in lit}))
