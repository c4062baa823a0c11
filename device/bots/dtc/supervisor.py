"""Keeps one bot program: starts it, holds it to its limits, keeps its log, ends it with all that it started.

A process of its own, `python -I -S keeper.py SETTINGS COMMAND...`, so that nothing of a bot outlives its
game, however that ends. It is the parent of every orphan among the bot's children (a subreaper), and when its
control socket closes, because the game is over or the match was killed, it kills them all. A bot may kill
it: so its own parent, a guard of the same process group, waits for its end and kills what it has left. It
imports nothing of ours.

SETTINGS is JSON: `control` and `log` (descriptors of the socket and of a file to write), `memory` (bytes),
`tasks` (processes and threads), `core` (a processor's number, or null). Its standard input and output become
the bot's. The socket tells, a JSON line each: `started` (process id), `failed` (why it can't be started),
`exited` (status) or `killed` (signal), both with `words`, the last of its log, and `over`, the limit that it
broke (memory or tasks).
"""

import ctypes
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

TICK: Final = 0.05
"""Seconds between two looks at what the bot uses."""
HEAD: Final = 1_048_576
TAIL: Final = 65_536
"""Bytes of a log that are kept: its beginning and its end."""
WORDS: Final = 200
ENDING_SECONDS: Final = 5.0
NO_MORE_THAN: Final = 1000
"""Processes and threads that the bot's user may have beyond those it has: a net under the looks."""
_PARENT_DEATH_SIGNAL: Final = 1
_CHILD_SUBREAPER: Final = 36
_LIBC: Final = ctypes.CDLL(None)


class Log:
    """The bot's standard error: all of it in the file, or its beginning and its end where it is too much."""

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        self._written = 0
        self._left_out = 0
        self._tail = b""

    def take(self, data: bytes) -> None:
        """Keep what was written."""
        room = HEAD - self._written
        self._written += len(data[:room])
        with suppress(OSError):  # a full disk is no fault of the bot
            self._file.write(data[:room])
        kept = self._tail + data
        self._tail = kept[-TAIL:]
        self._left_out += len(data[room:])

    @property
    def words(self) -> str:
        """The last line that says something."""
        lines = self._tail.decode(errors="replace").split("\n")
        return next((line.strip()[-WORDS:] for line in reversed(lines) if line.strip()), "")

    def close(self) -> None:
        """Write the end, if it is not in the file yet."""
        with suppress(OSError):
            if self._left_out:
                missing = self._left_out - TAIL
                if missing > 0:
                    self._file.write(b"\n[... %d bytes left out ...]\n" % missing)
                self._file.write(self._tail[-self._left_out :])
            self._file.close()


class Keeper:
    """One bot program and everything that it starts."""

    def __init__(self, settings: dict[str, Any], command: list[str]) -> None:
        self._control = socket.socket(fileno=settings["control"])
        self._control.set_inheritable(False)
        self._memory: int = settings["memory"]
        self._tasks: int = settings["tasks"]
        self._core: int | None = settings["core"]
        self._command = command
        self._log = Log(settings["log"])
        adopt_orphans()
        self._errors, self._errors_end = os.pipe()
        os.set_blocking(self._errors, False)
        self._bot = 0
        self._process: subprocess.Popen[bytes] | None = None  # never waited for: its number stays its own
        self._poll = select.poll()

    # --- Starting ----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the bot in a session of its own, under its limits."""
        self._user_tasks = _tasks_of_user() if os.getuid() else 0
        try:
            process = subprocess.Popen(
                self._command,
                stderr=self._errors_end,
                start_new_session=True,
                preexec_fn=self._limit,  # noqa: PLW1509 - there is one thread
            )
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            self._tell({"failed": getattr(error, "strerror", None) or str(error)})
        else:
            self._process = process
            self._bot = process.pid
            self._poll.register(os.pidfd_open(self._bot), select.POLLIN)
            self._tell({"started": self._bot})
        os.close(self._errors_end)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        self._poll.register(self._errors, select.POLLIN)
        self._poll.register(self._control, select.POLLIN)

    def _limit(self) -> None:
        """In the bot's process, before its program."""
        end_with_parent()
        # Where memory is short, the kernel ends a bot first, and never the table or the match because of it.
        with suppress(OSError), open("/proc/self/oom_score_adj", "wb") as score:  # noqa: PTH123
            score.write(b"1000")
        _lower(resource.RLIMIT_CORE, 0)
        # Not the address space: runtimes reserve far more of it than they use.
        _lower(resource.RLIMIT_DATA, self._memory)
        if os.getuid():
            _lower(resource.RLIMIT_NPROC, self._user_tasks + NO_MORE_THAN)
        if self._core is not None:
            os.sched_setaffinity(0, {self._core})

    # --- Watching ----------------------------------------------------------------------------------------

    def keep(self) -> None:
        """Watch until the control socket closes, then end everything."""
        look = time.monotonic()
        while self._turn():
            if time.monotonic() >= look:
                look = time.monotonic() + TICK
                self._look()
        self._end_all()
        bury()
        self._read_log()
        self._log.close()

    def _turn(self) -> bool:
        """Wait for something to happen, a tick at the most; False when the control socket has closed."""
        for descriptor, _ in self._poll.poll(TICK * 1000):
            if descriptor == self._control.fileno():
                return False
            if descriptor == self._errors:
                self._read_log()
            else:
                self._poll.unregister(descriptor)
                self._tell_end()
        return True

    def _read_log(self) -> None:
        """Take what has been written so far, a bounded part of it."""
        with suppress(BlockingIOError):
            for _ in range(16):
                data = os.read(self._errors, 65_536)
                if not data:
                    with suppress(KeyError):
                        self._poll.unregister(self._errors)
                    return
                self._log.take(data)

    def _tell_end(self) -> None:
        """The bot itself has ended; what it has started may go on."""
        self._read_log()
        ending = os.waitid(os.P_PID, self._bot, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        assert ending is not None
        how = "exited" if ending.si_code == os.CLD_EXITED else "killed"
        self._tell({how: ending.si_status, "words": self._log.words})

    def _look(self) -> None:
        """Bury orphans, and kill everything if it uses too much."""
        memory = tasks = 0
        for process in descendants(os.getpid()):
            if process != self._bot:
                with suppress(ChildProcessError):  # a child of a child
                    os.waitpid(process, os.WNOHANG)
            threads, resident = _usage(process)
            tasks += threads
            memory += resident
        if tasks > self._tasks:
            self._tell({"over": "tasks"})
            self._end_all()
        elif memory > self._memory and _memory_shared_out() > self._memory:
            self._tell({"over": "memory"})
            self._end_all()

    def _end_all(self) -> None:
        """Kill everything that the bot has started, and itself."""
        if self._bot:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._bot, signal.SIGKILL)
        kill_all_below()

    def _tell(self, message: dict[str, Any]) -> None:
        with suppress(OSError):
            self._control.sendall(json.dumps(message).encode() + b"\n")


