"""`azul-table tags`: what tags mean: learn, list, forget."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, Protocol

import click
import msgspec

from device.commands.console import CommandError, data_option, json_option, layout_option, printable
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
    TeachAction,
    TeachPlayer,
    TeachTiles,
)
from device.socket.snapshot import snapshot
from device.store import store
from device.store.store import Store, StoreError
from device.table.state import TableEvent, TagsForgotten, TagShown, TagState, new_table
from device.table.tags import Kind, Verdict, normalize_tag
from device.table.update import update
from hardware.api import SHARED, HardwareError, HardwareEvent, PartBack, PartLost, TagArrived
from hardware.drivers.open import SIMULATED, open_hardware
from hardware.layout.model import read_layout

# --- Who teaches tags at the command line: through a table that runs ---


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

    def learn(self, message: Lesson | EndLesson) -> None:
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
    path = socket_path(data)
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
        return msgspec.convert(self._client.ask(ListTags()).result, list[KnownTag])

    def learn(self, message: Lesson | EndLesson) -> None:
        """Begin or end a lesson."""
        _check(self._client.ask(message))

    def lay(self, tag: str) -> Laid:
        """Show the table a tag."""
        answer = self._client.ask(ShowTag(SHARED, tag))
        return Laid(answer.why, next((each for each in self.known() if each.tag == tag), None))

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
        _check(self._client.ask(ForgetTags(tuple(tags))))

    def close(self) -> None:
        """Leave; a lesson goes on."""
        self._client.close()


def _check(answer: Answer) -> None:
    if not answer.taken:
        raise TeachingError(answer.why or "")


class AtRest:
    """Teaches a table that does not run: with its store and its readers."""

    def __init__(self, data: Path, layout: str, say: Callable[[str], None]) -> None:
        self._layout = layout
        self._say = say
        self._closing = ExitStack()
        try:
            try:
                self._closing.enter_context(locked(data))
            except FolderInUseError as error:
                raise TeachingError("", f"{data}: another azul-table is busy there; try again") from error
            self._store = Store.open(store.newest_file(data))
            self._closing.callback(self._store.close)
            self._table = replace(new_table(1, 1), tags=TagState(self._store.tags()))
        except BaseException:
            self._closing.close()
            raise

    def known(self) -> list[KnownTag]:
        """Every tag that is known."""
        return messages.known_tags(self._table.tags.known)

    def learn(self, message: Lesson | EndLesson) -> None:
        """Begin or end a lesson."""
        self._do(messages.lesson_event(message, 0.0))

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
                        self.lay(normalize_tag(tag))
                        yield snapshot(self._table, BOX)
                    case PartLost(part=part, message=message) if not part.startswith("button"):
                        self._say(f"{part}: {message}")
                    case PartBack(part=part):
                        self._say(f"{part} is back")
        finally:
            hardware.close()

    def forget(self, tags: list[str]) -> None:
        """Forget tags."""
        self._do(TagsForgotten(tuple(tags), 0.0))

    def close(self) -> None:
        """Close everything; it is saved already."""
        self._closing.close()

    def _do(self, event: TableEvent) -> None:
        """Let something happen, kept before it is said; raises TeachingError where it is refused."""
        before = self._table.refusal
        after = update(self._table, event)
        self._store.save_tags(self._table.tags.known, after.tags.known)
        self._table = after
        if after.refusal is not None and after.refusal.shown and after.refusal != before:
            raise TeachingError(after.refusal.why)


# ----------------------------------------------------------------------------------------------------------

COLOURS: Final = {letter: shade.word for letter, shade in zip(LETTERS, BOX.shades, strict=True)}
ACTIONS: Final[dict[str, ActionName]] = {"undo": "undo", "ok": "ok", "new-game": "new_game"}
REFUSALS: Final = {
    "learning_other": "the table is learning something else just now: finish that, or end it with ok",
    "name_too_long": "a player's name has at most 20 characters, and none that can't be shown",
    "name_missing": "a player's card needs a name",
    "not_now": "the table can't use its saved games: see its page",
    "not_saved": "the table can't save just now: is its disk full?",
    "tag_not_known": "one of these tags is not known any more",
}

_layout = layout_option("The table's layout, for its readers; needed only while no table runs.")
_tags = click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="A tag, instead of a reader; may be repeated."
)
_typed = click.option(
    "--typed",
    is_flag=True,
    help="Take the tags from standard input, one a line, as a USB reader types them; it must type the hex "
    "digits that the table's readers give.",
)


@click.group()
def command() -> None:
    """Teach, list and forget tags: tiles, players' cards, action cards.

    A table that runs with the same data folder learns at its own readers, and shows how far it is. Without
    one, the readers of the layout are opened; tags can also be given with --tag, or typed.
    """


@command.group()
def learn() -> None:
    """Teach tags: tiles, a player's card, an action card.

    What is said to be learned is on the disk. A tag that means something already keeps its meaning: forget it
    first.
    """


def _teaching(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command its options and its teacher, and say in a sentence what can go wrong."""

    @data_option("The folder of saved games and settings.")
    @_layout
    @wraps(function)
    def with_teacher(data: Path, layout: str, **given: Any) -> None:
        with _faults_said(), _closing(teacher(data.absolute(), layout, _complain)) as found:
            function(found, **given)

    return with_teacher


