"""Boards: pattern lines, wall, floor and the solo game's penalty row, as view models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

from web_ui.messages import Choosing, Seat
from web_ui.text.sentences import ACTION, DRAFTING, SnapshotFormatter

FLOOR_COSTS = (1, 1, 2, 2, 2, 3, 3)
"""Points that each space of a floor costs, from the left."""

FREE = "."
"""A free space of a wall in a snapshot."""

WITHOUT_BOARDS = ("seating", "choosing", "showing", "unusable")
"""Stages without a game."""

PLACING = ("placed", "action_tile_placed")
"""Score steps that put a tile on a wall."""


class Hands(Struct, frozen=True):
    """What the viewer of a page may do now: press these buttons, make these choices (by their notation)."""

    live: frozenset[str] = frozenset()
    tokens: frozenset[str] = frozenset()


NO_HANDS = Hands()
"""The hands of a viewer who only looks."""


class Put(Struct, frozen=True):
    """The button of a line or of the floor: its label, and whether it takes the tiles in hand."""

    spoken: str
    live: bool = False


class LineView(Struct, frozen=True):
    """A pattern line: colours from the left, empty where free.

    `offered`: the tiles in hand may go here; `due`: its tile needs a column; `advised`: a hint names it.
    `put` is its button where the viewer may place tiles.
    """

    number: int
    spaces: tuple[str, ...]
    spoken: str
    offered: bool = False
    due: bool = False
    advised: bool = False
    put: Put | None = None


class WallSpace(Struct, frozen=True):
    """A space of the wall: the tile on it, the printed colour, and marks.

    `fresh`: just placed; `legal`: the colour of the tile that may be put here; `scoring`: the solo game's
    scoring tile lies here, or may be put here if the space is legal. `token` is the choice that a tap on the
    space makes, and `name` the name of that button; empty where the viewer has none.
    """

    tile: str
    printed: str
    fresh: bool = False
    legal: str = ""
    scoring: bool = False
    token: str = ""
    name: str = ""


class RowView(Struct, frozen=True):
    """A row of the wall; `choices`: some of its spaces are buttons."""

    spaces: tuple[WallSpace, ...]
    spoken: str
    choices: bool = False


class FloorSpace(Struct, frozen=True):
    """A space of a floor: the tile on it, the points that it costs, and marks.

    `legal`: this penalty tile can be chosen; `coming`: the tile would fall here; `next`: the next reported
    tile goes here. `token` is the choice that a tap makes (removing this tile, or swapping it with the next:
    `swap`), and `name` the name of that button; empty where the viewer has none.
    """

    tile: str
    cost: int
    legal: bool = False
    coming: bool = False
    next: bool = False
    token: str = ""
    name: str = ""
    swap: bool = False


class FloorView(Struct, frozen=True):
    """A board's floor; the solo game's penalty row has a title."""

    spaces: tuple[FloorSpace, ...]
    spoken: str
    title: str = ""
    offered: bool = False
    cost: int = 0
    advised: bool = False
    put: Put | None = None
    choices: bool = False


class Sending(Struct, frozen=True):
    """The tiles that a line or the floor would send to the penalty row; `tried`: pressed once already."""

    where: str
    tiles: str
    spoken: str
    tried: bool = False


class BoardView(Struct, frozen=True):
    """A seat's board; the solo game's action board has no score."""

    seat: int
    name: str
    role: str
    acting: bool
    due: str
    starts: str
    lines: tuple[LineView, ...]
    wall: tuple[RowView, ...]
    floor: FloorView
    points: str = ""
    score: str = ""
    sends: tuple[Sending, ...] = ()
    mine: str = ""


def board(
    formatter: SnapshotFormatter, number: int, *, mine: bool = False, hands: Hands = NO_HANDS
) -> BoardView | None:
    """Return the board of a seat; None before a game and at a free seat.

    `mine`: it is the viewer's; `hands`: what the viewer may do, and so which parts of the board are buttons.
    """
    words, snapshot = formatter.words, formatter.snapshot
    seat = next((seat for seat in snapshot.seats if seat.seat == number), None)
    if seat is None or not seat.taken or snapshot.stage in WITHOUT_BOARDS:
        return None
    choice = snapshot.choice
    offered = choice.lines if choice is not None and seat.acting else ()
    due = [each for each in snapshot.choosing if each.kind == "column" and each.seat == number]
    starts = words.text("player.starts") if snapshot.first == number and snapshot.result is None else ""
    name = formatter.player(number, seat.name)
    if formatter.solo and seat.role != ACTION and seat.name:
        name = words.text("board.of", board=words.text("board.player"), who=seat.name)
    scored = seat.role != ACTION
    advised = _advised_lines(formatter, number)
    return BoardView(
        seat=number,
        name=name,
        role=seat.role,
        points=words.text("board.points", points=seat.score) if scored else "",
        score=words.text("board.score", points=seat.score) if scored else "",
        acting=seat.acting and not due,
        due=words.text("board.due", due=formatter.column_due(due[0])) if due and not formatter.solo else "",
        starts=starts,
        mine=words.text("player.you") if mine and not formatter.solo else "",
        lines=tuple(
            replace(
                _line(formatter, line, held),
                offered=line in offered,
                due=any(each.row == line for each in due),
                advised=line in advised,
                put=_put(formatter, seat, line, hands),
            )
            for line, held in enumerate(seat.lines, 1)
        ),
        wall=_wall(formatter, seat, hands),
        floor=replace(
            _floor(formatter, seat, hands),
            offered=0 in offered and seat.role != ACTION,
            advised=0 in advised,
            put=_put(formatter, seat, 0, hands),
        ),
        sends=tuple(_sends(formatter)) if seat.acting else (),
    )


def front_board(formatter: SnapshotFormatter, seat: int, hands: Hands) -> BoardView | None:
    """Return the board that a phone shows large: its seat's, or the acting player's on a shared phone."""
    numbers = _front_seats(formatter, seat)
    number = next(numbers, 0)
    return board(formatter, number, mine=seat == number, hands=hands)


def _front_seats(formatter: SnapshotFormatter, seat: int) -> Iterator[int]:
    """Yield the seats whose board may be shown large, the best first."""
    snapshot = formatter.snapshot
    taken = [each for each in snapshot.seats if each.taken]
    if not formatter.solo and any(each.seat == seat for each in taken):
        yield seat
    asked = snapshot.ask.get("seat")
    yield from (each.seat for each in snapshot.choosing if each.seat)
    yield from (each.seat for each in taken if each.seat == asked or each.acting)
    moved = [move.seat for move in reversed(snapshot.moves)]
    yield from (each.seat for each in taken if each.seat in moved[:1])
    yield from (each.seat for each in taken if each.role != ACTION)


def _put(formatter: SnapshotFormatter, seat: Seat, line: int, hands: Hands) -> Put | None:
    """Return the button of a line (0: the floor) while the viewer takes tiles for this board."""
    if not (seat.acting and formatter.prompt in DRAFTING and hands.live):
        return None
    words, choice = formatter.words, formatter.snapshot.choice
    key = "floor" if line == 0 else "line"
    live = choice is not None and line in choice.lines
    if choice is None or not live:
        return Put(words.text(f"put.{key}", line=line))
    tiles = formatter.counted(choice.count, choice.colour)
    target = next((each for each in choice.targets if each.line == line), None)
    falls = target.floor if target is not None and line else 0
    key = f"put.{key}_falls" if falls else f"put.{key}_takes"
    spoken = words.text(key, line=line, tiles=tiles, falls=falls)
    if target is not None and target.points:
        spoken = words.text("put.scores", put=spoken, points=target.points)
    if sent := formatter.sent_by(line):
        spoken = words.text("twin.sends", button=spoken, sent=formatter.tiles(sent))
    return Put(spoken, live=True)


def _advised_lines(formatter: SnapshotFormatter, seat: int) -> set[int]:
    """Return the lines (0: the floor) that the hints shown name for a board."""
    return {
        advice.choice.line
        for advice in formatter.snapshot.hint.shown
        if advice.choice.kind == "draft" and (advice.choice.seat or advice.seat) == seat
    }


def _line(formatter: SnapshotFormatter, number: int, held: str) -> LineView:
    spaces = ("",) * (number - len(held)) + tuple(held)
    key = "board.line" if held else "board.line_empty"
    colour = formatter.colour(held[0]) if held else ""
    spoken = formatter.words.text(key, line=number, tiles=colour, count=len(held))
    return LineView(number, spaces, spoken)


def _sends(formatter: SnapshotFormatter) -> Iterator[Sending]:
    """Yield the tiles that each line would send to the solo game's penalty row."""
    words, choice = formatter.words, formatter.snapshot.choice
    for line in choice.lines if choice is not None else ():
        if tiles := formatter.sent_by(line):
            where = words.text("twin.line", line=line) if line else words.text("twin.fall")
            spoken = words.text("twin.sends", button=where, sent=formatter.tiles(tiles))
            yield Sending(where, tiles, spoken, choice is not None and line == choice.tried)


