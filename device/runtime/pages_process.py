"""The pages' process: started beside the daemon, started again if it dies, and gone when the daemon is."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from socket import socket
from typing import Final

SHORTEST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 30.0
ENDING_SECONDS: Final = 3.0
LONG: Final = 60.0
"""Seconds after which an end of the pages has nothing to do with the one before."""


class PagesProcess:
    """Keeps one process of `web_ui` running on a listening socket; a thread waits for its end."""

    def __init__(
        self,
        directory: Path,
        table_socket: str,
        listening: socket,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory
        self._table_socket = table_socket
        self._listening = listening
        self._say = say
        self._clock = clock
        self._ending = threading.Event()
        self._process = self._start()
        self._thread = threading.Thread(target=self._keep, name="pages", daemon=True)
        self._thread.start()

    def _start(self) -> "subprocess.Popen[bytes]":
        """Start it; when its standard input ends, because this process did, it ends too."""
        command = [sys.executable, "-P", "-m", "web_ui", "--follow-parent"]
        descriptor = self._listening.fileno()
        return subprocess.Popen(
            [*command, "--socket", self._table_socket, "--listen-fd", str(descriptor)],
            cwd=self._directory,
            stdin=subprocess.PIPE,
            pass_fds=(descriptor,),
            process_group=0,  # Ctrl-C is for this process, which ends that one
        )

    def _keep(self) -> None:
        pause = SHORTEST_PAUSE
        while True:
            began = self._clock()
            status = self._process.wait()
            if self._ending.is_set():
                return
            if self._process.stdin is not None:
                self._process.stdin.close()
            if self._clock() - began > LONG:
                pause = SHORTEST_PAUSE
            self._say(f"The pages ended (status {status}); they start again in {pause:g} s.")
            if self._ending.wait(pause):
                return
            pause = min(LONGEST_PAUSE, pause * 2)
            with suppress(OSError):  # no memory, or no more processes: after the next pause then
                self._process = self._start()
            if self._ending.is_set():  # `close` may have ended the one before
                self._process.terminate()

    def close(self) -> None:
        """End the process and wait for it."""
        self._ending.set()
        self._process.terminate()
        try:
            self._process.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._thread.join()
        if self._process.stdin is not None:
            self._process.stdin.close()
