"""The line to the table: it comes back by itself, and nothing that is said on it breaks anything."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from queue import Empty

import pytest

from tests.web_ui import scenes
from tests.web_ui.conftest import until, until_frame, until_presence
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon
from web_ui.latest import Frame, Latest, Presence
from web_ui.messages import SCHEMA, NamePlayer, PressButton
from web_ui.table_link import TableAwayError, TableLink


def until_frames_are_asked_for(daemon: FakeDaemon) -> None:
    while not daemon.subscribed.get(timeout=TIMEOUT):
        continue


def test_snapshots_come_as_they_are_told(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.play(scenes.snapshot(1))
    daemon.play(scenes.offer(7))
    view = until(link, 7)
    assert view.presence is Presence.HERE
    assert view.layout is not None
    assert len(view.layout.lights) == len(daemon.layout["lights"])
    assert json.loads(view.raw) == scenes.offer(7)


def test_the_table_goes_and_comes_back(socket_path: Path, link: TableLink) -> None:
    first = FakeDaemon(socket_path, scenes.layout())
    first.play(scenes.offer(3))
    until(link, 3)
    first.stop()
    away = until_presence(link, Presence.AWAY)
    assert away.snapshot is not None, "what was known last stays"
    second = FakeDaemon(socket_path, scenes.layout(2, 5, 16))
    second.play(scenes.offer(4))
    view = until(link, 4)
    assert view.layout is not None
    assert view.layout.seats == 2
    second.stop()


def test_frames_are_asked_for_only_while_somebody_looks(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.play(scenes.offer())
    dark, lit = scenes.dark(daemon.layout), scenes.lit(daemon.layout, scenes.offer())
    daemon.shine(dark)
    until(link, 10)
    assert daemon.subscribed.get(timeout=TIMEOUT) is False
    assert daemon.subscribed.empty()
    link.latest.want_frames(TIMEOUT)
    assert daemon.subscribed.get(timeout=TIMEOUT) is True
    frame = until_frame(link, Frame())
    assert frame.colours == dark
    assert frame.names == tuple(light["name"] for light in daemon.layout["lights"])
    daemon.shine(lit)
    assert until_frame(link, frame).colours == lit


def test_frames_end_when_nobody_looks_any_more(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.play(scenes.offer())
    for _ in range(int(10 * TIMEOUT)):  # one look may be over before anybody could see it
        link.latest.want_frames(0.2)
        with suppress(Empty):
            if daemon.subscribed.get(timeout=0.1):
                break
    assert daemon.left.get(timeout=TIMEOUT) is True


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe\n",
        b"[]\n",
        b"{\n",
        b"\n",
        b'{"type":"snapshot","snapshot":7}\n',
        b'{"type":"layout","layout":{}}\n',
        b'{"type":"frame","colours":5}\n',
        b'{"type":"weather"}\n',
        b"[" * 100_000 + b"\n",
        b'{"a":"' + b"x" * 3_000_000 + b'"}\n',
    ],
)
def test_garbage_is_passed_over(daemon: FakeDaemon, link: TableLink, line: bytes) -> None:
    daemon.play(scenes.offer(3))
    until(link, 3)
    daemon.say_raw(line)
    daemon.play(scenes.offer(4))
    until(link, 4)


@pytest.mark.parametrize("frame", ["", "12", "zz" * 3, None, "+12345", "1_2345"])
def test_a_frame_that_does_not_fit_is_passed_over(
    daemon: FakeDaemon, link: TableLink, frame: str | None
) -> None:
    link.latest.want_frames(TIMEOUT)
    until_frames_are_asked_for(daemon)
    daemon.say_raw(json.dumps({"type": "frame", "colours": frame}).encode() + b"\n", only_frames=True)
    daemon.shine(scenes.dark(daemon.layout))
    assert until_frame(link, Frame()).number == 1


def test_a_newer_table_is_told_apart(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.play({**scenes.offer(), "schema": SCHEMA + 1})
    until_presence(link, Presence.NEWER)
    daemon.play(scenes.offer(12))
    until(link, 12)


def test_a_snapshot_that_can_not_be_read_is_told_apart(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.play({**scenes.offer(), "seats": "four"})
    until_presence(link, Presence.UNREADABLE)


def test_presses_and_names_are_carried(daemon: FakeDaemon, link: TableLink) -> None:
    assert link.ask(PressButton("display.3")).taken is True
    assert link.ask(NamePlayer(2, "Rui")).taken is True
    assert [daemon.asked.get(timeout=TIMEOUT) for _ in range(2)] == [
        {"type": "press", "button": "display.3"},
        {"type": "name", "seat": 2, "name": "Rui"},
    ]


def test_refusals_are_carried(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.answer = lambda _message: {"taken": False, "why": "line_full"}
    answer = link.ask(PressButton("seat.1.line.2"))
    assert (answer.taken, answer.why) == (False, "line_full")


def test_a_press_without_a_table_is_a_clear_fault(link: TableLink) -> None:
    with pytest.raises(TableAwayError):
        link.ask(PressButton("ok"))


def test_an_answer_that_can_not_be_read_is_a_clear_fault(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.answer = lambda question: {"taken": "perhaps"}
    with pytest.raises(TableAwayError):
        link.ask(PressButton("ok"))


def test_closing_ends_everything_that_waits(daemon: FakeDaemon, socket_path: Path) -> None:
    link = TableLink(socket_path, Latest())
    link.start()
    link.latest.want_frames(TIMEOUT)
    until_frames_are_asked_for(daemon)
    link.close()
    assert link.latest.closed
    assert link.latest.wait_for_view(99, TIMEOUT) is link.latest.view
