"""Every key that the device can send has a text in every language; the keys are read from its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import device
from device.lights.palettes import BOT_GAMES, PALETTES
from device.rules.game import MODES
from device.rules.scoring import BonusKind, Item
from device.rules.solo.game import LEVELS, WALLS
from device.rules.solo.scoring import Ending, Victory
from device.table.state import Question, RefusalReason
from tests.table.simulator import midway
from tests.web_ui import real_tables
from tests.web_ui.test_sentences import make_formatter
from web_ui.messages import Step
from web_ui.text import rulebook
from web_ui.text.sentences import step_sentence
from web_ui.text.words import read_all_words

DEVICE = Path(device.__file__).parent
ALL_WORDS = read_all_words()

NO_PRESS_CAUSES = {
    "line_not_full": "the table tiles full lines only",
    "wrong_mode": "no button makes an event of another mode",
}
"""The rules' reasons that only a record can cause."""

each_language = pytest.mark.parametrize("language", sorted(ALL_WORDS))


def first_texts(call: str, path: Path, argument: int) -> Iterator[str]:
    """Yield the text constants passed as one argument (from 0) in every call, or partial, of a function."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        function, *arguments = [node.func, *node.args]
        if ast.unparse(function) == "partial" and arguments:
            function, *arguments = arguments
        if ast.unparse(function).rpartition(".")[2] == call:
            for given in arguments[argument : argument + 1]:
                yield from (
                    text.value
                    for text in ast.walk(given)
                    if isinstance(text, ast.Constant) and isinstance(text.value, str)
                )


def prompt_keys() -> set[str]:
    """Return the keys of all prompts and questions."""
    path = DEVICE / "table" / "prompts.py"
    keys = set(first_texts("Prompt", path, 0))
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name in ("_choice_key", "_telling"):
            texts = [str(each.value) for each in ast.walk(node) if isinstance(each, ast.Constant)]
            keys |= {text for text in texts if re.fullmatch(r"(choose|tell)_\w+", text)}
    return keys | {question.value for question in Question}


def refusal_keys() -> set[str]:
    """Return the keys of all reasons to refuse a press."""
    rules = {
        why for path in (DEVICE / "rules").rglob("*.py") for why in first_texts("IllegalEventError", path, 0)
    }
    assert rules > set(NO_PRESS_CAUSES)
    said_by_socket = set(first_texts("refusal", DEVICE / "socket" / "server.py", 1))
    return {why.value for why in RefusalReason} | (rules - set(NO_PRESS_CAUSES)) | said_by_socket


def step_names() -> dict[str, type]:
    """Return every kind of score step, by its name in the snapshot."""
    plain = {"TilePlaced": "placed", "LineFell": "fell", "FloorCharged": "floor", "BonusGiven": "bonus"}
    return {
        plain.get(part.__name__) or re.sub(r"(?<!^)(?=[A-Z])", "_", part.__name__).lower(): part
        for part in Item.__subclasses__()
    }


@each_language
def test_every_prompt_has_texts(language: str) -> None:
    keys = prompt_keys()
    assert len(keys) >= 20
    for key in keys:
        assert f"head.{key}" in ALL_WORDS[language], key
        assert key == "start_beside" or f"ask.{key}" in ALL_WORDS[language], key


@each_language
def test_every_refusal_has_a_text(language: str) -> None:
    found = refusal_keys()
    assert {"too_many_presses", "wrong_deal", "line_full", "tile_in_lid"} <= found
    assert {f"refusal.{why}" for why in found} <= ALL_WORDS[language].sentences.keys()


@each_language
def test_every_store_error_has_a_text(language: str) -> None:
    found = set(first_texts("StoreError", DEVICE / "store" / "store.py", 1))
    assert len(found) >= 4
    assert {f"start_beside.{why}" for why in found} <= ALL_WORDS[language].sentences.keys()


@each_language
def test_every_score_step_has_a_text(language: str) -> None:
    formatter = make_formatter(real_tables.snapshot_json(midway(real_tables.solo(), 1, 3).table), language)
    other = formatter.words.text("step.other", who=formatter.player(1), points=0)
    for name in step_names():
        for kind in [each.value for each in BonusKind]:
            assert step_sentence(formatter, Step(name, seat=1, kind=kind)) != other, name


@each_language
def test_every_result_has_texts(language: str) -> None:
    keys = {f"victory.{each.value.replace(' ', '_')}" for each in Victory}
    keys |= {f"result.{each.name.lower()}" for each in Ending}
    keys |= {f"result.lost_{rule}" for rule in ("s7", "s10", "s14")}
    assert keys <= ALL_WORDS[language].sentences.keys()


@each_language
def test_every_menu_item_has_a_text(language: str) -> None:
    keys = {f"menu.mode.{mode}" for mode in MODES}
    keys |= {f"menu.level.{level}" for level in LEVELS} | {f"menu.wall.{wall}" for wall in WALLS}
    assert keys <= ALL_WORDS[language].sentences.keys()


@each_language
def test_every_colour_has_names(language: str) -> None:
    shades = {shade.word for palette in (*PALETTES.values(), BOT_GAMES) for shade in palette.shades}
    keys = {f"{table}.{shade}" for table in ("colour", "colour_title") for shade in shades}
    assert keys <= ALL_WORDS[language].sentences.keys()


NUMBERS = {
    "standard": [f"R{number}" for number in range(1, 18)],
    "gray": ["G1", "G2", "G3"],
    "dtc": ["D1", "D2"],
    "solo": [f"S{number}" for number in range(1, 16)],
}


@each_language
@pytest.mark.parametrize("mode", sorted(NUMBERS))
def test_every_numbered_rule_is_in_every_language(language: str, mode: str) -> None:
    rules = rulebook.read_all_rules()[language][mode]
    assert [rule.number for rule in rules.rule] == NUMBERS[mode]
    assert all(rule.says.endswith(".") and rule.example.endswith(".") for rule in rules.rule)
    assert set(NUMBERS) == set(MODES) == set(rulebook.MODES)


def test_rules_exist_in_the_languages_of_the_catalogues() -> None:
    assert rulebook.read_all_rules().keys() == ALL_WORDS.keys()


def test_an_invalid_file_of_rules_is_named(tmp_path: Path) -> None:
    for mode in rulebook.MODES:
        (tmp_path / f"{mode}.toml").write_text('title = "A"\nintro = "B"\nrule = [{ number = "R1" }]\n')
    with pytest.raises(rulebook.RulesError, match=r"standard\.toml: .*says"):
        rulebook.read_rulebook(tmp_path)
