"""A game as it is played at a table: who sits where, its events so far, and taking them back.

The events alone are kept and stored; the state is what they lead to.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from device.rules import game as rules
from device.rules import standard
from device.rules.events import CENTRE, Choice, Deal, Draft, Event
from device.rules.game import Setup
from device.rules.penalty_row import PLAYER
from device.rules.tiles import COLOURS, NO_TILES, Colour


@dataclass(frozen=True, slots=True)
class Move:
    """A draft that was made: who (the game's seat), what, and what came of it."""

    seat: int
    draft: Draft
    tiles: int
    fell: int
    marker: bool


@dataclass(frozen=True, slots=True)
class Play:
    """A game in play; `places[seat]` is the table's seat (from 1) of the game's seat (from 0)."""

    setup: Setup
    places: tuple[int, ...]
    state: rules.State
    events: tuple[Event, ...] = ()
    moves: tuple[Move, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return rules.outcome(self.state) is not None

    def seat_at(self, place: int) -> int | None:
        """The game's seat of somebody at the table; None where nobody plays."""
        return self.places.index(place) if place in self.places else None


@dataclass(frozen=True, slots=True)
class Selection:
    """A draft half made: the source and the colour, the line not yet."""

    source: int
    colour: Colour


def start(setup: Setup, places: tuple[int, ...]) -> Play:
    """A game before its first deal; raises SetupError."""
    return Play(setup, places, rules.setup(setup))


def resume(setup: Setup, places: tuple[int, ...], events: Iterable[Event]) -> Play:
    """A game as its events left it; raises RulesError where they are no legal game."""
    play = start(setup, places)
    for event in events:
        play = advance(play, event)
    return play


def advance(play: Play, event: Event) -> Play:
    """The game after one more event; raises IllegalEventError."""
    after = rules.apply(play.state, event)
    moves = (*play.moves, _move(play.state, event)) if isinstance(event, Draft) else play.moves
    return replace(play, state=after, events=(*play.events, event), moves=moves)


def _move(before: rules.State, draft: Draft) -> Move:
    """What a legal draft did."""
    board = before.boards[before.turn]
    tiles = before.sources[draft.source][draft.colour]
    room = draft.line - board.held[draft.line - 1] if draft.line else 0
    marker = draft.source == CENTRE and marker_in_centre(before)
    return Move(before.turn, draft, tiles, max(0, tiles - room), marker)


def can_take_back(play: Play) -> bool:
    """Whether this round has a choice to undo: never one from before the deal."""
    return any(isinstance(event, Choice) for event in _this_round(play))


def take_back(play: Play) -> Play:
    """The game before its last choice; chance events since then go too, and will be drawn the same again."""
    last = max(at for at, event in enumerate(play.events) if isinstance(event, Choice))
    return resume(play.setup, play.places, play.events[:last])


def _this_round(play: Play) -> tuple[Event, ...]:
    deals = [at for at, event in enumerate(play.events) if isinstance(event, Deal)]
    return play.events[deals[-1] + 1 :] if deals else ()


def marker_in_centre(state: rules.State) -> bool:
    """Whether the marker lies in the centre: in an offer, until somebody takes from there (R6)."""
    untaken = isinstance(state, standard.State) and state.marker is None
    return untaken and any(tiles != NO_TILES for tiles in state.sources)


def marker_holder(state: rules.State) -> int | None:
    """The game's seat that took the marker this round."""
    return state.marker if isinstance(state, standard.State) else None


def has_gray_wall(state: rules.State, seat: int) -> bool:
    """Whether a board's wall has no colours printed (G1, S11)."""
    if isinstance(state, standard.State):
        return state.ruleset.gray
    return state.gray and seat == PLAYER


def next_selection(play: Play, now: Selection | None, source: int) -> Selection | None:
    """What pressing a source selects: its first colour, or the next one when pressed again.

    None where the source holds no tile.
    """
    tiles = play.state.sources[source] if source < len(play.state.sources) else ()
    colours = [colour for colour, number in zip(COLOURS, tiles, strict=False) if number]
    if not colours:
        return None
    if now is not None and now.source == source:
        return Selection(source, colours[(colours.index(now.colour) + 1) % len(colours)])
    return Selection(source, colours[0])
