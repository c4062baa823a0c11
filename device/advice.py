"""Why opponents chose what they did, and what persons are advised, as plain JSON values for the pages."""

from typing import Final

from device import hints
from device.appliance import Table
from device.opponents import place_of
from device.play import Play
from device.questions import Hint, Motive
from device.rules.events import Draft, Event
from device.rules.tiles import letter
from device.told import Json, named, told_choice, told_move

MOVES_SHOWN: Final = 8


def reason(table: Table) -> Json | None:
    """Why the opponent that chose last did so."""
    if table.play is None or not table.motives:
        return None
    last = table.motives[-1]
    shown = any(each.choice == last.choice and each.step for each in table.chosen)
    place = place_of(table.play, last.seat)
    told = {"seat": place, "name": table.known_as(place), "showing": shown}
    return {**told, "because": _because(table, table.play, last)}


def _because(table: Table, play: Play, motive: Motive) -> list[Json]:
    return [
        {
            "key": each.key,
            **each.values,
            **(named(table, play, seat) if isinstance(seat := each.values.get("seat"), int) else {}),
        }
        for each in motive.because
    ]


def hint(table: Table) -> Json:
    """Whether hints are allowed, at which seats one may be asked for now, is awaited, shown, missed."""
    play = table.play
    places = play.places if play is not None else ()
    return {
        "allowed": table.wishes.hints,
        "seats": [places[seat] for seat in hints.can_ask(table)],
        "asked": [places[each.seat] for each in table.hints_asked],
        "shown": [_advice(play, each) for each in table.hints] if play is not None else [],
        "missed": [{"seat": places[each.seat], "why": each.why} for each in table.no_hints if places],
    }


def _advice(play: Play, hint: Hint) -> Json:
    """A choice that is advised, what it gains in points, and the next best."""
    return {
        "seat": play.places[hint.seat],
        "choice": _advised(play, hint.choice),
        "gain": None if hint.gain is None else round(hint.gain, 1),
        "next": None if hint.next_best is None else _advised(play, hint.next_best),
    }


def _advised(play: Play, choice: Event) -> Json:
    if not isinstance(choice, Draft):
        return told_choice(play, choice)
    count = play.state.sources[choice.source][choice.colour]
    told = {"source": choice.source, "colour": letter(choice.colour), "count": count, "line": choice.line}
    return {"seat": play.places[play.state.turn], "kind": "draft", **told}


def moves(table: Table, play: Play) -> list[Json]:
    """The last drafts; an opponent's with why."""
    drafts = [at for at, event in enumerate(play.events) if isinstance(event, Draft)]
    why = {each.at: _because(table, play, each) for each in table.motives}
    last = zip(drafts[-MOVES_SHOWN:], play.moves[-MOVES_SHOWN:], strict=True)
    return [{**told_move(table, play, move), "because": why.get(at, [])} for at, move in last]
