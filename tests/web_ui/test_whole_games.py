"""Whole games of every mode, told by the real table: each moment has its words, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.rules.game import Setup
from tests.table.hands import GOLDEN, at_table, drawn_from, finished, games_of, play_record, sat_down
from tests.web_ui import real_tables
from tests.web_ui.scenes import Message
from tests.web_ui.test_sentences import formatter
from web_ui.render import Renderer
from web_ui.text.words import Sentence, Words, read_all_words
from web_ui.views import phone
from web_ui.views.phone import PHONE, TABLE, Viewer

ALL_WORDS = read_all_words()


class StrictWords(Words):
    """Words that miss nothing: every key is there, no fallback is used, every parameter is given."""

    def text(self, key: str, **given: object) -> str:
        sentence = self.sentences[key]
        missing = Sentence(sentence.other).parameters() - given.keys()
        assert not missing, f"{key} lacks {missing}"
        return sentence.format(given)

    def text_or(self, key: str, fallback: str, **given: object) -> str:
        return self.text(key if key.partition(".")[0] != "ordinal" or key in self else fallback, **given)


STRICT = {language: StrictWords(language, words.sentences) for language, words in ALL_WORDS.items()}

GAMES = [
    (real_tables.STANDARD, [5], False),
    (real_tables.GRAY, [5], False),
    (real_tables.BOTS, [5], False),
    (real_tables.solo("easy", "coloured"), [5, 6, 7], False),
    (real_tables.solo("normal", "gray"), [5, 6], False),
    (real_tables.STANDARD, [2], True),
    (real_tables.solo("easy", "gray"), [1, 3, 4], True),
]
"""What is played, by which seeds, and whether with tiles of resin."""


@pytest.mark.parametrize(("setup", "seeds", "with_resin"), GAMES)
def test_every_moment_has_its_words(setup: Setup, seeds: list[int], *, with_resin: bool) -> None:
    for seed in seeds:
        renderer = Renderer()
        asked = set()
        for number, scene in enumerate(real_tables.whole_game(setup, seed, with_resin=with_resin), 1):
            say_everything(renderer, scene, number)
            asked.add(scene["ask"]["say"])
        assert "game_over" in asked
        assert ("choose_column" in asked) == (setup.mode == "gray" or setup.wall == "gray")
        assert any(say.startswith("tell_") for say in asked) == with_resin


def say_everything(renderer: Renderer, scene: Message, number: int) -> None:
    """Make all pages of a moment, in turn in each language, and miss no word."""
    phones = {"type": "press", "button": scene["live"], "tell": True, "hint": True, "learn": True}
    view = real_tables.view_of({**scene, "phones": phones}, number)
    words = STRICT[("en", "de")[number % 2]]
    for viewer in (Viewer(PHONE), Viewer(PHONE, at_table=False, seat=1), Viewer(TABLE)):
        renderer.rendering(viewer, words, view)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_recorded_end_is_told(path: Path) -> None:
    for recorded in games_of(path):
        if not finished(recorded):
            continue
        hands = at_table(draw=drawn_from(recorded.events))
        sat_down(hands, recorded.setup, range(1, len(recorded.setup.players) + 1))
        play_record(hands, recorded).wait(1000)
        scene = real_tables.told(hands.table)
        assert scene["result"] is not None
        for number in (1, 2):
            say_everything(Renderer(), scene, number)
        told = formatter(scene)
        shown = phone.result(told)
        if isinstance(shown, phone.SoloResultView):
            assert shown.ending
            assert bool(shown.rule) == (scene["result"]["victory"] == "loss")
        else:
            assert told.heading().startswith("Game over: ")
