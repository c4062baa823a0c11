"""The firmware's main loop on a fake chip: wiring, lights, buttons, readers, restarts, Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from firmware_bridge.firmware.session import HOST_TIMEOUT
from firmware_bridge.installer import firmware_checksum
from firmware_bridge.messages import Heartbeat, Log, frame
from firmware_bridge.protocol import Ready, Refused, SwitchChanged, TagSeen
from firmware_bridge.wiring import WiredChain, Wiring
from tests.firmware_bridge.fake_chip import FakeChip, FakePico, Restarted
from tests.firmware_bridge.wirings import SMALL

FRAME = bytes(range(100, 100 + SMALL.light_bytes))
RDM6300 = b"\x0262E3086CED08\x03"
HANDSHAKE = 50
"""Milliseconds, more than enough."""
T = TypeVar("T")
Boot = Callable[..., FakePico]


@pytest.fixture
def chip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeChip:
    return FakeChip(tmp_path, monkeypatch)


@pytest.fixture
def pico(chip: FakeChip) -> FakePico:
    """The firmware after the handshake."""
    pico = FakePico(chip, SMALL)
    pico.run(HANDSHAKE)
    assert of(pico, Ready)
    return pico


def of(pico: FakePico, kind: type[T]) -> list[T]:
    return [event for event in pico.events if isinstance(event, kind)]


def refusal(chip: FakeChip, wiring: Wiring) -> str:
    """Return why the firmware refuses a wiring, "" if it does not."""
    pico = FakePico(chip, wiring)
    pico.run(HANDSHAKE)
    return "".join(refused.detail for refused in of(pico, Refused))


# --- Wiring ---


def test_the_identity_names_firmware_and_chip(pico: FakePico) -> None:
    (ready,) = of(pico, Ready)
    assert ready.identity.files == firmware_checksum()
    assert ready.identity.board == "Raspberry Pi Pico with RP2040"
    assert (ready.identity.machines, ready.identity.uarts) == (8, 2)


def test_the_wiring_is_set_up_again_at_the_next_boot(pico: FakePico, chip: FakeChip) -> None:
    again = FakePico(chip, SMALL)
    again.run(HANDSHAKE)
    (ready,) = of(again, Ready)
    assert ready.identity.wiring == SMALL.check


def test_a_changed_wiring_is_stored_before_the_chip_restarts(pico: FakePico, chip: FakeChip) -> None:
    other = Wiring((WiredChain(2, 1),))
    with pytest.raises(Restarted):
        refusal(chip, other)
    again = FakePico(chip, other)
    again.run(HANDSHAKE)
    assert [ready.identity.wiring for ready in of(again, Ready)] == [other.check]


def test_a_damaged_stored_wiring_is_ignored(pico: FakePico, chip: FakeChip) -> None:
    stored = chip.flash / "wiring.bin"
    stored.write_bytes(b"\0" + stored.read_bytes()[1:])
    again = FakePico(chip, SMALL)
    again.run(1)
    assert again.host.identity is not None and again.host.identity.wiring == 0


@pytest.mark.parametrize(
    ("wiring", "fault"),
    [
        (Wiring((WiredChain(29, 1),)), ""),
        (Wiring((WiredChain(30, 1),)), "there is no pin GP30"),
        (Wiring((), buttons=(30,)), "there is no pin GP30"),
        (Wiring((WiredChain(2, 1),), buttons=(2,)), "GP2 is given twice"),
        (Wiring((), readers=(26, 26)), "GP26 is given twice"),
        (Wiring(tuple(WiredChain(pin, 1) for pin in range(2, 10))), ""),
        (
            Wiring(tuple(WiredChain(pin, 1) for pin in range(2, 10)), readers=(26,)),
            "chains and readers need 9 state machines, the chip has 8",
        ),
        (Wiring(tuple(WiredChain(pin, 1) for pin in range(2, 10)), readers=(1,)), ""),
    ],
)
def test_a_wiring_that_the_chip_does_not_have_is_refused(chip: FakeChip, wiring: Wiring, fault: str) -> None:
    assert refusal(chip, wiring) == fault


def test_a_refused_wiring_is_not_stored(chip: FakeChip) -> None:
    assert refusal(chip, Wiring((WiredChain(30, 1),)))
    assert not (chip.flash / "wiring.bin").exists()


# --- Lights ---


def test_each_strip_shows_its_part_of_the_frame(pico: FakePico, chip: FakeChip) -> None:
    pico.host.show(FRAME)
    pico.run(20)
    assert chip.strips == {2: FRAME[:15], 3: FRAME[15:]}


def test_an_unchanged_frame_is_sent_to_the_strips_once_a_second(pico: FakePico, chip: FakeChip) -> None:
    """A strip that lost its power shows the frame again."""
    pico.host.show(FRAME)
    pico.run(20)
    chip.strips.clear()
    pico.run(900)
    assert chip.strips == {}
    pico.run(200)
    assert chip.strips == {2: FRAME[:15], 3: FRAME[15:]}


def test_only_the_status_light_pulses_while_the_host_is_lost(pico: FakePico, chip: FakeChip) -> None:
    pico.host.show(FRAME)
    pico.run(20)
    pico.plugged = False
    pico.run(HOST_TIMEOUT - 600)  # the last heartbeat was at most 500 ms ago
    assert b"".join(chip.strips.values()) == FRAME
    pico.run(700)
    seen = set()
    for _ in range(20):
        pico.run(100)
        shown = chip.strips[2] + chip.strips[3]
        assert shown[:21] == FRAME[:21]
        red, green, blue = shown[21:24]
        assert red == green and blue == 0
        seen.add(red)
    assert len(seen) > 5 and max(seen) <= 90  # `strips.BRIGHTEST`, which needs a chip to be imported


MIXED = Wiring((WiredChain(2, 2), WiredChain(3, 2, channels=4)), status=2)
"""RGB lights, then RGBW lights."""


def test_strips_of_three_and_four_bytes_a_light_show_their_parts(chip: FakeChip) -> None:
    pico = FakePico(chip, MIXED)
    pico.host.show(FRAME[:14])
    pico.run(HANDSHAKE)
    assert chip.strips == {2: FRAME[:6], 3: FRAME[6:14]}


@pytest.mark.parametrize(("status", "first", "last"), [(1, 3, 6), (2, 6, 10), (3, 10, 14)])
def test_a_lost_host_is_shown_in_yellow_on_lights_with_and_without_white(
    chip: FakeChip, status: int, first: int, last: int
) -> None:
    pico = FakePico(chip, Wiring(MIXED.chains, status=status))
    pico.host.show(FRAME[:14])
    pico.run(HANDSHAKE)
    pico.plugged = False
    pico.run(HOST_TIMEOUT + 600)
    shown = chip.strips[2] + chip.strips[3]
    red, green, *others = shown[first:last]
    assert red == green > 0 and not any(others)
    assert shown[:first] + shown[last:] == FRAME[:first] + FRAME[last:14]


def test_without_a_status_light_the_first_light_of_each_chain_shows_a_lost_host(chip: FakeChip) -> None:
    pico = FakePico(chip, Wiring(MIXED.chains))
    pico.host.show(FRAME[:14])
    pico.run(HANDSHAKE)
    pico.plugged = False
    pico.run(HOST_TIMEOUT + 600)
    rgb, rgbw = chip.strips[2], chip.strips[3]
    assert rgb[0] == rgb[1] > rgb[2] == 0 and rgb[3:] == FRAME[3:6]
    assert rgbw[0] == rgbw[1] > rgbw[2] == rgbw[3] == 0 and rgbw[4:] == FRAME[10:14]


def test_the_status_light_pulses_while_a_line_of_a_lost_host_blocks_the_loop(
    pico: FakePico, chip: FakeChip
) -> None:
    """The loop stands still in `read_line`; the chip's timer goes on."""
    pico.host.show(FRAME)
    pico.run(20)
    assert chip.timer is not None
    chip.now += HOST_TIMEOUT - 100
    chip.timer()
    assert chip.strips[3][6:] == FRAME[21:]
    chip.now += 200
    chip.timer()
    assert chip.strips[3][6:] != FRAME[21:]


