"""Light view: `view(table, now, palette)` returns the colour of every light at one moment.

Steady: a tile lies there. Slow pulse: can be chosen. Fast pulse: chosen. One short flash: refused. Sweep:
tiles move. Two beats and a pause on the status light: a part of the table is lost.
"""

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Final

from device.lights.animation import (
    ADVISED,
    CAN_BE_CHOSEN,
    CHOSEN,
    FAINT,
    FLASH,
    FRAMES_A_SECOND,
    STEADY,
    Beating,
    Level,
    Moving,
    Pulsing,
    colour_at,
    dimmed,
    frame_time,
    mixed,
    next_time,
)
from device.lights.board import (
    Painting,
    free_spaces,
    line_lights,
    merge_single_lights,
    paint_boards,
    paint_choice,
    paint_score_animation,
    paint_scoring_tile,
    paint_sent,
    paint_sources,
    selected_lights,
    source_lights,
    wall_light,
)
from device.lights.celebration import is_celebrating, paint_celebration, winners
from device.lights.palettes import Palette
from device.rules.board import FLOOR, LINES
from device.rules.dealing import DISPLAY_TILES
from device.rules.events import CENTRE, Draft
from device.rules.game import SOLO
from device.rules.solo.penalty_row import ACTION
from device.rules.tiles import COLOURS, TILES_OF_A_COLOUR, Colour
from device.table.buttons import place_and_line_of, source_of
from device.table.game import Play
from device.table.lessons import Step, explained, nearly_complete_row
from device.table.physical_tiles import NOWHERE, PENALTY_ROW, Slot, next_slot, slots
from device.table.preferences import previewing
from device.table.prompts import acting_places, lines_for_selection, live_buttons, sources_on_offer
from device.table.seating import menu
from device.table.state import OPPONENTS, CurrentGame, Question, Stage, Table
from device.table.tag_input import seats_for_a_card
from device.table.tags import TileTag, next_meaning, tile_counts
from device.table.turns import choices_of_people
from hardware import api
from hardware.api import DARK, LightFrame, Rgb

TURN: Final[Rgb] = (120, 255, 120)
OFFERED: Final[Rgb] = (150, 150, 130)
OPPONENT: Final[Rgb] = (60, 160, 255)
TEACHING: Final[Rgb] = (90, 120, 255)
REFUSED: Final[Rgb] = (255, 60, 40)
LOST: Final[Rgb] = (255, 90, 0)
CREST: Final[Rgb] = (255, 255, 255)  # the front of a sweep
SWEEP: Final = 0.06  # seconds of a sweep for each light that changes, up to LONGEST_SWEEP
LONGEST_SWEEP: Final = 1.2
GUIDING: Final = 6.0  # seconds for which the lights show people what to move (physical tiles)


def view(table: Table, now: float, palette: Palette) -> LightFrame:
    """Return what every light shows at `now`, in seconds on the clock of the events."""
    brightness, painting = table.settings.brightness, paint(table, now, palette)
    return LightFrame({name: dimmed(colour_at(shown, now), brightness) for name, shown in painting.items()})


def paint(table: Table, now: float, palette: Palette) -> Painting:
    """Return what every light shows from `now` on, until something passes or the table changes."""
    painting = Painting(palette, now)
    foremost: list[str] = []
    match table.stage:
        case Stage.UNUSABLE:
            painting.paint([api.STATUS], REFUSED, CHOSEN)
        case Stage.SEATING:
            _paint_seating(painting, table)
        case Stage.CHOOSING:
            _paint_choosing(painting, table)
        case Stage.TEACHING:
            _paint_lesson(painting, table)
        case _:
            foremost = _paint_game(painting, table)
    _paint_status(painting, table)
    _paint_refusal(painting, table)
    if previewing(table, now):
        _paint_preview(painting)
    merge_single_lights(painting, table.settings.equipment.single, foremost)
    return painting


