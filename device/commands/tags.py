"""`azul-table tags`: what tags mean: learn, list, forget."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from device.commands.console import Refused, printable
from device.commands.options import data_option, json_option, layout_option
from device.commands.teachers import Laid, Teacher, TeachingError, teacher
from device.lessons import Verdict
from device.messages import KnownTag, Learn
from device.palettes import BOX
from device.rules.tiles import LETTERS, TILES_OF_A_COLOUR
from device.store import StoreError
from device.table_client import Json, TableAwayError
from device.tags import Kind, one_form
from hardware.api import HardwareError

COLOURS: Final = {letter: shade.word for letter, shade in zip(LETTERS, BOX.shades, strict=True)}
ACTIONS: Final = {"undo": "undo", "ok": "ok", "new-game": "new_game"}
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
    """Teach the table what tags mean: tiles, players' cards, action cards.

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
        raise Refused(REFUSALS.get(error.why, str(error) or "the table refused")) from error
    except (StoreError, HardwareError, TableAwayError) as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"{error.filename or 'the data folder'}: can't be used: {error.strerror}") from error


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
    _learn(found, msgspec.convert({"tiles": letter}, Learn), tags, typed=typed)
    _say_how_far(found.known())


@learn.command()
@click.argument("name")
@_tags
@_typed
@_teaching
def player(found: Teacher, name: str, tags: tuple[str, ...], *, typed: bool) -> None:
    """Teach the card of the player NAME, who sits down with it."""
    _learn(found, Learn(player=name), tags, typed=typed)


@learn.command()
@click.argument("which", metavar="ACTION", type=click.Choice(list(ACTIONS)))
@_tags
@_typed
@_teaching
def action(found: Teacher, which: str, tags: tuple[str, ...], *, typed: bool) -> None:
    """Teach a card that does what a button does: undo, ok, or new-game."""
    _learn(found, msgspec.convert({"action": ACTIONS[which]}, Learn), tags, typed=typed)


def _learn(found: Teacher, lesson: Learn, tags: tuple[str, ...], *, typed: bool) -> None:
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
        found.learn(Learn(end=True))
    except (TeachingError, TableAwayError):
        return  # the table has ended it already


def _one_form(tag: str) -> str:
    try:
        return one_form(tag)
    except ValueError as error:
        raise Refused(str(error)) from error


def _lay_all(found: Teacher, tags: Iterable[str]) -> None:
    """Lay tags that were given; raises Refused at the end where one of them was not learned."""
    refused = [tag for tag in tags if not _lay(found, tag)]
    if refused:
        raise Refused(f"not learned: {', '.join(refused)}")


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


def _lay_typed(found: Teacher, lesson: Learn) -> None:
    """Lay the tags that are typed, until the lesson is over or nothing more comes."""
    click.echo("Type tags, one a line; Ctrl-D ends it.", err=True)
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            tag = one_form(line)
        except ValueError as error:
            _complain(str(error))
            continue
        if _lay(found, tag) and _is_over(found, lesson):
            return


def _is_over(found: Teacher, lesson: Learn) -> bool:
    if lesson.tiles is None:
        return True
    counts = _tile_counts(found.known())
    wanted = LETTERS if lesson.tiles == "all" else lesson.tiles
    return all(counts[letter] >= TILES_OF_A_COLOUR for letter in wanted)


def _lay_on_readers(found: Teacher, lesson: Learn, before: list[KnownTag]) -> None:
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


def _wanted(lesson: Learn, known: list[KnownTag]) -> str:
    """What is to be laid on a reader first."""
    if lesson.player is not None:
        return means(Kind.PLAYER, lesson.player, 0)
    if lesson.action is not None:
        return means(Kind.ACTION, lesson.action, 0)
    counts = _tile_counts(known)
    letters = LETTERS if lesson.tiles == "all" else str(lesson.tiles)
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
        raise Refused("no such tag is known: azul-table tags list shows those that are")
    if len(chosen) > 1 and not yes and not click.confirm(f"Forget {len(chosen)} tags?", err=True):
        raise Refused("nothing was forgotten")
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
        raise Refused(f"not known: {', '.join(unknown)}; nothing was forgotten")
    return [each for each in known if each.tag in tags]
