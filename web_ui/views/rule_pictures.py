"""Pictures of the rules: positions drawn like the boards of a game, with their descriptions.

A picture shows what its rule's example tells, in one position or in two, before and after.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from web_ui.messages import Account, Choice, Choosing, Colour, PastPosition, Seat, Snapshot
from web_ui.text.sentences import ACTION, MARKER, SnapshotFormatter
from web_ui.text.words import Words
from web_ui.views import boards, phone
from web_ui.views.boards import BoardView
from web_ui.views.phone import SourceView

EVERYTHING = "everything"
ROWS = "rows"
FLOOR = "floor"
"""The parts of a board that a picture shows: all, its lines and wall, or its floor."""

BOX = {
    "b": Colour("blue", "#0046ff"),
    "y": Colour("yellow", "#ff9600"),
    "r": Colour("red", "#ff0a0a"),
    "k": Colour("black", "#9600ff"),
    "w": Colour("white", "#d2d2be"),
}
BOT_GAMES = {
    "g": Colour("green", "#00c828"),
    "o": Colour("orange", "#ff5000"),
    "b": Colour("blue", "#0046ff"),
    "y": Colour("yellow", "#ffbe00"),
    "r": Colour("red", "#ff0014"),
}
"""Palettes, in the order of the wall."""

PATTERN = ("byrkw", "wbyrk", "kwbyr", "rkwby", "yrkwb")
BOT_PATTERN = ("gobyr", "rgoby", "yrgob", "byrgo", "obyrg")
EMPTY = "....."


class Scene(Struct, frozen=True):
    """A position: its displays with the centre, or the board of the last seat, and what of it is shown."""

    snapshot: Snapshot
    shows: str = EVERYTHING


class FrameView(Struct, frozen=True):
    """A drawn position, and its description for whoever does not see it."""

    shows: str
    spoken: str
    offer: tuple[SourceView, ...] = ()
    board: BoardView | None = None


def pictures(words: Words, mode: str) -> dict[str, tuple[FrameView, ...]]:
    """Return the frames of each picture of a mode's rules, by the number of the rule."""
    return {
        number: tuple(_frame(words, scene) for scene in scenes)
        for number, scenes in SCENES.get(mode, {}).items()
    }


def palette(mode: str, snapshot: Snapshot | None) -> Mapping[str, Colour]:
    """Return the colours of a mode's pictures: those of the table, if it plays with the same ones now."""
    wanted = BOT_GAMES if mode == "dtc" else BOX
    if snapshot is not None and snapshot.palette.keys() == wanted.keys():
        return snapshot.palette
    return wanted


def _frame(words: Words, scene: Scene) -> FrameView:
    formatter = SnapshotFormatter(words, scene.snapshot)
    if not scene.snapshot.seats:
        offer = tuple(_sources(formatter))
        return FrameView(scene.shows, _joined(source.spoken for source in offer), offer=offer)
    board = boards.board(formatter, scene.snapshot.seats[-1].seat)
    spoken = _joined(_spoken(formatter, scene)) or _joined(_printed(formatter))
    return FrameView(scene.shows, spoken, board=board)


def _sources(formatter: SnapshotFormatter) -> Iterator[SourceView]:
    """Yield the displays, and the centre where anything lies there."""
    snapshot = formatter.snapshot
    for number, tiles in enumerate(snapshot.displays, 1):
        yield phone.source(formatter, number, tiles)
    if snapshot.centre:
        yield phone.source(formatter, 0, snapshot.centre + (MARKER if snapshot.marker_in_centre else ""))


def _spoken(formatter: SnapshotFormatter, scene: Scene) -> Iterator[str]:
    """Yield the descriptions of the shown parts that are not empty."""
    seat = scene.snapshot.seats[-1]
    board = boards.board(formatter, seat.seat)
    if board is None:
        return
    if scene.shows != FLOOR:
        yield from (line.spoken for line, held in zip(board.lines, seat.lines, strict=True) if held)
        for row, held in zip(board.wall, seat.wall, strict=True):
            if held != EMPTY or any(space.legal or space.scoring for space in row.spaces):
                yield row.spoken
    if scene.shows != ROWS and seat.floor:
        yield board.floor.spoken


def _printed(formatter: SnapshotFormatter) -> Iterator[str]:
    """Yield the colours that are printed on an empty wall."""
    for row, pattern in enumerate(formatter.snapshot.seats[-1].pattern or (), 1):
        colours = formatter.and_list([formatter.colour(letter) for letter in pattern])
        yield formatter.words.text("board.row", row=row, colours=colours)


def _joined(sentences: Iterator[str]) -> str:
    return ". ".join(sentences)


# --- The positions ---------------------------------------------------------------------------------------


