"""Architecture: imports between packages, packaging, and the names and links in the documents."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[1]
OURS = ("device", "hardware", "firmware_bridge", "web_ui", "tests")
SETTINGS = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))
PACKAGES: list[str] = SETTINGS["tool"]["setuptools"]["packages"]
PACKAGE_DATA: dict[str, list[str]] = SETTINGS["tool"]["setuptools"]["package-data"]

MAY_IMPORT = {
    "device.rules": (),
    "device.records": ("device.rules",),
    "device.table": ("device.rules", "device.records"),
    "device.lights": ("device.rules", "device.table"),
    "device.socket": ("device.rules", "device.records", "device.table", "device.lights"),
    "device.store": ("device.rules", "device.records", "device.table", "device.socket"),
    "device.bots": ("device.rules", "device.records"),
    "device.runtime": (
        *("device.rules", "device.records", "device.table", "device.lights", "device.socket"),
        *("device.store", "device.bots", "hardware"),
    ),
    "device.bench": (
        *("device.rules", "device.records", "device.table", "device.lights", "device.socket"),
        *("device.bots", "device.runtime", "hardware", "firmware_bridge"),
    ),
    "device.commands": (
        *("device.rules", "device.records", "device.table", "device.lights", "device.socket", "device.store"),
        *("device.bots", "device.runtime", "device.bench", "hardware", "firmware_bridge"),
    ),
    "hardware.layout": ("hardware.api",),
    "hardware.drivers": ("hardware.api", "hardware.pixels", "hardware.layout", "firmware_bridge"),
    "hardware.diagnostics": (
        *("hardware.api", "hardware.power", "hardware.layout", "hardware.drivers", "firmware_bridge"),
    ),
    "hardware.papers": ("hardware.api", "hardware.pixels", "hardware.power", "hardware.layout"),
    "firmware_bridge": (),
    "web_ui": (),
}
"""The packages of this project that each package may import, beside itself."""

NAMES_OF_HARDWARE = ("device.table", "device.lights", "device.socket")
"""Packages of the device that may import `hardware.api`, and nothing else of the hardware."""

PURE = ("device.rules", "device.records", "device.table", "device.lights")
"""Packages that hold values and functions on values: no clock, no random numbers, no files."""

VENDORS = (
    *("adafruit_pn532", "board", "busio", "digitalio", "gpiod", "gpiozero", "lgpio", "neopixel"),
    *("rpi_ws281x", "spidev", "zeroconf"),
)
"""Libraries that the extras `pi` and `network` install."""

NOT_PURE = {
    "asyncio",
    "datetime",
    "fcntl",
    "http",
    "io",
    "logging",
    "multiprocessing",
    "os",
    "pathlib",
    "queue",
    "random",
    "secrets",
    "select",
    "selectors",
    "shutil",
    "signal",
    "socket",
    "sqlite3",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
    "time",
    "urllib",
    "uuid",
}
"""Modules that read a clock, draw by chance or reach out of the process."""


@dataclass(frozen=True, slots=True)
class Import:
    """An import statement's module, with its file and line."""

    file: str
    line: int
    importer: str
    imported: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.importer} imports {self.imported}"

    def of(self, *packages: str) -> bool:
        """Return whether it imports one of these packages or something in it."""
        return any(
            self.imported == package or self.imported.startswith(f"{package}.") for package in packages
        )


@cache
def files() -> tuple[Path, ...]:
    """Return every file that git tracks; without git, every file that is not hidden."""
    git = shutil.which("git")
    if git is not None and (HOUSE / ".git").exists():
        listed = subprocess.run(
            [git, "-C", HOUSE, "ls-files", "-z"], capture_output=True, text=True, check=False
        )
        if listed.returncode == 0:
            paths = [HOUSE / name for name in listed.stdout.split("\0") if name]
            return tuple(path for path in paths if path.is_file())
    hidden = (".", "__pycache__", "build", "dist", "play-data")
    return tuple(
        path
        for path in sorted(HOUSE.rglob("*"))
        if path.is_file()
        and path.suffix not in (".so", ".sha256")
        and not any(part.startswith(hidden) or part.endswith(".egg-info") for part in inside(path).parts)
    )


def inside(path: Path) -> Path:
    return path.relative_to(HOUSE)


files()  # asks git during the collection: a test without the mark `system` must not


