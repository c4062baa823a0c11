"""Build steps: compile the catalogues of texts, and the bots' core with Cython where that is possible.

The core runs as plain Python where it is not; `device.bots.compiled_core` decides which of the two is used.
Everything else about the package is in pyproject.toml.
"""

import runpy
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

TEXTS = runpy.run_path("web_ui/text/catalogues.py")
CORE = runpy.run_path("device/bots/compiled_core.py")
PACKAGE = CORE["PACKAGE"]


class BuildTexts(build_py):
    """Compiles the catalogues of texts into the package; in a checkout they are compiled when first read."""

    def run(self) -> None:
        """Copy the packages, then write a .mo file beside each .po file."""
        super().run()
        if not self.editable_mode:
            TEXTS["compile_all"](Path(self.build_lib, "web_ui", "text", "locale"))


class BuildCore(build_ext):
    """Builds all compiled modules or none, because they read one another's structures."""

    def run(self) -> None:
        """Build the modules and write the checksum of their sources; on an error, install without them."""
        try:
            super().run()
        except Exception as error:  # noqa: BLE001 - no compiler, no headers, no memory
            _report(error)
            for path in self._compiled():
                path.unlink(missing_ok=True)
            self.extensions = []
        else:
            for path in self._compiled():
                path.with_name(CORE["CHECKSUM"]).write_text(CORE["checksum"]())

    def _compiled(self) -> list[Path]:
        return [Path(self.get_ext_fullpath(each.name)) for each in self.extensions]


def extensions() -> list[Extension]:
    """Return the modules to compile; none where no Cython can translate them."""
    try:
        from Cython.Build import cythonize

        found: list[Extension] = cythonize(
            [
                Extension(f"{PACKAGE}.{name}", [f"device/bots/core/{name}.py"], extra_compile_args=["-O3"])
                for name in CORE["MODULES"]
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
    except Exception as error:  # noqa: BLE001 - the package works without compiled modules
        _report(error)
        return []
    return found


def _report(error: Exception) -> None:
    sys.stderr.write(f"azul-table: the bots' core stays uncompiled: {error}\n")


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildCore, "build_py": BuildTexts})
