"""A game in play: its setup, the places of its boards and its events, with undo by replaying them.

Also player names (validation and normalization) and the selection of a colour for a draft.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from device.rules import game as rules
from device.rules.events import CENTRE, Choice, Deal, Draft, Event, Tile
from device.rules.game import Setup
from device.rules.tiles import COLOURS, Colour

# --- Player names ---

LONGEST_NAME: Final = 20  # maximum number of characters


def default_name(place: int) -> str:
    """Return the name that records give to a player without a name."""
    return f"Seat {place}"


def normalize_name(text: str) -> str:
    """Return a name with single spaces and none around it; it may be empty.

    Raises ValueError if it is too long or not printable.
    """
    name = " ".join(text.split())
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(f"a name has at most {LONGEST_NAME} printable characters")
    return name


# --- Games ---


@dataclass(frozen=True, slots=True)
class Move:
    """A draft that a seat made: `tiles` drafted, of which `fell` tiles went to the floor, and the marker."""

    seat: int
    draft: Draft
    tiles: int
    fell: int
    marker: bool


@dataclass(frozen=True, slots=True)
class Play:
    """A game in play; `places` has the place of each board: one board a player, two in solo.

    `practice` is the number of events of the position in which a game for practice began: undo ends there.
    """

    setup: Setup
    places: tuple[int, ...]
    state: rules.State
    events: tuple[Event, ...] = ()
    moves: tuple[Move, ...] = ()
    practice: int | None = None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state.over

    @property
    def asks_choice(self) -> bool:
        """Whether players have a choice other than a draft: of columns, squares or penalty tiles."""
        return not self.state.in_offer and bool(self.state.to_act())

    def name_of(self, seat: int) -> str | None:
        """Return the name of a player; None for a default name."""
        name = self.setup.players[seat]
        return None if name == default_name(self.places[seat]) else name

    def seat_at(self, place: int) -> int | None:
        """Return the seat at a place; None if the game has none there."""
        return self.places.index(place) if place in self.places else None


def start(setup: Setup, places: tuple[int, ...]) -> Play:
    """Return a game before its first deal. Raises SetupError."""
    return Play(setup, places, rules.setup(setup))


def resume(setup: Setup, places: tuple[int, ...], events: Iterable[Event]) -> Play:
    """Return the game after some events. Raises RulesError if they are not a legal game."""
    play = start(setup, places)
    for event in events:
        play = advance(play, event)
    return play


def advance(play: Play, event: Event) -> Play:
    """Return the game after one more event. Raises IllegalEventError."""
    after = play.state.apply(event)
    moves = (*play.moves, move_of(play.state, event)) if isinstance(event, Draft) else play.moves
    return replace(play, state=after, events=(*play.events, event), moves=moves)


def move_of(before: rules.State, draft: Draft) -> Move:
    """Return what a legal draft does in the state before it."""
    board = before.boards[before.turn]
    tiles = before.sources[draft.source][draft.colour]
    room = draft.line - board.held[draft.line - 1] if draft.line else 0
    marker = draft.source == CENTRE and before.marker_in_centre
    return Move(before.turn, draft, tiles, max(0, tiles - room), marker)


def before_each_choice(play: Play, is_meant: Callable[[int], bool]) -> list[Play]:
    """Return the game before each choice of this round by the seats that are meant, latest first.

    Chance events after such a choice are dropped, too; the same draws follow when it is made again.
    """
    found: list[Play] = []
    then = replace(start(play.setup, play.places), practice=play.practice)
    for event in play.events:
        if isinstance(event, Deal):
            found.clear()
        elif (
            isinstance(event, Choice)
            and is_meant(seat_of(then.state, event))
            and len(then.events) >= (play.practice or 0)
        ):
            found.append(then)
        then = advance(then, event)
    return found[::-1]


def seat_of(state: rules.State, choice: Event) -> int:
    """Return the seat that makes a choice in this state."""
    return choice.seat if isinstance(choice, Tile) else state.turn


def starter(play: Play) -> int | None:
    """Return the place that starts this round; None in solo."""
    return None if play.state.starter is None else play.places[play.state.starter]


# --- Selections ---


@dataclass(frozen=True, slots=True)
class Selection:
    """A source and a colour selected for a draft; in solo also the line that was tried first."""

    source: int
    colour: Colour
    tried: int | None = None


def sources_with(play: Play, colour: Colour) -> tuple[int, ...]:
    """Return the sources that a draft of a colour may take from now."""
    sources = play.state.sources
    return tuple(source for source in play.state.sources_to_draft() if sources[source][colour])


def next_selection(play: Play, now: Selection | None, source: int) -> Selection | None:
    """Return what a press of a source selects: its first colour, or the one after the selected colour.

    None if nothing can be drafted from the source.
    """
    if source not in play.state.sources_to_draft():
        return None
    tiles = play.state.sources[source]
    colours = [colour for colour, number in zip(COLOURS, tiles, strict=True) if number]
    if now is not None and now.source == source:
        return Selection(source, colours[(colours.index(now.colour) + 1) % len(colours)])
    return Selection(source, colours[0])
