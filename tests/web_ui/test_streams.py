"""Event streams: only changes are sent, slots limit the streams, disconnected clients free them."""

from __future__ import annotations

import threading
import time

from flask.testing import FlaskClient

from tests.web_ui import scenes
from tests.web_ui.browsing import Browser, Stream
from tests.web_ui.conftest import StartPages, until
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon
from web_ui.app import create_app
from web_ui.latest import Frame, Latest, View
from web_ui.pages import Pages
from web_ui.streams import FRAMES_LEASE, LEASE_RENEWAL, Slots, Streams, Subscription
from web_ui.table_link import TableLink
from web_ui.views.phone import PHONE, TABLE, Viewer


def test_a_stream_sends_all_regions_and_then_only_changed_ones(daemon: FakeDaemon, browser: Browser) -> None:
    daemon.play(scenes.offer(3))
    with browser.stream() as stream:
        assert stream.status == 200
        assert stream.next().name == "hello"
        news = stream.next("news")
        while "Ana" not in news.data["regions"].get("turn", ""):
            news = stream.next("news")  # the pages were there before the table
        daemon.play(scenes.refused(4))
        news = stream.next("news")
        assert set(news.data["regions"]) == {"turn", "offer", "front", "board.1"}
        assert "That line is full." in news.data["regions"]["turn"]
        assert "state" not in news.data
        daemon.play(scenes.refused(5))
        daemon.play(scenes.scoring(6))
        while "account" not in (changed := stream.next("news").data["regions"]):
            assert changed == {}


def test_a_resumed_stream_sends_only_news(daemon: FakeDaemon, browser: Browser) -> None:
    daemon.play(scenes.offer(3))
    stamp = settled(browser)
    with browser.stream(have=stamp) as stream:
        stream.next("hello")
        daemon.play(scenes.refused(4))
        assert "seats" not in stream.next("news").data["regions"]
    for unknown in ("", "elsewhere.3", f"{stamp}99", stamp.replace(".", ".-"), "\N{SUPERSCRIPT TWO}"):
        with browser.stream(have=unknown.encode("ascii", "ignore").decode()) as stream:
            assert "board.4" in stream.next("news").data["regions"]


def settled(browser: Browser) -> str:
    """Return the stamp of a viewer that has been sent Ana's turn."""
    with browser.stream() as stream:
        while True:
            news = stream.next("news")
            if "Ana" in news.data["regions"].get("turn", ""):
                return news.stamp


def test_each_viewer_reads_their_language(daemon: FakeDaemon, browser: Browser) -> None:
    daemon.play(scenes.offer(3))
    stamp = settled(browser)
    with browser.stream(have=stamp, language="de") as german, browser.stream(have=stamp) as english:
        german.next("hello")
        english.next("hello")
        daemon.play(scenes.refused(4))
        assert "Ana ist dran" in german.next("news").data["regions"]["turn"]
        assert "Ana&#39;s turn" in english.next("news").data["regions"]["turn"]


