"""The snapshot: the state of the table as JSON, for clients.

It holds no sentences: texts are keys with values, and the pages say them in the language of each reader.
Colours are letters, source 0 is the centre, line 0 the floor, and places count from 1. `SOCKET.md` describes
the keys. The sections "Choices and moves" and "Positions" also describe past games (`device.socket.history`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from enum import Enum
from functools import lru_cache
from typing import Any, Final

from device.lights.palettes import PALETTES, Palette
from device.rules.board import WALL_PATTERN, Board
from device.rules.events import Draft, Event, Remove, Scoring, Swap, Tile
from device.rules.game import MODES, SOLO, State
from device.rules.notation import text_of
from device.rules.scoring import FLOOR_COSTS, BonusGiven, FloorCharged, LineFell, Outcome, Step, TilePlaced
from device.rules.solo.game import LEVELS, WALLS
from device.rules.solo.penalty_row import ACTION
from device.rules.solo.scoring import SoloOutcome
from device.rules.tiles import COLOURS, LETTERS, MARKER, NO_TILES, Colour, letter, letters
from device.table import physical_tiles
from device.table.access import may_report_tiles, pressable_by_phones, seats_by_pages
from device.table.game import Move, Play, Selection, starter
from device.table.lessons import explained
from device.table.opponents import PACES, seats_for_hints
from device.table.prompts import acting_places, asked, lines_for_selection, live_buttons, prompt
from device.table.seating import menu, modes, next_options, opponents_on_offer, seat_items, why_not_enough
from device.table.state import LEAST_BRIGHTNESS, STAND_IN, CurrentGame, Explanation, Hint, Stage, Table
from device.table.tags import LaidTag, Meaning, Tiles, TileTag, next_meaning, serialize_meaning, tile_counts
from device.table.targets import Target, offers
from device.table.turns import choices_of_people

Json = dict[str, Any]

SCHEMA: Final = 3
"""Version of the snapshot and of the messages; it changes when a key goes or changes its meaning."""

MOVES_SHOWN: Final = 8


def snapshot(
    table: Table,
    palette: Palette,
    zero: float = 0.0,
    simulated: Json | None = None,
    palettes: Mapping[str, Palette] = PALETTES,
    joining: Json | None = None,
) -> Json:
    """Return the snapshot of a table.

    `zero` is the Unix time of second 0 of the events' clock; `simulated` describes the simulated parts,
    `palettes` are those that can be chosen, `joining` tells how phones join (see `joining_json`).
    """
    game, play, prompted = table.game, table.play, prompt(table)
    choosing = table.stage is Stage.CHOICE
    return {
        "schema": SCHEMA,
        "stage": table.stage.value,
        "ask": {"say": prompted.key, **prompted.values},
        "asked": asked(table),
        "mode": table.next_game.options.mode if table.next_game.choosing and play is None else None,
        "round": 0,
        "first": None,
        "displays": [],
        "centre": "",
        "marker_in_centre": False,
        "scoring_tile": None,
        "practice": play is not None and play.practice is not None,
        **(game_json(play) if play is not None else {}),
        "menu": [asdict(item) for item in menu(table)] if table.stage is Stage.CHOOSING else [],
        "lobby": _lobby_json(table),
        "opponents": [asdict(item) for item in seat_items(table)] if table.stage is Stage.SEATING else [],
        "seats": [_seat_json(table, place) for place in range(1, table.settings.places + 1)],
        "choice": _choice_json(table),
        "offers": _offers_json(table),
        "choosing": choices_json(play, choices_of_people(table)) if play is not None and choosing else [],
        "resin": _physical_tiles_json(table),
        "tags": _tags_json(table),
        "learning": _lesson_json(table),
        "explaining": table.first_game is not None,
        "lesson_step": _explained_json(table),
        "live": list(live_buttons(table)),
        "phones": _phones_json(table),
        "moves": _moves_json(table, play) if play is not None else [],
        "reason": _reason_json(table),
        "hint": _hints_json(table),
        "account": _account_json(table, game) if game is not None else None,
        "result": _table_result_json(table),
        "refusal": _refusal_json(table),
        "faults": _faults_json(table, zero),
        "simulated": simulated,
        "palette": palette_json(palette),
        "join": joining or joining_json(),
        "settings": _settings_json(table, palettes),
    }


def joining_json(
    addresses: Sequence[str] = (), *, here_only: bool = False, pin: str = "", secret: str = ""
) -> Json:
    """Describe how phones join: the addresses of the pages, the PIN, and the key of its cookies.

    `here_only`: the pages can be opened on this machine only.
    """
    return {"addresses": list(addresses), "here_only": here_only, "pin": pin, "secret": secret}


# --- Choices and moves, of the table and of past games ---


def choice_json(play: Play, event: Event) -> Json:
    """Describe a choice other than a draft; a column or a square has the colour of its tile.

    Raises ValueError for a draft or a chance event.
    """
    state = play.state
    match event:
        case Tile(seat, row, column):
            colour = state.boards[seat].colours[row - 1]
            described = {"kind": "column", "row": row, "column": column, "colour": _value_json(colour)}
            return {"seat": play.places[seat], **described}
        case Scoring(row, column):
            colour = WALL_PATTERN[row - 1][column - 1]
            described = {"kind": "square", "row": row, "column": column, "colour": letter(colour)}
        case Remove(position):
            described = {"kind": "remove", "position": position}
        case Swap(position):
            described = {"kind": "swap", "position": position}
        case _:
            raise ValueError(f"{event} is not made by one button")
    return {"seat": play.places[ACTION], **described}


def choices_json(play: Play, choices: Mapping[str, Event]) -> list[Json]:
    """Describe choices other than drafts with the buttons and the notation that make them."""
    return [
        {"button": button, "token": text_of(event), **choice_json(play, event)}
        for button, event in choices.items()
    ]


def move_json(play: Play, move: Move, name: str | None) -> Json:
    """Describe a draft that was made, with the name of the player."""
    return {
        "seat": play.places[move.seat],
        "name": name,
        "source": move.draft.source,
        "colour": letter(move.draft.colour),
        "count": move.tiles,
        "line": move.draft.line,
        "fell": move.fell,
        "marker": move.marker,
        "token": text_of(move.draft),
    }


def _value_json(value: object) -> object:
    """Return a value of an event or a step as JSON: a colour as its letter, an enum's value."""
    match value:
        case Colour():
            return letter(value)
        case Enum():
            return value.value
        case _:
            return value