@contextmanager
def _closing(found: Teacher) -> Iterator[Teacher]:
    try:
        yield found
    finally:
        found.close()


@contextmanager
def _faults_said() -> Iterator[None]:
    try:
        yield
    except TeachingError as error:
        raise CommandError(REFUSALS.get(error.why, str(error) or "the table refused")) from error
    except (StoreError, HardwareError, TableAwayError) as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(
            f"{error.filename or 'the data folder'}: can't be used: {error.strerror}"
        ) from error


def _complain(sentence: str) -> None:
    click.echo(printable(sentence), err=True)


# --- learn -----------------------------------------------------------------------------------------------


@learn.command()
@click.argument("colour", required=False, type=click.Choice(list(COLOURS.values())))
@_tags
@_typed
@_teaching
def tiles(found: Teacher, colour: str | None, tags: tuple[str, ...], *, typed: bool) -> None:
    """Teach the 100 tiles, colour after colour, or those of one COLOUR.

    Lay one tile after another on any reader. Ctrl-C ends it for now; the same command goes on there.
    """
    letter = next((each for each, name in COLOURS.items() if name == colour), "all")
    _learn(found, msgspec.convert({"type": "teach_tiles", "colour": letter}, TeachTiles), tags, typed=typed)
    _say_how_far(found.known())


@learn.command()
@click.argument("name")
@_tags
@_typed
@_teaching
def player(found: Teacher, name: str, tags: tuple[str, ...], *, typed: bool) -> None:
    """Teach the card of the player NAME, who sits down with it."""
    _learn(found, TeachPlayer(name), tags, typed=typed)


@learn.command()
@click.argument("which", metavar="ACTION", type=click.Choice(list(ACTIONS)))
@_tags
@_typed
@_teaching
def action(found: Teacher, which: str, tags: tuple[str, ...], *, typed: bool) -> None:
    """Teach a card that does what a button does: undo, ok, or new-game."""
    _learn(found, TeachAction(ACTIONS[which]), tags, typed=typed)


def _learn(found: Teacher, lesson: Lesson, tags: tuple[str, ...], *, typed: bool) -> None:
    """Have a lesson; it is ended in any case, so that the table goes back to its game."""
    if tags and typed:
        raise click.UsageError("give tags with --tag or with --typed, not both")
    given = [_one_form(tag) for tag in tags]
    before = found.known()
    found.learn(lesson)
    try:
        if given:
            _lay_all(found, given)
        elif typed:
            _lay_typed(found, lesson)
        else:
            _lay_on_readers(found, lesson, before)
    except KeyboardInterrupt:
        click.echo()
    finally:
        _end(found)


def _end(found: Teacher) -> None:
    try:
        found.learn(EndLesson())
    except (TeachingError, TableAwayError):
        return  # the table has ended it already


def _one_form(tag: str) -> str:
    try:
        return normalize_tag(tag)
    except ValueError as error:
        raise CommandError(str(error)) from error


def _lay_all(found: Teacher, tags: Iterable[str]) -> None:
    """Lay tags that were given; raises CommandError at the end where one of them was not learned."""
    refused = [tag for tag in tags if not _lay(found, tag)]
    if refused:
        raise CommandError(f"not learned: {', '.join(refused)}")


def _lay(found: Teacher, tag: str) -> bool:
    laid = found.lay(tag)
    if laid.why not in (None, "tag_known", "lesson_over"):
        raise TeachingError(laid.why or "")
    sentence = _became(laid, tag)
    click.echo(printable(sentence), err=laid.why is not None)
    return laid.why is None


def _became(laid: Laid, tag: str) -> str:
    if laid.known is None:
        return f"{tag} means nothing yet, and nothing is left to learn here."
    said = means(laid.known.kind, laid.known.value, laid.known.number)
    return f"{tag} is {said} already." if laid.why else f"{tag} is {said} now."


def _lay_typed(found: Teacher, lesson: Lesson) -> None:
    """Lay the tags that are typed, until the lesson is over or nothing more comes."""
    click.echo("Type tags, one a line; Ctrl-D ends it.", err=True)
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            tag = normalize_tag(line)
        except ValueError as error:
            _complain(str(error))
            continue
        if _lay(found, tag) and _is_over(found, lesson):
            return


def _is_over(found: Teacher, lesson: Lesson) -> bool:
    if not isinstance(lesson, TeachTiles):
        return True
    counts = _tile_counts(found.known())
    wanted = LETTERS if lesson.colour == "all" else lesson.colour
    return all(counts[letter] >= TILES_OF_A_COLOUR for letter in wanted)


