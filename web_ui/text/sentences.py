"""Sentences built from snapshots: prompts, moves, reasons, hints, score steps and faults.

Every text comes from the message catalogue (`words`), so that nothing here depends on a language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from web_ui.messages import Advice, Because, Choosing, Fault, Move, Reason, Result, Snapshot, Step, known_step
from web_ui.text.words import Words

MARKER = "m"
"""The letter of the first-player marker among the tiles of a floor."""

ACTION = "action"
"""The role of the solo game's second board."""

DRAFTING = ("draft", "place", "place_again")
"""The prompts for a draft."""


class SnapshotFormatter(Struct, frozen=True):
    """Formats the parts of one snapshot as text in one language.

    `on_page`: the reader has the controls on the page, so that instructions speak of those and not of the
    table's buttons.
    """

    words: Words
    snapshot: Snapshot
    on_page: bool = False

    # --- Players and boards ---

    @property
    def solo(self) -> bool:
        """Whether one player plays two boards."""
        return any(board.role == ACTION for board in self.snapshot.seats)

    def role(self, seat: object) -> str:
        """Return the role of the board at a seat: `player` or `action`."""
        return next((board.role for board in self.snapshot.seats if board.seat == seat), "player")

    def board_name(self, role: str) -> str:
        """Return the name of one of the solo game's boards, inside a sentence."""
        return self.words.text("board.the_action" if role == ACTION else "board.the_player")

    def player(self, seat: object, name: object = None) -> str:
        """Return `name` if given, else the name of the seat's player, else "Seat 2".

        The action board of a solo game has no player: its name is returned.
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
        """Return the name of an opponent; a bot program has its own."""
        return bot.capitalize() if f"opponent.{bot}" in self.words else bot

    def opponent_at(self, seat: int) -> str:
        """Return the name of the opponent at a seat; in a solo game of the one who plays both boards."""
        bots = [each.bot for each in self.snapshot.seats if each.bot and (each.seat == seat or self.solo)]
        return self.opponent(bots[0]) if bots else self.player(seat)

    def strength(self, bot: str) -> str:
        """Return a phrase for an opponent's strength."""
        return self.words.text_or(f"opponent.{bot}", "opponent.program")

    # --- Tiles, sources, buttons, lists ---

    def ordinal(self, number: int | None) -> str:
        """Return an ordinal number: "1st", "2nd"."""
        return self.words.text_or(f"ordinal.{number}", "ordinal.other", number=number)

    def colour(self, letter: str) -> str:
        """Return a colour's name inside a sentence."""
        return self._colour("colour", letter)

    def colour_title(self, letter: str) -> str:
        """Return a colour's name at the beginning of a sentence."""
        return self._colour("colour_title", letter)

    def colour_plural(self, letter: str) -> str:
        """Return a colour's name as it is said of several tiles: many languages have another form."""
        return self._colour("colours", letter)

    def counted(self, count: object, letter: str) -> str:
        """Return a number of tiles of one colour: "2 blue"."""
        known = self.snapshot.palette.get(letter)
        if known is not None and f"counted.{known.name}" in self.words:
            return self.words.text(f"counted.{known.name}", count=count)
        return self.words.text("tiles.some", count=count, colour=self.colour(letter))

    def _colour(self, table: str, letter: str) -> str:
        known = self.snapshot.palette.get(letter)
        return self.words.text(f"{table}.{known.name}") if known else letter

    def tiles(self, letters: str) -> str:
        """Return tiles counted by colour: "2 blue, 1 red and the starting marker"."""
        order = dict.fromkeys([*self.snapshot.palette, *letters])
        parts = [
            self.counted(letters.count(letter), letter)
            for letter in order
            if letter != MARKER and letter in letters
        ]
        text = self.and_list(parts) if parts else self.words.text("tiles.none")
        if MARKER not in letters:
            return text
        marker = self.words.text("tiles.marker")
        return self.words.text("tiles.with_marker", tiles=self.comma_list(parts)) if parts else marker

    def comma_list(self, parts: Iterable[str]) -> str:
        """Join texts: "a, b, c"."""
        text, *rest = parts
        for part in rest:
            text = self.words.text("list.more", first=text, last=part)
        return text

    def and_list(self, parts: Iterable[str]) -> str:
        """Join texts inside a sentence: "a, b and c"."""
        *front, last = parts
        return self.words.text("list.two", first=self.comma_list(front), last=last) if front else last

    def source(self, number: object) -> str:
        """Return the name of a source (0 is the centre) inside a sentence."""
        if number == 0:
            return self.words.text("source.centre")
        return self.words.text("source.display", number=number)

    def button(self, name: str) -> str:
        """Return the title of a button: "Line 3 of Ana's board"; an unknown one's name."""
        match name.split("."):
            case ["display", number]:
                return self.words.text("button.display", number=number)
            case ["seat", seat, "line", line] if seat.isdecimal() and self.solo:
                board = self.board_name(self.role(int(seat)))
                return self.words.text("button.solo_line", line=line, board=board)
            case ["seat", seat, "floor"] if seat.isdecimal() and self.solo:
                return self.words.text("button.solo_floor", board=self.board_name(self.role(int(seat))))
            case ["seat", seat, "line", line] if seat.isdecimal():
                return self.words.text("button.line", line=line, who=self.player(int(seat)))
            case ["seat", seat, "floor"] if seat.isdecimal():
                return self.words.text("button.floor", who=self.player(int(seat)))
            case ["centre" | "ok" | "undo"]:
                return self.words.text(f"button.{name}")
            case _:
                return name

    def action(self, name: object) -> str:
        """Return the name of a card's action."""
        return self.words.text_or(f"action.{name}", "action.other")

    def refusal(self, why: str) -> str:
        """Return why a press was refused, as a sentence."""
        return self.words.text_or(f"refusal.{why}", "refusal.other")

    def steps(self) -> tuple[Step, ...]:
        """Return the steps of the score that the snapshot shows."""
        account = self.snapshot.account
        return tuple(map(known_step, account.steps)) if account is not None else ()

    def sent_by(self, line: object) -> str:
        """Return the letters of the tiles that a line (0: the floor) would send to the penalty row."""
        choice = self.snapshot.choice
        return choice.sends.get(str(line), "") if choice is not None else ""

    def column_due(self, choice: Choosing) -> str:
        """Return the tile that needs a column: "blue in row 3"."""
        return self.words.text("due.column", colour=self.colour(choice.colour), row=choice.row)

    # --- The prompt: what the table waits for ---

    @property
    def prompt(self) -> str:
        """The key of what the table waits for."""
        return str(self.snapshot.ask.get("say", ""))

    def heading(self) -> str:
        """Return the prompt in a few words; after a game its result."""
        prompt, ask = self.prompt, self.snapshot.ask
        if prompt == "game_over" and self.snapshot.result is not None:
            return self.result(self.snapshot.result)
        if self.solo and prompt in DRAFTING:
            return self.words.text(f"head.{self.role(ask.get('seat'))}_board")
        if self.solo and prompt == "choose_column":
            return self.words.text("head.choose_column_solo")
        who = self.player(ask.get("seat"), ask.get("name"))
        return self.words.text_or(f"head.{prompt}", "head.other", who=who)

    def instruction(self) -> str:
        """Return the prompt as a sentence: what to do now."""
        ask = self.snapshot.ask
        who = self.player(ask.get("seat"), ask.get("name"))
        match self.prompt:
            case "draft":
                return self._draft_instruction(who)
            case "place":
                return self._place_instruction(who)
            case "place_again":
                return self._confirm_instruction()
            case "bot_takes" | "bot_puts" as key:
                key = "bot_drops" if ask.get("line") == 0 else key
                given = {"tiles": self._in_hand(), "source": self.source(ask.get("source"))}
                return self._instruction(key, who=who, line=ask.get("line"), **given)
            case "move_for_bot" if (line := ask.get("line")) is not None:
                given = {"tiles": self._in_hand(), "source": self.source(ask.get("source"))}
                key = "ask.move_for_bot_line" if line else "ask.move_for_bot_floor"
                return self.words.text(key, who=who, line=line, **given)
            case "choose_column":
                return self._column_instruction()
            case "start_beside":
                paths = {"path": ask.get("path", ""), "new_path": ask.get("new_path", "")}
                on_pages = "_on_pages" if self._reads_of_pages else ""
                key = f"start_beside.{ask.get('why', '')}{on_pages}"
                return self.words.text_or(key, f"start_beside.unreadable{on_pages}", **paths)
            case "tell_tile" | "tell_after_lid" | "tell_penalty" | "tell_scoring_colour" as key:
                return self._report_instruction(key)
            case "learn_tiles" | "learn_action" | "choose_source" as key:
                return self._tag_instruction(key, who)
            case "scoring" | "scoring_begins" as key if self.snapshot.resin is not None:
                return self.words.text(f"ask.{key}_resin")
            case "scoring" if self.solo:
                return self._instruction("scoring_solo")
            case key:
                position = {name: ask.get(name, 0) for name in ("game", "step", "steps")}
                key = key if f"ask.{key}" in self.words else "other"
                return self._instruction(key, who=who, asker=self._asker(), **position)

    def _asker(self) -> str:
        """Return the player whose phone asks a question; of a phone without a seat, somebody."""
        ask = self.snapshot.ask
        if ask.get("by") is None:
            return self.words.text("player.somebody")
        return self.player(ask["by"], ask.get("by_name"))

    def watched(self) -> str:
        """Return what happens, for a reader who has nothing to do; empty where the prompt says it."""
        key, ask = f"watch.{self.prompt}", self.snapshot.ask
        if key not in self.words:
            return ""
        who = self.player(ask.get("seat"), ask.get("name"))
        tiles = self._in_hand() if ask.get("colour") else ""
        return self.words.text(key, who=who, tiles=tiles)

    @property
    def _reads_of_pages(self) -> bool:
        """Whether instructions speak of the pages' controls: the reader's, or those that the seats lack."""
        return self.on_page or self.snapshot.phones.seats

    def _instruction(self, key: str, **given: object) -> str:
        """Return an instruction; without buttons at the seats, the one that refers to the pages."""
        on_pages = f"ask.{key}_on_pages"
        by_pages = self._reads_of_pages and on_pages in self.words
        return self.words.text(on_pages if by_pages else f"ask.{key}", **given)

    def _tag_instruction(self, key: str, who: str) -> str:
        ask = self.snapshot.ask
        letter = str(ask.get("colour", ""))
        colour = self.colour_title(letter) if key == "learn_tiles" else self.colour_plural(letter)
        given = {"action": self.action(ask.get("action", "")), "count": ask.get("count", "")}
        return self.words.text(f"ask.{key}", who=who, colour=colour, **given)

    def _draft_instruction(self, who: str) -> str:
        snapshot = self.snapshot
        if self.solo:
            number = next((name[8:] for name in snapshot.live if name.startswith("display.")), "")
            return self._instruction(f"draft_{self.role(snapshot.ask.get('seat'))}", number=number)
        if not snapshot.centre:
            return self.words.text("ask.draft", who=who)
        key = "ask.draft_or_centre" if any(snapshot.displays) else "ask.draft_centre"
        return self.words.text(key, who=who)

    def _in_hand(self) -> str:
        """Return the tiles that are to be placed: "2 blue"."""
        ask = self.snapshot.ask
        return self.counted(ask.get("count", ""), str(ask.get("colour", "")))

    def _place_instruction(self, who: str) -> str:
        choice = self.snapshot.choice
        role = f"_{self.role(self.snapshot.ask.get('seat'))}" if self.solo else ""
        floor = "_floor" if choice is not None and choice.lines == (0,) else ""
        return self._instruction(f"place{role}{floor}", who=who, tiles=self._in_hand())

    def _confirm_instruction(self) -> str:
        """Return what the tried line of a solo game sends to the penalty row: press it again to confirm."""
        line = self.snapshot.ask.get("line")
        key = "ask.place_again" if line else "ask.drop_again"
        key = f"{key}_loses" if self.snapshot.ask.get("loses") else key
        return self.words.text(key, tiles=self._in_hand(), line=line, sent=self.tiles(self.sent_by(line)))

    def _column_instruction(self) -> str:
        """Return who still has to choose a column: several seats may choose at once."""
        due = {choice.seat: self.column_due(choice) for choice in self.snapshot.choosing}
        if not due:
            return self.words.text("ask.choose_column")
        if self.solo:
            return self._instruction("choose_column_solo", due=self.and_list(due.values()))
        waiting = [self.words.text("due.of", who=self.player(seat), due=text) for seat, text in due.items()]
        return self._instruction("choose_column_waiting", waiting=self.comma_list(waiting))

    def _report_instruction(self, key: str) -> str:
        """Return where the next physical tile goes; in a round, a penalty tile is drawn by action line 1."""
        ask = self.snapshot.ask
        by_line = key == "tell_penalty" and not any(self.snapshot.displays)
        given = {name: ask.get(name, "") for name in ("display", "at", "bag")}
        return self.words.text("ask.tell_draw" if by_line else f"ask.{key}", **given)

    # --- Moves and results ---

    def move(self, move: Move) -> str:
        """Return a draft as a sentence."""
        who = self.board_name(self.role(move.seat)) if self.solo else self.player(move.seat, move.name)
        return self._draft("moves", move, who=who)

    def choice(self, choice: Move) -> str:
        """Return a choice as a phrase that does not name who makes it; of an unknown kind its notation."""
        words = self.words
        match choice.kind:
            case "draft":
                return self._draft("choice", choice, board=self.board_name(self.role(choice.seat)))
            case "column":
                colour = self.colour(choice.colour)
                return words.text("choice.column", colour=colour, row=choice.row, column=choice.column)
            case "square":
                return words.text("choice.square", row=choice.row, column=choice.column)
            case "swap" if choice.position is not None:
                first, second = self.ordinal(choice.position), self.ordinal(choice.position + 1)
                return words.text("choice.swap", first=first, second=second)
            case "remove" if choice.position is not None:
                return words.text("choice.remove", position=self.ordinal(choice.position))
            case "remove":
                return words.text("choice.leave")
            case _:
                return choice.token

    def _draft(self, table: str, draft: Move, **given: object) -> str:
        """Return a draft in the words of a table of the catalogue."""
        tiles = self.counted(draft.count, draft.colour)
        if draft.marker:
            tiles = self.words.text("tiles.with_marker", tiles=tiles)
        kind = "floor" if draft.line == 0 else "line_fell" if draft.fell else "line"
        key = f"{table}.solo_{kind}" if self.solo else f"{table}.{kind}"
        source = self.source(draft.source)
        return self.words.text(key, tiles=tiles, source=source, line=draft.line, fell=draft.fell, **given)

    def result(self, result: Result) -> str:
        """Return the end of a game as a sentence."""
        if result.victory and result.rule is not None:
            key = f"result.lost_{result.rule.lower()}"
            return self.words.text_or(key, "result.over", points=result.score)
        if result.victory:
            victory = self.words.text_or(f"victory.{result.victory}", "result.over")
            return self.words.text("result.victory", victory=victory, points=result.score)
        winners = [score for score in result.scores if score.winner]
        if not winners:
            return self.words.text("result.over")
        who = self.and_list([self.player(score.seat, score.name) for score in winners])
        kind = "shared" if len(winners) > 1 else "wins_rows" if result.tie == "rows" else "wins"
        return self.words.text(f"result.{kind}", who=who, points=winners[0].score)


