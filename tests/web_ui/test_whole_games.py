"""Whole games of every mode, played by the real table: no page misses a text at any moment."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from device.rules.game import Setup
from tests.harness.sampling import some
from tests.table.simulator import (
    GOLDEN,
    begin_game,
    empty_table,
    finished,
    games_of,
    play_record,
    recorded_draws,
)
from tests.web_ui import real_tables
from tests.web_ui.scenes import Message
from tests.web_ui.test_sentences import make_formatter
from web_ui.render import Renderer
from web_ui.text.words import Sentence, Words, read_all_words
from web_ui.views import phone
from web_ui.views.phone import PHONE, TABLE, Viewer


@cache
def parameters(text: str) -> frozenset[str]:
    return Sentence(text).parameters()


class StrictWords(Words, frozen=True):
    """A catalogue that raises for an unknown key or a missing parameter, and never uses a fallback."""

    def text(self, key: str, **given: object) -> str:
        sentence = self.sentences[key]
        missing = parameters(sentence.other) - given.keys()
        assert not missing, f"{key} lacks {missing}"
        return sentence.format(given)

    def text_or(self, key: str, fallback: str, **given: object) -> str:
        return self.text(key if key.partition(".")[0] != "ordinal" or key in self else fallback, **given)


STRICT = StrictWords("en", read_all_words()["en"].sentences)
"""English only: test_words.py checks that all languages have the same keys and parameters."""

GAMES = [
    (real_tables.GRAY, 5, False),
    (real_tables.BOTS, 5, False),
    (real_tables.solo("easy", "coloured"), 6, False),
    (real_tables.solo("normal", "gray"), 5, False),
    (real_tables.solo("normal", "gray"), 6, False),
    (real_tables.STANDARD, 2, True),
    (real_tables.solo("easy", "gray"), 3, True),
]
"""Setup, seed, and whether with physical tiles; together they use all texts that any game was seen to use."""

FIRST, STEP = 3, 8
"""The first moments of each prompt and every eighth of the game are rendered: they use all texts."""


@pytest.mark.parametrize(("setup", "seed", "physical_tiles"), some(GAMES))
def test_every_moment_of_a_game_has_texts(setup: Setup, seed: int, *, physical_tiles: bool) -> None:
    renderer, prompts = Renderer(), Counter[str]()
    for number, scene in enumerate(real_tables.whole_game(setup, seed, with_resin=physical_tiles), 1):
        prompt = scene["ask"]["say"]
        prompts[prompt] += 1
        if prompts[prompt] <= FIRST or number % STEP == 0:
            render_all_pages(renderer, scene, number)
    assert "game_over" in prompts
    assert ("choose_column" in prompts) == (setup.mode == "gray" or setup.wall == "gray")
    assert any(prompt.startswith("tell_") for prompt in prompts) == physical_tiles


def render_all_pages(renderer: Renderer, scene: Message, number: int) -> None:
    """Render the pages of a moment with all controls; a missing text raises or is rendered as None."""
    phones = {"press": scene["live"], "tell": True, "hint": True, "learn": True}
    view = real_tables.view_of({**scene, "phones": phones}, number)
    for viewer in (Viewer(PHONE), Viewer(PHONE, at_table=False, seat=1), Viewer(TABLE)):
        html = "".join(renderer.rendering(viewer, STRICT, view).html.values())
        assert "None" not in html


@pytest.mark.parametrize("path", some(sorted(GOLDEN.glob("*.jsonl"))), ids=lambda path: path.stem)
def test_every_result_of_the_golden_games_is_shown(path: Path) -> None:
    for recorded in games_of(path):
        if not finished(recorded):
            continue
        sim = empty_table(draw=recorded_draws(recorded.events))
        begin_game(sim, recorded.setup, range(1, len(recorded.setup.players) + 1))
        play_record(sim, recorded).wait(1000)
        scene = real_tables.snapshot_json(sim.table)
        assert scene["result"] is not None
        render_all_pages(Renderer(), scene, 1)
        formatter = make_formatter(scene)
        shown = phone.result(formatter)
        assert shown is not None
        if shown.levels:
            assert shown.ending
            assert bool(shown.rule) == (scene["result"]["victory"] == "loss")
        else:
            assert formatter.heading().startswith("Game over: ")
