"""Worker processes: a child process that runs calls, and an executor of several of them.

A `Worker` runs one call at a time and hands its answer to a callback; a call can be cancelled while it runs.
Calls and answers are pickled, each behind its length, on the standard input and output of the process. The
process ends with its parent, whatever ends that: a thread of it only reads, and the end of standard input
ends the process, in the middle of a call, too. `WorkerPool` is a `concurrent.futures.Executor` of workers.
Matches, tournaments and grading use it; `InlineExecutor` runs their calls in this process.
"""

import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import count, islice
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, Final, TypeVar

T = TypeVar("T")

ENDED: Final = "the worker process ended"
NOT_STARTED: Final = "the worker process can't be started"
_LENGTH: Final = 4
_LONG_AFTER: Final = 1e6  # seconds: more than any call may take


@dataclass(frozen=True, slots=True)
class Call:
    """A call to run in a worker; function and arguments must be picklable."""

    number: int
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a call; None with `error` if it raised, or if the process ended or can't be started.

    `exception` is what the call raised, where that can be pickled.
    """

    number: int
    result: Any = None
    error: str | None = None
    exception: Exception | None = None


# --- The parent's side -----------------------------------------------------------------------------------


class Worker:
    """A child process that runs calls; it is started when it is needed, again if it has ended.

    Its one thread in this process calls `put` with the answers. The child has one call at a time, so its pipe
    never fills and `ask` never waits, even for a process that hangs. `niceness` lowers its priority, by at
    most 19; a worker with deadlines should not have any, or it would wait for the processor at its deadline.
    The process imports the module `preload` when it starts. `name` is that of the thread.
    """

    def __init__(
        self, put: Callable[[Answer], None], niceness: int = 0, preload: str = "", name: str = "worker"
    ) -> None:
        self._put = put
        self._name = name
        self._arguments = (niceness, preload)
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._open: set[int] = set()
        self._waiting: deque[Call] = deque()
        self._running: int | None = None  # the number of the call that the process has
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the process if there is none, so that the first call does not wait for that."""
        with suppress(OSError):  # the call will report it
            self._ensure_process()

    def run(self, call: Call) -> None:
        """Queue a call; its answer is put when it is there, at once if no process can be started."""
        try:
            process = self._ensure_process()
        except OSError as error:
            self._put(Answer(call.number, error=f"{NOT_STARTED}: {error.strerror}"))
            return
        with self._lock:
            self._open.add(call.number)
            self._waiting.append(call)
        self._send_waiting(process)

    def _send_waiting(self, process: "subprocess.Popen[bytes]") -> None:
        """Send the next call if the process has none; answer those that can't be sent."""
        while (unsent := self._send_next(process)) is not None:
            process.kill()
            self._answer(Answer(unsent, error=ENDED))

    def _send_next(self, process: "subprocess.Popen[bytes]") -> int | None:
        """Send the next call that is not cancelled; return its number if the process has ended."""
        assert process.stdin is not None
        with self._lock:
            while self._waiting and self._running is None:
                call = self._waiting.popleft()
                if call.number not in self._open:
                    continue
                try:
                    _send(process.stdin, call)
                except (OSError, ValueError):  # the reader may have listed the open calls before this one
                    return call.number
                self._running = call.number
        return None

    def cancel(self, number: int) -> None:
        """Put no answer to a call any more; if it runs, its `clock` jumps ahead so that it ends at once."""
        process = self._process
        with self._lock:
            self._open.discard(number)
            if number != self._running or process is None or process.stdin is None:
                return
            with suppress(OSError, ValueError):  # the process has just ended
                _send(process.stdin, number)

    def close(self) -> None:
        """Kill and reap the process; no more answers are put. A later call starts another process."""
        with self._lock:
            self._open.clear()
            self._waiting.clear()
        if self._process is not None:
            self._process.kill()
        if self._reader is not None and self._reader.is_alive():  # Ctrl-C may come before it has started
            self._reader.join()

    @property
    def pid(self) -> int | None:
        """The process id; None before the start."""
        return None if self._process is None else self._process.pid

    def _ensure_process(self) -> "subprocess.Popen[bytes]":
        """Return the process, started if there is none; raises OSError if it can't be started."""
        process = self._process
        if process is not None and process.poll() is None:
            return process
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from device.bots.workers import main; main{self._arguments}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            # Ctrl-C is for the parent alone. And Linux shares the processor out among sessions first
            # (autogroup): a search must not slow down the table's lights.
            start_new_session=True,
        )
        if self._reader is not None and self._reader is not threading.current_thread():
            self._reader.join()
        self._process = process
        self._reader = threading.Thread(target=self._read, args=(process,), name=self._name, daemon=True)
        self._reader.start()
        return process

    def _read(self, process: "subprocess.Popen[bytes]") -> None:
        """Put the answers of a process until it ends; then reap it and answer the calls that are left."""
        assert process.stdin is not None and process.stdout is not None
        with process.stdout, suppress(OSError, EOFError, pickle.UnpicklingError):
            while (answer := _receive(process.stdout)) is not None:
                self._answer(answer)
                self._send_waiting(process)
        process.kill()
        process.wait()
        with suppress(OSError):  # unsent data is lost
            process.stdin.close()
        with self._lock:
            self._running = None
            lost = sorted(self._open)
        for number in lost:
            self._answer(Answer(number, error=ENDED))

    def _answer(self, answer: Answer) -> None:
        with self._lock:
            wanted = answer.number in self._open
            self._open.discard(answer.number)
            if self._running == answer.number:
                self._running = None
        if wanted:
            self._put(answer)


