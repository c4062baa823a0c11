"""Installing the firmware with the real mpremote through MicroPython's prompt, and identifying it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import serial
from click.testing import CliRunner, Result

from device.commands.cli import azul_table
from device.commands.firmware import Timeouts
from firmware_bridge import installer
from firmware_bridge.firmware import FILES, VERSION
from firmware_bridge.installer import (
    InstallError,
    copy_firmware,
    firmware_checksum,
    identify,
    source_path,
)
from firmware_bridge.link import PortError, find_bootloader, find_port
from firmware_bridge.payload import PROTOCOL
from firmware_bridge.simulator.process import PICO, PICO_2, WAIT_TIMEOUT, SimulatedPico
from hardware.diagnostics.doctor import Finding, Status
from hardware.diagnostics.probe import probe
from hardware.layout.model import read_layout
from tests.firmware_bridge.conftest import MakePico


def run(*arguments: str, timeouts: Timeouts | None = None) -> Result:
    return CliRunner().invoke(azul_table, ["firmware", *arguments], obj=timeouts)


LONG = Timeouts(WAIT_TIMEOUT, WAIT_TIMEOUT)
"""For a Pico that answers, on a busy machine."""


def test_a_fresh_pico_gets_the_firmware_and_runs_it(make_pico: MakePico) -> None:
    pico = make_pico(firmware=False)
    pico.plug()
    done = run("install", "--port", pico.port, timeouts=LONG)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines() == [
        "Raspberry Pi Pico with RP2040, MicroPython 1.27.0",
        f"{len(FILES)} files copied",
        f"Raspberry Pi Pico with RP2040: firmware {VERSION}, protocol {PROTOCOL}, no wiring yet",
    ]
    for name in FILES:
        assert (pico.flash / name).read_bytes() == source_path(name).read_bytes()


def test_a_running_firmware_is_replaced_and_an_interrupted_copy_leaves_no_main_py(
    pico: SimulatedPico,
) -> None:
    old = pico.flash / "firmware_bridge/firmware/inputs.py"
    identity = identify(pico.port, WAIT_TIMEOUT)
    assert identity.files == firmware_checksum()
    old.write_text(old.read_text() + "# old\n")
    pico.reset()
    done = run("info", "--port", pico.port, timeouts=LONG)
    assert done.exit_code == 1
    assert "this program has other files" in done.output

    def source(name: str) -> Path:
        return pico.flash / "no such file" if name.endswith("strips.py") else source_path(name)

    with pytest.raises(InstallError, match="mpremote: "):
        installer.install(pico.port, lambda _line: None, source=source)
    assert not (pico.flash / "main.py").exists()
    done = run("install", "--port", pico.port, timeouts=LONG)
    assert done.exit_code == 0, done.output
    assert identify(pico.port, WAIT_TIMEOUT).files == firmware_checksum()


def test_info_prints_the_running_firmware(make_pico: MakePico) -> None:
    pico = make_pico(board=PICO_2)
    pico.plug()
    done = run("info", "--port", pico.port, timeouts=LONG)
    assert done.exit_code == 0, done.output
    assert done.output == f"{PICO_2}: firmware {VERSION}, protocol {PROTOCOL}, no wiring yet\n"
    info = json.loads(run("info", "--json", "--port", pico.port, timeouts=LONG).output)
    assert info["same"] and info["board"] == PICO_2 and info["machines"] == 12


def test_doctor_identifies_the_firmware_of_the_pico(make_pico: MakePico) -> None:
    pico = make_pico(firmware=False)
    pico.plug()

    def found(timeout: float = WAIT_TIMEOUT) -> Finding:
        (finding,) = probe(read_layout("full"), lambda _part: True, ask=lambda: identify(pico.port, timeout))
        return finding

    none = found(1)
    assert (none.state, none.remedy) == (Status.FAULT, "azul-table firmware install")
    with serial.Serial(pico.port, exclusive=True):
        busy = found()
    assert busy.state is Status.GUESS and "is azul-table running?" in busy.remedy
    copy_firmware(pico.flash)
    pico.reset()
    fine = found()
    assert (fine.state, fine.message) == (Status.FINE, f"{PICO}: firmware {VERSION}, protocol {PROTOCOL}")
    tags = pico.flash / "firmware_bridge/firmware/inputs.py"
    tags.write_text(tags.read_text() + "# old\n")
    pico.reset()
    old = found()
    assert (old.state, old.remedy) == (Status.FAULT, "azul-table firmware install")


def test_info_without_firmware_says_how_to_install_it(make_pico: MakePico) -> None:
    pico = make_pico(firmware=False)
    pico.plug()
    done = run("info", "--port", pico.port)
    assert done.exit_code == 1
    assert done.output.strip() == (
        f"{pico.port}: no firmware of azul-table answers; `azul-table firmware install` puts it there"
    )


def test_a_firmware_that_does_not_start_is_reported(make_pico: MakePico) -> None:
    pico = make_pico(firmware=False)
    pico.plug()
    broken = pico.flash.with_name("broken.py")
    broken.write_text("raise ValueError\n")

    def source(name: str) -> Path:
        return broken if name == "main.py" else source_path(name)

    with pytest.raises(InstallError, match="does not answer; `mpremote connect"):
        installer.install(pico.port, lambda _line: None, source=source, start_timeout=0.5)


def test_a_port_in_use_and_a_missing_port_are_reported(pico: SimulatedPico, tmp_path: Path) -> None:
    with serial.Serial(pico.port, exclusive=True):
        for command in ("info", "install"):
            done = run(command, "--port", pico.port)
            assert done.exit_code == 1
            assert done.output == (
                f"{pico.port}: another program has the Pico's port; end it: "
                "`sudo systemctl stop azul-table.socket`, if it is the table\n"
            )
    none = tmp_path / "none"
    done = run("info", "--port", str(none))
    assert done.exit_code == 1
    assert done.output == f"{none}: the Pico's port is not there; plug the Pico in\n"


def plug(devices: Path, name: str, tty: str, vendor: str = "2e8a", product: str = "0005") -> None:
    """Add a USB device with a serial port, as in /sys/bus/usb/devices."""
    (devices / name / f"{name}:1.0/tty" / tty).mkdir(parents=True)
    (devices / name / "idVendor").write_text(f"{vendor}\n")
    (devices / name / "idProduct").write_text(f"{product}\n")


def test_a_missing_pico_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PortError, match="no Pico is plugged in"):
        find_port(tmp_path)
    monkeypatch.setattr("device.commands.firmware.find_port", partial(find_port, tmp_path))
    done = run("info")
    assert done.exit_code == 1 and "no Pico is plugged in" in done.output


def test_one_pico_is_found_and_several_are_listed(tmp_path: Path) -> None:
    plug(tmp_path, "1-1", "ttyUSB0", vendor="1a86")
    plug(tmp_path, "1-2", "ttyACM0")
    assert find_port(tmp_path) == "/dev/ttyACM0"
    plug(tmp_path, "1-3", "ttyACM1")
    with pytest.raises(PortError, match=r"several Picos \(/dev/ttyACM0, /dev/ttyACM1\); name the port"):
        find_port(tmp_path)


class UnpluggedPath(type(Path())):  # type: ignore[misc]
    """A path whose folder is gone as soon as its serial ports are listed."""

    def glob(self, pattern: str) -> Iterator[Path]:
        if "tty" in pattern:
            raise FileNotFoundError
        return super().glob(pattern)  # type: ignore[no-any-return]


def test_a_pico_that_is_unplugged_during_the_search_is_missing(tmp_path: Path) -> None:
    """Bug fixed: the search ended in FileNotFoundError."""
    plug(tmp_path, "1-1", "ttyACM0")
    with pytest.raises(PortError, match="no Pico is plugged in"):
        find_port(UnpluggedPath(tmp_path))


def test_a_pico_in_its_bootloader_is_recognized(tmp_path: Path) -> None:
    device = tmp_path / "1-1"
    device.mkdir()
    assert find_bootloader(tmp_path) is None
    (device / "idVendor").write_text("2e8a\n")
    assert find_bootloader(tmp_path) is None
    (device / "idProduct").write_text("000f\n")
    assert find_bootloader(tmp_path) == "Pico 2"


def test_the_list_of_files_is_complete(tmp_path: Path) -> None:
    folder = source_path("main.py").parent
    modules = {f"firmware_bridge/firmware/{path.name}" for path in folder.glob("*.py")}
    listed = {name for name in FILES if "/firmware/" in name}
    assert modules - listed == {"firmware_bridge/firmware/main.py"}
    copy_firmware(tmp_path)
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.py")} == set(FILES)
