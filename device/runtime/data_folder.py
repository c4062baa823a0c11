"""The data folder of a table: saved games and settings, with the lock and the socket in its folder `run`."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SOCKET: Final = "azul-table.sock"  # the table's socket in the folder `run`


class FolderInUseError(Exception):
    """Another process holds the lock of the data folder; the message names the folder."""


def default_data_folder() -> Path:
    """Return the data folder that is used without the option --data."""
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base, "azul-table").expanduser()


def socket_path(data: Path) -> Path:
    """Return the path of the socket in a data folder; the socket exists while a table runs there."""
    return data / "run" / SOCKET


@contextmanager
def locked(data: Path) -> Iterator[Path]:
    """Lock a data folder, made if missing, and yield its folder `run`. Raises FolderInUseError, OSError."""
    runtime = data / "run"
    runtime.mkdir(parents=True, exist_ok=True)
    runtime.chmod(0o755)
    with (runtime / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderInUseError(str(data)) from None
        yield runtime
