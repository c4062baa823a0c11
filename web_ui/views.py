"""What each part of the phone page shows, as plain values; two equal values look the same."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from web_ui.latest import Presence, View
from web_ui.messages import Colour, Result, Seat, Snapshot, Step
from web_ui.sentences import Speaker
from web_ui.words import Words

SEATS = 4
"""The most seats that a table has."""

FLOOR_COSTS = (1, 1, 2, 2, 2, 3, 3)
"""What each space of a floor costs, from the left."""

FREE = "."
BEFORE_THE_GAME = ("seating", "choosing")


@dataclass(frozen=True, slots=True)
class TurnView:
    """Whose turn it is and what to do; away says that the table can't be seen."""

    head: str
    ask: str
    round: str = ""
    refusal: str = ""
    away: bool = False


@dataclass(frozen=True, slots=True)
class SourceView:
    """A display or the centre (number 0) with its tiles; chosen is the letter of the tiles in hand."""

    number: int
    label: str
    spoken: str
    tiles: str
    chosen: str = ""


@dataclass(frozen=True, slots=True)
class LineView:
    """A pattern line; spaces from the left, empty where free; offered: the tiles in hand may go here."""

    number: int
    spaces: tuple[str, ...]
    spoken: str
    offered: bool = False


@dataclass(frozen=True, slots=True)
class WallSpace:
    """A space of the wall: the tile on it, the colour printed there, and whether it was just placed."""

    tile: str
    printed: str
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of the wall."""

    spaces: tuple[WallSpace, ...]
    spoken: str


@dataclass(frozen=True, slots=True)
class BoardView:
    """A seat's board."""

    seat: int
    name: str
    points: int
    score: str
    acting: bool
    starts: str
    lines: tuple[LineView, ...]
    wall: tuple[RowView, ...]
    floor: tuple[tuple[str, int], ...]
    floor_spoken: str
    floor_offered: bool
    cost: int


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
    """How the scores of a round came about."""

    title: str
    running: bool
    players: tuple[PlayerAccount, ...]


@dataclass(frozen=True, slots=True)
class ResultView:
    """The end of a game: players from the best on, with score, complete rows, and whether they won."""

    players: tuple[tuple[str, int, int, bool], ...]


@dataclass(frozen=True, slots=True)
class TileView:
    """A tile's symbol: its letter, its colour and the ink of its ornament."""

    letter: str
    rgb: str
    ink: str


def turn(view: View, words: Words) -> TurnView:
    """Whose turn it is, or why the table can't be seen."""
    snapshot = view.snapshot
    if view.presence is not Presence.HERE or snapshot is None:
        presence = view.presence if view.presence is not Presence.HERE else Presence.AWAY
        head = words.say(f"presence_head.{presence}")
        return TurnView(head=head, ask=words.say(f"presence.{presence}"), away=True)
    speaker = Speaker(words, snapshot)
    return TurnView(
        head=speaker.head(),
        ask=speaker.ask(),
        round=words.say("round.number", round=snapshot.round) if snapshot.round else "",
        refusal=speaker.refusal(snapshot.refusal.say) if snapshot.refusal else "",
    )


def offer(speaker: Speaker) -> tuple[SourceView, ...]:
    """The displays and the centre; nothing when there is no game or the offer has ended."""
    snapshot = speaker.snapshot
    centre = snapshot.centre + ("m" if snapshot.marker_in_centre else "")
    if not any(snapshot.displays) and not snapshot.centre:
        return ()
    displays = [_source(speaker, number, tiles) for number, tiles in enumerate(snapshot.displays, 1)]
    return (*displays, _source(speaker, 0, centre))


def _source(speaker: Speaker, number: int, tiles: str) -> SourceView:
    words, choice = speaker.words, speaker.snapshot.choice
    label = words.say("offer.display", number=number) if number else words.say("offer.centre")
    held = speaker.tiles(tiles) if tiles else words.say("offer.empty")
    tiles = in_order(tiles, speaker.snapshot)
    if choice is not None and choice.source == number:
        chosen = speaker.colour(choice.colour)
        spoken = words.say("offer.chosen", source=label, tiles=held, chosen=chosen)
        return SourceView(number, label, spoken, tiles, choice.colour)
    return SourceView(number, label, words.say("offer.holds", source=label, tiles=held), tiles)


def in_order(tiles: str, snapshot: Snapshot) -> str:
    """Tiles sorted in the order of the palette, the marker last."""
    order = {letter: place for place, letter in enumerate(snapshot.palette)}
    return "".join(sorted(tiles, key=lambda letter: (order.get(letter, len(order)), letter)))


def seats(speaker: Speaker) -> tuple[SeatView, ...]:
    """The seats before a game; nothing later."""
    words, snapshot = speaker.words, speaker.snapshot
    if snapshot.stage not in BEFORE_THE_GAME:
        return ()
    return tuple(
        SeatView(
            seat=seat.seat,
            label=words.say("player.seat", seat=seat.seat),
            name=speaker.who(seat.seat, seat.name) if seat.taken else words.say("player.free"),
            taken=seat.taken,
        )
        for seat in snapshot.seats
    )


