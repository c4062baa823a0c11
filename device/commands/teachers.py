"""Who teaches tags at the command line: through a table that runs, or with its store and its readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol

import msgspec

from device import messages, store
from device.appliance import Forgotten, TableEvent, TagShown, new_table
from device.data_folder import TakenError, socket_in, taken
from device.messages import KnownTag, Learn
from device.palettes import BOX
from device.snapshot import snapshot
from device.store import Store
from device.table import update
from device.table_client import Json, TableAwayError, TableClient
from device.tags import one_form
from hardware.api import SHARED, HardwareEvent, PartBack, PartLost, TagArrived
from hardware.layout import read_layout
from hardware.opening import SIMULATED, open_hardware


class TeachingError(Exception):
    """The table refused; `why` is one of its keys, and empty where the sentence says it all."""

    def __init__(self, why: str, sentence: str = "") -> None:
        super().__init__(sentence or why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Laid:
    """What became of a tag: why it was refused, and what it means now."""

    why: str | None
    known: KnownTag | None


class Teacher(Protocol):
    """Teaches a table its tags."""

    def known(self) -> list[KnownTag]:
        """Every tag that is known, in the order in which they were learned."""

    def learn(self, what: Learn) -> None:
        """Begin or end a lesson; raises TeachingError."""

    def lay(self, tag: str) -> Laid:
        """Lay a tag on the table."""

    def laid(self) -> Iterator[Json]:
        """What the snapshot tells (`learning`, `tags`), now and whenever a tag was laid on a reader."""

    def forget(self, tags: list[str]) -> None:
        """Forget tags in their one form; raises TeachingError."""

    def close(self) -> None:
        """Leave everything as it is."""


def teacher(data: Path, layout: str, say: Callable[[str], None]) -> Teacher:
    """Who teaches the table of a data folder: the table itself, where it runs.

    Raises TeachingError, StoreError, LayoutError, OSError.
    """
    path = socket_in(data)
    try:
        return AtRunningTable(TableClient(path))
    except PermissionError as error:
        raise TeachingError("", f"{path}: another user's table runs there; be that user, or root") from error
    except TableAwayError:
        return AtRest(data, layout, say)


class AtRunningTable:
    """Teaches through the socket of a table that runs, with its readers."""

    def __init__(self, client: TableClient) -> None:
        self._client = client

    def known(self) -> list[KnownTag]:
        """Every tag that is known."""
        return [KnownTag(**each) for each in self._client.ask(tags="list")["tags"]]

    def learn(self, what: Learn) -> None:
        """Begin or end a lesson."""
        _check(self._client.ask(learn=msgspec.to_builtins(what)))

    def lay(self, tag: str) -> Laid:
        """Show the table a tag."""
        answer = self._client.ask(tag={"reader": SHARED, "tag": tag})
        return Laid(answer.get("why"), next((each for each in self.known() if each.tag == tag), None))

    def laid(self) -> Iterator[Json]:
        """Every snapshot while the lesson lasts."""
        self._client.subscribe()
        began = False
        while (told := self._client.next_snapshot())["learning"] is not None or not began:
            if told["learning"] is not None:  # the first may be one from before the lesson began
                began = True
                yield told

    def forget(self, tags: list[str]) -> None:
        """Forget tags."""
        _check(self._client.ask(forget=tags))

    def close(self) -> None:
        """Leave; a lesson goes on."""
        self._client.close()


def _check(answer: Json) -> None:
    if not answer.get("taken"):
        raise TeachingError(answer.get("why") or "", answer.get("error") or "")


class AtRest:
    """Teaches a table that does not run: with its store and its readers."""

    def __init__(self, data: Path, layout: str, say: Callable[[str], None]) -> None:
        self._layout = layout
        self._say = say
        self._closing = ExitStack()
        try:
            try:
                self._closing.enter_context(taken(data))
            except TakenError as error:
                raise TeachingError("", f"{data}: another azul-table is busy there; try again") from error
            self._store = Store.open(store.newest(data))
            self._closing.callback(self._store.close)
            self._table = replace(new_table(1, 1), tags=self._store.tags())
        except BaseException:
            self._closing.close()
            raise

    def known(self) -> list[KnownTag]:
        """Every tag that is known."""
        return messages.known_tags(self._table.tags)

    def learn(self, what: Learn) -> None:
        """Begin or end a lesson."""
        self._do(messages.learning_event(what, 0.0))

    def lay(self, tag: str) -> Laid:
        """Learn a tag."""
        try:
            self._do(TagShown(SHARED, tag, 0.0))
        except TeachingError as refused:
            return Laid(refused.why, self._known(tag))
        return Laid(None, self._known(tag))

    def _known(self, tag: str) -> KnownTag | None:
        return next((each for each in self.known() if each.tag == tag), None)

    def laid(self) -> Iterator[Json]:
        """Open the table's readers, and learn what is laid on them."""
        layout = read_layout(self._layout)
        if layout.drivers.readers == SIMULATED:
            raise TeachingError(
                "",
                f"layout {layout.name!r} has simulated readers: start the table and lay tags there, "
                "or type them with --typed",
            )
        inbox: SimpleQueue[HardwareEvent] = SimpleQueue()
        hardware = open_hardware(layout, inbox.put)
        try:
            yield snapshot(self._table, BOX)
            while True:
                match inbox.get():
                    case TagArrived(tag=tag):
                        self.lay(one_form(tag))
                        yield snapshot(self._table, BOX)
                    case PartLost(part=part, told=told) if not part.startswith("button"):
                        self._say(f"{part}: {told}")
                    case PartBack(part=part):
                        self._say(f"{part} is back")
        finally:
            hardware.close()

    def forget(self, tags: list[str]) -> None:
        """Forget tags."""
        self._do(Forgotten(tuple(tags), 0.0))

    def close(self) -> None:
        """Close everything; it is saved already."""
        self._closing.close()

    def _do(self, event: TableEvent) -> None:
        """Let something happen, kept before it is said; raises TeachingError where it is refused."""
        before = self._table.refusal
        after = update(self._table, event)
        self._store.keep_tags(self._table.tags, after.tags)
        self._table = after
        if after.refusal is not None and after.refusal.said and after.refusal != before:
            raise TeachingError(after.refusal.why)
