"""Messages between the pages and the table's socket, as types; they are parsed here and nowhere else.

First what the pages send: actions, which a page posts as JSON and which go to the table as they are, and
questions. Then what the table sends, its snapshot and its past games. Unknown fields of the table's messages
are ignored, so that a later table may send more. Fields that a page can do without have defaults, so that a
table may also send less. `device/socket/SOCKET.md` describes every message.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeVar

import msgspec

SCHEMA = 3
"""The newest schema of snapshots and messages that these pages can read."""

LONGEST_LINE = 2_000_000
"""Bytes of the longest line that is read from the table; a longer one is skipped."""


class MessageError(ValueError):
    """A message that can't be read; of the table's messages the fault is the table's."""


class NewerSchemaError(MessageError):
    """A snapshot whose schema is newer than these pages."""


GameNumber = Annotated[int, msgspec.Meta(ge=1, le=1 << 53)]

Opponent = Literal["calm", "greedy", "strong", "master"]
"""The table's built-in opponents, from the weakest to the strongest."""

# --- Actions: what people do on a page ---

Letter = Literal["b", "y", "r", "k", "w"]
"""The letter of a tile colour."""

SeatNumber = Annotated[int, msgspec.Meta(ge=1, le=99)]
TagText = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
Name = Annotated[str, msgspec.Meta(max_length=200)]
"""A player's name; the table itself takes shorter ones only."""


class ActionBase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The base of all actions.

    `asked` is the question of the snapshot that the page showed: the table refuses the action when it asks
    another one. `before` is the latest time for it, in seconds of this machine's monotonic clock; `by` is the
    seat of the phone that does it, 0 for none, None at the table. The pages' process sets these two, never a
    browser.
    """

    asked: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    before: float | None = None
    by: int | None = None


class PressButton(ActionBase, frozen=True, tag="press"):
    """Press a button of the table; `physical` presses the switch of a simulated table."""

    button: Annotated[str, msgspec.Meta(max_length=100)]
    physical: bool = False


class NamePlayer(ActionBase, frozen=True, tag="name"):
    """Name the player at a place."""

    seat: SeatNumber
    name: Name


class ClaimSeat(ActionBase, frozen=True, tag="claim"):
    """Give a seat to this phone, with its player's name; the pages' process sets `claim`."""

    seat: SeatNumber
    name: Name = ""
    claim: str = ""


class ReleaseSeat(ActionBase, frozen=True, tag="release"):
    """Let a seat belong to no phone any more."""

    seat: SeatNumber


class ReportTile(ActionBase, frozen=True, tag="tile"):
    """Report a physical tile that was drawn."""

    colour: Letter


class ShowTag(ActionBase, frozen=True, omit_defaults=False, tag="tag"):
    """Lay a tag on the reader that belongs to no place."""

    tag: TagText
    reader: Literal["shared"] = "shared"


class AskHint(ActionBase, frozen=True, tag="hint"):
    """Ask for a hint for a place, or with null for everybody who has a choice."""

    seat: SeatNumber | None = None


class SelectTiles(ActionBase, frozen=True, tag="select"):
    """Take the tiles of a colour from a source in hand; without both put those in hand back."""

    source: Annotated[int, msgspec.Meta(ge=0, le=9)] | None = None
    colour: Letter | None = None


class MakeChoice(ActionBase, frozen=True, tag="choose"):
    """Make a choice by its notation, as in `Target` and `Choosing`; a draft needs no selection."""

    choice: Annotated[str, msgspec.Meta(max_length=20)]


class SitDown(ActionBase, frozen=True, tag="sit"):
    """Let an opponent, or with an empty `bot` a person, sit at a seat; without a name the name stays."""

    seat: SeatNumber
    bot: Name = ""
    name: Name | None = None


class LeaveSeat(ActionBase, frozen=True, tag="leave"):
    """Free a seat."""

    seat: SeatNumber


class ChooseOptions(ActionBase, frozen=True, tag="options"):
    """Choose options of the next game; those that are left out stay as they are."""

    mode: Literal["standard", "gray", "dtc", "solo"] | None = None
    level: Literal["easy", "normal", "expert"] | None = None
    wall: Literal["coloured", "gray"] | None = None
    hints: bool | None = None


class StartGame(ActionBase, frozen=True, tag="start"):
    """Begin the next game with the player at a seat; with null the table draws who begins."""

    first: SeatNumber | None = None


class PlayAgain(ActionBase, frozen=True, tag="again"):
    """After a game, begin the same game again with the same players."""


class ChangeSettings(ActionBase, frozen=True, tag="settings"):
    """Change settings of the running table; those that are left out stay as they are.

    Without a language (null) each browser has its own.
    """

    palette: Annotated[str, msgspec.Meta(max_length=20)] | None = None
    brightness: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    pace: Literal["slow", "normal", "fast"] | None = None
    hints: bool | None = None
    sounds: bool | None = None
    language: Annotated[str, msgspec.Meta(max_length=10)] | msgspec.UnsetType | None = msgspec.UNSET
    confirm_columns: bool | None = None


class TeachTiles(ActionBase, frozen=True, tag="teach_tiles"):
    """Begin the lesson of the tiles of one colour, or of all."""

    colour: Literal[Letter, "all"]


class TeachPlayer(ActionBase, frozen=True, tag="teach_player"):
    """Begin the lesson of a player's card."""

    name: Name