# --- Inputs ---


@pytest.mark.parametrize(
    ("switch", "contact"), [(0, (6, 8)), (1, (6, 9)), (2, (7, 8)), (3, (7, 9)), (4, (10,))]
)
def test_every_switch_has_its_number(
    pico: FakePico, chip: FakeChip, switch: int, contact: tuple[int, ...]
) -> None:
    pressed = chip.now
    chip.closed.add(contact)
    pico.run(50)
    chip.closed.clear()
    pico.run(50)
    closed, opened = of(pico, SwitchChanged)
    assert (closed.switch, closed.closed, opened.switch, opened.closed) == (switch, True, switch, False)
    assert closed.at == pytest.approx(pressed / 1000, abs=0.003)


def test_a_switch_that_is_held_at_boot_is_closed_and_not_pressed(chip: FakeChip) -> None:
    chip.closed.add((7, 8))
    pico = FakePico(chip, SMALL)
    pico.run(HANDSHAKE)
    (ready,) = of(pico, Ready)
    assert ready.closed == {2}
    assert of(pico, SwitchChanged) == []


@pytest.mark.parametrize(("reader", "pin"), [(0, 1), (1, 26)], ids=["uart", "state machine"])
def test_readers_receive_tags(pico: FakePico, chip: FakeChip, reader: int, pin: int) -> None:
    for _ in range(9):  # more bytes than the buffer of a state machine
        chip.at_readers[pin] = RDM6300
        pico.run(300)
    assert [(tag.reader, tag.data) for tag in of(pico, TagSeen)] == 9 * [(reader, RDM6300[1:-1])]


