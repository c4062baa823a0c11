"""The files of the systemd service: valid for systemd, consistent with the code, and installed correctly."""

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
"""The exposure that `systemd-analyze security` computes, times 10; 100 is an unrestricted service."""

needs_analyze = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is part of systemd, which is not here"
)


def text(name: str) -> str:
    return (SYSTEMD / name).read_text("utf-8")


def values(unit: str, key: str) -> list[str]:
    """Return all values of a key in a unit."""
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


# --- Valid for systemd -----------------------------------------------------------------------------------


@needs_analyze
def test_systemd_finds_no_fault_in_the_units(tmp_path: Path) -> None:
    """Misspelt keys are faults, too. /bin/true stands for the program that is not installed here."""
    for unit in UNITS:
        (tmp_path / unit).write_text(text(unit).replace(PROGRAM, "/bin/true"), "utf-8")
    said = analyze("verify", "--recursive-errors=no", *(str(tmp_path / unit) for unit in UNITS))
    ours = [line for line in said.stderr.splitlines() if "azul-table" in line]
    assert ours == []
    assert said.returncode == 0, said.stderr


@needs_analyze
def test_a_misspelt_key_is_found(tmp_path: Path) -> None:
    unit = tmp_path / "azul-table.socket"
    unit.write_text(text("azul-table.socket").replace("Backlog=", "Backlogg="), "utf-8")
    assert "Backlogg" in analyze("verify", "--recursive-errors=no", str(unit)).stderr


@needs_analyze
def test_the_exposure_of_the_service_is_low() -> None:
    said = analyze(
        "security", "--offline=true", f"--threshold={MOST_EXPOSED}", str(SYSTEMD / "azul-table.service")
    )
    assert said.returncode == 0, said.stdout[-300:]


# --- Consistent with the code ----------------------------------------------------------------------------


def test_the_service_uses_existing_options_of_play() -> None:
    (started,) = values("azul-table.service", "ExecStart")
    program, name, *options = started.split()
    assert (program, name) == (PROGRAM, "play")
    known = {option for parameter in command.params for option in parameter.opts}
    assert {option for option in options if option.startswith("--")} <= known
    for example in re.findall(r"--[a-z]+", text("service.conf")):
        assert example in known


def test_the_default_layout_of_the_service_is_a_shipped_one() -> None:
    (layout,) = values("service.conf", "LAYOUT")
    assert layout in shipped_layouts()


def test_the_service_notifies_and_has_a_watchdog() -> None:
    assert values("azul-table.service", "Type") == ["notify"]
    assert values("azul-table.service", "NotifyAccess") == ["main"]
    (watchdog,) = values("azul-table.service", "WatchdogSec")
    assert int(watchdog) >= 10
    assert values("azul-table.service", "Restart") == ["always"]


def test_the_service_does_not_depend_on_devices() -> None:
    """A Pico may be plugged in later: no dependency, and no list of devices that is made at the start."""
    unit = text("azul-table.service")
    keys = re.findall(r"^(\w+)=", unit, re.MULTILINE)
    assert not {"DeviceAllow", "DevicePolicy", "PrivateDevices", "ProtectClock", "BindsTo"} & set(keys)
    assert ".device" not in unit


def test_the_port_is_80_without_capabilities() -> None:
    assert values("azul-table.socket", "ListenStream") == ["0.0.0.0:80"]
    assert values("azul-table.service", "CapabilityBoundingSet") == [""]


def test_the_service_starts_without_its_socket_unit() -> None:
    """Port 80 may be in use: then the service opens the default port of `play` for the whole network."""
    assert not {"Requires", "BindsTo", "Requisite"} & set(
        re.findall(r"^(\w+)=", text(UNITS[0]), re.MULTILINE)
    )
    assert values(UNITS[0], "Wants") == values(UNITS[0], "After") == values(UNITS[0], "PartOf") == [UNITS[1]]
    (started,) = values(UNITS[0], "ExecStart")
    assert "--host 0.0.0.0" in started


def test_the_user_has_the_groups_that_the_doctor_asks_for() -> None:
    source = (HOUSE / "hardware/diagnostics/doctor.py").read_text("utf-8")
    asked = set(re.findall(r'_check_(?:device|access)\([^\n]*"(\w+)"\)', source))
    asked |= set(re.findall(r'"dev/[\w.]+": "(\w+)"', source))
    assert asked >= {"gpio", "spi", "dialout"}
    (user,) = values("azul-table.service", "User")
    groups = set(re.findall(rf"^m {user} (\w+)$", text("sysusers.conf"), re.MULTILINE))
    assert asked <= groups
    assert re.search(rf'^u {user} - ".*" /var/lib/{user}$', text("sysusers.conf"), re.MULTILINE)


def test_the_usb_ids_of_the_udev_rule_are_those_of_the_program() -> None:
    rules = text("udev.rules")
    assert f'ATTRS{{idVendor}}=="{RASPBERRY_PI:04x}", ATTRS{{idProduct}}=="{MICROPYTHON:04x}"' in rules


def test_the_udev_rule_for_pio_is_the_one_of_the_doctor() -> None:
    source = (HOUSE / "hardware/diagnostics/doctor.py").read_text("utf-8")
    (rule,) = re.findall(r"rule = '(.*)'", source)
    assert rule in text("udev.rules").splitlines()


# --- Installed and removed -------------------------------------------------------------------------------


def test_install_copies_all_files(tmp_path: Path) -> None:
    install(tmp_path)
    assert files(tmp_path) == INSTALLED


def test_install_keeps_existing_settings(tmp_path: Path) -> None:
    install(tmp_path)
    settings = tmp_path / "etc/azul-table/service.conf"
    settings.write_text("LAYOUT=/etc/azul-table/mine.toml\nOPTIONS=--tiles resin\n", "utf-8")
    install(tmp_path)
    assert settings.read_text("utf-8") == "LAYOUT=/etc/azul-table/mine.toml\nOPTIONS=--tiles resin\n"


def test_install_sets_the_layout(tmp_path: Path) -> None:
    install(tmp_path)
    install(tmp_path, "duo")
    settings = (tmp_path / "etc/azul-table/service.conf").read_text("utf-8")
    assert re.findall(r"^LAYOUT=(.*)$", settings, re.MULTILINE) == ["duo"]


def test_uninstall_keeps_games_and_settings_unless_told_everything(tmp_path: Path) -> None:
    install(tmp_path)
    games = tmp_path / "var/lib/azul-table/games.db"
    games.parent.mkdir(parents=True)
    games.write_bytes(b"games")
    install(tmp_path, script="uninstall")
    assert files(tmp_path) == {"etc/azul-table/service.conf", "var/lib/azul-table/games.db"}
    install(tmp_path, "--everything", script="uninstall")
    assert files(tmp_path) == set()


def test_play_accepts_the_options_of_the_service() -> None:
    """With --help: click parses all options before it prints the help."""
    said = CliRunner().invoke(
        command, ["--layout", "full", "--data", "/nowhere", "--tiles", "resin", "--help"]
    )
    assert said.exit_code == 0