class TeachAction(ActionBase, frozen=True, tag="teach_action"):
    """Begin the lesson of an action card."""

    action: Literal["undo", "ok", "new_game"]


class ForgetLast(ActionBase, frozen=True, tag="forget_last"):
    """Forget the tag that was learned last in this lesson."""


class EndLesson(ActionBase, frozen=True, tag="end_lesson"):
    """End the lesson."""


class ForgetTags(ActionBase, frozen=True, tag="forget"):
    """Forget what tags mean."""

    tags: Annotated[tuple[TagText, ...], msgspec.Meta(max_length=20)]


class ForgetTiles(ActionBase, frozen=True, tag="forget_tiles"):
    """Forget the tags of all tiles of a colour."""

    colour: Letter


class TeachGame(ActionBase, frozen=True, tag="teach_game"):
    """Explain the game step by step, or do not any more."""

    on: bool


class LessonSeen(ActionBase, frozen=True, tag="lesson_seen"):
    """The step that is explained was read."""


class SetFault(ActionBase, frozen=True, tag="fault"):
    """Begin or end a fault of a simulated part."""

    part: Annotated[str, msgspec.Meta(max_length=100)]
    fault: Annotated[str, msgspec.Meta(max_length=20)]
    on: bool


class ShowPosition(ActionBase, frozen=True, tag="show"):
    """Show the position after `step` events of a past game on the lights; without a number stop that."""

    number: GameNumber | None = None
    step: Annotated[int, msgspec.Meta(ge=0)] = 0


class BeginPractice(ActionBase, frozen=True, tag="practice"):
    """Begin a game for practice in a position of a past game; `bots` are the opponents by place."""

    number: GameNumber
    step: Annotated[int, msgspec.Meta(ge=0)]
    bots: Annotated[dict[int, Opponent], msgspec.Meta(max_length=4)] = {}


PastGameAction = ShowPosition | BeginPractice
TeachingAction = TeachTiles | TeachPlayer | TeachAction | ForgetLast | EndLesson | ForgetTags | ForgetTiles
LobbyAction = NamePlayer | SitDown | LeaveSeat | ChooseOptions | StartGame | PlayAgain
PlayAction = PressButton | ReportTile | ShowTag | AskHint | SelectTiles | MakeChoice
ClaimAction = ClaimSeat | ReleaseSeat
FirstGameAction = TeachGame | LessonSeen
SeatAction = LobbyAction | ClaimAction | FirstGameAction
Action = PlayAction | SeatAction | TeachingAction | PastGameAction | ChangeSettings | SetFault

