"""The loop: presses, time and chance in; the store, the lights and the socket out, in this order.

This is the impure room: the clock and the random numbers are here and nowhere else. One thread runs the loop;
every other thread only puts into its inbox.
"""

import random
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, Protocol

from device.lights.animation import next_frame_time
from device.lights.board import source_lights
from device.lights.flash_limiter import FlashLimiter, limit_flashes
from device.lights.palettes import Palette, palette_for
from device.lights.view import Frames
from device.rules import game as rules
from device.rules.events import CENTRE, Chance
from device.rules.tiles import colour_of
from device.runtime.simulation import NOTHING, Simulated, stocked
from device.socket import messages
from device.socket.messages import Answer, ClientMessage, known, learning_event, refusal, taken
from device.socket.server import Request
from device.socket.snapshot import Json, snapshot
from device.store.store import Store, StoreError, fault_of
from device.table.access import Equipment
from device.table.buttons import all_buttons
from device.table.game import Play
from device.table.state import (
    ChanceDrawn,
    FirstDrawn,
    HintRequested,
    NeededDraw,
    OpponentSettings,
    PlayerNamed,
    RefusalReason,
    Table,
    TableEvent,
    TagsForgotten,
    TagShown,
    Tick,
    TileShown,
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
    PartSaid,
    TagArrived,
    TagLeft,
    turn_light,
)
from hardware.layout.model import Layout
from hardware.power import limit

REFRESH: Final = 1.0
"""Seconds after which a frame is sent again though nothing changed."""
MOST_AT_ONCE: Final = 64
"""Events that are taken in before the next frame."""


class Stop:
    """Put into the inbox to end the loop."""


class Audience(Protocol):
    """Who is told what the table shows; no call may wait."""

    @property
    def frames_wanted(self) -> bool:
        """Whether anybody wants frames."""

    def publish_snapshot(self, line: bytes) -> None:
        """Tell the latest snapshot."""

    def publish_frame(self, line: bytes) -> None:
        """Tell the latest frame."""


class Watcher(Protocol):
    """Who looks at the table as it is, after everything that happens; no call may wait."""

    def look(self, table: Table) -> None:
        """See how the table stands now."""


Inbox = SimpleQueue[TableEvent | HardwareEvent | Request | Stop]


@dataclass(frozen=True, slots=True)
class Options:
    """How this table is played, whatever the game."""

    confirm_columns: bool = True
    resin: bool = False
    simulated: Simulated = NOTHING
    phones_play: bool = False  # phones in the network may press whatever a hand may
    manners: OpponentSettings = field(default_factory=OpponentSettings)


def fittings(layout: Layout, options: Options) -> Equipment:
    """What of a layout's table there is to touch and to see."""
    lights = frozenset(light.name for light in layout.lights)
    sources = (CENTRE, *range(1, layout.displays + 1))
    return Equipment(
        frozenset(button.name for button in layout.buttons),
        frozenset(reader.name for reader in layout.readers),
        layout.drivers.buttons == "pico",
        options.phones_play,
        boards=turn_light(1) in lights,
        single=tuple(source for source in sources if source_lights(source)[1] not in lights),
    )


Draw = Callable[[Play, str], Chance]
"""Draws the chance event that a game waits for; the text is the game's seed."""


def seeded_draw(play: Play, seed: str) -> Chance:
    """Draw by the game's seed and the number of the draw: what is taken back and dealt again is the same."""
    drawn = sum(isinstance(event, Chance) for event in play.events)
    event = rules.chance(play.state, random.Random(f"{seed}/{drawn}").randrange)
    assert isinstance(event, Chance)
    return event