def _paint_preview(painting: Painting) -> None:
    """Light one display after another in the five colours, as they look in a game."""
    for display, colour in enumerate(COLOURS, start=1):
        painting.paint_tiles(source_lights(display), colour, STEADY)


def is_passing(table: Table, now: float) -> bool:
    """Return whether something is shown that comes to an end: a flash, a preview, a sweep, a celebration."""
    game = table.game
    if table.refusal is not None and now - table.refusal.at < FLASH:
        return True
    if previewing(table, now):
        return True
    if game is None:
        return False
    if game.animation is not None or is_celebrating(game.play, game.over_since, now):
        return True
    return not game.tiles_to_move and _is_moving(table, game, now)


# --- Successive frames ---


class FrameMaker:
    """Maker of the successive frames of a layout's lights.

    A table at rest is painted once; then only its moving lights are computed for each frame.
    """

    def __init__(self, names: Sequence[str], limit: Callable[[LightFrame], LightFrame]) -> None:
        """`names` are the layout's lights; every frame passes through `limit` (electric current)."""
        self.names = names
        self._limit = limit
        self._key: tuple[Table, Palette] | None = None  # what was painted, if it may be used again
        self._steady: dict[str, Rgb] = {}
        self._moving: dict[Moving, list[str]] = {}
        self._frame = LightFrame({})

    def at(self, table: Table, now: float, palette: Palette) -> LightFrame:
        """Return the frame at `now`, in seconds on the clock of the events.

        While all lights are steady it is the same object. Rhythms change at frame times only; a flash begins
        at once.
        """
        passing = is_passing(table, now)
        if not passing:
            now = frame_time(now)
        if passing or self._key is None or self._key[0] is not table or self._key[1] is not palette:
            self._key = None if passing else (table, palette)
            self._paint(paint(table, now, palette), table.settings.brightness)
        elif not self._moving:
            return self._frame
        brightness = table.settings.brightness
        moving: dict[str, Rgb] = {}
        for light, names in self._moving.items():
            moving |= dict.fromkeys(names, dimmed(light.at(now), brightness))
        self._frame = self._limit(LightFrame(self._steady, moving))
        return self._frame

    def next_time(self, now: float) -> float:
        """Return when the next frame is due: never while all lights are steady and the table rests."""
        moves = self._key is None or self._moving
        return next_time(now, FRAMES_A_SECOND) if moves else inf

    def _paint(self, painting: Painting, brightness: float) -> None:
        """Keep the layout's lights of a painting, the steady ones at the brightness (0 to 1)."""
        self._steady, self._moving = {}, {}
        for name in self.names:
            shown = painting.get(name)
            if isinstance(shown, tuple):
                self._steady[name] = dimmed(shown, brightness)
            elif shown is not None:
                self._moving.setdefault(shown, []).append(name)


class FrameColours:
    """The colours of successive frames, three bytes for each of a layout's lights in its order."""

    def __init__(self, names: Sequence[str]) -> None:
        self._places = {name: slice(3 * at, 3 * at + 3) for at, name in enumerate(names)}
        self._frame = LightFrame({})
        self._colours = bytearray(3 * len(names))

    def after(self, frame: LightFrame) -> bytes:
        """Return the colours of the next frame."""
        for name, colour in frame.changes(self._frame).items():
            self._colours[self._places[name]] = bytes(colour)
        self._frame = frame
        return bytes(self._colours)


# --- Before a game, and lessons ---


def _paint_seating(painting: Painting, table: Table) -> None:
    for place in range(1, table.settings.places + 1):
        level: Level = STEADY if place in table.seats.taken else CAN_BE_CHOSEN * 0.5
        if table.tags.card is not None and place in seats_for_a_card(table):
            level = CHOSEN
        painting.paint([api.turn_light(place)], TURN, level)
        _paint_opponent(painting, table, place)