# --- Executors -------------------------------------------------------------------------------------------


class WorkerPool(Executor):
    """An executor of worker processes; leaving its `with` block kills the calls that still run.

    A future raises what its call raised, or BrokenExecutor if its process ended or can't be started.
    """

    def __init__(self, workers: int, niceness: int = 0) -> None:
        self._lock = threading.Lock()
        self._numbers = count()
        self._waiting: deque[tuple[Call, Future[Any]]] = deque()
        self._running: dict[int, Future[Any]] = {}
        self._workers = [Worker(partial(self._finish, index), niceness) for index in range(workers)]
        self._idle = list(range(workers))

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Queue a call, and return its future."""
        future: Future[T] = Future()
        with self._lock:
            self._waiting.append((Call(next(self._numbers), partial(fn, **kwargs), args), future))
        self._start_next()
        return future

    def _start_next(self) -> None:
        with self._lock:
            while self._waiting and self._idle:
                call, future = self._waiting.popleft()
                if future.set_running_or_notify_cancel():
                    worker = self._workers[self._idle.pop()]
                    self._running[call.number] = future
                    break
            else:
                return
        worker.run(call)

    def _finish(self, index: int, answer: Answer) -> None:
        with self._lock:
            future = self._running.pop(answer.number)
            self._idle.append(index)
        if answer.error is None:
            future.set_result(answer.result)
        else:
            future.set_exception(answer.exception or BrokenExecutor(answer.error))
        self._start_next()

    def shutdown(self, *_arguments: object, **_options: object) -> None:
        """Kill and reap all processes, whatever the arguments; calls that wait or run fail."""
        with self._lock:
            waiting, self._waiting = self._waiting, deque()
        for _, future in waiting:
            future.cancel()
        for worker in self._workers:
            worker.close()
        for future in self._running.values():
            future.set_exception(BrokenExecutor(ENDED))
        self._running.clear()


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0))


class InlineExecutor(Executor):
    """An executor that runs each call in `submit`, in this process."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Run a call, and return its finished future."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - the future raises it
            future.set_exception(error)
        return future


def run_all(
    executor: Executor, calls: Iterable[Callable[[], T]], at_once: int
) -> Generator[tuple[int, T], None, None]:
    """Run calls through an executor, at most `at_once` at a time; yield index and result as they finish.

    Raises what a call raises, and BrokenExecutor if a process of the executor ended. With an InlineExecutor,
    `at_once` must be 1.
    """
    due = enumerate(calls)
    running: dict[Future[T], int] = {}
    while True:
        for index, call in islice(due, at_once - len(running)):
            running[executor.submit(call)] = index
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        yield from [(running.pop(future), future.result()) for future in done]


# --- The child's side ------------------------------------------------------------------------------------


class _Inbox:
    """The calls that a child is sent; the number of a call cancels it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._calls: SimpleQueue[Call] = SimpleQueue()
        self._cancelled: int | None = None  # the number of the last call that was cancelled
        self._running = -1

    def read(self) -> None:
        """Read calls until the stream ends; then the parent is gone, or needs this process no more."""
        try:
            while (message := _receive(self._stream)) is not None:
                if isinstance(message, int):
                    self._cancelled = message
                else:
                    self._calls.put(message)
        finally:  # after unreadable data, too
            os._exit(0)

    def next(self) -> Call:
        """Wait for the next call."""
        call = self._calls.get()
        self._running = call.number
        return call

    @property
    def is_cancelled(self) -> bool:
        """Whether the running call was cancelled."""
        return self._running == self._cancelled


_inbox: _Inbox | None = None


def clock() -> float:
    """Return the monotonic time in seconds; a much later one once the running call is cancelled."""
    cancelled = _inbox is not None and _inbox.is_cancelled
    return time.monotonic() + (_LONG_AFTER if cancelled else 0.0)


def main(niceness: int = 0, preload: str = "") -> None:
    """Run the calls read from standard input until it ends; what they print goes to standard error."""
    global _inbox  # noqa: PLW0603 - one for the process
    os.nice(niceness)
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    _inbox = _Inbox(calls)
    threading.Thread(target=_inbox.read, daemon=True).start()
    if preload:
        import_module(preload)
    while True:
        call = _inbox.next()
        try:
            result = None if _inbox.is_cancelled else call.function(*call.arguments)
            _send(answers, Answer(call.number, result))
        except Exception as error:  # noqa: BLE001 - the parent reports it
            _send(answers, Answer(call.number, None, f"{type(error).__name__}: {error}", _picklable(error)))


def _picklable(error: Exception) -> Exception | None:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - any class may fail in its own way
        return None
    return error


# --- Messages --------------------------------------------------------------------------------------------


def _send(stream: IO[bytes], message: Any) -> None:
    data = pickle.dumps(message)
    stream.write(len(data).to_bytes(_LENGTH, "little") + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """Return the next message; None at the end of the stream."""
    length = stream.read(_LENGTH)
    if len(length) < _LENGTH:
        return None
    data = stream.read(int.from_bytes(length, "little"))
    return pickle.loads(data)  # from our own process at the other end