# --- Notes: stand-ins, reasons and hints -----------------------------------------------------------------


OF_SEVERAL_TILES = ("swaps_alike",)
"""Reasons that name the colour of several tiles."""


def notes(formatter: SnapshotFormatter) -> tuple[str, ...]:
    """Return the notes under the prompt: stand-ins, the reason of an opponent's choice, and hints."""
    snapshot, text, player = formatter.snapshot, formatter.words.text, formatter.player
    lines = list(_stand_ins(formatter))
    reason = snapshot.reason
    if reason is not None and reason.showing:
        lines.append(reasons(formatter, reason))
    lines += [text("hint.asked", who=player(seat)) for seat in snapshot.hint.asked]
    lines += [_advice(formatter, each) for each in snapshot.hint.shown]
    lines += [
        formatter.words.text_or(f"hint.{each.why}", "hint.silent", who=player(each.seat))
        for each in snapshot.hint.missed
    ]
    return tuple(filter(None, lines))


def _stand_ins(formatter: SnapshotFormatter) -> Iterator[str]:
    """Yield why another opponent chooses for the one of a seat."""
    for seat in formatter.snapshot.seats:
        if (found := seat.stand_in) is not None:
            who, by = formatter.player(seat.seat, seat.name), formatter.opponent(found.by)
            given = {"who": who, "by": by, "detail": found.detail}
            yield formatter.words.text_or(f"stand_in.{found.why}", "stand_in.other", **given)