_DRAFT = re.compile(r"([0-9])[byrkw]([1-5f])")


def allowed_to_phone(action: Action, snapshot: Snapshot) -> bool:
    """Return whether the table allows an action to phones in the network.

    A choice without buttons is allowed where its buttons are; what concerns all players, such as the start of
    a game, where the buttons of all seats are.
    """
    phones = snapshot.phones
    match action:
        case SelectTiles(source):
            return source is None or _source_button(source) in phones.press
        case MakeChoice(choice):
            return set(_buttons_of_choice(choice, snapshot)) <= set(phones.press)
        case SitDown(seat) | LeaveSeat(seat):
            return f"seat.{seat}.floor" in phones.press
        case ChooseOptions() | StartGame() | PlayAgain() | TeachGame() | LessonSeen():
            return set(_seat_buttons(snapshot)) <= set(phones.press)
        case PressButton(button):
            return button in phones.press and not action.physical
        case NamePlayer(seat):
            return f"seat.{seat}.floor" in phones.press
        case ClaimSeat(seat) | ReleaseSeat(seat):  # for hints only during a game, when no seat can be taken
            return phones.hint or f"seat.{seat}.floor" in phones.press
        case ReportTile():
            return phones.tell
        case AskHint():
            return phones.hint
        case _:
            return isinstance(action, TeachingAction | PastGameAction) and phones.learn


def _source_button(source: int) -> str:
    return f"display.{source}" if source else "centre"


def _seat_buttons(snapshot: Snapshot) -> list[str]:
    return [f"seat.{seat.seat}.floor" for seat in snapshot.seats]


def _buttons_of_choice(choice: str, snapshot: Snapshot) -> list[str]:
    """Return the buttons that make a choice; those of all seats if it can't be made now."""
    if (draft := _DRAFT.fullmatch(choice)) is not None:
        place = "floor" if draft[2] == "f" else f"line.{draft[2]}"
        acting = [f"seat.{seat.seat}.{place}" for seat in snapshot.seats if seat.acting]
        return [_source_button(int(draft[1])), *acting]
    found = [each.button for each in snapshot.choosing if each.token == choice]
    return found or _seat_buttons(snapshot)


# --- Subscription and questions: what the pages' process asks by itself ---


class Subscribe(msgspec.Struct, frozen=True, tag="subscribe"):
    """Subscribe to snapshots, and to light frames if wanted."""

    frames: bool = False


class ListGames(msgspec.Struct, frozen=True, tag="games"):
    """Ask for at most `count` past games, the newest first: those before a game's number."""

    count: int
    before: int | None = None


class ReadGame(msgspec.Struct, frozen=True, tag="game"):
    """Ask for a past game with its moves and its review."""

    number: int


class ReadRecord(msgspec.Struct, frozen=True, tag="record"):
    """Ask for the record of a finished game."""

    number: int


class ReadPositions(msgspec.Struct, frozen=True, tag="position"):
    """Ask for `count` positions of a past game, from that after `step` events on."""

    number: int
    step: int = 0
    count: int = 1


class ReadStatistics(msgspec.Struct, frozen=True, tag="statistics"):
    """Ask for the statistics of all finished games, or of those of the person with a name."""

    name: str | None = None


Question = ListGames | ReadGame | ReadRecord | ReadPositions | ReadStatistics


# --- Messages of the table ---


class LayoutMessage(msgspec.Struct, frozen=True, tag="layout"):
    """The drawing of the table."""

    layout: Layout


class SnapshotMessage(msgspec.Struct, frozen=True, tag="snapshot"):
    """A snapshot, not decoded yet."""

    snapshot: msgspec.Raw


class FrameMessage(msgspec.Struct, frozen=True, tag="frame"):
    """A light frame: six hex digits for each light, in the layout's order."""

    colours: str


