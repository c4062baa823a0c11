"""Parts of a snapshot as sentences. Nothing here knows a language: every text comes from the words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from web_ui.messages import (
    Advice,
    Advised,
    Because,
    Choosing,
    Fault,
    Move,
    PastMove,
    Result,
    Snapshot,
    Step,
    known_step,
)
from web_ui.text.words import Words

MARKER = "m"
"""The letter of the starting player marker among the tiles of a floor."""

ACTION = "action"
"""The role of the solo game's second board."""

DRAFTING = ("draft", "place", "place_again")
"""What is asked for while tiles are taken."""


@dataclass(frozen=True, slots=True)
class SnapshotFormatter:
    """Says the parts of one snapshot in one language."""

    words: Words
    snapshot: Snapshot

    def who(self, seat: object, name: object = None) -> str:
        """The player at a seat: the given name, else the one the seat has, else "Seat 2".

        The solo game's action board is nobody's: it is called by what it is.
        """
        if self.role(seat) == ACTION:
            return self.words.text("board.action")
        if isinstance(name, str) and name:
            return name
        for board in self.snapshot.seats:
            if board.seat == seat and board.name:
                return board.name
        if self.solo:
            return self.words.text("board.player")
        return self.words.text("player.unnamed", seat=seat)

    def opponent(self, bot: str) -> str:
        """What an opponent is called; a program by its own name."""
        return bot.capitalize() if f"opponent.{bot}" in self.words else bot

    def bot_of(self, seat: int) -> str:
        """What the opponent of a seat is called; in a solo game of the one who plays."""
        bots = [each.bot for each in self.snapshot.seats if each.bot and (each.seat == seat or self.solo)]
        return self.opponent(bots[0]) if bots else self.who(seat)

    def strength(self, bot: str) -> str:
        """What an opponent is like."""
        return self.words.text_or(f"opponent.{bot}", "opponent.program")

    def stand_ins(self) -> tuple[str, ...]:
        """Why others choose for opponents that do not."""
        return tuple(
            self.words.text_or(
                f"stand_in.{told.why}",
                "stand_in.other",
                who=self.who(seat.seat, seat.name),
                by=self.opponent(told.by),
                detail=told.detail,
            )
            for seat in self.snapshot.seats
            if (told := seat.stand_in) is not None
        )

    @property
    def solo(self) -> bool:
        """Whether one player plays two boards."""
        return any(board.role == ACTION for board in self.snapshot.seats)

    def role(self, seat: object) -> str:
        """What the board at a seat is: player or action."""
        return next((board.role for board in self.snapshot.seats if board.seat == seat), "player")

    def board_name(self, role: str) -> str:
        """One of the solo game's boards, inside a sentence."""
        return self.words.text("board.the_action" if role == ACTION else "board.the_player")

    def ordinal(self, number: int | None) -> str:
        """A place in a row: 1st, 2nd."""
        return self.words.text_or(f"ordinal.{number}", "ordinal.other", number=number)

    def colour(self, letter: str) -> str:
        """A colour's name inside a sentence."""
        return self._colour("colour", letter)

    def colour_title(self, letter: str) -> str:
        """A colour's name at the beginning of a sentence."""
        return self._colour("colour_title", letter)

    def _colour(self, table: str, letter: str) -> str:
        known = self.snapshot.palette.get(letter)
        return self.words.text(f"{table}.{known.name}") if known else letter

    def tiles(self, letters: str) -> str:
        """Tiles counted by colour: "2 blue, 1 red and the starting marker"."""
        order = dict.fromkeys([*self.snapshot.palette, *letters])
        parts = [
            self.words.text("tiles.some", count=letters.count(letter), colour=self.colour(letter))
            for letter in order
            if letter != MARKER and letter in letters
        ]
        text = self.enumeration(parts) if parts else self.words.text("tiles.none")
        if MARKER not in letters:
            return text
        marker = self.words.text("tiles.marker")
        return self.words.text("tiles.with_marker", tiles=self.listing(parts)) if parts else marker

    def listing(self, parts: Iterable[str]) -> str:
        """Texts in a row: "a, b, c"."""
        text, *rest = parts
        for part in rest:
            text = self.words.text("list.more", first=text, last=part)
        return text

    def enumeration(self, parts: Iterable[str]) -> str:
        """Texts in a sentence: "a, b and c"."""
        *front, last = parts
        return self.words.text("list.two", first=self.listing(front), last=last) if front else last

    def steps(self) -> tuple[Step, ...]:
        """The steps that are told of how the scores came about."""
        told = self.snapshot.account
        return tuple(map(known_step, told.steps)) if told is not None else ()

    def source(self, number: object) -> str:
        """Where tiles are taken from, inside a sentence."""
        return (
            self.words.text("source.centre")
            if number == 0
            else self.words.text("source.display", number=number)
        )

    def button(self, name: str) -> str:
        """What a button is called: "Line 3 of Ana's board"."""
        match name.split("."):
            case ["display", number]:
                return self.words.text("button.display", number=number)
            case ["seat", seat, "line", line] if seat.isdecimal() and self.solo:
                board = self.board_name(self.role(int(seat)))
                return self.words.text("button.solo_line", line=line, board=board)
            case ["seat", seat, "floor"] if seat.isdecimal() and self.solo:
                return self.words.text("button.solo_floor", board=self.board_name(self.role(int(seat))))
            case ["seat", seat, "line", line] if seat.isdecimal():
                return self.words.text("button.line", line=line, who=self.who(int(seat)))
            case ["seat", seat, "floor"] if seat.isdecimal():
                return self.words.text("button.floor", who=self.who(int(seat)))
            case ["centre" | "ok" | "undo"]:
                return self.words.text(f"button.{name}")
            case _:
                return name

    def head(self) -> str:
        """The few big words over what the table waits for."""
        say = self._say()
        if say == "game_over" and self.snapshot.result is not None:
            return self.result(self.snapshot.result)
        ask = self.snapshot.ask
        if self.solo and say in DRAFTING:
            return self.words.text(f"head.{self.role(ask.get('seat'))}_board")
        if self.solo and say == "choose_column":
            return self.words.text("head.choose_column_solo")
        return self.words.text_or(f"head.{say}", "head.other", who=self.who(ask.get("seat"), ask.get("name")))

    def ask(self) -> str:
        """What the table waits for."""
        ask = self.snapshot.ask
        who = self.who(ask.get("seat"), ask.get("name"))
        match self._say():
            case "draft":
                return self._ask_to_draft(who)
            case "place":
                return self._ask_to_place(who)
            case "place_again":
                return self._ask_again()
            case "bot_takes" | "bot_puts" as say:
                say = "bot_drops" if ask.get("line") == 0 else say
                given = {"tiles": self._in_hand(), "source": self.source(ask.get("source"))}
                return self.words.text(f"ask.{say}", who=who, line=ask.get("line"), **given)
            case "move_for_bot" if (line := ask.get("line")) is not None:
                given = {"tiles": self._in_hand(), "source": self.source(ask.get("source"))}
                key = "ask.move_for_bot_line" if line else "ask.move_for_bot_floor"
                return self.words.text(key, who=who, line=line, **given)
            case "choose_column":
                return self._ask_for_columns()
            case "start_beside":
                paths = {"path": ask.get("path", ""), "new_path": ask.get("new_path", "")}
                key = f"start_beside.{ask.get('why', '')}"
                return self.words.text_or(key, "start_beside.unreadable", **paths)
            case "tell_tile" | "tell_after_lid" | "tell_penalty" | "tell_scoring_colour" as say:
                return self._ask_for_a_tile(say)
            case "learn_tiles" | "learn_action" | "choose_source" as say:
                return self._ask_with_colour(say, who)
            case "scoring" | "scoring_begins" as say if self.snapshot.resin is not None:
                return self.words.text(f"ask.{say}_resin")
            case "scoring" if self.solo:
                return self.words.text("ask.scoring_solo")
            case say:
                return self._asked(say if f"ask.{say}" in self.words else "other", who=who)

    def _asked(self, say: str, **given: object) -> str:
        """What is asked for; where the seats have no buttons, by those on the pages."""
        pages = f"ask.{say}_on_pages"
        by_pages = self.snapshot.phones.seats and pages in self.words
        return self.words.text(pages if by_pages else f"ask.{say}", **given)

    def _ask_with_colour(self, say: str, who: str) -> str:
        ask = self.snapshot.ask
        action = self.words.text_or(f"action.{ask.get('action', '')}", "action.other")
        letter = str(ask.get("colour", ""))
        colour = self.colour_title(letter) if say == "learn_tiles" else self.colour(letter)
        return self.words.text(
            f"ask.{say}", who=who, action=action, colour=colour, count=ask.get("count", "")
        )

    def _ask_to_draft(self, who: str) -> str:
        snapshot = self.snapshot
        if self.solo:
            number = next((name[8:] for name in snapshot.live if name.startswith("display.")), "")
            return self.words.text(f"ask.draft_{self.role(snapshot.ask.get('seat'))}", number=number)
        if not snapshot.centre:
            return self.words.text("ask.draft", who=who)
        return self.words.text(
            "ask.draft_or_centre" if any(snapshot.displays) else "ask.draft_centre", who=who
        )

    def _in_hand(self) -> str:
        """The tiles that are to be put somewhere."""
        ask = self.snapshot.ask
        colour = self.colour(str(ask.get("colour", "")))
        return self.words.text("tiles.some", count=ask.get("count", ""), colour=colour)

    def _ask_to_place(self, who: str) -> str:
        choice = self.snapshot.choice
        role = f"_{self.role(self.snapshot.ask.get('seat'))}" if self.solo else ""
        floor = "_floor" if choice is not None and choice.lines == (0,) else ""
        return self.words.text(f"ask.place{role}{floor}", who=who, tiles=self._in_hand())

    def _ask_again(self) -> str:
        line, choice = self.snapshot.ask.get("line"), self.snapshot.choice
        sent = self.tiles(choice.sends.get(str(line), "")) if choice is not None else ""
        key = "ask.place_again" if line else "ask.drop_again"
        key = f"{key}_loses" if self.snapshot.ask.get("loses") else key
        return self.words.text(key, tiles=self._in_hand(), line=line, sent=sent)

    def _ask_for_columns(self) -> str:
        """Several seats may choose at once: who still has to is said."""
        due = {choice.seat: self.column_due(choice) for choice in self.snapshot.choosing}
        if not due:
            return self.words.text("ask.choose_column")
        if self.solo:
            return self._asked("choose_column_solo", due=self.enumeration(due.values()))
        waiting = [self.words.text("due.of", who=self.who(seat), due=text) for seat, text in due.items()]
        return self._asked("choose_column_waiting", waiting=self.listing(waiting))

    def column_due(self, choice: Choosing) -> str:
        """The tile that a column is chosen for: "blue in row 3"."""
        return self.words.text("due.column", colour=self.colour(choice.colour), row=choice.row)

    def _ask_for_a_tile(self, say: str) -> str:
        """Where the next tile of resin goes; in a round, a penalty tile is action line 1's."""
        ask = self.snapshot.ask
        again = say == "tell_penalty" and not any(self.snapshot.displays)
        given = {name: ask.get(name, "") for name in ("display", "at", "bag")}
        return self.words.text("ask.tell_draw" if again else f"ask.{say}", **given)

    def _say(self) -> str:
        return str(self.snapshot.ask.get("say", ""))

    def refusal(self, why: str) -> str:
        """Why a press was refused."""
        return self.words.text_or(f"refusal.{why}", "refusal.other")

    def move(self, move: Move) -> str:
        """A draft as a sentence."""
        tiles = self.words.text("tiles.some", count=move.count, colour=self.colour(move.colour))
        if move.marker:
            tiles = self.words.text("tiles.with_marker", tiles=tiles)
        given = {"who": self.who(move.seat, move.name), "tiles": tiles, "source": self.source(move.source)}
        if self.solo:
            given["who"] = self.board_name(self.role(move.seat))
        key = "floor" if move.line == 0 else "line_fell" if move.fell else "line"
        return self.words.text(
            f"moves.solo_{key}" if self.solo else f"moves.{key}", **given, line=move.line, fell=move.fell
        )

    def result(self, result: Result) -> str:
        """How the game ended."""
        if result.victory:
            return self._solo_result(result)
        winners = [score for score in result.scores if score.winner]
        if not winners:
            return self.words.text("result.over")
        who = self.enumeration([self.who(score.seat, score.name) for score in winners])
        kind = "shared" if len(winners) > 1 else "wins_rows" if result.tie == "rows" else "wins"
        return self.words.text(f"result.{kind}", who=who, points=winners[0].score)

    def _solo_result(self, result: Result) -> str:
        if result.rule is not None:
            return self.words.text_or(
                f"result.lost_{result.rule.lower()}", "result.over", points=result.score
            )
        victory = self.words.text_or(f"victory.{result.victory}", "result.over")
        return self.words.text("result.victory", victory=victory, points=result.score)


