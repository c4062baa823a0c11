"""What the table's socket says, as types; bytes are parsed here and nowhere else.

Unknown fields are passed over, so that a later table may say more. Fields that a page can do without have
defaults, so that a table may also say less.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec

# --- What the snapshot says of opponents and of hints, as types; see `messages.py` -----------------------


class StandIn(msgspec.Struct, frozen=True):
    """Why another opponent, `by`, chose for the one of a seat, or does from now on."""

    why: str
    by: str = ""
    detail: str = ""
    for_good: bool = False


class SeatItem(msgspec.Struct, frozen=True):
    """Who can have a taken seat, and the button that gives it; an empty `bot` is a person."""

    button: str
    place: int
    bot: str = ""
    chosen: bool = False


class Because(msgspec.Struct, frozen=True):
    """One reason for an opponent's choice; which fields mean something depends on `key`."""

    key: str
    seat: int = 0
    name: str | None = None
    line: int = 0
    row: int = 0
    column: int = 0
    colour: str = ""
    count: int = 0
    points: int = 0
    position: int = 0


class Reason(msgspec.Struct, frozen=True):
    """Why the opponent that chose last did so; `showing` while its choice is shown, before it happens."""

    seat: int
    name: str | None = None
    showing: bool = False
    because: tuple[Because, ...] = ()


class Advised(msgspec.Struct, frozen=True):
    """A choice that is advised, or the next best: a draft, or as in `choosing`."""

    kind: str
    seat: int = 0
    source: int = 0
    line: int = 0
    count: int = 0
    row: int = 0
    column: int = 0
    colour: str = ""
    position: int | None = None
    fell: int = 0
    marker: bool = False
    token: str = ""


class Advice(msgspec.Struct, frozen=True):
    """A hint: the choice, and the points that it gains against the next best."""

    seat: int
    choice: Advised
    gain: float | None = None
    next: Advised | None = None


class NoHint(msgspec.Struct, frozen=True):
    """A hint that was asked for and will not come, and the key of the reason."""

    seat: int
    why: str = ""


class Hint(msgspec.Struct, frozen=True):
    """Whether hints are allowed in this game; where one may be asked for, is awaited, is shown, is missed."""

    allowed: bool = False
    seats: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()
    shown: tuple[Advice, ...] = ()
    missed: tuple[NoHint, ...] = ()


# --- What the table's socket says of tags and cards, as types; `messages` reads them ---------------------


class Card(msgspec.Struct, frozen=True):
    """A card that the table knows: a player's, with the name, or an action's."""

    tag: str
    kind: str
    value: str


class Tags(msgspec.Struct, frozen=True):
    """What tags the table knows: how many tiles of each colour, and every card."""

    tiles: dict[str, int] = {}
    cards: tuple[Card, ...] = ()


class Meaning(msgspec.Struct, frozen=True):
    """What a tag means, or will mean."""

    kind: str
    value: str


class Laid(msgspec.Struct, frozen=True):
    """The tag that was laid last in a lesson, what became of it, and what it means; number is a tile's."""

    tag: str
    verdict: str
    kind: str | None = None
    value: str | None = None
    number: int = 0


class Learning(msgspec.Struct, frozen=True):
    """The lesson under way: what the next tag will mean, and how many were learned in it."""

    lesson: str
    next: Meaning | None = None
    learned: int = 0
    last: Laid | None = None


class KnownTag(msgspec.Struct, frozen=True):
    """A tag and what it means: a tile's colour, a player's name, an action."""

    tag: str
    kind: str
    value: str


class SimulatedCard(msgspec.Struct, frozen=True):
    """A card beside simulated readers; one that means nothing yet has no kind."""

    tag: str
    kind: str | None = None
    value: str | None = None


# ----------------------------------------------------------------------------------------------------------

SCHEMA = 1
"""The newest snapshot that these pages can read."""

LONGEST_LINE = 2_000_000
"""Bytes of the longest line that is read from the table; a longer one is passed over."""

Hex = Annotated[str, msgspec.Meta(pattern=r"^#[0-9a-fA-F]{6}$")]


_Read = TypeVar("_Read")


class MessageError(ValueError):
    """The table said something that these pages can't read; the fault is the table's."""


class Colour(msgspec.Struct, frozen=True):
    """A tile colour of the palette: the key of its word, and the colour that the table's lights show."""

    name: str
    rgb: Hex


