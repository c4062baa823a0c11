"""Parts of a snapshot as sentences. Nothing here knows a language: every text comes from the words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from web_ui.messages import MenuItem, Move, Result, Seat, Snapshot, Step, known_step
from web_ui.words import Words

MARKER = "m"
"""The letter of the starting player marker among the tiles of a floor."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Says the parts of one snapshot in one language."""

    words: Words
    snapshot: Snapshot

    def who(self, seat: object, name: object = None) -> str:
        """The player at a seat: the given name, else the one the seat has, else "Player 2"."""
        if isinstance(name, str) and name:
            return name
        for board in self.snapshot.seats:
            if board.seat == seat and board.name:
                return board.name
        return self.words.say("player.unnamed", seat=seat)

    def colour(self, letter: str) -> str:
        """A colour's name inside a sentence."""
        return self._colour("colour", letter)

    def colour_title(self, letter: str) -> str:
        """A colour's name at the beginning of a sentence."""
        return self._colour("colour_title", letter)

    def _colour(self, table: str, letter: str) -> str:
        known = self.snapshot.palette.get(letter)
        return self.words.say(f"{table}.{known.name}") if known else letter

    def tiles(self, letters: str) -> str:
        """Tiles counted by colour: "2 blue, 1 red and the starting marker"."""
        order = dict.fromkeys([*self.snapshot.palette, *letters])
        parts = [
            self.words.say("tiles.some", count=letters.count(letter), colour=self.colour(letter))
            for letter in order
            if letter != MARKER and letter in letters
        ]
        text = self.enumeration(parts) if parts else self.words.say("tiles.none")
        if MARKER not in letters:
            return text
        marker = self.words.say("tiles.marker")
        return self.words.say("tiles.with_marker", tiles=self.listing(parts)) if parts else marker

    def listing(self, parts: Iterable[str]) -> str:
        """Texts in a row: "a, b, c"."""
        text, *rest = parts
        for part in rest:
            text = self.words.say("list.more", first=text, last=part)
        return text

    def enumeration(self, parts: Iterable[str]) -> str:
        """Texts in a sentence: "a, b and c"."""
        *front, last = parts
        return self.words.say("list.two", first=self.listing(front), last=last) if front else last

    def steps(self) -> tuple[Step, ...]:
        """The steps that are told of how the scores came about."""
        told = self.snapshot.account
        return tuple(map(known_step, told.steps)) if told is not None else ()

    def menu(self) -> tuple[MenuItem, ...]:
        """What can be chosen before a game."""
        snapshot = self.snapshot
        modes = enumerate(snapshot.modes, 1)
        plain = (MenuItem(f"display.{place}", mode, "mode", mode == snapshot.mode) for place, mode in modes)
        return snapshot.menu or tuple(plain)

    def pattern(self, seat: Seat) -> tuple[str, ...] | None:
        """The colours printed on a seat's wall; None when it is gray."""
        own = seat.pattern
        return self.snapshot.pattern if isinstance(own, msgspec.UnsetType) else own

    def source(self, number: object) -> str:
        """Where tiles are taken from, inside a sentence."""
        return (
            self.words.say("source.centre")
            if number == 0
            else self.words.say("source.display", number=number)
        )

    def button(self, name: str) -> str:
        """What a button is called: "Line 3 of Ana's board"."""
        match name.split("."):
            case ["display", number]:
                return self.words.say("button.display", number=number)
            case ["seat", seat, "line", line] if seat.isdecimal():
                return self.words.say("button.line", line=line, who=self.who(int(seat)))
            case ["seat", seat, "floor"] if seat.isdecimal():
                return self.words.say("button.floor", who=self.who(int(seat)))
            case ["centre" | "ok" | "undo"]:
                return self.words.say(f"button.{name}")
            case _:
                return name

    def head(self) -> str:
        """The few big words over what the table waits for."""
        say = self._say()
        if say == "game_over" and self.snapshot.result is not None:
            return self.result(self.snapshot.result)
        ask = self.snapshot.ask
        return self.words.say_or(f"head.{say}", "head.other", who=self.who(ask.get("seat"), ask.get("name")))

    def ask(self) -> str:
        """What the table waits for."""
        ask = self.snapshot.ask
        who = self.who(ask.get("seat"), ask.get("name"))
        match self._say():
            case "draft":
                return self.words.say(f"ask.{self._draft()}", who=who)
            case "place":
                tiles = self.words.say(
                    "tiles.some", count=ask.get("count", ""), colour=self.colour(str(ask.get("colour", "")))
                )
                choice = self.snapshot.choice
                only_floor = choice is not None and choice.lines == (0,)
                return self.words.say("ask.place_floor" if only_floor else "ask.place", who=who, tiles=tiles)
            case "start_beside":
                paths = {"path": ask.get("path", ""), "new_path": ask.get("new_path", "")}
                key = f"start_beside.{ask.get('why', '')}"
                return self.words.say_or(key, "start_beside.unreadable", **paths)
            case say:
                return self.words.say_or(f"ask.{say}", "ask.other", who=who)

    def _say(self) -> str:
        return str(self.snapshot.ask.get("say", ""))

    def _draft(self) -> str:
        if not self.snapshot.centre:
            return "draft"
        return "draft_or_centre" if any(self.snapshot.displays) else "draft_centre"

    def refusal(self, why: str) -> str:
        """Why a press was refused."""
        return self.words.say_or(f"refusal.{why}", "refusal.other")

    def move(self, move: Move) -> str:
        """A draft as a sentence."""
        tiles = self.words.say("tiles.some", count=move.count, colour=self.colour(move.colour))
        if move.marker:
            tiles = self.words.say("tiles.with_marker", tiles=tiles)
        given = {"who": self.who(move.seat, move.name), "tiles": tiles, "source": self.source(move.source)}
        if move.line == 0:
            return self.words.say("moves.floor", **given)
        key = "moves.line_fell" if move.fell else "moves.line"
        return self.words.say(key, **given, line=move.line, fell=move.fell)

    def step(self, step: Step) -> str:
        """A step of how a score came about, as a sentence."""
        who = self.who(step.seat, step.name)
        match step.step:
            case "placed":
                across = "across" if step.across > 1 else ""
                down = "down" if step.down > 1 else ""
                kind = "both" if across and down else across or down or "alone"
                return self.words.say(
                    f"step.placed_{kind}",
                    colour=self.colour_title(step.colour),
                    row=step.row,
                    across=step.across,
                    down=step.down,
                    points=step.points,
                )
            case "floor":
                lost = -step.points
                key = "step.floor_capped" if lost < step.cost else "step.floor"
                return self.words.say(key, who=who, cost=step.cost, points=lost)
            case "fell":
                colour = self.colour_title(step.colour)
                return self.words.say("step.fell", row=step.line, colour=colour, count=step.count)
            case "bonus" if step.kind in ("row", "column", "colour"):
                which = self.colour(str(step.which)) if step.kind == "colour" else step.which
                return self.words.say(f"step.{step.kind}", which=which, points=step.points)
            case _:
                return self.words.say("step.other", who=who, points=step.points)

    def result(self, result: Result) -> str:
        """How the game ended."""
        winners = [score for score in result.scores if score.winner]
        if not winners:
            return self.words.say("result.over")
        who = self.enumeration([self.who(score.seat, score.name) for score in winners])
        kind = "shared" if len(winners) > 1 else "wins_rows" if result.tie == "rows" else "wins"
        return self.words.say(f"result.{kind}", who=who, points=winners[0].score)
