"""Host and Pico over the loopback: handshake, restarts, retransmission, lost and damaged frames."""

from __future__ import annotations

import itertools
import random
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import payload, wire
from firmware_bridge.firmware import session as pico
from firmware_bridge.loopback import Loopback, RandomDamage
from firmware_bridge.messages import (
    FrameSplitter,
    Heartbeat,
    Hello,
    Lights,
    Log,
    Message,
    Show,
    decode,
    encode,
    frame,
)
from firmware_bridge.protocol import (
    HELLO_INTERVAL,
    SILENCE_TIMEOUT,
    Connection,
    EventsDropped,
    HealthReport,
    Ready,
    Restarted,
    Silent,
    Stage,
    SwitchChanged,
    SwitchMuted,
    TagSeen,
)
from firmware_bridge.wiring import WiredChain, Wiring
from tests.firmware_bridge.wirings import SMALL

FRAME = bytes(range(SMALL.light_bytes))


def presses(loopback: Loopback) -> list[tuple[int, bool]]:
    return [(event.switch, event.closed) for event in loopback.events if isinstance(event, SwitchChanged)]


def started(start: int = 0) -> Loopback:
    loopback = Loopback(SMALL, start=start)
    loopback.run(0.05)
    assert loopback.connection.stage is Stage.READY
    return loopback


def test_a_fresh_pico_is_configured_and_gets_the_frame() -> None:
    loopback = Loopback(SMALL)
    loopback.connection.show(FRAME)
    loopback.run(0.05)
    (ready,) = loopback.events
    assert isinstance(ready, Ready) and not ready.resumed and ready.closed == frozenset()
    assert loopback.board.stored_wiring == SMALL.encode()
    assert loopback.board.shown == [FRAME]


def test_switches_closed_at_the_start_are_no_presses() -> None:
    loopback = Loopback(SMALL)
    loopback.board.held = {1, 4}
    loopback.run(0.05)
    (ready,) = loopback.events
    assert isinstance(ready, Ready) and ready.closed == {1, 4}


def test_a_press_arrives_at_once_with_its_time() -> None:
    loopback = started()
    loopback.session.queue_event(payload.CLOSED, b"\x03", loopback.ticks - 12, loopback.ticks)
    loopback.step()
    event = loopback.events[-1]
    assert isinstance(event, SwitchChanged)
    assert (event.switch, event.closed) == (3, True)
    assert event.at == pytest.approx(loopback.now - 0.012, abs=0.002)


def test_presses_are_delivered_once_and_then_forgotten() -> None:
    loopback = started()
    for switch in range(4):
        loopback.press(switch)
    loopback.run(0.3)
    assert presses(loopback) == [(switch, True) for switch in range(4)]
    assert not any(loopback.session.is_pending(payload.CLOSED, bytes((switch,))) for switch in range(4))


def test_every_kind_of_event_is_decoded() -> None:
    loopback = started()
    del loopback.events[:]
    for kind, data in (
        (payload.CLOSED, b"\x01"),
        (payload.OPENED, b"\x01"),
        (payload.MUTED, b"\x02"),
        (payload.UNMUTED, b"\x02"),
        (payload.TAG, b"\x00ABC"),
        (99, b"\x01"),
        (payload.CLOSED, b""),
    ):
        loopback.session.queue_event(kind, data, loopback.ticks, loopback.ticks)
    loopback.run(0.05)
    closed, opened, muted, unmuted, tag = loopback.events
    assert isinstance(closed, SwitchChanged) and closed.closed
    assert isinstance(opened, SwitchChanged) and not opened.closed
    assert isinstance(muted, SwitchMuted) and muted.muted
    assert isinstance(unmuted, SwitchMuted) and not unmuted.muted
    assert isinstance(tag, TagSeen) and (tag.reader, tag.data) == (0, b"ABC")


def test_a_short_interruption_loses_no_press() -> None:
    loopback = started()
    loopback.plugged = False
    loopback.press(2)
    loopback.run(1.5)
    loopback.press(2, closed=False)
    loopback.plugged = True
    loopback.run(0.6)
    first, second = (event for event in loopback.events if isinstance(event, SwitchChanged))
    assert first.closed and not second.closed
    assert second.at - first.at == pytest.approx(1.5, abs=0.01)