class Seat(msgspec.Struct, frozen=True):
    """One seat and its board; the pattern are the colours printed on its wall, None where that is gray.

    The solo game has two boards: the one whose role is `action`, and the player's.
    """

    seat: int
    taken: bool = False
    role: str = "player"
    name: str | None = None
    acting: bool = False
    score: int = 0
    marker: bool = False
    lines: tuple[str, ...] = ("", "", "", "", "")
    wall: tuple[str, ...] = (".....", ".....", ".....", ".....", ".....")
    floor: str = ""
    cost: int = 0
    pattern: tuple[str, ...] | None = None
    bot: str | None = None
    stand_in: StandIn | None = None


class MenuItem(msgspec.Struct, frozen=True):
    """Something to choose before a game, and the button that chooses it."""

    button: str
    value: str
    group: str = "mode"
    chosen: bool = False


class Choice(msgspec.Struct, frozen=True):
    """The tiles that the acting player has in hand; source 0 is the centre, line 0 the floor.

    In the solo game, what each line (by its number as a text) sends to the penalty row, and the line tried.
    """

    source: int
    colour: str
    count: int
    lines: tuple[int, ...] = ()
    sends: dict[str, str] = {}
    tried: int | None = None


class Choosing(msgspec.Struct, frozen=True):
    """A choice that is no draft, and the button that makes it; which fields mean something depends on `kind`.

    `column` and `square`: a tile's row and column on the wall. `swap` and `remove`: the place of a penalty
    tile, from 1; None leaves them all.
    """

    button: str
    kind: str
    seat: int = 0
    row: int = 0
    column: int = 0
    colour: str = ""
    position: int | None = None


class Told(msgspec.Struct, frozen=True):
    """A tile of resin that was told: where it lies (display 0 is the penalty row), and its tag."""

    display: int
    at: int
    colour: str
    tag: str | None = None


class Resin(msgspec.Struct, frozen=True):
    """With tiles of resin: the letters of what the bag and the lid must hold, and the tiles told so far."""

    bag: str = ""
    lid: str = ""
    told: tuple[Told, ...] = ()


class Move(msgspec.Struct, frozen=True):
    """A draft as it was made; source 0 is the centre, line 0 the floor."""

    seat: int
    source: int
    colour: str
    count: int
    line: int
    name: str | None = None
    fell: int = 0
    marker: bool = False
    token: str = ""
    because: tuple[Because, ...] = ()


class Step(msgspec.Struct, frozen=True):
    """One step of how a score came about; which fields mean something depends on `step`.

    A step of a kind that these pages don't know may hold anything: see `known_step`.
    """

    step: str
    seat: int = 0
    name: str | None = None
    row: int = 0
    column: int = 0
    line: int = 0
    colour: str = ""
    count: int = 0
    across: int = 1
    down: int = 1
    tiles: int = 0
    cost: int = 0
    kind: str = ""
    which: int | str = ""
    position: int = 0
    nth: int = 0
    covers: bool = False
    aside: str | None = None
    drawn: str | None = None
    points: int = 0
    score: int = 0


class Account(msgspec.Struct, frozen=True):
    """How each score came about in a round; while it runs, only the steps that the table has shown so far."""

    round: int = 0
    running: bool = False
    steps: tuple[dict[str, Any], ...] = ()


class FinalScore(msgspec.Struct, frozen=True):
    """What a seat ended with."""

    seat: int
    score: int
    name: str | None = None
    rows: int = 0
    winner: bool = False


class Result(msgspec.Struct, frozen=True):
    """The end of a game; `tie` says how a tie was settled: none, rows or shared.

    Of a solo game: the score, the victory, the rule that made it a loss (S7, S10, S14), and what ended it.
    """

    scores: tuple[FinalScore, ...] = ()
    tie: str = "none"
    score: int = 0
    victory: str = ""
    rule: str | None = None
    ending: str = ""


class Refusal(msgspec.Struct, frozen=True):
    """The last press that the table refused, and the key of the reason."""

    say: str
    button: str = ""
    number: int = 0


class Phones(msgspec.Struct, frozen=True):
    """What phones in the network may do: the buttons they may press, and whether the rest.

    Seats: those of the table have no buttons but the pages'.
    """

    press: tuple[str, ...] = ()
    tell: bool = False
    hint: bool = False
    learn: bool = False
    seats: bool = False


class Fault(msgspec.Struct, frozen=True):
    """A part of the table that is lost, the key of the reason, and since when (Unix time)."""

    part: str
    why: str = ""
    since: int = 0


