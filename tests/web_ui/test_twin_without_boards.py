"""The Play face of the twin shows boards, whether the table has them or not."""

from __future__ import annotations

from pathlib import Path

from flask.testing import FlaskClient

from tests.web_ui import scenes
from tests.web_ui.browsing import Text
from tests.web_ui.conftest import show, until
from tests.web_ui.fake_daemon import FakeDaemon, Message
from web_ui.app import create_app
from web_ui.latest import Latest
from web_ui.table_link import TableLink


def without_boards(drawing: Message) -> Message:
    """Return the layout without the boards of the seats."""
    parts = ("lights", "buttons", "outlines")
    kept = {part: [it for it in drawing[part] if not it["name"].startswith("seat.")] for part in parts}
    return {**drawing, **kept}


def test_the_twin_of_a_table_without_boards_shows_boards_and_tiles(socket_path: Path) -> None:
    daemon = FakeDaemon(socket_path, without_boards(scenes.layout()))
    link = TableLink(socket_path, Latest())
    link.start()
    daemon.play(scenes.chosen())
    until(link, scenes.chosen()["version"])
    client = create_app(link).test_client()
    labels = Text(client.get("/table").text).values("aria-label")
    assert "Line 4: black, 3 of 4" in labels
    assert "Display 1: 2 blue, 1 yellow and 1 red" in labels
    regions = client.get("/regions?page=play").get_json()["news"]["regions"]
    assert all(regions[f"board.{seat}"] for seat in range(1, 5))
    pressed = client.post(
        "/action", json={"type": "press", "button": "seat.1.line.3"}, headers={"Host": "localhost"}
    )
    assert pressed.status_code == 404, "no phone stands in for that button either"
    link.close()
    daemon.stop()


def test_the_hardware_face_shows_no_boards_but_the_drawn_ones(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.chosen())
    page = client.get("/table?face=hardware").text
    assert 'class="board' not in page
    regions = client.get("/regions?page=table").get_json()["news"]["regions"]
    assert not {"offer", "board.1"} & regions.keys()


def test_this_machine_may_press_buttons_that_the_table_lacks(socket_path: Path) -> None:
    daemon = FakeDaemon(socket_path, without_boards(scenes.layout()))
    link = TableLink(socket_path, Latest())
    link.start()
    scene = scenes.chosen(phones={"press": ["seat.1.line.3", "seat.1.line.4", "seat.1.floor"]})
    daemon.play(scene)
    until(link, scene["version"])
    client = create_app(link).test_client()
    page = Text(client.get("/table").text)
    assert {"0", "3"} <= set(page.values("data-line")), "the board is its control"
    answer = client.post(
        "/action", json={"type": "press", "button": "seat.1.line.3"}, headers={"Host": "localhost"}
    )
    assert answer.get_json() == {"taken": True}
    link.close()
    daemon.stop()
