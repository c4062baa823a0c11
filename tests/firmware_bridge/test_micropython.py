"""The firmware in a real MicroPython behind a pseudo-terminal, with the real link."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest
import serial

from firmware_bridge import wire
from firmware_bridge.firmware import VERSION
from firmware_bridge.installer import firmware_checksum, identify
from firmware_bridge.link import Lost
from firmware_bridge.messages import Heartbeat, Hello, Log, Show, encode, frame
from firmware_bridge.payload import PROTOCOL
from firmware_bridge.protocol import (
    Ready,
    Refusal,
    Refused,
    Restarted,
    SwitchChanged,
    TagSeen,
)
from firmware_bridge.simulator.process import PICO_2, SimulatedPico
from firmware_bridge.wiring import WiredChain, Wiring
from tests.firmware_bridge.conftest import PATIENCE, PATIENT, MakePico, main_py_after
from tests.firmware_bridge.hosts import WAIT_TIMEOUT, Host
from tests.firmware_bridge.test_vectors import VECTORS, read_vectors
from tests.firmware_bridge.wirings import SMALL

pytestmark = pytest.mark.system

FRAME = bytes(range(100, 100 + SMALL.light_bytes))
SWITCHES: tuple[tuple[int, ...], ...] = ((6, 8), (6, 9), (7, 8), (7, 9), (10,))
TAG = b"\x0262E3086CED08\x03"

MakeHost = Callable[..., Host]


@pytest.fixture
def make_host() -> Iterator[MakeHost]:
    made: list[Host] = []

    def make(port: str, wiring: Wiring = SMALL, silence: float = WAIT_TIMEOUT) -> Host:
        made.append(Host(port, wiring, silence))
        return made[-1]

    yield make
    for host in made:
        host.link.close()


@pytest.fixture
def pico(patient: SimulatedPico) -> SimulatedPico:
    return patient


@pytest.fixture
def host(pico: SimulatedPico, make_host: MakeHost) -> Host:
    """A host that has completed the handshake."""
    made = make_host(pico.port)
    made.wait_for(Ready)
    return made


def test_the_vectors_decode_in_micropython(make_pico: MakePico) -> None:
    """`vectors.txt`, read by MicroPython with the Pico's copies of `wire.py` and `payload.py`."""
    script = Path(__file__).with_name("vectors_on_pico.py").read_text()
    pico = make_pico(main=script)
    (pico.flash / "vectors.txt").write_bytes(VECTORS.read_bytes())
    output = b""
    pico.plug()
    with serial.Serial(pico.port, timeout=0.1) as port:
        port.write(b"\x04")  # Ctrl-D: once more, now that we listen
        end = monotonic() + WAIT_TIMEOUT
        while not re.search(rb"CHECKED \d+\s", output) and monotonic() < end:
            output += port.read(4096)
    assert b"FAULT" not in output, output.decode()
    assert f"CHECKED {len(read_vectors())}".encode() in output


def test_a_pico_2_has_twelve_state_machines(make_pico: MakePico, make_host: MakeHost) -> None:
    pico = make_pico(board=PICO_2)
    pico.plug()
    many = Wiring(tuple(WiredChain(pin, 2) for pin in range(2, 14)))
    host = make_host(pico.port, many)
    host.wait_for(Ready)
    assert host.of(Ready)[0].identity.machines == 12
    frame = bytes(range(many.light_bytes))
    host.link.show(frame)
    assert pico.wait_until(lambda: len(pico.strips) == 12)
    assert b"".join(pico.strips[pin] for pin in range(2, 14)) == frame


def test_strips_with_white_have_four_bytes_a_light(make_pico: MakePico, make_host: MakeHost) -> None:
    pico = make_pico()
    pico.plug()
    host = make_host(pico.port, Wiring((WiredChain(2, 2, channels=4), WiredChain(3, 2)), status=2))
    host.wait_for(Ready)
    host.link.show(b"GRBWgrbwGRBgrb")
    assert pico.wait_until(lambda: pico.strips == {2: b"GRBWgrbw", 3: b"GRBgrb"})


def test_an_older_micropython_uses_two_pio_blocks(make_pico: MakePico, make_host: MakeHost) -> None:
    """Bug fixed: state machines 8 to 11 start without an error and do nothing (micropython #17509)."""
    main = main_py_after("import sys\nsys.implementation.version = (1, 25, 0)\n")
    pico = make_pico(board=PICO_2, main=main)
    pico.plug()
    host = make_host(pico.port)
    host.wait_for(Ready)
    assert host.of(Ready)[0].identity.machines == 8