# --- Choices inside a sentence, without who makes them: those of a past game ---


def said(formatter: SnapshotFormatter, choice: Advised | PastMove) -> str:
    """A choice; of a kind that these pages don't know its notation."""
    words = formatter.words
    match choice.kind:
        case "draft":
            return _draft(formatter, choice)
        case "column":
            colour = formatter.colour(choice.colour)
            return words.text("choice.column", colour=colour, row=choice.row, column=choice.column)
        case "square":
            return words.text("choice.square", row=choice.row, column=choice.column)
        case "swap" if choice.position is not None:
            first, second = formatter.ordinal(choice.position), formatter.ordinal(choice.position + 1)
            return words.text("choice.swap", first=first, second=second)
        case "remove" if choice.position is not None:
            return words.text("choice.remove", position=formatter.ordinal(choice.position))
        case "remove":
            return words.text("choice.leave")
        case _:
            return choice.token


def _draft(formatter: SnapshotFormatter, choice: Advised | PastMove) -> str:
    words = formatter.words
    tiles = words.text("tiles.some", count=choice.count, colour=formatter.colour(choice.colour))
    if choice.marker:
        tiles = words.text("tiles.with_marker", tiles=tiles)
    kind = "floor" if choice.line == 0 else "line_fell" if choice.fell else "line"
    return words.text(
        f"choice.solo_{kind}" if formatter.solo else f"choice.{kind}",
        tiles=tiles,
        source=formatter.source(choice.source),
        line=choice.line,
        fell=choice.fell,
        board=formatter.board_name(formatter.role(choice.seat)),
    )


