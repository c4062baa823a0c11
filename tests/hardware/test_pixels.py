"""Pixel bytes: colour order, gamma, the white channel, rounding, and dithering of moving lights."""

from __future__ import annotations

from itertools import pairwise
from statistics import mean
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from device.lights.animation import FRAMES_A_SECOND, Pulsing, Rhythm, slow_wave
from hardware.api import HardwareError, LightFrame, Rgb
from hardware.layout.file import ColourOrder
from hardware.layout.model import Layout
from hardware.pixels import (
    DITHER,
    FULL,
    Converter,
    DitheringEncoder,
    FrameEncoder,
    is_near,
    pixel_offsets,
)

from .waiting import Clock

ORDERS: tuple[ColourOrder, ...] = get_args(ColourOrder)
RGB_ORDERS = [order for order in ORDERS if len(order) == 3]
RGBW_ORDERS = [order for order in ORDERS if len(order) == 4]

channels = st.integers(0, FULL)
colours = st.tuples(channels, channels, channels)
gammas = st.floats(1, 4)
brightnesses = st.floats(0.001, 1)


def with_order(layout: Layout, order: ColourOrder) -> Layout:
    return replace(layout, chains=tuple(replace(chain, order=order) for chain in layout.chains))


# --- One light ---


@pytest.mark.parametrize("order", RGB_ORDERS)
def test_the_bytes_of_a_light_have_the_order_of_its_chain(order: ColourOrder) -> None:
    sent = Converter(order, 1.0, 1.0)[30, 20, 10].steady
    assert sent == bytes({"R": 30, "G": 20, "B": 10}[letter] for letter in order)


@pytest.mark.parametrize("order", RGBW_ORDERS)
def test_white_is_sent_on_the_white_channel(order: ColourOrder) -> None:
    sent = Converter(order, 1.0, 1.0)
    assert sent[255, 255, 255].steady == bytes({"W": 255}.get(letter, 0) for letter in order)
    assert sent[30, 20, 10].steady == bytes({"R": 20, "G": 10, "B": 0, "W": 10}[letter] for letter in order)
    assert sent[0, 0, 200].steady == bytes({"B": 200}.get(letter, 0) for letter in order)


@given(colours, gammas, brightnesses)
def test_the_white_channel_adds_up_to_the_same_light(colour: Rgb, gamma: float, brightness: float) -> None:
    """Red, green and blue with white added to each are those of a strip without white, but for rounding."""
    plain = Converter("RGB", brightness, gamma)[colour].steady
    red, green, blue, white = Converter("RGBW", brightness, gamma)[colour].steady
    assert min(red, green, blue) <= 1
    assert all(
        abs(mixed + white - alone) <= 1
        for mixed, alone in zip((red, green, blue), plain, strict=True)
        if max(plain) > 1  # below that the brightest channel is raised
    )


def test_brightness_and_gamma_are_applied_once() -> None:
    assert Converter("RGB", 0.5, 1.0)[255, 100, 1].steady == bytes((128, 50, 1))
    assert Converter("RGB", 1.0, 2.2)[255, 128, 10].steady == bytes((255, 56, 0))


def test_a_whole_number_is_not_rounded_up() -> None:
    """0.2 * 35 is slightly more than 7 in floating point."""
    assert Converter("RGB", 0.2, 1.0)[35, 35, 35].steady == bytes((7, 7, 7))


@given(st.sampled_from(ORDERS), brightnesses, gammas, colours)
@example("GRB", 0.001, 4.0, (1, 1, 1))
@example("GRBW", 0.001, 4.0, (1, 1, 1))
def test_a_lit_light_stays_lit_and_no_level_is_raised(
    order: ColourOrder, brightness: float, gamma: float, colour: Rgb
) -> None:
    pixel = Converter(order, brightness, gamma)[colour]
    assert any(pixel.steady) == any(colour)
    assert max(pixel.steady) <= max(colour)
    for variant in (pixel.steady, *pixel.dithered):
        assert sum(variant) <= pixel.most, "the current limit counts the brightest variant"


@pytest.mark.parametrize("colour", [(256, 0, 0), (0, -1, 0)])
def test_a_channel_that_is_no_byte_is_an_error(duo: Layout, colour: Rgb) -> None:
    with pytest.raises(HardwareError, match="0 to 255"):
        FrameEncoder(duo).encode(LightFrame({"status": colour}))


@given(colours, gammas)
def test_the_phases_of_dithering_have_the_exact_level_on_average(colour: Rgb, gamma: float) -> None:
    """To a quarter of a level; the brightest channels of a lit light are at least 1."""
    for at, exact in enumerate(FULL * (channel / FULL) ** gamma for channel in colour):
        phases = [variant[at] for variant in Converter("RGB", 1.0, gamma)[colour].dithered]
        assert max(phases) - min(phases) <= 1
        if max(colour) != colour[at] or exact >= 1:
            assert mean(phases) == pytest.approx(exact, abs=0.126)


# --- All lights ---


def test_offsets_count_the_bytes_of_all_chains_before(full: Layout) -> None:
    chains = tuple(replace(chain, order="GRBW") if chain.name == "seat1" else chain for chain in full.chains)
    assert pixel_offsets(full)["status"] == 3 * 337
    assert pixel_offsets(replace(full, chains=chains))["status"] == 3 * 337 + 68
    assert sorted(pixel_offsets(full).values()) == list(range(0, 3 * 338, 3))