def reasons(formatter: SnapshotFormatter, choice: Move | Reason) -> str:
    """Return why an opponent chose something, as a sentence; empty without a reason."""
    parts = [_reason(formatter, each) for each in choice.because]
    if not parts:
        return ""
    seat, solo = choice.seat, formatter.solo
    who = formatter.opponent_at(seat) if solo else formatter.player(seat, choice.name)
    return formatter.words.text("reason.said", who=who, why=formatter.and_list(parts))


def _reason(formatter: SnapshotFormatter, each: Because) -> str:
    colour = formatter.colour_plural if each.key in OF_SEVERAL_TILES else formatter.colour
    given = {
        **{name: getattr(each, name) for name in ("line", "row", "column", "count", "points")},
        "who": formatter.player(each.seat, each.name) if each.seat else "",
        "colour": colour(each.colour) if each.colour else "",
        "position": formatter.ordinal(each.position),
    }
    return formatter.words.text_or(f"reason.{each.key}", "reason.other", **given)


def _advice(formatter: SnapshotFormatter, advice: Advice) -> str:
    """Return a hint, with the points that it gains against the next best choice."""
    words = formatter.words
    given = {"who": formatter.player(advice.seat), "choice": formatter.choice(advice.choice)}
    if advice.next is None or advice.gain is None:
        return words.text("hint.only", **given)
    given["next"] = formatter.choice(advice.next)
    if advice.gain < 0.1:
        return words.text("hint.as_good", **given)
    return words.text("hint.better", points=words.number(advice.gain, 1), **given)


