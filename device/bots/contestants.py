"""Who plays in a match: a built-in bot by its name, or any program by its command line."""

import hashlib
import re
import shlex
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from device.bots.builtin import NAMES


class ContestantError(ValueError):
    """A text that names nobody who could play."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A bot as a program to start; a built-in one takes its random numbers from the game's seed."""

    name: str
    command: tuple[str, ...]
    built_in: bool = False

    def command_for(self, seed: str) -> tuple[str, ...]:
        """The command that plays one game."""
        return (*self.command, "--seed", seed) if self.built_in else self.command

    @property
    def fingerprint(self) -> str:
        """Changes when the command does, or a file that it names."""
        digest = hashlib.sha256()
        for word in self.command:
            digest.update(word.encode(errors="surrogateescape") + b"\0")
            if not self.built_in and (program := _file(word)) is not None:
                with suppress(OSError):  # what nobody may read can't have been read by the bot either
                    digest.update(hashlib.sha256(program.read_bytes()).digest())
        return digest.hexdigest()[:16]


_NAMED: Final = re.compile(r"([^\s/=.'\"-][^\s/='\"]*)=(.*)", re.DOTALL)
_BUILT_IN: Final = re.compile(rf"({'|'.join(NAMES)})(?:@([1-9][0-9]{{0,6}}))?")


def contestants(texts: Iterable[str]) -> tuple[Contestant, ...]:
    """Everybody who plays, each with a name of their own; raises ContestantError."""
    found: list[Contestant] = []
    for each in map(contestant, texts):
        taken = {other.name for other in found}
        names = [each.name, *(f"{each.name} {number}" for number in range(2, len(found) + 2))]
        found.append(replace(each, name=next(name for name in names if name not in taken)))
    return tuple(found)


def contestant(text: str) -> Contestant:
    """Who plays: `greedy`, `strong@100` (milliseconds a move), `python3 bot.py`, `NAME=` and any of them."""
    name, command = None, text
    if named := _NAMED.fullmatch(text):
        name, command = named.groups()
    if built_in := _BUILT_IN.fullmatch(command):
        return Contestant(name or command, _command_of(*built_in.groups()), built_in=True)
    words = _words(command)
    if shutil.which(words[0]) is None:
        bots = ", ".join(NAMES)
        why = "may not be executed" if _file(words[0]) else "is neither a built-in bot nor a program"
        raise ContestantError(f"{words[0]!r} {why}; the bots are {bots}")
    return Contestant(name or _name_of(words), words)


def _command_of(name: str, milliseconds: str | None) -> tuple[str, ...]:
    command = (sys.executable, "-P", "-m", "device", "bot", name)
    return (*command, "--move-time", milliseconds) if milliseconds else command


def _words(command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise ContestantError(f"{command!r} is no command: {error}") from None
    if not words or not words[0]:
        raise ContestantError("a bot is a name or a command, not an empty text")
    return words


def _name_of(words: tuple[str, ...]) -> str:
    """The file that a command runs, as far as one can tell: its last word that is one."""
    files = [word for word in words if _file(word) is not None]
    name = Path(files[-1] if files else words[0]).name
    return name.encode(errors="replace").decode()


def _file(word: str) -> Path | None:
    try:
        return Path(word) if Path(word).is_file() else None
    except (OSError, ValueError):
        return None