def test_the_strips_show_the_frame(host: Host, pico: SimulatedPico) -> None:
    host.link.show(FRAME)
    assert pico.wait_until(lambda: pico.strips == {2: FRAME[:15], 3: FRAME[15:]})
    changed = bytearray(FRAME)
    changed[17] = 7
    host.link.show(bytes(changed))
    assert pico.wait_until(lambda: pico.strips == {2: FRAME[:15], 3: bytes(changed[15:])})
    assert pico.torn == 0


def test_every_switch_is_reported(host: Host, pico: SimulatedPico) -> None:
    for number, pins in enumerate(SWITCHES):
        pico.set_switch(*pins, closed=True)
        host.wait_for(SwitchChanged, 2 * number + 1)
        pico.set_switch(*pins, closed=False)
        host.wait_for(SwitchChanged, 2 * number + 2)
    changes = [(event.switch, event.closed) for event in host.of(SwitchChanged)]
    assert changes == [(switch, closed) for switch in range(5) for closed in (True, False)]


def test_several_switches_at_once_are_reported_and_no_other(host: Host, pico: SimulatedPico) -> None:
    for pins in ((6, 8), (7, 9), (7, 8)):
        pico.set_switch(*pins, closed=True)
    host.wait_for(SwitchChanged, 3)
    pico.set_switch(10, closed=True)
    host.wait_for(SwitchChanged, 4)
    assert [event.switch for event in host.of(SwitchChanged)][3] == 4, "nothing between them"
    assert {event.switch for event in host.of(SwitchChanged)} == {0, 2, 3, 4}
    for closed in ((6, 8), (7, 9), (7, 8), (10,)):
        pico.set_switch(*closed, closed=False)
    host.wait_for(SwitchChanged, 8)


def test_a_press_has_the_time_at_which_the_contact_closed(host: Host, pico: SimulatedPico) -> None:
    closed_at: list[float] = []
    pico.on_switch = lambda _pins, closed, at: closed_at.append(at) if closed else None
    pico.press(10)
    host.wait_for(SwitchChanged, 2)
    pressed = host.of(SwitchChanged)[0]
    assert pressed.at == pytest.approx(closed_at[0], abs=0.2)  # a busy machine scans late


def test_uart_and_pio_readers_receive_tags(host: Host, pico: SimulatedPico) -> None:
    """Pin 1 belongs to a UART, pin 26 needs a state machine."""
    pico.receive(1, TAG)
    host.wait_for(TagSeen)
    pico.receive(26, TAG)
    host.wait_for(TagSeen, 2)
    assert [(event.reader, event.data) for event in host.of(TagSeen)] == [
        (0, b"62E3086CED08"),
        (1, b"62E3086CED08"),
    ]


def test_a_reader_that_sends_continuously_is_received(host: Host, pico: SimulatedPico) -> None:
    """More bytes than the DMA buffer holds: the transfer is restarted repeatedly."""
    tags = [b"%012d" % number for number in range(30)]
    pico.receive(26, b"".join(b"\x02" + tag + b"\x03" for tag in tags))
    host.wait_for(TagSeen, len(tags))
    assert [event.data for event in host.of(TagSeen)] == tags


def test_a_reset_keeps_the_wiring_and_the_frame_and_opens_the_switches(
    host: Host, pico: SimulatedPico
) -> None:
    """No press is reported for a switch that was closed before."""
    host.link.show(FRAME)
    assert pico.wait_until(lambda: len(pico.strips) == 2)
    pico.set_switch(10, closed=True)
    host.wait_for(SwitchChanged)
    pico.strips.clear()
    pico.reset()
    host.wait_for(Ready, 2)
    assert host.of(Ready)[1].identity.wiring == SMALL.check
    assert pico.wait_until(lambda: pico.strips == {2: FRAME[:15], 3: FRAME[15:]})
    assert len(host.of(Restarted)) == 1
    pico.press(6, 8)
    host.wait_for(SwitchChanged, 3)
    assert [event.switch for event in host.of(SwitchChanged)] == [4, 0, 0]


