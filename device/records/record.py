"""Game records, version 1: JSON Lines that hold every event of a game and check themselves.

Reading one is verifying it: every event is applied, every deal is held against the bag and the lid, every
score is added up again, and the first fault is raised with its line. Writing makes what reading accepts.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from device.records.json_form import (
    VERSION,
    Entry,
    EntryError,
    Forfeit,
    RecordError,
    checked_result,
    entries,
    entry_of,
    event_of,
    forfeit_of,
    header_of,
    result_of,
    setup_of,
    shown,
    whole_numbers,
)
from device.rules import game
from device.rules.errors import IllegalEventError, RulesError
from device.rules.events import Draft, Event, Tile
from device.rules.game import Setup, State
from device.rules.notation import text_of
from device.rules.scoring import Outcome
from device.rules.solo.scoring import SoloOutcome


@dataclass(frozen=True, slots=True)
class Record:
    """A verified game; `number` and `line` (of its header) count from 1."""

    number: int
    line: int
    setup: Setup
    events: tuple[Event, ...]
    state: State  # after the last event; with the bonuses if the game was stopped
    outcome: Outcome | SoloOutcome
    stopped: bool = False  # by a limit of rounds (R17)
    forfeit: Forfeit | None = None

    @property
    def rounds(self) -> int:
        """How many rounds were dealt."""
        return self.state.round


# --- Reading ---------------------------------------------------------------------------------------------


def read(lines: Iterable[bytes]) -> Iterator[Record]:
    """Every game of a record, verified; raises RecordError at the first fault.

    `lines` come as a file opened in binary mode gives them, each with its line feed.
    """
    found = entries(lines)
    number = 0
    for number, (line, header) in enumerate(found, start=1):
        yield _game(number, line, header, found)
    if not number:
        raise RecordError(1, "there is no game in it")


def _game(number: int, line: int, header: Entry, following: Iterator[tuple[int, Entry]]) -> Record:
    """Read on from a header to the result of its game."""
    at = line
    try:
        if "record" not in header:
            raise EntryError(
                _NO_HEADER if number == 1 else "after a result only a new game's header may stand"
            )
        chosen = setup_of(header)
        state = game.setup(chosen)
        events: list[Event] = []
        due: tuple[int, ...] | None = None  # the scores that must stand on the next line
        scored = False  # whether the line before closed a round
        for at, entry in following:  # noqa: B007 - the faults below say it
            key, value = _only_key(entry, line)
            if due is not None:
                _check_scores(key, value, due)
                due, scored = None, True
            elif key == "result":
                result = checked_result(value, chosen)
                return Record(number, line, chosen, tuple(events), *_end(state, result, scored=scored))
            elif key == "scores":
                raise EntryError("scores stand only where a round has just been closed")
            else:
                event = event_of(key, value, _seat_to_tile(state))
                state = _applied(event, state)
                events.append(event)
                due, scored = state.closing_scores(), False
    except RecordError:
        raise
    except RulesError as error:
        raise RecordError(at, str(error)) from None
    raise RecordError(at, f"the file ends without a result of the game that starts on line {line}")


_NO_HEADER: Final = f'a game starts with its header, {{"record":"azul","version":{VERSION},...}}'


def _only_key(entry: Entry, header_line: int) -> tuple[str, Any]:
    if "record" in entry:
        raise EntryError(
            f"a new game starts here, but the one that starts on line {header_line} has no result"
        )
    if len(entry) != 1:
        raise EntryError(f"a line has one key, not {len(entry)}")
    return next(iter(entry.items()))


def _applied(event: Event, state: State) -> State:
    named = f"draft {text_of(event)}" if isinstance(event, Draft) else text_of(event)
    if state.over:
        raise EntryError(f"the game is over: its result must stand here, not {named}")
    try:
        return state.apply(event)
    except IllegalEventError as error:
        raise EntryError(f"{named}: {error}") from None


def _seat_to_tile(state: State) -> int:
    """Whose placement a record means: it lists them in seat order (G3)."""
    turn = state.to_act()
    return turn[0] if turn else 0


def _check_scores(key: str, value: object, due: tuple[int, ...]) -> None:
    if key != "scores":
        raise EntryError(f"the round is over: its scores must stand here, not {shown(key)}")
    if whole_numbers(value, "scores") != list(due):
        raise EntryError(f"the scores are {list(due)}, not {shown(value)}")


def _end(
    state: State, result: Entry, *, scored: bool
) -> tuple[State, Outcome | SoloOutcome, bool, Forfeit | None]:
    """How a result says that the game ended, if it could end so here."""
    forfeit = forfeit_of(result, len(state.boards))
    if not scored and forfeit is None and not state.over:
        raise EntryError("the game goes on here: a result stands after a round's scores, or names a forfeit")
    state, outcome, stopped = _ended(state, forfeit)
    for key, right in result_of(outcome, forfeit).items():
        if result[key] != right:
            raise EntryError(f"the result's {key} should be {right}, not {shown(result[key])}")
    return state, outcome, stopped, forfeit


def _ended(state: State, forfeit: Forfeit | None) -> tuple[State, Outcome | SoloOutcome, bool]:
    """The last state of a game that ends here, its outcome, and whether it had to be stopped for it (R17)."""
    outcome = state.outcome()
    if forfeit is not None:
        if outcome is not None:
            raise EntryError("the game is over here: nobody can forfeit it any more")
        return state, state.forfeit(forfeit.seat), False
    if outcome is not None:
        return state, outcome, False
    state = state.stop()
    outcome = state.outcome()
    assert outcome is not None
    return state, outcome, True


# --- Writing ---------------------------------------------------------------------------------------------


def write(
    chosen: Setup, events: Iterable[Event], *, stopped: bool = False, forfeit: Forfeit | None = None
) -> bytes:
    """The record of one game that is over, or was stopped after a round (R17), or forfeited.

    Placements on gray walls may come in any order of seats. Raises RulesError where the events are no game.
    """
    state = game.setup(chosen)
    lines = [_line(header_of(chosen))]
    scored = False
    for event in _in_seat_order(events):
        if isinstance(event, Tile) and event.seat != _seat_to_tile(state):
            raise EntryError(f"a record can't say {text_of(event)}: a seat before it has a tile to place")
        state = state.apply(event)
        lines.append(_line(entry_of(event)))
        scores = state.closing_scores()
        if scored := scores is not None:
            lines.append(_line({"scores": scores}))
    if not state.over and forfeit is None and not (stopped and scored):
        raise EntryError("the game is not over, so its record can't be written")
    _, outcome, _ = _ended(state, forfeit)
    lines.append(_line({"result": result_of(outcome, forfeit)}))
    return b"".join(lines)


def _in_seat_order(events: Iterable[Event]) -> Iterator[Event]:
    """The events, each round's placements sorted by seat (G3)."""
    placements: list[Tile] = []
    for event in events:
        if isinstance(event, Tile):
            placements.append(event)
            continue
        yield from sorted(placements, key=lambda tile: tile.seat)
        placements.clear()
        yield event
    yield from sorted(placements, key=lambda tile: tile.seat)


def _line(entry: Entry) -> bytes:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
