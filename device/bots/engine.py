"""Which of the two is running: the compiled core, or the same files as Python."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final

MODULES: Final = (
    *("position", "solo_position", "solo_chance", "value", "search", "tree"),
    *("duel", "several", "alone", "teacher"),
)
"""The files that are compiled where that is possible; each has its types in a .pxd file."""


class _Sources:
    """Finds the core's modules in their sources, whatever was compiled from them."""

    @staticmethod
    def find_spec(
        name: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,  # noqa: ARG004 - the import system's signature
    ) -> ModuleSpec | None:
        package, _, module = name.rpartition(".")
        if package != "device.bots" or module not in MODULES or not path:
            return None
        return spec_from_file_location(name, Path(path[0]) / f"{module}.py")


def stay_uncompiled() -> None:
    """Have the core run from its sources in this process; call it before any of MODULES is imported."""
    assert not [name for name in MODULES if f"device.bots.{name}" in sys.modules], "the core is imported"
    sys.meta_path.insert(0, _Sources)


def is_compiled(module: ModuleType) -> bool:
    """Whether a module was imported from compiled code."""
    return not str(module.__file__).endswith((".py", ".pyc"))


def engine() -> str:
    """One sentence for people: `doctor` shows it."""
    modules = [import_module(f"device.bots.{name}") for name in MODULES]
    compiled = [module for module in modules if is_compiled(module)]
    if not compiled:
        return (
            "the bots' core runs uncompiled, some 50 times slower: "
            "install gcc and Python's headers (python3-dev), then install azul-table again"
        )
    if len(compiled) < len(modules):
        return "the bots' core is compiled in part only: install azul-table again"
    old = [module.__name__ for module in compiled if _is_older(module)]
    if old:
        return f"the bots' core is compiled, but from an older {', '.join(old)}: install azul-table again"
    return "the bots' core is compiled"


def _is_older(module: ModuleType) -> bool:
    """Whether a compiled module's source beside it has changed since."""
    built = Path(str(module.__file__))
    sources = [built.parent / f"{module.__name__.rpartition('.')[2]}{ending}" for ending in (".py", ".pxd")]
    return any(source.exists() and source.stat().st_mtime > built.stat().st_mtime for source in sources)