class Simulated(msgspec.Struct, frozen=True):
    """What hands may do because it is simulated: tagged tiles by their letters, cards, and the Pico's plug.

    None where that is not simulated; the drawer also while no tile is to be told or learned. While tiles are
    learned, the tags among them that are known.
    """

    drawer: dict[str, tuple[str, ...]] | None = None
    known: tuple[str, ...] = ()
    cards: tuple[SimulatedCard, ...] = ()
    plugged: bool | None = None


class Snapshot(msgspec.Struct, frozen=True):
    """All that the pages may know of the table at one moment."""

    schema: int
    stage: str
    ask: dict[str, Any]
    version: int = 0
    mode: str | None = None
    menu: tuple[MenuItem, ...] = ()
    opponents: tuple[SeatItem, ...] = ()
    round: int = 0
    first: int | None = None
    seats: tuple[Seat, ...] = ()
    displays: tuple[str, ...] = ()
    centre: str = ""
    marker_in_centre: bool = False
    choice: Choice | None = None
    choosing: tuple[Choosing, ...] = ()
    scoring_tile: tuple[int, int] | None = None
    resin: Resin | None = None
    tags: Tags = Tags()
    learning: Learning | None = None
    live: tuple[str, ...] = ()
    phones: Phones = Phones()
    moves: tuple[Move, ...] = ()
    reason: Reason | None = None
    hint: Hint = Hint()
    account: Account | None = None
    result: Result | None = None
    refusal: Refusal | None = None
    faults: tuple[Fault, ...] = ()
    simulated: Simulated | None = None
    palette: dict[str, Colour] = {}


class Light(msgspec.Struct, frozen=True):
    """A light where it lies, in millimetres."""

    name: str
    x: float
    y: float
    size: float


class Button(msgspec.Struct, frozen=True):
    """A button where it lies, in millimetres; turn in degrees."""

    name: str
    x: float
    y: float
    size: float
    turn: float = 0


class Outline(msgspec.Struct, frozen=True):
    """The edge of a part: a circle or a rectangle around x, y, in millimetres; turn in degrees."""

    name: str
    shape: str
    x: float
    y: float
    width: float
    height: float
    turn: float = 0


class Layout(msgspec.Struct, frozen=True):
    """The drawing of the table."""

    name: str
    width: Annotated[float, msgspec.Meta(gt=0)]
    height: Annotated[float, msgspec.Meta(gt=0)]
    lights: tuple[Light, ...]
    buttons: tuple[Button, ...]
    title: str = ""
    seats: int = 0
    displays: int = 0
    centre: int = 0
    outlines: tuple[Outline, ...] = ()


class Message(msgspec.Struct, frozen=True):
    """One line from the table; what it does not bring is None, the snapshot, still unread, empty."""

    layout: Layout | None = None
    snapshot: msgspec.Raw = msgspec.Raw()
    frame: str | None = None
    error: str | None = None


class FrameOnly(msgspec.Struct, frozen=True):
    """A line from the table of which only the layout and the frame matter."""

    layout: Layout | None = None
    frame: str | None = None


class Answer(msgspec.Struct, frozen=True):
    """What the table says to what was said or asked; why is a refusal's key.

    Told is what answers a question about games, still unread; tags, what answers one about tags.
    """

    tags: tuple[KnownTag, ...] = ()
    taken: bool | None = None
    id: int | None = None
    told: msgspec.Raw = msgspec.Raw()
    why: str = ""
    error: str | None = None


class _Schema(msgspec.Struct, frozen=True):
    schema: int


_message = msgspec.json.Decoder(Message)
_frame = msgspec.json.Decoder(FrameOnly)
_schema = msgspec.json.Decoder(_Schema)
_snapshot = msgspec.json.Decoder(Snapshot)
_answer = msgspec.json.Decoder(Answer)


class NewerSchemaError(MessageError):
    """The snapshot's schema is newer than these pages."""


def read_message(line: bytes) -> Message:
    """The message on a line; raises MessageError."""
    return decode(_message, line)


def read_frame(line: bytes) -> FrameOnly:
    """The layout and the frame on a line, its snapshot passed over; raises MessageError."""
    return decode(_frame, line)


def read_answer(line: bytes) -> Answer:
    """The table's answer on a line; raises MessageError."""
    return decode(_answer, line)


