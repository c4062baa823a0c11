"""Delivery of actions: at most once, and only in time."""

from __future__ import annotations

import json
import threading
from queue import Queue

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from tests.web_ui import scenes
from tests.web_ui.conftest import show
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon
from web_ui.delivery import (
    GIVE_UP,
    KEPT_SECONDS,
    LATEST,
    FirstAnswers,
    LateError,
    ServerClock,
    TooManyError,
)
from web_ui.table_link import ANSWER_MARGIN, TableLink

times = st.floats(min_value=10, max_value=1e7)


class Clock:
    """A clock that a test sets."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


# --- The age of actions ----------------------------------------------------------------------------------


def test_the_table_has_its_time_before_a_page_gives_up() -> None:
    assert LATEST + ANSWER_MARGIN < GIVE_UP


@given(times, st.floats(min_value=-1000, max_value=1000))
def test_an_action_is_in_time_for_a_while_and_never_made_for_later(now: float, age: float) -> None:
    clock = Clock(now)
    server = ServerClock("e", clock)
    made = f"e.{max(0, int((now - age) * 1000))}"
    if age > LATEST + 0.002:
        with pytest.raises(LateError):
            server.latest_for(made)
    elif age < LATEST - 0.002:
        assert now < server.latest_for(made) <= min(now, now - age + 0.002) + LATEST


@given(times, st.floats(min_value=0, max_value=10))
def test_an_action_that_a_page_has_given_up_is_too_late(now: float, delay: float) -> None:
    """A page reads the server's clock at most as late as it is; so it gives up after the table's time."""
    clock = Clock(now)
    server = ServerClock("e", clock)
    made = server.stamp()
    clock.now += delay
    try:
        latest = server.latest_for(made)
    except LateError:
        assert delay > LATEST - 0.01
    else:
        assert latest <= now + LATEST < now + GIVE_UP


def test_an_action_without_a_time_was_made_now() -> None:
    assert ServerClock("e", Clock(50.0)).latest_for("") == 50.0 + LATEST


def test_an_action_for_an_earlier_process_is_late() -> None:
    with pytest.raises(LateError):
        ServerClock("new", Clock()).latest_for(ServerClock("old", Clock()).stamp())


@pytest.mark.parametrize("made", ["e", ".5", "e.", "e.x", "e.-5", "e.1e3", "e.٣", "e." + "9" * 20])
def test_anything_else_is_no_time_of_an_action(made: str) -> None:
    with pytest.raises(ValueError, match="no time"):
        ServerClock("e", Clock()).latest_for(made)


# --- Repeated actions ------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, GIVE_UP)), max_size=60))
def test_each_id_is_done_once_while_it_could_still_come(calls: list[tuple[int, float]]) -> None:
    clock, done = Clock(), list[int]()
    answers = FirstAnswers[int](clock, most=8)
    last: dict[int, float] = {}
    for key, pause in calls:
        clock.now += pause
        before = len(done)

        def do(key: int = key) -> int:
            done.append(key)
            return len(done)

        answers.answer(key, do)
        if key in last and clock.now - last[key] <= KEPT_SECONDS:
            assert len(done) == before, "an answer that is kept is given again"
        else:
            last[key] = clock.now


def test_a_repeated_action_gets_the_first_answer_or_the_first_fault() -> None:
    answers = FirstAnswers[str]()
    assert answers.answer("a", lambda: "first") == "first"
    assert answers.answer("a", lambda: "second") == "first"

    def fail() -> str:
        raise KeyError("no")

    for do in (fail, lambda: "second"):
        with pytest.raises(KeyError, match="no"):
            answers.answer("b", do)


def test_a_repeated_action_waits_for_the_first_that_is_under_way() -> None:
    answers, begun, proceed = FirstAnswers[str](), threading.Event(), threading.Event()
    given_answers: Queue[str] = Queue()

    def slowly() -> str:
        begun.set()
        proceed.wait(TIMEOUT)
        return "first"

    threads = [threading.Thread(target=lambda: given_answers.put(answers.answer("a", slowly)))]
    threads[0].start()
    begun.wait(TIMEOUT)
    for _ in range(3):
        again = threading.Thread(target=lambda: given_answers.put(answers.answer("a", lambda: "again")))
        threads.append(again)
        again.start()
    proceed.set()
    for thread in threads:
        thread.join(TIMEOUT)
    assert [given_answers.get(timeout=TIMEOUT) for _ in range(4)] == ["first"] * 4


def test_the_memory_is_bounded_and_forgets_nothing_recent() -> None:
    clock = Clock()
    answers = FirstAnswers[int](clock, most=3)
    for key in range(3):
        answers.answer(key, lambda: 1)
    with pytest.raises(TooManyError):
        answers.answer("more", lambda: 1)
    clock.now += KEPT_SECONDS
    assert answers.answer("more", lambda: 2) == 2


# --- Over HTTP -------------------------------------------------------------------------------------------


def post(client: FlaskClient, name: str = "", made: str = "", button: str = "ok") -> TestResponse:
    headers = {"Content-Type": "application/json", "Azul-Action": name, "Azul-Made": made}
    return client.post("/action", data=json.dumps({"type": "press", "button": button}), headers=headers)


def later(stamp: str, seconds: float) -> str:
    epoch, _, milliseconds = stamp.partition(".")
    return f"{epoch}.{int(milliseconds) + int(seconds * 1000)}"


def test_a_late_press_is_refused_with_a_sentence(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.offer())
    now = client.get("/beat").text
    assert post(client, "a", now).status_code == 200
    answer = post(client, "b", later(now, -GIVE_UP))
    assert answer.status_code == 409
    assert answer.get_json()["error"].startswith("That came too late")
    assert post(client, "c", "yesterday").status_code == 400
    assert daemon.asked.qsize() == 1


def test_the_table_is_told_until_when_a_press_may_be_done(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.offer())
    now = client.get("/beat").text
    made = int(now.partition(".")[2]) / 1000
    post(client, "a", later(now, -2))
    post(client, "b", later(now, 3600))
    early, clamped = daemon.deadlines
    assert early == pytest.approx(made - 2 + LATEST)
    assert made + LATEST <= clamped < made + TIMEOUT, "a page can't make a press for later"


def test_a_repeated_press_is_sent_to_the_table_once(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.offer())
    daemon.answer = lambda question: {"taken": False, "why": "line_full"}
    first, again = post(client, "a"), post(client, "a")
    assert first.get_json() == again.get_json()
    assert first.get_json()["say"] == "That line is full."
    assert post(client, "b", button="lever").status_code == post(client, "b").status_code == 404
    assert daemon.asked.qsize() == 1
    post(client)
    post(client)
    assert daemon.asked.qsize() == 3, "without an id each is done"


def test_another_machine_is_not_given_the_answer_to_an_id(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.offer())
    assert post(client, "a").status_code == 200
    headers = {"Content-Type": "application/json", "Azul-Action": "a"}
    phone = client.post(
        "/action",
        data=b'{"type":"fault","part":"pico","fault":"unplug","on":true}',
        headers=headers,
        environ_base={"REMOTE_ADDR": "192.168.1.9"},
    )
    assert phone.status_code == 403
