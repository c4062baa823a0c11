"""What each part of the phone page shows, as plain values; two equal values look the same."""

from __future__ import annotations

from dataclasses import dataclass, replace

from werkzeug.wrappers import Request

from web_ui.latest import Presence, View
from web_ui.messages import Colour, Result, Seat, Snapshot, Step
from web_ui.security import Access, access_level
from web_ui.text import sentences
from web_ui.text.rulebook import MODES
from web_ui.text.sentences import (
    ACTION,
    AT_THE_END,
    DRAFTING,
    WITHOUT_POINTS,
    SnapshotFormatter,
    step_sentence,
)
from web_ui.text.words import Words
from web_ui.views.boards import WITHOUT_BOARDS

SEATS = 4
"""The most seats that a table has."""

DISPLAY_TILES = 4
"""Tiles of a display; in the solo game it may be told to take a fifth."""

BEFORE_THE_GAME = ("seating", "choosing")

LEVELS = ((100, "artisan"), (90, "master"), (80, "journeyman"), (70, "apprentice"), (60, "general_interest"))
"""The least points of each victory in the solo game."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """Whose turn it is and what to do; away says that the table can't be seen."""

    head: str
    ask: str
    round: str = ""
    refusal: str = ""
    notes: tuple[str, ...] = ()
    away: bool = False


@dataclass(frozen=True, slots=True)
class SourceView:
    """A display or the centre (number 0) with its tiles; chosen is the letter of the tiles in hand.

    Free: while tiles of resin are told, the spaces after them, each true where the next tile goes. Due: the
    solo game works this display now.
    """

    number: int
    label: str
    spoken: str
    tiles: str
    chosen: str = ""
    free: tuple[bool, ...] = ()
    due: bool = False


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat before the game."""

    seat: int
    label: str
    name: str
    taken: bool


@dataclass(frozen=True, slots=True)
class MoveView:
    """A move in words, with its notation."""

    text: str
    token: str
    colour: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class StepView:
    """A step of a score: what happened and the points as they are written, with their sign."""

    text: str
    points: str


@dataclass(frozen=True, slots=True)
class PlayerAccount:
    """All steps of one player's score, and the score after them."""

    total: str
    steps: tuple[StepView, ...]


@dataclass(frozen=True, slots=True)
class AccountView:
    """How the scores of a round came about; a solo game's as one list, in the order of its steps."""

    title: str
    running: bool
    players: tuple[PlayerAccount, ...]


@dataclass(frozen=True, slots=True)
class ResultView:
    """The end of a game: players from the best on, with score, complete rows, and whether they won."""

    players: tuple[tuple[str, int, int, bool], ...]
    tie: str = ""
    title: str = ""
    look_back: str = ""


@dataclass(frozen=True, slots=True)
class SoloResultView:
    """The end of a solo game: what ended it, the rule that made it a loss, and what scores are worth.

    Levels are the least points, the name, and whether it was reached, from the highest on.
    """

    ending: str
    rule: str
    levels: tuple[tuple[str, str, bool], ...]
    title: str = ""
    look_back: str = ""


@dataclass(frozen=True, slots=True)
class CountView:
    """The tiles that the bag or the lid must hold: a sentence, and the number of each colour."""

    title: str
    tiles: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class TileView:
    """A tile's symbol: its letter, its colour and the ink of its ornament."""

    letter: str
    name: str
    rgb: str
    ink: str


def turn(view: View, words: Words, seat: int = 0) -> TurnView:
    """Whose turn it is, or why the table can't be seen; to the one at `seat` their own turn is theirs."""
    snapshot = view.snapshot
    if view.presence is not Presence.HERE or snapshot is None:
        presence = view.presence if view.presence is not Presence.HERE else Presence.AWAY
        head = words.text(f"presence_head.{presence}")
        return TurnView(head=head, ask=words.text(f"presence.{presence}"), away=True)
    formatter = SnapshotFormatter(words, snapshot)
    return TurnView(
        head=words.text("head.yours") if _is_turn_of(formatter, seat) else formatter.head(),
        ask=formatter.ask(),
        round=_occasion(formatter),
        refusal=formatter.refusal(snapshot.refusal.say) if snapshot.refusal else "",
        notes=sentences.notes(formatter),
    )


