"""The house as a whole: who may import whom, what is packaged, what the README promises."""

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

LONGEST_FILE = 450
"""Lines beyond which a file needs a reason here."""
LONGER = {
    "tests/hardware/test_layout_faults.py": "a table of every fault that a layout can have",
}
"""Longer files, and why each is one file all the same."""

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

IMPURE = {
    "device.__main__",
    "device.archive",
    "device.bots",
    "device.cli",
    "device.config",  # reads the settings' file
    "device.daemon",
    "device.data_folder",  # has a folder for itself
    "device.frames",  # keeps the frames that come again
    "device.grader",
    "device.historian",
    "device.messages",  # pure, but it is the socket's
    "device.pages_process",
    "device.schema",  # SQL alone, but it is the store's
    "device.service",
    "device.socket_server",
    "device.store",
    "device.table_client",
    "device.thinking",  # hands questions over to processes
}
"""What of device/ itself is not values and functions on values; commands/ and bench/ are not, either."""


@dataclass(frozen=True, slots=True)
class Import:
    """A module that a file imports, and where."""

    file: str
    line: int
    importer: str
    imported: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.importer} imports {self.imported}"

    def of(self, *packages: str) -> bool:
        """Whether it imports one of these packages, or something in it."""
        return any(
            self.imported == package or self.imported.startswith(f"{package}.") for package in packages
        )


@cache
def files() -> tuple[Path, ...]:
    """Every file that git knows; where there is no git, every file that is not hidden."""
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
        and not any(part.startswith(hidden) or part.endswith(".egg-info") for part in inside(path).parts)
    )


def inside(path: Path) -> Path:
    return path.relative_to(HOUSE)


def python_files(*rooms: str) -> Iterator[Path]:
    for path in files():
        if path.suffix == ".py" and any(inside(path).is_relative_to(room) for room in rooms):
            yield path


