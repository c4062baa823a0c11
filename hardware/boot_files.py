"""The files that a Raspberry Pi reads when it starts, as far as they say which ports are switched on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware.pi import Board

_FOLDERS: Final = ("boot/firmware", "boot")


@dataclass(frozen=True, slots=True)
class BootFiles:
    """What config.txt says to this board, as (key, value) in its order, and the words of cmdline.txt."""

    config: Path
    cmdline: Path
    settings: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()

    def says(self, line: str) -> bool:
        """Tell whether config.txt says this line (`key=value`), or the same in other words."""
        key, _, value = line.partition("=")
        if key == "dtparam":
            return self._parameter(value)
        if key == "dtoverlay":
            return any(name == key and it.split(",")[0] == value for name, it in self.settings)
        return self.value(key) == value

    def value(self, key: str) -> str | None:
        """Return what config.txt says last for this key, None if it says nothing."""
        return next((it for name, it in reversed(self.settings) if name == key), None)

    def _parameter(self, wanted: str) -> bool:
        """Tell whether a parameter of the device tree is as wanted; a name alone means that it is on."""
        name, _, value = wanted.partition("=")
        said = None
        for key, values in self.settings:
            if key in ("dtparam", "device_tree_param"):
                for parameter in values.split(","):
                    if parameter.partition("=")[0] == name:
                        said = parameter.partition("=")[2] or "on"
        return said is not None and {"1": "on", "yes": "on", "true": "on"}.get(said, said) == value


def read_boot_files(root: Path, board: Board) -> BootFiles:
    """Read the files below this root; what is missing says nothing."""
    folder = next((root / path for path in _FOLDERS if (root / path / "config.txt").is_file()), None)
    folder = folder or root / _FOLDERS[0]
    config, cmdline = folder / "config.txt", folder / "cmdline.txt"
    return BootFiles(config, cmdline, _settings(_text(config), board), tuple(_text(cmdline).split()))


def _settings(text: str, board: Board) -> tuple[tuple[str, str], ...]:
    """Return the settings outside of sections, and of the sections that are for this board."""
    found: list[tuple[str, str]] = []
    here = True
    for written in text.splitlines():
        line = written.partition("#")[0].strip()
        if section := re.fullmatch(r"\[(.*)\]", line):
            here = _is_for(section[1].strip().lower(), board)
        elif here and "=" in line:
            key, _, value = line.partition("=")
            found.append((key.strip(), value.strip()))
    return tuple(found)


def _is_for(section: str, board: Board) -> bool:
    """Tell whether a section is for this board; those for a display or a serial number are taken for not."""
    name = board.model.removeprefix("Raspberry Pi").strip().lower()
    if name.startswith("zero"):
        return section in {"all", "pi0", "pi02" if name.startswith("zero 2") else "pi0w"}
    names = {"all", f"pi{board.generation}"}
    if number := re.match(r"\d{3}", name):
        names.add(f"pi{number[0]}")  # 400 and 500
    if module := re.match(r"compute module (\d)", name):
        names.add(f"cm{module[1]}")
    return section in names


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""
