"""Game records, version 1: reading and writing JSON Lines files with every event of a game.

Reading verifies a record: it applies every event, checks every deal against the bag and the lid, recomputes
every score, and raises the first error with its line. `write` produces what `read` accepts.
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
    check_result,
    describe,
    event_json,
    header_json,
    integers,
    parse_event,
    parse_forfeit,
    parse_header,
    parse_lines,
    result_json,
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
    """A verified game; `number` (in its file) and `line` (of its header) count from 1."""

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
        """The number of rounds that were dealt."""
        return self.state.round


# --- Reading ---------------------------------------------------------------------------------------------


def read(lines: Iterable[bytes]) -> Iterator[Record]:
    """Yield every game of a record, verified; raises RecordError at the first error.

    `lines` are those of a file opened in binary mode, each with its line feed.
    """
    entries = parse_lines(lines)
    number = 0
    for number, (line, header) in enumerate(entries, start=1):
        yield _read_game(number, line, header, entries)
    if not number:
        raise RecordError(1, "there is no game in the file")


def _read_game(number: int, line: int, header: Entry, following: Iterator[tuple[int, Entry]]) -> Record:
    """Read the lines from a header to the result of its game."""
    at = line
    try:
        if "record" not in header:
            raise EntryError(
                _NO_HEADER if number == 1 else "a result must be followed by the header of a new game"
            )
        chosen = parse_header(header)
        state = game.setup(chosen)
        events: list[Event] = []
        due: tuple[int, ...] | None = None  # the scores that must follow
        scored = False  # whether the last line held scores
        for at, entry in following:  # noqa: B007 - for the errors below
            key, value = _only_key(entry, line)
            if due is not None:
                _check_scores(key, value, due)
                due, scored = None, True
            elif key == "result":
                result = check_result(value, chosen)
                return Record(number, line, chosen, tuple(events), *_check_end(state, result, scored=scored))
            elif key == "scores":
                raise EntryError("scores may only follow the last event of a round")
            else:
                event = parse_event(key, value, _seat_to_tile(state))
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
        raise EntryError(f"the game is over: its result must follow, not {named}")
    try:
        return state.apply(event)
    except IllegalEventError as error:
        raise EntryError(f"{named}: {error}") from None


def _seat_to_tile(state: State) -> int:
    """Return the seat of the next placement: a record lists placements in seat order (G3)."""
    return min(state.to_act(), default=0)


def _check_scores(key: str, value: object, due: tuple[int, ...]) -> None:
    if key != "scores":
        raise EntryError(f"the round is over: its scores must follow, not {describe(key)}")
    if integers(value, "scores") != list(due):
        raise EntryError(f"the scores are {list(due)}, not {describe(value)}")


def _check_end(
    state: State, result: Entry, *, scored: bool
) -> tuple[State, Outcome | SoloOutcome, bool, Forfeit | None]:
    """Check a result against the game; return its last state, its outcome, `stopped` and `forfeit`."""
    forfeit = parse_forfeit(result, len(state.boards))
    if not scored and forfeit is None and not state.over:
        raise EntryError(
            "the game is not over: a result must follow the scores of a round, or hold a forfeit"
        )
    state, outcome, stopped = _end(state, forfeit)
    for key, right in result_json(outcome, forfeit).items():
        if result[key] != right:
            raise EntryError(f"the result's {key} should be {right}, not {describe(result[key])}")
    return state, outcome, stopped, forfeit


def _end(state: State, forfeit: Forfeit | None) -> tuple[State, Outcome | SoloOutcome, bool]:
    """End the game here; return its last state, its outcome, and whether it had to be stopped (R17)."""
    outcome = state.outcome()
    if forfeit is not None:
        if outcome is not None:
            raise EntryError("the game is over: it can't be forfeited any more")
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
    """Return the record of a game that is over, or was stopped after a round (R17), or forfeited.

    Placements on gray walls may come in any order of seats. Raises RulesError if the events are no such game.
    """
    state = game.setup(chosen)
    lines = [_line(header_json(chosen))]
    scored = False
    for event in _in_seat_order(events):
        if isinstance(event, Tile) and event.seat != _seat_to_tile(state):
            raise EntryError(
                f"a record can't hold {text_of(event)}: an earlier seat still has a tile to place"
            )
        state = state.apply(event)
        lines.append(_line(event_json(event)))
        scores = state.closing_scores()
        if scored := scores is not None:
            lines.append(_line({"scores": scores}))
    if not state.over and forfeit is None and not (stopped and scored):
        raise EntryError("the game is not over, so its record can't be written")
    _, outcome, _ = _end(state, forfeit)
    lines.append(_line({"result": result_json(outcome, forfeit)}))
    return b"".join(lines)


def _in_seat_order(events: Iterable[Event]) -> Iterator[Event]:
    """Yield the events with the placements of each round sorted by seat (G3)."""
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
