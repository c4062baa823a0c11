"""What the pages may know of the table, as plain JSON values with a schema number.

No sentence is in it: words are keys with values, and the pages say them in each reader's language.
"""

import re
from dataclasses import asdict, fields
from enum import Enum
from typing import Any, Final

from device.lights.palettes import Palette
from device.rules.board import WALL_PATTERN, Board
from device.rules.events import Draft, Event, Remove, Scoring, Swap, Tile
from device.rules.game import SOLO
from device.rules.notation import text_of
from device.rules.scoring import (
    FLOOR_COSTS,
    BonusGiven,
    FloorCharged,
    Item,
    LineFell,
    Outcome,
    Step,
    TilePlaced,
)
from device.rules.solo.penalty_row import ACTION
from device.rules.solo.scoring import SoloOutcome
from device.rules.tiles import COLOURS, LETTERS, MARKER, NO_TILES, Colour, letter, letters
from device.table import physical_tiles
from device.table.access import may_report_tiles, pressable_by_phones, seats_by_pages
from device.table.game import (
    Move,
    Play,
    starter,
)
from device.table.opponents import seats_for_hints
from device.table.prompts import acting_places, lines_for_selection, live_buttons, prompt
from device.table.seating import menu, seat_items
from device.table.state import STAND_IN, Explanation, Hint, Stage, Table
from device.table.tags import LaidTag, Meaning, Tiles, TileTag, next_meaning, serialize_meaning, tile_counts
from device.table.turns import choices_of_people

# --- Choices and moves as plain JSON values, for the pages and for the history ---------------------------

Json = dict[str, Any]


def told_choice(play: Play, event: Event) -> Json:
    """What a choice that is no draft is about; the tile of a column or a square with its colour."""
    state = play.state
    match event:
        case Tile(seat, row, column):
            colour = state.boards[seat].colours[row - 1]
            told = {"kind": "column", "row": row, "column": column, "colour": plain(colour)}
            return {"seat": play.places[seat], **told}
        case Scoring(row, column):
            colour = WALL_PATTERN[row - 1][column - 1]
            told = {"kind": "square", "row": row, "column": column, "colour": letter(colour)}
        case Remove(position):
            told = {"kind": "remove", "position": position}
        case Swap(position):
            told = {"kind": "swap", "position": position}
        case _:
            raise ValueError(f"{event} is not made by one button")
    return {"seat": play.places[ACTION], **told}


def named(table: Table, play: Play, seat: int) -> Json:
    """A seat of the game as the table's, with who sits there."""
    place = play.places[seat]
    return {"seat": place, "name": table.seats.name_at(place)}


def told_move(table: Table, play: Play, move: Move) -> Json:
    """A draft that was made."""
    return {
        **named(table, play, move.seat),
        "source": move.draft.source,
        "colour": letter(move.draft.colour),
        "count": move.tiles,
        "line": move.draft.line,
        "fell": move.fell,
        "marker": move.marker,
        "token": text_of(move.draft),
    }


def plain(value: object) -> object:
    """A value as JSON has it: colours as letters."""
    match value:
        case Colour():
            return letter(value)
        case Enum():
            return value.value
        case _:
            return value


# --- Why opponents chose what they did, and what persons are advised ---

MOVES_SHOWN: Final = 8


def reason(table: Table) -> Json | None:
    """Why the opponent that chose last did so."""
    game = table.game
    if game is None or not table.opponents.explanations:
        return None
    last = table.opponents.explanations[-1]
    shown = any(each.choice == last.choice and each.step for each in game.bot_choices)
    place = game.play.places[last.seat]
    told = {"seat": place, "name": table.seats.name_at(place), "showing": shown}
    return {**told, "because": _because(table, game.play, last)}


def _because(table: Table, play: Play, motive: Explanation) -> list[Json]:
    return [
        {
            "key": each.key,
            **each.values,
            **(named(table, play, seat) if isinstance(seat := each.values.get("seat"), int) else {}),
        }
        for each in motive.reasons
    ]