def test_a_switch_held_during_a_reset_is_closed_but_not_pressed(pico: SimulatedPico, host: Host) -> None:
    pico.reset()
    pico.set_switch(10, closed=True)
    host.wait_for(Ready, 2)
    pico.press(6, 8)
    host.wait_for(SwitchChanged, 2)
    assert host.wait_until(lambda: [event.switch for event in host.of(SwitchChanged)][-2:] == [0, 0])
    # A switch that closes after the first scan is a press; one held from before is not.
    held_from_the_start = host.of(Ready)[1].closed == {4}
    changed = host.of(SwitchChanged)
    assert held_from_the_start == (4 not in {event.switch for event in changed})
    pico.set_switch(10, closed=False)
    host.wait_for(SwitchChanged, len(changed) + 1)


@pytest.fixture
def wired(make_pico: MakePico, make_host: MakeHost) -> SimulatedPico:
    """A patient Pico of the test's own, with the wiring SMALL; the shared one must keep it."""
    pico = make_pico(main=main_py_after(PATIENT), watchdog=PATIENCE)
    pico.plug()
    host = make_host(pico.port)
    host.wait_for(Ready)
    host.link.close()
    return pico


def test_a_changed_wiring_restarts_the_pico(wired: SimulatedPico, make_host: MakeHost) -> None:
    """And a reader works at the default TX pin of a UART.

    Bug fixed: the reader at pin 4 was set up first, then the UART of pin 5 drove it high.
    """
    host = make_host(wired.port, Wiring((WiredChain(20, 2),), buttons=(21,), readers=(4, 5)))
    host.wait_for(Ready)
    assert wired.resets == ["restart"]
    host.link.show(b"abcdef")
    assert wired.wait_until(lambda: wired.strips.get(20) == b"abcdef")
    wired.press(21)
    host.wait_for(SwitchChanged, 2)
    for reader, pin in enumerate((4, 5), start=1):
        wired.receive(pin, TAG)
        host.wait_for(TagSeen, reader)
    assert [event.reader for event in host.of(TagSeen)] == [0, 1]


def test_unplugging_and_plugging_in(host: Host, pico: SimulatedPico) -> None:
    pico.unplug()
    host.wait_for(Lost)
    tries = host.tries
    assert host.wait_until(lambda: host.tries >= tries + 3)
    pico.plug()
    host.wait_for(Ready, 2)
    losses = host.of(Lost)
    assert len(losses) == len(set(losses)), "a loss is reported once, not at each attempt"


QUICK = 0.25
"""The factor for the watchdog's 8 s in tests that wait for it."""


def test_the_watchdog_resets_a_hanging_pico_and_ends_half_a_line(
    make_pico: MakePico, make_host: MakeHost
) -> None:
    pico = make_pico(watchdog=QUICK)
    pico.plug()
    host = make_host(pico.port)
    host.wait_for(Ready)
    pico.hang()
    assert pico.wait_until(lambda: "watchdog" in pico.resets)
    host.wait_for(Ready, 2)
    host.link.close()
    pico.resets.clear()
    with serial.Serial(pico.port) as port:
        port.write(hello(3)[:10])
        assert pico.wait_until(lambda: "watchdog" in pico.resets)


YELLOW = 2
"""The status light is the last of the second chain."""


def is_pulsing(pico: SimulatedPico) -> bool:
    green, red, blue = pico.strips[3][3 * YELLOW :]
    return green == red > 0 == blue


def test_without_a_host_only_the_status_light_pulses_until_it_returns(
    make_pico: MakePico, make_host: MakeHost
) -> None:
    pico = make_pico()
    pico.plug()
    host = make_host(pico.port)
    host.wait_for(Ready)
    identity = host.of(Ready)[0].identity
    assert (identity.version, identity.board) == (VERSION, pico.board)
    assert identity.files == firmware_checksum()
    assert (identity.machines, identity.uarts) == (8, 2)
    asked = monotonic()  # the Pico hears of it later, and of nothing before that
    host.link.show(FRAME)
    assert pico.wait_until(lambda: pico.strips == {2: FRAME[:15], 3: FRAME[15:]})
    host.link.close()
    assert pico.wait_until(lambda: is_pulsing(pico))
    assert monotonic() - asked > 1.9
    levels = set()
    pico.on_strip = lambda pin, data, _at: levels.add(data[-3]) if pin == 3 else None
    assert pico.wait_until(lambda: len(levels) > 8)
    assert pico.strips[2] == FRAME[:15]
    assert pico.strips[3][:6] == FRAME[15:21]
    second = make_host(pico.port)
    second.link.show(FRAME)
    second.wait_for(Ready)
    assert pico.wait_until(lambda: pico.strips == {2: FRAME[:15], 3: FRAME[15:]})


