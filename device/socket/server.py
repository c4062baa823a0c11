"""The server at the Unix socket: sends snapshots and frames to subscribers, and passes messages on.

It runs asyncio in a thread of its own. The table's loop only leaves the latest snapshot and frame here and
never waits. Backpressure: a subscriber that reads slowly skips to the latest, and what is kept for any client
is bounded.
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
from device.socket.messages import (
    LONGEST_LINE,
    Answer,
    ErrorMessage,
    HistoryQuestion,
    LayoutMessage,
    MessageError,
    Subscribe,
    TableMessage,
)
from hardware.api import HardwareError

MOST_CLIENTS: Final = 64
MOST_WAITING: Final = 100  # messages of one client that may wait for an answer; more are refused at once
MOST_ANSWERS: Final = 1000
"""Answers kept for a client that does not read them; while there are so many, it is not read from."""

BEAT: Final = messages.encode(messages.Beat())


@dataclass(frozen=True, slots=True)
class Request:
    """A message of a client, and the function that answers it; any thread may call that once."""

    message: TableMessage | HistoryQuestion
    answer: Callable[[Answer], None]


@dataclass(slots=True)
class Latest:
    """The latest lines for subscribers, with a number that grows with every new one."""

    layout: bytes
    snapshot: bytes = b""
    snapshot_number: int = 0
    frame: bytes = b""
    frame_number: int = 0
    beat_number: int = 0


@dataclass(eq=False, slots=True)
class Client:
    """A connection, and what it was sent."""

    writer: asyncio.StreamWriter
    task: asyncio.Task[None]
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    sent: asyncio.Event = field(default_factory=asyncio.Event)
    answers: deque[bytes] = field(default_factory=deque)
    waiting: int = 0  # messages without an answer so far
    subscribed: bool = False
    frames: bool = False
    half_closed: bool = False  # it sends no more, but may still read
    gone: bool = False
    layout_sent: bool = False
    snapshot_number: int = 0
    frame_number: int = 0
    beat_number: int = 0

    def put(self, message: Answer | ErrorMessage) -> None:
        """Queue an answer, unless the client is gone."""
        if not self.gone:
            self.answers.append(messages.encode(message))
            self.wake.set()

    def subscribe(self, latest: Latest, *, frames: bool) -> None:
        """Send the latest snapshot from now on, and frames if wanted.

        The first frame is the next one: while nobody wanted frames the one kept in `latest` was not renewed.
        """
        self.subscribed, self.frames = True, frames
        self.frame_number, self.beat_number = latest.frame_number, latest.beat_number
        self.wake.set()

    async def wait_for_room(self) -> None:
        """Wait until the client has read enough of its answers to be read from again."""
        while len(self.answers) >= MOST_ANSWERS and not self.gone:
            self.sent.clear()
            await self.sent.wait()

    def next_line(self, latest: Latest) -> bytes:
        """Return what to send next: answers, the latest snapshot, frame, beat; else no bytes."""
        if self.answers:
            return self.answers.popleft()
        if not self.subscribed:
            return b""
        if not self.layout_sent:
            self.layout_sent = True
            return latest.layout
        if self.snapshot_number != latest.snapshot_number:
            self.snapshot_number = latest.snapshot_number
            return latest.snapshot
        if self.frames and self.frame_number != latest.frame_number:
            self.frame_number = latest.frame_number
            return latest.frame
        if self.beat_number != latest.beat_number:
            self.beat_number = latest.beat_number
            return BEAT
        return b""


class SocketServer:
    """Serves clients at a path.

    Messages to the table are given to `put`, questions about past games to `put_question`. Both are called in
    the server's thread and must not wait.
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
        self._latest = Latest(messages.encode(LayoutMessage(layout)))
        self._clients: set[Client] = set()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._listening = threading.Event()
        self._fault: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="socket", daemon=True)

    def start(self) -> None:
        """Listen, and serve in a thread until `close`. Raises HardwareError if the socket can't be made."""
        self._thread.start()
        self._listening.wait()
        if self._fault is not None:
            raise HardwareError(f"{self._path}: the table's socket can't be made: {self._fault.strerror}")

    def close(self) -> None:
        """Disconnect every client and end the thread."""
        if self._thread.is_alive():
            with contextlib.suppress(RuntimeError):  # its loop is closed just now: it could not listen
                self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    @property
    def clients(self) -> tuple[Client, ...]:
        """The clients that are connected now."""
        return tuple(self._clients)

    @property
    def frames_wanted(self) -> bool:
        """Whether a subscriber wants frames; without one none need to be published."""
        return any(client.frames for client in self.clients)

    @property
    def subscribed(self) -> bool:
        """Whether any client is subscribed; without one no beats need to be published."""
        return any(client.subscribed for client in self.clients)

    def publish_snapshot(self, line: bytes) -> None:
        """Make this line the latest snapshot; never waits."""
        self._loop.call_soon_threadsafe(self._set_snapshot, line)

    def publish_frame(self, line: bytes) -> None:
        """Make this line the latest frame; never waits."""
        self._loop.call_soon_threadsafe(self._set_frame, line)

    def publish_beat(self) -> None:
        """Tell all subscribers that the loop is running; never waits."""
        self._loop.call_soon_threadsafe(self._set_beat)

    # --- In the server's thread ---

    def _set_snapshot(self, line: bytes) -> None:
        self._latest.snapshot = line
        self._latest.snapshot_number += 1
        for client in self._clients:
            client.wake.set()

    def _set_frame(self, line: bytes) -> None:
        self._latest.frame = line
        self._latest.frame_number += 1
        for client in self._clients:
            if client.frames:
                client.wake.set()

    def _set_beat(self) -> None:
        self._latest.beat_number += 1
        for client in self._clients:
            if client.subscribed:
                client.wake.set()

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
        server = await asyncio.start_unix_server(self._connected, self._path, limit=LONGEST_LINE)
        self._listening.set()
        await self._stop.wait()
        self._path.unlink(missing_ok=True)  # no new client from here on
        for client in self._clients:
            client.writer.transport.abort()
            client.task.cancel()  # the table may never answer the last messages
        while others := asyncio.all_tasks() - {asyncio.current_task()}:  # also clients that just connected
            await asyncio.wait(others)
        server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client until it leaves."""
        task = asyncio.current_task()
        assert task is not None
        if self._stop.is_set():
            writer.close()
            return
        if len(self._clients) >= MOST_CLIENTS:
            writer.write(messages.encode(ErrorMessage(f"{MOST_CLIENTS} clients are connected already")))
            writer.close()
            return
        client = Client(writer, task)
        self._clients.add(client)
        with contextlib.suppress(asyncio.CancelledError):  # the server is closed
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
                    client.put(ErrorMessage(f"a line has at most {LONGEST_LINE} bytes"))
                    break
                self._handle(client, line)
                await client.wait_for_room()
        client.half_closed = True
        client.wake.set()

    def _handle(self, client: Client, line: bytes) -> None:
        try:
            message = messages.decode(line)
        except MessageError as error:
            client.put(ErrorMessage(str(error)))
            return
        if isinstance(message, Subscribe):
            client.subscribe(self._latest, frames=message.frames)
            return
        put = self._put_question if isinstance(message, HistoryQuestion) else self._put
        if put is None:
            client.put(messages.refusal(message, "not_now"))
        elif client.waiting >= MOST_WAITING:
            client.put(messages.refusal(message, "too_many_presses"))
        else:
            client.waiting += 1
            put(Request(message, lambda answer: self._answer(client, answer)))

    def _answer(self, client: Client, answer: Answer) -> None:
        def put() -> None:
            client.waiting -= 1
            client.put(answer)

        with contextlib.suppress(RuntimeError):  # the server was closed meanwhile
            self._loop.call_soon_threadsafe(put)

    async def _write(self, client: Client) -> None:
        with contextlib.suppress(ConnectionError):
            while not (client.half_closed and not client.waiting):
                await client.wake.wait()
                client.wake.clear()
                while line := client.next_line(self._latest):
                    client.writer.write(line)
                    await client.writer.drain()
                    client.sent.set()
        client.gone = True
        client.sent.set()
