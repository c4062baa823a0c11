"""A service manager, if one started us: what it is told (sd_notify), and the port that it hands over.

Both are a few lines of an old and stable protocol, so that no library is needed for them.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from typing import Final

FIRST_HANDED: Final = 3
"""The file descriptor of the first socket that is handed over."""
OFTEN: Final = 3
"""How many signs of life are sent in the time after which one is missed."""


class ServiceManager:
    """Whoever started this process; without one, all of it does nothing.

    What it left in the environment is taken out of it: it is not meant for our children.
    """

    def __init__(
        self,
        environment: MutableMapping[str, str] = os.environ,
        pid: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        pid = os.getpid() if pid is None else pid
        left = {
            name: environment.pop(name, "")
            for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS")
        }
        environment.pop("LISTEN_FDNAMES", None)
        self._clock = clock
        self._address = _address(left["NOTIFY_SOCKET"])
        watched = left["WATCHDOG_USEC"].isdigit() and left["WATCHDOG_PID"] in ("", str(pid))
        self._pause = int(left["WATCHDOG_USEC"]) / 1e6 / OFTEN if watched else None
        self._told_at = float("-inf")
        self._handed = left["LISTEN_PID"] == str(pid) and left["LISTEN_FDS"] == "1"

    def port(self) -> socket.socket | None:
        """Return the listening socket that was handed over, None if none was, or several."""
        if not self._handed:
            return None
        self._handed = False
        os.set_inheritable(FIRST_HANDED, False)  # noqa: FBT003 - by its signature
        return socket.socket(fileno=FIRST_HANDED)

    def ready(self) -> None:
        """Say that the table can be seen."""
        self._tell("READY=1")

    def alive(self) -> None:
        """Say that the loop goes round, if that is watched, and no oftener than needed."""
        now = self._clock()
        if self._pause is not None and now - self._told_at >= self._pause:
            self._told_at = now
            self._tell("WATCHDOG=1")

    def stopping(self) -> None:
        """Say that the table ends because it was asked to."""
        self._tell("STOPPING=1")

    def _tell(self, words: str) -> None:
        """Tell it if it listens; a table does not stop because nobody hears it, nor wait for that."""
        if self._address is not None:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
                line.settimeout(0)
                line.sendto(words.encode("ascii"), self._address)


def _address(named: str) -> str | None:
    """Return the address of a Unix socket: a path, or an abstract name, which begins with `@`."""
    if named.startswith("@"):
        return "\0" + named[1:]
    return named if named.startswith("/") else None