# --- Positions, of the table and of past games ---

_PATTERN: Final = ["".join(map(letter, row)) for row in WALL_PATTERN]


def game_json(play: Play) -> Json:
    """Describe what all players of a game share: its mode and round, and the tiles on the sources."""
    state = play.state
    centre, *displays = (letters(tiles) for tiles in state.sources)
    return {
        "mode": play.setup.mode,
        "round": state.round,
        "first": starter(play),
        "displays": displays,
        "centre": centre,
        "marker_in_centre": state.marker_in_centre,
        "scoring_tile": None if state.scoring_tile is None else list(state.scoring_tile),
    }


def seat_json(play: Play | None, place: int, name: str | None, board: Board, *, acting: bool) -> Json:
    """Describe a place and the board there; `taken` is whether it plays in this game."""
    seat = play.seat_at(place) if play is not None else None
    gray = play is not None and seat is not None and play.state.has_gray_wall(seat)
    return {
        "seat": place,
        "taken": seat is not None,
        "role": "action" if play is not None and play.setup.mode == SOLO and seat == ACTION else "player",
        "name": name,
        "acting": acting,
        "score": board.score,
        "marker": play is not None and seat is not None and play.state.marker == seat,
        "lines": [
            letter(colour) * held if colour is not None else ""
            for colour, held in zip(board.colours, board.held, strict=True)
        ],
        "wall": ["".join("." if tile is None else letter(tile) for tile in row) for row in board.wall],
        "pattern": None if gray else _PATTERN,
        "floor": "".join(MARKER.value if tile is MARKER else letter(tile) for tile in board.floor),
        "cost": FLOOR_COSTS[len(board.floor)],
    }


def selection_json(play: Play, selection: Selection, lines: tuple[int, ...]) -> Json:
    """Describe the selected tiles, the lines that may take them, and in solo the line that is tried."""
    return {
        "source": selection.source,
        "colour": letter(selection.colour),
        "count": play.state.sources[selection.source][selection.colour],
        "lines": list(lines),
        "sends": {},
        "tried": selection.tried,
    }


def result_json(play: Play) -> Json | None:
    """Describe how a game ended; None while it is not over."""
    outcome = play.state.outcome()
    if outcome is None:
        return None
    if isinstance(outcome, SoloOutcome):
        return {
            "score": outcome.score,
            "victory": outcome.victory.value.replace(" ", "_"),
            "rule": outcome.why,
            "ending": outcome.ending.name.lower(),
        }
    scores = [
        {
            "seat": place,
            "name": play.name_of(seat),
            "score": outcome.scores[seat],
            "rows": outcome.rows[seat],
            "winner": seat in outcome.winners,
        }
        for seat, place in enumerate(play.places)
    ]
    return {"scores": scores, "tie": _tie(outcome)}


