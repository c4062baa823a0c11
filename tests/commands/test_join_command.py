"""The command `azul-table join`: the code as blocks, the address, the PIN, and the sheet."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import segno
from click.testing import CliRunner, Result

from device.commands import join
from device.commands.cli import azul_table

ADDRESS = "http://192.168.1.5:8080/"


def run(data: Path, *arguments: str) -> Result:
    """Run `azul-table join` on a data folder, in this process."""
    result = CliRunner().invoke(azul_table, ["join", "--data", str(data), *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def joining(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """Let a table answer that phones join it in this way."""
    found = {"addresses": [ADDRESS, "http://table.local:8080/"], "here_only": False, "pin": "", "secret": "s"}
    monkeypatch.setattr(join, "_joining", lambda _data: {**found, **changes})


def test_the_code_the_addresses_and_the_pin_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    joining(monkeypatch, pin="483921")
    *code, scan, other, pin = run(tmp_path).stdout.splitlines()
    assert scan == f"Scan this with a phone's camera, or open {ADDRESS} on it."
    assert (other, pin) == ("Or: http://table.local:8080/", "PIN: 483921")
    assert len({len(row) for row in code}) == 1
    assert set("".join(code)) <= set("\u2588\u2580\u2584 ")


def test_the_blocks_are_the_modules_of_the_code() -> None:
    code = segno.make_qr(f"{ADDRESS}join", error="m")
    rows = join.in_blocks(code)
    light = []
    for row in rows:
        light.append([block in "\u2588\u2580" for block in row])
        light.append([block in "\u2588\u2584" for block in row])
    modules = [[not dark for dark in row] for row in code.matrix_iter(border=2)]
    assert light[: len(modules)] == modules


def test_json_has_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    joining(monkeypatch)
    assert json.loads(run(tmp_path, "--json").stdout).keys() == {"addresses", "here_only", "pin"}


def test_a_sheet_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    joining(monkeypatch, pin="483921")
    path = tmp_path / "sheet.svg"
    assert run(tmp_path, "--svg", str(path)).stdout == f"Written: {path}\n"
    text = " ".join(ET.parse(path).getroot().itertext())
    assert "192.168.1.5:8080" in text
    assert "PIN 483921" in text
    missing = run(tmp_path, "--svg", str(tmp_path / "none" / "sheet.svg"))
    assert (missing.exit_code, "can't be written" in missing.stderr) == (1, True)


def test_pages_for_this_machine_only_say_how_to_change_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    joining(monkeypatch, addresses=[], here_only=True)
    result = run(tmp_path)
    assert result.exit_code == 1
    assert "--host 0.0.0.0" in result.stderr


def test_a_machine_without_a_network_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    joining(monkeypatch, addresses=[])
    assert run(tmp_path).stderr.startswith("This machine has no address")


def test_without_a_table_the_command_says_so(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.exit_code == 1
    assert "no table runs there" in result.stderr
