"""Reading the tables of a layout file into their types.

Reading goes on after a fault, because a maker wants to know all of them, not only the first.
"""

from __future__ import annotations

import re
import reprlib
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from hardware.layout_file import FileTable, LayoutFile


class Faults:
    """The faults found so far, each a path in the file, what is wrong there, and what to do."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, path: str, wrong: str, remedy: str) -> None:
        """Note one fault."""
        self.found.append(f"{path}: {wrong}; {remedy}")


def read_tables(document: dict[str, Any], faults: Faults) -> LayoutFile:
    """Turn a TOML document into a LayoutFile, noting every unknown key, missing key and wrong value."""
    values = _read_keys(document, LayoutFile, "", faults)
    for field in msgspec.structs.fields(LayoutFile):
        values.setdefault(field.name, {} if get_origin(field.type) is dict else None)
    return LayoutFile(**values)


def _read(value: Any, kind: Any, path: str, faults: Faults) -> Any:
    """Return the value as this type, or None after noting what is wrong with it."""
    kind = _without_none(kind)
    if isinstance(kind, type) and issubclass(kind, FileTable):
        return _read_table(value, kind, path, faults)
    if get_origin(kind) is dict:
        return _read_named(value, get_args(kind)[1], path, faults)
    if get_origin(kind) is tuple:
        return _read_list(value, get_args(kind)[0], path, faults)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        told = _words(kind)
        faults.add(path, f"{_shown(value)} is no {told.title}", f"write {told.description}")
        return None


def _read_table(value: Any, kind: type[FileTable], path: str, faults: Faults) -> FileTable | None:
    if not isinstance(value, dict):
        faults.add(path, f"{_shown(value)} is no table", f"write it as [{path}] with its keys below")
        return None
    values = _read_keys(value, kind, f"{path}.", faults)
    needed = {field.name for field in msgspec.structs.fields(kind) if field.required}
    return kind(**values) if needed <= values.keys() else None


def _read_keys(value: dict[str, Any], kind: type[FileTable], prefix: str, faults: Faults) -> dict[str, Any]:
    """Read each key that the table may have; keys that are missing or wrong are left out."""
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    for key in value:
        if key not in fields:
            _unknown_key(key, list(fields), prefix, faults)
    values = {}
    for name, field in fields.items():
        if name in value:
            read = _read(value[name], field.type, prefix + name, faults)
            if read is not None:
                values[name] = read
        elif field.required:
            _missing_key(prefix + name, field.type, faults)
    return values


def _read_named(value: Any, kind: type[FileTable], path: str, faults: Faults) -> dict[str, Any] | None:
    """Read tables that bear names or numbers of the maker's, as [seat.1]; wrong ones are left out."""
    if not isinstance(value, dict):
        faults.add(path, f"{_shown(value)} is no table", f"write tables [{path}.NAME] with their keys below")
        return None
    tables = {name: _read(table, kind, f"{path}.{key_text(name)}", faults) for name, table in value.items()}
    return {name: table for name, table in tables.items() if table is not None}


def _read_list(value: Any, kind: Any, path: str, faults: Faults) -> tuple[Any, ...] | None:
    if not isinstance(value, list) or not value:
        faults.add(path, f"{_shown(value)} is no list of one or more", "write [...] with at least one entry")
        return None
    entries = [_read(entry, kind, f"{path}[{number}]", faults) for number, entry in enumerate(value, 1)]
    return None if None in entries else tuple(entries)


def _unknown_key(key: str, known: list[str], prefix: str, faults: Faults) -> None:
    close = get_close_matches(key, known, 1)
    remedy = f"is {close[0]} meant?" if close else f"the keys here are {', '.join(known)}"
    faults.add(prefix + key_text(key), "is not a known key", remedy)


def _missing_key(path: str, kind: Any, faults: Faults) -> None:
    kind = _without_none(kind)
    if isinstance(kind, type) and issubclass(kind, FileTable):
        remedy = f"add the table [{path}]"
    elif get_origin(kind) is dict:
        remedy = f"add tables [{path}.NAME]"
    elif get_origin(kind) is tuple:
        remedy = "add it as a list [...]"
    else:
        remedy = f"add {path.rpartition('.')[2]}, {_words(kind).description}"
    faults.add(path, "is missing", remedy)


def _without_none(kind: Any) -> Any:
    """Return the type X of `X | None`: TOML has no null, what is optional is simply not there."""
    if get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind):
        return next(kind for kind in get_args(kind) if kind is not NoneType)
    return kind


def _words(kind: Any) -> Meta:
    """Return the words that a value's type carries."""
    return next(words for words in get_args(kind) if isinstance(words, Meta))


def key_text(name: str) -> str:
    """Return a key as it may stand in a path: quoted where TOML wants quotes."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]{1,100}", name) else _shown(name)


def _shown(value: Any) -> str:
    """Return a value as short text for a sentence."""
    return str(value).lower() if isinstance(value, bool) else reprlib.repr(value)