def _lay_on_readers(found: Teacher, lesson: Lesson, before: list[KnownTag]) -> None:
    """Follow what is laid on readers, until the lesson is over or somebody ends it."""
    click.echo(f"Lay {printable(_wanted(lesson, before))} on a reader.", err=True)
    known, last = {each.tag for each in before}, None
    for told in found.laid():
        learning = told["learning"]
        for each in found.known():  # of tags that are laid faster than they are told none is left out
            if each.tag not in known:
                known.add(each.tag)
                click.echo(printable(f"{each.tag} is {means(each.kind, each.value, each.number)} now."))
        if learning["last"] != last and (last := learning["last"]) is not None:
            _say_if_refused(last)
        if learning["next"] is None:
            return


def _say_if_refused(last: Json) -> None:
    if last["verdict"] == Verdict.LEARNED:
        return
    told = {name: last[name] for name in ("tag", "kind", "value", "number")}
    known = KnownTag(**told) if last["verdict"] == Verdict.KNOWN else None
    click.echo(printable(_became(Laid(last["verdict"], known), last["tag"])), err=True)


def _wanted(lesson: Lesson, known: list[KnownTag]) -> str:
    """What is to be laid on a reader first."""
    if isinstance(lesson, TeachPlayer):
        return means(Kind.PLAYER, lesson.name, 0)
    if isinstance(lesson, TeachAction):
        return means(Kind.ACTION, lesson.action, 0)
    counts = _tile_counts(known)
    letters = LETTERS if lesson.colour == "all" else lesson.colour
    letter = next((each for each in letters if counts[each] < TILES_OF_A_COLOUR), letters[-1])
    return f"a {COLOURS[letter]} tile ({counts[letter]} of {TILES_OF_A_COLOUR} are known)"


# --- list, forget ----------------------------------------------------------------------------------------


def means(kind: str, value: str, number: int) -> str:
    """What a tag means, inside a sentence: "blue tile 7", "Ana's card", "the card for undo"."""
    match kind:
        case Kind.TILE:
            return f"{COLOURS[value]} tile {number}"
        case Kind.PLAYER:
            return f"{value}'s card"
        case _:
            return f"the card for {value.replace('_', ' ')}"


def _tile_counts(known: list[KnownTag]) -> Counter[str]:
    """How many tiles are known of each colour's letter."""
    return Counter(each.value for each in known if each.kind == Kind.TILE)


def _say_how_far(known: list[KnownTag]) -> None:
    """How many tiles of each colour are known; half-learned colours by name."""
    counts = _tile_counts(known)
    for letter, name in COLOURS.items():
        number = counts[letter]
        bar = "#" * number + "." * (TILES_OF_A_COLOUR - number)
        rest = f"  {TILES_OF_A_COLOUR - number} to go" if 0 < number < TILES_OF_A_COLOUR else ""
        click.echo(f"{name:<7} {bar} {number:>2} of {TILES_OF_A_COLOUR}{rest}")
    click.echo(f"{counts.total()} of {TILES_OF_A_COLOUR * len(COLOURS)} tiles are known.")


@command.command(name="list")
@json_option("Print one JSON array, in the order of learning.")
@_teaching
def list_tags(found: Teacher, *, as_json: bool) -> None:
    """List every tag that is known, and what it means."""
    known = found.known()
    if as_json:
        click.echo(json.dumps([msgspec.to_builtins(each) for each in known], ensure_ascii=False, indent=1))
        return
    width = max((len(each.tag) for each in known), default=0)
    for each in known:
        click.echo(printable(f"{each.tag:<{width}}  {means(each.kind, each.value, each.number)}"))
    _say_how_far(known)


@command.command()
@click.argument("which", nargs=-1, required=True, metavar="TAG...")
@click.option("--yes", is_flag=True, help="Don't ask.")
@_teaching
def forget(found: Teacher, which: tuple[str, ...], *, yes: bool) -> None:
    """Forget tags: TAG by TAG, or by what they mean.

    \b
    azul-table tags forget 04A21B7C       one tag, or several
    azul-table tags forget tiles red      the tags of all red tiles
    azul-table tags forget player Ana     Ana's card
    azul-table tags forget all            every tag
    """  # noqa: D301
    known = found.known()
    chosen = _chosen(which, known)
    if not chosen:
        raise CommandError("no such tag is known: azul-table tags list shows those that are")
    if len(chosen) > 1 and not yes and not click.confirm(f"Forget {len(chosen)} tags?", err=True):
        raise CommandError("nothing was forgotten")
    found.forget([each.tag for each in chosen])
    for each in chosen:
        click.echo(printable(f"{each.tag} was {means(each.kind, each.value, each.number)}."))


def _chosen(which: tuple[str, ...], known: list[KnownTag]) -> list[KnownTag]:
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
            raise click.UsageError("say `tiles COLOUR`, `player NAME` or `action undo|ok|new-game`")
    tags = [_one_form(tag) for tag in which]
    unknown = [tag for tag in tags if all(each.tag != tag for each in known)]
    if unknown:
        raise CommandError(f"not known: {', '.join(unknown)}; nothing was forgotten")
    return [each for each in known if each.tag in tags]
