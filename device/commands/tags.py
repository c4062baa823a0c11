"""The command `azul-table tags`: teach, list and forget the meanings of RFID tags.

A running table is asked through its socket. For one that does not run, `StoredTable` answers the same
messages from its store and readers, so that the commands are the same for both.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, Protocol, TypeAlias

import click
import msgspec

from device.commands.console import (
    CommandError,
    data_option,
    file_error,
    json_option,
    layout_option,
    log,
    printable,
    reported,
)
from device.lights.palettes import BOX
from device.rules.tiles import LETTERS, TILES_OF_A_COLOUR
from device.runtime.data_folder import FolderInUseError, locked, socket_path
from device.socket import messages
from device.socket.client import Json, TableAwayError, TableClient
from device.socket.messages import (
    ActionName,
    Answer,
    EndLesson,
    ForgetTags,
    KnownTag,
    Lesson,
    ListTags,
    ShowTag,
    TableMessage,
    TeachAction,
    TeachPlayer,
    TeachTiles,
)
from device.socket.snapshot import snapshot
from device.store import store
from device.store.store import Store, StoreError
from device.table.state import TableSettings, TagState, new_table
from device.table.tags import Kind, Verdict, normalize_tag
from device.table.update import update
from hardware.api import SHARED, HardwareError, HardwareEvent, PartBack, PartLost, TagArrived
from hardware.drivers.open import open_hardware
from hardware.drivers.simulated import SIMULATED
from hardware.layout.model import Layout, read_layout

# --- The table, running or not ---------------------------------------------------------------------------


class Readers(Protocol):
    """Open hardware; only its readers are used."""

    def close(self) -> None:
        """Close the hardware."""


OpenReaders = Callable[[Layout, Callable[[HardwareEvent], None]], Readers]


class StoredTable:
    """A client like `TableClient` of a table that does not run: its store and readers answer."""

    def __init__(self, data: Path, layout: str, open_readers: OpenReaders = open_hardware) -> None:
        """Lock the data folder and open its store. Raises CommandError, StoreError, OSError."""
        self._layout = layout
        self._open_readers = open_readers
        self._inbox: SimpleQueue[HardwareEvent] = SimpleQueue()
        self._snapshot_sent = False
        with ExitStack() as opened:
            try:
                opened.enter_context(locked(data))
            except FolderInUseError as error:
                raise CommandError(f"{data}: another azul-table is busy there; try again") from error
            self._store = Store.open(store.newest_file(data))
            opened.callback(self._store.close)
            self._table = replace(new_table(TableSettings(1, 1)), tags=TagState(self._store.tags()))
            self._closing = opened.pop_all()

    def ask(self, message: TableMessage) -> Answer:
        """Answer a message about tags; a change is saved before. Raises StoreError."""
        known = self._table.tags.known
        if isinstance(message, ListTags):
            return messages.taken(message, messages.known_tags(known))
        before = self._table.refusal
        after = update(self._table, messages.table_event(message, known, 0.0))
        self._store.save_tags(known, after.tags.known)
        self._table = after
        if after.refusal is not None and after.refusal.shown and after.refusal != before:
            return messages.refusal(message, after.refusal.why)
        return messages.taken(message)

    def subscribe(self) -> None:
        """Open the readers of the layout. Raises CommandError if they are simulated, and LayoutError."""
        layout = read_layout(self._layout)
        if layout.drivers.readers == SIMULATED:
            raise CommandError(
                f"layout {layout.name!r} has simulated readers: start the table and lay tags there, "
                "or type them with --typed"
            )
        self._closing.callback(self._open_readers(layout, self._inbox.put).close)

    def next_snapshot(self) -> Json:
        """Return a snapshot: the first at once, then one after each tag that is laid on a reader."""
        while self._snapshot_sent:
            match self._inbox.get():
                case TagArrived(reader, tag):
                    self.ask(ShowTag(reader, tag))
                    break
                case PartLost(part=part, message=message) if not part.startswith("button"):
                    log(f"{part}: {message}")
                case PartBack(part=part):
                    log(f"{part} is back")
        self._snapshot_sent = True
        return snapshot(self._table, BOX)

    def close(self) -> None:
        """Close the readers and the store."""
        self._closing.close()


TagClient: TypeAlias = TableClient | StoredTable


def connect(data: Path, layout: str) -> TagClient:
    """Connect to the table of a data folder, or open its store. Raises CommandError, StoreError, OSError."""
    path = socket_path(data)
    try:
        return TableClient(path)
    except PermissionError as error:
        raise CommandError(f"{path}: another user's table runs there; be that user, or root") from error
    except TableAwayError:
        return StoredTable(data, layout)


def known_tags(table: TagClient) -> list[KnownTag]:
    """Return every known tag, in the order of teaching."""
    return msgspec.convert(table.ask(ListTags()).result, list[KnownTag])


def _send(table: TagClient, message: TableMessage) -> None:
    """Send a message. Raises CommandError if it is refused."""
    answer = table.ask(message)
    if not answer.taken:
        raise _refused(answer.why)


def _refused(why: str | None) -> CommandError:
    """Return the error that the table refused a message; `why` is the key of the reason."""
    return CommandError(REFUSALS.get(why or "", why or "the table refused"))


# --- The commands ----------------------------------------------------------------------------------------

COLOURS: Final = {letter: shade.word for letter, shade in zip(LETTERS, BOX.shades, strict=True)}
ACTIONS: Final[dict[str, ActionName]] = {"undo": "undo", "ok": "ok", "new-game": "new_game"}
REFUSALS: Final = {
    "learning_other": "another lesson is under way: finish it, or end it with ok",
    "name_too_long": "a player's name has at most 20 printable characters",
    "name_missing": "a player's card needs a name",
    "not_now": "the table can't use its saved games: see its page",
    "not_saved": "the table can't save just now: is its disk full?",
    "tag_not_known": "one of these tags is not known",
}

_layout = layout_option("The table's layout, for its readers; needed only while no table runs.")
_tags = click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="A tag, instead of a reader; may be repeated."
)
_typed = click.option(
    "--typed",
    is_flag=True,
    help="Read tags from standard input, one per line, as a USB reader types them; it must type the hex "
    "digits that the table's readers give.",
)


@click.group()
def command() -> None:
    """Teach, list and forget tags: tiles, players' cards, action cards.

    If a table runs with the same data folder, its readers are used, and it shows the progress. If not, the
    readers of the layout are opened. Tags can also be given with --tag, or typed.
    """


@command.group()
def learn() -> None:
    """Teach tags: tiles, a player's card, an action card.

    Every tag that is reported as learned is saved. A tag that has a meaning already keeps it: forget it
    first.
    """


def _table_command(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of the table, and the table itself as its first argument."""

    @data_option("The folder of saved games and settings.")
    @_layout
    @wraps(function)
    def with_table(data: Path, layout: str, **given: Any) -> None:
        try:
            with (
                reported(StoreError, HardwareError, TableAwayError),
                closing(connect(data.absolute(), layout)) as table,
            ):
                function(table, **given)
        except OSError as error:
            raise file_error(str(error.filename or "the data folder"), "used", error) from error

    return with_table


