"""Which of the two is running: the compiled core, or the same files as Python."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final

MODULES: Final = (
    *("position", "solo_position", "evaluation", "timed_search", "uct"),
    *("alpha_beta", "multiplayer_tree", "solo_tree", "learner"),
)
"""The files that are compiled where that is possible; each has its types in a .pxd file."""

FOLDER: Final = Path(__file__).parent / "core"
TOGETHER: Final = 10.0
"""Seconds: files whose times differ by less were installed together, in whatever order."""


class _Sources:
    """Finds the core's modules in their sources, whatever was compiled from them."""

    @staticmethod
    def find_spec(
        name: str,
        path: Sequence[str] | None,  # noqa: ARG004 - the import system's signature
        target: ModuleType | None = None,  # noqa: ARG004 - the import system's signature
    ) -> ModuleSpec | None:
        package, _, module = name.rpartition(".")
        if package != "device.bots.core" or module not in MODULES:
            return None
        return spec_from_file_location(name, FOLDER / f"{module}.py")


def stay_uncompiled() -> None:
    """Have the core run from its sources in this process; call it before any of MODULES is imported."""
    assert not [name for name in MODULES if f"device.bots.core.{name}" in sys.modules], "the core is imported"
    sys.meta_path.insert(0, _Sources)


def outdated() -> bool:
    """Whether some of the core is compiled, but not all of it, or not from the sources as they are now.

    Such a core is left alone: `device.bots` has the sources run.
    """
    compiled = [_compiled(name) for name in MODULES]
    return any(compiled) and not all(
        file is not None and _is_current(file, name) for name, file in zip(MODULES, compiled, strict=True)
    )


def _compiled(name: str) -> Path | None:
    files = (FOLDER / f"{name}{suffix}" for suffix in EXTENSION_SUFFIXES)
    return next((file for file in files if file.exists()), None)


def _is_current(compiled: Path, name: str) -> bool:
    sources = (FOLDER / f"{name}{ending}" for ending in (".py", ".pxd"))
    newest = compiled.stat().st_mtime + TOGETHER
    return all(source.stat().st_mtime <= newest for source in sources if source.exists())


def is_compiled(module: ModuleType) -> bool:
    """Whether a module was imported from compiled code."""
    return not str(module.__file__).endswith((".py", ".pyc"))


def engine() -> str:
    """One sentence for people: `doctor` shows it."""
    modules = [import_module(f"device.bots.core.{name}") for name in MODULES]
    if all(map(is_compiled, modules)):
        return "the bots' core is compiled"
    if outdated():
        return (
            "the bots' core runs uncompiled, some 50 times slower, "
            "as it was compiled from an older azul-table: install azul-table again"
        )
    return (
        "the bots' core runs uncompiled, some 50 times slower: "
        "install gcc and Python's headers (python3-dev), then install azul-table again"
    )
