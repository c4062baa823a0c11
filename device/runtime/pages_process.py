"""The process of the pages (`web_ui`): started with the daemon, restarted with backoff when it ends."""

import os
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
"""Seconds before a restart: the pause doubles from the shortest to the longest."""
LONG: Final = 60.0  # seconds after which a process has run so long that the backoff begins anew
ENDING_SECONDS: Final = 3.0  # for the process to end after SIGTERM, before SIGKILL


class PagesProcess:
    """A process of `web_ui` on a listening socket, and the thread that restarts it.

    `directory` is its working directory, `table_socket` the path of the table's socket there; `log` takes one
    sentence.
    """

    def __init__(
        self,
        directory: Path,
        table_socket: str,
        listening: socket,
        log: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory
        self._table_socket = table_socket
        self._listening = listening
        self._log = log
        self._clock = clock
        self._ending = threading.Event()
        self._process = self._start()
        self._thread = threading.Thread(target=self._supervise, name="pages", daemon=True)
        self._thread.start()

    def _start(self) -> "subprocess.Popen[bytes]":
        """Start the process; it ends when its standard input is closed, as it is when this process ends."""
        command = [sys.executable, "-P", "-m", "web_ui", "--follow-parent"]
        descriptor = self._listening.fileno()
        return subprocess.Popen(
            [*command, "--socket", self._table_socket, "--listen-fd", str(descriptor)],
            cwd=self._directory,
            env={**os.environ, "MALLOC_ARENA_MAX": "1"},  # some MB: its many threads share one heap
            stdin=subprocess.PIPE,
            pass_fds=(descriptor,),
            process_group=0,  # Ctrl-C goes to this process only, which then ends that one
        )

    def _supervise(self) -> None:
        """Restart the process whenever it ends, until `close`."""
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
            self._log(f"The pages ended (status {status}); they start again in {pause:g} s.")
            if self._ending.wait(pause):
                return
            pause = min(LONGEST_PAUSE, pause * 2)
            with suppress(OSError):  # out of memory or processes: try again after the next pause
                self._process = self._start()
            if self._ending.is_set():  # `close` has terminated only the process before
                self._process.terminate()

    def close(self) -> None:
        """End the process and the thread, and wait for them."""
        self._ending.set()
        self._process.terminate()
        try:
            self._process.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._thread.join()
        if self._process.stdin is not None:
            self._process.stdin.close()
