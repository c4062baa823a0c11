"""The PIN that phones enter on a network that is not trusted, and the key of the cookies that remember it."""

import json
import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

AUTO: Final = "auto"
FILE: Final = "pin.json"  # in the data folder: a PIN that was drawn stays the same over a restart
PIN_DIGITS: Final = 6
WRITTEN: Final = re.compile(r"[0-9]{4,12}")
"""The form of a PIN that somebody chose."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A PIN, empty for none, and the key of its cookies."""

    pin: str = ""
    secret: str = ""


def open_pin(wanted: str, folder: Path) -> Pin:
    """Return the PIN of a setting: none, the one that is written there, or with `auto` a random one.

    The key is kept in the data folder, readable by this user only, as is a PIN that was drawn. Without them
    the phones would have to enter it again after each restart. Raises OSError if it can't be written.
    """
    if not wanted:
        return Pin()
    path = folder / FILE
    kept = _read(path)
    pin = wanted
    if wanted == AUTO:
        pin = kept.pin or "".join(secrets.choice("0123456789") for _ in range(PIN_DIGITS))
    found = Pin(pin, kept.secret or secrets.token_hex(32))
    if found != kept:
        _write(path, found)
    return found


def _read(path: Path) -> Pin:
    """Return what the file keeps; nothing of a file that can't be read, which is written anew."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(path.read_text("utf-8"))
        pin, secret = str(kept["pin"]), str(kept["secret"])
        if WRITTEN.fullmatch(pin) and re.fullmatch("[0-9a-f]{64}", secret):
            return Pin(pin, secret)
    return Pin()


def _write(path: Path, pin: Pin) -> None:
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump({"pin": pin.pin, "secret": pin.secret}, file)
    temporary.replace(path)
