"""The JSON Lines form of game records: strict parsing and serialization of headers, events and results.

Parsing here checks one line by itself; `record.py` checks it against the game. The functions for single
values raise EntryError, which has no line number; `record.py` adds it.
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

# --- Lines -----------------------------------------------------------------------------------------------

LONGEST_LINE: Final = 65_536  # bytes; so that a reader of a file never has to hold more

Entry = dict[str, Any]  # the JSON object of one line


class RecordError(RulesError):
    """The first error in a record, with its line, counted from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class EntryError(RulesError):
    """An invalid value in a record."""


def parse_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, Entry]]:
    """Yield the object of every line that is not blank, with the line's number from 1; raises RecordError.

    The first line may begin with a byte order mark, which some editors write.
    """
    for number, given in enumerate(lines, start=1):
        line = given.removeprefix(BOM_UTF8) if number == 1 else given
        if len(line) > LONGEST_LINE:
            raise RecordError(number, f"the line is longer than {LONGEST_LINE} bytes")
        if line.strip(b" \t\r\n"):
            yield number, _parse_line(number, line)


def _parse_line(number: int, line: bytes) -> Entry:
    try:
        value = _DECODER.decode(line.decode())
    except (ValueError, RecursionError) as error:
        if not line.endswith(b"\n"):
            raise RecordError(number, "the last line is incomplete: the file was cut off") from None
        raise RecordError(number, _reason(error)) from None
    if not isinstance(value, dict):
        raise RecordError(number, f"a line must hold a JSON object, not {describe(value)}")
    return value


def _reason(error: ValueError | RecursionError) -> str:
    """Return why a line could not be parsed."""
    match error:
        case UnicodeDecodeError(start=start):
            return f"byte {start + 1} of the line is not UTF-8"
        case json.JSONDecodeError(msg=message, colno=column):
            return f"invalid JSON: {message} (column {column})"
        case EntryError():
            return str(error)
        case RecursionError():
            return "not a line of a record: it is nested too deeply"
    return "not a line of a record: a number in it is too long"


