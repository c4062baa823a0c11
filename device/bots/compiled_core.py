"""Choice between the compiled modules of the core and the same modules as Python sources.

Compiled modules read one another's C structures, so they are used only if all of them are there and were
built from the sources as they are now: `setup.py` writes a checksum of the sources beside them. This module
imports nothing of the project, because `setup.py` runs it.
"""

import hashlib
import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final

PACKAGE: Final = "device.bots.core"
FOLDER: Final = Path(__file__).parent / "core"
MODULES: Final = tuple(sorted(path.stem for path in FOLDER.glob("*.pxd")))
"""Modules that are compiled where a C compiler exists; each has its C types in a .pxd file."""
CHECKSUM: Final = "compiled_from.sha256"
"""Name of the file with the checksum of the sources that the compiled modules were built from."""


def checksum(folder: Path = FOLDER) -> str:
    """Return the checksum of the sources of all modules that are to be compiled."""
    digest = hashlib.sha256()
    for types in sorted(folder.glob("*.pxd")):
        for source in (types, types.with_suffix(".py")):
            data = source.read_bytes()
            digest.update(f"{source.name} {len(data)}\n".encode() + data)
    return digest.hexdigest()


def is_outdated(folder: Path = FOLDER) -> bool:
    """Return whether compiled modules exist, but not all of them or not built from the present sources."""
    compiled = [
        any(types.with_suffix(suffix).exists() for suffix in EXTENSION_SUFFIXES)
        for types in folder.glob("*.pxd")
    ]
    if not any(compiled):
        return False
    try:
        return not all(compiled) or (folder / CHECKSUM).read_text() != checksum(folder)
    except FileNotFoundError:
        return True


class _SourceFinder:
    """A finder for `sys.meta_path` that imports the sources of MODULES even if compiled modules exist."""

    @staticmethod
    def find_spec(name: str, *_path_and_target: object) -> ModuleSpec | None:
        package, _, module = name.rpartition(".")
        if package != PACKAGE or module not in MODULES:
            return None
        return spec_from_file_location(name, FOLDER / f"{module}.py")


def use_sources() -> None:
    """Run the core from its sources in this process; call it before any of MODULES is imported."""
    assert not [name for name in MODULES if f"{PACKAGE}.{name}" in sys.modules], "the core is imported"
    sys.meta_path.insert(0, _SourceFinder)


def is_compiled(module: ModuleType) -> bool:
    """Return whether a module was imported from compiled code."""
    return not str(module.__file__).endswith((".py", ".pyc"))


def description() -> str:
    """Return one sentence for people on whether the core runs compiled; `doctor` shows it."""
    if all(is_compiled(import_module(f"{PACKAGE}.{name}")) for name in MODULES):
        return "the bots' core is compiled"
    slow = "the bots' core runs uncompiled, some 50 times slower"
    if is_outdated():
        return f"{slow}, as it was compiled from an older azul-table: install azul-table again"
    return f"{slow}: install gcc and Python's headers (python3-dev), then install azul-table again"
