"""`azul-table play` on a Pi that is not set up yet: it says what to do, and the pages answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.fixtures import StartTable

from .fake_devices import FakeDevices, compile_library

pytestmark = pytest.mark.system


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_library(tmp_path_factory.mktemp("library"))


def test_a_fresh_pi_without_spi_has_pages_and_says_how_to_enable_it(
    library: Path, tmp_path: Path, start: StartTable
) -> None:
    """Bug fixed: without /dev/spidev0.0 rpi_ws281x crashed the daemon (SIGSEGV), at each start anew."""
    pi = FakeDevices(tmp_path / "pi", library)
    pi.remove("dev/spidev0.0")
    table = start("--layout", "duo", "--port", "0", simulate=None, surroundings=pi.surroundings)
    with table.client() as client:
        client.subscribe()
        faults = client.until(lambda snapshot: "lights" in {it["part"] for it in snapshot["faults"]})[
            "faults"
        ]
        assert {it["why"] for it in faults if it["part"] == "lights"} == {"absent"}
        client.take("seat.1.floor")
    assert table.browser.ask("/").status == 200
    (said,) = [line for line in table.err.splitlines() if line.startswith("Lost: lights")]
    assert "dtparam=spi=on" in said and "doctor" in said
    assert table.end() == 0
