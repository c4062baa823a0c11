"""The connection of the pages to the table: subscriptions, reconnecting, garbage, and actions."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Semaphore, current_thread
from threading import enumerate as running_threads

import pytest

from tests.web_ui import scenes
from tests.web_ui.conftest import LEASE_CHECK, until, until_frame, until_presence
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from web_ui.latest import Frame, Latest, Presence
from web_ui.messages import SCHEMA, MessageError, NamePlayer, PressButton
from web_ui.table_link import ANSWER_MARGIN, TableAwayError, TableLink, TableSilentError


def wait_for_frames_subscription(daemon: FakeDaemon) -> None:
    while not daemon.subscribed.get(timeout=TIMEOUT):
        continue


def test_the_latest_snapshot_is_published(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.play(scenes.snapshot(1))
    daemon.play(scenes.offer(7))
    view = until(link, 7)
    assert view.presence is Presence.HERE
    assert view.layout is not None
    assert len(view.layout.lights) == len(daemon.layout["lights"])
    assert json.loads(view.raw) == scenes.offer(7)


def test_the_link_reconnects_to_a_table_that_comes_back(socket_path: Path, link: TableLink) -> None:
    first = FakeDaemon(socket_path, scenes.layout())
    first.play(scenes.offer(3))
    until(link, 3)
    first.stop()
    away = until_presence(link, Presence.AWAY)
    assert away.snapshot is not None, "the last snapshot stays"
    second = FakeDaemon(socket_path, scenes.layout(2, 5, 16))
    second.play(scenes.offer(4))
    view = until(link, 4)
    assert view.layout is not None
    assert view.layout.seats == 2
    second.stop()


def test_frames_are_subscribed_to_only_while_they_are_wanted(daemon: FakeDaemon, link: TableLink) -> None:
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


def test_the_subscription_to_frames_ends_when_they_are_not_wanted_any_more(
    daemon: FakeDaemon, link: TableLink
) -> None:
    daemon.play(scenes.offer())
    daemon.shine(scenes.dark(daemon.layout))
    for _ in range(int(10 * TIMEOUT)):  # a lease may be over before the link has subscribed
        link.latest.want_frames(0.2)
        with suppress(Empty):
            if daemon.subscribed.get(timeout=0.1):
                break
    assert daemon.left.get(timeout=TIMEOUT) is True
    view, frame = link.latest.view, link.latest.frame
    while frame:
        newer_view, newer_frame = link.latest.wait_for_frame(view.number, frame.number, TIMEOUT)
        assert (newer_view, newer_frame) != (view, frame), "an old frame is kept"
        view, frame = newer_view, newer_frame


class Pauses:
    """Pauses between attempts to reconnect that last until a test ends them; in seconds for each thread."""

    def __init__(self) -> None:
        self.seconds: dict[str, Queue[float]] = defaultdict(Queue)
        self.ended: dict[str, Semaphore] = defaultdict(lambda: Semaphore(0))

    def __call__(self, closing: Event, seconds: float) -> None:
        thread = current_thread().name
        self.seconds[thread].put(seconds)
        while not closing.is_set() and not self.ended[thread].acquire(timeout=0.05):
            continue

    def next(self, thread: str) -> float:
        """Return how long the current pause of a thread would last."""
        return self.seconds[thread].get(timeout=TIMEOUT)

    def end(self, thread: str) -> None:
        """End the current pause of a thread."""
        self.ended[thread].release()


@pytest.mark.parametrize("thread", ["table-snapshots", "table-frames"])
def test_the_backoff_doubles_to_a_second_and_is_reset_once_the_table_was_reached(
    socket_path: Path, thread: str
) -> None:
    """A table that only sends its layout was not reached: a broken one is not asked ten times a second."""
    pauses = Pauses()
    link = TableLink(socket_path, Latest(), pauses)
    link.latest.want_frames(10 * TIMEOUT)
    link.start()
    for seconds in (0.1, 0.2, 0.4):
        assert pauses.next(thread) == seconds
        if seconds < 0.4:
            pauses.end(thread)
    tables: list[tuple[Message | None, str | None, list[float]]] = [
        (None, None, [0.8, 1.0, 1.0]),
        (scenes.offer(3), scenes.dark(scenes.layout()), [0.1, 0.2]),
    ]
    for snapshot, colours, expected in tables:
        daemon = FakeDaemon(socket_path, scenes.layout())
        daemon.snapshot, daemon.colours = snapshot, colours
        pauses.end(thread)
        daemon.subscribed.get(timeout=TIMEOUT)
        if snapshot is not None and thread == "table-snapshots":
            until(link, 3)
        if colours is not None and thread == "table-frames":
            until_frame(link, Frame())
        daemon.stop()
        for number, seconds in enumerate(expected, 1):
            assert pauses.next(thread) == seconds
            if number < len(expected):
                pauses.end(thread)
    link.close()


def test_no_pause_follows_the_end_of_a_lease(daemon: FakeDaemon, socket_path: Path) -> None:
    """It is no failure: the next viewer gets frames at once."""
    waits: Queue[Latest] = Queue()

    class Watched(Latest):
        def wait_until_frames_wanted(self) -> bool:
            waits.put(self)
            return super().wait_until_frames_wanted()

    pauses = Pauses()
    link = TableLink(socket_path, Watched(), pauses, LEASE_CHECK)
    link.start()
    waits.get(timeout=TIMEOUT)
    link.latest.want_frames(0.1)
    waits.get(timeout=TIMEOUT)
    assert pauses.seconds["table-frames"].empty()
    link.close()


def test_colours_of_frames_are_published_in_small_letters(daemon: FakeDaemon, link: TableLink) -> None:
    colours = "AB" * 3 * len(daemon.layout["lights"])
    daemon.shine(colours)
    assert until_frame(link, Frame()).colours == colours.lower()


def test_garbage_of_one_connection_is_logged_once(
    daemon: FakeDaemon, link: TableLink, caplog: pytest.LogCaptureFixture
) -> None:
    daemon.play(scenes.offer(3))
    until(link, 3)
    for _ in range(5):
        daemon.say_raw(b"{\n")
    daemon.play(scenes.offer(4))
    until(link, 4)
    (line,) = caplog.messages
    assert str(link.path) in line
    assert "not readable" in line


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
def test_garbage_is_ignored(daemon: FakeDaemon, link: TableLink, line: bytes) -> None:
    daemon.play(scenes.offer(3))
    until(link, 3)
    daemon.say_raw(line)
    daemon.play(scenes.offer(4))
    until(link, 4)


@pytest.mark.parametrize("frame", ["", "12", "zz" * 3, None, "+12345", "1_2345"])
def test_a_frame_that_does_not_fit_the_layout_is_ignored(
    daemon: FakeDaemon, link: TableLink, frame: str | None
) -> None:
    link.latest.want_frames(TIMEOUT)
    wait_for_frames_subscription(daemon)
    daemon.say_raw(json.dumps({"type": "frame", "colours": frame}).encode() + b"\n", only_frames=True)
    daemon.shine(scenes.dark(daemon.layout))
    assert until_frame(link, Frame()).number == 1


def test_a_newer_schema_is_published_as_such(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.play({**scenes.offer(), "schema": SCHEMA + 1})
    until_presence(link, Presence.NEWER)
    daemon.play(scenes.offer(12))
    until(link, 12)


def test_an_unreadable_snapshot_is_published_as_such(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.play({**scenes.offer(), "seats": "four"})
    until_presence(link, Presence.UNREADABLE)


@pytest.mark.parametrize("presence", [Presence.HERE, Presence.NEWER])
def test_a_table_that_sends_nothing_hangs_until_its_next_line(
    daemon: FakeDaemon, socket_path: Path, presence: Presence
) -> None:
    """Bug fixed: it was not noticed for minutes."""
    daemon.beating = False
    daemon.play({**scenes.offer(3), "schema": SCHEMA if presence is Presence.HERE else SCHEMA + 1})
    link = TableLink(socket_path, Latest(), silence=0.05)
    link.start()
    until_presence(link, Presence.HUNG)
    daemon.say_raw(b'{"type":"beat"}\n')
    until_presence(link, presence)
    until_presence(link, Presence.HUNG)
    daemon.play(scenes.offer(4))
    until_presence(link, Presence.HERE)
    link.close()


def test_heartbeats_alone_change_nothing(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.play(scenes.offer(3))
    view = until(link, 3)
    for _ in range(5):
        daemon.say_raw(b'{"type":"beat"}\n')
    daemon.play(scenes.offer(4))
    assert until(link, 4).number == view.number + 1


def test_an_action_ends_in_time_though_the_table_is_silent(daemon: FakeDaemon, link: TableLink) -> None:
    asked = Event()

    def hang(_message: Message) -> Message:
        asked.wait(TIMEOUT)
        return {"taken": True}

    daemon.answer = hang
    with pytest.raises(TableSilentError):
        link.ask(PressButton("ok"), time.monotonic() - ANSWER_MARGIN + 0.1)
    with pytest.raises(TableSilentError):
        link.ask(PressButton("ok"), time.monotonic() - 1)
    asked.set()


def test_actions_are_sent_to_the_table(daemon: FakeDaemon, link: TableLink) -> None:
    assert link.ask(PressButton("display.3")).taken is True
    assert link.ask(NamePlayer(2, "Rui")).taken is True
    assert [daemon.asked.get(timeout=TIMEOUT) for _ in range(2)] == [
        {"type": "press", "button": "display.3"},
        {"type": "name", "seat": 2, "name": "Rui"},
    ]


def test_refusals_are_returned(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.answer = lambda _message: {"taken": False, "why": "line_full"}
    answer = link.ask(PressButton("seat.1.line.2"))
    assert (answer.taken, answer.why) == (False, "line_full")


def test_an_action_without_a_table_raises_table_away(link: TableLink) -> None:
    with pytest.raises(TableAwayError):
        link.ask(PressButton("ok"))


def test_an_unreadable_answer_raises_table_away(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.answer = lambda question: {"taken": "perhaps"}
    with pytest.raises(TableAwayError):
        link.ask(PressButton("ok"))


def test_an_error_of_the_table_is_raised_as_such(daemon: FakeDaemon, link: TableLink) -> None:
    daemon.answer = lambda _message: {"type": "error", "error": "this line is no message: no such tag"}
    with pytest.raises(MessageError, match="no such tag"):
        link.ask(PressButton("ok"))


def test_close_ends_everything_that_waits(daemon: FakeDaemon, socket_path: Path) -> None:
    before = set(running_threads())
    link = TableLink(socket_path, Latest())
    link.start()
    link.latest.want_frames(TIMEOUT)
    wait_for_frames_subscription(daemon)
    own = [it for it in set(running_threads()) - before if it.name in ("table-snapshots", "table-frames")]
    assert len(own) == 2
    link.close()
    for thread in own:
        thread.join(TIMEOUT)
        assert not thread.is_alive(), "it reads from a table that sends nothing"
    assert link.latest.closed
    assert link.latest.wait_for_view(99, TIMEOUT) is link.latest.view