def test_presses_during_two_seconds_of_silence_do_not_count() -> None:
    loopback = started()
    loopback.press(0)
    loopback.run(0.1)
    loopback.plugged = False
    loopback.press(2)
    loopback.run(3)
    loopback.press(1)
    assert loopback.session.host_lost
    loopback.plugged = True
    loopback.run(0.6)
    loopback.press(3)
    loopback.run(0.1)
    assert presses(loopback) == [(0, True), (3, True)]
    assert EventsDropped(1) in loopback.events
    ready = [event for event in loopback.events if isinstance(event, Ready)]
    assert [event.resumed for event in ready] == [False, True]
    assert ready[1].closed == {0, 1, 2}


def test_silence_is_detected_on_both_sides() -> None:
    loopback = started()
    loopback.plugged = False
    loopback.run(SILENCE_TIMEOUT + 0.6)
    assert any(isinstance(event, Silent) for event in loopback.events)
    assert not loopback.session.host


def test_the_pico_has_lost_its_host_after_two_seconds() -> None:
    loopback = Loopback(SMALL)
    loopback.plugged = False
    lost = []
    for seconds in (1.9, 0.2, 10):
        loopback.run(seconds)
        lost.append(loopback.session.host_lost)
    assert lost == [False, True, True]


def test_a_restarted_pico_is_configured_and_gets_the_whole_frame() -> None:
    loopback = started()
    loopback.connection.show(FRAME)
    loopback.run(0.05)
    loopback.press(1)
    loopback.run(0.05)
    del loopback.events[:]
    loopback.boot()
    loopback.board.held = {1, 3}
    loopback.run(0.1)
    restarted, ready = loopback.events
    assert isinstance(restarted, Restarted)
    assert isinstance(ready, Ready) and not ready.resumed and ready.closed == {1, 3}
    assert loopback.board.shown == [FRAME]
    assert presses(loopback) == []


def test_event_numbers_start_again_with_each_boot_of_the_pico() -> None:
    """A host that kept the numbers of the previous boot would drop as many presses as it had received."""
    loopback = started()
    for switch in (0, 1, 2):
        loopback.press(switch)
    loopback.run(0.1)
    loopback.boot(SMALL.encode())
    loopback.run(0.1)
    loopback.press(3)
    loopback.run(0.1)
    assert presses(loopback) == [(0, True), (1, True), (2, True), (3, True)]
    assert not any(isinstance(event, EventsDropped) for event in loopback.events)


def test_a_reset_produces_no_press() -> None:
    """Unacknowledged before, held during, released after the reset: only presses after it count."""
    loopback = started()
    loopback.plugged = False
    loopback.press(1)
    loopback.press(2)
    loopback.boot(SMALL.encode())
    loopback.board.held = {2}
    loopback.plugged = True
    loopback.run(1)
    loopback.press(2, closed=False)
    loopback.run(0.1)
    loopback.press(2)
    loopback.run(0.1)
    assert presses(loopback) == [(2, False), (2, True)]


def test_a_stored_wiring_is_not_configured_again() -> None:
    loopback = Loopback(SMALL)
    loopback.boot(SMALL.encode())
    loopback.board.configure = None  # type: ignore[method-assign, assignment] # would fail if it were called
    loopback.run(0.05)
    assert loopback.connection.stage is Stage.READY


def test_a_restarted_host_gets_no_press_of_its_predecessor() -> None:
    loopback = started()
    loopback.plugged = False
    loopback.press(1)
    loopback.connection = Connection(SMALL, session=2)
    loopback.plugged = True
    loopback.connection.opened(loopback.now)
    loopback.run(0.1)
    loopback.press(2)
    loopback.run(0.3)
    assert presses(loopback) == [(2, True)]
    assert not any(isinstance(event, EventsDropped) for event in loopback.events)


def test_presses_arrive_after_another_program_used_the_port() -> None:
    """Event numbers must not start again with each host, or new presses look like acknowledged ones."""
    loopback = started()
    for _ in range(5):
        loopback.press(1)
    loopback.run(0.1)
    kind, body = encode(Hello(payload.PROTOCOL, 77, "firmware info"))
    loopback.session.receive(wire.pack(kind, 9, body), loopback.ticks)
    loopback.connection.opened(loopback.now)
    loopback.run(0.1)
    loopback.press(3)
    loopback.run(0.1)
    assert presses(loopback)[5:] == [(3, True)]


def test_echoed_frames_are_ignored() -> None:
    """Bug fixed: Linux echoes until a port is set up; the Pico's own sequence numbers hid the host's."""
    loopback = started()
    own = wire.pack(payload.ALIVE, 20_000, payload.build(payload.ALIVE, 1, 2, 3, 4, 5))
    loopback.session.receive(own, loopback.ticks)
    loopback.connection.opened(loopback.now)
    loopback.run(0.1)
    assert loopback.connection.stage is Stage.READY


