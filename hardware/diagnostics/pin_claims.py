"""GPIO pins that lines of config.txt take: which line of the boot configuration clashes with which pin.

The defaults of overlays are those of `overlays/README` of the Raspberry Pi firmware and, where that is silent
(screens), of the sources of the overlays. An overlay that is not in the table claims nothing: the kernel
says whether a pin is held, this module only by which line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct

from hardware.drivers.raspberry_pi import Board, BootConfig, BootLine, is_on

Bus = Literal["", "spi0", "uart"]
"""The bus that a line enables for other programs; "" if it takes the pins for itself."""

SPI_PINS: Final = (9, 10, 11)
SERIAL_PINS: Final = (14, 15)
_I2S: Final = (18, 19, 20, 21)
_ON_SPI: Final = (8, *SPI_PINS)
"""A device at the first chip select of the SPI bus; one at the second takes GPIO7."""


class Claim(Struct, frozen=True):
    """Pins that a line takes. `requested` if a driver requests them as GPIOs, which the kernel reports.

    `entry` is the part of the line that takes them, such as `i2s=on` of `dtparam=i2c_arm=on,i2s=on`.
    """

    line: str
    entry: str
    pins: frozenset[int]
    bus: Bus = ""
    requested: bool = False

    @property
    def is_alone(self) -> bool:
        """Whether the line has no other entry, and so may be removed as a whole."""
        return self.line.partition("=")[2] == self.entry


class Overlay(Struct, frozen=True):
    """Pins that an overlay takes: `named` by parameters, with defaults (None: not used), and `fixed` ones."""

    named: Mapping[str, int | None] = {}
    fixed: tuple[int, ...] = ()
    bus: Bus = ""
    requested: bool = False


def _gpios(**named: int | None) -> Overlay:
    return Overlay({name.replace("__", "-"): pin for name, pin in named.items()}, requested=True)


def _uart(transmit: int, receive: int) -> Overlay:
    return Overlay(fixed=(transmit, receive), bus="uart")


def _spi_device(*fixed: int, **named: int | None) -> Overlay:
    return Overlay(named, (*_ON_SPI, *fixed))


def _spi_bus(bus: tuple[int, ...], *selects: int) -> Overlay:
    return Overlay({f"cs{number}_pin": pin for number, pin in enumerate(selects)}, bus)


_PINS: Final = re.compile(r"pins_(\d+)_(\d+)")
"""A parameter that moves a bus to another pair of pins."""

OVERLAYS: Final[Mapping[str, Overlay]] = {
    # One pin or a few, requested by a driver
    "act-led": _gpios(gpio=None),
    "cap1106": _gpios(int_pin=23),
    "dht11": _gpios(gpiopin=4),
    "gpio-charger": _gpios(gpio=4),
    "gpio-fan": _gpios(gpiopin=12),
    "gpio-hog": _gpios(gpio=26),
    "gpio-ir": _gpios(gpio_pin=18),
    "gpio-ir-tx": _gpios(gpio_pin=18),
    "gpio-key": _gpios(gpio=3),
    "gpio-led": _gpios(gpio=19),
    "gpio-poweroff": _gpios(gpiopin=26),
    "gpio-shutdown": _gpios(gpio_pin=3),
    "goodix": _gpios(interrupt=4, reset=17),
    "hd44780-lcd": _gpios(pin_d4=6, pin_d5=13, pin_d6=19, pin_d7=26, pin_en=21, pin_rs=20, pin_bl=None),
    "hdmi-backlight-hwhack-gpio": _gpios(gpio_pin=17),
    "i2c-gpio": _gpios(i2c_gpio_sda=23, i2c_gpio_scl=24),
    "i2c-rtc-gpio": _gpios(i2c_gpio_sda=23, i2c_gpio_scl=24),
    "lirc-rpi": _gpios(gpio_out_pin=17, gpio_in_pin=18),
    "mcp23017": _gpios(gpiopin=4),
    "pps-gpio": _gpios(gpiopin=18),
    "pwm-gpio": _gpios(gpio=4),
    "pwm-gpio-fan": _gpios(fan_gpio=18),
    "rotary-encoder": _gpios(pin_a=4, pin_b=17),
    "w1-gpio": _gpios(gpiopin=4),
    "w1-gpio-pullup": _gpios(gpiopin=4, extpullup=5),
    # Functions of pins, which the kernel does not report as used
    "audremap": Overlay(fixed=(12, 13)),
    "dpi18": Overlay(fixed=tuple(range(22))),
    "dpi24": Overlay(fixed=tuple(range(28))),
    "pwm": Overlay({"pin": 18}),
    "pwm-2chan": Overlay({"pin": 18, "pin2": 19}),
    "pwm-ir-tx": Overlay({"gpio_pin": 18}),
    "pwm-pio": Overlay({"gpio": 4}),
    "sdio": Overlay(fixed=(22, 23, 24, 25, 26, 27)),
    "i2c0": Overlay(fixed=(0, 1)),
    "i2c1": Overlay(fixed=(2, 3)),
    "i2c1-pi5": Overlay(fixed=(2, 3)),
    "i2c2-pi5": Overlay(fixed=(4, 5)),
    "i2c3": Overlay(fixed=(4, 5)),
    "i2c3-pi5": Overlay(fixed=(6, 7)),
    "i2c4": Overlay(fixed=(8, 9)),
    "i2c5": Overlay(fixed=(12, 13)),
    "i2c6": Overlay(fixed=(22, 23)),
    # Serial ports
    "disable-bt": _uart(14, 15),
    "disable-bt-pi5": Overlay(),
    "miniuart-bt": _uart(14, 15),
    "miniuart-bt-pi5": Overlay(),
    "uart0": Overlay({"txd0_pin": 14, "rxd0_pin": 15}, bus="uart"),
    "uart0-pi5": _uart(14, 15),
    "uart1": Overlay({"txd1_pin": 14, "rxd1_pin": 15}, bus="uart"),
    "uart1-pi5": _uart(0, 1),
    "uart2": _uart(0, 1),
    "uart2-pi5": _uart(4, 5),
    "uart3": _uart(4, 5),
    "uart3-pi5": _uart(8, 9),
    "uart4": _uart(8, 9),
    "uart4-pi5": _uart(12, 13),
    "uart5": _uart(12, 13),
    # SPI buses
    "spi0-0cs": Overlay(fixed=SPI_PINS, bus="spi0"),
    "spi0-1cs": Overlay({"cs0_pin": 8}, SPI_PINS, bus="spi0"),
    "spi0-2cs": Overlay({"cs0_pin": 8, "cs1_pin": 7}, SPI_PINS, bus="spi0"),
    "spi1-1cs": _spi_bus((19, 20, 21), 18),
    "spi1-2cs": _spi_bus((19, 20, 21), 18, 17),
    "spi1-3cs": _spi_bus((19, 20, 21), 18, 17, 16),
    "spi2-1cs-pi5": _spi_bus((1, 2, 3), 0),
    "spi2-2cs-pi5": _spi_bus((1, 2, 3), 0, 24),
    "spi3-1cs": _spi_bus((1, 2, 3), 0),
    "spi3-2cs": _spi_bus((1, 2, 3), 0, 24),
    "spi3-1cs-pi5": _spi_bus((5, 6, 7), 4),
    "spi3-2cs-pi5": _spi_bus((5, 6, 7), 4, 25),
    "spi4-1cs": _spi_bus((5, 6, 7), 4),
    "spi4-2cs": _spi_bus((5, 6, 7), 4, 25),
    "spi5-1cs": _spi_bus((13, 14, 15), 12),
    "spi5-2cs": _spi_bus((13, 14, 15), 12, 26),
    "spi6-1cs": _spi_bus((19, 20, 21), 18),
    "spi6-2cs": _spi_bus((19, 20, 21), 18, 27),
    # Screens and other devices on the SPI bus that lights use
    "adafruit-st7735r": _spi_device(dc_pin=24, reset_pin=25, led_pin=18),
    "adafruit18": _spi_device(dc_pin=24, reset_pin=25, led_pin=18),
    "ads7846": _spi_device(7, penirq=None),
    "anyspi": _spi_device(),
    "at86rf233": _spi_device(interrupt=23, reset=24, sleep=25),
    "enc28j60": _spi_device(int_pin=25),
    "fbtft": _spi_device(dc_pin=None, reset_pin=None, led_pin=None),
    "hy28a": _spi_device(7, 17, resetgpio=25, ledgpio=18),
    "hy28b": _spi_device(7, 17, resetgpio=25, ledgpio=18),
    "hy28b-2017": _spi_device(7, 17, resetgpio=25, ledgpio=18),
    "jedec-spi-nor": _spi_device(),
    "mcp2515-can0": _spi_device(interrupt=25),
    "mcp2515-can1": _spi_device(7, interrupt=25),
    "mhs35": _spi_device(7, 17, 24, 25),
    "mipi-dbi-spi": _spi_device(),
    "mz61581": _spi_device(4, 7, 15, 18, 25),
    "piscreen": _spi_device(7, 17, 22, 24, 25),
    "piscreen2r": _spi_device(7, 17, 22, 24, 25),
    "pitft22": _spi_device(25),
    "pitft28-capacitive": _spi_device(24, 25),
    "pitft28-resistive": _spi_device(7, 24, 25),
    "pitft35-resistive": _spi_device(7, 24, 25),
    "qca7000": _spi_device(int_pin=23),
    "rpi-display": _spi_device(7, 23, 24, 25, backlight=18),
    "sh1106-spi": _spi_device(dc_pin=24, reset_pin=25),
    "ssd1306-spi": _spi_device(dc_pin=24, reset_pin=25),
    "ssd1327-spi": _spi_device(dc_pin=24, reset_pin=25),
    "ssd1331-spi": _spi_device(dc_pin=24, reset_pin=25),
    "ssd1351-spi": _spi_device(dc_pin=24, reset_pin=25),
    "tft35a": _spi_device(7, 17, 24, 25),
    "tft35b": _spi_device(7, 17, 24, 25),
    "tpm-slb9670": _spi_device(7),
    "waveshare35a": _spi_device(7, 17, 24, 25),
    "waveshare35b": _spi_device(7, 17, 24, 25),
    "waveshare35c": _spi_device(7, 17, 24, 25),
    # Sound, with more than its bus
    "max98357a": Overlay({"sdmode-pin": 4}, _I2S),
}
I2S_OVERLAYS: Final = (
    *("adau1977-adc", "adau7002-simple", "akkordion-", "allo-", "applepi-dac", "audioinjector-"),
    *("audiosense-pi", "chipdip-", "cirrus-wm5102", "dacberry400", "dionaudio-", "draws", "fe-pi-audio"),
    *("ghost-amp", "googlevoicehat-", "hifiberry-", "i-sabre-", "i2s-dac", "i2s-master-dac"),
    *("interludeaudio-", "iqaudio-", "justboom-", "mbed-dac", "merus-amp", "pibell", "pifi-", "pisound"),
    *("proto-codec", "rpi-codeczero", "rpi-dac", "rpi-digiamp", "rpi-proto", "seeed-", "superaudioboard"),
    *("tc358743-audio", "udrc", "ugreen-dabboard", "wm8960-soundcard"),
)
"""How names of overlays for sound by I2S begin: they take GPIO18 to 21."""
PARAMETERS: Final[Mapping[str, Overlay]] = {
    "i2c": Overlay(fixed=(2, 3)),
    "i2c_arm": Overlay(fixed=(2, 3)),
    "i2c1": Overlay(fixed=(2, 3)),
    "i2c0": Overlay(fixed=(0, 1)),
    "i2c_vc": Overlay(fixed=(0, 1)),
    "i2s": Overlay(fixed=_I2S),
}
"""Parameters of the board itself, in lines `dtparam=NAME=on`."""
LED_PARAMETERS: Final = ("act_led_gpio", "pwr_led_gpio")
"""Parameters of the board itself that name a pin."""


def pin_claims(boot: BootConfig, board: Board) -> list[Claim]:
    """Return the pins that each line of config.txt takes on this board, in the order of the lines."""
    found: list[Claim] = []
    for line in boot.lines:
        if line.overlay:
            overlay = _overlay(line.overlay, board)
            if overlay is not None:
                pins = _pins(overlay, line.parameters)
                moved = [line.added[name] for name in line.added if name in overlay.named]
                text = " and ".join([line.text, *moved])
                found.append(Claim(text, text.partition("=")[2], pins, overlay.bus, overlay.requested))
        elif line.key == "enable_uart" and line.value == "1" and board.generation < 5:
            found.append(Claim(line.text, line.value, frozenset(SERIAL_PINS), "uart"))
        else:
            found += _base_claims(line, boot, board)
    return [claim for claim in found if claim.pins]


def _overlay(name: str, board: Board) -> Overlay | None:
    """Return the table's entry for an overlay; a Pi 5 loads its own of several names in place of another."""
    if board.generation >= 5 and f"{name}-pi5" in OVERLAYS:
        name = f"{name}-pi5"
    name = name if name in OVERLAYS else name.removesuffix("-pi5")
    if name in OVERLAYS:
        return OVERLAYS[name]
    if name.startswith(I2S_OVERLAYS):
        return Overlay(fixed=_I2S)
    return None