def read_snapshot(raw: bytes | msgspec.Raw) -> Snapshot:
    """The snapshot; raises NewerSchemaError before it looks at anything else, else MessageError."""
    schema = decode(_schema, raw).schema
    if schema > SCHEMA:
        raise NewerSchemaError(f"the snapshot's schema is {schema}; these pages know {SCHEMA}")
    return decode(_snapshot, raw)


def decode(decoder: msgspec.json.Decoder[_Read], line: bytes | msgspec.Raw) -> _Read:
    """What a line, or a part of one, holds; raises MessageError."""
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise MessageError(f"not readable: {fault}") from fault


def known_step(told: dict[str, Any]) -> Step:
    """A step with its fields; of one that is not of the known form only what it is, whose, and its points."""
    try:
        return msgspec.convert(told, Step)
    except msgspec.ValidationError:
        seat, points, score = (
            value if isinstance(value := told.get(key), int) else 0 for key in ("seat", "points", "score")
        )
        return Step("other", seat=seat, points=points, score=score)


class Lines:
    """Bytes in, whole lines out; a line longer than the limit is passed over and counted, never kept."""

    def __init__(self, limit: int = LONGEST_LINE) -> None:
        self.limit = limit
        self.dropped = 0
        self._rest = bytearray()
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that these bytes complete, without their line ends."""
        self._rest += data
        *whole, rest = self._rest.split(b"\n")
        self._rest = rest
        lines = []
        for line in whole:
            if self._dropping or len(line) > self.limit:
                self.dropped += 1
                self._dropping = False
            else:
                lines.append(bytes(line))
        if len(self._rest) > self.limit:
            self._rest.clear()
            self._dropping = True
        return lines


# --- What the table tells of games that were played, as types; unknown fields are passed over ------------


class PastPlayer(msgspec.Struct, frozen=True):
    """Who played, and how it ended or stands; no score where the game is too long to tell."""

    seat: int
    name: str | None = None
    bot: str | None = None
    score: int | None = None
    winner: bool = False


class PastMove(Move, frozen=True):
    """A choice; which fields mean something depends on `kind`, as in `messages.Choosing`.

    Lost is how many points, where that is known.
    """

    source: int = 0
    colour: str = ""
    count: int = 0
    line: int = 0
    kind: str = "draft"
    row: int = 0
    column: int = 0
    position: int | None = None
    number: int = 0
    round: int = 0
    lost: float | None = None


class RoundScores(msgspec.Struct, frozen=True):
    """All players' scores after a round."""

    round: int
    scores: tuple[int, ...] = ()


class CostlyMove(msgspec.Struct, frozen=True):
    """A move that lost points, what was better, and the table before it, the better one chosen in it."""

    round: int
    lost: float
    played: PastMove
    better: PastMove
    table: Snapshot
    number: int = 0


class Review(msgspec.Struct, frozen=True):
    """What the choices of a player lost: how many were graded, and the costliest, the worst first."""

    seat: int
    lost: float = 0
    choices: int = 0
    costliest: tuple[CostlyMove, ...] = ()


class PastGame(msgspec.Struct, frozen=True):
    """A game in the list; times are UTC: 2026-11-20 13:46:07. Status: finished, in_play, stopped, unreadable.

    Of one that can't be read no more is known than its number and when it started.
    """

    number: int
    started: str
    status: str
    mode: str | None = None
    level: str | None = None
    wall: str | None = None
    rounds: int | None = None
    victory: str | None = None
    players: tuple[PastPlayer, ...] = ()


class RetoldGame(PastGame, frozen=True):
    """A game with all its choices, and its review as far as the table has come with it.

    Choices counts those to grade. Without moves and table the game is too long to tell.
    """

    choices: int = 0
    moves: tuple[PastMove, ...] | None = None
    scores: tuple[RoundScores, ...] | None = None
    reviews: tuple[Review, ...] | None = None
    table: Snapshot | None = None


class PastGames(msgspec.Struct, frozen=True):
    """Some games, the newest first, and whether there are older ones."""

    games: tuple[PastGame, ...] = ()
    more: bool = False


_games = msgspec.json.Decoder(PastGames)
_game = msgspec.json.Decoder(RetoldGame)
_text = msgspec.json.Decoder(str)


def read_games(raw: msgspec.Raw) -> PastGames:
    """A list of games; raises MessageError."""
    return decode(_games, raw)


def read_game(raw: msgspec.Raw) -> RetoldGame:
    """A game; raises MessageError."""
    return decode(_game, raw)


def read_record(raw: msgspec.Raw) -> str:
    """A game's record; raises MessageError."""
    return decode(_text, raw)