class Beat(msgspec.Struct, frozen=True, tag="beat"):
    """A sign that the table's loop is running, at least once a second."""


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """The answer to an action or a question; `why` is the key of a refusal, the result is not decoded yet."""

    taken: bool
    why: str = ""
    result: msgspec.Raw = msgspec.Raw()


class ErrorMessage(msgspec.Struct, frozen=True, tag="error"):
    """What was wrong with a message to the table."""

    error: str


ServerMessage = LayoutMessage | SnapshotMessage | FrameMessage | Beat | Answer | ErrorMessage


# --- The layout: the drawing of the table, in millimetres ---


class Light(msgspec.Struct, frozen=True):
    """A light and its place."""

    name: str
    x: float
    y: float
    size: float


class Button(Light, frozen=True):
    """A button and its place; turn in degrees."""

    turn: float = 0


class Outline(msgspec.Struct, frozen=True):
    """The outline of a part: a circle or a rectangle around x, y; turn in degrees."""

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
    seats: int = 0
    outlines: tuple[Outline, ...] = ()
    on_pico: tuple[str, ...] = ()
    """What is connected to a Pico, of `lights`, `buttons` and `readers`."""


# --- The snapshot: seats and choices ---
# Source 0 is the centre, line 0 the floor; seats, lines, rows and columns count from 1.

Hex = Annotated[str, msgspec.Meta(pattern=r"^#[0-9a-fA-F]{6}$")]


class Colour(msgspec.Struct, frozen=True):
    """A tile colour of the palette: the key of its word, and the colour that the table's lights show."""

    name: str
    rgb: Hex


class StandIn(msgspec.Struct, frozen=True):
    """Why another opponent, `by`, chose for the one at a seat."""

    why: str
    by: str = ""
    detail: str = ""


class Seat(msgspec.Struct, frozen=True):
    """A seat and its board; `pattern` are the colours printed on its wall, None where that is gray.

    The solo game has two boards: the one whose role is `action`, and the player's. `claimed`: the seat
    belongs to a phone, whose secret has the SHA-256 `claim`, which no page may show.
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
    claimed: bool = False
    claim: str = ""


class MenuItem(msgspec.Struct, frozen=True):
    """Something to choose before a game."""

    value: str
    group: str = "mode"
    chosen: bool = False


class Target(msgspec.Struct, frozen=True):
    """A line (0: the floor) that tiles may go to, the notation of that draft, and what it would bring.

    `placed` tiles go to the line, which they may fill, `floor` tiles fall. `points` are those of the line's
    tile if it went to the wall now; None where that can't be said, 0 where the line is not full. `cost` are
    the points that the floor would cost more. In solo `sends` are the tiles for the penalty row.
    """

    line: int
    token: str
    placed: int = 0
    floor: int = 0
    fills: bool = False
    points: int | None = 0
    cost: int = 0
    sends: str = ""


class Options(msgspec.Struct, frozen=True):
    """The options of the next game; `level` and `wall` are those of a solo game."""

    mode: str = "standard"
    level: str = "easy"
    wall: str = "coloured"
    hints: bool = True


class Lobby(msgspec.Struct, frozen=True):
    """What can be chosen before a game: `modes` are those that the seats taken can play.

    `why` is the key of why the game can't begin, None when it is `ready`.
    """

    modes: tuple[str, ...] = ()
    all_modes: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    walls: tuple[str, ...] = ()
    options: Options = Options()
    opponents: tuple[str, ...] = ()
    ready: bool = False
    why: str | None = None


class Choice(msgspec.Struct, frozen=True):
    """The tiles that the acting player has selected, and the lines that may take them.

    In the solo game `sends` are the tiles that each line (its number as text) sends to the penalty row, and
    `tried` is the line that is tried.
    """

    source: int
    colour: str
    count: int
    lines: tuple[int, ...] = ()
    sends: dict[str, str] = {}
    tried: int | None = None
    targets: tuple[Target, ...] = ()


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """Details of a choice, a reason or a score step, of which each kind uses some.

    `row`, `column`: a tile on the wall. `position`: a penalty tile, from 1; None leaves them all.
    """

    seat: int = 0
    name: str | None = None
    line: int = 0
    row: int = 0
    column: int = 0
    colour: str = ""
    count: int = 0
    points: int = 0
    position: int | None = None


class Choosing(Details, frozen=True):
    """A choice other than a draft (column, square, swap or remove), its button and its notation."""

    button: str
    kind: str
    token: str = ""


# --- The snapshot: moves, reasons and hints ---


class Because(Details, frozen=True):
    """One reason for an opponent's choice."""

    key: str


