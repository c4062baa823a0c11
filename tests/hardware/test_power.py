"""Current limit: the estimate of a frame after gamma correction, and dimming to the supply's budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hardware.api import LightFrame, Rgb
from hardware.layout.file import ColourOrder
from hardware.layout.model import Chain, Layout, Supply
from hardware.pixels import DitheringEncoder, FrameEncoder
from hardware.power import CurrentLimiter

from .test_pixels import ORDERS, brightnesses, colours, gammas
from .waiting import Clock

WHITE: Rgb = (255, 255, 255)


@st.composite
def frames(draw: st.DrawFn, layout: Layout) -> LightFrame:
    names = [light.name for light in layout.lights]
    return LightFrame(draw(st.dictionaries(st.sampled_from(names), colours, max_size=80)))


@st.composite
def supplied(draw: st.DrawFn, layout: Layout) -> Layout:
    """A layout with any supply, and any conversion of each chain."""

    def converted(chain: Chain) -> Chain:
        order: ColourOrder = draw(st.sampled_from(ORDERS))
        return replace(chain, order=order, brightness=draw(brightnesses), gamma=draw(gammas))

    supply = Supply(
        volts=5.0,
        amperes=draw(st.floats(0.001, 5)),
        lights=len(layout.lights),
        channel_milliamperes=draw(st.floats(0.1, 100)),
        idle_milliamperes=draw(st.floats(0, 5)),
    )
    return replace(layout, supply=supply, chains=tuple(map(converted, layout.chains)))


def drawn(layout: Layout, sent: bytes) -> float:
    """Return the milliamperes of lights to which these bytes were sent."""
    supply = layout.supply
    return supply.lights * supply.idle_milliamperes + sum(sent) * supply.channel_milliamperes / 255


def test_a_dark_table_takes_its_idle_current(full: Layout) -> None:
    assert CurrentLimiter(full).milliamperes(LightFrame({})) == 338


def test_one_white_light_takes_60_milliamperes_more(full: Layout) -> None:
    assert CurrentLimiter(full).milliamperes(LightFrame({"status": WHITE})) == 338 + 60


def test_a_white_light_with_a_white_channel_takes_a_third_of_that(full: Layout) -> None:
    layout = replace(full, chains=tuple(replace(chain, order="GRBW") for chain in full.chains))
    assert CurrentLimiter(layout).milliamperes(LightFrame({"status": WHITE})) == 338 + 20


def test_the_current_is_that_of_the_levels_after_gamma_correction(full: Layout) -> None:
    """Half of a channel is sent as level 56 of 255."""
    assert CurrentLimiter(full).milliamperes(LightFrame({"status": (128, 0, 255)})) == pytest.approx(
        338 + 20 * (56 + 255) / 255, abs=0.1
    )


def test_full_white_takes_the_budget_and_not_half_of_it(full: Layout) -> None:
    """The limit was computed before gamma correction: full white of `full` took 4.3 of its 10 A."""
    white = LightFrame({light.name: WHITE for light in full.lights})
    limiter = CurrentLimiter(full)
    assert limiter.milliamperes(white) == 338 * 61
    dimmed = limiter.limit(white)
    assert 9_800 < drawn(full, FrameEncoder(full).encode(dimmed)) <= 10_000
    assert len(set(dimmed.lit.values())) == 1  # dimmed as a whole


def test_a_frame_within_the_budget_is_returned_itself(duo: Layout) -> None:
    frame = LightFrame({"status": WHITE})
    assert CurrentLimiter(duo).limit(frame) is frame


def test_a_frame_that_takes_exactly_the_budget_is_returned_itself(duo: Layout) -> None:
    frame = LightFrame({"status": WHITE})
    layout = replace(duo, supply=Supply(5.0, (len(duo.lights) + 60) / 1000, lights=len(duo.lights)))
    assert CurrentLimiter(layout).milliamperes(frame) == layout.supply.budget
    assert CurrentLimiter(layout).limit(frame) is frame


@given(st.data())
def test_no_limited_frame_exceeds_the_budget(full: Layout, data: st.DataObject) -> None:
    """With a supply that can't even feed dark lights, which no layout may have, all lights are dark."""
    layout, frame = data.draw(supplied(full)), data.draw(frames(full))
    limiter = CurrentLimiter(layout)
    limited = limiter.limit(frame)
    if layout.supply.dark > layout.supply.budget:
        assert not any(map(any, limited.lit.values()))
    else:
        assert limiter.milliamperes(limited) <= layout.supply.budget
    assert limited.lit.keys() == frame.lit.keys()


@given(st.data())
def test_the_estimate_is_an_upper_bound_of_what_is_sent(full: Layout, data: st.DataObject) -> None:
    """In every phase of dithering."""
    layout, frame = data.draw(supplied(full)), data.draw(frames(full))
    estimate = CurrentLimiter(layout).milliamperes(frame) + 1e-6
    assert drawn(layout, FrameEncoder(layout).encode(frame)) <= estimate
    clock = Clock()
    encoder = DitheringEncoder(layout, clock)
    encoder.encode(frame)
    encoder.encode(LightFrame({}))
    for _ in range(4):
        assert drawn(layout, encoder.encode(frame)) <= estimate


@given(st.data())
def test_dimming_raises_no_channel_and_keeps_their_order(full: Layout, data: st.DataObject) -> None:
    layout, frame = data.draw(supplied(full)), data.draw(frames(full))
    limited = CurrentLimiter(layout).limit(frame)
    pairs = [
        (before, after)
        for light, colour in frame.lit.items()
        for before, after in zip(colour, limited.colour(light), strict=True)
    ]
    assert all(0 <= after <= before for before, after in pairs)
    afters = [after for _, after in sorted(pairs)]
    assert afters == sorted(afters)


@given(st.data())
def test_limiting_twice_is_limiting_once(full: Layout, data: st.DataObject) -> None:
    layout, frame = data.draw(supplied(full)), data.draw(frames(full))
    limiter = CurrentLimiter(layout)
    once = limiter.limit(frame)
    if layout.supply.dark <= layout.supply.budget:
        assert limiter.limit(once) is once