def test_a_silent_pico_is_greeted_again_and_given_up() -> None:
    loopback = Loopback(SMALL)
    loopback.plugged = False
    loopback.run(SILENCE_TIMEOUT + HELLO_INTERVAL)
    assert [event for event in loopback.events if isinstance(event, Silent)] == [Silent()]
    assert loopback.connection.next_time() < loopback.now + HELLO_INTERVAL


def test_a_closed_port_sends_and_receives_nothing() -> None:
    loopback = started()
    loopback.connection.closed()
    del loopback.events[:]
    loopback.run(3)
    assert loopback.events == []
    assert loopback.connection.next_time() == float("inf")


def test_the_pico_reports_its_health() -> None:
    loopback = started()
    loopback.run(1.1)
    pulses = [event for event in loopback.events if isinstance(event, HealthReport)]
    assert [pulse.health.count for pulse in pulses] == [1, 2]
    assert pulses[1].health.free == 100_000
    assert pulses[1].health.uptime == pytest.approx(1000 * loopback.now, abs=200)


def test_events_beyond_the_capacity_are_reported_and_the_rest_arrives() -> None:
    loopback = started()
    loopback.plugged = False
    for number in range(pico.MAX_EVENTS + 5):
        loopback.press(number % 5, closed=number % 2 == 0)
    loopback.plugged = True
    loopback.run(0.5)
    assert len(presses(loopback)) == pico.MAX_EVENTS
    assert Log(payload.WARNING, "5 events were too many at once and are lost") in loopback.events


def test_events_that_fill_more_than_a_frame_all_arrive() -> None:
    loopback = started()
    loopback.plugged = False
    for number in range(40):
        data = b"\0" + bytes([number]) * 30
        loopback.session.queue_event(payload.TAG, data, loopback.ticks, loopback.ticks)
    loopback.plugged = True
    loopback.run(0.5)
    tags = [event.data[0] for event in loopback.events if isinstance(event, TagSeen)]
    assert tags == list(range(40))


def test_the_millisecond_counter_may_wrap() -> None:
    loopback = started(start=pico.TICKS - 100)
    loopback.run(0.2)
    assert loopback.ticks < 1000
    loopback.press(1)
    for _ in range(25):
        loopback.run(0.1)
        assert not loopback.session.host_lost
    assert presses(loopback) == [(1, True)]


def test_the_uptime_wraps_after_50_days() -> None:
    """Bug fixed: the uptime overflowed its field after 50 days."""
    loopback = started()
    for _ in range(5):
        loopback.session.step((loopback.ticks - 1) % pico.TICKS)
        loopback.session.step(loopback.ticks)
    loopback.run(1)
    assert isinstance(loopback.events[-1], HealthReport)


def test_bytes_beyond_the_last_light_are_ignored() -> None:
    loopback = started()
    beyond = pack("<HH", SMALL.light_bytes - 1, SMALL.light_bytes + 3)
    loopback.send(loopback.connection.send(Lights(beyond + b"much", 1)))
    loopback.connection.show(FRAME)
    loopback.run(0.5)
    assert loopback.board.shown[-1] == FRAME
    assert len(loopback.board.lights) == SMALL.light_bytes


LARGE = Wiring((WiredChain(2, 338),))


def connected(wiring: Wiring) -> Loopback:
    loopback = Loopback(wiring)
    loopback.run(0.05)
    assert loopback.connection.stage is Stage.READY
    return loopback


def test_half_the_bytes_of_a_frame_are_completed_by_the_next_greeting() -> None:
    """A host that ends while it writes leaves the Pico waiting for bytes of light."""
    loopback = connected(LARGE)
    loopback.send(loopback.connection.send(Show(1, 0, bytes(1014)))[:500])
    loopback.connection = Connection(LARGE, session=2)
    loopback.connection.opened(loopback.now)
    frame = bytes(range(200)) * 5 + bytes(14)
    loopback.connection.show(frame)
    loopback.run(0.05)
    assert loopback.connection.stage is Stage.READY
    assert loopback.board.shown[-1] == frame


@pytest.mark.parametrize("lost", [1, 40, 900])
def test_lost_bytes_of_a_frame_are_retransmitted_and_nothing_wrong_is_shown(lost: int) -> None:
    loopback = connected(LARGE)
    frame = bytes(range(200)) * 5 + bytes(14)
    whole = loopback.send
    loopback.send = lambda frame: whole(frame[:-lost])  # type: ignore[method-assign]
    loopback.connection.show(frame)
    loopback.step()
    loopback.send = whole  # type: ignore[method-assign]
    loopback.press(0)
    loopback.run(1)
    assert set(loopback.board.shown) == {frame}
    assert loopback.connection.stage is Stage.READY