class Reason(msgspec.Struct, frozen=True):
    """Why the opponent that chose last did so; `showing` while its choice is shown, before it happens."""

    seat: int
    name: str | None = None
    showing: bool = False
    because: tuple[Because, ...] = ()


class Move(Details, frozen=True):
    """A draft, or a choice as in `Choosing`, that was made or that a hint advises.

    Only those of past games have `round`, the `number` of the event and, where they are graded, the points
    `lost`. In a replay the kind may also be a chance event's: deal, penalty, scoring_colour, draw.
    """

    kind: str = "draft"
    source: int = 0
    fell: int = 0
    marker: bool = False
    token: str = ""
    because: tuple[Because, ...] = ()
    round: int = 0
    number: int = 0
    lost: float | None = None


class Advice(msgspec.Struct, frozen=True):
    """A hint: the choice, and the points that it gains against the next best."""

    seat: int
    choice: Move
    gain: float | None = None
    next: Move | None = None


class NoHint(msgspec.Struct, frozen=True):
    """A hint that was asked for and will not come, and the key of the reason."""

    seat: int
    why: str = ""


class Hint(msgspec.Struct, frozen=True):
    """The seats that may ask for a hint or wait for one, and the hints."""

    seats: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()
    shown: tuple[Advice, ...] = ()
    missed: tuple[NoHint, ...] = ()


# --- The snapshot: scoring and results ---


class Account(msgspec.Struct, frozen=True):
    """The steps of the scoring of a round; while it runs, only the steps shown so far."""

    round: int = 0
    running: bool = False
    steps: tuple[dict[str, Any], ...] = ()


class Step(Details, frozen=True):
    """One step of a scoring. A step of an unknown kind may have any fields: see `known_step`."""

    step: str
    across: int = 1
    down: int = 1
    tiles: int = 0
    cost: int = 0
    kind: str = ""
    which: int | str = ""
    nth: int = 0
    covers: bool = False
    aside: str | None = None
    drawn: str | None = None
    score: int = 0


def known_step(step: dict[str, Any]) -> Step:
    """Convert a step; of an unknown kind or form keep only the seat, the points and the score."""
    try:
        return msgspec.convert(step, Step)
    except msgspec.ValidationError:
        seat, points, score = (
            value if isinstance(value := step.get(key), int) else 0 for key in ("seat", "points", "score")
        )
        return Step("other", seat=seat, points=points, score=score)


class FinalScore(msgspec.Struct, frozen=True):
    """The final score of a seat, and its complete rows."""

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


# --- The snapshot: physical tiles, tags and cards ---


class ReportedTile(msgspec.Struct, frozen=True):
    """A physical tile that was reported: its display (0 is the penalty row), its place there, and its tag."""

    display: int
    at: int
    colour: str
    tag: str | None = None


class Resin(msgspec.Struct, frozen=True):
    """With physical tiles: the letters of what bag and lid must hold, and the tiles reported so far."""

    bag: str = ""
    lid: str = ""
    told: tuple[ReportedTile, ...] = ()


class Meaning(msgspec.Struct, frozen=True):
    """What a tag means or will mean: a tile, a player (by name) or an action; nothing if it has no kind."""

    kind: str | None = None
    value: str | None = None


