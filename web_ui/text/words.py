"""Message catalogues: the texts of the pages by key, in every language.

The English texts are in `words/en.toml`, the translations in gettext catalogues (see `catalogues`). A
compiled catalogue (pages.mo) is used only if it was made of the .po file as it is now; else it is made again.
"""

from __future__ import annotations

import contextlib
import gettext
import hashlib
import io
import os
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from web_ui.text import catalogues
from web_ui.text.catalogues import CatalogueError

ENGLISH = Path(__file__).parent / "words" / "en.toml"
DEFAULT = "en"

MANY = 100
"""Stands for a number that is not known, in the choice of a plural form."""


class WordsError(ValueError):
    """A catalogue is invalid; the message names the file, the key and the fault."""


class Sentence(Struct, frozen=True):
    """An English text with {parameters}, and its singular.

    `by` names the parameter that decides on the form; `one` is the form for 1 and -1, `other` for the rest.
    """

    other: str
    one: str = ""
    by: str = ""

    def parameters(self) -> frozenset[str]:
        """Return the names of all parameters, in either form."""
        by = {self.by} if self.by else set()
        return catalogues.parameters(self.other) | catalogues.parameters(self.one) | by

    def format(self, given: Mapping[str, object]) -> str:
        """Fill in the parameters; a missing one shows as a dash."""
        return fill(self.one if self.by and given.get(self.by) in (1, -1) else self.other, given)


def fill(template: str, given: Mapping[str, object]) -> str:
    """Fill in the parameters of a text; a missing one shows as a dash."""
    return template.format_map(_WithDashes({name: _with_minus(value) for name, value in given.items()}))


class Words(Struct, frozen=True):
    """The texts in one language: English sentences by key, `table.name`, and their translations.

    `language` is a tag as in HTML, "pt-PT"; `checksum` changes with any text.
    """

    language: str
    sentences: Mapping[str, Sentence]
    translations: gettext.NullTranslations = field(default_factory=gettext.NullTranslations)
    checksum: str = ""

    def __contains__(self, key: str) -> bool:
        return key in self.sentences

    def text(self, key: str, **given: object) -> str:
        """Return the text of a key; of an unknown key its last part as plain words."""
        sentence = self.sentences.get(key)
        if sentence is None:
            return key.rpartition(".")[2].replace("_", " ")
        if not sentence.by:
            return fill(self.translations.pgettext(key, sentence.other), given)
        number = given.get(sentence.by)
        number = abs(number) if isinstance(number, int) else MANY
        return fill(self.translations.npgettext(key, sentence.one, sentence.other, number), given)

    def text_or(self, key: str, fallback: str, **given: object) -> str:
        """Return the text of a key, or of the key `fallback` if the key is unknown."""
        return self.text(key if key in self.sentences else fallback, **given)

    def number(self, value: float, digits: int = 0) -> str:
        """Return a number with so many decimal digits, as this language writes it: "1.234,5"."""
        from babel.numbers import format_decimal  # 20 ms, and most pages show whole numbers only

        text = format_decimal(
            abs(round(value, digits)),
            format="#,##0" + ("." + "0" * digits if digits else ""),
            locale=self.language.replace("-", "_"),
        )
        return f"\N{MINUS SIGN}{text}" if round(value, digits) < 0 else text


def read_words(path: Path) -> Words:
    """Read the texts in the language that they are written in, from LANGUAGE.toml. Raises WordsError."""
    content = path.read_bytes()
    try:
        tables = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise WordsError(f"{path.name}: {fault}") from fault
    sentences = dict(_sentences(path.name, "", tables))
    return Words(path.stem, sentences, checksum=hashlib.sha256(content).hexdigest())


def read_english() -> Words:
    """Read the English texts. Raises WordsError if they are invalid."""
    return read_words(ENGLISH)


@cache
def read_all_words() -> dict[str, Words]:
    """Read the texts in every language, by language, once. Raises WordsError if any are invalid."""
    english = read_english()
    return {DEFAULT: english} | {words.language: words for words in _translated(english, catalogues.FOLDER)}


def _translated(english: Words, folder: Path) -> Iterator[Words]:
    for path in catalogues.catalogue_paths(folder):
        translations = read_translations(path)
        checksum = f"{english.checksum} {translations.info()['project-id-version']}"
        yield replace(
            english,
            language=path.parent.parent.name.replace("_", "-"),
            translations=translations,
            checksum=checksum,
        )


def read_translations(path: Path) -> gettext.GNUTranslations:
    """Read a .po file by means of the .mo file beside it, which is written anew unless it is up to date.

    Raises WordsError if the .po file is invalid.
    """
    po, compiled = path.read_bytes(), path.with_suffix(".mo")
    with contextlib.suppress(OSError):
        content = compiled.read_bytes()
        if catalogues.checksum(po).encode() in content:
            return gettext.GNUTranslations(io.BytesIO(content))
    try:
        content = catalogues.compile_catalogue(f"{path.parent.parent.name}/{path.name}", po)
    except CatalogueError as fault:
        raise WordsError(str(fault)) from fault
    with contextlib.suppress(OSError):  # in a folder that can't be written it is compiled at every start
        written = compiled.with_suffix(f".{os.getpid()}")
        written.write_bytes(content)
        written.replace(compiled)
    return gettext.GNUTranslations(io.BytesIO(content))


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


def _with_minus(value: object) -> object:
    """Return a value with a typographic minus sign."""
    return f"\N{MINUS SIGN}{-value}" if isinstance(value, int) and value < 0 else value


class _WithDashes(dict[str, object]):
    def __missing__(self, name: str) -> str:
        return "\N{EN DASH}"