# --- learn -----------------------------------------------------------------------------------------------


@learn.command()
@click.argument("colour", required=False, type=click.Choice(list(COLOURS.values())))
@_tags
@_typed
@_table_command
def tiles(table: TagClient, colour: str | None, tags: tuple[str, ...], *, typed: bool) -> None:
    """Teach the 100 tiles, colour after colour, or those of one COLOUR.

    Lay one tile after another on any reader. Ctrl-C interrupts; the same command goes on from there.
    """
    letter = next((each for each, name in COLOURS.items() if name == colour), "all")
    _learn(table, msgspec.convert({"type": "teach_tiles", "colour": letter}, TeachTiles), tags, typed=typed)
    _print_progress(known_tags(table))


@learn.command()
@click.argument("name")
@_tags
@_typed
@_table_command
def player(table: TagClient, name: str, tags: tuple[str, ...], *, typed: bool) -> None:
    """Teach the card of the player NAME, who sits down with it."""
    _learn(table, TeachPlayer(name), tags, typed=typed)


@learn.command()
@click.argument("which", metavar="ACTION", type=click.Choice(list(ACTIONS)))
@_tags
@_typed
@_table_command
def action(table: TagClient, which: str, tags: tuple[str, ...], *, typed: bool) -> None:
    """Teach a card that does what a button does: undo, ok, or new-game."""
    _learn(table, TeachAction(ACTIONS[which]), tags, typed=typed)


