"""`azul-table doctor`: findings on machines that lack something, with their remedies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from device.commands import doctor as doctor_command
from device.commands.cli import azul_table
from device.commands.console import installed_layout
from hardware.diagnostics.doctor import Finding, Status, examine
from hardware.drivers.raspberry_pi import Board, BootConfig, Machine, read_boot_config
from hardware.layout.model import Chain, Drivers, Layout, Reader, simulated

from .fake_pi import CONFIG_FOR_DUO, FakePi

PI_4 = Board("Raspberry Pi 4 Model B Rev 1.4", 4)
Change = Callable[[FakePi], None]


@pytest.fixture
def pi(tmp_path: Path) -> FakePi:
    return FakePi(tmp_path)


def faults(layout: Layout, pi: FakePi) -> list[Finding]:
    return [finding for finding in examine(layout, pi.machine) if finding.state is Status.FAULT]


def the_fault(layout: Layout, pi: FakePi) -> Finding:
    """Return the only fault besides the restart."""
    found = [finding for finding in faults(layout, pi) if finding.part != "restart"]
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize("generation", [3, 4, 5])
def test_a_complete_pi_has_no_faults(duo: Layout, tmp_path: Path, generation: int) -> None:
    findings = examine(duo, FakePi(tmp_path, generation).machine)
    assert [(it.part, it.message) for it in findings if it.state is not Status.FINE] == []
    assert [it.part for it in findings] == [
        "python",
        "board",
        "libraries",
        "lights",
        "buttons",
        "reader.shared",
    ]


def edit(old: str, new: str = "") -> Change:
    return lambda pi: pi.config(old, new)


def without(path: str) -> Change:
    return lambda pi: pi.remove(path)


def denied(device: str) -> Change:
    return lambda pi: pi.denied.add(device)


def has(library: str, version: str) -> Change:
    return lambda pi: pi.versions.update({library: version})


def lacks(library: str) -> Change:
    def change(pi: FakePi) -> None:
        del pi.versions[library]

    return change


def says(path: str, text: str) -> Change:
    return lambda pi: pi.write(path, text)


THROTTLED = "sys/devices/platform/soc/soc:firmware/get_throttled"
CMDLINE = "boot/firmware/cmdline.txt"
CASES: list[tuple[str, int, Change, str, str, str]] = [
    ("spi", 4, edit("dtparam=spi=on"), "lights", "dtparam=spi=on", "tee -a /boot/firmware/config.txt"),
    ("spi off", 4, edit("spi=on", "spi=off"), "lights", "dtparam=spi=on", "echo 'dtparam=spi=on'"),
    ("speed", 4, edit("core_freq_min=500"), "lights", "core_freq_min=500", "echo"),
    ("speed of a 3", 3, edit("core_freq=250"), "lights", "core_freq=250", "echo"),
    ("selects", 4, edit("dtoverlay=spi0-0cs"), "lights", "spi0-0cs", "echo"),
    ("commented", 4, edit("dtparam=spi", "#dtparam=spi"), "lights", "dtparam=spi=on", "echo"),
    ("not started", 4, without("dev/spidev0.0"), "lights", "/dev/spidev0.0 yet", "reboot"),
    ("group spi", 4, denied("spidev0.0"), "lights", "ana may not use", "usermod -aG spi ana"),
    ("uart", 4, edit("enable_uart=1"), "reader.shared", "enable_uart=1", "echo"),
    ("uart of a 5", 5, edit("dtparam=uart0=on"), "reader.shared", "dtparam=uart0=on", "echo"),
    ("dialout", 4, denied("serial0"), "reader.shared", "/dev/serial0", "-aG dialout ana"),
    ("console", 4, says(CMDLINE, "console=serial0,115200"), "reader.shared", "console=", "do_serial_cons 1"),
    ("console ttyS0", 4, says(CMDLINE, "console=ttyS0,115200"), "reader.shared", "ttyS0", "do_serial"),
    ("spi of a 5", 5, edit("dtparam=spi=on"), "lights", "dtparam=spi=on", "echo"),
    ("group gpio", 5, denied("gpiochip0"), "buttons", "/dev/gpiochip0", "-aG gpio ana"),
    ("1-wire", 4, edit("spi=on", "spi=on\ndtoverlay=w1-gpio"), "buttons", "seat.1.line.3", "sed -i 's/^dtov"),
    (
        "console of a 5",
        5,
        says(CMDLINE, "console=ttyAMA0,115200"),
        "reader.shared",
        "console=ttyAMA0",
        "do_s",
    ),
    ("library", 4, lacks("gpiozero"), "libraries", "gpiozero is missing", "pip install"),
    ("old library", 4, has("lgpio", "0.0.0.2"), "libraries", "0.0.0.2 does not fit", "'lgpio>=0.2.2,<0.3'"),
    ("voltage", 4, says(THROTTLED, "50005"), "power", "4.63 V", "supply"),
    ("heat", 5, says(THROTTLED, "80008"), "heat", "too hot", "fan"),
]


@pytest.mark.parametrize(
    ("generation", "change", "part", "message", "remedy"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_a_fault_has_its_part_and_its_remedy(
    duo: Layout, tmp_path: Path, generation: int, change: Change, part: str, message: str, remedy: str
) -> None:
    pi = FakePi(tmp_path, generation)
    change(pi)
    fault = the_fault(duo, pi)
    assert fault.part == part
    assert message in fault.message
    assert remedy in fault.remedy


def test_a_new_pi_gets_all_faults_in_the_order_to_fix(duo: Layout, pi: FakePi) -> None:
    pi.write("boot/firmware/config.txt", "# as it comes\ndtparam=audio=on\n[pi5]\ndtparam=spi=on\n")
    for device in ("dev/spidev0.0", "dev/serial0"):
        pi.remove(device)
    pi.versions.clear()
    pi.denied.add("gpiochip0")
    found = faults(duo, pi)
    assert [fault.part for fault in found] == [
        *["libraries"] * 2,
        *["lights"] * 4,
        "buttons",
        "reader.shared",
        "restart",
    ]
    assert [fault.remedy.split("'")[1] for fault in found[2:6]] == CONFIG_FOR_DUO[4][:4]
    assert found[-1].remedy == "sudo reboot"


def test_the_console_of_a_pi_5_has_its_own_connector_by_default(duo: Layout, tmp_path: Path) -> None:
    """Its cmdline.txt names serial0, as that of any Pi, but that is not the port of the reader."""
    pi = FakePi(tmp_path, 5)
    pi.write(CMDLINE, "console=serial0,115200 console=tty1 root=PARTUUID=1-02")
    assert faults(duo, pi) == []
    pi.config("dtparam=uart0=on", "dtparam=uart0=on\ndtparam=uart0_console")
    assert "console=serial0" in the_fault(duo, pi).message


def test_a_user_who_has_joined_the_group_must_log_in_again(duo: Layout, pi: FakePi) -> None:
    pi.user = "pi"
    pi.denied.add("spidev0.0")
    assert the_fault(duo, pi).remedy == "log out and in again"


def test_config_txt_is_found_in_the_folder_of_older_systems(duo: Layout, pi: FakePi) -> None:
    (pi.root / "boot/firmware/config.txt").rename(pi.root / "boot/config.txt")
    (pi.root / "boot/firmware/cmdline.txt").rename(pi.root / "boot/cmdline.txt")
    assert faults(duo, pi) == []
    (pi.root / "boot/config.txt").write_text("\n".join(CONFIG_FOR_DUO[4][1:]))
    assert "tee -a /boot/config.txt" in the_fault(duo, pi).remedy


def test_many_lights_need_a_larger_buffer(duo: Layout, pi: FakePi) -> None:
    long = replace(duo, chains=(Chain("lights", 10, 338),))
    fault = the_fault(long, pi)
    assert "338 lights" in fault.message
    assert "spidev.bufsiz=32768" in fault.remedy and "/boot/firmware/cmdline.txt" in fault.remedy
    pi.write("boot/firmware/cmdline.txt", "root=PARTUUID=1-02 spidev.bufsiz=32768\n")
    assert faults(long, pi) == []


@pytest.mark.parametrize(("lights", "fault"), [(322, False), (323, True)])
def test_the_usual_spi_buffer_is_enough_for_322_lights(
    duo: Layout,
    pi: FakePi,
    lights: int,
    fault: bool,  # noqa: FBT001
) -> None:
    """A light takes 12 of 4096 bytes, the two pauses 226."""
    assert bool(faults(replace(duo, chains=(Chain("lights", 10, lights),)), pi)) is fault


def test_chip_selects_are_free_for_simulated_buttons(duo: Layout, pi: FakePi) -> None:
    pi.config("dtoverlay=spi0-0cs", "")
    assert "spi0-0cs" in the_fault(duo, pi).message
    assert faults(replace(duo, drivers=replace(duo.drivers, buttons="simulated")), pi) == []


def test_the_gpio_chip_of_older_kernels_of_a_pi_5_is_found(duo: Layout, tmp_path: Path) -> None:
    pi = FakePi(tmp_path, 5)
    pi.remove("dev/gpiochip0")
    assert "/dev/gpiochip0" in the_fault(duo, pi).message
    pi.write("dev/gpiochip4", "")
    assert faults(duo, pi) == []
    pi.denied.add("gpiochip4")
    assert "/dev/gpiochip4" in the_fault(duo, pi).message


def test_lights_by_pio_need_its_device(duo: Layout, tmp_path: Path) -> None:
    pi = FakePi(tmp_path, 5)
    by_pio = replace(duo, drivers=replace(duo.drivers, lights="pio"))
    assert faults(by_pio, pi) == []
    pi.denied.add("pio0")
    assert 'SUBSYSTEM=="*-pio"' in the_fault(by_pio, pi).remedy
    pi.remove("dev/pio0")
    fault = the_fault(by_pio, pi)
    assert "/dev/pio0" in fault.message and "full-upgrade" in fault.remedy


def test_lights_by_pwm_need_root_and_no_audio(duo: Layout, pi: FakePi) -> None:
    by_pwm = replace(duo, chains=(Chain("lights", 18, 174),), drivers=replace(duo.drivers, lights="pwm"))
    text = {fault.message for fault in faults(by_pwm, pi)}
    assert any("audio" in it for it in text)
    assert any("only root may send to lights by PWM" in it for it in text)
    pi.is_root = True
    pi.config("dtparam=spi=on", "dtparam=audio=off")
    assert faults(by_pwm, pi) == []


@pytest.mark.parametrize(
    ("generation", "driver", "pin", "text"),
    [
        (5, "pwm", 18, "sends to lights by SPI or PIO"),
        (4, "pio", 10, "has no PIO"),
        (4, "neopixel", 5, "can't send to lights from GPIO5"),
    ],
)
def test_lights_that_this_board_can_not_send_to_are_a_fault(
    duo: Layout, tmp_path: Path, generation: int, driver: str, pin: int, text: str
) -> None:
    drivers = Drivers(driver, "gpio", "rdm6300")  # type: ignore[arg-type]
    wrong = replace(duo, chains=(Chain("lights", pin, 174),), drivers=drivers)
    fault = the_fault(wrong, FakePi(tmp_path, generation))
    assert fault.part == "lights"
    assert text in fault.message
    assert fault.remedy


def test_a_reader_on_a_missing_port_is_a_fault(duo: Layout, pi: FakePi) -> None:
    usb = replace(duo, readers=(Reader("shared", "/dev/ttyUSB0"),))
    assert "there is no /dev/ttyUSB0" in the_fault(usb, pi).message
    pi.write("dev/ttyUSB0", "")
    assert faults(usb, pi) == []


def test_a_reader_at_a_pin_without_a_serial_port_is_a_fault(duo: Layout, tmp_path: Path) -> None:
    fault = the_fault(replace(duo, readers=(Reader("shared", 5),)), FakePi(tmp_path, 3))
    assert "no serial port at GPIO5" in fault.message and "GPIO15" in fault.remedy


def test_another_serial_port_needs_its_overlay_and_a_restart(duo: Layout, pi: FakePi) -> None:
    second = replace(duo, readers=(Reader("shared", 13),))
    assert "dtoverlay=uart5" in the_fault(second, pi).remedy
    pi.config("enable_uart=1", "dtoverlay=uart5")
    assert the_fault(second, pi).remedy == "sudo reboot"
    pi.tty("ttyAMA5", "fe201a00.serial")
    pi.write("dev/ttyAMA5", "")
    assert faults(second, pi) == []


def test_a_machine_that_is_not_a_pi_is_a_fault(duo: Layout, pi: FakePi) -> None:
    pi.remove("proc/device-tree/model")
    fault = the_fault(duo, pi)
    assert fault.part == "board" and "lights, buttons and readers" in fault.message


@pytest.mark.parametrize(
    ("python", "bits", "text"), [((3, 9), 64, "Python 3.9 is too old"), ((3, 11), 32, "32-bit")]
)
def test_an_old_python_and_a_32_bit_system_are_faults(
    full: Layout, pi: FakePi, python: tuple[int, int], bits: int, text: str
) -> None:
    machine = replace(pi.machine, python=python, bits=bits)
    first = examine(simulated(full), machine)[0]
    assert first.state is Status.FAULT and text in first.message


def test_the_simulated_table_needs_nothing(full: Layout, duo: Layout, pi: FakePi) -> None:
    pi.remove("proc/device-tree/model")
    for layout in (full, duo):
        assert {finding.state for finding in examine(simulated(layout), pi.machine)} == {Status.FINE}


# --- Pico ---


def test_a_pico_needs_access_to_its_port(full: Layout, pi: FakePi) -> None:
    pi.plug_pico()
    assert faults(full, pi) == []
    pi.denied.add("ttyACM0")
    assert "usermod -aG dialout ana" in the_fault(full, pi).remedy


def test_a_missing_pico_is_a_fault(full: Layout, pi: FakePi) -> None:
    assert "USB cable" in the_fault(full, pi).remedy


def test_a_pico_in_its_bootloader_needs_micropython(full: Layout, pi: FakePi) -> None:
    pi.plug_pico(port=None, product="0003")
    fault = the_fault(full, pi)
    assert "no MicroPython" in fault.message and "copy" in fault.remedy


def test_two_picos_are_a_fault(full: Layout, pi: FakePi) -> None:
    pi.plug_pico()
    pi.write("sys/bus/usb/devices/1-2/idVendor", "2e8a\n")
    pi.write("sys/bus/usb/devices/1-2/idProduct", "0005\n")
    (pi.root / "sys/bus/usb/devices/1-2/1-2:1.0/tty/ttyACM1").mkdir(parents=True)
    assert "ttyACM0, ttyACM1" in the_fault(full, pi).message


# --- config.txt ---


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("dtparam=spi=on", "dtparam=spi=on", True),
        ("dtparam=spi", "dtparam=spi=on", True),
        ("dtparam=i2c_arm=on,spi=on", "dtparam=spi=on", True),
        ("dtparam=spi=1", "dtparam=spi=on", True),
        ("dtparam=spi=yes", "dtparam=spi=on", True),
        ("device_tree_param=spi=true", "dtparam=spi=on", True),
        ("dtparam=spi=0", "dtparam=spi=on", False),
        ("dtparam=spi2=on", "dtparam=spi=on", False),
        ("dtparam=spi=on\ndtparam=spi=off", "dtparam=spi=on", False),
        ("  dtparam = spi=on  # for the lights", "dtparam=spi=on", True),
        ("[pi4]\ndtparam=spi=on", "dtparam=spi=on", True),
        ("[cm4]\ndtparam=spi=on", "dtparam=spi=on", False),
        ("[pi5]\ndtparam=spi=on\n[all]\n", "dtparam=spi=on", False),
        ("[pi5]\n[all]\ndtparam=spi=on", "dtparam=spi=on", True),
        ("dtoverlay=uart3,ctsrts", "dtoverlay=uart3", True),
        ("dtoverlay=uart", "dtoverlay=uart3", False),
        ("core_freq=400\ncore_freq=500", "core_freq=500", True),
        ("", "enable_uart=1", False),
        ("\xff\0 no text = at all", "enable_uart=1", False),
    ],
)
def test_lines_of_config_txt(tmp_path: Path, text: str, line: str, says: bool) -> None:  # noqa: FBT001
    (tmp_path / "boot/firmware").mkdir(parents=True)
    (tmp_path / "boot/firmware/config.txt").write_text(text, "latin-1")
    assert read_boot_config(tmp_path, PI_4).has(line) is says


@pytest.mark.parametrize(
    ("model", "generation", "sections"),
    [
        ("Raspberry Pi 400 Rev 1.0", 4, {"pi4", "pi400"}),
        ("Raspberry Pi Compute Module 4 Rev 1.0", 4, {"pi4", "cm4"}),
        ("Raspberry Pi 500 Rev 1.0", 5, {"pi5", "pi500"}),
        ("Raspberry Pi Zero 2 W Rev 1.0", 3, {"pi0", "pi02"}),
        ("Raspberry Pi Zero W Rev 1.1", 1, {"pi0", "pi0w"}),
    ],
)
def test_sections_of_config_txt_that_apply_to_a_board(
    tmp_path: Path, model: str, generation: int, sections: set[str]
) -> None:
    every = ("pi1", "pi2", "pi3", "pi4", "pi400", "cm4", "pi5", "pi500", "cm5", "pi0", "pi0w", "pi02", "none")
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/config.txt").write_text("".join(f"[{name}]\n{name}=1\n" for name in every))
    said: BootConfig = read_boot_config(tmp_path, Board(model, generation))
    assert {name for name in every if said.has(f"{name}=1")} == sections


# --- Command ---


def doctor(
    *arguments: str, pi: FakePi, monkeypatch: pytest.MonkeyPatch, core: str = "the bots' core is compiled"
) -> tuple[int, str]:
    monkeypatch.setattr("device.bots.compiled_core.description", lambda: core)
    result = CliRunner().invoke(azul_table, ["doctor", *arguments], obj=pi.machine)
    return result.exit_code, result.output


def test_the_command_prints_faults_with_remedies(pi: FakePi, monkeypatch: pytest.MonkeyPatch) -> None:
    pi.remove("dev/spidev0.0")
    status, text = doctor("--layout", "duo", pi=pi, monkeypatch=monkeypatch)
    assert status == 1
    assert (
        "FAULT  lights: there is no /dev/spidev0.0 yet, although it is enabled\n       fix: sudo reboot"
        in text
    )
    assert text.splitlines()[-1].startswith("1 fault. Fix")


def test_the_layout_of_the_service_is_the_default(
    pi: FakePi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    service = tmp_path / "service.conf"
    assert installed_layout(service) == "full"
    service.write_text("# The layout\nLAYOUT=duo\nOPTIONS=\n")
    assert installed_layout(service) == "duo"
    (option,) = (each for each in doctor_command.command.params if each.name == "layout")
    assert option.default is installed_layout
    examined = json.loads(doctor("--json", "--layout", "indicators", pi=pi, monkeypatch=monkeypatch)[1])
    assert examined["layout"] == "indicators"


def test_the_command_prints_json(pi: FakePi, monkeypatch: pytest.MonkeyPatch) -> None:
    status, text = doctor("--layout", "full", "--json", pi=pi, monkeypatch=monkeypatch)
    found = json.loads(text)
    assert (status, found["layout"], found["faults"]) == (1, "full", 1)
    assert [finding["state"] for finding in found["findings"]] == ["fine", "fault", "fine"]
    assert set(found["findings"][1]) == {"part", "state", "told", "mend"}


@pytest.mark.parametrize("layout", ["full", "duo"])
def test_the_command_finds_no_fault_with_the_simulated_table(
    layout: str, pi: FakePi, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi.remove("proc/device-tree/model")
    status, text = doctor("--layout", layout, "--simulate", "table", pi=pi, monkeypatch=monkeypatch)
    assert status == 0
    assert "No fault found" in text


def test_the_command_with_an_unknown_layout_is_an_error(pi: FakePi, monkeypatch: pytest.MonkeyPatch) -> None:
    status, text = doctor("--layout", "fool", pi=pi, monkeypatch=monkeypatch)
    assert status == 1 and "there is no layout" in text


@pytest.mark.parametrize(
    ("core", "line"),
    [
        ("the bots' core is compiled", "ok     core: the bots' core is compiled\n"),
        (
            "the bots' core runs uncompiled: install gcc",
            "maybe  core: the bots' core runs uncompiled\n       fix: install gcc\n",
        ),
    ],
)
def test_the_command_reports_whether_the_bots_core_is_compiled(
    core: str, line: str, pi: FakePi, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, text = doctor("--simulate", "table", pi=pi, monkeypatch=monkeypatch, core=core)
    assert line in text
    assert status == 0, "bots play all the same"


def test_a_user_without_a_name_has_its_number_as_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a container the doctor ended with a traceback."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 54_321)
    monkeypatch.setattr("os.geteuid", lambda: 54_321)
    assert Machine().user == "54321"