def _wall(formatter: SnapshotFormatter, seat: Seat, hands: Hands) -> tuple[RowView, ...]:
    fresh, printed_rows = _fresh_space(formatter, seat.seat), seat.pattern or ()
    legal = {
        (each.row, each.column): each
        for each in formatter.snapshot.choosing
        if each.kind in ("column", "square") and each.seat == seat.seat
    }
    scoring = formatter.snapshot.scoring_tile if seat.role == ACTION else None
    rows = []
    for row, held in enumerate(seat.wall, 1):
        pattern = printed_rows[row - 1] if len(printed_rows) >= row else ""
        spaces = []
        for column, (tile, printed) in enumerate(zip_longest(held, pattern, fillvalue=""), 1):
            here, choice = (row, column), legal.get((row, column))
            token = choice.token if choice is not None and choice.token in hands.tokens else ""
            spaces.append(
                WallSpace(
                    "" if tile == FREE else tile,
                    printed,
                    fresh=here == fresh,
                    legal=choice.colour if choice is not None else "",
                    scoring=here == scoring or (choice is not None and choice.kind == "square"),
                    token=token,
                    name=_space_name(formatter, choice) if choice is not None and token else "",
                )
            )
        spoken = _spoken_row(formatter, row, spaces)
        rows.append(RowView(tuple(spaces), spoken, any(space.token for space in spaces)))
    return tuple(rows)


