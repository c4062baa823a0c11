"""Around a game: the lobby, the questions of the table, and what a first game explains.

The lobby shows the seats round the table, the modes and the options.
What the viewer may not do is not offered.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from web_ui.messages import Lobby, Seat, Snapshot
from web_ui.text.sentences import SnapshotFormatter
from web_ui.views.phone import BEFORE_THE_GAME, PHONE, PLAY, TABLE, WALL, Viewer

SOLO = "solo"

OPPONENTS = ("calm", "greedy", "strong", "master")
"""The built-in opponents, from the weakest to the strongest; all others are programs."""

SIDES = {1: "s", 2: "sn", 3: "swe", 4: "swne"}
"""For each number of seats the sides of the table where they are drawn, clockwise from the bottom."""

# --- What a viewer may do --------------------------------------------------------------------------------


class Rights(Struct, frozen=True):
    """What a viewer may do before a game: change these seats, and the options, and begin."""

    seats: tuple[int, ...]
    table: bool


def rights(snapshot: Snapshot, viewer: Viewer) -> Rights:
    """Return what a viewer may do before a game: at the table everything, a phone what the table allows."""
    places = tuple(seat.seat for seat in snapshot.seats)
    if viewer.at_table and viewer.page != WALL:
        return Rights(places, table=True)
    if viewer.page not in (PHONE, PLAY):
        return Rights((), table=False)
    others = [seat.seat for seat in snapshot.seats if seat.claimed and seat.seat != viewer.seat]
    allowed = [place for place in places if f"seat.{place}.floor" in snapshot.phones.press]
    mine = tuple(place for place in allowed if place not in others)
    return Rights(mine, table=tuple(allowed) == places and _has_a_say(snapshot, viewer))


def _has_a_say(snapshot: Snapshot, viewer: Viewer) -> bool:
    """Return whether a phone may do what concerns everybody: with a seat, or while a player has no phone."""
    if any(seat.claimed and seat.seat == viewer.seat for seat in snapshot.seats):
        return True
    people = [seat for seat in snapshot.seats if seat.taken and not seat.bot]
    return not people or any(not seat.claimed for seat in people)


# --- Opponents -------------------------------------------------------------------------------------------


class OpponentView(Struct, frozen=True):
    """An opponent to play against: its name, how it plays, and its strength from 1 to 4 (0: a program)."""

    bot: str
    name: str
    says: str
    strength: int


def opponents(formatter: SnapshotFormatter, lobby: Lobby) -> tuple[OpponentView, ...]:
    """Return the opponents, from the weakest to the strongest, and then the programs of the settings."""
    return tuple(
        OpponentView(
            bot,
            formatter.opponent(bot),
            formatter.words.text_or(f"opponent_says.{bot}", "opponent_says.program"),
            OPPONENTS.index(bot) + 1 if bot in OPPONENTS else 0,
        )
        for bot in lobby.opponents
    )


# --- Seats -----------------------------------------------------------------------------------------------


class SpotView(Struct, frozen=True):
    """A seat at the drawn table; `side` is where it is drawn: s, w, n or e.

    `kind` is `free`, `person` or `bot`; `what` says how strong an opponent is. `typed` is the name in the
    field, `spoken` the label for screen readers. `open`: the viewer may change it.
    """

    seat: int
    side: str
    label: str
    kind: str
    name: str
    initial: str
    what: str
    typed: str
    spoken: str
    bot: str
    strength: int
    mine: bool
    open: bool


def spots(formatter: SnapshotFormatter, viewer: Viewer, may: Rights) -> tuple[SpotView, ...]:
    """Return the seats clockwise; the viewer's own is drawn at the bottom."""
    seats = formatter.snapshot.seats
    own = next((at for at, seat in enumerate(seats) if seat.seat == viewer.seat), 0)
    sides = SIDES.get(len(seats), SIDES[4])
    return tuple(
        _spot(formatter, seat, sides[(at - own) % len(sides)], viewer, may) for at, seat in enumerate(seats)
    )


def _spot(formatter: SnapshotFormatter, seat: Seat, side: str, viewer: Viewer, may: Rights) -> SpotView:
    text = formatter.words.text
    label = text("player.seat", seat=seat.seat)
    kind = "free" if not seat.taken else "bot" if seat.bot else "person"
    name = formatter.player(seat.seat, seat.name) if seat.taken else text("player.free")
    unnamed = seat.taken and not seat.name
    may_change = seat.seat in may.seats
    mine = seat.taken and viewer.seat == seat.seat
    where = text("list.more", first=text("lobby.you"), last=label) if mine else label
    spoken = text(f"lobby.spoken_{kind}" if may_change else "lobby.spoken_only", seat=where, name=name)
    return SpotView(
        seat=seat.seat,
        side=side,
        label=label,
        kind=kind,
        name=name,
        initial=str(seat.seat) if kind == "free" or unnamed else name[:1].upper(),
        what=formatter.strength(seat.bot) if seat.taken and seat.bot else "",
        typed=(seat.name or "") if not seat.bot else "",
        spoken=spoken,
        bot=(seat.bot or "") if seat.taken else "",
        strength=OPPONENTS.index(seat.bot) + 1 if seat.taken and seat.bot in OPPONENTS else 0,
        mine=mine,
        open=may_change,
    )


