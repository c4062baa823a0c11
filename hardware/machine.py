"""The machine, as far as a table of lights needs to know it; everything is looked up below a root folder."""

from __future__ import annotations

import getpass
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hardware.libraries import installed
from hardware.pi import ROOT, Board, find_board

Installed = Callable[[str], str | None]


def may_use(path: Path) -> bool:
    """Tell whether this process may read and write a device."""
    return os.access(path, os.R_OK | os.W_OK)


def own_name() -> str:
    """Return the name of this process's user; the number of one who has none here, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.geteuid())


def own_pip() -> str:
    """Return the command that installs libraries for this very program."""
    command = f"{sys.executable} -m pip"
    return command if os.access(sys.prefix, os.W_OK) else f"sudo {command}"


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine, or a folder that looks like one."""

    root: Path = ROOT
    user: str = field(default_factory=own_name)
    is_root: bool = field(default_factory=lambda: os.geteuid() == 0)
    python: tuple[int, int] = field(default_factory=lambda: sys.version_info[:2])
    bits: int = field(default_factory=lambda: 64 if sys.maxsize > 2**32 else 32)
    processor: str = field(default_factory=platform.machine)
    pip: str = field(default_factory=own_pip)
    installed: Installed = installed
    may_use: Callable[[Path], bool] = may_use

    @property
    def board(self) -> Board | None:
        """The Raspberry Pi that it is, None if it is none."""
        return find_board(self.root)

    def path(self, path: str) -> Path:
        """Return a path of the machine's below its root."""
        return self.root / path.lstrip("/")

    def shown(self, path: Path) -> str:
        """Return a path as the machine's user knows it."""
        return "/" + str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)

    def in_group(self, group: str) -> bool:
        """Tell whether the user belongs to a group by now, if not yet in this session."""
        try:
            lines = self.path("etc/group").read_text("utf-8", errors="replace").splitlines()
        except OSError:
            return False
        fields = [line.split(":") for line in lines]
        return any(len(it) == 4 and it[0] == group and self.user in it[3].split(",") for it in fields)
