"""Driver of a Pico without a link: wiring and bytes of a layout, events and states."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from firmware_bridge.installer import firmware_checksum
from firmware_bridge.link import Lost, Reason
from firmware_bridge.messages import Alive, Identity, Log
from firmware_bridge.protocol import (
    EventsDropped,
    HealthReport,
    Ready,
    Refusal,
    Refused,
    SwitchChanged,
    SwitchMuted,
    TagSeen,
)
from hardware.api import ButtonPressed, HardwareError, HardwareEvent, LightFrame, Loss, TagArrived, TagLeft
from hardware.drivers.pico import RECORD, PicoDriver, PicoState, button_of_switch, wiring
from hardware.drivers.rfid import LEAVES, encode_frame
from hardware.layout.model import Layout, read_layout
from hardware.pixels import FrameEncoder, pixel_offsets

# --- Wiring and bytes ------------------------------------------------------------------------------------


def test_the_wiring_is_derived_from_the_layout(full: Layout) -> None:
    wired = wiring(full)
    assert [(chain.pin, chain.lights) for chain in wired.chains] == [
        (chain.pin, chain.pixels) for chain in full.chains
    ]
    assert full.matrix is not None
    assert (wired.rows, wired.columns) == (full.matrix.rows, full.matrix.columns)
    assert (len(wired.rows) * len(wired.columns), wired.buttons) == (36, ()) and wired.readers == tuple(
        reader.pin for reader in full.readers
    )
    assert wired.status == 337


def test_a_chain_with_white_has_four_bytes_a_light(full: Layout) -> None:
    first, *rest = full.chains
    with_white = replace(first, order=cast(Any, "GRBW"))
    wired = wiring(replace(full, chains=(with_white, *rest)))
    assert [chain.channels for chain in wired.chains] == [4, 3, 3, 3, 3]
    assert wired.light_bytes == 3 * 338 + first.pixels


def test_every_button_is_a_switch_and_every_light_three_bytes(full: Layout) -> None:
    switches = button_of_switch(full, wiring(full))
    assert sorted(switches) == list(range(36))
    assert set(switches.values()) == {button.name for button in full.buttons}


def test_a_layout_without_a_pico_is_refused() -> None:
    with pytest.raises(HardwareError, match="wired to a pi, not to a Pico"):
        PicoDriver(read_layout("duo"))


@pytest.mark.parametrize("number", [0, -1], ids=["first", "last"])
def test_each_chain_has_an_order_and_a_brightness_of_its_own(full: Layout, number: int) -> None:
    chains = list(full.chains)
    chains[number] = chain = replace(chains[number], order="BGR", brightness=0.5, gamma=1.0)
    other = replace(full, chains=tuple(chains))
    light = next(light.name for light in full.lights if light.chain == chain.name and light.pixel == 0)
    at = pixel_offsets(full)[light]
    data = FrameEncoder(other).encode(LightFrame({light: (100, 50, 200)}))
    assert data[at : at + 3] == bytes((100, 25, 50))


@pytest.mark.parametrize(
    ("lit", "message"),
    [({"nowhere": (1, 1, 1)}, "'nowhere'"), ({"status": (0, 256, 0)}, "outside of 0 to 255")],
)
def test_an_invalid_frame_is_refused(
    full: Layout, lit: dict[str, tuple[int, int, int]], message: str
) -> None:
    with pytest.raises(HardwareError, match=message):
        FrameEncoder(full).encode(LightFrame(lit))


# --- Events ----------------------------------------------------------------------------------------------


class FakeLink:
    """A link without a port, which records the latest frame."""

    def __init__(self) -> None:
        self.starts = 0
        self.closes = 0
        self.frame = b""

    def start(self) -> None:
        self.starts += 1

    def show(self, frame: bytes) -> None:
        self.frame = frame

    def close(self) -> None:
        self.closes += 1


class Pico:
    """A driver on a fake link, with its events and states."""

    def __init__(self, layout: Layout) -> None:
        self.events: list[HardwareEvent] = []
        self.states: list[PicoState] = []
        self.link = FakeLink()
        self.driver = PicoDriver(layout, watch=self.states.append, make_link=lambda *_: self.link)
        self.driver.start(self.events.append)


@pytest.fixture
def pico(full: Layout) -> Pico:
    return Pico(full)


def identity(files: int) -> Identity:
    return Identity(1, 1, 7, 1, 1, files, 8, 2, "1.0", "Pico")


def ready(*, resumed: bool = False, files: int | None = None) -> Ready:
    return Ready(identity(firmware_checksum() if files is None else files), resumed, frozenset())


def heartbeat(at: float) -> HealthReport:
    return HealthReport(Alive(1, 1000, 100_000, 0, 0), at)


def switch_of(button: str, layout: Layout) -> int:
    return next(switch for switch, name in button_of_switch(layout, wiring(layout)).items() if name == button)


def test_a_closed_switch_is_a_press_and_an_opened_one_is_not(pico: Pico, full: Layout) -> None:
    switch = switch_of("ok", full)
    for event in (SwitchChanged(switch, closed=True, at=1.0), SwitchChanged(switch, closed=False, at=1.1)):
        pico.driver.receive(event)
    assert pico.events == [ButtonPressed("ok", 1.0)]


def test_events_of_unknown_switches_and_readers_are_ignored(pico: Pico, full: Layout) -> None:
    tag = encode_frame("62E3086CED")[1:-1]
    for event in (SwitchChanged(99, closed=True, at=1.0), TagSeen(len(full.readers), tag, 1.0)):
        pico.driver.receive(event)
    assert pico.events == []


def test_a_tag_with_a_wrong_checksum_is_ignored(pico: Pico) -> None:
    pico.driver.receive(TagSeen(0, b"62E3086CED09", 1.0))
    assert pico.events == []


def test_a_tag_leaves_with_the_heartbeat(pico: Pico, full: Layout) -> None:
    reader = full.readers[1].name
    pico.driver.receive(TagSeen(1, encode_frame("62E3086CED")[1:-1], 1.0))
    pico.driver.receive(heartbeat(1.0 + LEAVES / 2))
    assert pico.events == [TagArrived(reader, "62E3086CED", 1.0)]
    pico.driver.receive(heartbeat(1.0 + LEAVES))
    assert pico.events[1:] == [TagLeft(reader, "62E3086CED", 1.0 + LEAVES)]


def test_a_resting_tag_does_not_arrive_again_after_a_restart(pico: Pico) -> None:
    """A resting card repeated its action after every reset of the Pico."""
    tag = TagSeen(0, encode_frame("62E3086CED")[1:-1], 10.0)
    for event in (tag, Lost("unplugged", Reason.GONE), replace(tag, at=60.0), replace(tag, at=60.5)):
        pico.driver.receive(event)
    assert [type(event) for event in pico.events] == [TagArrived]
    pico.driver.receive(replace(tag, at=70.0))
    assert [type(event) for event in pico.events] == [TagArrived, TagLeft, TagArrived]


def test_the_link_is_started_once_and_closed(pico: Pico, full: Layout) -> None:
    frame = LightFrame({"status": (1, 2, 3)})
    pico.driver.show(frame)
    assert pico.link.frame == FrameEncoder(full).encode(frame)
    assert pico.link.starts == 1
    pico.driver.close()
    pico.driver.receive(SwitchChanged(switch_of("ok", full), closed=True, at=1.0))
    assert (pico.link.closes, pico.events) == (1, [])


# --- States ----------------------------------------------------------------------------------------------


def test_the_state_follows_the_link(pico: Pico) -> None:
    assert (pico.driver.state.connected, pico.driver.state.loss) == (False, Loss.SILENT)
    pico.driver.receive(ready())
    assert pico.driver.state == PicoState(connected=True, message="", loss=None)
    pico.driver.receive(Lost("the Pico was unplugged", Reason.GONE))
    state = pico.driver.state
    assert (state.connected, state.loss, state.message) == (False, Loss.UNPLUGGED, "the Pico was unplugged")
    assert [state.connected for state in pico.states] == [True, False]


def test_an_event_that_changes_no_state_is_not_passed_on(pico: Pico) -> None:
    for _ in range(2):
        pico.driver.receive(Lost("no Pico", Reason.NO_PORT))
    assert len(pico.states) == 1


@pytest.mark.parametrize(
    ("reason", "loss"),
    [
        (Reason.NO_PORT, Loss.ABSENT),
        (Reason.DENIED, Loss.DENIED),
        (Reason.TAKEN, Loss.BUSY),
        (Reason.GONE, Loss.UNPLUGGED),
        (Reason.SILENT, Loss.SILENT),
        (Reason.NO_FIRMWARE, Loss.GARBLED),
        (Reason.OTHER, Loss.FAILED),
    ],
)
def test_reasons_of_the_link_are_losses(pico: Pico, reason: Reason, loss: Loss) -> None:
    pico.driver.receive(Lost("it failed", reason))
    assert pico.driver.state.loss is loss


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        (Refusal.OLDER, "firmware install"),
        (Refusal.NEWER, "install the newer azul-table"),
        (Refusal.WIRING, "(GP2 is given twice): correct the layout's pins"),
    ],
)
def test_a_refusal_is_a_loss_with_a_remedy(pico: Pico, reason: Refusal, message: str) -> None:
    pico.driver.receive(Refused(reason, "GP2 is given twice"))
    state = pico.driver.state
    assert (state.connected, state.loss) == (False, Loss.FAILED)
    assert message in state.message


def test_another_firmware_is_outdated(pico: Pico) -> None:
    pico.driver.receive(ready(files=1))
    assert pico.driver.state.outdated
    pico.driver.receive(ready())
    assert not pico.driver.state.outdated


def test_muted_buttons_are_kept_by_a_resumed_connection_and_cleared_by_a_new_one(
    pico: Pico, full: Layout
) -> None:
    pico.driver.receive(ready())
    pico.driver.receive(SwitchMuted(switch_of("ok", full), muted=True, at=1.0))
    pico.driver.receive(SwitchMuted(switch_of("undo", full), muted=True, at=1.0))
    pico.driver.receive(SwitchMuted(switch_of("undo", full), muted=False, at=2.0))
    assert pico.driver.state.muted == {"ok"}
    pico.driver.receive(ready(resumed=True))
    assert pico.driver.state.muted == {"ok"}
    pico.driver.receive(ready())
    assert pico.driver.state.muted == frozenset()


def test_log_lines_and_dropped_events_are_log_messages(pico: Pico) -> None:
    pico.driver.receive(Log(1, "ValueError: 7"))
    assert pico.driver.state.log == "ValueError: 7"
    pico.driver.receive(EventsDropped(3))
    assert pico.driver.state.log.startswith("3 events")


def test_a_record_file_that_can_not_be_written_is_an_error(
    full: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RECORD, str(tmp_path))
    with pytest.raises(HardwareError, match="Is a directory"):
        PicoDriver(full)