def _tie(outcome: Outcome) -> str:
    """Return how a tie in points was settled (R15): `none` was, by complete `rows`, or it is `shared`."""
    if len(outcome.winners) > 1:
        return "shared"
    return "rows" if outcome.scores.count(max(outcome.scores)) > 1 else "none"


def palette_json(palette: Palette) -> Json:
    """Return the word and the colour of the lights for each letter."""
    return {
        LETTERS[at]: {"name": shade.word, "rgb": "#{:02x}{:02x}{:02x}".format(*shade.light)}
        for at, shade in enumerate(palette.shades)
    }


# --- Seats, selection and scoring of the table ---


def _lobby_json(table: Table) -> Json | None:
    """Before a game, describe what can be chosen for it, and why it can't begin if it can't."""
    if table.stage not in (Stage.SEATING, Stage.CHOOSING):
        return None
    why = why_not_enough(table)
    return {
        "modes": list(modes(table)),
        "all_modes": list(MODES),
        "levels": list(LEVELS),
        "walls": list(WALLS),
        "options": asdict(next_options(table)),
        "opponents": list(opponents_on_offer(table)),
        "ready": why is None,
        "why": None if why is None else why.value,
    }


def _seat_json(table: Table, place: int) -> Json:
    play, name = table.play, table.seats.name_at(place)
    board = shown_boards(table).get(place, Board())
    return {
        **seat_json(play, place, name, board, acting=place in acting_places(table)),
        **({} if play is not None else {"taken": place in table.seats.taken}),
        "bot": table.seats.bot_at(place) or None,
        "claimed": bool(table.seats.claim_at(place)),
        "claim": table.seats.claim_at(place),
        "stand_in": _stand_in_json(table, place),
    }


def _stand_in_json(table: Table, place: int) -> Json | None:
    """Describe why somebody else chose for the opponent at a place, once or from now on."""
    for each in table.opponents.stand_ins:
        if each.place == place and table.play is not None:
            return {"why": each.why, "detail": each.detail, "by": STAND_IN, "for_good": each.for_good}
    return None


def shown_boards(table: Table) -> dict[int, Board]:
    """Return the boards by place as they are shown: during a score animation, after its current step."""
    game = table.game
    if game is None:
        return {}
    boards, account = game.play.state.boards, game.play.state.account
    if game.animation is not None and account is not None:
        boards = account.boards_after(game.animation.shown)
    return dict(zip(game.play.places, boards, strict=True))


def _choice_json(table: Table) -> Json | None:
    """Describe the selection; in solo also the tiles that each line would send to the penalty row."""
    if table.game is None or table.game.selection is None:
        return None
    play, selection = table.game.play, table.game.selection
    lines = lines_for_selection(table)
    sent = {
        str(line): play.state.sent_to_penalty_row(Draft(selection.source, selection.colour, line))
        for line in lines
    }
    sends = {line: "".join(map(letter, tiles)) for line, tiles in sent.items() if tiles}
    offers_now = _offers_of(play.state, play.setup.mode)
    offered = offers_now.get(f"{selection.source}{letter(selection.colour)}", [])
    on_lines = [target for target in offered if target["line"] in lines]
    return {**selection_json(play, selection, lines), "sends": sends, "targets": on_lines}


def _offers_json(table: Table) -> Json:
    """Describe the targets of all tiles that a person can draft now, by source and colour, such as `3r`."""
    if table.play is None or table.acting_place is None or table.bots_turn:
        return {}
    return _offers_of(table.play.state, table.play.setup.mode)


@lru_cache(maxsize=2)
def _offers_of(state: State, mode: str) -> Json:
    """Return the offers of a state; they are kept, as most snapshots have the state of the one before."""
    described: dict[int, list[Json]] = {}  # by identity: many sources share them
    found = {}
    offered = offers(state, mode)
    for (source, colour), targets in offered.items():
        if id(targets) not in described:
            described[id(targets)] = [_target_json(each) for each in targets]
        shared = described[id(targets)]
        tiles = f"{source}{letter(colour)}"
        found[tiles] = [{**each, "token": f"{tiles}{each['line'] or 'f'}"} for each in shared]
    return found


