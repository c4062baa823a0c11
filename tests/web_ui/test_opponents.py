"""Opponents and hints on the pages: real tables, in both languages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from device.lights.palettes import BOX
from device.rules.board import FLOOR
from device.rules.events import Draft
from device.rules.tiles import Colour
from device.socket.snapshot import snapshot
from device.table import explain
from device.table.state import BotReply, HintRequested, OpponentSettings
from device.table.update import update
from tests.table.opponents import begin_with, random_choice, reply_to_all
from tests.table.simulator import Simulator, dealt, empty_table, with_settings
from tests.web_ui import scenes
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon
from tests.web_ui.test_sentences import TWIN
from web_ui.latest import Presence, View
from web_ui.messages import Because, Move, read_snapshot
from web_ui.text import sentences
from web_ui.text.sentences import SnapshotFormatter
from web_ui.text.words import read_all_words
from web_ui.views import controls, phone

WORDS = read_all_words()
JSON = {"Content-Type": "application/json"}
DEAL = "bbyr kkww rryy bykw bbbb"


def make_formatter(at: Simulator, language: str = "en") -> SnapshotFormatter:
    scene = snapshot(at.table, BOX)
    return SnapshotFormatter(WORDS[language], read_snapshot(json.dumps(scene).encode()))


def test_a_taken_seat_can_be_given_to_an_opponent() -> None:
    formatter = make_formatter(empty_table().press("seat.1.floor", "seat.2.floor", "seat.2.line.4"))
    assert [seat.name for seat in phone.seats(formatter)][1] == "Master: the best this table can do"
    assert [field.seat for field in controls.names(formatter, TWIN)] == [1], "opponents keep their own"


@pytest.mark.parametrize("language", ["en", "de"])
def test_moves_of_opponents_have_reasons(language: str) -> None:
    at = begin_with("calm", "")
    assert make_formatter(at, language).heading().startswith("Calm")
    reply_to_all(at, random_choice(2))
    assert sentences.notes(make_formatter(at, language)) == (), "no reason before the choice is shown"
    at.wait(2.0)
    formatter = make_formatter(at, language)
    assert "Calm" in formatter.instruction()
    (why,) = sentences.notes(formatter)
    assert why.startswith("Calm ")
    at.wait(2.0)
    assert sentences.notes(make_formatter(at, language)) == ()
    (move,) = phone.moves(make_formatter(at, language))
    assert move.why == why


@pytest.mark.parametrize(
    ("line", "where"), [(2, "line 2 of Calm's board"), (FLOOR, "the floor of Calm's board")]
)
def test_with_tiles_of_resin_it_is_said_which_tiles_of_an_opponent_to_move(line: int, where: str) -> None:
    at = begin_with("calm", "", resin=True)
    for letter in "byrkw" * 4:
        at.report_letter(letter)
    (asked,) = at.table.opponents.requests
    at.reply(BotReply(asked.number, Draft(1, Colour.BLUE, line), at.now)).wait(30)
    sentence = f"Move 1 blue from display 1 to {where}, as the lights show. Then press ok."
    assert make_formatter(at).instruction() == sentence


def test_a_stand_in_is_named() -> None:
    at = empty_table()
    at.table = with_settings(at.table, opponents=OpponentSettings(programs=("fast",)))
    at.press("seat.1.floor", "seat.1.line.5", "seat.2.floor", "ok", "seat.1.floor")
    at.reply(BotReply(at.table.opponents.requests[0].number, None, at.now, "illegal", "it wrote 'x'"))
    view = View(snapshot=make_formatter(at).snapshot, presence=Presence.HERE)
    (note,) = phone.turn(view, WORDS["en"], TWIN).notes
    assert note.startswith("fast does not play on: it broke the rules")
    assert "Greedy plays in its place. For its author: “it wrote 'x'”." in note
    (german,) = sentences.notes(make_formatter(at, "de"))
    assert german.endswith("Auf Englisch, für wer es geschrieben hat: „it wrote 'x'“.")


@pytest.mark.parametrize(
    ("gain", "language", "says"),
    [
        (2.53, "en", "2 red from display 3 to line 2. 2.5 points more than the next best: "),
        (0.0, "en", "2 red from display 3 to line 2. Just as good: "),
        (2.53, "de", "2,5 Punkte mehr als das Nächstbeste: "),
    ],
)
def test_a_hint_names_its_gain(gain: float, language: str, says: str) -> None:
    at = dealt(DEAL)
    at.table = update(at.table, HintRequested(1, at.now))
    (note,) = sentences.notes(make_formatter(at, language))
    assert "Ana" in note
    number = at.hint_requests[0].number
    best, other = Draft(3, Colour.RED, 2), Draft(3, Colour.RED, 3)
    at.reply(BotReply(number, best, at.now, gain=gain, next_best=other))
    (note,) = sentences.notes(make_formatter(at, language))
    assert says in note


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_missing_hint_is_reported(language: str) -> None:
    at = dealt(DEAL)
    at.table = update(at.table, HintRequested(1, at.now))
    at.press("display.3", "seat.1.line.5")
    words = WORDS[language]
    assert sentences.notes(make_formatter(at, language)) == (words.text("hint.gone_on", who="Ana"),)
    at.press("display.1")
    assert sentences.notes(make_formatter(at, language)) == ()


@pytest.mark.parametrize(
    ("reason", "english", "german"),
    [
        (
            {"key": "column", "colour": "b", "row": 2, "column": 3, "points": 1},
            "Master scores 1 point with blue in row 2, column 3.",
            "Master bekommt 1 Punkt für die blaue Fliese in Zeile 2, Spalte 3.",
        ),
        (
            {"key": "brings_forward", "colour": "r", "position": 2},
            "Master brings the red penalty tile to the 2nd place.",
            "Master bringt die rote Straffliese auf den 2. Platz.",
        ),
    ],
)
def test_a_reason_names_its_subject(reason: scenes.Message, english: str, german: str) -> None:
    move = Move(seat=2, name="Master", because=(Because(**reason),))
    spoken = [sentences.reasons(make_formatter(dealt(DEAL), each), move) for each in ("en", "de")]
    assert spoken == [english, german]


def test_every_reason_has_a_text() -> None:
    """The keys are read from the source of `device.table.explain`."""
    keys = set(re.findall(r'Reason\("(\w+)"', Path(str(explain.__file__)).read_text("utf-8")))
    keys |= {"column_best", "column", "beside_fewest", "beside"}
    assert len(keys) > 12
    for words in WORDS.values():
        assert all(f"reason.{key}" in words for key in keys), keys


def test_a_page_requests_a_hint(daemon: FakeDaemon, client: FlaskClient) -> None:
    assert client.post("/action", data='{"type":"hint","seat":2}', headers=JSON).get_json() == {"taken": True}
    assert daemon.asked.get(timeout=TIMEOUT) == {"type": "hint", "seat": 2}
    assert client.post("/action", data='{"type":"hint"}', headers=JSON).get_json() == {"taken": True}
    assert daemon.asked.get(timeout=TIMEOUT) == {"type": "hint"}
    assert client.post("/action", data='{"type":"hint","seat":"x"}', headers=JSON).status_code == 400


def test_the_hint_button_is_shown_while_a_hint_can_be_requested() -> None:
    asking, thinking = (
        controls.bar(make_formatter(scene), TWIN) for scene in (dealt(DEAL), begin_with("calm", ""))
    )
    assert asking is not None and thinking is not None
    assert asking.hint is not None
    assert thinking.hint is None