# --- What opponents do and why, and what persons are advised, as sentences -------------------------------


def why(formatter: SnapshotFormatter, seat: int, name: str | None, because: Iterable[Because]) -> str:
    """Why an opponent chose something, in a sentence; empty where nothing is to be said."""
    reasons = [_reason(formatter, each) for each in because]
    if not reasons:
        return ""
    who = formatter.bot_of(seat) if formatter.solo else formatter.who(seat, name)
    return formatter.words.text("reason.said", who=who, why=formatter.enumeration(reasons))


def why_moved(formatter: SnapshotFormatter, move: Move) -> str:
    """Why an opponent made a draft; empty for a person's."""
    return why(formatter, move.seat, move.name, move.because)


def _reason(formatter: SnapshotFormatter, each: Because) -> str:
    given = {
        "who": formatter.who(each.seat, each.name) if each.seat else "",
        "line": each.line,
        "row": each.row,
        "column": each.column,
        "colour": formatter.colour(each.colour) if each.colour else "",
        "count": each.count,
        "points": each.points,
        "position": formatter.ordinal(each.position),
    }
    return formatter.words.text_or(f"reason.{each.key}", "reason.other", **given)


def notes(formatter: SnapshotFormatter) -> tuple[str, ...]:
    """What is said under whose turn it is: who stands in, why an opponent chooses, what is advised."""
    snapshot, told = formatter.snapshot, list(formatter.stand_ins())
    reason = snapshot.reason
    if reason is not None and reason.showing:
        told.append(why(formatter, reason.seat, reason.name, reason.because))
    told += [formatter.words.text("hint.asked", who=formatter.who(seat)) for seat in snapshot.hint.asked]
    told += [_advice(formatter, each) for each in snapshot.hint.shown]
    told += [
        formatter.words.text_or(f"hint.{each.why}", "hint.silent", who=formatter.who(each.seat))
        for each in snapshot.hint.missed
    ]
    return tuple(filter(None, told))