class LessonStep(msgspec.Struct, frozen=True):
    """The step of a first game that is explained now: a key, what its text names, and whose turn it is."""

    key: str
    seat: int = 0
    line: int = 0
    colour: str = ""
    count: int = 0


class Card(Meaning, frozen=True, kw_only=True):
    """A card, and what it means."""

    tag: str


class LaidTag(Card, frozen=True, kw_only=True):
    """The tag that was laid last in a lesson, what became of it, and what it means; `number` is a tile's."""

    verdict: str
    number: int = 0


class Tags(msgspec.Struct, frozen=True):
    """The known tags: the number of tiles of each colour, and every card."""

    tiles: dict[str, int] = {}
    cards: tuple[Card, ...] = ()


class Learning(msgspec.Struct, frozen=True):
    """The current lesson: the meaning of the next tag, and how many tags were learned in it."""

    next: Meaning | None = None
    learned: int = 0
    last: LaidTag | None = None


class PartFault(msgspec.Struct, frozen=True):
    """A fault of a simulated part."""

    part: str
    fault: str


class SimulatedFaults(msgspec.Struct, frozen=True):
    """The faults that a simulated table can have, by part, and those that it has.

    The part `button` stands for every single button.
    """

    can: dict[str, tuple[str, ...]] = {}
    on: tuple[PartFault, ...] = ()


class Simulated(msgspec.Struct, frozen=True):
    """The simulated parts: tags of tiles by their letters, the known ones of them, cards, and faults.

    `drawer` is None while no tiles are reported or learned.
    """

    drawer: dict[str, tuple[str, ...]] | None = None
    known: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    faults: SimulatedFaults = SimulatedFaults()


class Settings(msgspec.Struct, frozen=True):
    """The settings that can be changed while the table runs, and what can be chosen.

    `palettes` are the colours of the lights of each palette, by letter; a language of None is each browser's.
    """

    palette: str = "box"
    brightness: float = 1
    pace: str = "normal"
    hints: bool = True
    sounds: bool = True
    language: str | None = None
    confirm_columns: bool = True
    least_brightness: float = 0.2
    palettes: dict[str, dict[str, Hex]] = {}
    paces: tuple[str, ...] = ()


# --- The snapshot as a whole ---


class Refusal(msgspec.Struct, frozen=True):
    """The key of why the table refused the last press; each refusal has another number."""

    say: str
    number: int = 0


class Phones(msgspec.Struct, frozen=True):
    """What phones in the network may do: press these buttons, report tiles, ask for hints, teach tags.

    `seats`: the seats of this table have no buttons but those on the pages.
    """

    press: tuple[str, ...] = ()
    tell: bool = False
    hint: bool = False
    learn: bool = False
    seats: bool = False


class Join(msgspec.Struct, frozen=True):
    """How phones join: the addresses of the pages in the network, the best one first, and the PIN if any.

    `here_only`: the pages can be opened on this machine only. `secret` is the key of the cookies that say
    that a phone knows the PIN. No page may show it, and the PIN only at the table.
    """

    addresses: tuple[str, ...] = ()
    here_only: bool = False
    pin: str = ""
    secret: str = ""


class Fault(msgspec.Struct, frozen=True):
    """A part of the table that is lost, and the key of the reason."""

    part: str
    why: str = ""


class Snapshot(msgspec.Struct, frozen=True):
    """The state of the table at one moment."""

    stage: str
    ask: dict[str, Any]
    asked: str = ""
    mode: str | None = None
    menu: tuple[MenuItem, ...] = ()
    lobby: Lobby | None = None
    explaining: bool = False
    lesson_step: LessonStep | None = None
    round: int = 0
    practice: bool = False
    first: int | None = None
    seats: tuple[Seat, ...] = ()
    displays: tuple[str, ...] = ()
    centre: str = ""
    marker_in_centre: bool = False
    choice: Choice | None = None
    offers: dict[str, tuple[Target, ...]] = {}
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
    join: Join = Join()
    settings: Settings | None = None


# --- Past games ---


