"""The service of a Raspberry Pi: its units as systemd reads them, its files as the code wants them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from device.commands.play import command
from firmware_bridge.link import MICROPYTHON, RASPBERRY_PI
from hardware.layout.model import shipped_layouts

pytestmark = pytest.mark.system

HOUSE = Path(__file__).parents[2]
SYSTEMD = HOUSE / "systemd"
UNITS = ("azul-table.service", "azul-table.socket")
PROGRAM = "/opt/azul-table/bin/azul-table"
INSTALLED = {
    "etc/azul-table/service.conf",
    "etc/sysusers.d/azul-table.conf",
    "etc/systemd/system/azul-table.service",
    "etc/systemd/system/azul-table.socket",
    "etc/udev/rules.d/60-azul-table.rules",
}
MOST_EXPOSED = 20
"""Tenths of systemd's own measure of exposure, 100 being a service that may do everything."""

needs_analyze = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is part of systemd, which is not here"
)


def text(name: str) -> str:
    return (SYSTEMD / name).read_text("utf-8")


def values(unit: str, key: str) -> list[str]:
    """All that a unit says for a key."""
    return re.findall(rf"^{key}=(.*)$", text(unit), re.MULTILINE)


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )


def install(root: Path, *arguments: str, script: str = "install") -> None:
    subprocess.run([SYSTEMD / script, *arguments], check=True, env={**os.environ, "DESTDIR": str(root)})


