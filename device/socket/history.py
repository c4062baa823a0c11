"""Games that were played at this table, as the pages are told of them: lists, single games, records.

Everything comes from a game's events; no sentence is in it, as in a snapshot.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from device.lights.palettes import Palette, palette_for
from device.records import record
from device.records.review import Graded, PlayerReview, real_choices, reviews
from device.rules import game as rules
from device.rules.events import Chance, Draft, Event
from device.rules.game import Setup
from device.rules.notation import text_of
from device.rules.scoring import Outcome
from device.rules.solo.penalty_row import PLAYER
from device.rules.standard import DISPLAYS
from device.socket.snapshot import Json, snapshot, told_choice, told_move
from device.table.game import Play, Selection, default_name, move_of
from device.table.state import CurrentGame, Table, new_table

SHOWN: Final = (
    "schema",
    "stage",
    "ask",
    "mode",
    "round",
    "first",
    "seats",
    "displays",
    "centre",
    "marker_in_centre",
    "choice",
    "choosing",
    "scoring_tile",
    "result",
    "palette",
)
"""What is told of a snapshot of the past: all that has nothing to do with pressing."""

MOST_EVENTS: Final = 3000
"""A game of more is told without its moves: no people play so long (R17)."""


@dataclass(frozen=True, slots=True)
class PastGame:
    """A game as it is kept; times are UTC texts; of each graded event the points lost and what was best."""

    number: int
    setup: Setup
    places: tuple[int, ...]
    started: str
    ended: str | None
    on_table: bool
    events: tuple[Event, ...]
    bots: Mapping[int, str] = field(default_factory=dict)  # by the game's seat
    grades: Mapping[int, tuple[float, Event]] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """Whether it was played to its end, goes on, or was stopped."""
        if self.ended is not None:
            return "finished"
        return "in_play" if self.on_table else "stopped"

    @property
    def too_long(self) -> bool:
        """Whether there is too much of it to tell."""
        return len(self.events) > MOST_EVENTS

    def name_at(self, seat: int) -> str:
        """The name of a player; empty where nobody said one."""
        name = self.setup.players[seat]
        return "" if name == default_name(self.places[seat]) else name


def entry(past: PastGame) -> Json:
    """A game in a list; of one that was not finished the scores as they stand."""
    told = {
        "number": past.number,
        "started": past.started,
        "ended": past.ended,
        "status": past.status,
        "mode": past.setup.mode,
        "level": past.setup.level,
        "wall": past.setup.wall,
        "events": len(past.events),
        "rounds": None,
        "victory": None,
        "players": [_player(past, seat) for seat in range(len(past.setup.players))],
    }
    if past.too_long:
        return told
    return told | _ending(past, _state_after(past))


def unreadable(number: int, started: str) -> Json:
    """A game in a list of which no more can be told: what was kept of it is damaged."""
    told = dict.fromkeys(("ended", "mode", "level", "wall", "events", "rounds", "victory"))
    return {**told, "number": number, "started": started, "status": "unreadable", "players": []}


def _player(past: PastGame, seat: int) -> Json:
    name = past.name_at(seat) or None
    bot = past.bots.get(seat)
    return {"seat": past.places[seat], "name": name, "bot": bot, "score": None, "winner": False}


def _state_after(past: PastGame) -> rules.State:
    state = rules.setup(past.setup)
    for event in past.events:
        state = state.apply(event)
    return state


def _ending(past: PastGame, state: rules.State) -> Json:
    """The scores, and who won where the game is over."""
    outcome = state.outcome()
    scores = [board.score for board in state.boards]
    winners: tuple[int, ...] = ()
    victory = None
    if isinstance(outcome, Outcome):
        scores, winners = list(outcome.scores), outcome.winners
    elif outcome is not None:
        scores[PLAYER], victory = outcome.score, outcome.victory.value.replace(" ", "_")
    players = [
        {**_player(past, seat), "score": scores[seat], "winner": seat in winners}
        for seat in range(len(past.setup.players))
    ]
    return {"rounds": state.round, "victory": victory, "players": players}


# --- A single game ---------------------------------------------------------------------------------------


def retold(past: PastGame, palette: Palette) -> Json:
    """A game with all its rounds and choices, its review as far as it was graded, and its last position."""
    told = {**entry(past), "moves": None, "scores": None, "reviews": None, "choices": 0, "table": None}
    if past.too_long:
        return told
    shown = _Shown(past, palette)
    real = {choice.number: choice for choice in real_choices(past.setup, past.events)}
    graded = [
        Graded(real[number], lost, best)
        for number, (lost, best) in sorted(past.grades.items())
        if number in real
    ]
    moves, scores = _moves(past, shown, {each.choice.number: each for each in graded})
    found = reviews(graded, len(past.setup.players)) if graded else []
    return told | {
        "moves": moves,
        "scores": scores,
        "choices": len(real),
        "reviews": [_review(shown, seat, review) for seat, review in enumerate(found)],
        "table": shown.table(_state_after(past), None),
    }


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is told of single moments of a past game."""

    past: PastGame
    palette: Palette

    def at(self, state: rules.State) -> Table:
        """The table at a moment of the game."""
        past = self.past
        places = max(past.places)
        table = new_table(places, max(DISPLAYS.values()))
        seats = table.seats
        for seat in range(len(past.setup.players)):
            seats = seats.with_name(past.places[seat], past.name_at(seat))
        return replace(table, seats=seats, game=CurrentGame(Play(past.setup, past.places, state)))

    def table(self, state: rules.State, best: Event | None) -> Json:
        """The snapshot of a moment, with what is best chosen in it: its source, its colour and its line."""
        table = self.at(state)
        if isinstance(best, Draft) and table.game is not None:
            game = replace(table.game, selection=Selection(best.source, best.colour))
            table = replace(table, game=game)
        told = snapshot(table, palette_for(self.past.setup.mode, self.palette))
        shown = {key: told[key] for key in SHOWN}
        if isinstance(best, Draft):
            shown["choice"] = {**shown["choice"], "lines": [best.line], "sends": {}}
        return shown

    def choice(self, state: rules.State, event: Event) -> Json:
        """A choice with its notation."""
        table = self.at(state)
        assert table.play is not None
        if isinstance(event, Draft):
            return {"kind": "draft", **told_move(table, table.play, move_of(state, event))}
        return {**told_choice(table.play, event), "token": text_of(event)}


