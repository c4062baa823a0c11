"""The latest view and frame of the table: what is news, and how long poll waits end."""

from __future__ import annotations

import threading

from tests.web_ui.fake_daemon import TIMEOUT
from web_ui.latest import Frame, Latest, Presence, View
from web_ui.messages import Layout, Snapshot

SNAPSHOT = Snapshot(stage="offer", ask={"say": "draft"})
LAYOUT = Layout("duo", 480, 300, (), ())


def test_an_equal_view_is_no_news() -> None:
    latest = Latest()
    latest.publish(Presence.HERE, layout=LAYOUT, snapshot=SNAPSHOT, raw=b"{}")
    number = latest.view.number
    latest.publish(Presence.HERE, layout=LAYOUT, snapshot=SNAPSHOT, raw=b"{}")
    assert latest.view.number == number
    latest.publish(Presence.AWAY)
    assert latest.view.number == number + 1


def test_layout_and_snapshot_stay_when_the_table_is_away() -> None:
    latest = Latest()
    latest.publish(Presence.HERE, layout=LAYOUT, snapshot=SNAPSHOT, raw=b"{}")
    latest.publish(Presence.AWAY)
    assert latest.view == View(2, Presence.AWAY, LAYOUT, SNAPSHOT, b"{}")


def test_an_equal_frame_is_no_news() -> None:
    latest = Latest()
    latest.publish_frame(("status",), "0a0b0c")
    latest.publish_frame(("status",), "0a0b0c")
    assert latest.frame == Frame(1, ("status",), "0a0b0c")
    latest.publish_frame(("ok",), "0a0b0c")
    assert latest.frame.number == 2


def test_a_wait_ends_at_once_where_something_newer_is_known() -> None:
    latest = Latest()
    latest.publish(Presence.HERE, snapshot=SNAPSHOT)
    latest.publish_frame(("status",), "0a0b0c")
    assert latest.wait_for_view(0, TIMEOUT).number == 1
    assert latest.wait_for_frame(0, 1, TIMEOUT)[0].number == 1
    assert latest.wait_for_frame(1, 0, TIMEOUT)[1].number == 1


def test_a_wait_without_news_ends_with_its_time() -> None:
    latest = Latest()
    assert latest.wait_for_view(0, 0.01).number == 0
    assert latest.wait_for_frame(0, 0, 0.01) == (View(), Frame())


def test_a_wait_ends_with_a_new_view_and_a_new_frame() -> None:
    latest = Latest()
    found: list[int] = []
    waiting = [
        threading.Thread(target=lambda: found.append(latest.wait_for_view(0, TIMEOUT).number)),
        threading.Thread(target=lambda: found.append(latest.wait_for_frame(1, 0, TIMEOUT)[1].number)),
    ]
    for thread in waiting:
        thread.start()
    latest.publish(Presence.HERE, snapshot=SNAPSHOT)
    latest.publish_frame(("status",), "0a0b0c")
    for thread in waiting:
        thread.join(TIMEOUT)
    assert found == [1, 1]


def test_a_wait_for_frames_ends_with_a_new_view() -> None:
    latest = Latest()
    waiting = threading.Thread(target=latest.wait_for_frame, args=(0, 0, TIMEOUT))
    waiting.start()
    while waiting.is_alive():
        latest.publish(Presence.HERE if latest.view.presence is Presence.AWAY else Presence.AWAY)
        waiting.join(TIMEOUT / 4)
        assert latest.view.number < 3, "the wait goes on after two new views"


def test_a_wait_ends_when_its_viewer_has_left() -> None:
    latest, left = Latest(), threading.Event()
    waiting = threading.Thread(target=latest.wait_for_view, args=(0, TIMEOUT, left.is_set))
    waiting.start()
    left.set()
    latest.wake()
    waiting.join(TIMEOUT / 2)
    assert not waiting.is_alive()


def test_a_shorter_lease_does_not_end_a_longer_one() -> None:
    latest = Latest()
    assert not latest.frames_wanted()
    latest.want_frames(TIMEOUT)
    latest.want_frames(0)
    assert latest.frames_wanted()
    assert latest.wait_until_frames_wanted()


def test_close_ends_a_wait_for_viewers_that_want_frames() -> None:
    latest, wanted = Latest(), list[bool]()
    waiting = threading.Thread(target=lambda: wanted.append(latest.wait_until_frames_wanted()), daemon=True)
    waiting.start()
    latest.close()
    waiting.join(TIMEOUT)
    assert wanted == [False]


def test_after_close_nothing_waits_and_no_frames_are_wanted() -> None:
    latest = Latest()
    latest.want_frames(TIMEOUT)
    latest.close()
    assert not latest.frames_wanted()
    assert not latest.wait_until_frames_wanted()
    assert latest.wait_for_view(0, TIMEOUT).number == 0