def _is_turn_of(formatter: SnapshotFormatter, seat: int) -> bool:
    ask = formatter.snapshot.ask
    return not formatter.solo and ask.get("say") in DRAFTING and ask.get("seat") == seat


def _occasion(formatter: SnapshotFormatter) -> str:
    """What is played: the mode, if it is not the standard, what else was chosen, and the round."""
    words, snapshot = formatter.words, formatter.snapshot
    parts = [] if snapshot.mode in (None, "standard") else [words.text(f"menu.mode.{snapshot.mode}")]
    if snapshot.stage == "choosing":
        chosen = [item for item in snapshot.menu if item.chosen and item.value != snapshot.mode]
        parts += [words.text(f"menu.{item.group}.{item.value}") for item in chosen]
    if snapshot.round:
        parts.append(words.text("round.number", round=snapshot.round))
    return " \N{MIDDLE DOT} ".join(parts)


def offer(formatter: SnapshotFormatter) -> tuple[SourceView, ...]:
    """The displays and the centre; nothing when there is no game or the offer has ended."""
    snapshot = formatter.snapshot
    telling = snapshot.stage == "telling" and snapshot.ask.get("say") != "tell_penalty"
    if telling and not any(snapshot.displays):
        return tuple(_told(formatter, number) for number in range(1, len(snapshot.displays) + 1))
    centre = snapshot.centre + ("m" if snapshot.marker_in_centre else "")
    if snapshot.result is not None or not (any(snapshot.displays) or snapshot.centre):
        return ()
    displays = [source(formatter, number, tiles) for number, tiles in enumerate(snapshot.displays, 1)]
    if not formatter.solo:
        return (*displays, source(formatter, 0, centre))
    return tuple(replace(view, due=f"display.{view.number}" in snapshot.live) for view in displays)


def _told(formatter: SnapshotFormatter, number: int) -> SourceView:
    """A display while its tiles of resin are told: those that lie there, and the space of the next one."""
    words, ask, resin = formatter.words, formatter.snapshot.ask, formatter.snapshot.resin
    told = resin.told if resin is not None else ()
    tiles = "".join(tile.colour for tile in told if tile.display == number)
    label = words.text("offer.display", number=number)
    held = formatter.tiles(tiles) if tiles else words.text("offer.empty")
    due = ask.get("display") == number
    spoken = words.text("offer.next" if due else "offer.holds", source=label, tiles=held)
    free = max(DISPLAY_TILES - len(tiles), int(due))
    return SourceView(number, label, spoken, tiles, free=tuple(due and not at for at in range(free)))


def source(formatter: SnapshotFormatter, number: int, tiles: str) -> SourceView:
    """A display or the centre (number 0) with its tiles."""
    words, choice = formatter.words, formatter.snapshot.choice
    label = words.text("offer.display", number=number) if number else words.text("offer.centre")
    held = formatter.tiles(tiles) if tiles else words.text("offer.empty")
    tiles = _in_order(tiles, formatter.snapshot)
    if choice is not None and choice.source == number:
        chosen = formatter.colour(choice.colour)
        spoken = words.text("offer.chosen", source=label, tiles=held, chosen=chosen)
        return SourceView(number, label, spoken, tiles, choice.colour)
    return SourceView(number, label, words.text("offer.holds", source=label, tiles=held), tiles)


def _in_order(tiles: str, snapshot: Snapshot) -> str:
    """Tiles sorted in the order of the palette, the marker last."""
    order = {letter: place for place, letter in enumerate(snapshot.palette)}
    return "".join(sorted(tiles, key=lambda letter: (order.get(letter, len(order)), letter)))


def seats(formatter: SnapshotFormatter) -> tuple[SeatView, ...]:
    """The seats before a game; nothing later."""
    words, snapshot = formatter.words, formatter.snapshot
    if snapshot.stage not in BEFORE_THE_GAME:
        return ()
    return tuple(
        SeatView(
            seat=seat.seat,
            label=words.text("player.seat", seat=seat.seat),
            name=_sitter(formatter, seat) if seat.taken else words.text("player.free"),
            taken=seat.taken,
        )
        for seat in snapshot.seats
    )


