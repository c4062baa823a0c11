"""The learned weights' files: hundredths of a point in 16 bits, little-endian, packed with zlib."""

import sys
import zlib
from array import array
from importlib.resources import files
from pathlib import Path

from device.bots.core import tables


def exists(name: str) -> bool:
    """Whether there are weights of a name."""
    return files("device.bots").joinpath("weights", f"{name}.bin").is_file()


def read(name: str) -> "array[int]":
    """The weights of a name, in ten-thousandths of a point."""
    raw = array("h", zlib.decompress(files("device.bots").joinpath("weights", f"{name}.bin").read_bytes()))
    if sys.byteorder == "big":
        raw.byteswap()
    features = tables.FEATURES + (tables.SOLO_FEATURES if name.startswith("solo") else 0)
    assert len(raw) == tables.STAGES * features, (
        f"the weights {name} are of another version: train them again"
    )
    return array("i", [100 * number for number in raw])


def write(folder: Path, name: str, weights: "array[int]") -> None:
    """Write the weights of a name into a folder."""
    raw = array("h", [max(-32768, min(32767, round(number / 100))) for number in weights])
    if sys.byteorder == "big":
        raw.byteswap()
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.bin").write_bytes(zlib.compress(raw.tobytes(), 9))
