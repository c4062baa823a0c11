"""Past games as JSON for clients: lists of games, single games with their review, and records.

Everything comes from a game's events. Like a snapshot it holds no sentences.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from device.lights.palettes import Palette, palette_for
from device.records import record
from device.records.review import Graded, PlayerReview, real_choices, reviews
from device.rules import game as rules
from device.rules.board import Board
from device.rules.events import Chance, Deal, Draft, Draw, Event, Penalty, ScoringColour
from device.rules.game import Setup
from device.rules.notation import text_of
from device.rules.scoring import Outcome
from device.rules.solo.scoring import SoloOutcome
from device.rules.tiles import letter
from device.socket.messages import BeginPractice, PositionMessage
from device.socket.snapshot import (
    Json,
    choice_json,
    choices_json,
    game_json,
    move_json,
    palette_json,
    result_json,
    seat_json,
    selection_json,
)
from device.table.game import Play, Selection, default_name, move_of, resume
from device.table.state import PositionShown, PracticeBegun
from device.table.turns import choices, choosing_places

MOST_EVENTS: Final = 3000
"""A game with more events is described without its moves; people play no game so long (R17)."""


@dataclass(frozen=True, slots=True)
class PastGame:
    """A stored game; times are UTC texts. A grade of an event is the points lost and the best choice.

    `practice` is the number of events of the position where a game for practice began; None for all others.
    """

    number: int
    setup: Setup
    places: tuple[int, ...]
    started: str
    ended: str | None
    on_table: bool
    events: tuple[Event, ...]
    bots: Mapping[int, str] = field(default_factory=dict)  # by the game's seat
    grades: Mapping[int, tuple[float, Event]] = field(default_factory=dict)
    practice: int | None = None

    @property
    def status(self) -> str:
        """Whether the game is `finished`, `in_play` or `stopped`."""
        if self.ended is not None:
            return "finished"
        return "in_play" if self.on_table else "stopped"

    @property
    def too_long(self) -> bool:
        """Whether the game is too long to be replayed for a client."""
        return len(self.events) > MOST_EVENTS

    def name_of(self, seat: int) -> str | None:
        """Return a player's name; None where nobody gave one."""
        name = self.setup.players[seat]
        return None if name == default_name(self.places[seat]) else name

    def name_at(self, place: int) -> str | None:
        """Return the name of the player at a place; the second board of a solo game has none."""
        seats = range(len(self.setup.players))
        return next((self.name_of(seat) for seat in seats if self.places[seat] == place), None)

    def at(self, state: rules.State) -> Play:
        """Return the game in one of its states, without its events."""
        return Play(self.setup, self.places, state)

    def last_state(self) -> rules.State:
        """Replay the game and return its last state. Raises RulesError if the events are not legal."""
        state = rules.setup(self.setup)
        for event in self.events:
            state = state.apply(event)
        return state


# --- The list ---


def entry_json(past: PastGame) -> Json:
    """Describe a game for the list; the scores are final, or those so far. Raises RulesError."""
    state = None if past.too_long else past.last_state()
    outcome = state.outcome() if state is not None else None
    winners = outcome.winners if isinstance(outcome, Outcome) else ()
    return {
        "number": past.number,
        "started": past.started,
        "ended": past.ended,
        "status": past.status,
        "mode": past.setup.mode,
        "level": past.setup.level,
        "wall": past.setup.wall,
        "practice": past.practice is not None,
        "events": len(past.events),
        "rounds": state.round if state is not None else None,
        "victory": outcome.victory.value.replace(" ", "_") if isinstance(outcome, SoloOutcome) else None,
        "players": [
            {
                "seat": past.places[seat],
                "name": past.name_of(seat),
                "bot": past.bots.get(seat),
                "score": state.boards[seat].score if state is not None else None,
                "winner": seat in winners,
            }
            for seat in range(len(past.setup.players))
        ],
    }


def unreadable_json(number: int, started: str) -> Json:
    """Describe a game whose stored data is damaged, for the list."""
    entry = dict.fromkeys(("ended", "mode", "level", "wall", "events", "rounds", "victory"))
    return {
        **entry,
        "practice": False,
        "number": number,
        "started": started,
        "status": "unreadable",
        "players": [],
    }


# --- A single game ---


def game_with_review_json(past: PastGame, palette: Palette) -> Json:
    """Describe a game with its moves, the scores after each round, its review so far and its last position.

    Of a game that is too long all these are None. Raises RulesError if the events are not legal.
    """
    game = {
        **entry_json(past),
        "choices": 0,
        **dict.fromkeys(("moves", "scores", "curve", "reviews", "position")),
    }
    if past.too_long:
        return game
    real = {choice.number: choice for choice in real_choices(past.setup, past.events)}
    graded = [
        Graded(real[number], lost, best)
        for number, (lost, best) in sorted(past.grades.items())
        if number in real
    ]
    moves, scores, curve = _moves_json(past, {each.choice.number: each for each in graded})
    found = reviews(graded, len(past.setup.players)) if graded else []
    return game | {
        "moves": moves,
        "scores": scores,
        "curve": curve,
        "choices": len(real),
        "reviews": [_review_json(past, palette, seat, review) for seat, review in enumerate(found)],
        "position": _position_json(past, palette, past.last_state()),
    }