def hint(table: Table) -> Json:
    """Whether hints are allowed, at which seats one may be asked for now, is awaited, shown, missed."""
    game = table.game
    places = game.play.places if game is not None else ()
    return {
        "allowed": table.next_game.options.hints,
        "seats": [places[seat] for seat in seats_for_hints(table)],
        "asked": [places[each.seat] for each in table.opponents.requests if each.hint],
        "shown": [_advice(game.play, each) for each in game.hints] if game is not None else [],
        "missed": [
            {"seat": places[each.seat], "why": each.why} for each in table.opponents.missing_hints if places
        ],
    }


def _advice(play: Play, hint: Hint) -> Json:
    """A choice that is advised, what it gains in points, and the next best."""
    return {
        "seat": play.places[hint.seat],
        "choice": _advised(play, hint.choice),
        "gain": None if hint.gain is None else round(hint.gain, 1),
        "next": None if hint.next_best is None else _advised(play, hint.next_best),
    }


def _advised(play: Play, choice: Event) -> Json:
    if not isinstance(choice, Draft):
        return told_choice(play, choice)
    count = play.state.sources[choice.source][choice.colour]
    told = {"source": choice.source, "colour": letter(choice.colour), "count": count, "line": choice.line}
    return {"seat": play.places[play.state.turn], "kind": "draft", **told}


def moves(table: Table, play: Play) -> list[Json]:
    """The last drafts; an opponent's with why."""
    drafts = [at for at, event in enumerate(play.events) if isinstance(event, Draft)]
    why = {each.at: _because(table, play, each) for each in table.opponents.explanations}
    last = zip(drafts[-MOVES_SHOWN:], play.moves[-MOVES_SHOWN:], strict=True)
    return [{**told_move(table, play, move), "because": why.get(at, [])} for at, move in last]


# ----------------------------------------------------------------------------------------------------------

SCHEMA: Final = 2
"""Number of the version of the snapshot and of the messages that carry it."""

_PATTERN: Final = ["".join(map(letter, row)) for row in WALL_PATTERN]


def snapshot(table: Table, palette: Palette, zero: float = 0.0, simulated: Json | None = None) -> Json:
    """Everything the pages show of the table now.

    `zero` is the Unix time at which the clock of the events stood at 0; `simulated` says what of the table
    hands on a page may do because it is simulated.
    """
    play = table.play
    asked = prompt(table)
    return {
        "schema": SCHEMA,
        "stage": table.stage.value,
        "ask": {"say": asked.say, **asked.values},
        "mode": play.setup.mode
        if play
        else table.next_game.options.mode
        if table.next_game.choosing
        else None,
        "menu": [asdict(item) for item in menu(table)] if table.stage is Stage.CHOOSING else [],
        "opponents": [asdict(item) for item in seat_items(table)] if table.stage is Stage.SEATING else [],
        "round": play.state.round if play else 0,
        "first": starter(play) if play else None,
        "seats": [_seat(table, place) for place in range(1, table.settings.places + 1)],
        **_sources(play),
        "choice": _choice(table),
        "choosing": _choosing(table),
        "scoring_tile": _scoring_tile(play),
        "resin": _resin(table),
        "tags": _tags(table),
        "learning": _learning(table),
        "live": list(live_buttons(table)),
        "phones": _phones(table),
        "moves": moves(table, play) if play else [],
        "reason": reason(table),
        "hint": hint(table),
        "account": _account(table),
        "result": _result(table),
        "refusal": _refusal(table),
        "faults": [
            {"part": lost.part, "why": lost.reason.value, "since": round(zero + lost.at)}
            for lost in table.faults.parts
        ],
        "simulated": simulated,
        "palette": {
            LETTERS[at]: {"name": shade.word, "rgb": "#{:02x}{:02x}{:02x}".format(*shade.light)}
            for at, shade in enumerate(palette.shades)
        },
    }


