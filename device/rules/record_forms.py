"""What stands on the lines of a record: headers, events and results as JSON objects, there and back.

Reading here looks at one line alone; whether the game allows it is for `record.py` to say.
"""

from dataclasses import dataclass
from typing import Any, Final

from device.rules import game, notation
from device.rules.events import Deal, Draft, Draw, Event, Penalty, Remove, Scoring, ScoringColour, Swap, Tile
from device.rules.game import SOLO, Setup
from device.rules.record_lines import (
    Entry,
    EntryError,
    check_keys,
    short_text,
    shown,
    text,
    whole,
    whole_numbers,
)
from device.rules.scoring import Outcome
from device.rules.solo_scoring import SoloOutcome
from device.rules.tiles import Counts, colour_of, counts_of, letter, letters

VERSION: Final = 1

FORFEITS: Final = ("time", "illegal", "crash")
"""Why a bot can lose a game where it stands."""

_KEYS: Final = ("record", "version", "mode", "players", "first")
_SOLO_KEYS: Final = ("record", "version", "mode", "players", "level", "wall")


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A bot's fault that ended its game: the seat, from 0, and one of FORFEITS."""

    seat: int
    why: str


# --- Headers ---------------------------------------------------------------------------------------------


def header_of(chosen: Setup) -> Entry:
    """A game's header."""
    header: Entry = {"record": "azul", "version": VERSION, "mode": chosen.mode, "players": chosen.players}
    if chosen.mode == SOLO:
        return header | {"level": chosen.level, "wall": chosen.wall}
    return header | {"first": chosen.first}


def setup_of(header: Entry) -> Setup:
    """The setup that a header tells; raises EntryError."""
    if header["record"] != "azul":
        raise EntryError(f"this is a record of {shown(header['record'])}, not of 'azul'")
    if whole(header.get("version", VERSION), "version") != VERSION:
        raise EntryError(f"this program reads version {VERSION} of records, not {shown(header['version'])}")
    mode = text(header["mode"], "mode") if "mode" in header else game.MODES[0]
    if mode not in game.MODES:
        raise EntryError(f"there is no mode {shown(mode)}; the modes are {', '.join(game.MODES)}")
    if mode == SOLO:
        check_keys(header, _SOLO_KEYS, "the header of a solo game", optional=("first",))
        level, wall = (short_text(header[key], key, 20) for key in ("level", "wall"))
        return Setup(mode, _names(header["players"]), whole(header.get("first", 0), "first"), level, wall)
    check_keys(header, _KEYS, "the header")
    return Setup(mode, _names(header["players"]), whole(header["first"], "first"))


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise EntryError(f"players is a list of names, not {shown(value)}")
    names = tuple(text(name, "the name of a player") for name in value)
    for name in names:
        if any("\ud800" <= character <= "\udfff" for character in name):
            raise EntryError(f"the name {shown(name)} is no text: it holds half a character")
    return names


# --- Events ----------------------------------------------------------------------------------------------


def entry_of(event: Event) -> Entry:
    """An event's line."""
    match event:
        case Draft():
            return {"draft": notation.text_of(event)}
        case Deal(displays):
            return {"deal": [letters(tiles) for tiles in displays]}
        case Tile(_, row, column):
            return {"tile": [row, column]}
        case Penalty(tiles):
            return {"penalty": "".join(letter(colour) for colour in tiles)}
        case ScoringColour(colour):
            return {"colour": letter(colour)}
        case Draw(colour):
            return {"draw": letter(colour)}
        case Scoring(row, column):
            return {"scoring": [row, column]}
        case Swap(position):
            return {"swap": position}
        case Remove(position):
            return {"remove": position}


def event_of(key: str, value: object, seat: int) -> Event:
    """The event of a line, allowed now or not; `seat` says whose a placement is. Raises RulesError."""
    match key:
        case "draft":
            event = notation.event_of(short_text(value, "a draft", 3))
            assert isinstance(event, Draft)  # nothing else is so short
            return event
        case "deal":
            return Deal(_displays(value))
        case "tile":
            return Tile(seat, *_square(value, key))
        case "penalty":
            return Penalty(tuple(colour_of(each) for each in short_text(value, "the penalty row", 7)))
        case "colour":
            return ScoringColour(colour_of(short_text(value, "a colour", 1)))
        case "draw":
            return Draw(colour_of(short_text(value, "a draw", 1)))
        case "scoring":
            return Scoring(*_square(value, key))
        case "swap":
            return Swap(_place(value, key, 6))
        case "remove":
            return Remove(None if value is None else _place(value, key, 7))
    raise EntryError(f"there is no event {shown(key)}")


def _displays(value: object) -> tuple[Counts, ...]:
    if not isinstance(value, list):
        raise EntryError(f"a deal is a list of displays, not {shown(value)}")
    return tuple(counts_of(short_text(each, "a display", 5)) for each in value)


def _square(value: object, what: str) -> tuple[int, int]:
    numbers = whole_numbers(value, what)
    if len(numbers) != 2 or not all(1 <= each <= 5 for each in numbers):
        raise EntryError(f"{what}: a row and a column from 1 to 5 are due, not {shown(numbers)}")
    return numbers[0], numbers[1]


def _place(value: object, what: str, most: int) -> int:
    number = whole(value, what)
    if not 1 <= number <= most:
        raise EntryError(f"{what} is a place from 1 to {most}, not {shown(number)}")
    return number


# --- Results ---------------------------------------------------------------------------------------------


def result_of(outcome: Outcome | SoloOutcome, forfeit: Forfeit | None = None) -> Entry:
    """A game's result."""
    if isinstance(outcome, SoloOutcome):
        return {"score": outcome.score, "victory": outcome.victory.value}
    result: Entry = {"scores": list(outcome.scores), "winners": list(outcome.winners)}
    if forfeit is not None:
        result["forfeit"] = {"seat": forfeit.seat, "why": forfeit.why}
    return result


def checked_result(value: Any, chosen: Setup) -> Entry:
    """A result with the right keys and the right types, its numbers unchecked; raises EntryError."""
    if not isinstance(value, dict):
        raise EntryError(f"a result is an object, not {shown(value)}")
    if chosen.mode == SOLO:
        check_keys(value, ("score", "victory"), "the result of a solo game")
        whole(value["score"], "the result's score")
        text(value["victory"], "the result's victory")
        return value
    check_keys(value, ("scores", "winners"), "the result", optional=("forfeit",))
    for key in ("scores", "winners"):
        whole_numbers(value[key], f"the result's {key}")
    return value


def forfeit_of(result: Entry, players: int) -> Forfeit | None:
    """The forfeit that a result names, if any; raises EntryError."""
    if "forfeit" not in result:
        return None
    value = result["forfeit"]
    if not isinstance(value, dict):
        raise EntryError(f"a forfeit is an object, not {shown(value)}")
    check_keys(value, ("seat", "why"), "the forfeit")
    forfeit = Forfeit(whole(value["seat"], "the forfeit's seat"), text(value["why"], "the forfeit's why"))
    if not 0 <= forfeit.seat < players:
        raise EntryError(f"the forfeit's seat is one from 0 to {players - 1}, not {shown(forfeit.seat)}")
    if forfeit.why not in FORFEITS:
        raise EntryError(f"the forfeit's why is one of {', '.join(FORFEITS)}, not {shown(forfeit.why)}")
    return forfeit
