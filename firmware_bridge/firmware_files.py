"""The firmware's files as this package holds them, and as they lie on a Pico."""

from __future__ import annotations

from binascii import crc32
from pathlib import Path
from typing import Final

from firmware_bridge.firmware import FILES, VERSION

__all__ = ["FILES", "VERSION", "check_of_files", "copy_firmware", "source"]

_PACKAGES: Final = Path(__file__).parent.parent


def source(name: str) -> Path:
    """Where the file is that is called so on the Pico."""
    folder = Path(__file__).parent / "firmware" if name == "main.py" else _PACKAGES
    return folder / name


def check_of_files() -> int:
    """The check that a Pico with exactly these files tells."""
    check = 0
    for name in FILES:
        check = crc32(name.encode(), check)
        check = crc32(source(name).read_bytes(), check)
    return check


def copy_firmware(flash: Path) -> None:
    """Put the files where a Pico has them, below this folder; those that are the same stay untouched."""
    for name in FILES:
        target = flash / name
        data = source(name).read_bytes()
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
