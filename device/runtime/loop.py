"""The table's main loop: events from one queue in; store, lights and socket out, in this order.

The loop reads the clock and draws the random numbers; the table itself (`device.table`) is a value that
`update` turns into the next one. One thread runs the loop; all other threads only put into its inbox.
"""

import random
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, Protocol

from device.lights.animation import TICKS_A_SECOND, next_time
from device.lights.board import source_lights
from device.lights.flash_limiter import FlashLimiter, limit_flashes
from device.lights.palettes import PALETTES, Palette, palette_for
from device.lights.view import FrameColours, FrameMaker
from device.rules.events import CENTRE, Chance
from device.runtime.simulation import NOT_SIMULATED, SimulatedParts, with_simulated_tags
from device.socket import messages
from device.socket.messages import (
    Answer,
    HistoryQuestion,
    ListTags,
    PressButton,
    ShowTag,
    TableMessage,
    TableMessageBase,
)
from device.socket.server import Request
from device.socket.snapshot import Json, snapshot
from device.store.store import Store, StoreError, next_file
from device.table.access import Equipment
from device.table.buttons import all_buttons
from device.table.claims import event_of_phone
from device.table.game import Play
from device.table.preferences import previewing
from device.table.prompts import asked
from device.table.state import (
    ChanceDrawn,
    Faults,
    FirstDrawn,
    NeededDraw,
    RefusalReason,
    RefusedError,
    StoreFault,
    Table,
    TableEvent,
    TableSettings,
    TagShown,
    Tick,
    needed_draw,
    new_table,
)
from device.table.tags import normalize_tag
from device.table.update import refuse, update
from hardware.api import (
    OK,
    ButtonPressed,
    HardwareEvent,
    Lights,
    PartBack,
    PartLost,
    PartMessage,
    TagArrived,
    TagLeft,
    turn_light,
)
from hardware.layout.model import Layout
from hardware.power import CurrentLimiter

BEAT: Final = 0.9
"""Seconds between two beats; ticks, for which the loop wakes anyway, make it at most a second."""
REFRESH: Final = 1.0  # seconds after which an unchanged frame is sent again
MOST_AT_ONCE: Final = 64  # events that are handled before the next frame at most


class Stop:
    """The item of the inbox that ends the loop."""


class Publisher(Protocol):
    """The receiver of snapshots and frames, as JSON lines; its methods must not block."""

    @property
    def frames_wanted(self) -> bool:
        """Whether any client is subscribed to frames."""

    @property
    def subscribed(self) -> bool:
        """Whether any client is subscribed."""

    def publish_beat(self) -> None:
        """Tell the subscribers that the loop is running."""

    def publish_snapshot(self, line: bytes) -> None:
        """Replace the latest snapshot."""

    def publish_frame(self, line: bytes) -> None:
        """Replace the latest frame."""


Observer = Callable[[Table], None]
"""A function that takes the table every time the loop has handled events; it must not block."""
Inbox = SimpleQueue[TableEvent | HardwareEvent | Request | Stop]


def equipment_of(layout: Layout, *, phones_play: bool = False) -> Equipment:
    """Return which buttons, readers and lights a layout's table has, and whether phones may play."""
    lights = frozenset(light.name for light in layout.lights)
    sources = (CENTRE, *range(1, layout.displays + 1))
    return Equipment(
        frozenset(button.name for button in layout.buttons),
        frozenset(reader.name for reader in layout.readers),
        layout.drivers.buttons == "pico",
        phones_play,
        boards=turn_light(1) in lights,
        single=tuple(source for source in sources if source_lights(source)[1] not in lights),
    )


Draw = Callable[[Play, str], Chance]
"""A function that draws the chance event that a game waits for; the text is the game's seed."""


def seeded_draw(play: Play, seed: str) -> Chance:
    """Draw the next chance event from seed and number of the draw: a deal taken back comes again the same."""
    drawn = sum(isinstance(event, Chance) for event in play.events)
    return play.state.chance(random.Random(f"{seed}/{drawn}").randrange)


