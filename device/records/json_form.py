"""What stands on the lines of a record: headers, events and results as JSON objects, there and back.

Reading here looks at one line alone; whether the game allows it is for `record.py` to say.
"""

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from device.rules import game, notation
from device.rules.errors import RulesError
from device.rules.events import Deal, Draft, Draw, Event, Penalty, Remove, Scoring, ScoringColour, Swap, Tile
from device.rules.game import SOLO, Setup
from device.rules.scoring import Outcome
from device.rules.solo.scoring import SoloOutcome
from device.rules.tiles import Counts, colour_of, counts_of, letter, letters

# --- The lines of a record as JSON objects, read strictly ---
# The functions for values raise EntryError, which knows no line; whoever walks the lines adds it
# (`record.py`).
LONGEST_LINE: Final = 65_536
"""Bytes; a longer line is no line of a record, and whoever reads a file need not hold more of it."""

Entry = dict[str, Any]
"""What one line holds."""


class RecordError(RulesError):
    """The first fault of a record: its line, counted from 1, and what is wrong there."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class EntryError(RulesError):
    """What is wrong with one value of a record."""


def entries(lines: Iterable[bytes]) -> Iterator[tuple[int, Entry]]:
    """The object of every line that is not blank, with the line's number from 1; raises RecordError.

    The first line may begin with a byte order mark, as some editors write it.
    """
    for number, given in enumerate(lines, start=1):
        line = given.removeprefix(BOM_UTF8) if number == 1 else given
        if len(line) > LONGEST_LINE:
            raise RecordError(number, f"the line is longer than {LONGEST_LINE} bytes")
        if line.strip(b" \t\r\n"):
            yield number, _parsed(number, line)


def _parsed(number: int, line: bytes) -> Entry:
    try:
        value = _DECODER.decode(line.decode())
    except (ValueError, RecursionError) as error:
        if not line.endswith(b"\n"):
            raise RecordError(number, "the last line is torn: the file was cut off inside it") from None
        raise RecordError(number, _reason(error)) from None
    if not isinstance(value, dict):
        raise RecordError(number, f"a line holds a JSON object, not {shown(value)}")
    return value


def _reason(error: ValueError | RecursionError) -> str:
    """Why a line could not be parsed, in words."""
    match error:
        case UnicodeDecodeError(start=start):
            return f"byte {start + 1} of the line is not UTF-8"
        case json.JSONDecodeError(msg=what, colno=column):
            return f"this is no JSON: {what} (column {column})"
        case EntryError():
            return str(error)
        case RecursionError():
            return "this is no line of a record: it is nested too deeply"
    return "this is no line of a record: a number in it is far too long"


def _object(pairs: list[tuple[str, Any]]) -> Entry:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in found if keys.count(key) > 1)
        raise EntryError(f"the key {shown(twice)} stands twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise EntryError(f"this is no JSON: {name} is no number")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


def shown(value: object) -> str:
    """A value that nobody vouches for, for a message: always short, always printable."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list) and not all(isinstance(each, int | str) for each in value[:20]):
        return "a list"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    text = ascii(value[:20] if isinstance(value, list) else value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def whole(value: object, what: str) -> int:
    """A whole number; True is none, and neither is 1.0."""
    if type(value) is not int:
        raise EntryError(f"{what} is a whole number, not {shown(value)}")
    return value


def whole_numbers(value: object, what: str) -> list[int]:
    """A list of whole numbers."""
    if not isinstance(value, list) or not all(type(each) is int for each in value):
        raise EntryError(f"{what}: a list of whole numbers is due, not {shown(value)}")
    return value


def text(value: object, what: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise EntryError(f"{what} is a text, not {shown(value)}")
    return value


def short_text(value: object, what: str, longest: int) -> str:
    """A text of few characters."""
    found = text(value, what)
    if len(found) > longest:
        raise EntryError(f"{what} has at most {longest} characters: {shown(found)}")
    return found


def check_keys(found: Entry, keys: tuple[str, ...], where: str, optional: tuple[str, ...] = ()) -> None:
    """Refuse an object that lacks one of its keys or has others."""
    for key in keys:
        if key not in found:
            raise EntryError(f"{where} lacks the key {key!r}")
    for key in found:
        if key not in keys and key not in optional:
            raise EntryError(f"{where} has no key {shown(key)}; its keys are {', '.join(keys)}")


# ----------------------------------------------------------------------------------------------------------

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
