"""The rules for players, half a page for each mode, read from `rules/LOCALE/MODE.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import msgspec

FOLDER = Path(__file__).parent / "rules"

MODES = ("standard", "gray", "solo", "dtc")
"""The modes that have rules, in the order of the list."""

VARIANTS = ("gray", "dtc")
"""Modes whose rules only say how they differ from the standard game."""


class RulesError(ValueError):
    """A file of rules is invalid; the message names the file and the fault."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule with its number and an example."""

    number: str
    says: str
    example: str


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of one mode."""

    title: str
    intro: str
    rule: tuple[Rule, ...]


Rulebook = dict[str, Rules]
"""The rules of every mode, in one language."""


def read_rulebook(folder: Path) -> Rulebook:
    """Read the rules in the folder of one language. Raises RulesError if a file is invalid."""
    return {mode: _read(folder / f"{mode}.toml") for mode in MODES}


@cache
def read_all_rules() -> dict[str, Rulebook]:
    """Read the rules in every language, by language, once. Raises RulesError if a file is invalid."""
    folders = [path for path in sorted(FOLDER.iterdir()) if path.is_dir()]
    return {path.name.replace("_", "-"): read_rulebook(path) for path in folders}


def _read(path: Path) -> Rules:
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), Rules)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as fault:
        raise RulesError(f"{path.parent.name}/{path.name}: {fault}") from fault