class TableLoop:
    """The main loop of one table, with its store, its lights and its publisher.

    `store_path` is the file of saved games; without `settings` the table has the defaults for its layout;
    `clock` returns seconds, as in the times of hardware events; `log` takes one sentence; `joining` returns
    how phones join, at once.
    """

    def __init__(
        self,
        layout: Layout,
        store_path: Path,
        palette: Palette,
        inbox: Inbox,
        lights: Lights,
        publisher: Publisher,
        clock: Callable[[], float] = time.monotonic,
        draw: Draw = seeded_draw,
        settings: TableSettings | None = None,
        simulated: SimulatedParts = NOT_SIMULATED,
        observers: Sequence[Observer] = (),
        log: Callable[[str], None] = lambda _sentence: None,
        joining: Callable[[], Json] = dict,
        palettes: Mapping[str, Palette] = PALETTES,
    ) -> None:
        self._frames = FrameMaker([light.name for light in layout.lights], CurrentLimiter(layout).limit)
        self._button_names = frozenset(all_buttons(layout.seats, layout.displays))
        self._palette = palette
        self._palettes = palettes
        self._inbox = inbox
        self._lights = lights
        self._publisher = publisher
        self._clock = clock
        self._draw_event = draw
        self._observers = observers
        self._simulated = simulated
        self._log = log
        self._joining = joining
        self._answers: list[Callable[[], None]] = []  # to requests of this turn of the loop
        self._lit = FlashLimiter()  # the frame that the lights have
        self._lit_at = float("-inf")
        self._beat_at = float("-inf")
        self._colours = FrameColours([light.name for light in layout.lights])  # what was published last
        self._snapshot: Json = {}  # the latest, without its version
        self._snapshot_of: tuple[Table, bool | None, Json] | None = None  # the state that it was made from
        self._next_tick = float("-inf")
        self._version = time.time_ns() // 1_000_000  # above that of an earlier run: it is the pages' ETag
        self._zero = time.time() - clock()  # the Unix time at which the events' clock read 0
        self._folder = store_path.parent
        self._store: Store | None = None  # None if its file can't be used
        settings = settings or TableSettings(layout.seats, layout.displays, equipment=equipment_of(layout))
        self._blank = replace(new_table(settings), questions=self._version)  # those of an earlier run differ
        self.table = self._blank
        self._open_store(store_path)

    def _open_store(self, path: Path) -> None:
        """Open a store and load its table; if that fails, show the fault on the table."""
        try:
            store = Store.open(path)
            try:
                if self._simulated.readers:
                    tags, physical_tiles = store.tags(), self._blank.settings.physical_tiles
                    store.save_tags(tags, with_simulated_tags(tags, physical_tiles=physical_tiles))
                table = store.load(self._blank, self._clock())
            except StoreError:
                store.close()
                raise
        except StoreError as error:
            self._store = None
            fault = StoreFault(error.why, error.path.name, next_file(error.path).name)
            table = replace(self._blank, faults=Faults(fault))
        else:
            self._store = store
        faults = replace(table.faults, parts=self.table.faults.parts)
        # lost hardware is not part of what is loaded
        self.table = replace(table, faults=faults, questions=self.table.questions + 1)

    def run(self, ready: Callable[[], None], alive: Callable[[], None] = lambda: None) -> None:
        """Run until `Stop`; call `ready` after the first snapshot, `alive` on every turn (for a watchdog)."""
        self._step(Tick(self._clock()))
        self._settle()
        self._light()
        self._publish()
        ready()
        while self._take_events():
            self._light()
            self._publish()
            self._send_answers()
            self._beat()
            alive()
        self._send_answers()
        if self._store is not None:
            self._store.close()

    # --- Input: hardware events, requests of clients, and time -------------------------------------------

    def _take_events(self) -> bool:
        """Wait for events until the next frame is due and handle all that are there; False on `Stop`.

        Time passes for the table after events, and otherwise at the times of ticks only.
        """
        now = self._clock()
        wait = max(0.0, min(self._frames.next_time(now), self._next_tick) - now)
        taken = False
        for _ in range(MOST_AT_ONCE):
            try:
                item = self._inbox.get(timeout=wait)
            except Empty:
                break
            if isinstance(item, Stop):
                return False
            self._take(item)
            taken, wait = True, 0.0
        now = self._clock()
        if taken or now >= self._next_tick:
            self._next_tick = next_time(now, TICKS_A_SECOND)
            self._step(Tick(now))
            for observer in self._observers:
                observer(self.table)
        return True

    def _take(self, item: TableEvent | HardwareEvent | Request) -> None:
        match item:
            case Request():
                self._answers.append(partial(item.answer, self._answer(item.message)))
            case PartLost():
                self._log(f"Lost: {item.part}: {item.message}")
                self._step(item)
            case PartBack():
                self._log(f"Back: {item.part}")
                self._lit_at = float("-inf")  # lights that are back need a frame at once
                self._step(item)
            case PartMessage():
                for line in item.message.splitlines():
                    self._log(f"{item.part}: {line}")
            case TagArrived(reader, tag, at):
                self._step(TagShown(reader, normalize_tag(tag), at))
            case TagLeft():
                pass
            case _:
                self._step(item)

    def _answer(self, message: TableMessage | HistoryQuestion) -> Answer:
        """Do what a client's message asks for, and return the answer to it."""
        now, pico = self._clock(), self._simulated.pico
        if isinstance(message, TableMessageBase) and (why := self._why_not_in_time(message, now)) is not None:
            return messages.refusal(message, why)
        match message:
            case PressButton(button) if button not in self._button_names:
                return messages.refusal(message, RefusalReason.UNKNOWN_BUTTON)
            case ListTags():
                return messages.taken(message, messages.known_tags(self.table.tags.known))
            case messages.PlugPico(plugged):
                if pico is None:
                    return messages.refusal(message, RefusalReason.NOT_NOW)
                pico.plug(plugged=plugged)
                return messages.taken(message)
            # the Pico sends the event; where it can't, the loop takes the message itself, below
            case PressButton(button) if message.by is None and pico is not None and pico.try_press(button):
                return messages.taken(message)
            case ShowTag(reader, tag) if pico is not None and pico.try_tag(reader, tag):
                return messages.taken(message)
        before = self.table.refusal
        try:
            self._step(self._event_of(message, now))
        except RefusedError as refused:
            return messages.refusal(message, refused.why)
        after = self.table.refusal
        if after is None or not after.shown or (before is not None and after.number == before.number):
            return messages.taken(message)
        return messages.refusal(message, after.why)

    def _event_of(self, message: TableMessage | HistoryQuestion, at: float) -> TableEvent:
        """Return the event of a message. Raises RefusedError for a phone's message that it may not send.

        Time passes for the table first then: it may be somebody else's turn by now.
        """
        event = messages.table_event(message, self.table.tags.known, at)
        if not isinstance(message, TableMessageBase) or message.by is None:
            return event
        self._step(Tick(at))
        return event_of_phone(self.table, event, message.by)

    def _why_not_in_time(self, message: TableMessageBase, now: float) -> RefusalReason | None:
        """Return why a message comes too late: after its time, or for a question that was asked before.

        Time passes for the table first, as it may change the question.
        """
        if message.before is not None and now > message.before:
            return RefusalReason.LATE
        if message.asked is None:
            return None
        self._step(Tick(now))
        return None if message.asked == asked(self.table) else RefusalReason.OUTDATED

    # --- The table: update, save, draw -------------------------------------------------------------------

    def _step(self, event: TableEvent) -> None:
        """Apply one event, save the table that follows, and draw what that table waits for."""
        after = update(self.table, event)
        if after is self.table:
            if not self._settle():
                self._refuse_not_saved(event)
            return
        fault = self.table.faults.store
        if fault is not None and after.faults.store is None:
            self._open_store(self._folder / fault.beside)
            return
        if self._commit(after):
            self._settle()
        else:
            self._refuse_not_saved(event)

    def _refuse_not_saved(self, event: TableEvent) -> None:
        """Refuse an event whose table can't be saved; of repeated ticks only the first is refused."""
        last = self.table.refusal
        repeated = last is not None and last.shown and last.why == RefusalReason.NOT_SAVED
        if repeated and isinstance(event, Tick):
            return
        button = event.button if isinstance(event, ButtonPressed) else OK
        self.table = refuse(self.table, RefusalReason.NOT_SAVED, button, event.at)

    def _commit(self, table: Table) -> bool:
        """Save a table, then make it the current one; False, and nothing changes, if it can't be saved."""
        if self._store is not None:
            try:
                if self._store.save(table):
                    self._log(f"The file of saved games was removed: all games are now in {self._store.path}")
            except StoreError:
                return False
        self.table = table
        return True

    def _settle(self) -> bool:
        """Draw chance events until the table waits for players; False if one can't be saved."""
        while (want := needed_draw(self.table)) is not None:
            if not self._commit(update(self.table, self._draw(want))):
                return False
        return True

    def _draw(self, want: NeededDraw) -> TableEvent:
        at = self._clock()
        if want is NeededDraw.FIRST:
            return FirstDrawn(secrets.choice(self.table.seats.taken), at)
        play = self.table.play
        assert play is not None
        assert self._store is not None
        return ChanceDrawn(self._draw_event(play, self._store.seed), at)

    # --- Output: lights, snapshots, answers --------------------------------------------------------------

    def _light(self) -> None:
        """Send the current frame to the lights and to subscribers, if it changed or is to be sent again."""
        now = self._clock()
        lit = limit_flashes(self._lit, self._frames.at(self.table, now, self._palette_of_lights(now)), now)
        if lit is self._lit and now - self._lit_at < REFRESH:
            return
        self._lit, self._lit_at = lit, now
        self._lights.show(lit.frame)
        if self._publisher.frames_wanted:
            colours = self._colours.after(lit.frame).hex()
            self._publisher.publish_frame(messages.encode(messages.FrameMessage(colours)))

    def _publish(self) -> None:
        """Publish a snapshot if it differs from the last one."""
        plugged = self._simulated.plugged
        last, joining = self._snapshot_of, self._joining()
        if last is not None and last[0] is self.table and last[1:] == (plugged, joining):
            return  # same state, same snapshot
        self._snapshot_of = self.table, plugged, joining
        simulated = self._simulated.to_json(self.table)
        latest = snapshot(self.table, self._palette_now(), self._zero, simulated, self._palettes, joining)
        if latest != self._snapshot:
            self._snapshot = latest
            self._version += 1
            line = messages.encode(messages.SnapshotMessage({**latest, "version": self._version}))
            self._publisher.publish_snapshot(line)

    def _beat(self) -> None:
        """Tell subscribers once in a while that the loop is running: a loop that hangs sends no beat."""
        now = self._clock()
        if now - self._beat_at >= BEAT and self._publisher.subscribed:
            self._beat_at = now
            self._publisher.publish_beat()

    def _send_answers(self) -> None:
        """Answer the requests of this turn, after its snapshot: a client that looks then sees the effect."""
        for answer in self._answers:
            answer()
        self._answers.clear()

    def _palette_of_lights(self, now: float) -> Palette:
        """Return the palette of the lights: for a moment the one that was just chosen, whatever is played."""
        return self._chosen_palette() if previewing(self.table, now) else self._palette_now()

    def _chosen_palette(self) -> Palette:
        """Return the palette that was chosen at the table, else that of the settings file."""
        return self._palettes.get(self.table.preferences.palette or "", self._palette)

    def _palette_now(self) -> Palette:
        if self.table.tags.lesson is not None:
            return self._chosen_palette()  # the tiles that are taught have the colours of the box
        play = self.table.play
        mode = play.setup.mode if play is not None else self.table.next_game.options.mode
        return palette_for(mode, self._chosen_palette())