# --- Score steps -----------------------------------------------------------------------------------------

WITHOUT_POINTS = (
    *("action_tile_placed", "penalty_drawn", "penalty_swapped", "fifth_tile_due", "penalty_removed"),
    *("penalty_kept", "floor_cleared", "fell"),
)
"""Steps that never change a score."""

AT_THE_END = ("bonus", "penalty_row_counted", "clear_board_award")
"""Steps at the end of a game."""


def step_sentence(formatter: SnapshotFormatter, step: Step) -> str:
    """Return a score step as a sentence; of an unknown kind its points."""
    match step.step:
        case "placed":
            return _placed(formatter, step)
        case "floor" | "penalty_charged":
            return _charged(formatter, step)
        case "fell":
            count = step.count or step.line  # a full line holds as many tiles as its number
            colour = formatter.colour_title(step.colour)
            return formatter.words.text("step.fell", row=step.line, colour=colour, count=count)
        case "bonus" if step.kind in ("row", "column", "colour"):
            which = formatter.colour_plural(str(step.which)) if step.kind == "colour" else step.which
            return formatter.words.text(f"step.{step.kind}", which=which, points=step.points)
        case _:
            return _solo_step(formatter, step)


def _placed(formatter: SnapshotFormatter, step: Step) -> str:
    across = "across" if step.across > 1 else ""
    down = "down" if step.down > 1 else ""
    kind = "both" if across and down else across or down or "alone"
    given = {"across": step.across, "down": step.down, "points": step.points}
    colour = formatter.colour_title(step.colour)
    return formatter.words.text(f"step.placed_{kind}", colour=colour, row=step.row, **given)