def test_the_twin_is_sent_differences_between_frames(daemon: FakeDaemon, browser: Browser) -> None:
    scene = scenes.offer(3)
    dark, lit = scenes.dark(daemon.layout), scenes.lit(daemon.layout, scene)
    daemon.play(scene)
    daemon.shine(dark)
    with browser.stream("table") as stream:
        assert stream.next("lights").data == {"all": dark}
        daemon.shine("ff0080" + dark[6:])
        assert stream.next("lights").data == {"some": {"0": "ff0080"}}
        daemon.shine(lit)
        some = stream.next("lights").data["some"]
        assert {int(place): lit[6 * int(place) : 6 * int(place) + 6] for place in some} == {
            int(place): colour for place, colour in some.items()
        }
        daemon.shine("ffffff" * (len(dark) // 6))
        assert stream.next("lights").data == {"all": "ffffff" * (len(dark) // 6)}


def test_after_a_change_of_the_layout_a_frame_is_sent_as_a_whole() -> None:
    """A difference counts the lights of the layout before."""
    pages = Pages(Latest(), 2)
    streams = Streams(pages.latest, pages.renderer, pages.greeting, pages.clock)
    events = streams.events(Subscription(Viewer(TABLE), pages.words["en"], -1, still_here))
    pages.latest.publish_frame(("a", "b", "c"), "111111222222333333")
    next(events)
    pages.latest.publish_frame(("a", "b", "c"), "111111222222444444")
    assert b'data: {"some":{"2":"444444"}}' in next(events)
    pages.latest.publish_frame(("a", "c", "b"), "111111222222555555")
    assert b'data: {"all":"111111222222555555"}' in next(events)


def test_a_frame_that_is_not_known_is_sent_to_those_that_show_an_earlier_one() -> None:
    pages = Pages(Latest(), 2)
    streams = Streams(pages.latest, pages.renderer, pages.greeting, pages.clock)
    subscription = Subscription(Viewer(TABLE), pages.words["en"], -1, still_here)
    pages.latest.publish_frame(("a",), "111111")
    events = streams.events(subscription)
    assert b'data: {"all":"111111"}' in next(events)
    pages.latest.publish_frame((), "")
    assert b'data: {"all":""}' in next(events)
    assert b"event: lights" not in next(streams.events(subscription))


def test_a_stream_of_the_twin_wakes_up_to_renew_its_lease_for_frames() -> None:
    class Hurried(Latest):
        def wait_for_frame(self, after_view: int, after_frame: int, seconds: float) -> tuple[View, Frame]:
            waits.append(seconds)
            return super().wait_for_frame(after_view, after_frame, 0.0)

    waits: list[float] = []
    pages = Pages(Hurried(), 2)
    streams = Streams(pages.latest, pages.renderer, pages.greeting, pages.clock, heartbeat=1e6)
    disconnected = iter([*[False] * 5, True])
    subscription = Subscription(Viewer(TABLE), pages.words["en"], -1, lambda: next(disconnected))
    assert len(list(streams.events(subscription))) == 1
    assert waits[1:] == [LEASE_RENEWAL] * 4  # the first heartbeat is due at once
    assert LEASE_RENEWAL < FRAMES_LEASE


def test_phones_are_sent_no_frames(daemon: FakeDaemon, browser: Browser) -> None:
    daemon.play(scenes.offer(3))
    settled(browser)
    while not daemon.subscribed.empty():
        assert daemon.subscribed.get() is False


def test_an_absent_table_is_sent_as_news(daemon: FakeDaemon, browser: Browser) -> None:
    daemon.play(scenes.offer(3))
    stamp = settled(browser)
    with browser.stream(have=stamp) as stream:
        daemon.stop()
        news = stream.next("news")
        assert "this page comes back by itself" in news.data["regions"]["turn"]
        second = FakeDaemon(daemon.path, scenes.layout(2, 5, 16))
        second.play(scenes.offer(9))
        hello = stream.next("hello")
        assert hello.data["layout"]
        assert "Ana" in stream.next("news").data["regions"]["turn"]
        second.stop()


def test_without_a_free_slot_clients_poll_until_one_is_released(start_pages: StartPages) -> None:
    browser = start_pages("--port", "0", "--streams", "3").address()
    streams = [browser.open_stream() for _ in range(3)]
    assert [stream.status for stream in streams] == [200] * 3
    full = browser.ask("/events")
    assert full.status == 503
    assert full.headers["Retry-After"] == "2"
    assert full.json["error"]
    assert browser.ask("/regions").status == 200, "polling is always possible"
    assert browser.ask("/").status == 200
    streams.pop().close()
    streams.append(retry(browser))
    for stream in streams:
        stream.close()


def retry(browser: Browser) -> Stream:
    """Request a stream until there is a free slot."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        stream = browser.open_stream()
        if stream.status == 200:
            return stream
        stream.close()
    raise AssertionError("no slot came free")


def still_here() -> bool:
    return False


def test_releasing_a_slot_twice_frees_one_slot() -> None:
    slots = Slots(2)
    first, second = (slots.take(still_here) for _ in range(2))
    assert first is not None
    assert second is not None
    assert slots.take(still_here) is None
    first()
    first()
    assert slots.take(still_here) is not None
    assert slots.take(still_here) is None


def test_the_slot_of_a_disconnected_viewer_is_free_at_once() -> None:
    slots = Slots(1)
    release = slots.take(lambda: True)
    assert slots.take(still_here) is not None
    assert release is not None
    release()
    assert slots.take(still_here) is None, "the slot is another viewer's now"


def test_a_new_viewer_ends_the_streams_of_disconnected_ones() -> None:
    """A stream sleeps until its heartbeat is due; it once woke up every second to look for its client."""
    pages, left = Pages(Latest(), 2), threading.Event()
    assert pages.slots.take(left.is_set) is not None
    streams = Streams(pages.latest, pages.renderer, pages.greeting, pages.clock, heartbeat=1e6)
    events = streams.events(Subscription(Viewer(PHONE), pages.words["en"], -1, left.is_set))
    assert b"event: hello" in next(events)
    sent: list[bytes] = []
    thread = threading.Thread(target=lambda: sent.extend(events), daemon=True)
    thread.start()
    left.set()
    assert pages.slots.take(still_here) is not None
    thread.join(TIMEOUT)
    assert not thread.is_alive()
    assert not sent
    assert pages.slots.take(still_here) is not None
    assert pages.slots.take(still_here) is None


def test_a_stream_that_never_began_releases_its_slot(daemon: FakeDaemon, link: TableLink) -> None:
    client: FlaskClient = create_app(link, streams=1).test_client()
    for _ in range(3):
        response = client.get("/events", buffered=False)
        assert response.status_code == 200
        response.close()
    head = client.head("/events")
    assert head.status_code == 200
    head.close()
    assert client.get("/events", buffered=False).status_code == 200


def test_fifty_viewers_are_sent_a_change(
    daemon: FakeDaemon, start_pages: StartPages, link: TableLink
) -> None:
    browser = start_pages("--port", "0").address()
    daemon.play(scenes.offer(3))
    until(link, 3)
    stamp = settled(browser)
    streams = [browser.open_stream(have=stamp) for _ in range(50)]
    for stream in streams:
        stream.next("hello")
    daemon.play(scenes.refused(4))
    for stream in streams:
        assert "That line is full." in stream.next("news").data["regions"]["turn"]
        stream.close()