def _learn(table: TagClient, lesson: Lesson, tags: tuple[str, ...], *, typed: bool) -> None:
    """Run a lesson with tags from the command line, standard input or the readers, and end it in any case."""
    if tags and typed:
        raise click.UsageError("give tags with --tag or with --typed, not both")
    with reported(ValueError):
        given = [normalize_tag(tag) for tag in tags]
    before = known_tags(table)
    _send(table, lesson)
    try:
        if given:
            refused = [tag for tag in given if not _teach(table, tag)]
            if refused:
                raise CommandError(f"not learned: {', '.join(refused)}")
        elif typed:
            _teach_typed(table, lesson)
        else:
            _teach_at_readers(table, lesson, before)
    except KeyboardInterrupt:
        click.echo()
    finally:
        with suppress(CommandError, TableAwayError):  # the table may have ended it
            _send(table, EndLesson())


def _teach(table: TagClient, tag: str) -> bool:
    """Teach one tag and print the result; return False if it has a meaning already. Raises CommandError."""
    why = table.ask(ShowTag(SHARED, tag)).why
    if why not in (None, "tag_known", "lesson_over"):
        raise _refused(why)
    known = next((each for each in known_tags(table) if each.tag == tag), None)
    click.echo(printable(_result(tag, known, taken=why is None)), err=why is not None)
    return why is None


def _result(tag: str, known: KnownTag | None, *, taken: bool) -> str:
    """Return a sentence about a tag that was shown to the table; `known` is its meaning now."""
    if known is None:
        return f"{tag} means nothing yet, and nothing is left to learn here."
    return f"{tag} is {meaning_text(known)} {'now' if taken else 'already'}."


def _teach_typed(table: TagClient, lesson: Lesson) -> None:
    """Teach the tags on standard input, until the lesson is over or the input ends."""
    click.echo("Type tags, one per line; Ctrl-D ends it.", err=True)
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            tag = normalize_tag(line)
        except ValueError as error:
            log(str(error))
            continue
        if _teach(table, tag) and _is_over(table, lesson):
            return


def _is_over(table: TagClient, lesson: Lesson) -> bool:
    """Return whether all tags of a lesson are known, after one was learned."""
    if not isinstance(lesson, TeachTiles):
        return True
    counts = _tile_counts(known_tags(table))
    wanted = LETTERS if lesson.colour == "all" else lesson.colour
    return all(counts[letter] >= TILES_OF_A_COLOUR for letter in wanted)


def _teach_at_readers(table: TagClient, lesson: Lesson, before: list[KnownTag]) -> None:
    """Print the results of tags that are laid on the readers, until the lesson is over or interrupted."""
    click.echo(f"Lay {printable(_wanted(lesson, before))} on a reader.", err=True)
    known, last, began = {each.tag for each in before}, None, False
    table.subscribe()
    while (learning := table.next_snapshot()["learning"]) is not None or not began:
        if learning is None:
            continue  # a snapshot from before the lesson
        began = True
        for each in known_tags(table):  # a snapshot may stand for several tags
            if each.tag not in known:
                known.add(each.tag)
                click.echo(printable(f"{each.tag} is {meaning_text(each)} now."))
        if learning["last"] != last and (last := learning["last"]) is not None:
            _print_if_refused(last)
        if learning["next"] is None:
            return


def _print_if_refused(last: Json) -> None:
    if last["verdict"] == Verdict.LEARNED:
        return
    fields = {name: last[name] for name in ("tag", "kind", "value", "number")}
    known = KnownTag(**fields) if last["verdict"] == Verdict.KNOWN else None
    click.echo(printable(_result(last["tag"], known, taken=False)), err=True)


def _wanted(lesson: Lesson, known: list[KnownTag]) -> str:
    """Return what to lay on a reader first."""
    if isinstance(lesson, TeachPlayer):
        return f"{lesson.name}'s card"
    if isinstance(lesson, TeachAction):
        return f"the card for {lesson.action.replace('_', ' ')}"
    counts = _tile_counts(known)
    letters = LETTERS if lesson.colour == "all" else lesson.colour
    letter = next((each for each in letters if counts[each] < TILES_OF_A_COLOUR), letters[-1])
    return f"a {COLOURS[letter]} tile ({counts[letter]} of {TILES_OF_A_COLOUR} are known)"


