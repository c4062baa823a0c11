"""A game as it is played at a table: who sits where, its events so far, and taking them back.

The events alone are kept and stored; the state is what they lead to.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from device.rules import game as rules
from device.rules.events import CENTRE, Choice, Deal, Draft, Event, Tile
from device.rules.game import Setup
from device.rules.tiles import COLOURS, Colour

# --- Players' names: what a name may be, and its one form ------------------------------------------------

LONGEST_NAME: Final = 20
"""Characters."""


def default_name(place: int) -> str:
    """What whoever sits at a place and said no name is called in records."""
    return f"Seat {place}"


def normalize_name(text: str) -> str:
    """A name without needless spaces; empty is nobody's. Raises ValueError where it can't be shown."""
    name = " ".join(text.split())
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(f"a name has at most {LONGEST_NAME} printable characters")
    return name


# ----------------------------------------------------------------------------------------------------------


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
    """A game in play; `places` are the table's seats (from 1) of its boards: one a player, two in solo."""

    setup: Setup
    places: tuple[int, ...]
    state: rules.State
    events: tuple[Event, ...] = ()
    moves: tuple[Move, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state.over

    @property
    def asks_choice(self) -> bool:
        """Whether players have another choice than a draft: of columns, squares or penalty tiles."""
        return bool(self.state.to_act()) and not self.state.in_offer

    def name_of(self, seat: int) -> str | None:
        """The name of one of the game's players; None where nobody said one."""
        name = self.setup.players[seat]
        return None if name == default_name(self.places[seat]) else name

    def seat_at(self, place: int) -> int | None:
        """The game's board at a seat of the table, from 0; None where there is none."""
        return self.places.index(place) if place in self.places else None


@dataclass(frozen=True, slots=True)
class Selection:
    """A draft half made: the source and the colour, the line not yet."""

    source: int
    colour: Colour
    tried: int | None = None  # in solo: the line whose tiles for the penalty row are shown


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
    after = play.state.apply(event)
    moves = (*play.moves, move_of(play.state, event)) if isinstance(event, Draft) else play.moves
    return replace(play, state=after, events=(*play.events, event), moves=moves)


def move_of(before: rules.State, draft: Draft) -> Move:
    """What a legal draft did."""
    board = before.boards[before.turn]
    tiles = before.sources[draft.source][draft.colour]
    room = draft.line - board.held[draft.line - 1] if draft.line else 0
    marker = draft.source == CENTRE and before.marker_in_centre
    return Move(before.turn, draft, tiles, max(0, tiles - room), marker)


def before_each_choice(play: Play, of: Callable[[int], bool]) -> list[Play]:
    """The game before each choice of this round by the seats that are meant, the last one first.

    Never one from before the deal. Chance events since then go too, and will be drawn the same again.
    """
    found: list[Play] = []
    then = start(play.setup, play.places)
    for event in play.events:
        if isinstance(event, Deal):
            found.clear()
        elif isinstance(event, Choice) and of(seat_of(then.state, event)):
            found.append(then)
        then = advance(then, event)
    return found[::-1]


def seat_of(state: rules.State, choice: Event) -> int:
    """Whose choice it is, by the game's seats; `state` is the one before it."""
    return choice.seat if isinstance(choice, Tile) else state.turn


def starter(play: Play) -> int | None:
    """The table's seat that starts this round; None in solo, where nobody does."""
    return None if play.state.starter is None else play.places[play.state.starter]


def sources_with(play: Play, colour: Colour) -> tuple[int, ...]:
    """The sources that a draft of a colour may take from now."""
    sources = play.state.sources
    return tuple(source for source in play.state.sources_to_draft() if sources[source][colour])


def next_selection(play: Play, now: Selection | None, source: int) -> Selection | None:
    """What pressing a source selects: its first colour, or the next one when pressed again.

    None where nothing can be drafted from it.
    """
    if source not in play.state.sources_to_draft():
        return None
    tiles = play.state.sources[source]
    colours = [colour for colour, number in zip(COLOURS, tiles, strict=True) if number]
    if now is not None and now.source == source:
        return Selection(source, colours[(colours.index(now.colour) + 1) % len(colours)])
    return Selection(source, colours[0])
