"""The Unix socket: subscribers get the latest snapshot and frame, senders give presses.

It runs asyncio in a thread of its own. The table's loop only leaves the newest news here and never waits: a
subscriber that reads slowly skips to the latest, and what is kept for any client is bounded.
"""

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from device.socket import messages
from device.socket.messages import LONGEST_LINE, Answer, ClientMessage, MessageError
from hardware.api import HardwareError

MOST_CLIENTS: Final = 64
MOST_WAITING: Final = 100
"""What one client says that may wait for an answer; more is refused at once."""
MOST_ANSWERS: Final = 1000
"""Answers kept for a client that does not read them; while there are so many, it is not heard either."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client says, but for subscribing; it is answered from any thread."""

    message: ClientMessage
    answer: Callable[[Answer], None]


@dataclass(slots=True)
class News:
    """The latest of what is told to subscribers, as lines, with a count of how often each was new."""

    layout: bytes
    snapshot: bytes = b""
    snapshots: int = 0
    frame: bytes = b""
    frames: int = 0


@dataclass(eq=False, slots=True)
class Client:
    """A connection, and what is still to be told to it."""

    writer: asyncio.StreamWriter
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    told: asyncio.Event = field(default_factory=asyncio.Event)
    answers: deque[bytes] = field(default_factory=deque)
    waiting: int = 0
    subscribed: bool = False
    frames: bool = False
    closing: bool = False
    gone: bool = False
    layout_told: bool = False
    snapshots_told: int = 0
    frames_told: int = 0

    def tell(self, answer: Answer) -> None:
        """Queue an answer, unless there is nobody left to read it."""
        if not self.gone:
            self.answers.append(messages.line(answer))
            self.wake.set()

    async def room_for_answers(self) -> None:
        """Wait until the client has read of its answers what must be read before more is heard of it."""
        while len(self.answers) >= MOST_ANSWERS and not self.gone:
            self.told.clear()
            await self.told.wait()

    def next_line(self, news: News) -> bytes:
        """What to send next: answers first, then news, the latest only; nothing when all is told."""
        if self.answers:
            return self.answers.popleft()
        if not self.subscribed:
            return b""
        if not self.layout_told:
            self.layout_told = True
            return news.layout
        if self.snapshots_told != news.snapshots:
            self.snapshots_told = news.snapshots
            return news.snapshot
        if self.frames and self.frames_told != news.frames:
            self.frames_told = news.frames
            return news.frame
        return b""


class SocketServer:
    """Serves clients at a path; `put` is called in the server's thread and must not wait.

    Questions about the past are for `put_question`: the table's loop has no part in them.
    """

    def __init__(
        self,
        path: Path,
        layout: object,
        put: Callable[[Request], None],
        put_question: Callable[[Request], None] | None = None,
    ) -> None:
        self._path = path
        self._put = put
        self._put_question = put_question
        self._news = News(messages.line({"layout": layout}))
        self._clients: set[Client] = set()
        self._meetings: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._listening = threading.Event()
        self._fault: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="socket", daemon=True)

    def start(self) -> None:
        """Listen, and serve in a thread until `close`; raises HardwareError where the path can't be had."""
        self._thread.start()
        self._listening.wait()
        if self._fault is not None:
            raise HardwareError(f"{self._path}: the table's socket can't be made: {self._fault.strerror}")

    def close(self) -> None:
        """Let every client go and end the thread."""
        if self._thread.is_alive():
            with contextlib.suppress(RuntimeError):  # it ends by itself just now: it never listened
                self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    @property
    def frames_wanted(self) -> bool:
        """Whether a subscriber asked for frames; without one none need to be published."""
        return any(client.frames for client in tuple(self._clients))

    def publish_snapshot(self, line: bytes) -> None:
        """Make this the latest snapshot; never waits."""
        self._loop.call_soon_threadsafe(self._set_snapshot, line)

    def publish_frame(self, line: bytes) -> None:
        """Make this the latest frame; never waits."""
        self._loop.call_soon_threadsafe(self._set_frame, line)

    def _set_snapshot(self, line: bytes) -> None:
        self._news.snapshot = line
        self._news.snapshots += 1
        for client in self._clients:
            client.wake.set()

    def _set_frame(self, line: bytes) -> None:
        self._news.frame = line
        self._news.frames += 1
        for client in self._clients:
            if client.frames:
                client.wake.set()

    # --- In the server's thread --------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        except OSError as fault:
            self._fault = fault
        finally:
            self._listening.set()
            self._loop.close()

    async def _serve(self) -> None:
        self._path.unlink(missing_ok=True)  # left by a daemon that was killed; the store's lock is ours
        server = await asyncio.start_unix_server(self._meet, self._path, limit=LONGEST_LINE)
        self._listening.set()
        await self._stop.wait()
        self._path.unlink(missing_ok=True)  # nobody finds the way in any more
        for client in self._clients:
            client.writer.transport.abort()
        for meeting in self._meetings:
            meeting.cancel()  # the table may never answer what it was asked last
        while others := asyncio.all_tasks() - {asyncio.current_task()}:  # who came just now is let out, too
            await asyncio.wait(others)
        server.close()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client until it leaves."""
        meeting = asyncio.current_task()
        assert meeting is not None
        self._meetings.add(meeting)
        meeting.add_done_callback(self._meetings.discard)
        client = Client(writer)
        if self._stop.is_set():
            writer.close()
            return
        if len(self._clients) >= MOST_CLIENTS:
            writer.write(messages.line(Answer(error=f"{MOST_CLIENTS} clients are here already")))
            writer.close()
            return
        self._clients.add(client)
        with contextlib.suppress(asyncio.CancelledError):  # the table ends
            async with asyncio.TaskGroup() as both:
                both.create_task(self._write(client))
                await self._read(client, reader)
        self._clients.discard(client)
        writer.close()

    async def _read(self, client: Client, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                try:
                    line = await reader.readuntil(b"\n")
                except asyncio.IncompleteReadError:
                    break
                except asyncio.LimitOverrunError:
                    client.tell(Answer(error=f"a line has at most {LONGEST_LINE} bytes"))
                    break
                self._hear(client, line)
                await client.room_for_answers()
        client.closing = True
        client.wake.set()

    def _hear(self, client: Client, line: bytes) -> None:
        try:
            message = messages.read(line)
        except MessageError as error:
            client.tell(Answer(error=str(error)))
            return
        if message.subscribe is not None:
            client.subscribed, client.frames = True, message.subscribe.frames
            client.frames_told = self._news.frames  # an old frame may stand there: wait for the next
            client.wake.set()
        elif client.waiting >= MOST_WAITING:
            client.tell(messages.refusal(message, "too_many_presses"))
        else:
            client.waiting += 1
            put = self._put_question if message.asks_for_the_past else self._put
            request = Request(message, lambda answer: self._answer(client, answer))
            if put is None:
                request.answer(messages.refusal(message, "not_now"))
            else:
                put(request)

    def _answer(self, client: Client, answer: Answer) -> None:
        def tell() -> None:
            client.waiting -= 1
            client.tell(answer)

        with contextlib.suppress(RuntimeError):  # the server was closed meanwhile
            self._loop.call_soon_threadsafe(tell)

    async def _write(self, client: Client) -> None:
        with contextlib.suppress(ConnectionError):
            while not (client.closing and not client.waiting):
                await client.wake.wait()
                client.wake.clear()
                while line := client.next_line(self._news):
                    client.writer.write(line)
                    await client.writer.drain()
                    client.told.set()
        client.gone = True
        client.told.set()
