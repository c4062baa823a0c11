"""`azul-table doctor`: findings on machines that lack something, with their remedies."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from device.commands import doctor as doctor_command
from device.commands.cli import azul_table
from device.commands.console import installed_layout
from hardware.diagnostics.doctor import Finding, Status, examine
from hardware.diagnostics.selftest import plan
from hardware.drivers.raspberry_pi import (
    Board,
    BootConfig,
    Machine,
    Permissions,
    permissions_of,
    read_boot_config,
)
from hardware.layout.model import Chain, Drivers, Layout, Reader, simulated

from .fake_pi import CONFIG_FOR_DUO, FakePi
from .waiting import PATIENCE

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
    assert [it for it in findings if it.state not in (Status.FINE, Status.LOOK)] == []
    assert [it.part for it in findings if it.state is Status.FINE] == [
        "user",
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
    ("1-wire", 4, edit("spi=on", "spi=on\ndtoverlay=w1-gpio"), "buttons", "seat.1.line.3", "*dtoverlay=w1-"),
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
    second = replace(duo, readers=(Reader("shared", 13),), drivers=replace(duo.drivers, buttons="simulated"))
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


# --- Who holds the pins ---

CONFIG = "boot/firmware/config.txt"


def with_line(*lines: str) -> Change:
    return lambda pi: pi.write(CONFIG, "\n".join([*CONFIG_FOR_DUO[4], *lines]) + "\n")


def test_w1_gpio_with_gpiopin_17_is_blamed_on_gpio17(duo: Layout, pi: FakePi) -> None:
    """Bug fixed: it was blamed on GPIO4, the pin of the overlay without a parameter."""
    with_line("dtoverlay=w1-gpio,gpiopin=17")(pi)
    pi.lines = {17: "onewire@11"}
    fault = the_fault(duo, pi)
    assert fault.part == "buttons"
    assert fault.message == (
        "GPIO17 (button seat.1.line.4) is taken by the line dtoverlay=w1-gpio,gpiopin=17 "
        'of /boot/firmware/config.txt (holder: "onewire@11")'
    )
    assert (
        fault.remedy == r"sudo sed -i 's/^\s*dtoverlay=w1-gpio,gpiopin=17\s*$/#&/' /boot/firmware/config.txt"
    )


@pytest.mark.parametrize(
    ("lines", "held", "pins"),
    [
        (["dtparam=i2s=on"], {}, [18, 19, 20]),
        (["dtoverlay=hifiberry-dacplus"], {}, [18, 19, 20]),
        (["dtoverlay=googlevoicehat-soundcard"], {}, [18, 19, 20]),
        (["dtoverlay=gpio-fan,gpiopin=18"], {18: "GPIO fan"}, [18]),
        (["dtoverlay=gpio-fan"], {12: "GPIO fan"}, [12]),
        (["dtoverlay=gpio-shutdown"], {3: "shutdown_button"}, [3]),
        (["dtoverlay=gpio-shutdown,gpio_pin=26"], {26: "shutdown_button"}, [26]),
        (["dtoverlay=w1-gpio"], {4: "onewire@4"}, [4]),
        (["dtoverlay=w1-gpio", "dtparam=gpiopin=22"], {22: "onewire@16"}, [22]),
        (["dtparam=i2c_arm=on"], {}, [2, 3]),
        (["dtoverlay=i2c-gpio"], {23: "sda", 24: "scl"}, [23, 24]),
        (["dtoverlay=i2c3,pins_2_3"], {}, [2, 3]),
        (["dtoverlay=gpio-poweroff"], {26: "power_ctrl"}, [26]),
        (["dtoverlay=gpio-ir"], {18: "gpio_ir_recv"}, [18]),
        (["dtoverlay=gpio-key,gpio=27"], {27: "key"}, [27]),
        (["dtoverlay=rotary-encoder"], {4: "rotary", 17: "rotary"}, [4, 17]),
        (["dtoverlay=pps-gpio"], {18: "pps-gpio"}, [18]),
        (["dtoverlay=pwm-2chan"], {}, [18, 19]),
        (["dtoverlay=pwm,pin=12,func=4"], {}, [12]),
        (["dtoverlay=spi1-1cs"], {18: "spi1 CS0"}, [18, 19, 20]),
        (["dtoverlay=uart3"], {}, [4, 5]),
        (["dtoverlay=uart3,ctsrts"], {}, [4, 5, 6, 7]),
        (["dtoverlay=dht11:gpiopin=6"], {6: "dht11@0"}, [6]),
        (["dtparam=act_led_gpio=17"], {17: "ACT"}, [17]),
        (["dtoverlay=audremap,pins_18_19"], {}, [18, 19]),
    ],
    ids=lambda it: " ".join(it) if isinstance(it, list) and isinstance(it[0], str) else "",
)
def test_the_line_that_takes_pins_of_buttons_is_named(
    duo: Layout, pi: FakePi, lines: list[str], held: dict[int, str], pins: list[int]
) -> None:
    """Bug fixed: sound by I2S, a fan and a switch for shutdown were not seen."""
    with_line(*lines)(pi)
    pi.lines = held
    fault = the_fault(duo, pi)
    assert fault.part == "buttons"
    assert all(line in fault.message for line in lines)
    named = {int(pin) for pin in re.findall(r"GPIO(\d+) \(button", fault.message)}
    assert named == set(pins)
    assert lines[0].partition("=")[2] in fault.remedy


@pytest.mark.system
@pytest.mark.parametrize(
    "lines",
    [
        ["dtoverlay=w1-gpio,gpiopin=17"],
        ["  dtoverlay=gpio-fan,gpiopin=18,temp=60000\r"],
        ["dtoverlay=w1-gpio", "dtparam=gpiopin=22"],
        ["dtoverlay=w1-gpio,gpiopin=17", "dtoverlay=w1-gpio,gpiopin=21"],
    ],
    ids=" ".join,
)
def test_the_remedy_removes_the_line_and_no_other(duo: Layout, pi: FakePi, lines: list[str]) -> None:
    with_line(*lines)(pi)
    before = (pi.root / CONFIG).read_text().splitlines()
    command = the_fault(duo, pi).remedy.removeprefix("sudo ").replace("/boot/", f"{pi.root}/boot/")
    subprocess.run(command, shell=True, check=True, timeout=PATIENCE)
    assert faults(duo, pi) == []
    after = (pi.root / CONFIG).read_text().splitlines()
    changed = [now for now, then in zip(after, before, strict=True) if now != then]
    assert changed == [f"#{lines[0].rstrip()}"]


def test_many_pins_of_one_line_are_not_all_named(duo: Layout, pi: FakePi) -> None:
    with_line("dtoverlay=hd44780-lcd")(pi)
    assert "and 1 more" in the_fault(duo, pi).message


@pytest.mark.parametrize("line", ["dtoverlay=uart4", "dtoverlay=uart2"])
def test_a_pi_5_has_its_own_pins_for_some_overlays(duo: Layout, tmp_path: Path, line: str) -> None:
    pi = FakePi(tmp_path, 5)
    pi.config("dtparam=uart0=on", f"dtparam=uart0=on\n{line}")
    assert re.findall(r"GPIO(\d+)", the_fault(duo, pi).message) == (
        ["12", "13"] if line.endswith("4") else ["4", "5"]
    )


def test_an_spi_screen_has_the_bus_of_the_lights(duo: Layout, pi: FakePi) -> None:
    """Bug fixed: only that /dev/spidev0.0 is missing was seen, and a restart was the remedy."""
    with_line("dtoverlay=piscreen,speed=24000000")(pi)
    pi.remove("dev/spidev0.0")
    pi.spi_device("spi0.0", "fb_ili9486")
    pi.spi_device("spi0.1", "ads7846")
    pi.lines = {24: "dc", 25: "reset", 22: "led", 17: "pendown", 8: "spi0 CS0", 7: "spi0 CS1"}
    fault = the_fault(duo, pi)
    assert fault.part == "lights"
    assert "dtoverlay=piscreen,speed=24000000" in fault.message
    assert "GPIO10 (lights)" in fault.message and "fb_ili9486" not in fault.remedy


def test_a_driver_on_the_lights_bus_is_named_without_a_line(duo: Layout, pi: FakePi) -> None:
    """A board on the header (HAT) brings its overlay itself."""
    pi.remove("dev/spidev0.0")
    pi.spi_device("spi0.0", "fb_ili9341")
    pi.spi_device("spi0.1", "ads7846")
    fault = the_fault(duo, pi)
    assert fault.part == "lights"
    assert "fb_ili9341 (spi0.0) and ads7846 (spi0.1)" in fault.message and "dtoverlay -l" in fault.remedy


def test_spidev_on_the_bus_is_no_fault(duo: Layout, pi: FakePi) -> None:
    pi.spi_device("spi0.0", "spidev")
    pi.spi_device("spi0.1", "spidev")
    assert faults(duo, pi) == []


def test_a_line_held_by_another_program_is_a_fault_that_names_it(duo: Layout, pi: FakePi) -> None:
    pi.lines = {22: "my-script", 5: "my-script", 16: "lg"}
    first, second = faults(duo, pi)
    assert first.message == (
        'GPIO5 (button seat.2.line.1), GPIO22 (button seat.1.floor) are held by "my-script"'
    )
    assert "end that program" in first.remedy and "dtoverlay -l" in first.remedy
    assert second.message == 'GPIO16 (button undo) is held by "lg"'
    assert "lgpio or gpiozero" in second.remedy


def test_lines_of_the_running_table_are_no_fault(duo: Layout, pi: FakePi) -> None:
    pi.install_service()
    pi.run_service()
    pi.lines = {it.switch: "lg" for it in duo.buttons if isinstance(it.switch, int)}
    findings = examine(duo, pi.machine)
    assert {it.state for it in findings} == {Status.FINE, Status.LOOK}
    texts = {it.part: it.message for it in findings}
    assert "used by the running table" in texts["buttons"]
    assert "is running: its wires are not probed" in texts["table"]
    pi.lines[21] = pi.lines[17] = "onewire@11"
    assert 'GPIO17 (button seat.1.line.4) is held by "onewire@11"' in the_fault(duo, pi).message


def test_a_board_on_the_header_is_named_with_the_pins_that_it_holds(duo: Layout, pi: FakePi) -> None:
    pi.write("proc/device-tree/hat/product", "Fan SHIM\0")
    pi.lines = {18: "fan"}
    assert 'the board "Fan SHIM"' in the_fault(duo, pi).remedy


def test_a_function_of_a_pin_is_found_where_root_may_look(duo: Layout, pi: FakePi) -> None:
    """The kernel of a Pi does not count a pin with another function as used."""
    folder = "sys/kernel/debug/pinctrl/fe200000.gpio-pinctrl-bcm2711"
    lines = [
        "Pinmux settings per pin",
        "Format: pin (name): mux_owner gpio_owner hog?",
        "pin 2 (gpio2): fe804000.i2c (GPIO UNCLAIMED) function alt0 group gpio2",
        "pin 3 (gpio3): (MUX UNCLAIMED) (GPIO UNCLAIMED)",
        "pin 4 (gpio4): UNCLAIMED",
        "pin 10 (gpio10): fe204000.spi (GPIO UNCLAIMED) function alt0 group gpio10",
        "pin 15 (gpio15): fe215040.serial (GPIO UNCLAIMED) function alt5 group gpio15",
        "pin 17 (gpio17): (MUX UNCLAIMED) pinctrl-bcm2711:529",
        "pin 18 (gpio18): device fe203000.i2s function alt0 group gpio18",
        "pin 22 (gpio22): GPIO pinctrl-bcm2711:534",
    ]
    pi.write(f"{folder}/pinmux-pins", "\n".join(lines))
    assert the_fault(duo, pi).message == (
        'GPIO18 (button display.1) is held by "fe203000.i2s", '
        'GPIO2 (button seat.1.line.1) is held by "fe804000.i2c"'
    )


def test_without_a_line_in_the_kernel_the_overlay_clashes_after_the_next_restart(
    duo: Layout, pi: FakePi
) -> None:
    with_line("dtoverlay=w1-gpio,gpiopin=17")(pi)
    assert "will be taken after the next restart by the line" in the_fault(duo, pi).message


def test_a_kernel_that_can_not_be_asked_is_said(duo: Layout, pi: FakePi) -> None:
    pi.lines = None
    with_line("dtoverlay=w1-gpio,gpiopin=17")(pi)
    assert the_fault(duo, pi).message.startswith("GPIO17 (button seat.1.line.4) is taken by the line")
    (guess,) = (it for it in examine(duo, pi.machine) if it.state is Status.GUESS)
    assert guess.part == "pins" and guess.remedy == "sudo azul-table doctor"
    del pi.versions["gpiod"]
    (guess,) = (it for it in examine(duo, pi.machine) if it.state is Status.GUESS)
    assert "gpiod is missing" in guess.message and "pip install 'gpiod>=2.2.2,<3'" in guess.remedy


@pytest.mark.parametrize(
    "lines",
    [
        ["dtoverlay=w1-gpio,gpiopin=21"],
        ["dtoverlay=vc4-kms-v3d", "dtparam=audio=on"],
        ["dtoverlay=disable-bt"],
        ["dtoverlay=a-board-of-my-own,gpio=17"],
        ["dtparam=i2s=on", "dtparam=i2s=off"],
        ["[pi5]", "dtparam=i2s=on"],
        ["#dtparam=i2s=on"],
        ["dtoverlay=w1-gpio,gpiopin=21", "dtoverlay=", "dtparam=gpiopin=17"],
    ],
    ids=" ".join,
)
def test_lines_that_take_no_pin_of_the_layout_are_no_fault(duo: Layout, pi: FakePi, lines: list[str]) -> None:
    with_line(*lines)(pi)
    assert faults(duo, pi) == []


def test_one_of_several_parameters_is_taken_out_of_its_line(duo: Layout, pi: FakePi) -> None:
    """A comment would switch the SPI of the lights off."""
    pi.config("dtparam=spi=on", "dtparam=i2c_arm=on,spi=on")
    assert the_fault(duo, pi).remedy.startswith("take i2c_arm=on out of that line")


@pytest.mark.parametrize("spi", ["dtparam=spi=on", "dtoverlay=spi0-2cs"])
def test_buttons_on_the_spi_bus_clash_if_lights_do_not_use_it(duo: Layout, pi: FakePi, spi: str) -> None:
    pi.write(CONFIG, f"{spi}\nenable_uart=1\n")
    layout = replace(duo, drivers=replace(duo.drivers, lights="simulated"))
    fault = the_fault(layout, pi)
    assert f"the line {spi} " in fault.message
    assert "GPIO7 (button centre)" in fault.message and "GPIO8 (button display.5)" in fault.message


def test_lights_in_another_way_may_take_their_pin_from_the_spi_bus(duo: Layout, tmp_path: Path) -> None:
    pi = FakePi(tmp_path, 5)
    pi.write(CONFIG, "dtparam=uart0=on\ndtparam=spi=on\ndtoverlay=spi0-0cs\n")
    by_pio = replace(duo, drivers=replace(duo.drivers, lights="pio"))
    assert faults(by_pio, pi) == []
    pi.config("dtoverlay=spi0-0cs", "")
    assert "GPIO7 (button centre), GPIO8 (button display.5)" in the_fault(by_pio, pi).message


def test_freed_chip_selects_need_a_restart(duo: Layout, pi: FakePi) -> None:
    pi.lines = {7: "spi0 CS1", 8: "spi0 CS0"}
    fault = the_fault(duo, pi)
    assert fault.message == (
        'GPIO8 (button display.5) is held by "spi0 CS0", '
        'GPIO7 (button centre) is held by "spi0 CS1" until the next restart'
    )
    assert fault.remedy == "sudo reboot"
    pi.config("dtoverlay=spi0-0cs", "")
    assert "does not have the line dtoverlay=spi0-0cs" in the_fault(duo, pi).message


def test_pins_of_the_lights_and_of_a_reader_are_checked(duo: Layout, pi: FakePi) -> None:
    pi.write(CONFIG, "enable_uart=1\ndtparam=audio=off\ndtoverlay=gpio-ir,gpio_pin=12\n")
    pi.is_root = True
    simulated_buttons = replace(duo.drivers, lights="pwm", buttons="simulated")
    by_pwm = replace(duo, chains=(Chain("lights", 12, 174),), drivers=simulated_buttons)
    pi.lines = {12: "gpio_ir_recv", 14: "my-script"}
    first, second = (it for it in faults(by_pwm, pi) if it.part != "restart")
    assert first.part == "lights" and "dtoverlay=gpio-ir,gpio_pin=12" in first.message
    assert second.part == "reader.shared" and "GPIO14 (reader shared)" in second.message


# --- For whom it checks ---


def test_the_service_is_checked_and_not_the_caller(duo: Layout, pi: FakePi) -> None:
    pi.install_service()
    pi.is_root, pi.user = True, "root"
    findings = examine(duo, pi.machine)
    assert findings[0].message == "checked for azul-table, the user of the installed service"
    assert {it.state for it in findings} == {Status.FINE, Status.LOOK}


def test_without_a_service_the_caller_is_checked(duo: Layout, pi: FakePi) -> None:
    assert "checked for ana" in examine(duo, pi.machine)[0].message
    pi.is_root, pi.user = True, "root"
    assert "root, who may use every device" in examine(duo, pi.machine)[0].message


@pytest.mark.parametrize("is_root", [False, True])
def test_a_services_user_without_the_group_is_a_fault_even_for_root(
    duo: Layout,
    pi: FakePi,
    is_root: bool,  # noqa: FBT001
) -> None:
    """Bug fixed: root may use every device, so that `sudo azul-table doctor` found nothing."""
    pi.install_service("spi")
    pi.is_root = is_root
    fault = the_fault(duo, pi)
    assert fault.message == "user azul-table may not use /dev/spidev0.0"
    assert fault.remedy == "sudo usermod -aG spi azul-table && sudo systemctl restart azul-table"


def test_a_group_that_the_unit_adds_counts(duo: Layout, pi: FakePi) -> None:
    pi.install_service("spi")
    pi.write("etc/systemd/system/azul-table.service.d/spi.conf", "[Service]\nSupplementaryGroups=spi audio\n")
    assert faults(duo, pi) == []
    pi.write("etc/systemd/system/azul-table.service.d/zero.conf", "[Service]\nSupplementaryGroups=\n")
    assert "/dev/spidev0.0" in the_fault(duo, pi).message


def test_a_device_of_another_group_needs_the_device_rules(duo: Layout, pi: FakePi) -> None:
    pi.install_service()
    pi.permissions["gpiochip0"] = Permissions(0o600, 0, 0)
    fault = the_fault(duo, pi)
    assert "does not belong to the group gpio" in fault.message and "udevadm trigger" in fault.remedy


def test_a_service_without_its_user_is_a_fault(duo: Layout, pi: FakePi) -> None:
    pi.install_service()
    pi.write("etc/passwd", "root:x:0:0::/root:/bin/sh\n")
    fault = the_fault(duo, pi)
    assert fault.part == "user" and fault.remedy == "sudo systemd-sysusers"


@pytest.mark.parametrize(
    ("mode", "owner", "group", "allowed"),
    [
        (0o660, 0, 997, True),
        (0o640, 0, 997, False),
        (0o660, 0, 0, False),
        (0o666, 0, 0, True),
        (0o600, 998, 0, True),
        (0o066, 998, 997, False),
        (0o606, 0, 997, False),
    ],
)
def test_permissions_of_a_device(mode: int, owner: int, group: int, allowed: bool) -> None:  # noqa: FBT001
    assert Permissions(mode, owner, group).allow(998, frozenset({997, 996})) is allowed


def test_permissions_are_read_from_the_file(tmp_path: Path) -> None:
    device = tmp_path / "device"
    device.touch(mode=0o600)
    found = permissions_of(device)
    assert found.mode == 0o600 and found.allow(os.getuid(), frozenset())
    assert not found.allow(os.getuid() + 1, frozenset())


def by_pwm(duo: Layout, pi: FakePi) -> Layout:
    pi.write(CONFIG, "enable_uart=1\ndtparam=audio=off\n")
    buttons = tuple(it for it in duo.buttons if it.switch != 18)
    chain = (Chain("lights", 18, 174),)
    return replace(duo, chains=chain, buttons=buttons, drivers=replace(duo.drivers, lights="pwm"))


def test_sudo_doctor_does_not_call_pwm_fine_for_the_service(duo: Layout, pi: FakePi) -> None:
    """Bug fixed: the caller was root, and the service, which has no capabilities, never can."""
    pi.is_root = True
    layout = by_pwm(duo, pi)
    assert faults(layout, pi) == []
    pi.install_service()
    fault = the_fault(layout, pi)
    assert "the service can never send from GPIO18" in fault.message
    assert "GPIO10" in fault.remedy and "as root" not in fault.remedy


@pytest.mark.parametrize(
    ("drop_in", "able"),
    [("User=root\nCapabilityBoundingSet=~", True), ("User=root", False), ("CapabilityBoundingSet=~", False)],
)
def test_a_drop_in_may_let_the_service_send_by_pwm(
    duo: Layout,
    pi: FakePi,
    drop_in: str,
    able: bool,  # noqa: FBT001
) -> None:
    layout = by_pwm(duo, pi)
    pi.install_service()
    pi.write("etc/systemd/system/azul-table.service.d/root.conf", f"[Service]\n{drop_in}\n")
    assert (faults(layout, pi) == []) is able


# --- The board ---


def test_the_board_is_named_with_its_memory_and_revision(duo: Layout, pi: FakePi) -> None:
    (board,) = (it for it in examine(duo, pi.machine) if it.part == "board")
    assert board.message == "Raspberry Pi 4 Model B Rev 1.4, 4 GB, revision code c03114"


def test_a_header_of_26_pins_lacks_pins(duo: Layout, pi: FakePi) -> None:
    pi.write("proc/device-tree/model", "Raspberry Pi Model B Rev 2\0")
    pi.code(0x000E)
    texts = [it.message for it in faults(duo, pi)]
    assert any("does not have GPIO27" in it or "does not have GPIO5 " in it for it in texts), texts


def test_an_old_board_gets_no_advice_that_it_can_not_follow(duo: Layout, pi: FakePi) -> None:
    pi.write("proc/device-tree/model", "Raspberry Pi Zero W Rev 1.1\0")
    pi.code(0x9000C1)
    machine = replace(pi.machine, bits=32, processor="armv6l")
    fault = next(it for it in examine(duo, machine) if it.part == "python")
    assert "32-bit" in fault.message and "Zero 2 W, 3, 4 or 5" in fault.remedy


# --- What only a look can tell ---


def test_parts_that_only_a_look_can_find_name_their_step_of_the_self_test(duo: Layout, pi: FakePi) -> None:
    looks = {it.part: it for it in examine(duo, pi.machine) if it.state is Status.LOOK}
    assert looks.keys() == {"level shifter", "resistor", "capacitor", "ground"}
    assert "74AHCT125" in looks["level shifter"].message
    assert looks["level shifter"].remedy == "azul-table selftest, step ramp"
    shown = {step.name.split()[0] for step in plan(duo)}
    assert {re.findall(r"step (\w+)", it.remedy)[0] for it in looks.values()} <= shown


def test_what_to_look_for_waits_until_the_lights_have_no_fault(duo: Layout, pi: FakePi) -> None:
    pi.denied.add("spidev0.0")
    assert not [it for it in examine(duo, pi.machine) if it.state is Status.LOOK]


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
    assert [finding["state"] for finding in found["findings"]] == ["fine", "fine", "fault", "fine"]
    assert set(found["findings"][2]) == {"part", "state", "told", "mend"}


@pytest.mark.parametrize("layout", ["full", "duo"])
def test_the_command_finds_no_fault_with_the_simulated_table(
    layout: str, pi: FakePi, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi.remove("proc/device-tree/model")
    status, text = doctor("--layout", layout, "--simulate", "table", pi=pi, monkeypatch=monkeypatch)
    assert status == 0
    assert "No fault found" in text


def test_the_command_does_not_probe_the_wires_of_a_running_table(
    pi: FakePi, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "can't be probed" in doctor("--layout", "duo", pi=pi, monkeypatch=monkeypatch)[1]
    pi.install_service()
    pi.run_service()
    status, text = doctor("--layout", "duo", pi=pi, monkeypatch=monkeypatch)
    assert status == 0
    assert "azul-table.service is running" in text and "can't be probed" not in text


def test_the_command_prints_what_only_a_look_can_tell(pi: FakePi, monkeypatch: pytest.MonkeyPatch) -> None:
    text = doctor("--layout", "duo", pi=pi, monkeypatch=monkeypatch)[1]
    assert "look   level shifter: is there a 74AHCT125" in text
    assert "       test: azul-table selftest, step ramp\n" in text


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
