"""Installing the firmware with the real mpremote through MicroPython's prompt, and identifying it."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from subprocess import TimeoutExpired

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
from firmware_bridge.messages import Identity, frame
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


class SlowChip:
    """A Pico of a fake clock: what is on its port from which second on; it answers Hello, or writes a text.

    It takes the place of `serial.Serial`, `time.monotonic` and `time.sleep` in the installer.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *steps: tuple[float, str | Identity | None]) -> None:
        self.now = 0.0
        self._steps = steps
        self._written = 0
        monkeypatch.setattr(installer, "Serial", self._open)
        monkeypatch.setattr(installer, "monotonic", lambda: self.now)
        monkeypatch.setattr(installer, "sleep", self._pass)

    def _pass(self, seconds: float) -> None:
        self.now += seconds

    def _on_port(self) -> str | Identity | None:
        return [what for since, what in self._steps if since <= self.now][-1]

    @contextmanager
    def _open(
        self, port: str, *, timeout: float, write_timeout: float, exclusive: bool
    ) -> Iterator[SlowChip]:
        assert exclusive and timeout < write_timeout
        if self._on_port() is None:
            raise serial.SerialException(errno.ENOENT, f"could not open port {port}")
        yield self

    def write(self, data: bytes) -> None:
        self._written += len(data)

    def read(self, _most: int) -> bytes:
        self.now += installer.HELLO_INTERVAL
        match self._on_port():
            case Identity() as identity:
                return frame(identity, 0)
            case None:
                raise serial.SerialException("device reports readiness to read but returned no data")
            case str(text):
                return text.encode()


FIRMWARE = Identity(PROTOCOL, PROTOCOL, 1, 1, 0, firmware_checksum(), 8, 2, VERSION, PICO)


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are copied at once; the rest of the installation is the restart."""
    about = json.dumps([[1, 28, 0], PICO])
    monkeypatch.setattr(installer, "_mpremote", lambda *_command: about)


@pytest.mark.usefixtures("copied")
@pytest.mark.parametrize("compiling", [1.5, 20, 55])
def test_a_slow_chip_is_waited_for(monkeypatch: pytest.MonkeyPatch, compiling: float) -> None:
    """Its port goes, comes back after some seconds, and is silent while the firmware is compiled."""
    SlowChip(monkeypatch, (0, "x"), (0.1, None), (30, ""), (30 + compiling, FIRMWARE))
    assert installer.install("/dev/pico", lambda _line: None) == FIRMWARE


@pytest.mark.usefixtures("copied")
def test_a_chip_that_does_not_come_back_is_given_up_after_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    chip = SlowChip(monkeypatch, (0, None))
    with pytest.raises(InstallError, match="does not answer"):
        installer.install("/dev/pico", lambda _line: None)
    assert chip.now == pytest.approx(installer.START_TIMEOUT, abs=2)


@pytest.mark.usefixtures("copied")
def test_a_chip_that_comes_and_goes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    restarts = [(10.0 * number, "" if number % 2 else None) for number in range(100)]
    chip = SlowChip(monkeypatch, *restarts)
    with pytest.raises(InstallError, match="does not answer"):
        installer.install("/dev/pico", lambda _line: None)
    assert chip.now < 100


@pytest.mark.usefixtures("copied")
def test_a_prompt_after_the_restart_ends_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    chip = SlowChip(monkeypatch, (0, None), (2, "Traceback\r\nValueError:\r\n>>> \r\n"))
    with pytest.raises(InstallError, match="does not answer; `mpremote connect"):
        installer.install("/dev/pico", lambda _line: None)
    assert chip.now < 5


class Copying:
    """mpremote, which prints a line in each of so many minutes and then ends, or stands still."""

    returncode = 0

    def __init__(self, minutes: int, *, ends: bool) -> None:
        self.killed = False
        self._minutes, self._ends = minutes, ends
        self._output = b""

    def __enter__(self) -> Copying:
        return self

    def __exit__(self, *_exception: object) -> None:
        pass

    def communicate(self, *, timeout: float) -> tuple[bytes, bytes]:
        if self._minutes:
            self._minutes -= 1
            self._output += b"cp file\n"
        elif self._ends:
            return json.dumps([[1, 28, 0], PICO]).encode(), b""
        raise TimeoutExpired("mpremote", timeout, self._output)

    def kill(self) -> None:
        self.killed = True


def test_a_copy_may_take_as_long_as_it_makes_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installer, "Popen", lambda *_command, **_options: Copying(20, ends=True))
    assert installer.micropython("/dev/pico") == (PICO, "1.28.0")


def test_a_copy_that_stands_still_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    copying = Copying(3, ends=False)
    monkeypatch.setattr(installer, "Popen", lambda *_command, **_options: copying)
    with pytest.raises(InstallError, match="has done nothing for 60 s"):
        installer.micropython("/dev/pico")
    assert copying.killed


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