def _sitter(formatter: SnapshotFormatter, seat: Seat) -> str:
    who = formatter.who(seat.seat, seat.name)
    if not seat.bot:
        return who
    return formatter.words.text("player.opponent", who=who, what=formatter.strength(seat.bot))


def moves(formatter: SnapshotFormatter) -> tuple[MoveView, ...]:
    """The last moves, the newest first."""
    return tuple(
        MoveView(formatter.move(move), move.token, move.colour, sentences.why_moved(formatter, move))
        for move in reversed(formatter.snapshot.moves)
    )


def recent(formatter: SnapshotFormatter) -> MoveView | None:
    """What happened last: a step of the scoring while that runs, else a move; None when there is nothing."""
    told, steps = formatter.snapshot.account, formatter.steps()
    if told is not None and told.running and steps:
        return MoveView(step_sentence(formatter, steps[-1]), "", steps[-1].colour)
    return next(iter(moves(formatter)), None)


def account(formatter: SnapshotFormatter) -> AccountView | None:
    """How the scores came about, player by player; None before the first scoring."""
    told = formatter.snapshot.account
    if told is None or not (told.steps or told.running):
        return None
    steps = formatter.steps()
    final = any(step.step in AT_THE_END for step in steps)
    last = "final_solo" if formatter.solo else "final"
    title = formatter.words.text(f"account.{last}" if final else "account.round", round=told.round)
    if formatter.solo:
        return AccountView(title=title, running=told.running, players=(_solo_account(formatter, steps),))
    seats = dict.fromkeys(step.seat for step in steps)
    players = tuple(_player_account(formatter, steps, seat) for seat in seats)
    return AccountView(title=title, running=told.running, players=players)


def _player_account(formatter: SnapshotFormatter, all_steps: tuple[Step, ...], seat: int) -> PlayerAccount:
    steps = [step for step in all_steps if step.seat == seat]
    who = formatter.who(seat, steps[-1].name)
    return PlayerAccount(
        total=formatter.words.text("account.total", who=who, score=steps[-1].score),
        steps=tuple(_step(formatter, step) for step in steps),
    )


def _solo_account(formatter: SnapshotFormatter, steps: tuple[Step, ...]) -> PlayerAccount:
    scores = [step.score for step in steps if formatter.role(step.seat) != ACTION]
    total = formatter.words.text("account.solo", score=scores[-1]) if scores else ""
    return PlayerAccount(total, tuple(_step(formatter, step) for step in steps))


def _step(formatter: SnapshotFormatter, step: Step) -> StepView:
    points = "" if step.step in WITHOUT_POINTS else _signed(step.points)
    return StepView(step_sentence(formatter, step), points)


def _signed(points: int) -> str:
    return f"+{points}" if points > 0 else f"\N{MINUS SIGN}{-points}" if points < 0 else "0"


def last_result(formatter: SnapshotFormatter) -> ResultView | SoloResultView | None:
    """The end of the game, and of the last one until another begins, with the way to all its moves."""
    ended, words = result(formatter), formatter.words
    if ended is None:
        return None
    title = "result.last" if formatter.snapshot.stage in BEFORE_THE_GAME else "result.title"
    return replace(ended, title=words.text(title), look_back=words.text("result.look_back"))


def result(formatter: SnapshotFormatter) -> ResultView | SoloResultView | None:
    """The end of the game; None before."""
    ended: Result | None = formatter.snapshot.result
    if ended is None:
        return None
    if ended.victory:
        return _solo_result(formatter, ended)
    best_first = sorted(ended.scores, key=lambda end: (not end.winner, -end.score, -end.rows, end.seat))
    players = tuple(
        (formatter.who(end.seat, end.name), end.score, end.rows, end.winner) for end in best_first
    )
    tie = formatter.words.text(f"result.tie_{ended.tie}") if ended.tie in ("rows", "shared") else ""
    return ResultView(players, tie, formatter.words.text("result.title"))