def files(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


# --- As systemd reads them ---------------------------------------------------------------------------------


@needs_analyze
def test_the_units_have_no_fault(tmp_path: Path) -> None:
    """Misspelt keys, too; the program stands in for the one that is installed on the Pi."""
    for unit in UNITS:
        (tmp_path / unit).write_text(text(unit).replace(PROGRAM, "/bin/true"), "utf-8")
    said = analyze("verify", "--recursive-errors=no", *(str(tmp_path / unit) for unit in UNITS))
    ours = [line for line in said.stderr.splitlines() if "azul-table" in line]
    assert ours == []
    assert said.returncode == 0, said.stderr


@needs_analyze
def test_a_misspelt_key_would_be_found(tmp_path: Path) -> None:
    unit = tmp_path / "azul-table.socket"
    unit.write_text(text("azul-table.socket").replace("Backlog=", "Backlogg="), "utf-8")
    assert "Backlogg" in analyze("verify", "--recursive-errors=no", str(unit)).stderr


@needs_analyze
def test_the_service_is_exposed_as_little_as_it_can_be() -> None:
    said = analyze(
        "security", "--offline=true", f"--threshold={MOST_EXPOSED}", str(SYSTEMD / "azul-table.service")
    )
    assert said.returncode == 0, said.stdout[-300:]


# --- As the code wants them --------------------------------------------------------------------------------


def test_the_service_starts_play_with_options_that_it_has() -> None:
    (started,) = values("azul-table.service", "ExecStart")
    program, name, *options = started.split()
    assert (program, name) == (PROGRAM, "play")
    known = {option for parameter in command.params for option in parameter.opts}
    assert {option for option in options if option.startswith("--")} <= known
    for example in re.findall(r"--[a-z]+", text("service.conf")):
        assert example in known


def test_the_layout_of_a_fresh_service_ships() -> None:
    (layout,) = values("service.conf", "LAYOUT")
    assert layout in shipped_layouts()


def test_the_service_says_ready_and_is_watched() -> None:
    assert values("azul-table.service", "Type") == ["notify"]
    assert values("azul-table.service", "NotifyAccess") == ["main"]
    (watchdog,) = values("azul-table.service", "WatchdogSec")
    assert int(watchdog) >= 10
    assert values("azul-table.service", "Restart") == ["always"]


def test_the_service_waits_for_no_device() -> None:
    """A Pico may be plugged in later: neither a dependency nor a list of devices made at the start."""
    unit = text("azul-table.service")
    keys = re.findall(r"^(\w+)=", unit, re.MULTILINE)
    assert not {"DeviceAllow", "DevicePolicy", "PrivateDevices", "ProtectClock", "BindsTo"} & set(keys)
    assert ".device" not in unit


def test_the_port_is_the_one_that_phones_try_by_themselves() -> None:
    assert values("azul-table.socket", "ListenStream") == ["0.0.0.0:80"]
    assert values("azul-table.service", "CapabilityBoundingSet") == [""]


def test_a_port_that_another_program_has_keeps_nobody_from_playing() -> None:
    """Then the service opens the port of `play` itself, for everybody as well; it ends with its port only."""
    assert not {"Requires", "BindsTo", "Requisite"} & set(
        re.findall(r"^(\w+)=", text(UNITS[0]), re.MULTILINE)
    )
    assert values(UNITS[0], "Wants") == values(UNITS[0], "After") == values(UNITS[0], "PartOf") == [UNITS[1]]
    (started,) = values(UNITS[0], "ExecStart")
    assert "--host 0.0.0.0" in started


def test_the_user_has_the_groups_that_the_doctor_asks_for() -> None:
    source = (HOUSE / "hardware/diagnostics/doctor.py").read_text("utf-8")
    asked = set(re.findall(r'_check_(?:device|access)\([^\n]*"(\w+)"\)', source))
    assert asked >= {"gpio", "spi", "dialout"}
    (user,) = values("azul-table.service", "User")
    groups = set(re.findall(rf"^m {user} (\w+)$", text("sysusers.conf"), re.MULTILINE))
    assert asked <= groups
    assert re.search(rf'^u {user} - ".*" /var/lib/{user}$', text("sysusers.conf"), re.MULTILINE)


def test_the_pico_is_known_by_the_numbers_that_the_program_looks_for() -> None:
    rules = text("udev.rules")
    assert f'ATTRS{{idVendor}}=="{RASPBERRY_PI:04x}", ATTRS{{idProduct}}=="{MICROPYTHON:04x}"' in rules


def test_the_rule_for_pio_is_the_one_that_the_doctor_gives() -> None:
    source = (HOUSE / "hardware/diagnostics/doctor.py").read_text("utf-8")
    (rule,) = re.findall(r"rule = '(.*)'", source)
    assert rule in text("udev.rules").splitlines()


# --- Installed and taken away ------------------------------------------------------------------------------


def test_install_puts_files_where_systemd_looks(tmp_path: Path) -> None:
    install(tmp_path)
    assert files(tmp_path) == INSTALLED


def test_install_again_keeps_what_the_maker_wrote(tmp_path: Path) -> None:
    install(tmp_path)
    settings = tmp_path / "etc/azul-table/service.conf"
    settings.write_text("LAYOUT=/etc/azul-table/mine.toml\nOPTIONS=--tiles resin\n", "utf-8")
    install(tmp_path)
    assert settings.read_text("utf-8") == "LAYOUT=/etc/azul-table/mine.toml\nOPTIONS=--tiles resin\n"


def test_a_layout_can_be_named_at_any_install(tmp_path: Path) -> None:
    install(tmp_path)
    install(tmp_path, "duo")
    settings = (tmp_path / "etc/azul-table/service.conf").read_text("utf-8")
    assert re.findall(r"^LAYOUT=(.*)$", settings, re.MULTILINE) == ["duo"]


def test_uninstall_leaves_games_and_settings(tmp_path: Path) -> None:
    install(tmp_path)
    games = tmp_path / "var/lib/azul-table/games.db"
    games.parent.mkdir(parents=True)
    games.write_bytes(b"games")
    install(tmp_path, script="uninstall")
    assert files(tmp_path) == {"etc/azul-table/service.conf", "var/lib/azul-table/games.db"}
    install(tmp_path, "--everything", script="uninstall")
    assert files(tmp_path) == set()


def test_play_itself_runs_the_options_of_the_service() -> None:
    """`--help` beside them: click reads all options before it helps."""
    said = CliRunner().invoke(
        command, ["--layout", "full", "--data", "/nowhere", "--tiles", "resin", "--help"]
    )
    assert said.exit_code == 0