class Daemon:
    """One table and everything it drives, until `Stop` comes out of the inbox."""

    def __init__(
        self,
        layout: Layout,
        store_path: Path,
        palette: Palette,
        inbox: Inbox,
        lights: Lights,
        audience: Audience,
        clock: Callable[[], float] = time.monotonic,
        draw: Draw = seeded_draw,
        options: Options = Options(),
        watchers: Sequence[Watcher] = (),
        say: Callable[[str], None] = lambda _sentence: None,
    ) -> None:
        self._frames = Frames(
            [light.name for light in layout.lights], lambda frame: limit(frame, layout.supply)
        )
        self._button_names = frozenset(all_buttons(layout.seats, layout.displays))
        self._palette = palette
        self._inbox = inbox
        self._lights = lights
        self._audience = audience
        self._clock = clock
        self._draw_event = draw
        self._watchers = watchers
        self._answers: list[Callable[[], None]] = []
        self._shown = FlashLimiter()
        self._shown_at = float("-inf")
        self._told: Json = {}
        self._told_of: tuple[Table, bool | None] | None = None
        self._version = time.time_ns() // 1_000_000  # beyond any of a run before: the pages' ETag
        self._folder = store_path.parent
        self._store: Store | None = None
        self._options = options
        self._say = say
        self._zero = time.time() - clock()  # the pages' clock when the events' stood at 0
        self._blank = new_table(
            layout.seats,
            layout.displays,
            confirm_columns=options.confirm_columns,
            resin=options.resin,
            fittings=fittings(layout, options),
            manners=options.manners,
        )
        self.table = self._blank
        self._open_store(store_path)

    def _open_store(self, path: Path) -> None:
        """Go on where the store says; one that can't be used is left alone and the table says so."""
        try:
            store = Store.open(path)
            try:
                if self._options.simulated.readers:
                    tags = store.tags()
                    store.keep_tags(tags, stocked(tags, resin=self._options.resin))
                table = store.load(self._blank, self._clock())
            except StoreError:
                store.close()
                raise
        except StoreError as error:
            self._store = None
            table = self._blank.with_fault(fault_of(error))
        else:
            self._store = store
        self.table = replace(table, lost=self.table.lost)  # what is lost is so whatever is loaded

    def run(self, ready: Callable[[], None], alive: Callable[[], None] = lambda: None) -> None:
        """Run the loop; `ready` is called once the table can be seen, `alive` every time it goes round."""
        self._step(Tick(self._clock()))
        self._settle()
        self._tell()
        self._show()
        ready()
        while self._take_all():
            self._tell()
            self._answer_all()
            self._show()
            alive()
        self._answer_all()
        if self._store is not None:
            self._store.close()

    # --- In ----------------------------------------------------------------------------------------------

    def _take_all(self) -> bool:
        """Wait for events until the next frame is due, then take what is there; False on Stop."""
        now = self._clock()
        wait = max(0.0, next_frame_time(now) - now)
        for _ in range(MOST_AT_ONCE):
            try:
                item = self._inbox.get(timeout=wait)
            except Empty:
                break
            if isinstance(item, Stop):
                return False
            self._take(item)
            wait = 0.0
        self._step(Tick(self._clock()))
        for watcher in self._watchers:
            watcher.look(self.table)
        return True

    def _take(self, item: TableEvent | HardwareEvent | Request) -> None:
        match item:
            case Request():
                self._answers.append(partial(item.answer, self._answer(item.message)))
            case PartLost():
                self._say(f"Lost: {item.part}: {item.told}")
                self._step(item)
            case PartBack():
                self._say(f"Back: {item.part}")
                self._shown_at = float("-inf")  # it gets a whole frame at once
                self._step(item)
            case PartSaid():
                for line in item.told.splitlines():
                    self._say(f"{item.part}: {line}")
            case TagArrived(reader, tag, at):
                self._step(TagShown(reader, normalize_tag(tag), at))
            case TagLeft():
                pass  # a tile was taken off its reader: nothing follows from that
            case _:
                self._step(item)

    def _answer(self, message: ClientMessage) -> Answer:
        """Do what a client asks for, and say what became of it."""
        if message.press is not None and message.press not in self._button_names:
            return refusal(message, RefusalReason.UNKNOWN_BUTTON)
        if message.tags is not None:
            return known(message, self.table.tags)
        if message.plug is not None:
            return self._plug(message)
        if self._is_passed_on(message):
            return taken(message)
        before = self.table.refusal
        self._step(self._asked(message, self._clock()))
        after = self.table.refusal
        if after is None or not after.said or (before is not None and after.number == before.number):
            return taken(message)
        return refusal(message, after.why)

    def _plug(self, message: ClientMessage) -> Answer:
        """Plug the simulated Pico in, or pull it out."""
        pico = self._options.simulated.pico
        if pico is None or message.plug is None:
            return refusal(message, RefusalReason.NOT_NOW)
        pico.plug(plugged=message.plug)
        return taken(message)

    def _is_passed_on(self, message: ClientMessage) -> bool:
        """Have the hands at the simulated Pico do it, where it would come through; else it is done here."""
        pico = self._options.simulated.pico
        if pico is None:
            return False
        if message.press is not None:
            return pico.pass_press(message.press)
        return message.tag is not None and pico.pass_tag(message.tag.reader, message.tag.tag)

    def _asked(self, message: ClientMessage, at: float) -> TableEvent:
        """A client's message as an event of the table."""
        if message.name is not None:
            return PlayerNamed(message.name.seat, message.name.name, at)
        if message.tile is not None:
            return TileShown(colour_of(message.tile), None, None, at)
        if message.tag is not None:
            return TagShown(message.tag.reader, normalize_tag(message.tag.tag), at)
        if message.learn is not None:
            return learning_event(message.learn, at)
        if message.forget is not None:
            return TagsForgotten(tuple(map(normalize_tag, message.forget)), at)
        if message.hint is not None:
            return HintRequested(message.hint.seat, at)
        assert message.press is not None
        return ButtonPressed(message.press, at)

    def _step(self, event: TableEvent) -> None:
        after = update(self.table, event)
        if after is self.table:
            if not self._settle():
                self._say_not_saved(event)
            return
        fault = self.table.fault
        if fault is not None and after.fault is None:
            self._open_store(self._folder / fault.beside)
            return
        if self._commit(after):
            self._settle()
        else:
            self._say_not_saved(event)

    def _say_not_saved(self, event: TableEvent) -> None:
        """Refuse what could not be saved; what happens with the time says so once, and is tried again."""
        said = self.table.refusal
        if isinstance(event, Tick) and said is not None and said.said and said.why == RefusalReason.NOT_SAVED:
            return
        button = event.button if isinstance(event, ButtonPressed) else OK
        self.table = refuse(self.table, RefusalReason.NOT_SAVED, button, event.at)

    def _commit(self, table: Table) -> bool:
        """Make this the table once it is saved; False, and the table stays, where it can't be."""
        if self._store is not None:
            try:
                if self._store.save(table):
                    self._say(f"The file of the games was taken away: {self._store.path} holds them all now")
            except StoreError:
                return False
        self.table = table
        return True

    def _settle(self) -> bool:
        """Draw what the table waits for, until it waits for people; False where that can't be saved."""
        while (want := needed_draw(self.table)) is not None:
            if not self._commit(update(self.table, self._draw(want))):
                return False
        return True

    def _draw(self, want: NeededDraw) -> TableEvent:
        at = self._clock()
        if want is NeededDraw.FIRST:
            return FirstDrawn(secrets.choice(self.table.taken), at)
        play = self.table.play
        assert play is not None
        assert self._store is not None
        return ChanceDrawn(self._draw_event(play, self._store.seed), at)

    # --- Out ---------------------------------------------------------------------------------------------

    def _tell(self) -> None:
        """Publish a snapshot if there is anything new in it."""
        plugged = self._options.simulated.plugged
        last = self._told_of
        if last is not None and last[0] is self.table and last[1] == plugged:
            return  # the same value: nothing can be new in it
        self._told_of = self.table, plugged
        simulated = self._options.simulated.told(self.table)
        told = snapshot(self.table, self._palette_now(), self._zero, simulated)
        if told != self._told:
            self._told = told
            self._version += 1
            line = messages.line({"snapshot": {**told, "version": self._version}})
            self._audience.publish_snapshot(line)

    def _answer_all(self) -> None:
        """Answer what clients said, after the news of it: who is answered and looks then, sees it."""
        for answer in self._answers:
            answer()
        self._answers.clear()

    def _show(self) -> None:
        """Give the lights the frame of now, if it changed or is to be refreshed."""
        now = self._clock()
        shown = limit_flashes(self._shown, self._frames.at(self.table, now, self._palette_now()), now)
        if shown.frame == self._shown.frame and now - self._shown_at < REFRESH:
            return
        self._shown, self._shown_at = shown, now
        self._lights.show(shown.frame)
        if self._audience.frames_wanted:
            dots = (bytes(shown.frame.colour(name)) for name in self._frames.names)
            self._audience.publish_frame(messages.line({"frame": b"".join(dots).hex()}))

    def _palette_now(self) -> Palette:
        if self.table.lesson is not None:
            return self._palette  # tiles are the box's, whatever is played
        play = self.table.play
        return palette_for(play.setup.mode if play is not None else self.table.wishes.mode, self._palette)