# --- Modes and options -----------------------------------------------------------------------------------


class ModeView(Struct, frozen=True):
    """A mode with a line about it.

    `opens` is the sheet that a tap opens instead of choosing the mode: `solo`, or `opponents` while there are
    too few players. `legal`: the players can play it, perhaps after that sheet; if not, `why` says why.
    """

    mode: str
    name: str
    line: str
    chosen: bool
    legal: bool
    opens: str = ""
    why: str = ""


class OptionView(Struct, frozen=True):
    """A value to choose from, such as a level of the solo game."""

    value: str
    name: str
    chosen: bool


def modes(formatter: SnapshotFormatter, lobby: Lobby, *, may_add: bool) -> tuple[ModeView, ...]:
    """Return all modes; `may_add`: the viewer may add an opponent where another player is missing."""
    return tuple(_mode(formatter, lobby, mode, may_add=may_add) for mode in lobby.all_modes)


def _mode(formatter: SnapshotFormatter, lobby: Lobby, mode: str, *, may_add: bool) -> ModeView:
    text = formatter.words.text
    players = sum(seat.taken for seat in formatter.snapshot.seats)
    opens, legal = "", mode in lobby.modes
    if mode == SOLO and (legal or players == 0):
        opens, legal = "solo", True
    elif not legal and players < 2 and may_add:
        opens, legal = "opponents", True
    why = "" if legal else text("lobby.for_one" if mode == SOLO else "lobby.other_number")
    chosen = mode in lobby.modes and mode == _chosen_mode(lobby)
    return ModeView(mode, text(f"lobby.name_{mode}"), text(f"lobby.mode_{mode}"), chosen, legal, opens, why)


def _chosen_mode(lobby: Lobby) -> str:
    """Return the mode that would be played: the chosen one, if the seats taken can play it."""
    chosen = lobby.options.mode
    return chosen if chosen in lobby.modes else next(iter(lobby.modes), "")


def _options(
    formatter: SnapshotFormatter, group: str, values: tuple[str, ...], chosen: str
) -> Iterator[OptionView]:
    for value in values:
        yield OptionView(value, formatter.words.text(f"menu.{group}.{value}"), value == chosen)


# --- The lobby -------------------------------------------------------------------------------------------


class LobbyView(Struct, frozen=True):
    """The lobby before a game.

    `me` is the seat that a quick game gives to the viewer, `rival` the one of the opponent (0: there is no
    quick game). `start` is what the button in the middle of the table does: `start`, `solo`, or nothing.
    """

    spots: tuple[SpotView, ...]
    modes: tuple[ModeView, ...]
    levels: tuple[OptionView, ...]
    walls: tuple[OptionView, ...]
    opponents: tuple[OpponentView, ...]
    starters: tuple[tuple[int, str], ...]
    hints: bool
    explaining: bool
    start: str
    wait: str
    me: int
    seated: bool
    rival: int
    may_table: bool
    on_phone: bool
    has_seat: bool
    last: str = ""


def lobby(formatter: SnapshotFormatter, viewer: Viewer) -> LobbyView | None:
    """Return the lobby; None during a game."""
    snapshot = formatter.snapshot
    found = snapshot.lobby
    if found is None or snapshot.stage not in BEFORE_THE_GAME:
        return None
    may = rights(snapshot, viewer)
    me, rival = _quick_seats(snapshot, viewer, may)
    taken = [seat for seat in snapshot.seats if seat.taken]
    alone = len(taken) == 1
    return LobbyView(
        spots=spots(formatter, viewer, may),
        modes=modes(formatter, found, may_add=bool(rival)),
        levels=tuple(_options(formatter, "level", found.levels, found.options.level)),
        walls=tuple(_options(formatter, "wall", found.walls, found.options.wall)),
        opponents=opponents(formatter, found),
        starters=()
        if alone
        else tuple((seat.seat, formatter.player(seat.seat, seat.name)) for seat in taken),
        hints=found.options.hints,
        explaining=snapshot.explaining,
        start="" if not (found.ready and may.table) else "solo" if alone else "start",
        wait=_what_to_do(formatter, found, may),
        me=me,
        seated=any(seat.seat == me and seat.taken for seat in snapshot.seats),
        rival=rival,
        may_table=may.table,
        on_phone=viewer.page == PHONE,
        has_seat=any(seat.seat == viewer.seat and seat.taken for seat in snapshot.seats),
        last=formatter.result(snapshot.result) if snapshot.result is not None else "",
    )