def _advice(formatter: SnapshotFormatter, advice: Advice) -> str:
    """A hint, and what it gains against the next best."""
    words = formatter.words
    given = {"who": formatter.who(advice.seat), "choice": said(formatter, advice.choice)}
    if advice.next is None or advice.gain is None:
        return words.text("hint.only", **given)
    given["next"] = said(formatter, advice.next)
    if advice.gain < 0.1:
        return words.text("hint.as_good", **given)
    points = f"{advice.gain:.1f}".replace(".", words.text("hint.point"))
    return words.text("hint.better", points=points, **given)


# --- How a score came about, step by step, as sentences --------------------------------------------------

WITHOUT_POINTS = frozenset(
    {
        "action_tile_placed",
        "penalty_drawn",
        "penalty_swapped",
        "fifth_tile_due",
        "penalty_removed",
        "penalty_kept",
        "floor_cleared",
        "fell",
    }
)
"""Steps that never change a score."""

AT_THE_END = frozenset({"bonus", "penalty_row_counted", "clear_board_award"})
"""Steps that only the end of a game has."""


def step_sentence(formatter: SnapshotFormatter, step: Step) -> str:
    """A step as a sentence; of a kind that these pages don't know, its points."""
    match step.step:
        case "placed":
            return _placed(formatter, step)
        case "floor" | "penalty_charged":
            return _charged(formatter, step)
        case "fell":
            count = step.count or step.line  # a full line holds as many tiles as its number says
            colour = formatter.colour_title(step.colour)
            return formatter.words.text("step.fell", row=step.line, colour=colour, count=count)
        case "bonus" if step.kind in ("row", "column", "colour"):
            which = formatter.colour(str(step.which)) if step.kind == "colour" else step.which
            return formatter.words.text(f"step.{step.kind}", which=which, points=step.points)
        case _:
            return _solo(formatter, step)