def hello(session: int, number: int = 0) -> bytes:
    kind, body = encode(Hello(PROTOCOL, session, "test"))
    return wire.pack(kind, number, body)


def test_the_status_light_pulses_while_half_a_line_blocks_the_loop(
    make_pico: MakePico, make_host: MakeHost
) -> None:
    """MicroPython blocks until the end of a line; a host that dies within one must still be detected."""
    pico = make_pico(watchdog=8.0)  # a minute
    pico.plug()
    host = make_host(pico.port)
    host.link.show(FRAME)
    assert pico.wait_until(lambda: len(pico.strips) == 2)
    host.link.close()
    with serial.Serial(pico.port) as port:
        port.write(hello(3)[:10])
        assert pico.wait_until(lambda: is_pulsing(pico))
        assert pico.resets == []
    second = make_host(pico.port)
    second.wait_for(Ready)
    second.link.show(FRAME)
    assert pico.wait_until(lambda: pico.strips == {2: FRAME[:15], 3: FRAME[15:]})
    assert pico.resets == []


def test_half_the_bytes_of_a_frame_block_the_loop_until_a_host_comes(
    make_pico: MakePico, make_host: MakeHost
) -> None:
    pico = make_pico(watchdog=8.0)
    pico.plug()
    host = make_host(pico.port)
    host.link.show(FRAME)
    assert pico.wait_until(lambda: len(pico.strips) == 2)
    host.link.close()
    with serial.Serial(pico.port) as port:
        port.write(frame(Show(1, 0, FRAME), 5)[:-9])
        assert pico.wait_until(lambda: is_pulsing(pico))
    second = make_host(pico.port)
    second.wait_for(Ready)
    second.link.show(FRAME[::-1])
    assert pico.wait_until(lambda: pico.strips == {2: FRAME[::-1][:15], 3: FRAME[::-1][15:]})
    assert pico.resets == []


def test_lights_may_have_every_value(host: Host, pico: SimulatedPico) -> None:
    """Ctrl-C (3), newlines (10) and the mark of a frame (126) among the bytes of light."""
    for shift in range(0, 256, 8):
        shown = bytes((shift + place) % 256 for place in range(SMALL.light_bytes))
        host.link.show(shown)
        assert pico.wait_until(lambda: pico.strips == {2: shown[:15], 3: shown[15:]})  # noqa: B023
    assert not pico.at_prompt
    assert pico.resets == []


def test_ctrl_c_among_half_a_frame_stops_the_firmware(make_pico: MakePico) -> None:
    """Mpremote can connect even while the Pico waits for bytes of light."""
    pico = make_pico(watchdog=QUICK)
    pico.plug()
    identify(pico.port, WAIT_TIMEOUT)
    with serial.Serial(pico.port, timeout=WAIT_TIMEOUT) as port:
        port.write(frame(Show(1, 0, b"abcdef"), 5)[:-2] + b"\r\x03")
        assert pico.wait_until(lambda: pico.at_prompt)


def test_a_thousand_lines_of_noise_are_ignored(host: Host, pico: SimulatedPico, make_host: MakeHost) -> None:
    host.link.close()
    with serial.Serial(pico.port) as port:
        for number in range(1000):
            port.write(os.urandom(number % 60).replace(b"\x03", b"") + b"\n")
    second = make_host(pico.port)
    second.wait_for(Ready)
    pico.press(10)
    second.wait_for(SwitchChanged, 2)
    assert pico.resets == []


def test_ctrl_c_leads_to_the_prompt_and_stops_the_watchdog(make_pico: MakePico) -> None:
    pico = make_pico(watchdog=QUICK)
    pico.plug()
    identify(pico.port, WAIT_TIMEOUT)  # it runs
    with serial.Serial(pico.port, timeout=WAIT_TIMEOUT) as port:
        port.write(b"\r\x03")
        assert pico.wait_until(lambda: pico.at_prompt)
        port.write(b"\r\nprint(6 * 7)\r\n")
        assert b"\n42" in port.read_until(b"\n42")
    sleep(10 * QUICK)
    assert pico.resets == []


