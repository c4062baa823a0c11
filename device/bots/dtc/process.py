"""A bot program as a child process: one line at its start, then a line for every turn that it is told.

Whatever else it does is a BotError, which says what it was. The program runs on its own turns only: between
them its processes are stopped, so that nobody thinks on the other's time. It is started through `keeper.py`,
which holds it to its limits and ends it with all that it has started, also when this process is killed.
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

LONGEST_LINE: Final = 100
"""Bytes; no line of the protocol has more than seven."""
_ENDING_SECONDS: Final = 0.25
"""How long after its last output a program may take to end."""
_TELLING_SECONDS: Final = 10.0
"""How long its end may take to be told: a busy machine may be late with it."""


class BotError(Exception):
    """What a bot did wrong: `why` is one of the record's forfeits, `sentence` says it, the bot being 'it'."""

    def __init__(self, why: str, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may use."""

    memory: int = 4 * 1024**3  # bytes, of all its processes together
    tasks: int = 256  # processes and threads
    start: float = 10.0  # seconds from its start to its first line
    end: float = 1.0  # seconds to end by itself when its input ends


class Program:
    """A running bot program; use it in a `with`."""

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        limits: Limits | None = None,
        core: int | None = None,
        folder: Path | None = None,
    ) -> None:
        """Start it on a processor's core (None: on any), with a file for its standard error, in a folder.

        Raises OSError where this machine can't do that; that the program can't be started shows later.
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
            self._keeper = subprocess.Popen(
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
        self._told = b""
        self._end: dict[str, Any] | None = None  # what the keeper told of its end
        assert self._keeper.stdin is not None
        assert self._keeper.stdout is not None
        self._input = self._keeper.stdin
        self._output = self._keeper.stdout
        os.set_blocking(self._input.fileno(), False)
        os.set_blocking(self._output.fileno(), False)
        self._unsent = b""
        self._unread = b""
        self._open = True  # its standard output
        self._process = 0  # its number, which nobody else gets while the keeper lives

    # --- The conversation --------------------------------------------------------------------------------

    def first_line(self) -> str:
        """What it writes at its start, without the line feed; raises BotError."""
        try:
            line = self._line(self._started + self._limits.start)
        except TimeoutError:
            told = f"it wrote no first line within {self._limits.start:g} s of its start{self._half_a_line()}"
            raise BotError("time", told) from None
        self._stop()
        return line

    def ask(self, text: str, milliseconds: float) -> tuple[str, float]:
        """Tell it a turn; its answer without the line feed, and the milliseconds it took. Raises BotError."""
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
            told = (
                f"it did not answer in the {milliseconds / 1000:.3g} s that it had left{self._half_a_line()}"
            )
            raise BotError("time", told) from None
        self._stop()
        return line, used

    def _half_a_line(self) -> str:
        return f"; it wrote {_shown(self._unread)} without an end of line" if self._unread else ""

    def _line(self, deadline: float) -> str:
        """The next line that it writes; raises TimeoutError at the deadline, and BotError."""
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
        """A line of what has been read, if there is one and nothing else."""
        line, end, rest = self._unread.partition(b"\n")
        if len(line) > LONGEST_LINE:
            told = f"it wrote a line of more than {LONGEST_LINE} characters"
            raise BotError("illegal", f"{told}: {_shown(line)}")
        if not end:
            return None
        if rest:
            raise BotError("illegal", f"it wrote more than one line at once: {_shown(self._unread)}")
        self._unread = b""
        if not line.isascii():
            raise BotError("illegal", f"it wrote {_shown(line)}, which is no text of the protocol")
        return line.decode("ascii")

    def _wait(self, seconds: float) -> None:
        """Wait until something happens, and take it in."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        if self._open:
            poll.register(self._output, select.POLLIN)
        if self._unsent:
            poll.register(self._input, select.POLLOUT)
        for descriptor, _ in poll.poll(seconds * 1000 + 1):
            if descriptor == self._control.fileno():
                self._hear()
                self._take_output()
            elif descriptor == self._output.fileno():
                self._take_output()
            else:
                self._send()

    def _send(self) -> None:
        """Write what the pipe takes; that nobody reads it shows in the answer that does not come."""
        try:
            self._unsent = self._unsent[os.write(self._input.fileno(), self._unsent) :]
        except BrokenPipeError:
            self._unsent = b""

    def _take_output(self) -> None:
        """Read what it has written, as far as a line may go."""
        while self._open and len(self._unread) <= LONGEST_LINE:
            try:
                data = os.read(self._output.fileno(), 4096)
            except BlockingIOError:
                return
            self._unread += data
            self._open = bool(data)

    # --- Its end -----------------------------------------------------------------------------------------

    def _hear(self) -> None:
        """Take in what the keeper tells."""
        data = self._control.recv(65_536)
        if not data:
            self._end = {"lost": True}
            return
        *lines, self._told = (self._told + data).split(b"\n")
        for message in map(json.loads, lines):
            if "started" in message:
                self._process = message["started"]
            elif self._end is None:
                self._end = message

    def _crash(self) -> BotError:
        """How it ended."""
        closed = time.monotonic()
        while self._end is None:
            patience = _TELLING_SECONDS if supervisor.has_ended(self._process) else _ENDING_SECONDS
            if time.monotonic() > closed + patience:
                break
            self._wait(supervisor.TICK)
        match self._end:
            case None:
                told = "it closed its standard output"
            case {"failed": why}:
                told = f"it could not be started: {why}"
            case {"over": "memory"}:
                told = f"it used more than its {self._limits.memory / 1024**3:.3g} GB of memory"
            case {"over": "tasks"}:
                told = f"it started more than {self._limits.tasks} processes and threads"
            case {"exited": status, "words": words}:
                told = f"it ended by itself with status {status}{_last(words)}"
            case {"killed": number, "words": words}:
                told = f"it was killed by {_signal_name(number)}{_last(words)}"
            case _:
                told = "it and its keeper were killed"
        return BotError("crash", told)

    def _stop(self) -> None:
        """Let it rest until its next turn."""
        if not self._process:
            self._hear()  # the first message was sent before the bot could write anything
        self._signal(signal.SIGSTOP)

    def _signal(self, number: signal.Signals) -> None:
        """Stop or continue it: its own group at once, then what it has started that is in no group of its."""
        if self._process and self._end is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process, number)
            for process in supervisor.descendants(self._keeper.pid):
                with suppress(ProcessLookupError, PermissionError):
                    if os.getpgid(process) not in (self._process, self._keeper.pid):
                        os.kill(process, number)

    def hang_up(self) -> None:
        """End its input: the game is over."""
        self._input.close()
        self._unsent = b""
        self._signal(signal.SIGCONT)

    def interrupt(self) -> None:
        """Have it killed, from any thread; who waits for its answer gets a BotError, and still closes it."""
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)

    def close(self, *, at_once: bool = False) -> None:
        """Hang up, give it time to end by itself unless `at_once`, and kill what is left."""
        if self._output.closed:
            return
        self.hang_up()
        deadline = time.monotonic() + (0 if at_once else self._limits.end)
        while self._end is None and (left := deadline - time.monotonic()) > 0:
            self._unread = b""
            self._wait(left)
        self._output.close()
        self._control.close()
        self._signal_keeper(signal.SIGCONT)  # its bot may have stopped it
        try:
            self._keeper.wait(2 * supervisor.ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._signal_keeper(signal.SIGKILL)
            self._keeper.wait()

    def _signal_keeper(self, number: signal.Signals) -> None:
        """Signal the keeper and its guard."""
        with suppress(ProcessLookupError):
            os.killpg(self._keeper.pid, number)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close(at_once=fault[0] is not None)


def _shown(data: bytes) -> str:
    """The beginning of what a bot wrote, printable and short."""
    text = ascii(data[:60].decode("latin-1"))
    return text + "..." if len(data) > 60 else text


def _last(words: str) -> str:
    """The last words of a log, as a part of a sentence."""
    return f"; its last words: {ascii(words)[1:-1]}" if words else ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