def _placed(formatter: SnapshotFormatter, step: Step) -> str:
    across = "across" if step.across > 1 else ""
    down = "down" if step.down > 1 else ""
    kind = "both" if across and down else across or down or "alone"
    return formatter.words.text(
        f"step.placed_{kind}",
        colour=formatter.colour_title(step.colour),
        row=step.row,
        across=step.across,
        down=step.down,
        points=step.points,
    )


def _charged(formatter: SnapshotFormatter, step: Step) -> str:
    """What a floor cost, or the solo game's penalty row."""
    lost = -step.points
    what = "floor" if step.step == "floor" else "penalty_row"
    who = formatter.who(step.seat, step.name)
    if not step.cost:
        return formatter.words.text(f"step.{what}_empty", who=who)
    key = f"step.{what}_capped" if lost < step.cost else f"step.{what}"
    return formatter.words.text(key, who=who, cost=step.cost, points=lost)


def _solo(formatter: SnapshotFormatter, step: Step) -> str:
    """The steps that only a solo game has."""
    text, ordinal = formatter.words.text, formatter.ordinal
    match step.step:
        case "action_tile_placed":
            key = "step.action_tile_covers" if step.covers else "step.action_tile"
            return text(key, colour=formatter.colour_title(step.colour), row=step.row)
        case "penalty_drawn":
            kind = "both" if step.aside and step.drawn else "aside" if step.aside else "drawn"
            kind = kind if step.aside or step.drawn else "nothing"
            aside, drawn = formatter.colour(step.aside or ""), formatter.colour(step.drawn or "")
            return text(f"step.redraw_{kind}", aside=aside, drawn=drawn)
        case "penalty_swapped":
            return text("step.swapped", first=ordinal(step.position), second=ordinal(step.position + 1))
        case "fifth_tile_due" | "penalty_kept":
            return text(f"step.{step.step}", line=step.line)
        case "penalty_removed":
            position, colour = ordinal(step.position), formatter.colour(step.colour)
            return text("step.removed", line=step.line, position=position, colour=colour)
        case "beside_scoring_tile":
            return text("step.beside", nth=ordinal(step.nth), points=step.points)
        case "floor_cleared":
            return text("step.floor_cleared", count=step.tiles)
        case "penalty_row_counted":
            key = "step.penalty_counted" if step.tiles else "step.penalty_none"
            return text(key, count=step.tiles, points=abs(step.points))
        case "clear_board_award":
            board = formatter.board_name("action" if step.which == 1 else "player")
            return text("step.clear_board", board=board, points=step.points)
        case _:
            return text("step.other", who=formatter.who(step.seat, step.name), points=step.points)


