"""The folder of a table: its saved games and settings, and in `run` what the table that runs there holds."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SOCKET: Final = "azul-table.sock"
"""The table's socket, in the folder `run`."""


class TakenError(Exception):
    """Another process has the folder for itself; the message names the folder."""


def default_data() -> Path:
    """Where games are kept unless --data says otherwise."""
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base, "azul-table").expanduser()


def socket_in(data: Path) -> Path:
    """The socket of the table that runs with a folder, if one does."""
    return data / "run" / SOCKET


@contextmanager
def taken(data: Path) -> Iterator[Path]:
    """Make the folder if it is missing and have it alone; gives `run` in it. Raises TakenError, OSError."""
    runtime = data / "run"
    runtime.mkdir(parents=True, exist_ok=True)
    runtime.chmod(0o755)
    with (runtime / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TakenError(str(data)) from None
        yield runtime