def _pins(overlay: Overlay, parameters: Mapping[str, str]) -> frozenset[int]:
    pins = {*overlay.fixed}
    for name in parameters:
        if found := _PINS.fullmatch(name):
            pins = {int(found[1]), int(found[2])}
    for name, default in overlay.named.items():
        written = parameters.get(name, "")
        pin = int(written) if written.isdecimal() else default
        if pin is not None:
            pins.add(pin)
    if overlay.bus == "uart" and "ctsrts" in parameters:
        pins |= {max(pins) + 1, max(pins) + 2}
    return frozenset(pins)


def _base_claims(line: BootLine, boot: BootConfig, board: Board) -> Iterator[Claim]:
    """Yield the claims of a line `dtparam=...` that sets parameters of the board itself."""
    for name, value in line.parameters.items():
        entry = f"{name}={value}" if value else name
        if not boot.is_in_force(name, line):
            continue
        if name in LED_PARAMETERS and value.isdecimal():
            yield Claim(line.text, entry, frozenset({int(value)}), requested=True)
        if not is_on(value):
            continue
        if name == "spi":
            selects = _chip_selects(boot)
            yield Claim(line.text, entry, frozenset({*SPI_PINS, *selects}), "spi0")
        elif name == "uart0" and board.generation >= 5:
            yield Claim(line.text, entry, frozenset(SERIAL_PINS), "uart")
        elif name in PARAMETERS:
            yield Claim(line.text, entry, frozenset(PARAMETERS[name].fixed))


def _chip_selects(boot: BootConfig) -> tuple[int, ...]:
    """Return the pins of the SPI bus's chip selects: GPIO8 and 7, unless an overlay changes them."""
    for line in boot.lines:
        if found := re.fullmatch(r"spi0-([012])cs", line.overlay):
            written = (line.parameters.get(f"cs{number}_pin", "") for number in range(int(found[1])))
            return tuple(int(pin) if pin.isdecimal() else (8, 7)[at] for at, pin in enumerate(written))
    return (8, 7)
