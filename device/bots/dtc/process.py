"""A bot program as a child process: it writes a line at its start and one after every turn that it reads.

Any other behaviour raises a BotError with a description. The program runs on its own turns only: between them
its processes are stopped, so that it can't think on the opponent's time. It is started by a supervisor
process (`supervisor.py`), which enforces its limits and kills it with all processes that it has started, also
when this process is killed.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from device.bots.dtc import supervisor

LONGEST_LINE: Final = 100  # bytes; no line of the protocol has more than seven
_ENDING_SECONDS: Final = 0.25  # seconds that a program that closed its output may take to end
_REPORT_SECONDS: Final = 10.0  # seconds that the supervisor may take to report an end, on a busy machine


class BotError(Exception):
    """A fault of a bot: `why` is one of the record's forfeits, `sentence` describes it; 'it' is the bot."""

    def __init__(self, why: str, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Limits:
    """Resources that a program may use."""

    memory: int = 4 * 1024**3  # bytes, of all its processes together
    tasks: int = 256  # processes and threads
    start: float = 10.0  # seconds from its start to its first line
    end: float = 1.0  # seconds to end by itself when its input ends


class Program:
    """A running bot program; use it in a `with` statement."""

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        limits: Limits | None = None,
        core: int | None = None,
        folder: Path | None = None,
    ) -> None:
        """Start a program on a processor core (None: any), in a folder, with its standard error in `log`.

        Raises OSError if this machine can't start the supervisor; `first_line` reports if the program can't
        be started.
        """
        self._limits = limits or Limits()
        with log.open("wb", buffering=0) as log_file, ExitStack() as started:
            ours, control = map(started.enter_context, socket.socketpair())
            settings = {
                "control": control.fileno(),
                "log": log_file.fileno(),
                "memory": self._limits.memory,
                "tasks": self._limits.tasks,
                "core": core,
            }
            self._supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", supervisor.__file__, json.dumps(settings), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(control.fileno(), log_file.fileno()),
                start_new_session=True,
                bufsize=0,
                cwd=folder,
            )
            control.close()
            started.pop_all()
        self._started = time.monotonic()
        self._control = ours
        self._received = b""
        self._end: dict[str, Any] | None = None  # the supervisor's report of its end
        assert self._supervisor.stdin is not None
        assert self._supervisor.stdout is not None
        self._input = self._supervisor.stdin
        self._output = self._supervisor.stdout
        os.set_blocking(self._input.fileno(), False)
        os.set_blocking(self._output.fileno(), False)
        self._unsent = b""
        self._unread = b""
        self._open = True  # its standard output
        self._process = 0  # its process id, not reused while the supervisor lives

    # --- Conversation --------------------------------------------------------------------------------------

    def first_line(self) -> str:
        """Return the line that it writes at its start, without the line feed. Raises BotError."""
        try:
            line = self._line(self._started + self._limits.start)
        except TimeoutError:
            limit = f"{self._limits.start:g} s"
            message = f"it wrote no first line within {limit} of its start{self._incomplete_line()}"
            raise BotError("time", message) from None
        self._stop()
        return line

    def ask(self, text: str, milliseconds: float) -> tuple[str, float]:
        """Send a turn; return the answer, without line feed, and its milliseconds. Raises BotError."""
        self._take_output()
        if self._unread:
            raise BotError("illegal", f"it wrote {_shown(self._unread)} when it was not its turn")
        self._unsent = text.encode()
        started = time.monotonic()
        self._signal(signal.SIGCONT)
        try:
            line = self._line(started + milliseconds / 1000)
            used = (time.monotonic() - started) * 1000
            if used > milliseconds:
                raise TimeoutError
        except TimeoutError:
            left = f"{milliseconds / 1000:.3g} s"
            message = f"it did not answer in the {left} that it had left{self._incomplete_line()}"
            raise BotError("time", message) from None
        self._stop()
        return line, used

    def _incomplete_line(self) -> str:
        return f"; it wrote {_shown(self._unread)} without an end of line" if self._unread else ""

    def _line(self, deadline: float) -> str:
        """Return the next line that it writes. Raises TimeoutError at the deadline, and BotError."""
        while True:
            if (line := self._next_line()) is not None:
                return line
            if self._end is not None or not self._open:
                raise self._crash()
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._wait(left)

    def _next_line(self) -> str | None:
        """Return the line that has been read, if nothing follows it."""
        line, end, rest = self._unread.partition(b"\n")
        if len(line) > LONGEST_LINE:
            message = f"it wrote a line of more than {LONGEST_LINE} characters"
            raise BotError("illegal", f"{message}: {_shown(line)}")
        if not end:
            return None
        if rest:
            raise BotError("illegal", f"it wrote more than one line at once: {_shown(self._unread)}")
        self._unread = b""
        if not line.isascii():
            raise BotError("illegal", f"it wrote {_shown(line)}, which is no text of the protocol")
        return line.decode("ascii")

    def _wait(self, seconds: float) -> None:
        """Wait for input, output or a message of the supervisor, and process it."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        if self._open:
            poll.register(self._output, select.POLLIN)
        if self._unsent:
            poll.register(self._input, select.POLLOUT)
        for descriptor, _ in poll.poll(seconds * 1000 + 1):
            if descriptor == self._control.fileno():
                self._receive()
                self._take_output()
            elif descriptor == self._output.fileno():
                self._take_output()
            else:
                self._send()

    def _send(self) -> None:
        """Write as much as the pipe accepts; if it does not read, its answer will be missing."""
        try:
            self._unsent = self._unsent[os.write(self._input.fileno(), self._unsent) :]
        except BrokenPipeError:
            self._unsent = b""

    def _take_output(self) -> None:
        """Read its output, up to the longest line."""
        while self._open and len(self._unread) <= LONGEST_LINE:
            try:
                data = os.read(self._output.fileno(), 4096)
            except BlockingIOError:
                return
            self._unread += data
            self._open = bool(data)

    # --- End -----------------------------------------------------------------------------------------------

    def _receive(self) -> None:
        """Read messages of the supervisor."""
        data = self._control.recv(65_536)
        if not data:
            self._end = {"lost": True}
            return
        *lines, self._received = (self._received + data).split(b"\n")
        for message in map(json.loads, lines):
            if "started" in message:
                self._process = message["started"]
            elif self._end is None:
                self._end = message

    def _crash(self) -> BotError:
        """Return a BotError that says how it ended."""
        closed = time.monotonic()
        while self._end is None:
            patience = _REPORT_SECONDS if supervisor.has_ended(self._process) else _ENDING_SECONDS
            if time.monotonic() > closed + patience:
                break
            self._wait(supervisor.CHECK_INTERVAL)
        match self._end:
            case None:
                message = "it closed its standard output"
            case {"failed": why}:
                message = f"it could not be started: {why}"
            case {"over": "memory"}:
                message = f"it used more than its {self._limits.memory / 1024**3:.3g} GB of memory"
            case {"over": "tasks"}:
                message = f"it started more than {self._limits.tasks} processes and threads"
            case {"exited": status, "words": words}:
                message = f"it ended by itself with status {status}{_last(words)}"
            case {"killed": number, "words": words}:
                name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
                message = f"it was killed by {name}{_last(words)}"
            case _:
                message = "it and its supervisor were killed"
        return BotError("crash", message)

    def _stop(self) -> None:
        """Stop it until its next turn."""
        if not self._process:
            self._receive()  # the first message was sent before the bot could write anything
        self._signal(signal.SIGSTOP)

    def _signal(self, number: signal.Signals) -> None:
        """Send a signal to its process group, then to processes that it has started outside of that group."""
        if self._process and self._end is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process, number)
            for process in supervisor.descendants(self._supervisor.pid):
                with suppress(ProcessLookupError, PermissionError):
                    if os.getpgid(process) not in (self._process, self._supervisor.pid):
                        os.kill(process, number)

    def close_input(self) -> None:
        """Close its input: the game is over."""
        self._input.close()
        self._unsent = b""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill it, from any thread; a pending call raises BotError, and `close` must still be called."""
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)

    def close(self, *, at_once: bool = False) -> None:
        """Close its input, let it end by itself unless `at_once`, then kill and reap what is left."""
        if self._output.closed:
            return
        self.close_input()
        deadline = time.monotonic() + (0 if at_once else self._limits.end)
        while self._end is None and (left := deadline - time.monotonic()) > 0:
            self._unread = b""
            self._wait(left)
        self._output.close()
        self._control.close()
        self._signal_supervisor(signal.SIGCONT)  # its bot may have stopped it
        try:
            self._supervisor.wait(2 * supervisor.ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._signal_supervisor(signal.SIGKILL)
            self._supervisor.wait()

    def _signal_supervisor(self, number: signal.Signals) -> None:
        """Send a signal to the supervisor and its guard."""
        with suppress(ProcessLookupError):
            os.killpg(self._supervisor.pid, number)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close(at_once=fault[0] is not None)


def _shown(data: bytes) -> str:
    """Return the start of what a bot wrote, printable and short."""
    text = ascii(data[:60].decode("latin-1"))
    return text + "..." if len(data) > 60 else text


def _last(words: str) -> str:
    """Return the last line of a log as a part of a sentence."""
    return f"; its last words: {ascii(words)[1:-1]}" if words else ""
