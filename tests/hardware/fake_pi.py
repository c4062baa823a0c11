"""Folders with the files of a Raspberry Pi that drivers and the doctor read."""

from __future__ import annotations

from pathlib import Path

from hardware.drivers.raspberry_pi import Machine, Permissions

MODELS = {
    3: "Raspberry Pi 3 Model B Plus Rev 1.3",
    4: "Raspberry Pi 4 Model B Rev 1.4",
    5: "Raspberry Pi 5 Model B Rev 1.0",
}
CONFIG_FOR_DUO = {
    3: ["dtparam=spi=on", "core_freq=250", "dtoverlay=spi0-0cs", "enable_uart=1"],
    4: ["dtparam=spi=on", "core_freq=500", "core_freq_min=500", "dtoverlay=spi0-0cs", "enable_uart=1"],
    5: ["dtparam=spi=on", "dtoverlay=spi0-0cs", "dtparam=uart0=on"],
}
CODES = {3: 0xA020D3, 4: 0xC03114, 5: 0xD04170}
"""Revision codes of these boards."""
GROUPS = {"dialout": 20, "spi": 999, "gpio": 997, "video": 44}
GROUP_OF_DEVICE = {"spidev0.0": "spi", "serial0": "dialout", "ttyAMA0": "dialout", "ttyACM0": "dialout"}
UNIT = Path(__file__).parents[2] / "systemd/azul-table.service"
VERSIONS = {
    "adafruit-blinka": "10.0.0",
    "gpiod": "2.5.0",
    "adafruit-circuitpython-neopixel": "6.4.2",
    "adafruit-circuitpython-pn532": "2.4.9",
    "rpi_ws281x": "5.0.0",
    "adafruit-blinka-raspberry-pi5-neopixel": "1.0.0rc2",
    "gpiozero": "2.0.1.post3",
    "lgpio": "0.2.2.0",
}


class FakePi:
    """A Pi with everything that the layout duo needs; tests remove things."""

    def __init__(self, root: Path, generation: int = 4) -> None:
        self.root = root
        self.versions = dict(VERSIONS)
        self.denied: set[str] = set()
        self.user = "ana"
        self.is_root = False
        self.python = (3, 11)
        self.lines: dict[int, str] | None = {}
        self.permissions: dict[str, Permissions] = {}
        self.write("proc/device-tree/model", f"{MODELS[generation]}\0")
        self.write("boot/firmware/config.txt", "\n".join(CONFIG_FOR_DUO[generation]) + "\n")
        self.write("boot/firmware/cmdline.txt", "console=tty1 root=PARTUUID=1-02 rootwait\n")
        self.code(CODES[generation])
        self.groups(spi=["pi"])
        for device in ("gpiochip0", "gpiomem", "spidev0.0", "serial0", "pio0", "ttyAMA0"):
            self.write(f"dev/{device}", "")
        if generation == 5:
            self.tty("ttyAMA0", "1f00030000.serial")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def remove(self, path: str) -> None:
        (self.root / path).unlink()

    def config(self, old: str, new: str) -> None:
        """Change a line of config.txt."""
        path = self.root / "boot/firmware/config.txt"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def code(self, code: int) -> None:
        """Set the revision code of the board."""
        self.write("proc/device-tree/system/linux,revision", "")
        (self.root / "proc/device-tree/system/linux,revision").write_bytes(code.to_bytes(4, "big"))

    def groups(self, **members: list[str]) -> None:
        """Write the groups of the system; those that are not named have no members."""
        lines = [f"{name}:x:{number}:{','.join(members.get(name, []))}\n" for name, number in GROUPS.items()]
        self.write("etc/group", "".join(["root:x:0:\n", *lines]))

    def install_service(self, *lacking: str, unit: str = "") -> None:
        """Install the service as `make install` does; its user is not in the groups `lacking`."""
        self.write("etc/systemd/system/azul-table.service", unit or UNIT.read_text())
        self.write(
            "etc/passwd", "root:x:0:0::/root:/bin/sh\nazul-table:x:998:996::/var/lib/azul-table:/bin/no\n"
        )
        self.groups(**{name: ["azul-table"] for name in GROUPS if name not in lacking})

    def run_service(self) -> None:
        """Let the service run: it has a process in its control group."""
        self.write("sys/fs/cgroup/system.slice/azul-table.service/cgroup.procs", "4711\n")

    def spi_device(self, device: str, driver: str) -> None:
        """Bind a device of the SPI bus to a driver."""
        folder = self.root / "sys/bus/spi/devices" / device
        folder.mkdir(parents=True)
        (self.root / "sys/bus/spi/drivers" / driver).mkdir(parents=True, exist_ok=True)
        (folder / "driver").symlink_to(self.root / "sys/bus/spi/drivers" / driver)

    def tty(self, name: str, address: str) -> None:
        """Add a serial port with this address in the chip."""
        device = self.root / "sys/devices/platform" / address / f"{address}:0"
        (device / "tty" / name).mkdir(parents=True)
        (self.root / "sys/class/tty" / name).mkdir(parents=True)
        (self.root / "sys/class/tty" / name / "device").symlink_to(device)

    def plug_pico(self, *, port: str | None = "ttyACM0", product: str = "0005") -> None:
        """Plug a Pico into USB, with MicroPython (and a port) or in its bootloader."""
        self.write("sys/bus/usb/devices/1-1/idVendor", "2e8a\n")
        self.write("sys/bus/usb/devices/1-1/idProduct", f"{product}\n")
        if port is not None:
            (self.root / f"sys/bus/usb/devices/1-1/1-1:1.0/tty/{port}").mkdir(parents=True)
            self.write(f"dev/{port}", "")

    @property
    def machine(self) -> Machine:
        return Machine(
            root=self.root,
            user=self.user,
            is_root=self.is_root,
            python=self.python,
            pip="sudo /opt/azul-table/bin/python3 -m pip",
            bits=64,
            processor="aarch64",
            installed=self.versions.get,
            is_accessible=lambda path: path.name not in self.denied,
            permissions=self._permissions,
            lines=lambda _devices: self.lines,
        )

    def _permissions(self, path: Path) -> Permissions:
        group = GROUPS[GROUP_OF_DEVICE.get(path.name, "gpio")]
        return self.permissions.get(path.name, Permissions(0o660, 0, group))