def _object(pairs: list[tuple[str, Any]]) -> Entry:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in found if keys.count(key) > 1)
        raise EntryError(f"the key {describe(twice)} occurs twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise EntryError(f"invalid JSON: {name} is not a number")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


def describe(value: object) -> str:
    """Format an untrusted value for an error message: always short and printable."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list) and not all(isinstance(each, int | str) for each in value[:20]):
        return "a list"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    text = ascii(value[:20] if isinstance(value, list) else value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def integer(value: object, name: str) -> int:
    """Return `value` if it is an integer, neither a bool nor a float; raises EntryError."""
    if type(value) is not int:
        raise EntryError(f"{name} must be a whole number, not {describe(value)}")
    return value


def integers(value: object, name: str) -> list[int]:
    """Return `value` if it is a list of integers; raises EntryError."""
    if not isinstance(value, list) or not all(type(each) is int for each in value):
        raise EntryError(f"{name} must be a list of whole numbers, not {describe(value)}")
    return value


def string(value: object, name: str) -> str:
    """Return `value` if it is a string; raises EntryError."""
    if not isinstance(value, str):
        raise EntryError(f"{name} must be a string, not {describe(value)}")
    return value


def short_string(value: object, name: str, longest: int) -> str:
    """Return `value` if it is a string of at most `longest` characters; raises EntryError."""
    found = string(value, name)
    if len(found) > longest:
        raise EntryError(f"{name} must have at most {longest} characters, not {describe(found)}")
    return found


def check_keys(found: Entry, keys: tuple[str, ...], where: str, optional: tuple[str, ...] = ()) -> None:
    """Raise EntryError if an object lacks one of `keys`, or has keys beside these and `optional`."""
    for key in keys:
        if key not in found:
            raise EntryError(f"{where} lacks the key {key!r}")
    for key in found:
        if key not in keys and key not in optional:
            raise EntryError(f"{where} has no key {describe(key)}; its keys are {', '.join(keys)}")


# --- Headers ---------------------------------------------------------------------------------------------

VERSION: Final = 1
_KEYS: Final = ("record", "version", "mode", "players")


def header_json(chosen: Setup) -> Entry:
    """Return the header of a game."""
    header: Entry = {"record": "azul", "version": VERSION, "mode": chosen.mode, "players": chosen.players}
    if chosen.mode == SOLO:
        return header | {"level": chosen.level, "wall": chosen.wall}
    return header | {"first": chosen.first}


def parse_header(header: Entry) -> Setup:
    """Parse a header; raises EntryError."""
    if header["record"] != "azul":
        raise EntryError(f"this is a record of {describe(header['record'])}, not of 'azul'")
    if integer(header.get("version", VERSION), "version") != VERSION:
        raise EntryError(
            f"this program reads version {VERSION} of records, not {describe(header['version'])}"
        )
    mode = string(header["mode"], "mode") if "mode" in header else game.MODES[0]
    if mode not in game.MODES:
        raise EntryError(f"there is no mode {describe(mode)}; the modes are {', '.join(game.MODES)}")
    if mode == SOLO:
        check_keys(header, (*_KEYS, "level", "wall"), "the header of a solo game", optional=("first",))
        level, wall = (short_string(header[key], key, 20) for key in ("level", "wall"))
        return Setup(mode, _names(header["players"]), integer(header.get("first", 0), "first"), level, wall)
    check_keys(header, (*_KEYS, "first"), "the header")
    return Setup(mode, _names(header["players"]), integer(header["first"], "first"))


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise EntryError(f"players must be a list of names, not {describe(value)}")
    names = tuple(string(name, "the name of a player") for name in value)
    for name in names:
        if any("\ud800" <= character <= "\udfff" for character in name):
            raise EntryError(f"the name {describe(name)} is not valid text: it holds half a character")
    return names


# --- Events ----------------------------------------------------------------------------------------------


def event_json(event: Event) -> Entry:
    """Return the line of an event."""
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


def parse_event(key: str, value: object, seat: int) -> Event:
    """Parse the event of a line; `seat` is that of a placement. Raises RulesError for an invalid value.

    Whether the event is legal is not checked.
    """
    match key:
        case "draft":
            event = notation.event_of(short_string(value, "a draft", 3))
            assert isinstance(event, Draft)  # no other event has a text of at most 3 characters
            return event
        case "deal":
            return Deal(_displays(value))
        case "tile":
            return Tile(seat, *_square(value, key))
        case "penalty":
            return Penalty(tuple(colour_of(each) for each in short_string(value, "the penalty row", 7)))
        case "colour":
            return ScoringColour(colour_of(short_string(value, "a colour", 1)))
        case "draw":
            return Draw(colour_of(short_string(value, "a draw", 1)))
        case "scoring":
            return Scoring(*_square(value, key))
        case "swap":
            return Swap(_position(value, key, 6))
        case "remove":
            return Remove(None if value is None else _position(value, key, 7))
    raise EntryError(f"there is no event {describe(key)}")


def _displays(value: object) -> tuple[Counts, ...]:
    if not isinstance(value, list):
        raise EntryError(f"a deal must be a list of displays, not {describe(value)}")
    return tuple(counts_of(short_string(each, "a display", 5)) for each in value)


def _square(value: object, name: str) -> tuple[int, int]:
    numbers = integers(value, name)
    if len(numbers) != 2 or not all(1 <= each <= 5 for each in numbers):
        raise EntryError(f"{name} must be a row and a column from 1 to 5, not {describe(numbers)}")
    return numbers[0], numbers[1]


def _position(value: object, name: str, most: int) -> int:
    number = integer(value, name)
    if not 1 <= number <= most:
        raise EntryError(f"{name} must be a position from 1 to {most}, not {describe(number)}")
    return number


# --- Results ---------------------------------------------------------------------------------------------

FORFEITS: Final = ("time", "illegal", "crash")  # the reasons


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A bot's fault that ended its game: the seat, from 0, and one of FORFEITS."""

    seat: int
    why: str


def result_json(outcome: Outcome | SoloOutcome, forfeit: Forfeit | None = None) -> Entry:
    """Return the result of a game."""
    if isinstance(outcome, SoloOutcome):
        return {"score": outcome.score, "victory": outcome.victory.value}
    result: Entry = {"scores": list(outcome.scores), "winners": list(outcome.winners)}
    if forfeit is not None:
        result["forfeit"] = {"seat": forfeit.seat, "why": forfeit.why}
    return result


def check_result(value: Any, chosen: Setup) -> Entry:
    """Check the keys and types of a result, but not its numbers, and return it; raises EntryError."""
    if not isinstance(value, dict):
        raise EntryError(f"a result must be an object, not {describe(value)}")
    if chosen.mode == SOLO:
        check_keys(value, ("score", "victory"), "the result of a solo game")
        integer(value["score"], "the result's score")
        string(value["victory"], "the result's victory")
        return value
    check_keys(value, ("scores", "winners"), "the result", optional=("forfeit",))
    for key in ("scores", "winners"):
        integers(value[key], f"the result's {key}")
    return value


def parse_forfeit(result: Entry, players: int) -> Forfeit | None:
    """Parse the forfeit of a result; return None without one. Raises EntryError."""
    if "forfeit" not in result:
        return None
    value = result["forfeit"]
    if not isinstance(value, dict):
        raise EntryError(f"a forfeit must be an object, not {describe(value)}")
    check_keys(value, ("seat", "why"), "the forfeit")
    forfeit = Forfeit(integer(value["seat"], "the forfeit's seat"), string(value["why"], "the forfeit's why"))
    if not 0 <= forfeit.seat < players:
        raise EntryError(f"the forfeit's seat must be from 0 to {players - 1}, not {describe(forfeit.seat)}")
    if forfeit.why not in FORFEITS:
        raise EntryError(
            f"the forfeit's why must be one of {', '.join(FORFEITS)}, not {describe(forfeit.why)}"
        )
    return forfeit