# --- The parts of the table that are lost, as sentences: what is lost, how play goes on ---

POWER = {"power": "voltage", "heat": "hot"}
"""Why the table's computer itself complains; for any other reason it can't tell how it is."""


def faults(formatter: SnapshotFormatter) -> tuple[str, ...]:
    """What is lost, oldest first; buttons that are lost for the same reason are told together."""
    told: list[str] = []
    buttons: dict[str, list[str]] = {}
    for fault in formatter.snapshot.faults:
        kind, _, name = fault.part.partition(".")
        if kind == "button" and name:
            buttons.setdefault(fault.why, []).append(formatter.button(name))
        else:
            told.append(_sentences(formatter, fault, kind, name))
    return (*told, *(_buttons(formatter, why, names) for why, names in buttons.items()))


def _buttons(formatter: SnapshotFormatter, why: str, names: list[str]) -> str:
    lost = formatter.words.text("lost.button", count=len(names), buttons=formatter.listing(names))
    instead = formatter.words.text("instead.button")
    return f"{lost} {instead} {_mend(formatter, 'button', why)}"


def _sentences(formatter: SnapshotFormatter, fault: Fault, kind: str, name: str) -> str:
    words = formatter.words
    if kind in POWER and fault.why != POWER[kind]:
        kind = "watch"
    reader = _reader(formatter, name) if kind == "reader" else ""
    lost = words.text_or(f"lost.{kind}", "lost.other", reader=reader, part=fault.part)
    use = f"{kind}_{_use(formatter, name)}" if kind == "reader" else kind
    instead = words.text_or(f"instead.{use}", "instead.other")
    return f"{lost} {instead} {_mend(formatter, kind, fault.why)}"


def _mend(formatter: SnapshotFormatter, kind: str, why: str) -> str:
    """What to do about it: for this part if there is more to say, else for any."""
    special = f"mend.{kind}_{why}"
    words = formatter.words
    return words.text(special) if special in words else words.text_or(f"mend.{why}", "mend.failed")


def _reader(formatter: SnapshotFormatter, name: str) -> str:
    """Where a reader is: "at display 3"."""
    place, _, number = name.partition(".")
    return formatter.words.text_or(f"reader.{place}", "reader.other", number=number, name=name)


def _use(formatter: SnapshotFormatter, name: str) -> str:
    """What a reader is for: players sit down at those of the seats, tiles are shown to the others."""
    if name.startswith("seat."):
        return "seat"
    return "tell" if formatter.snapshot.resin is not None else "take"