def _quick_seats(snapshot: Snapshot, viewer: Viewer, may: Rights) -> tuple[int, int]:
    """Return the seats of a quick game against an opponent: the person's, and the one opposite; 0 for none.

    There is one as long as at most one person sits, and no opponent.
    """
    taken = [seat for seat in snapshot.seats if seat.taken]
    if len(taken) > 1 or any(seat.bot for seat in taken) or not may.table:
        return 0, 0
    places = [seat.seat for seat in snapshot.seats]
    free = [place for place in places if place in may.seats and place not in [seat.seat for seat in taken]]
    me = taken[0].seat if taken else viewer.seat if viewer.seat in free else next(iter(free), 0)
    half = len(places) // 2
    opposite = (
        [places[(places.index(me) + half + at) % len(places)] for at in range(len(places))] if me else []
    )
    rival = next((place for place in opposite if place in free and place != me), 0)
    return (me, rival) if rival else (0, 0)


def _what_to_do(formatter: SnapshotFormatter, lobby: Lobby, may: Rights) -> str:
    """Return what stands in the middle of the table while nobody can begin."""
    if lobby.ready:
        return formatter.words.text("lobby.soon")
    if lobby.why == "too_few_seats" or lobby.why is None:
        return formatter.words.text("lobby.sit" if may.seats else "lobby.waiting")
    return formatter.refusal(lobby.why)


# --- Questions -------------------------------------------------------------------------------------------

QUESTIONS = ("your_board", "stop_game", "start_beside", "undo_asked")
"""The prompts that are asked as a dialog."""

ONE_ANSWER = ("start_beside",)
"""Questions whose only button is `ok`."""


class QuestionView(Struct, frozen=True):
    """A question of the table: its texts, and the answers that the viewer may give (button and text).

    Without answers it is a note. `main` is the answer that most people give; `grave`: the other one can't be
    taken back. `escape` is the button that the Escape key presses.
    """

    key: str
    title: str
    says: str
    answers: tuple[tuple[str, str], ...]
    escape: str = ""
    main: str = "ok"
    grave: bool = False


def question(formatter: SnapshotFormatter, viewer: Viewer) -> QuestionView | None:
    """Return the question that the table asks; None while it asks none."""
    snapshot, key, words = formatter.snapshot, formatter.prompt, formatter.words
    if key not in QUESTIONS:
        return None
    ask = snapshot.ask
    given = {
        "who": formatter.player(ask.get("seat"), ask.get("name")),
        "by": formatter.player(ask.get("by"), ask.get("by_name")),
    }
    says = words.text(f"question.{key}", **given) if key not in ONE_ANSWER else _about_the_file(formatter)
    answers: tuple[tuple[str, str], ...] = ()
    if _may_answer(snapshot, viewer, key):
        buttons = ("ok",) if key in ONE_ANSWER else ("ok", "undo")
        answers = tuple((button, words.text(f"question.{key}_{button}")) for button in buttons)
    escape = "undo" if key in ("stop_game", "undo_asked") and answers else ""
    stopping = key == "stop_game"
    return QuestionView(
        key=key,
        title=words.text_or(f"head.{key}", "head.other", **given),
        says=says,
        answers=answers,
        escape=escape,
        main="undo" if stopping else "ok",
        grave=stopping,
    )


def _about_the_file(formatter: SnapshotFormatter) -> str:
    return SnapshotFormatter(formatter.words, formatter.snapshot, on_page=True).instruction()


def _may_answer(snapshot: Snapshot, viewer: Viewer, key: str) -> bool:
    """Return whether the viewer may answer; an undo only the player whose choice it takes back."""
    if viewer.at_table:
        return True
    if viewer.page == TABLE:
        return False
    if key == "undo_asked" and viewer.seat != snapshot.ask.get("seat"):
        return False
    return "ok" in snapshot.phones.press and _has_a_say(snapshot, viewer)


# --- A first game ----------------------------------------------------------------------------------------


class LessonView(Struct, frozen=True):
    """What a first game explains now; `over` says what the card may cover: `boards` or `offer`.

    `who` is the player whose turn explains it, on the phones of others, which close it for themselves only.
    """

    key: str
    says: str
    over: str
    may_close: bool
    who: str = ""


ABOUT_BOARDS = (
    *("place", "stuck", "column", "round", "row", "full", "begun", "bonus", "scoring", "floor"),
    *("solo_square", "solo_place", "solo_penalties", "solo_swap", "solo_remove", "solo_scoring"),
)
"""Steps whose explanation must not cover the boards."""


def lesson_step(formatter: SnapshotFormatter, viewer: Viewer) -> LessonView | None:
    """Return the step of a first game that is explained now; None while none is."""
    step = formatter.snapshot.lesson_step
    if step is None or f"first_game.{step.key}" not in formatter.words:
        return None
    colour = formatter.colour(step.colour) if step.colour else ""
    says = formatter.words.text(f"first_game.{step.key}", line=step.line, colour=colour, count=step.count)
    may_close = rights(formatter.snapshot, viewer).table
    theirs = bool(viewer.seat and step.seat) and viewer.seat != step.seat and not formatter.solo
    return LessonView(
        step.key,
        says,
        "offer" if step.key in ABOUT_BOARDS else "boards",
        may_close=may_close and not theirs,
        who=formatter.player(step.seat) if theirs else "",
    )
