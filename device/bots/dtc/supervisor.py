"""Supervisor process of one bot program: limits, log, and the end of all its processes.

It is a process of its own, `python -I -S supervisor.py SETTINGS COMMAND...`, and not one of
`device.bots.workers`, because the bot's processes must be killed even if the match is killed by SIGKILL. As a
subreaper it is the parent of every orphan among the bot's processes; when its control socket closes, because
the game is over or the match was killed, it kills them all. A bot may kill its supervisor, so the
supervisor's own parent, a guard in the same process group, waits for its end and kills what is left. It
imports nothing of the project, so that it starts fast.

SETTINGS is JSON: `control` and `log` (descriptors of the socket and of a file to write), `memory` (bytes),
`tasks` (processes and threads), `core` (a processor's number, or null). Its standard input and output become
the bot's. It sends JSON lines on the socket: `started` (process id), `failed` (why it can't be started),
`exited` (status) or `killed` (signal), both with `words`, the last line of its log, and `over`, the limit
that it exceeded (memory or tasks).
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

CHECK_INTERVAL: Final = 0.05  # seconds between two checks of the resources that the bot uses
HEAD: Final = 1_048_576  # bytes kept of the beginning of a log
TAIL: Final = 65_536  # bytes kept of its end
LAST_LINE_LENGTH: Final = 200
ENDING_SECONDS: Final = 5.0
EXTRA_TASKS: Final = 1000
"""Processes and threads that the bot's user may add to those at the start; a second safeguard."""
_PARENT_DEATH_SIGNAL: Final = 1
_CHILD_SUBREAPER: Final = 36
_LIBC: Final = ctypes.CDLL(None)


class Log:
    """The bot's standard error in a file: all of it, or its beginning and its end if it is too long."""

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        self._written = 0
        self._left_out = 0
        self._tail = b""

    def write(self, data: bytes) -> None:
        """Append data."""
        room = HEAD - self._written
        self._written += len(data[:room])
        with suppress(OSError):  # a full disk is not the bot's fault
            self._file.write(data[:room])
        kept = self._tail + data
        self._tail = kept[-TAIL:]
        self._left_out += len(data[room:])

    @property
    def last_line(self) -> str:
        """The last line that is not empty."""
        lines = self._tail.decode(errors="replace").split("\n")
        return next((line.strip()[-LAST_LINE_LENGTH:] for line in reversed(lines) if line.strip()), "")

    def close(self) -> None:
        """Write the end if it is not in the file yet, and close the file."""
        with suppress(OSError):
            if self._left_out:
                missing = self._left_out - TAIL
                if missing > 0:
                    self._file.write(b"\n[... %d bytes left out ...]\n" % missing)
                self._file.write(self._tail[-self._left_out :])
            self._file.close()


class Supervisor:
    """A bot program and everything that it starts."""

    def __init__(self, settings: dict[str, Any], command: list[str]) -> None:
        self._control = socket.socket(fileno=settings["control"])
        self._control.set_inheritable(False)
        self._memory, self._tasks, self._core = (settings[key] for key in ("memory", "tasks", "core"))
        self._command = command
        self._log = Log(settings["log"])
        become_subreaper()
        self._errors, self._errors_end = os.pipe()
        os.set_blocking(self._errors, False)
        self._bot = 0
        # reaped at the end, so that its id is not reused
        self._process: subprocess.Popen[bytes] | None = None
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
            self._send({"failed": getattr(error, "strerror", None) or str(error)})
        else:
            self._process = process
            self._bot = process.pid
            self._poll.register(os.pidfd_open(self._bot), select.POLLIN)
            self._send({"started": self._bot})
        os.close(self._errors_end)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        self._poll.register(self._errors, select.POLLIN)
        self._poll.register(self._control, select.POLLIN)

    def _limit(self) -> None:
        """Set the limits, in the bot's process before its program."""
        # The kernel kills this process when the thread that started it ends.
        _LIBC.prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        # If memory is short, the kernel kills a bot first, and not the table or the match.
        with suppress(OSError), open("/proc/self/oom_score_adj", "wb") as score:  # noqa: PTH123
            score.write(b"1000")
        _lower(resource.RLIMIT_CORE, 0)
        # Not the address space: runtimes reserve far more of it than they use.
        _lower(resource.RLIMIT_DATA, self._memory)
        if os.getuid():
            _lower(resource.RLIMIT_NPROC, self._user_tasks + EXTRA_TASKS)
        if self._core is not None:
            os.sched_setaffinity(0, {self._core})

    # --- Watching ------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Check the bot until the control socket closes, then kill and reap everything."""
        next_check = time.monotonic()
        while self._wait():
            if time.monotonic() >= next_check:
                next_check = time.monotonic() + CHECK_INTERVAL
                self._check_usage()
        self._kill_all()
        reap_children()
        self._read_log()
        self._log.close()

    def _wait(self) -> bool:
        """Wait for an event, at most CHECK_INTERVAL; return False when the control socket has closed."""
        for descriptor, _ in self._poll.poll(CHECK_INTERVAL * 1000):
            if descriptor == self._control.fileno():
                return False
            if descriptor == self._errors:
                self._read_log()
            else:
                self._poll.unregister(descriptor)
                self._send_end()
        return True

    def _read_log(self) -> None:
        """Read what the bot has written to its log so far, at most 1 MB."""
        with suppress(BlockingIOError):
            for _ in range(16):
                data = os.read(self._errors, 65_536)
                if not data:
                    with suppress(KeyError):
                        self._poll.unregister(self._errors)
                    return
                self._log.write(data)

    def _send_end(self) -> None:
        """Report that the bot itself has ended; processes that it has started may go on."""
        self._read_log()
        ending = os.waitid(os.P_PID, self._bot, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        assert ending is not None
        how = "exited" if ending.si_code == os.CLD_EXITED else "killed"
        self._send({how: ending.si_status, "words": self._log.last_line})

    def _check_usage(self) -> None:
        """Reap orphans, and kill everything if it exceeds a limit."""
        memory = tasks = 0
        for process in descendants(os.getpid()):
            if process != self._bot:
                with suppress(ChildProcessError):  # a child of a child
                    os.waitpid(process, os.WNOHANG)
            threads, resident = _usage(process)
            tasks += threads
            memory += resident
        if tasks > self._tasks:
            self._send({"over": "tasks"})
            self._kill_all()
        elif memory > self._memory and _shared_memory() > self._memory:
            self._send({"over": "memory"})
            self._kill_all()

    def _kill_all(self) -> None:
        """Kill the bot and everything that it has started."""
        if self._bot:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._bot, signal.SIGKILL)
        kill_descendants()

    def _send(self, message: dict[str, Any]) -> None:
        with suppress(OSError):
            self._control.sendall(json.dumps(message).encode() + b"\n")