def _moves_json(
    past: PastGame, graded: Mapping[int, Graded]
) -> tuple[list[Json], list[Json], list[tuple[int, list[int]]]]:
    """Describe every choice with its round and the points it lost, and the scores after each round.

    The third value has the scores of all players at step 0 and at each step that changes one.
    """
    moves, scores = [], []
    state = rules.setup(past.setup)
    curve = [(0, _scores_in(past, state))]
    for number, event in enumerate(past.events):
        if not isinstance(event, Chance):
            grade = graded.get(number)
            lost = None if grade is None else round(grade.lost, 2)
            choice = _choice_json(past, state, event)
            moves.append({"number": number, "round": state.round, **choice, "lost": lost})
        state = state.apply(event)
        if (totals := state.closing_scores()) is not None:
            scores.append({"round": state.round, "scores": list(totals)})
        if (now := _scores_in(past, state)) != curve[-1][1]:
            curve.append((number + 1, now))
    return moves, scores, curve


def _scores_in(past: PastGame, state: rules.State) -> list[int]:
    return [state.boards[seat].score for seat in range(len(past.setup.players))]


def _choice_json(past: PastGame, state: rules.State, event: Event) -> Json:
    """Describe a choice that was made in a state, with its notation."""
    play = past.at(state)
    if isinstance(event, Draft):
        move = move_of(state, event)
        return {"kind": "draft", **move_json(play, move, past.name_at(play.places[move.seat]))}
    return {**choice_json(play, event), "token": text_of(event)}


def _position_json(past: PastGame, palette: Palette, state: rules.State, best: Event | None = None) -> Json:
    """Describe the position in a state; if `best` is a draft, with its tiles and its line selected."""
    play = past.at(state)
    boards = dict(zip(play.places, state.boards, strict=True))
    acting = (play.places[state.turn],) if state.in_offer else choosing_places(play)
    selected = None
    if isinstance(best, Draft):
        selected = selection_json(play, Selection(best.source, best.colour), (best.line,))
    return {
        **game_json(play),
        "seats": [
            seat_json(play, place, past.name_at(place), boards.get(place, Board()), acting=place in acting)
            for place in range(1, max(play.places) + 1)
        ],
        "choice": selected,
        "choosing": choices_json(play, choices(play)),
        "result": result_json(play),
        "palette": palette_json(palette_for(past.setup.mode, palette)),
    }


def _review_json(past: PastGame, palette: Palette, seat: int, review: PlayerReview) -> Json:
    return {
        "seat": past.places[seat],
        "lost": round(review.lost, 2),
        "choices": review.choices,
        "costliest": list(_costliest_json(past, palette, review)),
    }


def _costliest_json(past: PastGame, palette: Palette, review: PlayerReview) -> Iterator[Json]:
    """Describe a player's costliest moves with better ones, and the positions before them."""
    for each in review.costliest:
        state = each.choice.state
        yield {
            "number": each.choice.number,
            "round": state.round,
            "lost": round(each.lost, 2),
            "played": _choice_json(past, state, each.choice.event),
            "better": _choice_json(past, state, each.best),
            "position": _position_json(past, palette, state, each.best),
        }


# --- Replay ---


@dataclass(frozen=True, slots=True)
class FoundPosition:
    """A message to the table about a position of a past game, with that position; None stands for none."""

    message: PositionMessage
    play: Play | None
    steps: int = 0

    @property
    def id(self) -> int | None:
        """The id of the message."""
        return self.message.id

    @property
    def needs_free_table(self) -> bool:
        """Whether a finished game has to be put away for it."""
        practice = isinstance(self.message, BeginPractice)
        return self.play is not None and not (practice and self.play.over)

    def event(self, at: float) -> PositionShown | PracticeBegun:
        """Return the event of the table that the message stands for, at a time in seconds."""
        if isinstance(self.message, BeginPractice) and self.play is not None:
            return PracticeBegun(self.play, tuple(self.message.bots.items()), at)
        return PositionShown(self.play, self.message.number or 0, self.steps, at)


def play_at(past: PastGame, step: int) -> Play:
    """Return the game after so many events; opponents' seats have no names. Raises RulesError."""
    names = tuple(
        default_name(past.places[seat]) if seat in past.bots else name
        for seat, name in enumerate(past.setup.players)
    )
    return resume(replace(past.setup, players=names), past.places, past.events[:step])


def positions_json(past: PastGame, palette: Palette, step: int, count: int) -> Json:
    """Describe at most `count` positions, from that after `step` events on, with the event that led to each.

    `steps` is the last step of the game. Raises RulesError if the events are not legal.
    """
    positions = []
    state, before = rules.setup(past.setup), None
    for at in range(min(step + count, len(past.events) + 1)):
        if at:
            state, before = state.apply(past.events[at - 1]), state
        if at >= step:
            event = None if before is None else _event_json(past, before, past.events[at - 1])
            positions.append({"step": at, "event": event, "position": _position_json(past, palette, state)})
    return {"steps": len(past.events), "positions": positions}


def _event_json(past: PastGame, before: rules.State, event: Event) -> Json:
    """Describe any event in the state before it; a chance event by its kind, and its colour if it has one."""
    match event:
        case Deal():
            return {"kind": "deal"}
        case Penalty():
            return {"kind": "penalty"}
        case ScoringColour(colour):
            return {"kind": "scoring_colour", "colour": letter(colour)}
        case Draw(colour):
            return {"kind": "draw", "colour": letter(colour)}
        case _:
            return _choice_json(past, before, event)


# --- Records ---


def record_of(past: PastGame) -> bytes | None:
    """Return the record of a finished game; None of any other, because a record ends with a result."""
    return record.write(past.setup, past.events) if past.status == "finished" else None