def _solo_result(formatter: SnapshotFormatter, ended: Result) -> SoloResultView:
    words = formatter.words
    ending = words.text(f"result.{ended.ending}") if f"result.{ended.ending}" in words else ""
    if ended.victory == "master" and ended.score >= LEVELS[0][0]:
        ending = f"{ending} {words.text('result.not_artisan')}"
    return SoloResultView(
        ending=ending,
        rule=ended.rule or "",
        levels=tuple(
            (words.text("result.from", points=least), words.text(f"victory.{name}"), name == ended.victory)
            for least, name in LEVELS
        ),
        title=words.text("result.title"),
    )


def counts(formatter: SnapshotFormatter) -> tuple[CountView, ...]:
    """With tiles of resin: what the bag and the lid must hold; a bot game has no lid."""
    snapshot = formatter.snapshot
    resin = snapshot.resin
    if resin is None:
        return ()
    bag = _counted(formatter, "bag", resin.bag)
    if snapshot.mode == "dtc":
        return (bag,)
    return bag, _counted(formatter, "out" if formatter.solo else "lid", resin.lid)


def _counted(formatter: SnapshotFormatter, what: str, tiles: str) -> CountView:
    title = formatter.words.text(f"resin.{what}", count=len(tiles))
    colours = formatter.snapshot.palette
    return CountView(
        title, tuple((letter, formatter.colour(letter), tiles.count(letter)) for letter in colours)
    )


def legend(formatter: SnapshotFormatter) -> tuple[tuple[str, str], ...]:
    """What the tiles' colours are called, while there are tiles: a light that stands for black is none."""
    if formatter.snapshot.stage in WITHOUT_BOARDS:
        return ()
    return tuple((letter, formatter.colour_title(letter)) for letter in formatter.snapshot.palette)


def rules_link(formatter: SnapshotFormatter) -> str:
    """The path of the rules of the game that is played or chosen."""
    mode = formatter.snapshot.mode
    return f"/rules/{mode}" if mode in MODES else "/rules"


def palette(snapshot: Snapshot | None) -> tuple[TileView, ...]:
    """The tiles' symbols."""
    colours = snapshot.palette if snapshot else {}
    return tuple(_tile(letter, colour) for letter, colour in colours.items())


def _tile(letter: str, colour: Colour) -> TileView:
    """A tile in the colour of its light; what hardly has a hue is white, and as white as can be."""
    channels = [int(colour.rgb[place : place + 2], 16) for place in (1, 3, 5)]
    most = max(channels)
    if min(channels) > 0.8 * most:
        channels = [round(channel * 255 / most) for channel in channels]
    return TileView(letter, colour.name, "#{:02x}{:02x}{:02x}".format(*channels), _ink(channels))


def _ink(channels: list[int]) -> str:
    """The ink of a colour's ornament: light where that stands out enough (3 to 1), else dark."""
    parts = [channel / 255 for channel in channels]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "light" if 1.05 / (luminance + 0.05) >= 3 else "dark"


# --- Who looks on: at which page, with whose hands, from which seat --------------------------------------

PHONE = "phone"
TABLE = "table"
TAGS = "tags"
PAGES = (PHONE, TABLE, TAGS)
"""The pages that show the table as it is."""

SEAT_COOKIE = "seat"
"""Says at which seat a phone plays; set by the page itself, and no secret."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A page as somebody sees it: on the phone page, the seat they play at (0: none in particular)."""

    page: str
    at_table: bool = True
    seat: int = 0


def identify_viewer(request: Request, page: str) -> Viewer:
    """Who asks for a page, or for what is new on it; the twin looks the same to all."""
    if page == TABLE:
        return Viewer(TABLE)
    if page == TAGS:
        return Viewer(TAGS, access_level(request) is Access.TABLE)
    return Viewer(PHONE, access_level(request) is Access.TABLE, seat_of(request))


def seat_of(request: Request) -> int:
    """The seat that a phone plays at, by its cookie; 0 when it names none."""
    said = request.cookies.get(SEAT_COOKIE, "")
    return int(said) if said in map(str, range(1, SEATS + 1)) else 0
