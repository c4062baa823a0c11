"""Faults on the pages: every part and every reason in every language; and the simulated Pico's plug."""

from __future__ import annotations

import re
from itertools import product

import pytest
from flask.testing import FlaskClient

from hardware.api import BUTTONS, HEAT, LIGHTS, PICO, POWER, Loss, button_part, lights_part, reader_part
from tests.web_ui import real_tables, scenes
from tests.web_ui.browsing import Text
from tests.web_ui.conftest import show
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon
from tests.web_ui.scenes import Message
from tests.web_ui.test_sentences import make_formatter
from web_ui.table_link import TableLink
from web_ui.text.sentences import faults
from web_ui.text.words import read_all_words

PARTS = (
    LIGHTS,
    BUTTONS,
    PICO,
    POWER,
    HEAT,
    button_part("display.3"),
    button_part("seat.2.line.4"),
    button_part("ok"),
    lights_part("wled-ring.local"),
    reader_part("display.3"),
    reader_part("centre"),
    reader_part("seat.2"),
    reader_part("shared"),
)
each_language = pytest.mark.parametrize("language", sorted(read_all_words()))


def lost(part: str, why: str = "silent") -> Message:
    return {"part": part, "why": why, "since": 1_700_000_000}


def fault_texts(*given: Message, language: str = "en", scene: Message | None = None) -> tuple[str, ...]:
    return faults(make_formatter({**(scene or scenes.offer()), "faults": list(given)}, language))


@each_language
@pytest.mark.parametrize("part", PARTS)
def test_every_fault_has_three_sentences(language: str, part: str) -> None:
    words = read_all_words()[language]
    for why in Loss:
        (text,) = fault_texts(lost(part, why), language=language)
        assert len(re.findall(r"[.!?](?= |$)", text)) >= 3, text
        assert not re.search(r"[{}]|\N{EN DASH}|  |lost|instead|_", text), text
        assert words.text("lost.other", part=part) not in text
        assert words.text("mend.failed") not in text or why is Loss.FAILED


def test_a_fault_says_how_to_play_on_and_how_to_repair_it() -> None:
    assert fault_texts(lost("reader.display.3")) == (
        "The reader at display 3 does not answer. Take the colours with the buttons. Look at its plug.",
    )
    assert fault_texts(lost("reader.shared"), scene=real_tables.reporting("b")) == (
        "The reader for everybody does not answer. Report the tiles with the buttons on the pages. "
        "Look at its plug.",
    )


def test_lights_in_the_network_are_named_by_their_controller() -> None:
    assert fault_texts(lost("lights.wled-ring.local")) == (
        "The lights at wled-ring.local can't be reached. Play goes on: the pages show every tile. "
        "Look whether their controller has power and has joined the network.",
    )


def test_texts_differ_by_part_and_reason() -> None:
    texts = {fault_texts(lost(part, why)) for part, why in product((LIGHTS, PICO, "reader.centre"), Loss)}
    assert len(texts) > 25


def test_buttons_with_the_same_fault_share_a_sentence() -> None:
    names = ("seat.1.line.2", "display.3", "ok")
    (text, reader) = sorted(
        fault_texts(*(lost(f"button.{name}", "chattering") for name in names), lost("reader.centre")),
        reverse=False,
    )
    assert text.startswith("3 buttons do not work: Line 2 of ")
    assert "Display 3" in text
    assert reader.startswith("The reader at the centre")


@each_language
def test_an_unknown_part_and_reason_have_a_text(language: str) -> None:
    """A newer table may have other parts and other reasons."""
    (text,) = fault_texts(lost("lamp.7", "melted"), language=language)
    assert "lamp.7" in text
    assert "azul-table doctor" in text


@pytest.mark.parametrize("path", ["/", "/table"])
def test_both_pages_show_a_fault_until_it_is_over(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, path: str
) -> None:
    show(daemon, link, {**scenes.offer(1), "faults": [lost("pico", "unplugged")]})
    assert "plug it in again" in client.get(path).text
    assert 'class="faults"' in client.get(path).text
    show(daemon, link, scenes.offer(2))
    assert 'class="faults"' not in client.get(path).text


# --- A Pico that is simulated ----------------------------------------------------------------------------


def plugs(page: str) -> list[object]:
    """What the buttons of the plug on a page do."""
    return [action["plugged"] for action in Text(page).actions if action["type"] == "plug"]


def test_only_a_simulated_pico_has_a_plug_on_the_twin(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    moments: tuple[Message, ...] = ({}, {"simulated": None}, {"simulated": {"drawer": None, "plugged": None}})
    for version, simulated in enumerate(moments, 1):
        show(daemon, link, {**scenes.offer(version), **simulated})
        assert not plugs(client.get("/table").text)
    show(daemon, link, {**scenes.offer(4), "simulated": {"drawer": None, "plugged": True}})
    assert plugs(client.get("/table").text) == [False]
    assert not plugs(client.get("/table", environ_base={"REMOTE_ADDR": "192.168.1.20"}).text)
    show(daemon, link, {**scenes.offer(5), "simulated": {"drawer": None, "plugged": False}})
    assert plugs(client.get("/table").text) == [True]


@pytest.mark.parametrize("plugged", [True, False])
def test_the_plug_is_pulled_at_the_table(daemon: FakeDaemon, client: FlaskClient, *, plugged: bool) -> None:
    assert client.post("/action", json={"type": "plug", "plugged": plugged}).get_json() == {"taken": True}
    assert daemon.asked.get(timeout=TIMEOUT)["plugged"] is plugged


@pytest.mark.parametrize(
    "body", [{"type": "plug"}, {"type": "plug", "plugged": "no"}, {"type": "plug", "plugged": None}]
)
def test_an_invalid_plug_action_is_refused(client: FlaskClient, body: object) -> None:
    assert client.post("/action", json=body).status_code == 400


def test_a_real_table_has_no_drawer(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    """Its readers are real: the tiles of the drawer do not exist."""
    show(daemon, link, {**real_tables.reporting("b", 1), "simulated": None})
    page = client.get("/table").text
    assert "data-tag" not in page
    assert "data-tile" in page