class PastPosition(Snapshot, frozen=True):
    """The position of a past game: a snapshot without what belongs to the table."""

    stage: str = "offer"
    ask: dict[str, Any] = {}


class PastPlayer(msgspec.Struct, frozen=True):
    """A player and their score at the end, or so far; None where the game is too long to be replayed."""

    seat: int
    name: str | None = None
    bot: str | None = None
    score: int | None = None
    winner: bool = False


class RoundScores(msgspec.Struct, frozen=True):
    """The scores of all players after a round."""

    round: int
    scores: tuple[int, ...] = ()


class CostlyMove(msgspec.Struct, frozen=True):
    """A move that lost points, a better one, and the position before it with the better one selected."""

    round: int
    lost: float
    played: Move
    better: Move
    position: PastPosition
    number: int = 0


class Review(msgspec.Struct, frozen=True):
    """The points that a player's choices lost, how many were graded, and the costliest, worst first."""

    seat: int
    lost: float = 0
    choices: int = 0
    costliest: tuple[CostlyMove, ...] = ()


class PastGame(msgspec.Struct, frozen=True):
    """A game in the list; times are UTC: 2026-11-20 13:46:07. Status: finished, in_play, stopped, unreadable.

    Of an unreadable game only the number and the start are known.
    """

    number: int
    started: str
    status: str
    mode: str | None = None
    level: str | None = None
    wall: str | None = None
    victory: str | None = None
    practice: bool = False
    players: tuple[PastPlayer, ...] = ()


class ReviewedGame(PastGame, frozen=True):
    """A game with all its choices and its review so far; `choices` is the number of those to grade.

    `curve` has the steps at which scores change, with all scores. Without moves and position the game is too
    long to be shown.
    """

    events: int = 0
    choices: int = 0
    moves: tuple[Move, ...] | None = None
    scores: tuple[RoundScores, ...] | None = None
    curve: tuple[tuple[int, tuple[int, ...]], ...] | None = None
    reviews: tuple[Review, ...] | None = None
    position: PastPosition | None = None


class ReplayPosition(msgspec.Struct, frozen=True):
    """The position of a past game after `step` events, and the event that led to it."""

    step: int
    position: PastPosition
    event: Move | None = None


class ReplayPositions(msgspec.Struct, frozen=True):
    """Successive positions of a past game, whose last step is `steps`."""

    steps: int
    positions: tuple[ReplayPosition, ...] = ()


class PastGames(msgspec.Struct, frozen=True):
    """Some games, the newest first, and whether there are older ones."""

    games: tuple[PastGame, ...] = ()
    more: bool = False


# --- Statistics of past games ---


class PointSources(msgspec.Struct, frozen=True):
    """The mean points of a game by where they come from; the floor's are 0 or less."""

    placing: float = 0
    rows: float = 0
    columns: float = 0
    colours: float = 0
    floor: float = 0
    other: float = 0


class Sums(msgspec.Struct, frozen=True, kw_only=True):
    """Games with their wins, mean and best scores, and the points that the graded `choices` lost in all."""

    games: int = 0
    wins: int = 0
    mean: float = 0
    best: int = 0
    points: PointSources = PointSources()
    lost: float = 0
    choices: int = 0


class GroupSums(Sums, frozen=True, kw_only=True):
    """The games of a mode for a number of players."""

    mode: str
    players: int


class PersonSums(Sums, frozen=True, kw_only=True):
    """The games of the person with a name."""

    name: str


class BotSums(Sums, frozen=True, kw_only=True):
    """The games of an opponent."""

    bot: str


class Cost(msgspec.Struct, frozen=True, rename={"first": "from", "last": "to"}):
    """What the choices of some successive games lost, and when the first and the last of them began (UTC)."""

    first: str
    last: str
    choices: int = 0
    lost: float = 0


class PairSums(msgspec.Struct, frozen=True):
    """The games of two players, and how often the one was ahead of and behind the other.

    On a player's page `name` or `bot` is the other one.
    """

    games: int
    ahead: int = 0
    behind: int = 0
    one: str = ""
    other: str = ""
    name: str | None = None
    bot: str | None = None


