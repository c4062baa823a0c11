"""A thread that keeps one part of the table working: it opens it, and opens it again after it was lost."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final, TypeVar

from hardware.api import HardwareEvent, Loss, PartBack, PartError, PartLost

FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 0.5
"""Seconds between two attempts to open a part: they grow from the first to the longest."""
LIBRARY_PAUSE: Final = 30.0
"""Seconds until a library that is missing is looked for again: somebody has to install it."""
SOUND: Final = 5.0
"""Seconds that a part must have worked for the next attempt to be as fast as the first."""

Item = TypeVar("Item")


class Keeper:
    """Keeps a part working in a thread of its own, until it is closed.

    `work` opens the part, calls `works()` once it works, and goes on until `ending` is true; it raises when
    the part is lost, and is called again after a pause. That it returns means: open it anew, at once. What
    happens is told as PartLost (again when the reason changes) and PartBack, in this thread.
    """

    def __init__(
        self,
        part: str,
        work: Callable[[Keeper], None],
        tell: Callable[[HardwareEvent], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.part = part
        self._work = work
        self._tell = tell
        self._clock = clock
        self._lost: tuple[Loss, str] | None = None
        self._since = float("inf")
        self._end = threading.Event()
        self._awake = threading.Event()
        self._thread = threading.Thread(target=self._run, name=part, daemon=True)

    def start(self) -> None:
        """Begin; a part that can't be opened is told as lost and waited for."""
        self._thread.start()

    def end(self) -> None:
        """Ask the work to end; `close` waits for it."""
        self._end.set()
        self._awake.set()

    def close(self) -> None:
        """End the work and wait for the thread's end; a second call does nothing."""
        self.end()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def wake(self) -> None:
        """End a rest of the thread's; may be called from any thread."""
        self._awake.set()

    # --- In the thread -----------------------------------------------------------------------------------

    @property
    def ending(self) -> bool:
        """Whether the work is to end."""
        return self._end.is_set()

    def rest(self, seconds: float) -> None:
        """Wait, but not longer than until somebody wakes or closes the keeper."""
        self._awake.wait(max(0.0, seconds))
        if not self.ending:
            self._awake.clear()

    def works(self) -> None:
        """Note that the part works."""
        self._since = min(self._since, self._clock())
        if self._lost is not None:
            self._lost = None
            self._tell(PartBack(self.part, self._clock()))

    def lost(self, why: Loss, told: str) -> None:
        """Note that the part is lost; the same is not told twice."""
        if self._lost != (why, told):
            self._lost = (why, told)
            self._tell(PartLost(self.part, why, told, self._clock()))

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self.ending:
            loss = self._attempt()
            if loss is None:
                continue
            self.lost(*loss)
            if self._clock() - self._since > SOUND:
                pause = FIRST_PAUSE
            self._pause(LIBRARY_PAUSE if loss[0] is Loss.LIBRARY else pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _attempt(self) -> tuple[Loss, str] | None:
        """Work until that fails, and return why; None if it is to go on at once, or to end."""
        self._since = float("inf")
        try:
            self._work(self)
        except Exception as error:  # noqa: BLE001 - libraries of vendors raise anything; the table plays on
            return None if self.ending else loss_of(error)
        return None

    def _pause(self, seconds: float) -> None:
        end = monotonic() + seconds
        while not self.ending and (left := end - monotonic()) > 0:
            self.rest(left)


_BY_NUMBER: Final = {
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
    """Return why a part was lost, and say it in a sentence."""
    match error:
        case PartError():
            return error.why, str(error)
        case ImportError() | NotImplementedError():
            return Loss.LIBRARY, f"a library is missing or can't work here: {_sentence(error)}"
        case OSError():
            return _BY_NUMBER.get(error.errno or 0, Loss.FAILED), _sentence(error)
    return Loss.FAILED, _sentence(error)


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text or type(error).__name__