def _board(
    *,
    lines: Mapping[int, str] | None = None,
    wall: Mapping[int, str] | None = None,
    floor: str = "",
    placed: tuple[int, int] | None = None,
    shows: str = ROWS,
    **given: object,
) -> Scene:
    """Return a board: lines and rows by number, its floor, and the tile of the wall that was just placed."""
    seat = Seat(
        1,
        taken=True,
        acting="choice" in given,
        lines=tuple((lines or {}).get(line, "") for line in range(1, 6)),
        wall=tuple((wall or {}).get(row, EMPTY) for row in range(1, 6)),
        floor=floor,
        cost=sum(boards.FLOOR_COSTS[: len(floor)]),
        pattern=PATTERN,
    )
    account = None
    if placed is not None:
        step = {"step": "placed", "seat": 1, "row": placed[0], "column": placed[1]}
        account = Account(round=1, running=True, steps=(step,))
    snapshot = PastPosition(seats=(seat,), palette=BOX, account=account)
    return Scene(replace(snapshot, **given), shows)


def _gray(scene: Scene, **given: object) -> Scene:
    """Return a board with a gray wall."""
    (seat,) = scene.snapshot.seats
    return Scene(replace(scene.snapshot, seats=(replace(seat, pattern=None),), **given), scene.shows)


def _action(scene: Scene, **given: object) -> Scene:
    """Return a board as the action board of the solo game; the player board is beside it."""
    (seat,) = scene.snapshot.seats
    steps = scene.snapshot.account.steps if scene.snapshot.account is not None else ()
    account = Account(round=1, running=True, steps=tuple({**step, "seat": 2} for step in steps))
    seats = Seat(1, taken=True), replace(seat, seat=2, role=ACTION)
    snapshot = replace(scene.snapshot, seats=seats, account=account, mode="solo", **given)
    return Scene(snapshot, scene.shows)


def _bot_game(scene: Scene) -> Scene:
    """Return a board in the colours of the bot game."""
    (seat,) = scene.snapshot.seats
    seats = (replace(seat, pattern=BOT_PATTERN),)
    return Scene(replace(scene.snapshot, seats=seats, palette=BOT_GAMES), scene.shows)


def _offer(*displays: str, **given: object) -> Scene:
    """Return displays and the centre."""
    return Scene(replace(PastPosition(displays=displays, palette=BOX), **given))


def _choose(
    kind: str, *, seat: int, colour: str, row: int = 0, column: int = 0, position: int | None = None
) -> Choosing:
    return Choosing("", kind, seat=seat, colour=colour, row=row, column=column, position=position)


SCENES: Mapping[str, Mapping[str, tuple[Scene, ...]]] = {
    "standard": {
        "R2": (_board(),),
        "R5": (
            _offer("bbrw", choice=Choice(1, "b", 2)),
            _offer(centre="rw", marker_in_centre=True),
        ),
        "R6": (_board(floor=MARKER, shows=FLOOR),),
        "R7": (_board(wall={3: "....r"}, choice=Choice(1, "r", 2, (1, 2, 4, 5))),),
        "R8": (_board(lines={2: "bb"}, floor="b", shows=EVERYTHING),),
        "R10": (_board(lines={4: "kkkk"}), _board(wall={4: ".k..."}, placed=(4, 2))),
        "R11": (_board(wall={1: "..r..", 2: ".byr."}, placed=(2, 3)),),
        "R12": (_board(floor="rrw", shows=FLOOR),),
        "R13": (_board(wall={1: ".y...", 2: "wbyrk", 4: "rk...", 5: "...w."}),),
        "R14": (_board(wall={1: "byrkw", 2: ".b...", 3: "..b..", 4: "...b.", 5: "....b"}),),
    },
    "gray": {
        "G1": (
            _gray(
                _board(lines={2: "bb"}, wall={4: "...b."}),
                choosing=tuple(
                    _choose("column", seat=1, colour="b", row=2, column=each) for each in (1, 2, 3, 5)
                ),
            ),
        ),
        "G2": (
            _gray(
                _board(
                    lines={3: "rrr"}, wall={1: "..r..", 2: "...r.", 3: "by...", 5: "....r"}, shows=EVERYTHING
                )
            ),
            _gray(
                _board(wall={1: "..r..", 2: "...r.", 3: "by...", 5: "....r"}, floor="rrr", shows=EVERYTHING)
            ),
        ),
    },
    "solo": {
        "S1": (
            _action(
                _board(floor="brrkw", shows=EVERYTHING),
                choosing=tuple(
                    _choose("square", seat=2, colour="y", row=row, column=row + 1) for row in (2, 3)
                ),
            ),
        ),
        "S3": (_offer("bbrw", choice=Choice(1, "b", 2)), _offer("rw", choice=Choice(1, "r", 1))),
        "S8": (
            _action(
                _board(wall={3: "....r"}, placed=(3, 5), floor="rbbky", shows=EVERYTHING),
                choosing=(_choose("remove", seat=2, colour="r", position=1),),
            ),
        ),
        "S9": (_action(_board(wall={3: ".w...", 4: "..w.."}, placed=(4, 3)), scoring_tile=(3, 3)),),
        "S10": (_action(_board(floor="rbbky", shows=FLOOR)),),
    },
    "dtc": {"D2": (_bot_game(_board()),)},
}
"""The positions of each picture, by mode and by the number of its rule."""
