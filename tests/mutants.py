"""Mutation testing of one room: put faults into a copy of it, one at a time, and see whether its tests fail.

`python -m tests.mutants device/rules --number 60 --seed 1`. A mutant is one changed syntax node: a
comparison, an arithmetic or boolean operator, a condition, a number, a returned value, or a statement that is
left out. It is killed when an unmarked test of the room fails or takes far too long; the survivors are
printed with their lines.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).parents[1]
COPIED: Final = ("device", "firmware_bridge", "hardware", "web_ui", "tests", "systemd")
COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A node of a file and what takes its place."""

    file: Path
    node: ast.expr | ast.stmt
    replacement: str

    def source(self, text: str) -> str:
        """Return the file's text with the mutation."""
        lines = text.encode().splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        assert self.node.end_lineno is not None
        assert self.node.end_col_offset is not None
        begin = starts[self.node.lineno - 1] + self.node.col_offset
        end = starts[self.node.end_lineno - 1] + self.node.end_col_offset
        return (text.encode()[:begin] + self.replacement.encode() + text.encode()[end:]).decode()

    def __str__(self) -> str:
        old = " ".join(ast.unparse(self.node).split())
        return f"{self.file}:{self.node.lineno}: {old[:100]}  ->  {self.replacement[:100]}"


def mutants_of(file: Path, text: str) -> Iterator[Mutant]:
    """Yield every mutant of a file; texts, annotations and decorators stay as they are."""
    for node in _code(ast.parse(text)):
        if isinstance(node, ast.If | ast.While) and isinstance(
            node.test, ast.Name | ast.Attribute | ast.Call
        ):
            yield Mutant(file, node.test, f"(not {ast.unparse(node.test)})")
        for changed in _changes(node):
            unparsed = changed if isinstance(changed, str) else ast.unparse(changed)
            yield Mutant(file, node, f"({unparsed})" if isinstance(node, ast.expr) else unparsed)


def _code(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield the nodes below that are executed, outermost first."""
    skipped = {
        "annotation",
        "returns",
        "decorator_list",
        "bases",
        "keywords" if isinstance(node, ast.ClassDef) else "",
    }
    for name, value in ast.iter_fields(node):
        if name in skipped or isinstance(
            node, ast.JoinedStr
        ):  # an f-string's parts have no place of their own
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            if isinstance(child, ast.AST):
                yield from _code(child)


def _changes(node: ast.expr | ast.stmt) -> Iterator[ast.AST | str]:
    """Yield what may take the place of a node."""
    changed = copy.deepcopy(node)
    match changed:
        case ast.Compare(ops=[operator]):
            changed.ops = [COMPARISONS[type(operator)]()]
            yield changed
        case ast.BinOp(op=operator) if type(operator) in OPERATORS:
            changed.op = OPERATORS[type(operator)]()
            yield changed
        case ast.BoolOp(op=operator):
            changed.op = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield changed
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.IfExp(test=test):
            changed.test = ast.UnaryOp(ast.Not(), test)
            yield changed
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield str(value + 1)
        case ast.Return(value=ast.expr() as value) if not (
            isinstance(value, ast.Constant) and value.value is None
        ):
            yield "return None"
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            yield "pass"


class Room:
    """A copy of the checkout in which the files of a room are mutated, with the tests of that room."""

    def __init__(self, folder: Path, room: str, tests: list[str]) -> None:
        self.folder = folder
        self.room = Path(room)
        self.tests = tests
        for name in COPIED:
            shutil.copytree(CHECKOUT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for each in (path for path in CHECKOUT.iterdir() if path.is_file()):
            shutil.copy2(each, folder)
        began = time.monotonic()
        if not self.passes(timeout=None):
            sys.exit(f"the tests of {room} fail without any mutation")
        self.timeout = 30 + 4 * (time.monotonic() - began)

    def mutants(self) -> list[Mutant]:
        """Return every mutant of the room."""
        files = sorted(path.relative_to(self.folder) for path in (self.folder / self.room).rglob("*.py"))
        return [
            mutant
            for file in files
            if "simulator" not in file.parts
            for mutant in mutants_of(file, (self.folder / file).read_text("utf-8"))
        ]

    def kills(self, mutant: Mutant) -> bool:
        """Return whether the tests fail with a mutant."""
        file = self.folder / mutant.file
        text = file.read_text("utf-8")
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*"):  # it may seem up to date
            compiled.unlink()
        file.write_text(mutant.source(text), "utf-8")
        try:
            return not self.passes(self.timeout)
        finally:
            file.write_text(text, "utf-8")

    def passes(self, timeout: float | None) -> bool:
        """Run the unmarked tests of the room up to the first failure; a timeout is a failure."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not system", "-p", "no:cacheprovider"]
        unwritten = {} if timeout is None else {"PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.Popen(
            [*command, *self.tests],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder), **unwritten},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return done.wait(timeout) == 0
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, 9)
            done.wait()
            return False


def main() -> None:
    """Try a sample of the mutants of a room; print the survivors and the score."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=main.__doc__)
    parser.add_argument("room", help="folder of a room, as device/rules")
    parser.add_argument("tests", nargs="*", help="test files or folders instead of the room's own folder")
    parser.add_argument("--number", type=int, default=60, help="size of the sample (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample (default: %(default)s)")
    given = parser.parse_args()
    tests = given.tests or [f"tests/{given.room.removeprefix('device/')}"]
    os.nice(19)
    with tempfile.TemporaryDirectory(prefix="azul-mutants-") as folder:
        room = Room(Path(folder), given.room, tests)
        mutants = room.mutants()
        sample = random.Random(given.seed).sample(mutants, min(given.number, len(mutants)))
        survivors = 0
        for mutant in sample:
            if not room.kills(mutant):
                survivors += 1
                print(f"survived: {mutant}", flush=True)  # noqa: T201
    score = f"{len(sample) - survivors} of {len(sample)} mutants killed"
    print(f"{given.room}: {score}, a sample of {len(mutants)} by seed {given.seed}")  # noqa: T201


if __name__ == "__main__":
    main()
