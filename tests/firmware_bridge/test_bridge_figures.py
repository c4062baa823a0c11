"""The measurements of `azul-table bench bridge`, run briefly."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.bench import firmware
from device.bench.bridge import back_again, compare_events, frames_a_second, input_to_light, on_a_bad_line
from device.bench.figure import BenchError
from tests.harness.sampling import some
from tests.harness.waiting import DEADLINE


@pytest.mark.system
def test_the_latency_from_button_to_light_is_measured() -> None:
    figure = input_to_light(5, DEADLINE)
    assert 2 < figure.value < 1000, "the strips' wire alone takes 2 ms"
    assert figure.goal == 25


@pytest.mark.system
def test_the_frame_rate_is_measured() -> None:
    figure = frames_a_second(0.5, DEADLINE)
    assert figure.met or figure.value > 5, figure.in_words()  # other programs may have the processor


@pytest.mark.system
def test_the_reconnection_time_is_measured() -> None:
    assert back_again(1, DEADLINE).value < 5


@pytest.mark.system
def test_the_firmware_is_compared_with_that_of_another_tree() -> None:
    figures = {
        figure.name: figure.value for figure in firmware.measure((firmware.HERE, firmware.HERE), turns=1)
    }
    assert all("not a chip" in name or name.startswith(("full", "changes", "rounds")) for name in figures)
    assert all(value > 0 for value in figures.values())
    assert 0.1 < figures["full changes a second"] < 10, "the same firmware on a busy machine"


@pytest.mark.system
def test_a_folder_that_is_no_source_tree_is_reported(tmp_path: Path) -> None:
    shadow = tmp_path / "firmware_bridge"
    shadow.mkdir()
    (shadow / "__init__.py").write_text("raise ImportError('an empty tree')")
    with pytest.raises(BenchError, match=r"is no source tree of this program: (.|\n)*an empty tree"):
        firmware.run(tmp_path)


def test_a_lossy_line_loses_and_doubles_no_event() -> None:
    figures = on_a_bad_line(len(some(range(30_000))))
    assert [figure.value for figure in figures] == [0, 0, 0]
    assert "damaged" in figures[0].name


def test_lost_and_doubled_events_are_counted() -> None:
    a, b, c = (1, True), (2, True), (3, True)
    assert compare_events([a, b, c], [a, b, c]) == (0, 0)
    assert compare_events([a, b, c], [a, c]) == (1, 0)
    assert compare_events([a, b, c], [a, a, b, c]) == (0, 1)
    assert compare_events([a, b, c], [a]) == (2, 0)
