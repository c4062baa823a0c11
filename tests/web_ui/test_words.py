"""Message catalogues: every text is translated, with its parameters and forms; every key in use exists."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

import web_ui
from web_ui.text import catalogues
from web_ui.text.words import (
    DEFAULT,
    Sentence,
    Words,
    WordsError,
    read_all_words,
    read_translations,
    read_words,
)

WEB_UI = Path(web_ui.__file__).parent
LANGUAGES = read_all_words()
ENGLISH = LANGUAGES[DEFAULT]


def test_five_languages_ship() -> None:
    assert list(LANGUAGES) == ["en", "de", "es", "fr", "pt-PT"]


def po_of(path: Path) -> Catalog:
    return read_po(io.BytesIO(path.read_bytes()), abort_invalid=True)


@pytest.mark.parametrize("path", catalogues.catalogue_paths(), ids=lambda path: path.parent.parent.name)
def test_every_message_is_translated_in_every_plural_form_with_the_same_parameters(path: Path) -> None:
    """If this fails, `make texts` adds what is missing and lists what is to be translated."""
    catalogue = po_of(path)
    assert list(catalogues.missing(catalogues.updated(catalogue, ENGLISH.sentences))) == []
    messages = {message.context: message for message in catalogue if message.id}
    assert list(messages) == list(ENGLISH.sentences), "make texts"
    for key, sentence in ENGLISH.sentences.items():
        texts = catalogues.forms(messages[key])
        assert len(texts) == (catalogue.num_plurals if sentence.by else 1), key
        assert {catalogues.parameters(text) for text in texts} == {sentence.parameters()}, key


@pytest.mark.parametrize("path", catalogues.catalogue_paths(), ids=lambda path: path.parent.parent.name)
def test_updating_an_up_to_date_catalogue_changes_nothing(path: Path) -> None:
    catalogue = po_of(path)
    assert po_of_bytes(catalogues.write(catalogues.updated(catalogue, ENGLISH.sentences))) == texts_of(
        catalogue
    )


def po_of_bytes(content: bytes) -> dict[str, object]:
    return texts_of(read_po(io.BytesIO(content)))


def texts_of(catalogue: Catalog) -> dict[str, object]:
    return {str(each.context): (each.id, each.string, each.flags) for each in catalogue if each.id}


def test_a_changed_english_text_marks_its_translations_as_fuzzy_and_shows_in_english(tmp_path: Path) -> None:
    sources = {"a.one": Sentence("One"), "a.two": Sentence("{n} tiles", "{n} tile", "n")}
    begun = catalogues.updated(catalogues.begun("de"), sources)
    begun.get("One", context="a.one").string = "Eins"  # type: ignore[union-attr]
    begun.get("{n} tile", context="a.two").string = ("{n} Fliese", "{n} Fliesen")  # type: ignore[union-attr]
    changed = {"a.one": Sentence("Just one"), "a.three": Sentence("Three")} | {"a.two": sources["a.two"]}
    catalogue = catalogues.updated(begun, changed)
    assert list(catalogues.missing(catalogue)) == ["a.one", "a.three"]
    written = catalogues.write(catalogue).decode()
    assert '#, fuzzy\n#| msgid "One"\nmsgctxt "a.one"\nmsgid "Just one"\nmsgstr "Eins"' in written
    path = tmp_path / "de" / "LC_MESSAGES" / "pages.po"
    path.parent.mkdir(parents=True)
    path.write_text(written)
    german = Words("de", changed, read_translations(path))
    assert [german.text(key, n=1) for key in changed] == ["Just one", "Three", "1 Fliese"]


def test_a_stale_compiled_catalogue_is_never_read(tmp_path: Path) -> None:
    path = tmp_path / "de" / "LC_MESSAGES" / "pages.po"
    path.parent.mkdir(parents=True)
    for text in ("Alt", "Neu"):
        content = f'msgid ""\nmsgstr "Language: de\\n"\n\nmsgctxt "a"\nmsgid "A"\nmsgstr "{text}"\n'
        path.write_text(content)
        os.utime(path, (0, 0))  # older than the compiled one
        assert read_translations(path).pgettext("a", "A") == text
        assert read_translations(path).pgettext("a", "A") == text, "and from the .mo file"
    path.with_suffix(".mo").write_bytes(b"damaged")
    assert read_translations(path).pgettext("a", "A") == "Neu"


def test_a_catalogue_in_a_folder_that_cannot_be_written_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "de" / "LC_MESSAGES" / "pages.po"
    path.parent.mkdir(parents=True)
    path.write_text('msgid ""\nmsgstr "Language: de\\n"\n\nmsgctxt "a"\nmsgid "A"\nmsgstr "Eins"\n')

    def refuse(*_: object) -> int:
        raise PermissionError

    monkeypatch.setattr(Path, "write_bytes", refuse)
    assert read_translations(path).pgettext("a", "A") == "Eins"
    assert [each.name for each in path.parent.iterdir()] == ["pages.po"]


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        (
            'msgctxt "a"\nmsgid "{n} tiles"\nmsgstr "{m} Fliesen"',
            "a: not the parameters of the English text: {m}, {n}",
        ),
        ('msgctxt "a"\nmsgid "{n} tiles"\nmsgstr "{n Fliesen"', "a: "),
        ("nonsense", ""),
    ],
)
def test_an_invalid_translation_is_named(tmp_path: Path, message: str, fault: str) -> None:
    path = tmp_path / "de" / "LC_MESSAGES" / "pages.po"
    path.parent.mkdir(parents=True)
    path.write_text(f'msgid ""\nmsgstr "Language: de\\n"\n\n{message}\n')
    with pytest.raises(WordsError, match=re.escape(f"de/pages.po: {fault}")):
        read_translations(path)


def test_numbers_are_written_as_in_each_language() -> None:
    written = {language: words.number(-1234.56, 1) for language, words in LANGUAGES.items()}
    assert written == {
        "en": "\N{MINUS SIGN}1,234.6",
        "de": "\N{MINUS SIGN}1.234,6",
        "es": "\N{MINUS SIGN}1.234,6",
        "fr": "\N{MINUS SIGN}1\N{NARROW NO-BREAK SPACE}234,6",
        "pt-PT": "\N{MINUS SIGN}1\N{NO-BREAK SPACE}234,6",
    }
    assert [ENGLISH.number(each, 1) for each in (0.04, -0.04, 12)] == ["0.0", "0.0", "12.0"]


def test_colours_agree_with_the_number_of_tiles() -> None:
    spoken = [
        LANGUAGES[language].text("counted.blue", count=count) for language in ("fr", "es") for count in (1, 2)
    ]
    assert spoken == ["1 bleue", "2 bleues", "1 azul", "2 azules"]
    assert [LANGUAGES[each].text("board.score", points=0) for each in ("fr", "pt-PT")] == [
        "0 point",
        "0 pontos",
    ]


def test_plurals_in_both_forms_have_the_same_parameters() -> None:
    for key, sentence in ENGLISH.sentences.items():
        if sentence.by:
            one, other = Sentence(sentence.one), Sentence(sentence.other)
            assert one.parameters() == other.parameters() >= {sentence.by}, key


def test_every_key_in_use_exists() -> None:
    sources = [*WEB_UI.rglob("*.py"), *WEB_UI.rglob("*.html")]
    asked = {
        key
        for path in sources
        for key in re.findall(
            r"""(?:\btext|text_or|RefusedError)\((?:\d+, )?["']([a-z_.]+)["']""", path.read_text()
        )
    }
    assert len(asked) > 50
    assert asked <= ENGLISH.sentences.keys()