def _charged(formatter: SnapshotFormatter, step: Step) -> str:
    """Return what a floor, or the solo game's penalty row, costs."""
    lost = -step.points
    part = "floor" if step.step == "floor" else "penalty_row"
    who = formatter.player(step.seat, step.name)
    if not step.cost:
        return formatter.words.text(f"step.{part}_empty", who=who)
    key = f"step.{part}_capped" if lost < step.cost else f"step.{part}"
    return formatter.words.text(key, who=who, cost=step.cost, points=lost)


def _solo_step(formatter: SnapshotFormatter, step: Step) -> str:
    """Return a step that only a solo game has."""
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
            return text(
                "step.swapped", first=ordinal(step.position), second=ordinal((step.position or 0) + 1)
            )
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
            return text("step.other", who=formatter.player(step.seat, step.name), points=step.points)


# --- Faults: what is lost, how to play on, how to repair it ----------------------------------------------

HEALTH = {"power": "voltage", "heat": "hot"}
"""Parts that stand for the table's computer, and the reason of a real complaint; any other: no reading."""


def faults(formatter: SnapshotFormatter) -> tuple[str, ...]:
    """Return the lost parts as sentences, oldest first; buttons lost for the same reason are joined."""
    found: list[str] = []
    buttons: dict[str, list[str]] = {}
    for fault in formatter.snapshot.faults:
        kind, _, name = fault.part.partition(".")
        if kind == "button" and name:
            buttons.setdefault(fault.why, []).append(formatter.button(name))
        else:
            found.append(_fault(formatter, fault, kind, name))
    return (*found, *(_button_fault(formatter, why, names) for why, names in buttons.items()))