@given(st.sampled_from(ORDERS), st.data())
def test_every_light_is_at_its_place(full: Layout, order: ColourOrder, data: st.DataObject) -> None:
    layout = with_order(full, order)
    light = data.draw(st.sampled_from(layout.lights))
    sent = FrameEncoder(layout).encode(LightFrame({light.name: (200, 100, 50)}))
    at, width = pixel_offsets(layout)[light.name], len(order)
    assert sent[at : at + width] == Converter(order, 1.0, 2.2)[200, 100, 50].steady
    assert not any(sent[:at] + sent[at + width :])
    assert len(sent) == width * 338


# --- Dithering ---


@pytest.fixture
def clock() -> Clock:
    return Clock()


@given(st.lists(st.dictionaries(st.sampled_from(["status", "centre.1", "seat.1.turn"]), colours), max_size=6))
def test_a_light_that_changes_once_in_a_while_is_not_dithered(
    duo: Layout, frames: list[dict[str, Rgb]]
) -> None:
    clock = Clock()
    encoder, plain = DitheringEncoder(duo, clock), FrameEncoder(duo)
    for lit in frames:
        assert encoder.encode(LightFrame(lit)) == plain.encode(LightFrame(lit))
        clock.now += 1.0


def pulsing(encoder: DitheringEncoder, clock: Clock, light: Rgb, frames: int) -> list[bytes]:
    """Return the bytes of the last light of frames in which it pulses slowly from dark to `light`."""
    sent = []
    for _ in range(frames):
        colour = Pulsing(light, Rhythm(slow_wave, 0.0, 1.0)).at(clock.now)
        data = encoder.encode(LightFrame({"seat.2.wall.1.1": colour, "centre.1": (9, 9, 9)}))
        sent.append(data[-3:])
        clock.now += 1 / FRAMES_A_SECOND
    return sent


def test_a_dim_pulse_has_levels_between_those_of_the_strip(duo: Layout, clock: Clock) -> None:
    """Averaged over four frames, a channel that never exceeds level 3 takes more than 3 levels."""
    sent = [data[0] for data in pulsing(DitheringEncoder(duo, clock), clock, (35, 35, 35), 96)]
    assert max(sent) == 3
    means = [mean(sent[at : at + len(DITHER)]) for at in range(len(sent) - len(DITHER))]
    assert len(set(means)) >= 9
    assert max(abs(one - next_one) for one, next_one in pairwise(means)) <= 0.5, "no step of a whole level"


def test_a_light_that_came_to_rest_gets_its_nearest_level(duo: Layout, clock: Clock) -> None:
    encoder = DitheringEncoder(duo, clock)
    pulsing(encoder, clock, (60, 80, 100), 30)
    rest = LightFrame({"status": (50, 60, 70)})
    encoder.encode(rest)
    clock.now += 1.0
    sent = {encoder.encode(rest) for _ in range(8)}
    assert sent == {FrameEncoder(duo).encode(rest)}


def test_a_light_that_moved_shows_what_it_changes_to_after_a_pause(duo: Layout, clock: Clock) -> None:
    """It once kept its last colour if no frame was encoded between its movement and the change."""
    encoder = DitheringEncoder(duo, clock)
    pulsing(encoder, clock, (200, 80, 100), 30)
    clock.now += 1.0
    for frame in (LightFrame({"status": (1, 2, 3)}), LightFrame({"seat.2.wall.1.1": (9, 99, 199)})):
        assert encoder.encode(frame) == FrameEncoder(duo).encode(frame)
        clock.now += 1.0


@given(
    st.lists(st.tuples(st.floats(0, 1), st.dictionaries(st.sampled_from(["status", "centre.1"]), colours)))
)
def test_every_frame_is_near_its_nearest_levels(
    duo: Layout, frames: list[tuple[float, dict[str, Rgb]]]
) -> None:
    clock = Clock()
    encoder, plain = DitheringEncoder(duo, clock), FrameEncoder(duo)
    for pause, lit in frames:
        clock.now += pause
        assert is_near(encoder.encode(LightFrame(lit)), plain.encode(LightFrame(lit)))


def test_lights_at_rest_are_the_same_in_every_frame(duo: Layout, clock: Clock) -> None:
    """While others move: a dithered light at a low level would flicker visibly."""
    encoder, at = DitheringEncoder(duo, clock), pixel_offsets(duo)["centre.1"]
    sent = set()
    for step in range(96):
        frame = LightFrame({"centre.1": (41, 41, 41), "status": (step, step, step)})
        sent.add(encoder.encode(frame)[at : at + 3])
        clock.now += 1 / FRAMES_A_SECOND
    assert len(sent) == 1


def test_an_invalid_frame_leaves_the_next_one_as_it_is(duo: Layout, clock: Clock) -> None:
    encoder = DitheringEncoder(duo, clock)
    with pytest.raises(HardwareError, match=r"seat\.4\.turn"):
        encoder.encode(LightFrame({"status": (1, 2, 3), "seat.4.turn": (1, 1, 1)}))
    assert not any(encoder.encode(LightFrame({})))