def _space_name(formatter: SnapshotFormatter, choice: Choosing) -> str:
    """Return the name of the button on a space of the wall."""
    colour = formatter.colour(choice.colour)
    return formatter.words.text(f"put.{choice.kind}", row=choice.row, column=choice.column, colour=colour)


def _spoken_row(formatter: SnapshotFormatter, row: int, spaces: list[WallSpace]) -> str:
    text = formatter.words.text
    colours = [formatter.colour(space.tile) for space in spaces if space.tile]
    if colours:
        spoken = text("board.row", row=row, colours=formatter.and_list(colours))
    else:
        spoken = text("board.row_empty", row=row)
    legal = [(str(column), space) for column, space in enumerate(spaces, 1) if space.legal]
    if legal:
        columns = formatter.and_list(column for column, _ in legal)
        if legal[0][1].scoring:
            return text("board.square", row=spoken, columns=columns)
        colour = formatter.colour_title(legal[0][1].legal)
        return text("board.legal", row=spoken, colour=colour, columns=columns)
    for column, space in enumerate(spaces, 1):
        if space.scoring:
            return text("board.scoring_tile", row=spoken, column=column)
    return spoken


def _fresh_space(formatter: SnapshotFormatter, seat: int) -> tuple[int, int] | None:
    """Return row and column of the tile that the running score account has just placed."""
    account, steps = formatter.snapshot.account, formatter.steps()
    if account is None or not account.running or not steps:
        return None
    last = steps[-1]
    return (last.row, last.column) if last.step in PLACING and last.seat == seat else None


