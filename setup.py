"""Compiles the bots' core where that is possible; elsewhere the same files run as they are.

Everything else about the package is in pyproject.toml. `device.bots.engine` tells which of the two is
running.
"""

import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

BOTS = Path("device/bots/core")
COMPILED = sorted(path.stem for path in BOTS.glob("*.pxd"))
"""Each of these modules has its C types in a .pxd file beside it."""


class AllOrNothing(build_ext):
    """Compiled modules reach into one another: if one can't be built, none stays. The install goes on."""

    def run(self) -> None:
        """Build all of them, or tell why none is."""
        try:
            super().run()
        except Exception as error:  # noqa: BLE001 - no compiler, no headers, no memory: whatever it is
            _tell(error)
            for each in self.extensions:
                Path(self.get_ext_fullpath(each.name)).unlink(missing_ok=True)
                for built in BOTS.glob(f"{each.name.rpartition('.')[2]}.*.so"):
                    built.unlink()
            self.extensions = []


def extensions() -> list[Extension]:
    """The modules to compile; none where there is no Cython that can translate them."""
    try:
        from Cython.Build import cythonize

        found: list[Extension] = cythonize(
            [
                Extension(f"device.bots.core.{name}", [f"{BOTS}/{name}.py"], extra_compile_args=["-O3"])
                for name in COMPILED
            ],
            build_dir="build/cython",
            compiler_directives={
                "language_level": 3,
                "annotation_typing": False,  # the .pxd files have the types: `int` means C's there
                "infer_types": True,
                "boundscheck": False,
                "wraparound": False,
                "cdivision": True,
                "cpow": True,
                "binding": False,
            },
        )
    except Exception as error:  # noqa: BLE001 - whatever it is, the package works without
        _tell(error)
        return []
    return found


def _tell(error: Exception) -> None:
    sys.stderr.write(f"azul-table: the bots' core stays uncompiled: {error}\n")


setup(ext_modules=extensions(), cmdclass={"build_ext": AllOrNothing})