def _paint_opponent(painting: Painting, table: Table, place: int) -> None:
    """Light as many lines as an opponent's number; for a bot program lights of the fifth line only."""
    bot = table.seats.bot_at(place) if place in table.seats.taken else ""
    programs = table.settings.opponents.programs
    names: list[str] = []
    if bot in OPPONENTS:
        names = [name for line in range(1, OPPONENTS.index(bot) + 2) for name in line_lights(place, line)]
    elif bot in programs:
        names = line_lights(place, len(LINES))[: programs.index(bot) + 1]
    painting.paint(names, OPPONENT, STEADY)


def _paint_choosing(painting: Painting, table: Table) -> None:
    """Light the options on the sources; the seats ask for the starting player, and the centre draws."""
    for item in menu(table):
        light = OPPONENT if item.group == "hints" else OFFERED
        level = CHOSEN if item.chosen else CAN_BE_CHOSEN * 0.5
        painting.paint(source_lights(source_of(item.button) or CENTRE)[:DISPLAY_TILES], light, level)
    for place in table.seats.taken:
        painting.paint([api.turn_light(place)], TURN, CAN_BE_CHOSEN)
        _paint_opponent(painting, table, place)
    if table.next_game.options.mode != SOLO:
        painting.paint([api.centre_light(1)], OFFERED, CAN_BE_CHOSEN)


def _paint_lesson(painting: Painting, table: Table) -> None:
    """Light one of the displays' first 20 lights for each known tile of the colour that is taught.

    The status light pulses fast while a tag is waited for.
    """
    assert table.tags.lesson is not None
    meaning = next_meaning(table.tags.lesson, table.tags.known)
    painting.paint([api.STATUS], TEACHING, CHOSEN if meaning is not None else STEADY)
    if not isinstance(meaning, TileTag):
        return
    known = tile_counts(table.tags.known)[meaning.colour]
    for number in range(min(known + 1, TILES_OF_A_COLOUR)):
        display, at = divmod(number, DISPLAY_TILES)
        if display + 1 in table.settings.equipment.single:  # steady when all four of its tiles are known
            at, is_known = 0, known >= (display + 1) * DISPLAY_TILES
        else:
            is_known = number < known
        name = source_lights(display + 1)[at]
        painting.paint_tiles([name], meaning.colour, STEADY if is_known else CHOSEN)


# --- The game ---


def _paint_game(painting: Painting, table: Table) -> list[str]:
    """Light the game; return the names of the lights that matter most now."""
    game, physical = table.game, table.settings.physical_tiles
    assert game is not None
    play, foremost = game.play, list[str]()
    moving = _is_moving(table, game, painting.now)
    if game.animation is not None:
        paint_score_animation(painting, play, game.animation)
    elif game.over_since is not None and is_celebrating(play, game.over_since, painting.now):
        moving = False
        paint_celebration(painting, play, game.over_since)
    else:
        paint_boards(painting, play)
        resting = moving or (physical and game.question is Question.YOUR_BOARD)
        _paint_sources(painting, table, game, STEADY if resting else CAN_BE_CHOSEN)
    paint_scoring_tile(painting, play)
    if moving:
        foremost = (_guide if physical else _sweep)(painting, game)
    elif game.selection is not None:
        foremost = selected_lights(play.state, game.selection.source, game.selection.colour)
        _paint_targets(painting, table, game)
    elif table.stage is Stage.CHOICE:
        _paint_choices(painting, table, game)
    elif table.stage is Stage.REPORTING:
        foremost = _paint_reported(painting, game)
    if not moving:
        _paint_explained(painting, table)
    for hint in game.hints:
        if isinstance(hint.choice, Draft):
            foremost = _paint_advice(painting, play, hint.choice)
    _paint_turn(painting, table, play)
    return foremost