def board(speaker: Speaker, number: int) -> BoardView | None:
    """The board of a seat; None before a game and where nobody sits."""
    words, snapshot = speaker.words, speaker.snapshot
    seat = next((seat for seat in snapshot.seats if seat.seat == number), None)
    if seat is None or not seat.taken or snapshot.stage in (*BEFORE_THE_GAME, "unusable"):
        return None
    choice = snapshot.choice
    offered = choice.lines if choice is not None and seat.acting else ()
    floor_key = "board.floor" if seat.floor else "board.floor_empty"
    starts = words.say("player.starts") if snapshot.first == number and snapshot.result is None else ""
    return BoardView(
        seat=number,
        name=speaker.who(number, seat.name),
        points=seat.score,
        score=words.say("board.score", points=seat.score),
        acting=seat.acting,
        starts=starts,
        lines=tuple(
            _line(speaker, line, held, offered=line in offered) for line, held in enumerate(seat.lines, 1)
        ),
        wall=_wall(speaker, seat),
        floor=tuple(zip_longest(seat.floor[: len(FLOOR_COSTS)], FLOOR_COSTS, fillvalue="")),  # type: ignore[arg-type]
        floor_spoken=words.say(floor_key, tiles=speaker.tiles(seat.floor), points=seat.cost),
        floor_offered=0 in offered,
        cost=seat.cost,
    )


def _line(speaker: Speaker, number: int, held: str, *, offered: bool) -> LineView:
    spaces = ("",) * (number - len(held)) + tuple(held)
    key = "board.line" if held else "board.line_empty"
    colour = speaker.colour(held[0]) if held else ""
    spoken = speaker.words.say(key, line=number, tiles=colour, count=len(held))
    return LineView(number, spaces, spoken, offered)


def _wall(speaker: Speaker, seat: Seat) -> tuple[RowView, ...]:
    fresh, printed_rows = _fresh_space(speaker, seat.seat), speaker.pattern(seat) or ()
    rows = []
    for row, held in enumerate(seat.wall, 1):
        pattern = printed_rows[row - 1] if len(printed_rows) >= row else ""
        spaces = tuple(
            WallSpace("" if tile == FREE else tile, printed, fresh=(row, column) == fresh)
            for column, (tile, printed) in enumerate(zip_longest(held, pattern, fillvalue=""), 1)
        )
        colours = [speaker.colour(space.tile) for space in spaces if space.tile]
        key = "board.row" if colours else "board.row_empty"
        listed = speaker.enumeration(colours) if colours else ""
        rows.append(RowView(spaces, speaker.words.say(key, row=row, colours=listed)))
    return tuple(rows)


def _fresh_space(speaker: Speaker, seat: int) -> tuple[int, int] | None:
    told, steps = speaker.snapshot.account, speaker.steps()
    if told is None or not told.running or not steps:
        return None
    last = steps[-1]
    return (last.row, last.column) if last.step == "placed" and last.seat == seat else None


def moves(speaker: Speaker) -> tuple[MoveView, ...]:
    """The last moves, the newest first."""
    return tuple(
        MoveView(speaker.move(move), move.token, move.colour) for move in reversed(speaker.snapshot.moves)
    )


def recent(speaker: Speaker) -> MoveView | None:
    """What happened last: a step of the scoring while that runs, else a move; None when there is nothing."""
    told, steps = speaker.snapshot.account, speaker.steps()
    if told is not None and told.running and steps:
        return MoveView(speaker.step(steps[-1]), "", steps[-1].colour)
    return next(iter(moves(speaker)), None)


def account(speaker: Speaker) -> AccountView | None:
    """How the scores came about, player by player; None before the first scoring."""
    told = speaker.snapshot.account
    if told is None or not (told.steps or told.running):
        return None
    steps = speaker.steps()
    final = any(step.step == "bonus" for step in steps)
    title = speaker.words.say("account.final" if final else "account.round", round=told.round)
    seats = dict.fromkeys(step.seat for step in steps)
    players = tuple(_player_account(speaker, steps, seat) for seat in seats)
    return AccountView(title=title, running=told.running, players=players)


def _player_account(speaker: Speaker, all_steps: tuple[Step, ...], seat: int) -> PlayerAccount:
    steps = [step for step in all_steps if step.seat == seat]
    who = speaker.who(seat, steps[-1].name)
    return PlayerAccount(
        total=speaker.words.say("account.total", who=who, score=steps[-1].score),
        steps=tuple(StepView(speaker.step(step), _signed(step.points)) for step in steps),
    )


def _signed(points: int) -> str:
    return f"+{points}" if points > 0 else f"\N{MINUS SIGN}{-points}" if points < 0 else "0"


def result(speaker: Speaker) -> ResultView | None:
    """The end of the game; None before."""
    ended: Result | None = speaker.snapshot.result
    if ended is None:
        return None
    best_first = sorted(ended.scores, key=lambda end: (not end.winner, -end.score, -end.rows, end.seat))
    return ResultView(
        tuple((speaker.who(end.seat, end.name), end.score, end.rows, end.winner) for end in best_first)
    )


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
    return TileView(letter, "#{:02x}{:02x}{:02x}".format(*channels), _ink(channels))


def _ink(channels: list[int]) -> str:
    """The ink of a colour's ornament: light where that stands out enough (3 to 1), else dark."""
    parts = [channel / 255 for channel in channels]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "light" if 1.05 / (luminance + 0.05) >= 3 else "dark"
