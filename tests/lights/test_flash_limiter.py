"""Calm lights: a light that has flashed three times in a second stays dark until it may flash again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from device.lights.flash_limiter import HALF, MOST_FLASHES, STEP, WITHIN, FlashLimiter, limit_flashes
from hardware.api import LightFrame, Rgb

WHITE: Rgb = (255, 255, 255)
BLUE: Rgb = (0, 70, 255)


def shown(*moments: tuple[float, dict[str, Rgb]]) -> list[dict[str, Rgb]]:
    """What is shown of frames at their times."""
    past = FlashLimiter()
    seen = []
    for now, lit in moments:
        past = limit_flashes(past, LightFrame(lit), now)
        seen.append(dict(past.frame.lit))
    return seen


def blinking(light: str, colour: Rgb, times: int, every: float) -> list[tuple[float, dict[str, Rgb]]]:
    """Frames where a light goes on and off, in turn, at a steady pace."""
    return [(at * every, {light: colour} if at % 2 == 0 else {}) for at in range(2 * times)]


def test_three_flashes_a_second_are_shown_as_they_are() -> None:
    moments = blinking("a", WHITE, times=9, every=0.17)
    assert shown(*moments) == [lit for _, lit in moments]


def test_the_fourth_in_a_second_is_held_back() -> None:
    seen = shown(*blinking("a", WHITE, times=5, every=0.1))
    assert [frame.get("a", (0, 0, 0)) for frame in seen[::2]] == [WHITE, WHITE, WHITE, (0, 0, 0), (0, 0, 0)]


def test_what_is_held_back_is_shown_once_a_second_is_over() -> None:
    moments = [*blinking("a", WHITE, times=3, every=0.1), (0.6, {"a": WHITE}), (0.99, {"a": WHITE})]
    assert [frame["a"] for frame in shown(*moments, (1.0, {"a": WHITE}))[-3:]] == [
        (0, 0, 0),
        (0, 0, 0),
        WHITE,
    ]


def test_a_light_is_held_as_dark_as_it_was_in_the_hue_that_is_asked_for() -> None:
    dim: Rgb = (10, 0, 51)
    moments = [(at / 10, {"a": BLUE if at % 2 == 0 else dim}) for at in range(7)]
    assert shown(*moments)[-1] == {"a": (0, 14, 51)}


def test_each_light_is_followed_by_itself() -> None:
    moments = [(at, {**lit, "b": WHITE}) for at, lit in blinking("a", WHITE, times=5, every=0.1)]
    seen = shown(*moments)
    assert all(frame["b"] == WHITE for frame in seen)
    assert seen[8]["a"] == (0, 0, 0)
    assert shown(*moments, (1.05, {"c": WHITE}))[-1] == {"c": WHITE}


def test_slow_changes_and_small_ones_are_no_flashes() -> None:
    rising = [(at / 50, {"a": (at, at, at)}) for at in range(1, 256)]
    assert shown(*rising) == [lit for _, lit in rising]
    dim = [(at / 50, {"a": (0, 0, 20 + (STEP - 1) * (at % 2))}) for at in range(100)]
    assert shown(*dim) == [lit for _, lit in dim]


def test_flashes_that_rise_in_small_steps_are_counted() -> None:
    levels = (0, 40, 80, 120)
    film = [(at / 20, {"a": (levels[at % 4], 0, 0)}) for at in range(20)]
    peaks = [frame["a"][0] for frame in shown(*film)[3::4]]
    assert peaks == [120, 120, 120, 0, 0]


def test_the_second_of_a_slow_flash_begins_at_its_peak() -> None:
    first = [(0.0, {"a": (HALF, 0, 0)}), (0.3, {"a": WHITE}), (0.4, {})]
    others = [(0.5, {"a": WHITE}), (0.6, {}), (0.7, {"a": WHITE}), (0.8, {})]
    fourth = [(1.1, {"a": WHITE}), (1.31, {"a": WHITE})]
    assert [frame["a"] for frame in shown(*first, *others, *fourth)[-2:]] == [(0, 0, 0), WHITE]


def test_another_hue_as_bright_as_before_is_no_later_peak() -> None:
    """The second of a flash begins where it was brightest first."""
    flashes = [(0.0, {"a": WHITE}), (0.1, {}), (0.2, {"a": WHITE}), (0.3, {}), (0.4, {"a": BLUE})]
    hues = [(0.9, {"a": (255, 0, 70)}), (0.95, {"a": BLUE}), (0.96, {})]
    later = [(1.01, {"a": WHITE}), (1.1, {}), (1.21, {"a": WHITE}), (1.3, {}), (1.41, {"a": WHITE})]
    assert [frame.get("a") for frame in shown(*flashes, *hues, *later)[-5::2]] == [WHITE] * 3


def test_a_wobble_about_half_is_a_flash() -> None:
    moments: list[tuple[float, dict[str, Rgb]]] = [
        (at / 50, {"a": (HALF if at % 2 else HALF - 1, 0, 0)}) for at in range(20)
    ]
    bright = [frame["a"][0] >= HALF for frame in shown(*moments)]
    assert sum(bright) == MOST_FLASHES


def test_the_same_frame_again_changes_nothing() -> None:
    once = limit_flashes(FlashLimiter(), LightFrame({"a": WHITE}), 0.0)
    assert limit_flashes(once, LightFrame({"a": WHITE}), 0.1) is once


channels = st.integers(0, 255)
frames = st.dictionaries(st.sampled_from("abc"), st.tuples(channels, channels, channels))
films = st.lists(st.tuples(st.floats(0, 0.4), frames), max_size=60)


@given(films)
def test_nothing_is_ever_brighter_than_asked_for(film: list[tuple[float, dict[str, Rgb]]]) -> None:
    """The current limit was kept before, and stays kept."""
    past, now = FlashLimiter(), 0.0
    for seconds, lit in film:
        now += seconds
        past = limit_flashes(past, LightFrame(lit), now)
        for light in "abc":
            wanted = LightFrame(lit).colour(light)
            assert all(
                channel <= asked for channel, asked in zip(past.frame.colour(light), wanted, strict=True)
            )


@given(films)
def test_no_film_flashes_too_often(film: list[tuple[float, dict[str, Rgb]]]) -> None:
    past, now = FlashLimiter(), 0.0
    rises: dict[str, list[float]] = {light: [] for light in "abc"}
    bright = dict.fromkeys("abc", False)
    for seconds, lit in film:
        now += seconds
        past = limit_flashes(past, LightFrame(lit), now)
        for light in "abc":
            was, bright[light] = bright[light], max(past.frame.colour(light)) >= HALF
            if bright[light] and not was:
                rises[light].append(now)
    for times in rises.values():
        for first, fourth in zip(times, times[MOST_FLASHES:], strict=False):
            assert fourth - first >= WITHIN


@given(films, frames)
def test_after_a_quiet_second_any_frame_is_shown(
    film: list[tuple[float, dict[str, Rgb]]], frame: dict[str, Rgb]
) -> None:
    past, now = FlashLimiter(), 0.0
    for seconds, lit in film:
        now += seconds
        past = limit_flashes(past, LightFrame(lit), now)
    assert limit_flashes(past, LightFrame(frame), now + WITHIN + 0.001).frame == LightFrame(frame)
