"""Current limit: the estimate of a frame, and dimming to the supply's budget."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardware.api import LightFrame, Rgb
from hardware.layout.model import Layout
from hardware.power import Supply, limit, milliamperes

WHITE: Rgb = (255, 255, 255)

channels = st.integers(0, 255)
frames = st.dictionaries(
    st.integers(0, 60).map(str), st.tuples(channels, channels, channels), max_size=60
).map(LightFrame)
supplies = st.builds(
    Supply,
    volts=st.just(5.0),
    amperes=st.floats(0.001, 5),
    lights=st.integers(0, 60),
    channel_milliamperes=st.floats(0.1, 100),
    idle_milliamperes=st.floats(0, 5),
)


def test_a_dark_table_takes_its_idle_current(full: Layout) -> None:
    assert milliamperes(LightFrame({}), full.supply) == 338


def test_one_white_light_takes_60_milliamperes_more(full: Layout) -> None:
    assert milliamperes(LightFrame({"status": WHITE}), full.supply) == 338 + 60


def test_the_current_is_proportional_to_the_channels(full: Layout) -> None:
    assert milliamperes(LightFrame({"status": (51, 0, 102)}), full.supply) == pytest.approx(338 + 4 + 8)


def test_full_white_is_dimmed_to_the_budget(full: Layout) -> None:
    white = LightFrame({light.name: WHITE for light in full.lights})
    assert milliamperes(white, full.supply) == 338 * 61
    dimmed = limit(white, full.supply)
    assert milliamperes(dimmed, full.supply) <= 10_000
    assert milliamperes(dimmed, full.supply) > 9_900  # not darker than necessary
    assert len(set(dimmed.lit.values())) == 1  # dimmed as a whole


def test_a_frame_within_the_budget_is_returned_itself(duo: Layout) -> None:
    frame = LightFrame({"status": WHITE})
    assert limit(frame, duo.supply) is frame


def test_a_frame_that_takes_exactly_the_budget_is_returned_itself() -> None:
    frame, supply = LightFrame({"status": WHITE}), Supply(5.0, 0.061, lights=1)
    assert milliamperes(frame, supply) == supply.budget
    assert limit(frame, supply) is frame


@given(frame=frames, supply=supplies)
@example(frame=LightFrame({"0": WHITE}), supply=Supply(5, 0.001, 60))
@example(frame=LightFrame({"0": (255, 0, 0)}), supply=Supply(5, 0.007557647058823528, 0, 29.2, 0.2))
def test_no_limited_frame_exceeds_the_budget(frame: LightFrame, supply: Supply) -> None:
    """With a supply that can't even feed dark lights, which no layout may have, all lights are dark."""
    limited = limit(frame, supply)
    if supply.dark > supply.budget:
        assert not any(map(any, limited.lit.values()))
    else:
        assert milliamperes(limited, supply) <= supply.budget
    assert limited.lit.keys() == frame.lit.keys()


@given(frame=frames, supply=supplies)
def test_dimming_raises_no_channel_and_keeps_their_order(frame: LightFrame, supply: Supply) -> None:
    limited = limit(frame, supply)
    pairs = [
        (before, after)
        for light, colour in frame.lit.items()
        for before, after in zip(colour, limited.colour(light), strict=True)
    ]
    assert all(0 <= after <= before for before, after in pairs)
    afters = [after for _, after in sorted(pairs)]
    assert afters == sorted(afters)


@given(frame=frames, supply=supplies)
def test_limiting_twice_is_limiting_once(frame: LightFrame, supply: Supply) -> None:
    once = limit(frame, supply)
    if supply.dark <= supply.budget:
        assert limit(once, supply) is once