def _paint_sources(painting: Painting, table: Table, game: CurrentGame, offered: Level) -> None:
    """Light the sources: tiles on offer at the level `offered`, selected ones fast; advised ones swell."""
    selection = game.selection
    on_offer = sources_on_offer(table)
    shown = explained(table)
    offered_sources = (CENTRE,) if shown is not None and shown.step is Step.CENTRE else on_offer
    drafts = [each.choice for each in game.hints if isinstance(each.choice, Draft)]
    advised = {(draft.source, draft.colour) for draft in drafts}

    def level_of(source: int, colour: Colour) -> Level:
        if (source, colour) in advised:
            return ADVISED
        if selection is not None and (source, colour) == (selection.source, selection.colour):
            return CHOSEN
        takes = source in offered_sources and game.colour_in_hand in (None, colour)
        return offered if takes else STEADY

    paint_sources(painting, game.play.state, level_of)


def _paint_explained(painting: Painting, table: Table) -> None:
    """Pulse the line or the row of a wall that the table explains to people in their first game."""
    shown = explained(table)
    names: list[str] = []
    if shown is not None and shown.step in (Step.BEGUN, Step.FULL) and table.acting_place is not None:
        names = line_lights(table.acting_place, int(shown.values["line"]))
    elif shown is not None and shown.step is Step.ROW and (found := nearly_complete_row(table)) is not None:
        names = [wall_light(*found, column) for column in LINES]
    for name in names:
        if isinstance(light := painting.get(name), tuple):
            painting[name] = Pulsing(_full(light), CAN_BE_CHOSEN)


def _full(light: Rgb) -> Rgb:
    """Return the light that is shown at the level STEADY."""
    red, green, blue = (min(255, round(channel / STEADY)) for channel in light)
    return red, green, blue


def _paint_targets(painting: Painting, table: Table, game: CurrentGame) -> None:
    """Light faintly the spaces that the selected tiles would fill on each legal line and on the floor.

    The first draft from the centre fills a space of the floor with the marker, too (R6). In solo a line
    that is tried pulses fast, and so do the tiles that it would send to the penalty row.
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
        level = CHOSEN if line == selection.tried else FAINT + FAINT * CAN_BE_CHOSEN
        extra = marker if line == FLOOR else 0
        spaces = free_spaces(place, board, line, tiles + extra)
        painting.paint(spaces[:extra], painting.palette.marker, level)
        painting.paint_tiles(spaces[extra:], selection.colour, level)
    if selection.tried is not None:
        paint_sent(painting, play, selection)


def _paint_choices(painting: Painting, table: Table, game: CurrentGame) -> None:
    """Pulse the choices other than drafts: people's slowly, those that opponents have made fast."""
    for event in choices_of_people(table).values():
        paint_choice(painting, game.play, event, CAN_BE_CHOSEN * STEADY, CHOSEN)
    for each in game.bot_choices:
        if each.step:
            paint_choice(painting, game.play, each.choice, CHOSEN, CHOSEN)
    for hint in game.hints:
        paint_choice(painting, game.play, hint.choice, ADVISED, CHOSEN)


def _paint_reported(painting: Painting, game: CurrentGame) -> list[str]:
    """Light the reported tiles, and pulse the space of the next one; return the lights of that space."""
    for slot, tile in zip(slots(game.play), game.reported_tiles, strict=False):
        painting.paint_tiles(_slot_lights(game.play, slot), tile.colour, STEADY)
    next_one = next_slot(game)
    due = _slot_lights(game.play, next_one) if next_one is not None else []
    painting.paint(due, OFFERED, CHOSEN)
    return due


def _slot_lights(play: Play, slot: Slot) -> list[str]:
    if slot.display == NOWHERE:
        return []
    penalty = slot.display == PENALTY_ROW
    names = line_lights(play.places[ACTION], FLOOR) if penalty else source_lights(slot.display)
    return names[slot.at - 1 : slot.at]


def _paint_advice(painting: Painting, play: Play, draft: Draft) -> list[str]:
    """Light the spaces that an advised draft would fill; return the lights of its tiles."""
    seat = play.state.turn
    tiles = play.state.sources[draft.source][draft.colour]
    if draft.line != FLOOR or play.state.keeps_score(seat):
        spaces = free_spaces(play.places[seat], play.state.boards[seat], draft.line, tiles)
        painting.paint_tiles(spaces, draft.colour, ADVISED)
    return selected_lights(play.state, draft.source, draft.colour)