def test_a_tag_that_is_not_acknowledged_is_queued_once(pico: FakePico, chip: FakeChip) -> None:
    pico.plugged = False
    for _ in range(4):
        chip.at_readers[1] = RDM6300
        pico.run(300)
    pico.plugged = True
    pico.run(200)
    assert len(of(pico, TagSeen)) == 1


def test_a_round_reads_one_line_so_that_inputs_are_scanned_in_between(pico: FakePico, chip: FakeChip) -> None:
    pico.run(10)
    lines = [frame(Heartbeat(1), 1000 + number) for number in range(10)]
    chip.usb.received = b"".join(lines)
    pico.app.step()
    assert chip.usb.received == b"".join(lines[1:])


def test_a_round_reads_one_piece_of_a_frame_of_light(chip: FakeChip) -> None:
    """The buttons are scanned at least every 2 ms while a frame is read."""
    large = Wiring((WiredChain(2, 338),))
    pico = FakePico(chip, large)
    pico.run(HANDSHAKE)
    pico.host.show(bytes(large.light_bytes))
    chip.usb.reads.clear()
    pico.run(20)
    assert max(chip.usb.reads) <= 340
    assert chip.strips == {2: bytes(large.light_bytes)}


# --- The end ---


def test_a_fault_is_logged_and_the_chip_restarts(pico: FakePico, chip: FakeChip) -> None:
    chip.usb.fault = ZeroDivisionError("oh no")
    with pytest.raises(Restarted):
        pico.app.run()
    pico.exchange()
    (log,) = of(pico, Log)
    assert "ZeroDivisionError: oh no" in log.text


def test_ctrl_c_stops_timer_and_watchdog(chip: FakeChip) -> None:
    """The prompt must not be reset while mpremote uses it."""
    chip.usb.fault = KeyboardInterrupt()
    chip.run_main()
    assert not chip.watched
    assert chip.timer is None


def test_the_watchdog_and_the_timer_run_with_the_firmware(pico: FakePico, chip: FakeChip) -> None:
    assert chip.watched
    assert chip.timer is not None
