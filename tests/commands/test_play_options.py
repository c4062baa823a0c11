"""Wrong options of the command `play`, checked in this process: each is reported in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from device.commands.cli import azul_table

LAYOUTS = Path(__file__).parents[2] / "hardware" / "layouts"


def play(*arguments: str) -> Result:
    """Run the command `play` with options that it refuses."""
    result = CliRunner().invoke(azul_table, ["play", *arguments])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.stdout == ""
    return result


def faults(*arguments: str) -> str:
    """Return what the command writes to standard error before it exits with status 1."""
    result = play(*arguments)
    assert result.exit_code == 1
    assert result.stderr.endswith("\n")
    return result.stderr.rstrip("\n")


def test_an_unknown_layout_is_reported_with_the_names_of_those_there_are(data: Path) -> None:
    fault = faults("--data", str(data), "--layout", "octagon", "--port", "0")
    assert "octagon" in fault
    assert "full" in fault
    assert "duo" in fault
    assert not data.exists()


@pytest.mark.parametrize(
    "layout", [".", "/dev/null", "missing/table.toml", "a\nb", "x" * 5000, "~nobody/x.toml"]
)
def test_a_layout_that_cant_be_read_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert faults("--data", "data", "--layout", layout, "--port", "0")


def test_every_fault_of_a_layout_is_reported(data: Path, tmp_path: Path) -> None:
    broken = tmp_path / "mine.toml"
    text = (LAYOUTS / "duo.toml").read_text()
    broken.write_text(text.replace("seats =", "chairs =", 1) + '\n[surprise]\nspoon = "no"\n')
    lines = faults("--data", str(data), "--layout", str(broken), "--port", "0").splitlines()
    assert lines
    assert all(line.startswith(f"{broken}: ") for line in lines)


def test_a_data_folder_that_cant_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    for folder in (tmp_path / "file" / "data", Path("/proc/azul-table")):
        fault = faults("--data", str(folder), "--port", "0")
        assert str(folder) in fault
        assert "can't be used" in fault
    assert (tmp_path / "file").read_text() == "not a folder"
    assert play("--data", str(tmp_path / "file"), "--port", "0").exit_code == 2


@pytest.mark.parametrize(
    "host",
    [
        "203.0.113.7",
        "nowhere.invalid",
        "256.1.1.1",
        "::7",
        "..",
        "a" * 64 + ".example",
        "two words",
        "[::1]",
        "küche..local",  # which Python can't encode as a host name
    ],
)
def test_a_host_that_is_not_this_machine_is_reported(data: Path, host: str) -> None:
    fault = faults("--data", str(data), "--port", "0", "--host", host)
    assert fault.startswith(f"--host {host}: can't be used: ")
    assert "(" not in fault.removeprefix(f"--host {host}")
    assert len(fault.splitlines()) == 1
    assert not data.exists()


@pytest.mark.parametrize(
    "wrong", [["--port", "70000"], ["--port", "x"], ["--port", "-1"], ["--seats", "3"], ["more"]]
)
def test_wrong_usage_has_status_2(data: Path, wrong: list[str]) -> None:
    ended = play("--data", str(data), *wrong)
    assert ended.exit_code == 2
    assert ended.stderr.startswith("Usage: azul-table play")
    assert not data.exists()


def test_a_pico_is_simulated_only_for_a_layout_that_has_one(data: Path) -> None:
    fault = faults("--data", str(data), "--layout", "duo", "--simulate", "pico", "--port", "0")
    assert fault.startswith("--simulate pico: layout 'duo' has no Pico")
    assert not data.exists()
