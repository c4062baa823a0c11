"""The service manager (systemd): readiness and watchdog notifications, and a socket that it hands over.

This is the protocol of sd_notify and of socket activation. Where no service manager started this process,
every method does nothing.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from typing import Final

FIRST_HANDED: Final = 3  # the file descriptor of the first socket that is handed over
PINGS: Final = 3  # watchdog notifications in the time after which the service manager restarts the process


class ServiceManager:
    """The service manager that started this process, if one did.

    Its variables are removed from the environment: they are not meant for child processes.
    """

    def __init__(
        self,
        environment: MutableMapping[str, str] = os.environ,
        pid: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        pid = os.getpid() if pid is None else pid
        variables = {
            name: environment.pop(name, "")
            for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS")
        }
        environment.pop("LISTEN_FDNAMES", None)
        self._clock = clock
        self._address = _socket_address(variables["NOTIFY_SOCKET"])
        microseconds = variables["WATCHDOG_USEC"]
        watched = microseconds.isdigit() and variables["WATCHDOG_PID"] in ("", str(pid))
        self._interval = int(microseconds) / 1e6 / PINGS if watched else None
        self._last_ping = float("-inf")
        self._handed = variables["LISTEN_PID"] == str(pid) and variables["LISTEN_FDS"] == "1"

    def port(self) -> socket.socket | None:
        """Return the listening socket that was handed over; None if there is none, or more than one."""
        if not self._handed:
            return None
        self._handed = False
        os.set_inheritable(FIRST_HANDED, False)  # noqa: FBT003 - by its signature
        return socket.socket(fileno=FIRST_HANDED)

    def ready(self) -> None:
        """Notify that the service has started."""
        self._notify("READY=1")

    def alive(self) -> None:
        """Notify the watchdog, if there is one, at most `PINGS` times in its interval."""
        now = self._clock()
        if self._interval is not None and now - self._last_ping >= self._interval:
            self._last_ping = now
            self._notify("WATCHDOG=1")

    def stopping(self) -> None:
        """Notify that the service is stopping, as it was asked to."""
        self._notify("STOPPING=1")

    def _notify(self, state: str) -> None:
        """Send a notification; never wait, and ignore errors."""
        if self._address is not None:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
                line.settimeout(0)
                line.sendto(state.encode("ascii"), self._address)


def _socket_address(name: str) -> str | None:
    """Return the address of a Unix socket: a path, or an abstract name, which begins with `@`."""
    if name.startswith("@"):
        return "\0" + name[1:]
    return name if name.startswith("/") else None
