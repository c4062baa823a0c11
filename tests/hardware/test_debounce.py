"""Debouncing: contacts that bounce or chatter, and the presses that follow."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.drivers.debounce import (
    MAX_BOUNCING,
    MAX_PRESSES,
    PRESS_WINDOW,
    RELEASE,
    REST,
    Muted,
    Pressed,
    Switch,
    SwitchEvent,
    Unmuted,
    advance,
    initial,
    observe,
)

MS = 0.001
Contacts = list[tuple[bool, float]]


def run(contacts: Contacts, switch: Switch | None = None) -> tuple[Switch, list[SwitchEvent]]:
    switch = switch or initial(closed=False)
    found: list[SwitchEvent] = []
    for closed, at in contacts:
        switch, events = observe(switch, closed=closed, at=at)
        found += events
    return switch, found


def bouncing(at: float, duration: float, changes: int, *, closed: bool) -> Contacts:
    """Return changes of a contact that bounces for `duration` seconds and is `closed` in the end."""
    step = duration / changes if changes else 0.0
    return [(closed ^ bool(number % 2), at + number * step) for number in range(changes // 2 * 2 + 1)]


@pytest.mark.parametrize("bounce", [1 * MS, 5 * MS, 20 * MS])
@pytest.mark.parametrize("changes", [2, 4, 10, 40])
def test_a_bounce_of_1_5_or_20_ms_is_one_press(bounce: float, changes: int) -> None:
    contacts = bouncing(1.0, bounce, changes, closed=True)
    contacts += bouncing(1.2, bounce, changes, closed=False)
    assert run(contacts)[1] == [Pressed(1.0)]


@pytest.mark.parametrize("length", [15 * MS, 16 * MS, 40 * MS, 3.0])
def test_a_press_of_15_ms_and_the_next_one_count(length: float) -> None:
    contacts = [(True, 1.0), (False, 1.0 + length), (True, 5.0), (False, 5.0 + length)]
    assert run(contacts)[1] == [Pressed(1.0), Pressed(5.0)]


def test_a_press_is_reported_at_the_first_contact() -> None:
    assert run([(True, 1.0)])[1] == [Pressed(1.0)]


def test_a_button_that_is_held_from_the_start_was_not_pressed() -> None:
    contacts = [(True, 1.0), (False, 2.0), (True, 2.5)]
    assert run(contacts, initial(closed=True))[1] == [Pressed(2.5)]


def test_two_presses_with_less_than_25_ms_between_are_one() -> None:
    assert run([(True, 1.0), (False, 1.1), (True, 1.124)])[1] == [Pressed(1.0)]
    assert run([(True, 1.0), (False, 1.1), (True, 1.126)])[1] == [Pressed(1.0), Pressed(1.126)]


def test_a_button_is_released_after_25_ms() -> None:
    assert run([(True, -1.0), (False, 0.0), (True, RELEASE)])[1] == [Pressed(-1.0), Pressed(RELEASE)]


def test_a_press_counts_for_one_second() -> None:
    """The press after a second is the twelfth in the window, not one too many."""
    presses = [*(n / 16 for n in range(MAX_PRESSES)), PRESS_WINDOW]
    contacts = [(closed, at + (0 if closed else 1 / 32)) for at in presses for closed in (True, False)]
    assert run(contacts)[1] == list(map(Pressed, presses))


def test_ten_presses_a_second_are_all_reported() -> None:
    contacts = [
        (closed, 1 + n * 0.1 + (0 if closed else 0.04)) for n in range(50) for closed in (True, False)
    ]
    assert run(contacts)[1] == [Pressed(1 + n * 0.1) for n in range(50)]


def test_a_button_pressed_more_often_than_a_finger_can_is_muted_once() -> None:
    contacts = [
        (closed, 1 + n * 0.06 + (0 if closed else 0.03)) for n in range(100) for closed in (True, False)
    ]
    switch, found = run(contacts)
    presses = [1 + n * 0.06 for n in range(MAX_PRESSES)]
    assert found == [*map(Pressed, presses), Muted(1 + MAX_PRESSES * 0.06)]
    assert switch.muted


def test_a_contact_that_never_rests_is_muted() -> None:
    contacts = [(bool(n % 2), 1 + n * 3 * MS) for n in range(1, 1000)]
    first = 1 + 3 * MS
    switch, found = run(contacts)
    assert found[0] == Pressed(first)
    assert len(found) == 2 and isinstance(found[1], Muted)
    assert found[1].at == pytest.approx(first + MAX_BOUNCING, abs=6 * MS)
    assert switch.muted


def test_a_contact_may_bounce_for_the_longest_time_but_no_longer() -> None:
    contacts = [(number % 2 == 0, number * 0.02) for number in range(20)]
    assert run([*contacts, (True, MAX_BOUNCING)])[1] == [Pressed(0.0)]
    assert run([*contacts, (True, MAX_BOUNCING + MS)])[1] == [Pressed(0.0), Muted(MAX_BOUNCING + MS)]


def muted_at(at: float) -> Switch:
    return Switch(closed=False, held=False, muted=True, changed=at, restless=at, presses=(at,))


def test_a_muted_button_at_rest_is_unmuted() -> None:
    switch, found = advance(muted_at(1.0), 1.0 + REST - MS)
    assert (switch.muted, found) == (True, ())
    switch, found = advance(switch, 1.0 + REST)
    assert (switch.muted, found) == (False, (Unmuted(1.0 + REST),))
    assert observe(switch, closed=True, at=9.0)[1] == (Pressed(9.0),)


def test_a_press_after_the_rest_counts_without_advance_in_between() -> None:
    assert observe(muted_at(1.0), closed=True, at=9.0)[1] == (Unmuted(1.0 + REST), Pressed(9.0))


def test_a_muted_button_that_rests_closed_was_not_pressed() -> None:
    switch, _ = observe(muted_at(1.0), closed=True, at=1.5)
    switch, found = advance(switch, 9.0)
    assert found == (Unmuted(1.5 + REST),)
    assert run([(False, 10.0), (True, 11.0)], switch)[1] == [Pressed(11.0)]


def test_an_observation_without_an_edge_counts_as_a_change() -> None:
    assert run([(True, 1.0), (True, 1.5), (False, 2.0), (True, 3.0)])[1] == [Pressed(1.0), Pressed(3.0)]


def test_a_time_that_goes_back_counts_as_the_latest_so_far() -> None:
    assert run([(True, 2.0), (False, 1.0), (True, 1.5)])[1] == [Pressed(2.0)]


# --- For all contacts ---

gaps = st.one_of(st.floats(0, 5 * MS), st.floats(0, 0.2), st.floats(0, 4))
contacts = st.lists(st.tuples(st.booleans(), gaps), max_size=120).map(
    lambda steps: [
        (closed, 10 + sum(gap for _, gap in steps[: number + 1])) for number, (closed, _) in enumerate(steps)
    ]
)


@given(contacts)
def test_events_are_in_order_and_presses_not_more_than_fingers_can(contacts: Contacts) -> None:
    _, found = run(contacts)
    assert [event.at for event in found] == sorted(event.at for event in found)
    presses = [event.at for event in found if isinstance(event, Pressed)]
    assert all(later - earlier >= RELEASE for earlier, later in pairwise(presses))
    for last in range(MAX_PRESSES, len(presses)):
        assert presses[last] - presses[last - MAX_PRESSES] >= PRESS_WINDOW - 1e-9
    mutings = [event for event in found if not isinstance(event, Pressed)]
    assert all(isinstance(event, (Muted, Unmuted)[number % 2]) for number, event in enumerate(mutings))


@given(contacts)
def test_a_muted_button_reports_no_press(contacts: Contacts) -> None:
    muted = False
    for event in run(contacts)[1]:
        match event:
            case Muted():
                muted = True
            case Unmuted():
                muted = False
            case Pressed():
                assert not muted


@given(contacts, st.lists(st.floats(10, 40), max_size=20))
def test_advancing_in_between_changes_no_event(contacts: Contacts, looks: list[float]) -> None:
    switch = initial(closed=False)
    found: list[SwitchEvent] = []
    steps: list[tuple[float, int, bool | None]] = [(at, 1, closed) for closed, at in contacts]
    steps += [(at, 0, None) for at in looks if not contacts or at < contacts[-1][1]]
    for at, _, closed in sorted(steps, key=lambda step: step[:2]):
        step = advance(switch, at) if closed is None else observe(switch, closed=closed, at=at)
        switch = step[0]
        found += step[1]
    assert found == run(contacts)[1]


@given(contacts)
def test_a_rest_restores_any_button(contacts: Contacts) -> None:
    switch, _ = run(contacts)
    switch, _ = advance(switch, 1000)
    assert not switch.muted
    switch, _ = observe(switch, closed=False, at=1001)
    switch, _ = advance(switch, 1002)
    assert observe(switch, closed=True, at=1003)[1] == (Pressed(1003),)


@st.composite
def fingers(draw: st.DrawFn) -> tuple[Contacts, list[float]]:
    """Presses of a finger, at most ten a second, with bounces of up to 20 ms at each edge."""
    contacts: Contacts = []
    presses = []
    at = 1.0
    for _ in range(draw(st.integers(1, 8))):
        presses.append(at)
        held = draw(st.floats(15 * MS, 1.0))
        bounce = draw(st.floats(0, min(20 * MS, held * 0.9)))
        contacts += bouncing(at, bounce, draw(st.integers(0, 12)), closed=True)
        contacts += bouncing(at + held, draw(st.floats(0, 20 * MS)), draw(st.integers(0, 12)), closed=False)
        at += held + 20 * MS + draw(st.floats(85 * MS, 2.0))
    return contacts, presses


@given(fingers())
def test_every_press_of_a_finger_is_reported_once_at_its_first_contact(
    case: tuple[Contacts, list[float]],
) -> None:
    contacts, presses = case
    assert run(contacts)[1] == [Pressed(at) for at in presses]
