"""gettext catalogues: compile them, and bring them up to date with the English texts; `make texts`.

A message's context (msgctxt) is its key, its msgid the English text of `words/en.toml`. So translators see
the English text, and a translation of a text that has changed since is marked fuzzy, which gettext ignores.

setup.py runs this file by itself. Babel is imported where it is used: starting the pages seldom needs it.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog, Message

FOLDER = Path(__file__).parent / "locale"
"""The catalogues, each at LOCALE/LC_MESSAGES/pages.po."""

DOMAIN = "pages"
PROJECT = "azul-table"
WIDTH = 100
"""Columns of a line in a .po file."""

BEGUN = datetime(2026, 11, 23, tzinfo=UTC)
"""The creation date in the headers: the same for all catalogues, so that an update changes texts only."""


class CatalogueError(ValueError):
    """A catalogue is invalid; the message names the file, the key and the fault."""


class Source(Protocol):
    """An English text; one with a plural has `one` and the name of the parameter that decides on the form."""

    @property
    def other(self) -> str:
        """The text, or its plural."""

    @property
    def one(self) -> str:
        """The singular; empty without a plural."""

    @property
    def by(self) -> str:
        """The parameter that decides; empty without a plural."""


def catalogue_paths(folder: Path = FOLDER) -> list[Path]:
    """Return all .po files in a folder of locales, sorted by locale."""
    return sorted(folder.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def parameters(text: str) -> frozenset[str]:
    """Return the names in braces. Raises ValueError for unpaired braces."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)


# --- Compiling -------------------------------------------------------------------------------------------


def checksum(po: bytes) -> str:
    """Return what identifies the content of a .po file; the .mo file compiled from it carries it."""
    return hashlib.sha256(po).hexdigest()[:32]


def compile_catalogue(name: str, po: bytes) -> bytes:
    """Compile a .po file to the content of its .mo file, without fuzzy translations.

    Its header `Project-Id-Version` ends with the checksum of `po`. Raises CatalogueError, which names `name`.
    """
    from babel.messages.mofile import write_mo

    catalogue = _read(name, po)
    for message in catalogue:
        if message.id:
            _check(name, message)
    catalogue.project, catalogue.version = PROJECT, checksum(po)
    content = io.BytesIO()
    write_mo(content, catalogue)
    return content.getvalue()


def compile_all(folder: Path) -> None:
    """Write the .mo file beside every .po file in a folder of locales. Raises CatalogueError."""
    for path in catalogue_paths(folder):
        path.with_suffix(".mo").write_bytes(compile_catalogue(_name(path), path.read_bytes()))


def _name(path: Path) -> str:
    """Return the name of a catalogue for people: LOCALE/pages.po."""
    return f"{path.parent.parent.name}/{path.name}"


def _read(name: str, po: bytes) -> Catalog:
    from babel.messages.pofile import PoFileError, read_po

    try:
        return read_po(io.BytesIO(po), locale=name.partition("/")[0], abort_invalid=True)
    except (PoFileError, UnicodeDecodeError, ValueError) as fault:
        raise CatalogueError(f"{name}: {fault}") from fault


def _check(name: str, message: Message) -> None:
    """Check that a translation, where there is one, has the parameters of the English text."""
    wanted = parameters(_ids(message)[-1])
    for text in forms(message):
        try:
            given = parameters(text)
        except ValueError as fault:
            raise CatalogueError(f"{name}: {message.context}: {fault}") from fault
        if text and given != wanted:
            wrong = ", ".join(sorted(f"{{{each}}}" for each in given ^ wanted))
            raise CatalogueError(
                f"{name}: {message.context}: not the parameters of the English text: {wrong}"
            )


def forms(message: Message) -> tuple[str, ...]:
    """Return the translation of a message, or all its plural forms; empty texts where there is none."""
    string = message.string
    return tuple(string) if isinstance(string, list | tuple) else (string or "",)


def _ids(message: Message) -> list[str]:
    """Return the English text of a message; of one with a plural both forms."""
    return list(message.id) if isinstance(message.id, list | tuple) else [message.id]


# --- Updating --------------------------------------------------------------------------------------------


def begun(locale: str | None = None) -> Catalog:
    """Return an empty catalogue of a locale, or the one of the template."""
    from babel.messages.catalog import Catalog

    return Catalog(
        locale=locale,
        domain=DOMAIN,
        project=PROJECT,
        header_comment=f'# {PROJECT}: the texts of the pages. See CONTRIBUTING.md, "A language".',
        last_translator=PROJECT,
        language_team=PROJECT,
        msgid_bugs_address=PROJECT,
        creation_date=BEGUN,
        revision_date=BEGUN,
        charset="utf-8",
        fuzzy=False,
    )


def updated(old: Catalog, sources: Mapping[str, Source]) -> Catalog:
    """Return a catalogue that has exactly the English texts given by key, and the translations of `old`.

    Where the English text has changed, the translation is marked fuzzy and keeps its former English text.
    """
    new = begun(str(old.locale) if old.locale else None)
    new.header_comment, new.revision_date = old.header_comment, old.revision_date
    new.last_translator, new.language_team = old.last_translator, old.language_team
    known = {message.context: message for message in old if message.id}
    for key, source in sources.items():
        _add(new, key, source, known.get(key))
    return new


def _add(catalogue: Catalog, key: str, source: Source, old: Message | None) -> None:
    """Add a message with its former translation, if there is one."""
    text = (source.one, source.other) if source.by else source.other
    about = [f"The form depends on {{{source.by}}}."] if source.by else []
    if old is None:
        catalogue.add(text, context=key, auto_comments=about)
        return
    texts = forms(old)
    texts = texts[-1:] * catalogue.num_plurals if source.by and len(texts) == 1 else texts
    flags, previous = set(old.flags) & {"fuzzy"}, list(old.previous_id)
    if _ids(old) != [source.one, source.other][not source.by :] and any(texts):
        flags, previous = {"fuzzy"}, _ids(old)
    catalogue.add(
        text,
        texts if source.by else texts[-1],
        flags=flags,
        user_comments=old.user_comments,
        previous_id=previous,
        context=key,
        auto_comments=about,
    )


def write(catalogue: Catalog) -> bytes:
    """Return a catalogue as the content of a .po file."""
    from babel.messages.pofile import write_po

    content = io.BytesIO()
    write_po(content, catalogue, width=WIDTH, no_location=True, include_previous=True)
    return content.getvalue()


def missing(catalogue: Catalog) -> Iterator[str]:
    """Yield the keys of the messages that have no translation, not in all plural forms, or a fuzzy one."""
    for message in catalogue:
        if message.id and (message.fuzzy or not all(forms(message))):
            yield str(message.context)


def main(locales: list[str]) -> None:
    """Update all catalogues, begin those of new locales, and list what lacks a translation.

    The template for translators' tools is written to build/pages.pot. Exits with 1 if anything is missing.
    """
    from web_ui.text.words import read_english

    sources = read_english().sentences
    for locale in locales:
        path = FOLDER / locale / "LC_MESSAGES" / f"{DOMAIN}.po"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(write(updated(begun(locale), sources)))
    template = Path("build") / f"{DOMAIN}.pot"
    template.parent.mkdir(exist_ok=True)
    template.write_bytes(write(updated(begun(), sources)))
    lacking = 0
    for path in catalogue_paths():
        catalogue = updated(_read(_name(path), path.read_bytes()), sources)
        path.write_bytes(write(catalogue))
        for key in missing(catalogue):
            lacking += 1
            sys.stdout.write(f"{_name(path)}: {key} has no translation, or a fuzzy one\n")
    sys.exit(1 if lacking else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