def test_a_prompt_is_recognized_as_missing_firmware(make_pico: MakePico, make_host: MakeHost) -> None:
    pico = make_pico(firmware=False)
    pico.plug()
    host = make_host(pico.port, silence=0.5)
    # A Lost with Reason.SILENT may come first.
    assert host.wait_until(
        lambda: any("runs no firmware of azul-table" in it.message for it in host.of(Lost))
    )
    assert "azul-table firmware install" in host.of(Lost)[-1].message


def test_a_wiring_with_too_many_chains_is_rejected(make_pico: MakePico, make_host: MakeHost) -> None:
    pico = make_pico()
    pico.plug()
    host = make_host(pico.port, Wiring(tuple(WiredChain(pin, 2) for pin in range(2, 11))))
    host.wait_for(Refused)
    refused = host.of(Refused)[0]
    assert refused.reason is Refusal.WIRING
    assert refused.detail == "chains and readers need 9 state machines, the chip has 8"


def test_a_wiring_without_lights_reports_its_switches(make_pico: MakePico, make_host: MakeHost) -> None:
    """The lights of such a table are at controllers in the network."""
    pico = make_pico(main=main_py_after(PATIENT), watchdog=PATIENCE)
    pico.plug()
    host = make_host(pico.port, Wiring((), buttons=(10,)))
    host.wait_for(Ready)
    pico.press(10)
    host.wait_for(SwitchChanged, 2)
    host.link.close()
    assert pico.strips == {}
    assert host.of(Lost) == []


def test_a_rejected_wiring_is_rejected_again_after_a_restart(
    wired: SimulatedPico, make_host: MakeHost
) -> None:
    """Bug fixed: the second handshake took the wiring for known and the table for ready."""
    host = make_host(wired.port, Wiring((WiredChain(2, 2),), buttons=(2,)))
    assert wired.wait_until(lambda: wired.resets == ["restart"])
    host.wait_for(Refused, 2)
    assert {refused.detail for refused in host.of(Refused)} == {"GP2 is given twice"}
    assert host.of(Ready) == []


def test_an_exception_in_the_firmware_is_logged_and_the_chip_restarts(
    make_pico: MakePico, make_host: MakeHost
) -> None:
    main = main_py_after("from firmware_bridge.firmware import app\napp.FLUSH_TIME = 3000\n")
    pico = make_pico(main=main)
    switches = pico.flash / "firmware_bridge/firmware/inputs.py"
    broken = switches.read_text().replace("        switch.closed = closed\n", "        oh_no\n")
    switches.write_text(broken)
    pico.plug()
    host = make_host(pico.port)
    host.wait_for(Ready)
    pico.press(10)
    host.wait_for(Log)
    # Time for the log line to arrive on a busy machine.
    assert "NameError" in host.of(Log)[0].text and "inputs.py" in host.of(Log)[0].text
    assert pico.wait_until(lambda: pico.resets == ["restart"])
    host.wait_for(Ready, 2)
    assert host.of(SwitchChanged) == []


def test_the_memory_use_fits_a_pico(host: Host, pico: SimulatedPico) -> None:
    """An RP2040 leaves MicroPython about 190 kB; the stand-ins are included."""
    host.link.show(FRAME)
    for number in range(20):
        for closed in (True, False):
            pico.set_switch(*SWITCHES[number % 5], closed=closed)
    host.wait_for(SwitchChanged, 40)
    assert pico.wait_until(lambda: pico.memory > 0)
    assert pico.memory < 100_000


def test_a_heartbeat_before_hello_is_answered_by_the_identity(make_pico: MakePico) -> None:
    """Two heartbeats, because the first identity is sent unasked."""
    pico = make_pico()
    pico.plug()
    kind, body = encode(Heartbeat(1))
    lines, kinds = wire.LineSplitter(), list[int]()
    with serial.Serial(pico.port, timeout=WAIT_TIMEOUT) as port:
        port.write(wire.pack(kind, 5, body) + wire.pack(kind, 6, body))
        while len(kinds) < 2:
            for line in lines.feed(port.read_until(wire.END)):
                with suppress(wire.WireError):  # one that had begun before
                    kinds.append(wire.unpack(line)[0])
    assert kinds == [0x41, 0x41]
