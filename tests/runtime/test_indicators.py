"""Whole games on the smallest table, which has buttons for sources only: boards are played on phones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.harness.client import Message
from tests.harness.held_play import HOUR
from tests.harness.local_table import LocalTable
from tests.harness.player import acting_seat, best_draft, line_button, source_button
from tests.harness.waiting import until
from web_ui.app import create_app
from web_ui.latest import Latest
from web_ui.table_link import TableLink

pytestmark = pytest.mark.system

AT_TABLE = ("display", "centre", "ok", "undo")


@pytest.fixture
def local_table(short: Path) -> Iterator[LocalTable]:
    with LocalTable(short / "azul-table.db", "indicators", short / "table.sock", opening=HOUR) as local_table:
        yield local_table


@pytest.fixture
def link(local_table: LocalTable, short: Path) -> Iterator[TableLink]:
    assert local_table.server is not None
    link = TableLink(short / "table.sock", Latest())
    link.start()
    until(lambda: link.latest.view.snapshot is not None, "the table on its pages")
    yield link
    link.close()


class Players:
    """Players who press the buttons that the table has, and the others on their phones."""

    def __init__(self, local_table: LocalTable, phone: FlaskClient) -> None:
        self.local_table = local_table
        self.phone = phone
        self.on_phones = 0

    def press(self, button: str) -> None:
        """Press a button wherever it is, and check that it is taken."""
        before = self.state()
        assert button in before["live"], (button, before["ask"])
        if button.startswith(AT_TABLE):
            self.local_table.hardware.press(button)
            until(lambda: self.local_table.snapshot != before, f"what {button} does")
        else:
            assert self.on_phone(button) == {"taken": True}
            self.on_phones += 1
        assert not self.refused()

    def on_phone(self, button: str) -> Message:
        answer = self.phone.post(
            "/action",
            data=json.dumps({"type": "press", "button": button}),
            headers={"Host": "192.168.1.5:8080", "Content-Type": "application/json"},
            environ_overrides={"REMOTE_ADDR": f"192.168.1.{self.on_phones % 200}"},
        )
        result: Message = answer.get_json()
        return result

    def refused(self) -> bool:
        return self.local_table.snapshot["refusal"] is not None

    def play(self, mode: str, seats: tuple[int, ...]) -> Message:
        """Play a game of these seats to its end."""
        for seat in seats:
            self.press(f"seat.{seat}.floor")
        self.press("ok")
        for value in (mode, "gray") if mode == "solo" else (mode,):
            for item in self.local_table.snapshot["menu"]:
                if item["value"] == value and not item["chosen"]:
                    self.press(item["button"])
        self.press(f"seat.{seats[0]}.line.1")
        while (state := self.state())["stage"] != "over":
            self.press(choice_of(state))
        return state

    def state(self) -> Message:
        """Return the snapshot, after a deal that is due."""
        until(lambda: self.local_table.snapshot["ask"]["say"] != "dealing", "a deal")
        return self.local_table.snapshot


def choice_of(state: Message) -> str:
    """Return the next button of a game."""
    if state["stage"] == "choice":
        return str(state["choosing"][0]["button"])
    if state["stage"] != "offer":
        return "ok"
    seat, chosen = acting_seat(state), state["choice"]
    if chosen is not None and chosen["tried"] is not None:
        return line_button(seat, chosen["tried"])
    if state["mode"] != "solo":
        source, colour, line = best_draft(state)
        taken = chosen is not None and (chosen["source"], chosen["colour"]) == (source, colour)
        return line_button(seat, line) if taken else source_button(source)
    if chosen is None:
        return str(next(name for name in state["live"] if name.startswith("display.")))
    return line_button(seat, cheapest(chosen))


def cheapest(chosen: Message) -> int:
    """Return the line that sends the fewest tiles to the penalty row."""
    lines: list[int] = chosen["lines"]
    return min(lines, key=lambda line: (len(chosen["sends"].get(str(line), "")), -line))


@pytest.mark.parametrize(
    ("mode", "seats"),
    [("standard", (2, 4)), ("gray", (1, 3, 4)), ("dtc", (1, 3)), ("solo", (1,))],
)
def test_a_whole_game(local_table: LocalTable, link: TableLink, mode: str, seats: tuple[int, ...]) -> None:
    players = Players(local_table, create_app(link).test_client())
    state = players.play(mode, seats)
    result = state["result"]
    assert result["victory"] if mode == "solo" else len(result["scores"]) == len(seats)
    assert players.on_phones > len(seats)
    assert set(local_table.hardware.frame.lit) <= {light.name for light in local_table.hardware.layout.lights}


def test_phones_may_press_only_the_buttons_of_the_boards(local_table: LocalTable, link: TableLink) -> None:
    allowed = local_table.snapshot["phones"]["press"]
    assert len(allowed) == 24
    assert all(name.startswith("seat.") for name in allowed)
    players = Players(local_table, create_app(link).test_client())
    assert "error" in players.on_phone("ok")
    assert players.on_phone("seat.2.floor") == {"taken": True}
    until(lambda: local_table.daemon.table.seats.taken == (2,), "the seat")


def test_the_light_of_the_selected_source_has_its_colour(local_table: LocalTable, link: TableLink) -> None:
    players = Players(local_table, create_app(link).test_client())
    for button in ("seat.1.floor", "seat.2.floor", "ok", "seat.1.floor", "display.2"):
        players.press(button)
    shade = local_table.snapshot["palette"][local_table.snapshot["choice"]["colour"]]["rgb"]
    channels = [int(shade[at : at + 2], 16) for at in (1, 3, 5)]
    strongest = channels.index(max(channels))

    def seen() -> bool:
        shown = local_table.hardware.colour("display.2.1")
        return max(shown) > 100 and shown.index(max(shown)) == strongest

    until(seen, "the chosen colour")
