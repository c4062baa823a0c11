"""Message catalogues: the texts of the pages by key, one TOML file for each language in `words/`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from string import Formatter

from msgspec import Struct

FOLDER = Path(__file__).parent / "words"
DEFAULT = "en"


class WordsError(ValueError):
    """A catalogue is invalid; the message names the file, the key and the fault."""


class Sentence(Struct, frozen=True):
    """A text with {parameters}, and its singular.

    `by` names the parameter that decides on the form; `one` is the form for 1 and -1, `other` for the rest.
    """

    other: str
    one: str = ""
    by: str = ""

    def parameters(self) -> frozenset[str]:
        """Return the names of all parameters, in either form."""
        return frozenset(_parameters(self.other) | _parameters(self.one) | ({self.by} if self.by else set()))

    def format(self, given: Mapping[str, object]) -> str:
        """Fill in the parameters; a missing one shows as a dash."""
        template = self.one if self.by and given.get(self.by) in (1, -1) else self.other
        return template.format_map(_WithDashes({name: _with_minus(value) for name, value in given.items()}))


class Words(Struct, frozen=True):
    """The message catalogue of one language: sentences by key, `table.name`."""

    language: str
    sentences: Mapping[str, Sentence]

    def __contains__(self, key: str) -> bool:
        return key in self.sentences

    def text(self, key: str, **given: object) -> str:
        """Return the text of a key; of an unknown key its last part as plain words."""
        sentence = self.sentences.get(key)
        if sentence is None:
            return key.rpartition(".")[2].replace("_", " ")
        return sentence.format(given)

    def text_or(self, key: str, fallback: str, **given: object) -> str:
        """Return the text of a key, or of the key `fallback` if the key is unknown."""
        return self.text(key if key in self.sentences else fallback, **given)


def read_words(path: Path) -> Words:
    """Read a catalogue, named LANGUAGE.toml. Raises WordsError if it is invalid."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise WordsError(f"{path.name}: {fault}") from fault
    return Words(path.stem, dict(_sentences(path.name, "", tables)))


@cache
def read_all_words() -> dict[str, Words]:
    """Read all catalogues, by language, once. Raises WordsError if one is invalid."""
    return {path.stem: read_words(path) for path in sorted(FOLDER.glob("*.toml"))}


def _sentences(file: str, prefix: str, table: Mapping[str, object]) -> Iterator[tuple[str, Sentence]]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, str):
            yield key, _checked(file, key, Sentence(value))
        elif isinstance(value, dict) and "by" in value:
            texts = {part for part, text in value.items() if isinstance(text, str)}
            if texts != {"by", "one", "other"} or len(value) != len(texts):
                raise WordsError(f"{file}: {key}: a plural has exactly the texts by, one, other")
            yield key, _checked(file, key, Sentence(**value))
        elif isinstance(value, dict):
            yield from _sentences(file, f"{key}.", value)
        else:
            raise WordsError(f"{file}: {key}: must be a text")


def _checked(file: str, key: str, sentence: Sentence) -> Sentence:
    try:
        names = sentence.parameters()
    except ValueError as fault:
        raise WordsError(f"{file}: {key}: {fault}") from fault
    if not all(name.isidentifier() for name in names):
        raise WordsError(f"{file}: {key}: a parameter is a plain name in braces")
    return sentence


def _parameters(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def _with_minus(value: object) -> object:
    """Return a value with a typographic minus sign."""
    return f"\N{MINUS SIGN}{-value}" if isinstance(value, int) and value < 0 else value


class _WithDashes(dict[str, object]):
    def __missing__(self, name: str) -> str:
        return "\N{EN DASH}"