def guard(ends: Iterable[int]) -> None:
    """Go on in a child; this process lets go of these descriptors, and kills what the child has left."""
    adopt_orphans()
    keeper = os.fork()
    if keeper:
        for descriptor in ends:
            os.close(descriptor)
        os.waitpid(keeper, 0)
        deadline = time.monotonic() + ENDING_SECONDS
        kill_all_below()
        while bury() and time.monotonic() < deadline:
            kill_all_below()  # a look misses whose parent ends meanwhile; that there is a child is certain
        os._exit(0)


def adopt_orphans() -> None:
    """Have this process be the parent of every orphan below it."""
    _LIBC.prctl(_CHILD_SUBREAPER, 1)


def kill_all_below() -> None:
    """Kill every process below this one, and those that they start meanwhile."""
    deadline = time.monotonic() + ENDING_SECONDS
    while alive := [each for each in descendants(os.getpid()) if not has_ended(each)]:
        for process in alive:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        if time.monotonic() > deadline:
            return
        time.sleep(0.001)


def bury() -> bool:
    """Bury the children of this process that have ended; whether there are others."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def end_with_parent() -> None:
    """Have the kernel kill this process when the one (the thread, to be exact) that started it has ended."""
    _LIBC.prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _lower(limit: int, value: int) -> None:
    """Set a resource limit, never above what this process may have itself."""
    hard = resource.getrlimit(limit)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(limit, (value, value))


# --- Processes -------------------------------------------------------------------------------------------


def descendants(process: int) -> Iterator[int]:
    """Every process below one."""
    children = _children if _KERNEL_LISTS_CHILDREN else _all_children().get
    waiting = list(children(process) or ())
    while waiting:
        child = waiting.pop()
        yield child
        waiting += children(child) or ()


_KERNEL_LISTS_CHILDREN: Final = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # noqa: PTH110


def _children(process: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208
            with open(f"/proc/{process}/task/{task}/children", "rb") as listing:  # noqa: PTH123
                found += map(int, listing.read().split())
    return found


def _all_children() -> dict[int, list[int]]:
    """The children of every process there is, for a kernel that does not list them."""
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            with suppress(OSError):
                found.setdefault(int(_status(int(name))[1]), []).append(int(name))
    return found


def _status(process: int) -> list[bytes]:
    """The fields of /proc/PID/stat from the state on."""
    with open(f"/proc/{process}/stat", "rb") as stat:  # noqa: PTH123
        return stat.read().rpartition(b")")[2].split()


def _usage(process: int) -> tuple[int, int]:
    """A process's threads and the bytes of memory that it holds; none of either once it has ended."""
    try:
        fields = _status(process)
    except OSError:
        return 0, 0
    if fields[0] in b"ZX":
        return 0, 0
    return int(fields[17]), int(fields[21]) * resource.getpagesize()


def has_ended(process: int) -> bool:
    """Whether a process has ended, though it may not be buried yet."""
    return not _usage(process)[0]


def _memory_shared_out() -> int:
    """Bytes of memory of all processes below this one, what several hold counted once."""
    kilobytes = 0
    for process in descendants(os.getpid()):
        with suppress(OSError), open(f"/proc/{process}/smaps_rollup", "rb") as sums:  # noqa: PTH123
            kilobytes += sum(int(line.split()[1]) for line in sums if line.startswith(b"Pss:"))
    return kilobytes * 1024


def _tasks_of_user() -> int:
    """How many processes and threads this user has now."""
    own = os.getuid()
    found = 0
    for name in os.listdir("/proc"):  # noqa: PTH208
        with suppress(OSError):
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == own:  # noqa: PTH116
                found += len(os.listdir(f"/proc/{name}/task"))  # noqa: PTH208
    return found


def main() -> None:
    """Keep the bot whose settings and command stand on the command line."""
    settings = json.loads(sys.argv[1])
    guard([0, 1, settings["control"], settings["log"]])
    keeper = Keeper(settings, sys.argv[2:])
    keeper.start()
    keeper.keep()


if __name__ == "__main__":
    main()