def _paint_turn(painting: Painting, table: Table, play: Play) -> None:
    """Light the seats that have a choice, and after the game those of the winners."""
    if table.stage is Stage.OVER:
        for seat in winners(play):
            painting.paint([api.turn_light(play.places[seat])], TURN, STEADY)
    for place in acting_places(table):
        painting.paint([api.turn_light(place)], TURN, STEADY)


# --- Movement ---


def _is_moving(table: Table, game: CurrentGame, now: float) -> bool:
    """Return whether the last movement is still shown; people move physical tiles, which takes longer."""
    if game.movement is None or game.selection is not None or table.stage is Stage.REPORTING:
        return False
    if game.animation is not None and game.animation.shown:
        return False
    longest = GUIDING if table.settings.physical_tiles else LONGEST_SWEEP
    return game.tiles_to_move or now - game.movement.at < longest


def _changes(painting: Painting, game: CurrentGame) -> tuple[Painting, list[str]]:
    """Return the lights before the movement, and those that changed: first left ones, then reached ones."""
    assert game.movement is not None
    before = Painting(painting.palette, painting.now)
    paint_boards(before, game.movement.before)
    paint_sources(before, game.movement.before.state)
    changed = [name for name in before if name not in painting]
    changed += [name for name, light in painting.items() if before.get(name, DARK) != light]
    return before, changed


def _sweep(painting: Painting, game: CurrentGame) -> list[str]:
    """Show the changed lights one after another, and a crest that moves over them; return its lights.

    The crest passes evenly from one light to the next: each grows to it and fades to what it shows then.
    """
    assert game.movement is not None
    before, changed = _changes(painting, game)
    if not changed:
        return []
    seconds = min(LONGEST_SWEEP, SWEEP * len(changed))
    passed = max(0.0, painting.now - game.movement.at)  # a press may be timed after the loop's last look
    arrived, part = divmod(passed / seconds * len(changed), 1)
    crest = changed[int(arrived) : int(arrived) + 2]
    for name in changed[int(arrived) + 1 :]:
        painting[name] = before.get(name, DARK)
    for name, share in zip(crest, (1 - part, part), strict=False):
        painting[name] = mixed(colour_at(painting.get(name, DARK), painting.now), CREST, share)
    return crest


def _guide(painting: Painting, game: CurrentGame) -> list[str]:
    """Show which physical tiles to move: pulse fast where they leave, slowly where they go; return all."""
    before, changed = _changes(painting, game)
    for name in changed:
        leaves = name not in painting
        light = before[name] if leaves else painting[name]
        if isinstance(light, tuple):
            painting[name] = Pulsing(light, CHOSEN if leaves else CAN_BE_CHOSEN)
    return changed


# --- Status and refusals ---


def _paint_status(painting: Painting, table: Table) -> None:
    """Pulse the status light while `ok` would do something; beat while a part is lost."""
    if table.faults.store is None and table.tags.lesson is None:
        painting.paint([api.STATUS], OFFERED, CAN_BE_CHOSEN if api.OK in live_buttons(table) else FAINT)
    if table.faults.parts:
        painting[api.STATUS] = Beating(LOST, painting.get(api.STATUS, DARK))


def _paint_refusal(painting: Painting, table: Table) -> None:
    if table.refusal is not None and 0 <= painting.now - table.refusal.at < FLASH:
        painting.paint(_lights_at(table, table.refusal.flash), REFUSED, 1.0)


def _lights_at(table: Table, button: str) -> Iterable[str]:
    """Return the lights next to a button; the status light if the table has none there."""
    if (source := source_of(button)) is not None:
        return source_lights(source)
    found = place_and_line_of(button) if table.settings.equipment.boards else None
    if found is not None and found[0] <= table.settings.places:
        return line_lights(*found)
    return (api.STATUS,)
