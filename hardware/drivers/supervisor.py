"""Supervisor: a thread that opens a part of the table, and opens it again with backoff after it was lost.

Any exception of a driver ends one attempt only: it is classified as a `Loss`, reported, and the next attempt
follows after a pause.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

from hardware.api import HardwareEvent, Loss, PartBack, PartError, PartLost

FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 0.5
"""Seconds between two attempts to open a part: the pause doubles from the first to the longest. A driver may
choose a longer one."""
LIBRARY_PAUSE: Final = 30.0
"""Seconds until a missing library is looked for again: somebody has to install it."""
STABLE: Final = 5.0
"""Seconds that a part must have worked before the pause starts at FIRST_PAUSE again."""


class Supervisor:
    """A thread, named for its part, that keeps the part working until it is closed.

    `work` opens the part, calls `working()` once it works, and continues until `stopping` is true. It raises
    when the part is lost and is then called again after a pause. It returns to be called again at once.
    PartLost (again when the reason changes) and PartBack go to `put`, from this thread. `pause` waits so many
    seconds between two attempts, by default until the supervisor is stopped at the latest; `longest_pause` is
    the longest of these pauses.
    """

    def __init__(
        self,
        part: str,
        work: Callable[[Supervisor], None],
        put: Callable[[HardwareEvent], None],
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], None] | None = None,
        longest_pause: float = LONGEST_PAUSE,
    ) -> None:
        self.part = part
        self._work = work
        self._put = put
        self._clock = clock
        self._pause = pause or self._stoppable_pause
        self._longest_pause = longest_pause
        self._lost: tuple[Loss, str] | None = None
        self._working_since = float("inf")
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name=part, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the work to end, without waiting for it."""
        self._stop.set()
        self._wake.set()

    def close(self) -> None:
        """Stop the work and join the thread; a second call does nothing."""
        self.stop()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def wake(self) -> None:
        """End a `wait` of the thread; may be called from any thread."""
        self._wake.set()

    # --- Called by `work`, in the thread ---

    @property
    def stopping(self) -> bool:
        """Whether the work is to end."""
        return self._stop.is_set()

    def wait(self, seconds: float) -> None:
        """Wait this long, or until `wake`, `stop` or `close` is called."""
        self._wake.wait(max(0.0, seconds))
        if not self.stopping:
            self._wake.clear()

    def working(self) -> None:
        """Record that the part works; report it as back if it was lost."""
        self._working_since = min(self._working_since, self._clock())
        if self._lost is not None:
            self._lost = None
            self._put(PartBack(self.part, self._clock()))

    # --- Attempts ---

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self.stopping:
            loss = self._attempt()
            if loss is None:
                continue
            if self._lost != loss:  # the same loss is not reported twice
                self._lost = loss
                self._put(PartLost(self.part, *loss, self._clock()))
            if self._clock() - self._working_since > STABLE:
                pause = FIRST_PAUSE
            self._pause(LIBRARY_PAUSE if loss[0] is Loss.LIBRARY else pause)
            pause = min(2 * pause, self._longest_pause)

    def _attempt(self) -> tuple[Loss, str] | None:
        """Work until that fails; return why, or None to continue at once or to end."""
        self._working_since = float("inf")
        try:
            self._work(self)
        except Exception as error:  # noqa: BLE001 - vendor libraries raise anything; the game goes on
            return None if self.stopping else loss_of(error)
        return None

    def _stoppable_pause(self, seconds: float) -> None:
        end = monotonic() + seconds
        while not self.stopping and (left := end - monotonic()) > 0:
            self.wait(left)


# --- Classification of exceptions ------------------------------------------------------------------------

_LOSS_OF_ERRNO: Final = {
    errno.ENOENT: Loss.ABSENT,
    errno.ENODEV: Loss.ABSENT,
    errno.ENXIO: Loss.ABSENT,
    errno.EACCES: Loss.DENIED,
    errno.EPERM: Loss.DENIED,
    errno.EBUSY: Loss.BUSY,
    errno.EAGAIN: Loss.BUSY,
    errno.EIO: Loss.UNPLUGGED,
}


def loss_of(error: Exception) -> tuple[Loss, str]:
    """Return the kind of loss that an exception means, and a message for the log."""
    match error:
        case PartError():
            return error.reason, str(error)
        case ImportError() | NotImplementedError():
            return Loss.LIBRARY, f"a library is missing or does not work here: {one_line(error)}"
        case OSError():
            return _LOSS_OF_ERRNO.get(error.errno or 0, Loss.FAILED), one_line(error)
    return Loss.FAILED, one_line(error)


def one_line(error: Exception) -> str:
    """Return the text of an exception on one line; the name of its class if it has no text."""
    return " ".join(str(error).split()) or type(error).__name__
