"""Message catalogues: all languages have the same keys and parameters, and every key in use exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import web_ui
from web_ui.text.words import DEFAULT, Sentence, WordsError, read_all_words, read_words

WEB_UI = Path(web_ui.__file__).parent
LANGUAGES = read_all_words()
ENGLISH = LANGUAGES[DEFAULT]


def test_two_languages_ship() -> None:
    assert set(LANGUAGES) == {"en", "de"}


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {DEFAULT}))
def test_languages_have_the_same_keys_and_parameters(language: str) -> None:
    other = LANGUAGES[language].sentences
    assert other.keys() == ENGLISH.sentences.keys()
    for key, sentence in ENGLISH.sentences.items():
        assert other[key].parameters() == sentence.parameters(), key


def test_plurals_in_both_forms_have_the_same_parameters() -> None:
    for words in LANGUAGES.values():
        for key, sentence in words.sentences.items():
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