def _seat(table: Table, place: int) -> Json:
    play = table.play
    seat = play.seat_at(place) if play else None
    board = shown_boards(table).get(place, Board())
    gray = play is not None and seat is not None and play.state.has_gray_wall(seat)
    return {
        "seat": place,
        "taken": seat is not None if play else place in table.seats.taken,
        "role": "action" if play and play.setup.mode == SOLO and seat == ACTION else "player",
        "name": table.seats.name_at(place),
        "bot": table.seats.bot_at(place) or None,
        "stand_in": _stand_in(table, place),
        "acting": place in acting_places(table),
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


def _stand_in(table: Table, place: int) -> Json | None:
    """Why somebody else chose for an opponent, or does from now on."""
    for each in table.opponents.stand_ins:
        if each.place == place and table.play is not None:
            return {"why": each.why, "detail": each.detail, "by": STAND_IN, "for_good": each.for_good}
    return None


def shown_boards(table: Table) -> dict[int, Board]:
    """The boards by place as they are shown: during the scoring ceremony, after the step on show."""
    game = table.game
    if game is None:
        return {}
    boards, account = game.play.state.boards, game.play.state.account
    if game.animation is not None and account is not None:
        boards = account.boards_after(game.animation.shown)
    return dict(zip(game.play.places, boards, strict=True))


def _sources(play: Play | None) -> Json:
    if play is None:
        return {"displays": [], "centre": "", "marker_in_centre": False}
    centre, *displays = (letters(tiles) for tiles in play.state.sources)
    return {"displays": displays, "centre": centre, "marker_in_centre": play.state.marker_in_centre}


def _resin(table: Table) -> Json | None:
    """With tiles of resin: what the bag and the lid must hold, and where the tiles told so far lie."""
    game = table.game
    if game is None or not table.settings.physical_tiles:
        return None
    play = game.play
    bag, lid = play.state.bag, play.state.lid
    if table.stage is Stage.REPORTING:
        bag, lid = physical_tiles.in_bag(game), (NO_TILES if physical_tiles.lid_is_poured(game) else lid)
    due = physical_tiles.slots(play)
    return {
        "bag": letters(bag),
        "lid": letters(lid),
        "told": [
            {"display": slot.display, "at": slot.at, "colour": letter(tile.colour), "tag": tile.tag}
            for slot, tile in zip(due, game.reported_tiles, strict=False)
        ],
    }


def _choice(table: Table) -> Json | None:
    """The tiles in hand; in solo also what each line would send to the penalty row, and the line tried."""
    if table.game is None or table.game.selection is None:
        return None
    state, selection = table.game.play.state, table.game.selection
    source, colour, tried = selection.source, selection.colour, selection.tried
    lines = lines_for_selection(table)
    sent = {str(line): state.sent_to_penalty_row(Draft(source, colour, line)) for line in lines}
    return {
        "source": source,
        "colour": letter(colour),
        "count": state.sources[source][colour],
        "lines": list(lines),
        "sends": {line: "".join(map(letter, tiles)) for line, tiles in sent.items() if tiles},
        "tried": tried,
    }


def _choosing(table: Table) -> list[Json]:
    """Every choice that is no draft, with the button that makes it: columns, squares, penalty tiles."""
    if table.play is None or table.stage is not Stage.CHOICE:
        return []
    play = table.play
    return [
        {"button": button, **told_choice(play, event)} for button, event in choices_of_people(table).items()
    ]


def _scoring_tile(play: Play | None) -> list[int] | None:
    """Row and column of the solo game's scoring tile on the action wall, while it lies there."""
    if play is None or play.state.scoring_tile is None:
        return None
    return list(play.state.scoring_tile)


def _tags(table: Table) -> Json:
    """What is known: how many tiles of each colour, and every card."""
    counts = tile_counts(table.tags.known)
    cards = {tag: each for tag, each in table.tags.known.items() if not isinstance(each, TileTag)}
    return {
        "tiles": {letter(colour): counts[colour] for colour in COLOURS},
        "cards": [{"tag": tag, **_meaning(card)} for tag, card in cards.items()],
    }


def _learning(table: Table) -> Json | None:
    """What is learned just now: the lesson, what the next tag will mean, and what became of the last."""
    lesson = table.tags.lesson
    if lesson is None:
        return None
    meaning = next_meaning(lesson, table.tags.known)
    subject = lesson.subject
    return {
        "lesson": "tiles" if isinstance(subject, Tiles) else serialize_meaning(subject)[0].value,
        "next": _meaning(meaning) if meaning is not None else None,
        "learned": len(lesson.learned),
        "last": _laid(lesson.last) if lesson.last is not None else None,
    }


def _meaning(meaning: Meaning) -> Json:
    kind, value = serialize_meaning(meaning)
    return {"kind": kind.value, "value": value}


def _laid(last: LaidTag) -> Json:
    known = _meaning(last.meaning) if last.meaning is not None else {"kind": None, "value": None}
    return {"tag": last.tag, "verdict": last.verdict.value, "number": last.number, **known}


def _phones(table: Table) -> Json:
    """What phones in the network may do."""
    fittings, lost = table.settings.equipment, [each.part for each in table.faults.parts]
    return {
        "press": list(pressable_by_phones(table.settings.places, table.settings.displays, fittings, lost)),
        "tell": may_report_tiles(fittings, lost),
        "hint": table.play is not None and table.next_game.options.hints,
        "learn": fittings.phones_play,
        "seats": seats_by_pages(fittings),
    }


def _account(table: Table) -> Json | None:
    game = table.game
    if game is None or game.play.state.account is None:
        return None
    play, account = game.play, game.play.state.account
    steps = account.steps if game.animation is None else account.steps[: game.animation.shown]
    return {
        "round": account.round,
        "running": game.animation is not None,
        "steps": [{**_step(step), **named(table, play, step.seat)} for step in steps],
    }


_STEP_NAMES: Final[dict[type[Item], str]] = {
    TilePlaced: "placed",
    LineFell: "fell",
    FloorCharged: "floor",
    BonusGiven: "bonus",
}


def _step(step: Step) -> Json:
    """A step by its name, with all that it holds but the board; of that, the score after it."""
    item = step.item
    name = _STEP_NAMES.get(type(item)) or re.sub(r"(?<!^)(?=[A-Z])", "_", type(item).__name__).lower()
    held = {each.name: plain(getattr(item, each.name)) for each in fields(item) if each.name != "board"}
    return {"step": name, "score": item.board.score, **held}


def _result(table: Table) -> Json | None:
    """The end of the game; before another begins, that of the last one."""
    play = table.play or table.last_game
    scoring = table.game is not None and table.game.animation is not None
    return None if play is None or scoring else _end(play)


def _end(play: Play) -> Json | None:
    """How a game ended; None while it is on."""
    ended = play.state.outcome()
    if ended is None:
        return None
    if isinstance(ended, SoloOutcome):
        return {
            "score": ended.score,
            "victory": ended.victory.value.replace(" ", "_"),
            "rule": ended.why,
            "ending": ended.ending.name.lower(),
        }
    scores = [
        {
            "seat": place,
            "name": play.name_of(seat),
            "score": ended.scores[seat],
            "rows": ended.rows[seat],
            "winner": seat in ended.winners,
        }
        for seat, place in enumerate(play.places)
    ]
    return {"scores": scores, "tie": _tie(ended)}


def _tie(ended: Outcome) -> str:
    """How a tie in points was settled (R15): not needed, by complete rows, or shared."""
    if len(ended.winners) > 1:
        return "shared"
    return "rows" if ended.scores.count(max(ended.scores)) > 1 else "none"


def _refusal(table: Table) -> Json | None:
    refusal = table.refusal
    if refusal is None or not refusal.shown:
        return None
    return {"say": refusal.why, "button": refusal.button, "number": refusal.number}
