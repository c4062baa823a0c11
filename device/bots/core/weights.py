"""Files of learned weights: hundredths of a point in 16 bits, little-endian, compressed with zlib."""

import sys
import zlib
from array import array
from pathlib import Path
from typing import Final

from device.bots.core import constants

FOLDER: Final = Path(__file__).parents[1] / "weights"


def exists(name: str) -> bool:
    """Return whether there is a file of weights with this name."""
    return (FOLDER / f"{name}.bin").is_file()


def read(name: str, folder: Path = FOLDER) -> "array[int]":
    """Return the weights of a name, in ten-thousandths of a point. Raises OSError if there is no file."""
    raw = array("h", zlib.decompress((folder / f"{name}.bin").read_bytes()))
    if sys.byteorder == "big":
        raw.byteswap()
    features = constants.FEATURES + (constants.SOLO_FEATURES if name.startswith("solo") else 0)
    assert len(raw) == constants.STAGES * features, (
        f"the weights {name} are of another version: train them again"
    )
    return array("i", [100 * number for number in raw])


def write(folder: Path, name: str, weights: "array[int]") -> None:
    """Write the weights of a name to a folder."""
    raw = array("h", [max(-32768, min(32767, round(number / 100))) for number in weights])
    if sys.byteorder == "big":
        raw.byteswap()
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.bin").write_bytes(zlib.compress(raw.tobytes(), 9))