def python_files(*rooms: str) -> Iterator[Path]:
    for path in files():
        if path.suffix == ".py" and any(inside(path).is_relative_to(room) for room in rooms):
            yield path


def module_of(path: Path) -> str:
    parts = inside(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(*packages: str) -> Iterator[Import]:
    """Yield everything that the files of packages import, wherever in the file."""
    for path in python_files(*packages):
        yield from imports_of(path)


@cache
def imports_of(path: Path) -> tuple[Import, ...]:
    """Return the imports of a file, relative ones with their full names."""
    module, file = module_of(path), str(inside(path))
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found += [Import(file, node.lineno, module, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            found += [Import(file, node.lineno, module, f"{base}.{alias.name}") for alias in node.names]
    return tuple(found)


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all syntax nodes of a file."""
    return tuple(ast.walk(ast.parse(path.read_text("utf-8"))))


def listed(found: list[Import]) -> str:
    return "\n".join(map(str, found))


# --- Who may import whom ---------------------------------------------------------------------------------


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_what_it_may(package: str) -> None:
    allowed = (package, *MAY_IMPORT[package], *(("hardware.api",) if package in NAMES_OF_HARDWARE else ()))
    wrong = [each for each in imports(package.replace(".", "/")) if each.of(*OURS) and not each.of(*allowed)]
    assert not wrong, listed(wrong)


def test_every_package_has_its_rule() -> None:
    rooms = {".".join(name.split(".")[:2]) for name in PACKAGES if name.startswith(("device.", "hardware."))}
    assert rooms == {name for name in MAY_IMPORT if "." in name}


@pytest.mark.parametrize("package", PURE)
def test_a_pure_package_has_no_clock_no_random_numbers_and_no_files(package: str) -> None:
    room = package.replace(".", "/")
    wrong = [str(each) for each in imports(room) if each.of(*NOT_PURE)]
    wrong += [
        f"{inside(path)}:{node.lineno}: {node.func.id}()"
        for path in python_files(room)
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("open", "print", "input")
    ]
    assert not wrong, "\n".join(wrong)


def test_the_rules_need_the_standard_library_only() -> None:
    wrong = [
        each
        for each in imports("device/rules")
        if not each.of(*OURS) and each.imported.split(".")[0] not in sys.stdlib_module_names
    ]
    assert not wrong, listed(wrong)


def test_sql_is_in_the_store_only() -> None:
    wrong = [
        each
        for each in imports("device")
        if each.of("sqlite3") and not each.importer.startswith("device.store")
    ]
    assert not wrong, listed(wrong)


def test_vendor_libraries_are_imported_by_drivers_only() -> None:
    wrong = [
        each
        for each in imports(*OURS[:-1])
        if each.of(*VENDORS) and not each.importer.startswith("hardware.drivers")
    ]
    assert not wrong, listed(wrong)


def test_vendor_libraries_are_imported_inside_open() -> None:
    """The files of hardware/ can be imported without these libraries, which only the extras install."""
    wrong = []
    for path in python_files("hardware"):
        for node in ast.parse(path.read_text("utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            wrong += [f"{path.name}:{node.lineno}: {name}" for name in names if name.split(".")[0] in VENDORS]
    assert not wrong, "\n".join(wrong)


def test_nothing_imports_the_tests_and_the_device_no_pages() -> None:
    wrong = [each for each in imports(*OURS[:-1]) if each.of("tests")]
    wrong += [each for each in imports("device", "hardware") if each.of("web_ui")]
    assert not wrong, listed(wrong)


def test_dataclasses_are_in_the_device_only() -> None:
    """`dataclasses.replace` of a struct raises TypeError, and mypy does not notice."""
    wrong = [each for each in imports("hardware", "firmware_bridge", "web_ui") if each.of("dataclasses")]
    wrong += [each for each in imports("device.rules", "device.table") if each.of("msgspec")]
    assert not wrong, listed(wrong)


def test_random_numbers_are_drawn_outside_the_pure_packages() -> None:
    may = ("device.runtime", "device.store", "device.commands", "device.bots", "device.bench")
    wrong = [
        each
        for each in imports("device")
        if each.of("random", "secrets") and not each.importer.startswith(may)
    ]
    assert not wrong, listed(wrong)


# --- Files and packages ----------------------------------------------------------------------------------


def test_no_two_top_level_names_are_a_vendors() -> None:
    """Vendor libraries install `board`, `keypad`, `digitalio` beside ours."""
    packages = {name for name in PACKAGES if "." not in name}
    assert packages <= {"device", "hardware", "firmware_bridge", "web_ui"}


def test_every_package_is_packaged() -> None:
    found = {module_of(path) for path in python_files(*OURS[:-1]) if path.name == "__init__.py"}
    assert found <= set(PACKAGES)
    assert [name for name in PACKAGES if not (HOUSE / name.replace(".", "/") / "__init__.py").exists()] == []


def test_every_file_of_a_package_is_packaged() -> None:
    """An installed table needs these files beside its modules; notes and pictures may be missing."""
    missing = []
    for path in files():
        if inside(path).parts[0] not in OURS[:-1] or path.suffix in (".md", ".jpg", ".png"):
            continue
        if inside(path).is_relative_to("hardware/wiring"):  # papers for makers, who have the repository
            continue
        package = next(name for name in map(dotted, inside(path).parents) if name in PACKAGES)
        below = path.relative_to(HOUSE / package.replace(".", "/"))
        if path.suffix == ".py" and len(below.parts) == 1:
            continue
        patterns = map(Path, PACKAGE_DATA.get(package, []))
        if not any(len(each.parts) == len(below.parts) and below.match(str(each)) for each in patterns):
            missing.append(f"{package}: {below}")
    assert not missing, "\n".join(missing)


def dotted(folder: Path) -> str:
    return ".".join(folder.parts)


# --- The documents ---------------------------------------------------------------------------------------

DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
SHORT_PATH = re.compile(r"`([\w/]+\.(?:py|toml|js|md|html))`")
"""A file in code quotes; the documents may leave out the beginning of its path."""


def test_the_readme_names_the_two_commands() -> None:
    lines = (HOUSE / "README.md").read_text("utf-8").splitlines()
    commands = [line.strip() for line in lines if line.startswith("make ")]
    assert commands[:2] == ["make play", "make test"]


def test_the_architecture_names_every_folder_and_every_package_of_the_device() -> None:
    text = (HOUSE / "ARCHITECTURE.md").read_text("utf-8")
    folders = {inside(path).parts[0] for path in files() if len(inside(path).parts) > 1}
    rooms = {
        name.replace(".", "/") for name in PACKAGES if name.count(".") == 1 and name.startswith("device")
    }
    named = {*folders, *rooms}
    assert [name for name in sorted(named) if name[0] != "." and f"`{name}/" not in text] == []


def test_every_link_of_the_documents_leads_somewhere() -> None:
    dead = [
        f"{inside(document)}: {target}"
        for document in files()
        if document.suffix == ".md"
        for target in re.findall(r"\]\(([^)#\s]+)", document.read_text("utf-8"))
        if "://" not in target and not (document.parent / target).exists()
    ]
    assert not dead, "\n".join(dead)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_that_a_document_names_exists(document: str) -> None:
    text = (HOUSE / document).read_text("utf-8")
    named = re.findall(r"`((?:device|hardware|firmware_bridge|web_ui|tests|systemd)/[\w/.-]*)`", text)
    missing = [path for path in named if not (HOUSE / path).exists()]
    known = [f"/{inside(path)}" for path in files()]
    ours = {"my-table.toml", "settings.toml", "pt.toml"}  # files of the reader's own
    missing += [
        path
        for path in SHORT_PATH.findall(text)
        if path not in ours and not any(each.endswith(f"/{path}") for each in known)
    ]
    assert missing == []


# --- The commands ----------------------------------------------------------------------------------------

SCRIPTS = [script for script in distribution("azul-table").entry_points if script.group == "console_scripts"]


@pytest.mark.system
@pytest.mark.parametrize("script", SCRIPTS, ids=[script.name for script in SCRIPTS])
def test_a_command_takes_no_module_of_the_working_directory(tmp_path: Path, script: object) -> None:
    for name in ("board", "click", "device", "hardware", "keypad", "digitalio", "msgspec", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')\n")
    command = Path(sys.executable).with_name(getattr(script, "name"))  # noqa: B009
    for arguments in (["--help"], ["--version"]):
        said = subprocess.run(
            [command, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=30
        )
        assert said.returncode == 0, said.stderr
        assert said.stdout
        assert said.stderr == ""