def _button_fault(formatter: SnapshotFormatter, why: str, names: list[str]) -> str:
    lost = formatter.words.text("lost.button", count=len(names), buttons=formatter.comma_list(names))
    instead = formatter.words.text("instead.button")
    return f"{lost} {instead} {_repair(formatter, 'button', why)}"


def _fault(formatter: SnapshotFormatter, fault: Fault, kind: str, name: str) -> str:
    words = formatter.words
    if kind in HEALTH and fault.why != HEALTH[kind]:
        kind = "watch"
    reader, use = "", kind
    if kind == "reader":
        place, _, number = name.partition(".")
        reader = words.text_or(f"reader.{place}", "reader.other", number=number, name=name)
        use = f"reader_{_reader_use(formatter, name)}"
    what = "lights_at" if kind == "lights" and name else kind
    lost = words.text_or(f"lost.{what}", "lost.other", reader=reader, part=fault.part, name=name)
    instead = words.text_or(f"instead.{use}", "instead.other")
    return f"{lost} {instead} {_repair(formatter, kind, fault.why)}"


def _repair(formatter: SnapshotFormatter, kind: str, why: str) -> str:
    """Return how to repair a kind of part; without an advice of its own, the general one for the reason."""
    special = f"mend.{kind}_{why}"
    words = formatter.words
    return words.text(special) if special in words else words.text_or(f"mend.{why}", "mend.failed")


def _reader_use(formatter: SnapshotFormatter, name: str) -> str:
    """Return what a reader is for: sitting down, reporting physical tiles, or taking tiles."""
    if name.startswith("seat."):
        return "seat"
    return "tell" if formatter.snapshot.resin is not None else "take"
