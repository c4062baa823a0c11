"""Faults on the pages: every part and every reason in every language; and faults of simulated parts."""

from __future__ import annotations

import re
from itertools import product

import msgspec
import pytest
from flask.testing import FlaskClient

from hardware.api import BUTTONS, HEAT, LIGHTS, PICO, POWER, Loss, button_part, lights_part, reader_part
from tests.web_ui import real_tables, scenes
from tests.web_ui.browsing import Text
from tests.web_ui.conftest import show
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon
from tests.web_ui.scenes import Message
from tests.web_ui.test_sentences import make_formatter
from web_ui.latest import View
from web_ui.messages import Layout
from web_ui.table_link import TableLink
from web_ui.text.sentences import faults
from web_ui.text.words import read_all_words
from web_ui.views.drawing import drawing_state
from web_ui.views.phone import Viewer
from web_ui.views.workshop import workshop

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


@pytest.mark.parametrize("path", ["/", "/table", "/table?face=hardware"])
def test_both_pages_show_a_fault_until_it_is_over(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, path: str
) -> None:
    show(daemon, link, {**scenes.offer(1), "faults": [lost("pico", "unplugged")]})
    assert "plug it in again" in client.get(path).text
    assert 'class="faults"' in client.get(path).text
    show(daemon, link, scenes.offer(2))
    assert 'class="faults"' not in client.get(path).text


# --- Faults of simulated parts ---------------------------------------------------------------------------

CAN = {
    "lights": ["unplug"],
    "buttons": ["unplug"],
    "button": ["bounce", "hang"],
    "reader.shared": ["unplug", "repeat"],
    "power": ["brownout"],
    "pico": ["unplug", "freeze", "restart"],
}
HARDWARE = "/table?face=hardware"


def simulated(*on: tuple[str, str], can: Message | None = None) -> Message:
    faults = {"can": CAN if can is None else can, "on": [{"part": part, "fault": kind} for part, kind in on]}
    return {"simulated": {"drawer": None, "faults": faults}}


def switches(page: str) -> dict[tuple[str, str], object]:
    """What the buttons of the workshop do, by part and fault."""
    actions = [action for action in Text(page).actions if action["type"] == "fault"]
    return {(str(action["part"]), str(action["fault"])): action["on"] for action in actions}


def test_the_workshop_has_a_switch_for_every_fault_of_a_simulated_part(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    for version, scene in enumerate(({}, {"simulated": None}, simulated(can={})), 1):
        show(daemon, link, {**scenes.offer(version), **scene})
        assert not switches(client.get(HARDWARE).text)
    show(daemon, link, {**scenes.offer(4), **simulated(("lights", "unplug"), ("button.ok", "hang"))})
    found = switches(client.get(HARDWARE).text)
    expected = {(part, kind): True for part, kinds in CAN.items() if part != "button" for kind in kinds}
    assert found == {**expected, ("lights", "unplug"): False, ("button.ok", "hang"): False}
    assert not switches(client.get(HARDWARE, environ_base={"REMOTE_ADDR": "192.168.1.20"}).text)
    assert "bounces" in client.get(HARDWARE).text, "a tool for drawn buttons"


@each_language
def test_every_fault_and_part_of_the_workshop_has_a_name(language: str) -> None:
    on = [("button.display.3", kind) for kind in CAN["button"]]
    view = workshop(make_formatter({**scenes.offer(), **simulated(*on)}, language), Viewer("table"))
    assert view is not None
    assert {part.name for part in view.parts} & set(CAN) == set()
    names = [fault.name for part in view.parts for fault in part.faults] + [name for _, name in view.tools]
    assert not any(name.startswith(("fault.", "workshop.")) for name in names)
    assert len(set(names)) == 7 + 1, "one name for each kind, and the press"
    assert all("3" in fault.name and ":" in fault.name for fault in view.broken)


@pytest.mark.parametrize("on", [True, False])
def test_a_fault_is_sent_to_the_table(daemon: FakeDaemon, client: FlaskClient, *, on: bool) -> None:
    fault = {"type": "fault", "part": "pico", "fault": "unplug", "on": on}
    assert client.post("/action", json=fault).get_json() == {"taken": True}
    asked = daemon.asked.get(timeout=TIMEOUT)
    assert {key: asked[key] for key in fault} == fault


@pytest.mark.parametrize(
    "body",
    [
        {"type": "fault"},
        {"type": "fault", "part": "pico", "fault": "unplug", "on": "no"},
        {"type": "fault", "part": "x" * 101, "fault": "unplug", "on": True},
        {"type": "fault", "part": "pico", "fault": None, "on": True},
    ],
)
def test_an_invalid_fault_is_refused(client: FlaskClient, body: object) -> None:
    assert client.post("/action", json=body).status_code == 400


def drawn(
    on: tuple[tuple[str, str], ...] = (), gone: tuple[str, ...] = (), on_pico: tuple[str, ...] = ()
) -> tuple[str, int]:
    """How the lights are drawn, and how many buttons are dead, with these faults and lost parts."""
    layout = msgspec.convert({**scenes.layout(), "on_pico": list(on_pico)}, Layout)
    scene = {**scenes.offer(), **simulated(*on), "faults": [lost(part) for part in gone]}
    formatter = make_formatter(scene, "en")
    state = drawing_state(formatter, View(snapshot=formatter.snapshot, layout=layout))
    dead = state["dead"]
    assert isinstance(dead, list)
    return str(state["lights"]), len(dead)


def test_what_has_no_power_is_drawn_dark() -> None:
    """A Pico unplugged was drawn shining, and its drawn buttons worked."""
    every = len(scenes.layout()["buttons"])
    pico = ("lights", "buttons")
    assert drawn() == ("on", 0)
    assert drawn(on=(("pico", "unplug"),), on_pico=pico) == ("dark", every)
    assert drawn(gone=("pico",), on_pico=pico) == ("dark", every)
    assert drawn(gone=("pico",), on_pico=("lights",)) == ("dark", 0)
    assert drawn(gone=("lights",)) == ("dark", 0)
    assert drawn(on=(("lights", "unplug"),)) == ("dark", 0)
    assert drawn(on=(("buttons", "unplug"),)) == ("on", every)
    assert drawn(gone=("button.ok",)) == ("on", 1)
    assert drawn(on=(("button.ok", "hang"), ("button.undo", "bounce"))) == ("on", 2)
    assert drawn(on=(("power", "brownout"),)) == ("dim", 0)
    assert drawn(on=(("pico", "freeze"),), on_pico=pico) == ("frozen", every)


def test_a_real_table_has_no_drawer(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    """Its readers are real: the tiles of the drawer do not exist."""
    show(daemon, link, {**real_tables.reporting("b", 1), "simulated": None})
    page = client.get("/table").text
    assert "data-tag" not in page
    assert "data-tile" in page