def test_a_number_selects_the_plural_form() -> None:
    assert ENGLISH.text("board.score", points=1) == "1 point"
    assert ENGLISH.text("board.score", points=-1) == "\N{MINUS SIGN}1 point"
    assert ENGLISH.text("board.score", points=0) == "0 points"
    assert ENGLISH.text("board.score", points=12) == "12 points"


def test_an_unknown_key_shows_as_plain_words() -> None:
    assert ENGLISH.text("ask.leave_column") == "leave column"
    assert ENGLISH.text_or("ask.leave_column", "ask.other") == ENGLISH.text("ask.other")


def test_a_missing_parameter_shows_as_a_dash() -> None:
    assert ENGLISH.text("head.draft") == "\N{EN DASH}'s turn"


def test_braces_in_parameters_are_not_formatted() -> None:
    assert ENGLISH.text("head.draft", who="{who} {0} %s") == "{who} {0} %s's turn"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("ask = 1", "ask: must be a text"),
        ("ask = ", "Invalid value"),
        ('ask = "{0} tiles"', "ask: a parameter is a plain name"),
        ('ask = "{} tiles"', "ask: a parameter is a plain name"),
        ('ask = "{tiles"', "ask: "),
        ('[ask]\nplace = { by = "n", one = "a" }', "ask.place: a plural has exactly"),
        ('[ask]\nplace = { by = "n", one = "a", other = 2 }', "ask.place: a plural has exactly"),
    ],
)
def test_an_invalid_catalogue_is_named(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "xx.toml"
    path.write_text(text)
    with pytest.raises(WordsError, match=f"^xx.toml: .*{re.escape(fault)}|^xx.toml: {re.escape(fault)}"):
        read_words(path)