def _target_json(target: Target) -> Json:
    """Describe a target without its notation; values that are 0, false or empty are left out."""
    described: Json = {"line": target.line}
    values = {"placed": target.placed, "floor": target.floor, "fills": target.fills, "cost": target.cost}
    described |= {key: value for key, value in values.items() if value}
    if target.points != 0:
        described["points"] = target.points
    if target.sends:
        described["sends"] = "".join(map(letter, target.sends))
    return described


_STEP_NAMES: Final = {TilePlaced: "placed", LineFell: "fell", FloorCharged: "floor", BonusGiven: "bonus"}


def _account_json(table: Table, game: CurrentGame) -> Json | None:
    """Describe the steps of the last scoring; while it is shown, only those shown so far."""
    play, account = game.play, game.play.state.account
    if account is None:
        return None
    steps = account.steps if game.animation is None else account.steps[: game.animation.shown]
    return {
        "round": account.round,
        "running": game.animation is not None,
        "steps": [{**_step_json(step), **_player_json(table, play, step.seat)} for step in steps],
    }


def _step_json(step: Step) -> Json:
    """Describe a step by its name, its fields, and the score of its board."""
    item = step.item
    name = _STEP_NAMES.get(type(item)) or re.sub(r"(?<!^)(?=[A-Z])", "_", type(item).__name__).lower()
    held = {each.name: _value_json(getattr(item, each.name)) for each in fields(item) if each.name != "board"}
    return {"step": name, "score": item.board.score, **held}


def _player_json(table: Table, play: Play, seat: int) -> Json:
    """Return the place and the name of a player of the game."""
    place = play.places[seat]
    return {"seat": place, "name": table.seats.name_at(place)}


def _table_result_json(table: Table) -> Json | None:
    """Describe the result of the game, after its scoring was shown; before a game, of the last one."""
    play = table.play or table.last_game
    scoring = table.game is not None and table.game.animation is not None
    return None if play is None or scoring else result_json(play)


# --- Moves, the reasons of opponents, and hints ---


def _moves_json(table: Table, play: Play) -> list[Json]:
    """Describe the last drafts, those of opponents with their reasons."""
    drafts = [at for at, event in enumerate(play.events) if isinstance(event, Draft)]
    reasons = {each.at: _reasons_json(table, play, each) for each in table.opponents.explanations}
    return [
        {**move_json(play, move, table.seats.name_at(play.places[move.seat])), "because": reasons.get(at, [])}
        for at, move in zip(drafts[-MOVES_SHOWN:], play.moves[-MOVES_SHOWN:], strict=True)
    ]


def _reason_json(table: Table) -> Json | None:
    """Describe why the opponent that chose last did so, and whether its choice is being shown."""
    game = table.game
    if game is None or not table.opponents.explanations:
        return None
    last = table.opponents.explanations[-1]
    return {
        **_player_json(table, game.play, last.seat),
        "showing": any(each.choice == last.choice and each.step for each in game.bot_choices),
        "because": _reasons_json(table, game.play, last),
    }


def _reasons_json(table: Table, play: Play, explanation: Explanation) -> list[Json]:
    """Describe the reasons of a choice; a seat that a reason names is a place with its name."""
    reasons = []
    for each in explanation.reasons:
        seat = each.values.get("seat")
        player = _player_json(table, play, seat) if isinstance(seat, int) else {}
        reasons.append({"key": each.key, **each.values, **player})
    return reasons


def _hints_json(table: Table) -> Json:
    """Describe whether hints are allowed, the places that may ask, wait or miss one, and the hints."""
    game = table.game
    places = game.play.places if game is not None else ()
    missing = table.opponents.missing_hints if places else ()
    return {
        "allowed": table.next_game.options.hints,
        "seats": [places[seat] for seat in seats_for_hints(table)],
        "asked": [places[each.seat] for each in table.opponents.requests if each.hint],
        "shown": [_hint_json(game.play, each) for each in game.hints] if game is not None else [],
        "missed": [{"seat": places[each.seat], "why": each.why} for each in missing],
    }


def _hint_json(play: Play, hint: Hint) -> Json:
    """Describe a hint: the choice, the points that it gains, and the next best choice."""
    return {
        "seat": play.places[hint.seat],
        "choice": _advised_json(play, hint.choice),
        "gain": None if hint.gain is None else round(hint.gain, 1),
        "next": None if hint.next_best is None else _advised_json(play, hint.next_best),
    }