# --- list, forget ----------------------------------------------------------------------------------------


def meaning_text(known: KnownTag) -> str:
    """Return the meaning of a tag for a sentence: "blue tile 7", "Ana's card", "the card for undo"."""
    match known.kind:
        case Kind.TILE:
            return f"{COLOURS[known.value]} tile {known.number}"
        case Kind.PLAYER:
            return f"{known.value}'s card"
        case _:
            return f"the card for {known.value.replace('_', ' ')}"


def _tile_counts(known: list[KnownTag]) -> Counter[str]:
    """Return how many tiles of each colour are known, by its letter."""
    return Counter(each.value for each in known if each.kind == Kind.TILE)


def _print_progress(known: list[KnownTag]) -> None:
    """Print how many tiles of each colour are known."""
    counts = _tile_counts(known)
    for letter, name in COLOURS.items():
        number = counts[letter]
        bar = "#" * number + "." * (TILES_OF_A_COLOUR - number)
        rest = f"  {TILES_OF_A_COLOUR - number} to go" if 0 < number < TILES_OF_A_COLOUR else ""
        click.echo(f"{name:<7} {bar} {number:>2} of {TILES_OF_A_COLOUR}{rest}")
    click.echo(f"{counts.total()} of {TILES_OF_A_COLOUR * len(COLOURS)} tiles are known.")


@command.command(name="list")
@json_option("Print one JSON array, in the order of teaching.")
@_table_command
def list_tags(table: TagClient, *, as_json: bool) -> None:
    """List every tag that is known, and what it means."""
    known = known_tags(table)
    if as_json:
        click.echo(json.dumps([msgspec.to_builtins(each) for each in known], ensure_ascii=False, indent=1))
        return
    width = max((len(each.tag) for each in known), default=0)
    for each in known:
        click.echo(printable(f"{each.tag:<{width}}  {meaning_text(each)}"))
    _print_progress(known)


@command.command()
@click.argument("which", nargs=-1, required=True, metavar="TAG...")
@click.option("--yes", is_flag=True, help="Don't ask.")
@_table_command
def forget(table: TagClient, which: tuple[str, ...], *, yes: bool) -> None:
    """Forget tags: TAG by TAG, or by what they mean.

    \b
    azul-table tags forget 04A21B7C       one tag, or several
    azul-table tags forget tiles red      the tags of all red tiles
    azul-table tags forget player Ana     Ana's card
    azul-table tags forget all            every tag
    """  # noqa: D301
    known = known_tags(table)
    chosen = _chosen(which, known)
    if not chosen:
        raise CommandError("no such tag is known: azul-table tags list shows those that are")
    if len(chosen) > 1 and not yes and not click.confirm(f"Forget {len(chosen)} tags?", err=True):
        raise CommandError("nothing was forgotten")
    _send(table, ForgetTags(tuple(each.tag for each in chosen)))
    for each in chosen:
        click.echo(printable(f"{each.tag} was {meaning_text(each)}."))


def _chosen(which: tuple[str, ...], known: list[KnownTag]) -> list[KnownTag]:
    """Return the known tags that the arguments of `forget` name. Raises CommandError, click.UsageError."""
    match which:
        case ["all"]:
            return known
        case ["tiles"]:
            return [each for each in known if each.kind == Kind.TILE]
        case ["tiles", colour] if colour in COLOURS.values():
            return [each for each in known if each.kind == Kind.TILE and COLOURS[each.value] == colour]
        case ["player", *name] if name:
            return [each for each in known if each.kind == Kind.PLAYER and each.value == " ".join(name)]
        case ["action", action] if action in ACTIONS:
            return [each for each in known if (each.kind, each.value) == (Kind.ACTION, ACTIONS[action])]
        case ["tiles" | "player" | "action", *_]:
            raise click.UsageError("give `tiles COLOUR`, `player NAME` or `action undo|ok|new-game`")
    with reported(ValueError):
        tags = [normalize_tag(tag) for tag in which]
    unknown = [tag for tag in tags if all(each.tag != tag for each in known)]
    if unknown:
        raise CommandError(f"not known: {', '.join(unknown)}; nothing was forgotten")
    return [each for each in known if each.tag in tags]
