"""The lines of a record as JSON objects, read strictly, and their values as the types that they must have.

The functions for values raise EntryError, which knows no line; whoever walks the lines adds it (`record.py`).
"""

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from typing import Any, Final, NoReturn

from device.rules.errors import RulesError

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