def _floor(formatter: SnapshotFormatter, seat: Seat, hands: Hands) -> FloorView:
    """Return a floor, or the penalty row; in the solo game only the penalty row costs points."""
    words = formatter.words
    penalty = seat.role == ACTION
    reported, due = _reported_tiles(formatter) if penalty else ({}, 0)
    floor = seat.floor[1:] if penalty and due and seat.floor else seat.floor  # the leftmost was set aside
    choice = formatter.snapshot.choice
    coming = formatter.sent_by(choice.tried) if penalty and choice and choice.tried is not None else ""
    chosen = _penalty_choices(formatter) if penalty else set()
    buttons = _penalty_buttons(formatter, floor, hands) if penalty else {}
    spaces = []
    for at, cost in enumerate(FLOOR_COSTS, 1):
        tile = floor[at - 1 : at] or reported.get(at, "")
        falls = coming[at - 1 - len(floor) : at - len(floor)] if at > len(floor) else ""
        costs = cost if penalty or not formatter.solo else 0
        spaces.append(
            replace(
                buttons.get(at, FloorSpace("", 0)),
                tile=tile or falls,
                cost=costs,
                legal=at in chosen,
                coming=bool(falls and not tile),
                next=at == due,
            )
        )
    key = "penalty" if penalty else "floor"
    spoken_key = f"board.{key}" if floor else f"board.{key}_empty"
    cost = seat.cost if penalty or not formatter.solo else 0
    if formatter.solo and not penalty and floor:
        spoken_key = "board.floor_free"
    return FloorView(
        tuple(spaces),
        words.text(spoken_key, tiles=formatter.tiles(floor), points=cost),
        words.text("board.penalty_row") if penalty else "",
        cost=cost,
        choices=bool(buttons),
    )


def _reported_tiles(formatter: SnapshotFormatter) -> tuple[Mapping[int, str], int]:
    """Return the tiles reported for the penalty row by place, and the place of the next one (0: none)."""
    snapshot = formatter.snapshot
    if snapshot.resin is None or formatter.prompt != "tell_penalty":
        return {}, 0
    reported = {tile.at: tile.colour for tile in snapshot.resin.told if tile.display == 0}
    due = snapshot.ask.get("at", 0)
    return reported, due if isinstance(due, int) else 0


def _penalty_buttons(formatter: SnapshotFormatter, row: str, hands: Hands) -> dict[int, FloorSpace]:
    """Return the penalty tiles that are buttons, by their place: each removes its tile or swaps it."""
    text, ordinal = formatter.words.text, formatter.ordinal
    buttons = {}
    for each in formatter.snapshot.choosing:
        at = each.position
        if at is None or each.token not in hands.tokens or each.kind not in ("swap", "remove"):
            continue
        tiles = row[at - 1 : at + 1]
        if each.kind == "remove":
            name = text("twin.remove", position=ordinal(at), colour=formatter.colour(tiles[:1]))
        else:
            colours = {"colour": formatter.colour(tiles[:1]), "other": formatter.colour(tiles[1:])}
            name = text("twin.swap_of", first=ordinal(at), second=ordinal(at + 1), **colours)
        buttons[at] = FloorSpace("", 0, token=each.token, name=name, swap=each.kind == "swap")
    return buttons


def _penalty_choices(formatter: SnapshotFormatter) -> set[int]:
    """Return the places of the penalty tiles that can be swapped or removed."""
    places = set()
    for each in formatter.snapshot.choosing:
        if each.position is not None and each.kind in ("swap", "remove"):
            places |= {each.position} | ({each.position + 1} if each.kind == "swap" else set())
    return places