def _advised_json(play: Play, choice: Event) -> Json:
    if not isinstance(choice, Draft):
        return choice_json(play, choice)
    return {
        "seat": play.places[play.state.turn],
        "kind": "draft",
        "source": choice.source,
        "colour": letter(choice.colour),
        "count": play.state.sources[choice.source][choice.colour],
        "line": choice.line,
    }


def _explained_json(table: Table) -> Json | None:
    """Describe the step of a first game that is explained now."""
    shown = explained(table)
    return None if shown is None else {"key": shown.step.value, **shown.values}


# --- Physical tiles, tags, phones, refusals and faults ---


def _physical_tiles_json(table: Table) -> Json | None:
    """With physical tiles, describe what bag and lid must hold, and the tiles that were reported."""
    game = table.game
    if game is None or not table.settings.physical_tiles:
        return None
    bag, lid = game.play.state.bag, game.play.state.lid
    if table.stage is Stage.REPORTING:
        bag, lid = physical_tiles.in_bag(game), (NO_TILES if physical_tiles.lid_is_poured(game) else lid)
    slots = physical_tiles.slots(game.play)
    return {
        "bag": letters(bag),
        "lid": letters(lid),
        "told": [
            {"display": slot.display, "at": slot.at, "colour": letter(tile.colour), "tag": tile.tag}
            for slot, tile in zip(slots, game.reported_tiles, strict=False)
        ],
    }


def _tags_json(table: Table) -> Json:
    """Describe the known tags: the number of tiles of each colour, and every card."""
    counts = tile_counts(table.tags.known)
    cards = {tag: each for tag, each in table.tags.known.items() if not isinstance(each, TileTag)}
    return {
        "tiles": {letter(colour): counts[colour] for colour in COLOURS},
        "cards": [{"tag": tag, **_meaning_json(card)} for tag, card in cards.items()],
    }


def _lesson_json(table: Table) -> Json | None:
    """Describe the current lesson: what the next tag will mean, and what became of the last one."""
    lesson = table.tags.lesson
    if lesson is None:
        return None
    meaning = next_meaning(lesson, table.tags.known)
    subject = lesson.subject
    return {
        "lesson": "tiles" if isinstance(subject, Tiles) else serialize_meaning(subject)[0].value,
        "next": _meaning_json(meaning) if meaning is not None else None,
        "learned": len(lesson.learned),
        "last": _laid_tag_json(lesson.last) if lesson.last is not None else None,
    }


def _meaning_json(meaning: Meaning) -> Json:
    kind, value = serialize_meaning(meaning)
    return {"kind": kind.value, "value": value}


def _laid_tag_json(last: LaidTag) -> Json:
    meaning = _meaning_json(last.meaning) if last.meaning is not None else {"kind": None, "value": None}
    return {"tag": last.tag, "verdict": last.verdict.value, "number": last.number, **meaning}


def _phones_json(table: Table) -> Json:
    """Describe what phones in the network may do."""
    settings, lost = table.settings, [each.part for each in table.faults.parts]
    equipment = settings.equipment
    return {
        "press": list(pressable_by_phones(settings.places, settings.displays, equipment, lost)),
        "tell": may_report_tiles(equipment, lost),
        "hint": table.play is not None and table.next_game.options.hints,
        "learn": equipment.phones_play,
        "seats": seats_by_pages(equipment),
    }


@lru_cache(maxsize=8)
def _lights_json(palette: Palette) -> Json:
    """Return the colour of the lights for each letter."""
    return {letter: shade["rgb"] for letter, shade in palette_json(palette).items()}


def _settings_json(table: Table, palettes: Mapping[str, Palette]) -> Json:
    """Describe the settings that can be changed while the table runs, and what can be chosen."""
    settings = table.settings
    return {
        "palette": settings.palette,
        "brightness": settings.brightness,
        "pace": settings.opponents.pace,
        "hints": table.next_game.options.hints,
        "sounds": settings.sounds,
        "language": settings.language,
        "confirm_columns": settings.confirm_columns,
        "least_brightness": LEAST_BRIGHTNESS,
        "palettes": {name: _lights_json(palettes[name]) for name in settings.palettes if name in palettes},
        "paces": list(PACES),
    }


def _refusal_json(table: Table) -> Json | None:
    refusal = table.refusal
    if refusal is None or not refusal.shown:
        return None
    return {"say": refusal.why, "button": refusal.button, "number": refusal.number}


def _faults_json(table: Table, zero: float) -> list[Json]:
    """Describe the lost parts, each with the Unix time of its loss."""
    return [
        {"part": lost.part, "why": lost.reason.value, "since": round(zero + lost.at)}
        for lost in table.faults.parts
    ]