def test_bytes_of_a_frame_whose_line_is_lost_are_noise() -> None:
    loopback = connected(LARGE)
    frame = b"~\n" * 507
    whole = loopback.send
    loopback.send = lambda frame: whole(frame[frame.index(b"\n") :])  # type: ignore[method-assign]
    loopback.connection.show(frame)
    loopback.step()
    loopback.send = whole  # type: ignore[method-assign]
    loopback.run(0.5)
    assert loopback.board.shown[-1] == frame
    assert loopback.connection.stage is Stage.READY


def test_a_frame_with_every_value_of_a_byte_is_shown_at_once() -> None:
    """No byte is left to stand for Ctrl-C."""
    loopback = connected(LARGE)
    dark, frame = bytes(1014), bytes(range(256)) * 3 + bytes(246)
    for wanted in (dark, frame, frame[::-1]):
        loopback.connection.show(wanted)
        loopback.run(0.01)
    assert loopback.board.shown == [dark, frame, frame[::-1]]


@given(st.binary(min_size=1, max_size=3000), st.lists(st.integers(1, 700), min_size=1, max_size=8))
def test_frames_are_found_in_a_stream_of_any_pieces(light: bytes, sizes: list[int]) -> None:
    """The bytes of light may look like lines and like frames."""
    light = light.replace(b"\3", b"~")
    sent: list[Message] = [
        Heartbeat(1),
        Show(7, 8, light),
        Lights(light + frame(Heartbeat(2), 5)),
        Heartbeat(3),
    ]
    stream = b"".join(frame(message, number) for number, message in enumerate(sent))
    frames, found, at = FrameSplitter(), list[Message](), 0
    for size in itertools.cycle(sizes):
        for line, raw in frames.feed(stream[at : at + size]):
            kind, _, body = wire.unpack(line)
            found.append(decode(kind, body, raw))
        at += size
        if at >= len(stream):
            break
    assert found == sent


@given(st.integers(0, 2**32), st.integers(3, 30), st.lists(st.integers(0, 9), max_size=60))
def test_on_a_lossy_line_nothing_is_lost_or_doubled(seed: int, rarely: int, script: list[int]) -> None:
    """Cut, corrupted, repeated, late and lost frames, and noise: up to one frame in three."""
    down, up = RandomDamage(random.Random(seed), rarely), RandomDamage(random.Random(~seed), rarely)
    loopback = Loopback(SMALL, down=down, up=up)
    while loopback.connection.stage is not Stage.READY:
        loopback.run(0.05)
    frame, wanted, pressed = bytearray(SMALL.light_bytes), set(), []
    for number, step in enumerate(script):
        if step < 5:
            closed = step not in loopback.board.held
            pressed.append((step, closed))
            loopback.press(step, closed=closed)
        else:
            frame[(step * 7 + number) % len(frame)] = number + 1
            wanted.add(bytes(frame))
            loopback.connection.show(bytes(frame))
        loopback.run(0.01)
    loopback.run(6)
    assert presses(loopback) == pressed
    assert set(loopback.board.shown) <= wanted
    assert not wanted or loopback.board.shown[-1] == bytes(frame)
    assert loopback.boots == 1


@given(st.integers(0, 2**32), st.lists(st.sampled_from(["press", "boot", "cut", "frame"]), max_size=12))
def test_the_connection_recovers_and_only_real_presses_count(seed: int, script: list[str]) -> None:
    chance = random.Random(seed)
    loopback = Loopback(SMALL, down=RandomDamage(chance, 20), up=RandomDamage(chance, 20))
    pressed, frame = 0, bytes(SMALL.light_bytes)
    for step in script:
        match step:
            case "press":
                pressed += 1
                loopback.press(chance.randrange(5))
            case "boot":
                loopback.boot(SMALL.encode() if chance.random() < 0.5 else b"")
            case "cut":
                loopback.plugged = not loopback.plugged
            case "frame":
                frame = chance.randbytes(SMALL.light_bytes)
                loopback.connection.show(frame)
        loopback.run(chance.random() * 3)
    loopback.plugged = True
    loopback.connection.show(frame)
    loopback.run(8)
    assert loopback.connection.stage is Stage.READY
    assert loopback.board.shown[-1] == frame
    assert len(presses(loopback)) <= pressed
    before = len(presses(loopback))
    for switch in (0, 1):
        loopback.press(switch)
    loopback.run(3)
    assert presses(loopback)[before:] == [(0, True), (1, True)]