def _moves(past: PastGame, shown: _Shown, graded: Mapping[int, Graded]) -> tuple[list[Json], list[Json]]:
    """Every choice with its round, and what it lost where that is known; and the scores after each round."""
    moves, scores = [], []
    state = rules.setup(past.setup)
    for number, event in enumerate(past.events):
        if not isinstance(event, Chance):
            grade = graded.get(number)
            lost = None if grade is None else round(grade.lost, 2)
            told = shown.choice(state, event)
            moves.append({"number": number, "round": state.round, **told, "lost": lost})
        before, state = state, state.apply(event)
        if (totals := state.closing_scores()) is not None:
            scores.append({"round": before.round, "scores": list(totals)})
    return moves, scores


def _review(shown: _Shown, seat: int, review: PlayerReview) -> Json:
    return {
        "seat": shown.past.places[seat],
        "lost": round(review.lost, 2),
        "choices": review.choices,
        "costliest": list(_costliest(shown, review)),
    }


def _costliest(shown: _Shown, review: PlayerReview) -> Iterator[Json]:
    """A player's costliest moves with what was better, and the position before them."""
    for each in review.costliest:
        state = each.choice.state
        yield {
            "number": each.choice.number,
            "round": state.round,
            "lost": round(each.lost, 2),
            "played": shown.choice(state, each.choice.event),
            "better": shown.choice(state, each.best),
            "table": shown.table(state, each.best),
        }


# --- Records ---------------------------------------------------------------------------------------------


def record_of(past: PastGame) -> bytes | None:
    """The record of a finished game; None of any other: a record ends with a result."""
    return record.write(past.setup, past.events) if past.status == "finished" else None