def guard(ends: Iterable[int]) -> None:
    """Fork and continue in the child; the parent closes `ends`, waits, and kills what the child leaves."""
    become_subreaper()
    supervisor = os.fork()
    if supervisor:
        for descriptor in ends:
            os.close(descriptor)
        os.waitpid(supervisor, 0)
        deadline = time.monotonic() + ENDING_SECONDS
        kill_descendants()
        while reap_children() and time.monotonic() < deadline:
            kill_descendants()  # a scan misses a process whose parent ends during it
        os._exit(0)


def become_subreaper() -> None:
    """Make this process the parent of every orphan below it."""
    _LIBC.prctl(_CHILD_SUBREAPER, 1)


def kill_descendants() -> None:
    """Kill every process below this one, and those that they start meanwhile."""
    deadline = time.monotonic() + ENDING_SECONDS
    while alive := [each for each in descendants(os.getpid()) if not has_ended(each)]:
        for process in alive:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        if time.monotonic() > deadline:
            return
        time.sleep(0.001)


def reap_children() -> bool:
    """Reap the exited children of this process; return False when it has no other child."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _lower(limit: int, value: int) -> None:
    """Set a resource limit, but not above the hard limit of this process."""
    hard = resource.getrlimit(limit)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(limit, (value, value))


# --- Processes -------------------------------------------------------------------------------------------


_KERNEL_LISTS_CHILDREN: Final = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # noqa: PTH110


def descendants(process: int, *, listed: bool = _KERNEL_LISTS_CHILDREN) -> Iterator[int]:
    """Yield every process below one; `listed` is whether the kernel lists the children of a process."""
    children = _children if listed else _all_children().get
    waiting = list(children(process) or ())
    while waiting:
        child = waiting.pop()
        yield child
        waiting += children(child) or ()


def _children(process: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208
            with open(f"/proc/{process}/task/{task}/children", "rb") as listing:  # noqa: PTH123
                found += map(int, listing.read().split())
    return found


def _all_children() -> dict[int, list[int]]:
    """Return the children of every process, for a kernel that does not list them."""
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            with suppress(OSError):
                found.setdefault(int(_status(int(name))[1]), []).append(int(name))
    return found


def _status(process: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat from the state on."""
    with open(f"/proc/{process}/stat", "rb") as stat:  # noqa: PTH123
        return stat.read().rpartition(b")")[2].split()


def _usage(process: int) -> tuple[int, int]:
    """Return a process's threads and resident memory in bytes; zeros once it has ended."""
    try:
        fields = _status(process)
    except OSError:
        return 0, 0
    if fields[0] in b"ZX":
        return 0, 0
    return int(fields[17]), int(fields[21]) * resource.getpagesize()


def has_ended(process: int) -> bool:
    """Return whether a process has ended, reaped or not."""
    return not _usage(process)[0]


def _shared_memory() -> int:
    """Return the bytes of memory of all processes below this one, shared pages counted once."""
    kilobytes = 0
    for process in descendants(os.getpid()):
        with suppress(OSError), open(f"/proc/{process}/smaps_rollup", "rb") as sums:  # noqa: PTH123
            kilobytes += sum(int(line.split()[1]) for line in sums if line.startswith(b"Pss:"))
    return kilobytes * 1024


def _tasks_of_user() -> int:
    """Return the number of processes and threads of this user."""
    own = os.getuid()
    found = 0
    for name in os.listdir("/proc"):  # noqa: PTH208
        with suppress(OSError):
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == own:  # noqa: PTH116
                found += len(os.listdir(f"/proc/{name}/task"))  # noqa: PTH208
    return found


def main() -> None:
    """Supervise the bot whose settings and command are on the command line."""
    settings = json.loads(sys.argv[1])
    guard([0, 1, settings["control"], settings["log"]])
    supervisor = Supervisor(settings, sys.argv[2:])
    supervisor.start()
    supervisor.run()


if __name__ == "__main__":
    main()