class HouseStatistics(msgspec.Struct, frozen=True):
    """The statistics of all finished games; `missing` games are not counted yet."""

    games: int = 0
    missing: int = 0
    groups: tuple[GroupSums, ...] = ()
    people: tuple[PersonSums, ...] = ()
    opponents: tuple[BotSums, ...] = ()
    costs: tuple[Cost, ...] = ()
    pairs: tuple[PairSums, ...] = ()


class PlayerStatistics(PersonSums, frozen=True, kw_only=True):
    """The statistics of a person's finished games."""

    missing: int = 0
    groups: tuple[GroupSums, ...] = ()
    costs: tuple[Cost, ...] = ()
    against: tuple[PairSums, ...] = ()


# --- Encoding and decoding ---


class _Schema(msgspec.Struct, frozen=True):
    schema: int


_Read = TypeVar("_Read")
_action: msgspec.json.Decoder[Action] = msgspec.json.Decoder(Action)
_message: msgspec.json.Decoder[ServerMessage] = msgspec.json.Decoder(ServerMessage)
_schema = msgspec.json.Decoder(_Schema)
_snapshot = msgspec.json.Decoder(Snapshot)
_json: msgspec.json.Decoder[dict[str, Any]] = msgspec.json.Decoder(dict[str, Any])


def encode(message: Subscribe | Action | Question) -> bytes:
    """Encode a message to the table as a line."""
    return msgspec.json.encode(message) + b"\n"


def read_action(body: bytes) -> Action:
    """Decode the action that a page posts. Raises MessageError."""
    action = _decode(_action, body)
    if action.before is not None:
        raise MessageError("not readable: a page can't set `before`")
    if action.by is not None or (isinstance(action, ClaimSeat) and action.claim):
        raise MessageError("not readable: a page can't set `by` or `claim`")
    return action


def read_message(line: bytes) -> ServerMessage:
    """Decode a line of the table. Raises MessageError."""
    return _decode(_message, line)


def read_snapshot(raw: bytes | msgspec.Raw) -> Snapshot:
    """Decode a snapshot. Raises NewerSchemaError, before anything else is checked, or MessageError."""
    schema = _decode(_schema, raw).schema
    if schema > SCHEMA:
        raise NewerSchemaError(f"the snapshot's schema is {schema}; these pages know {SCHEMA}")
    return _decode(_snapshot, raw)


def public_snapshot(raw: bytes | msgspec.Raw) -> bytes:
    """Return a snapshot as everybody may see it: without claims, PIN and secret. Raises MessageError."""
    snapshot = _decode(_json, raw)
    for seat in snapshot.get("seats", ()):
        seat.pop("claim", None)
    for secret in ("pin", "secret"):
        snapshot.get("join", {}).pop(secret, None)
    return msgspec.json.encode(snapshot)


def read_result(raw: msgspec.Raw, kind: type[_Read]) -> _Read:
    """Decode the result of a question as a type. Raises MessageError."""
    return _decode(msgspec.json.Decoder(kind), raw)


def _decode(decoder: msgspec.json.Decoder[_Read], line: bytes | msgspec.Raw) -> _Read:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise MessageError(f"not readable: {fault}") from fault


class Lines:
    """Splits received bytes into lines; a line longer than the limit is skipped, never kept."""

    def __init__(self, limit: int = LONGEST_LINE) -> None:
        self.limit = limit
        self._rest = bytearray()
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that these bytes complete, without their line ends."""
        self._rest += data
        *whole, rest = self._rest.split(b"\n")
        self._rest = rest
        lines = []
        for line in whole:
            if not self._dropping and len(line) <= self.limit:
                lines.append(bytes(line))
            self._dropping = False
        if len(self._rest) > self.limit:
            self._rest.clear()
            self._dropping = True
        return lines