def module_of(path: Path) -> str:
    parts = inside(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(*packages: str) -> Iterator[Import]:
    """Everything that the files of packages import, wherever in the file."""
    for path in python_files(*packages):
        module, file = module_of(path), str(inside(path))
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(file, node.lineno, module, alias.name)
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    above = package.split(".")[: len(package.split(".")) - node.level + 1]
                    base = ".".join([*above, *([base] if base else [])])
                for alias in node.names:
                    yield Import(file, node.lineno, module, f"{base}.{alias.name}")


def told(found: list[Import]) -> str:
    return "\n".join(map(str, found))


def is_pure(module: str) -> bool:
    """Whether a module of device/ itself must be values and functions on values."""
    return module.count(".") == 1 and module not in IMPURE


# --- Who may import whom ---------------------------------------------------------------------------------


def test_the_rules_know_nothing() -> None:
    """Standard library only, and of that no clock, no chance, no files; of ours only themselves."""
    wrong = [
        each
        for each in imports("device/rules")
        if not each.of("device.rules")
        and (each.imported.split(".")[0] not in sys.stdlib_module_names or each.of(*NOT_PURE))
    ]
    assert not wrong, told(wrong)


def test_the_table_and_what_shows_it_are_pure() -> None:
    """A value in, a new value out: the rules, the hardware's names, and each other."""
    checked = {each.importer for each in imports("device") if is_pure(each.importer)}
    assert {"device.table", "device.lights", "device.snapshot", "device.situation"} <= checked
    wrong = [
        each
        for each in imports("device")
        if is_pure(each.importer)
        and (
            each.of(*NOT_PURE, *IMPURE, "device.commands", "device.bench", "web_ui", "tests")
            or (each.of("hardware") and not each.of("hardware.api"))
        )
    ]
    assert not wrong, told(wrong)


def test_nothing_pure_opens_a_file() -> None:
    wrong = [
        f"{inside(path)}:{node.lineno}: {node.func.id}()"
        for path in python_files("device")
        if is_pure(module_of(path)) or module_of(path).startswith("device.rules")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("open", "print", "input")
    ]
    assert not wrong, "\n".join(wrong)


def test_only_the_daemon_and_the_commands_open_hardware() -> None:
    may = ("device.daemon", "device.commands", "device.bench")
    wrong = [
        each
        for each in imports("device")
        if each.of("hardware") and not each.of("hardware.api") and not each.importer.startswith(may)
    ]
    assert not wrong, told(wrong)


def test_hardware_knows_no_game() -> None:
    wrong = [each for each in imports("hardware") if each.of("device", "web_ui", "tests")]
    assert not wrong, told(wrong)


def test_vendor_libraries_are_imported_inside_open() -> None:
    """A file of hardware/ must be importable where no such library is: only the extra `pi` brings them."""
    vendors = (
        "board",
        "neopixel",
        "gpiozero",
        "lgpio",
        "gpiod",
        "rpi_ws281x",
        "spidev",
        "adafruit_pn532",
        "busio",
        "digitalio",
    )
    wrong = []
    for path in python_files("hardware"):
        for node in ast.parse(path.read_text("utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            wrong += [f"{path.name}:{node.lineno}: {name}" for name in names if name.split(".")[0] in vendors]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("package", ["web_ui", "firmware_bridge"])
def test_a_room_of_its_own_imports_none_of_ours(package: str) -> None:
    others = [name for name in OURS if name != package]
    wrong = [each for each in imports(package) if each.of(*others)]
    assert not wrong, told(wrong)


def test_nothing_imports_the_tests_and_the_device_no_pages() -> None:
    wrong = [each for each in imports(*OURS[:-1]) if each.of("tests")]
    wrong += [each for each in imports("device", "hardware") if each.of("web_ui")]
    assert not wrong, told(wrong)


def test_bots_know_the_rules_and_no_table() -> None:
    wrong = [
        each
        for each in imports("device/bots")
        if each.of(*OURS) and not each.of("device.rules", "device.bots")
    ]
    assert not wrong, told(wrong)


def test_chance_is_drawn_where_the_loop_is() -> None:
    may = (
        "device.daemon",
        "device.store",
        "device.thinking",
        "device.commands",
        "device.bots",
        "device.bench",
    )
    wrong = [
        each
        for each in imports("device")
        if each.of("random", "secrets") and not each.importer.startswith(may)
    ]
    assert not wrong, told(wrong)


# --- Files and packages ----------------------------------------------------------------------------------


def test_no_file_is_long_without_a_reason() -> None:
    lengths = {str(inside(path)): len(path.read_text("utf-8").splitlines()) for path in python_files(*OURS)}
    long = {file: length for file, length in lengths.items() if length > LONGEST_FILE}
    assert long.keys() <= LONGER.keys(), {file: long[file] for file in long.keys() - LONGER.keys()}


def test_no_two_top_level_names_are_a_vendors() -> None:
    """Vendor libraries install `board`, `keypad`, `digitalio` beside ours."""
    packages = {name for name in PACKAGES if "." not in name}
    assert packages <= {"device", "hardware", "firmware_bridge", "web_ui"}


def test_every_package_is_packaged() -> None:
    found = {module_of(path) for path in python_files(*OURS[:-1]) if path.name == "__init__.py"}
    assert found <= set(PACKAGES)
    assert [name for name in PACKAGES if not (HOUSE / name.replace(".", "/") / "__init__.py").exists()] == []


def test_every_file_of_a_package_is_packaged() -> None:
    """What an installed table needs beside its modules; notes and pictures for people may stay behind."""
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


# --- The README ------------------------------------------------------------------------------------------

README = HOUSE / "README.md"


@pytest.fixture
def readme() -> str:
    return README.read_text("utf-8")


def test_the_map_of_the_device_names_each_of_its_files_once() -> None:
    """Whoever looks for a subject finds its files in `device/__init__.py`."""
    device = HOUSE / "device"
    told = ast.get_docstring(ast.parse((device / "__init__.py").read_text("utf-8")))
    files = {path.stem for path in device.glob("[!_]*.py")}
    folders = {path.parent.name for path in device.glob("*/__init__.py")}
    assert sorted(re.findall(r"`(\w+)`", told or "")) == sorted([*files, *folders])


def test_the_readme_names_the_two_commands(readme: str) -> None:
    commands = [line.strip() for line in readme.splitlines() if line.startswith("make ")]
    assert commands[:2] == ["make play", "make test"]


def test_the_readme_names_every_folder(readme: str) -> None:
    folders = {inside(path).parts[0] for path in files() if len(inside(path).parts) > 1}
    assert [name for name in sorted(folders) if name[0] != "." and f"`{name}/" not in readme] == []


def test_every_link_of_the_documents_leads_somewhere() -> None:
    dead = [
        f"{inside(document)}: {target}"
        for document in files()
        if document.suffix == ".md"
        for target in re.findall(r"\]\(([^)#\s]+)", document.read_text("utf-8"))
        if "://" not in target and not (document.parent / target).exists()
    ]
    assert not dead, "\n".join(dead)


def test_every_path_that_the_readme_names_is_there(readme: str) -> None:
    named = re.findall(r"`((?:device|hardware|firmware_bridge|web_ui|tests|systemd)/[\w/.-]*)`", readme)
    assert named
    assert [path for path in named if not (HOUSE / path).exists()] == []


# --- The commands ----------------------------------------------------------------------------------------

SCRIPTS = [script for script in distribution("azul-table").entry_points if script.group == "console_scripts"]


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
