"""The phone page: prompt, offer, seats, moves, score account, result, tile counts; and viewers of pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from werkzeug.wrappers import Request

from web_ui.latest import Presence, View
from web_ui.messages import Colour, Result, Seat, Snapshot, Step
from web_ui.security import Access, access_level, claim_in, has_pin_pass, same_text
from web_ui.text.rulebook import MODES
from web_ui.text.sentences import (
    ACTION,
    AT_THE_END,
    DRAFTING,
    MARKER,
    WITHOUT_POINTS,
    SnapshotFormatter,
    notes,
    reasons,
    step_sentence,
)
from web_ui.text.words import Words
from web_ui.views.boards import NO_HANDS, WITHOUT_BOARDS, Hands

SEATS = 4
"""The most seats of a table."""

DISPLAY_TILES = 4
"""Tiles of a display; in the solo game it may get a fifth."""

BEFORE_THE_GAME = ("seating", "choosing")
"""Stages in which players sit down and choose a game."""

REPORTING = "telling"
"""The stage in which players report the physical tiles that they draw."""

LEVELS = ((100, "artisan"), (90, "master"), (80, "journeyman"), (70, "apprentice"), (60, "general_interest"))
"""The least points of each victory in the solo game."""


KEYS = {"blue": "b", "yellow": "y", "red": "r", "black": "k", "white": "w", "green": "g", "orange": "o"}
"""The letter of each colour on the keyboard; the colours of bot games have other letters in the notation."""


# --- Viewers ---------------------------------------------------------------------------------------------

PHONE = "phone"
TABLE = "table"
PLAY = "play"
WALL = "wall"
TAGS = "tags"
JOIN = "join"
SETTINGS = "settings"
PAGES = (PHONE, TABLE, PLAY, WALL, TAGS, JOIN, SETTINGS)
"""The live pages; `play` and `table` are the faces of the twin (Play and Hardware), `wall` a television."""

TWIN = (PLAY, TABLE)
"""The faces of the twin."""

SCREENS = (PLAY, TABLE, WALL)
"""The pages that the table's own screen shows to all who sit there."""

SEATED_PAGES = (PHONE, JOIN, PLAY)
"""The pages that depend on the seat of a phone."""

NO_SEAT = 0
"""The seat of a phone that several players share."""


class Viewer(Struct, frozen=True):
    """A page as one browser sees it: whether it runs at the table, and the seat that belongs to it.

    `locked`: a phone has to enter the PIN before it may do more than look.
    """

    page: str
    at_table: bool = True
    seat: int = NO_SEAT
    locked: bool = False

    @property
    def limited(self) -> bool:
        """Whether this viewer may do no more than the table allows phones."""
        return self.page == PHONE or (self.page == PLAY and not self.at_table)

    @property
    def host(self) -> bool:
        """Whether this is the table's own screen, which shows the PIN and gives seats to other phones."""
        return self.at_table and self.page in SCREENS


def identify_viewer(request: Request, page: str, snapshot: Snapshot | None) -> Viewer:
    """Return the viewer of a page; the table's own screen has no seat."""
    at_table = access_level(request) is Access.TABLE
    if page in SCREENS and (at_table or page != PLAY):
        return Viewer(page, at_table)
    locked = not at_table and is_locked(request, snapshot)
    return seated(Viewer(page, at_table, locked=locked), claim_in(request), snapshot)


def is_locked(request: Request, snapshot: Snapshot | None) -> bool:
    """Return whether a phone has to enter the PIN first."""
    if snapshot is None or not snapshot.join.pin:
        return False
    return not has_pin_pass(request, snapshot.join.pin, snapshot.join.secret)


def seated(viewer: Viewer, claim: str, snapshot: Snapshot | None) -> Viewer:
    """Return the viewer with the seat that belongs to its phone, whose claim is given; empty for none."""
    seats = snapshot.seats if snapshot is not None and claim and viewer.page in SEATED_PAGES else ()
    mine = (seat.seat for seat in seats if same_text(seat.claim, claim))
    return replace(viewer, seat=next(mine, NO_SEAT))


# --- The prompt ------------------------------------------------------------------------------------------


class TurnView(Struct, frozen=True):
    """Whose turn it is and what to do, in a few words too; `away`: the table can't be seen.

    `refusals` is the number of the refusal: one that is repeated is shown again.
    """

    head: str
    ask: str
    short: str = ""
    round: str = ""
    refusal: str = ""
    refusals: int = 0
    notes: tuple[str, ...] = ()
    away: bool = False


def turn(view: View, words: Words, viewer: Viewer, hands: Hands = NO_HANDS) -> TurnView:
    """Return whose turn it is, or why the table can't be seen; the acting player reads "Your turn".

    A viewer who can do nothing now reads what happens instead of what to do.
    """
    snapshot = view.snapshot
    if view.presence is not Presence.HERE or snapshot is None:
        presence = view.presence if view.presence is not Presence.HERE else Presence.AWAY
        head = words.text(f"presence_head.{presence}")
        return TurnView(head=head, ask=words.text(f"presence.{presence}"), away=True)
    acts = bool(hands.live or hands.tokens)
    formatter = SnapshotFormatter(words, snapshot, on_page=acts and viewer.page != TABLE)  # it draws buttons
    watched = "" if acts else formatter.watched()
    acting = snapshot.ask.get("seat") if formatter.prompt in DRAFTING and not formatter.solo else None
    return TurnView(
        head=words.text("head.yours") if acting == viewer.seat else formatter.heading(),
        ask=watched or formatter.instruction(),
        short=_in_short(formatter) if acts else "",
        round=_occasion(formatter),
        refusal=formatter.refusal(snapshot.refusal.say) if snapshot.refusal else "",
        refusals=snapshot.refusal.number if snapshot.refusal else 0,
        notes=notes(formatter),
    )


def _in_short(formatter: SnapshotFormatter) -> str:
    """Return what to do in a few words; empty where only the whole sentence says it."""
    words, choice = formatter.words, formatter.snapshot.choice
    key = f"short.{formatter.prompt}"
    if key not in words:
        return ""
    tiles = ""
    if choice is not None:
        tiles = formatter.counted(choice.count, choice.colour)
    return words.text(key, tiles=tiles)


class PromptView(Struct, frozen=True):
    """The instruction where the offer is empty or is not used, and the last step of a running scoring."""

    ask: str
    recent: MoveView | None = None
    over: bool = False


def prompt(formatter: SnapshotFormatter, hands: Hands = NO_HANDS) -> PromptView | None:
    """Return the instruction for the room of the offer; None while the offer itself says what to do.

    `over`: the offer is there, and the instruction lies over it.
    """
    snapshot = formatter.snapshot
    if snapshot.stage in BEFORE_THE_GAME or snapshot.result is not None or formatter.prompt in DRAFTING:
        return None
    if formatter.prompt in ("bot_thinks", "bot_takes", "bot_puts") and offer(formatter):
        return None
    account = snapshot.account
    step = recent(formatter) if account is not None and account.running else None
    acts = bool(hands.live or hands.tokens)
    ask = "" if acts else formatter.watched()
    ask = ask or SnapshotFormatter(formatter.words, snapshot, on_page=acts).instruction()
    return PromptView(ask, step, over=bool(offer(formatter)))


def _occasion(formatter: SnapshotFormatter) -> str:
    """Return what is played: a mode other than standard, what was chosen for it, and the round."""
    words, snapshot = formatter.words, formatter.snapshot
    parts = [] if snapshot.mode in (None, "standard") else [words.text(f"menu.mode.{snapshot.mode}")]
    if snapshot.stage == "choosing":
        chosen = [item for item in snapshot.menu if item.chosen and item.value != snapshot.mode]
        parts += [words.text(f"menu.{item.group}.{item.value}") for item in chosen]
    if snapshot.practice:
        parts.append(words.text("history.practice"))
    if snapshot.round:
        parts.append(words.text("round.number", round=snapshot.round))
    return " \N{MIDDLE DOT} ".join(parts)


# --- The offer -------------------------------------------------------------------------------------------


class Take(Struct, frozen=True):
    """All tiles of one colour on a source: letter, how many, and marks.

    `lifted`: they are in hand; `advised`: a hint names them; `name` is the name of their button, empty where
    the viewer can't take them.
    """

    letter: str
    count: int
    lifted: bool = False
    advised: bool = False
    name: str = ""


class SourceView(Struct, frozen=True):
    """A display or the centre (number 0) with its tiles; `chosen` is the colour in hand.

    `takes` are its tiles by colour; those of the centre are all colours in their order, so that each has its
    place. `free`: while physical tiles are reported, the empty spaces, true for the one of the next tile.
    `due`: the display that a solo game plays now. `live`: the viewer may take tiles from it.
    """

    number: int
    label: str
    spoken: str
    tiles: str
    chosen: str = ""
    free: tuple[bool, ...] = ()
    due: bool = False
    takes: tuple[Take, ...] = ()
    marker: bool = False
    live: bool = False


class OfferView(Struct, frozen=True):
    """The displays and the centre, the tiles in hand (`3r`), and what each choice would bring as JSON.

    `keys` has for each colour its letter on the keyboard before its letter in the notation: `bbyyrrkkww`.

    `hand` is empty with nothing in hand, `targets` where the viewer can't take tiles: see `targets_json`.
    """

    sources: tuple[SourceView, ...]
    title: str
    keys: str
    hand: str = ""
    targets: str = ""


def whole_offer(formatter: SnapshotFormatter, hands: Hands = NO_HANDS) -> OfferView | None:
    """Return the offer with the buttons that the viewer has; None without a game and after the drafting."""
    found = offer(formatter, hands)
    if not found:
        return None
    choice, palette = formatter.snapshot.choice, formatter.snapshot.palette
    telling = any(source.free for source in found)
    return OfferView(
        found,
        formatter.words.text("offer.telling" if telling else "offer.title"),
        "".join(KEYS.get(colour.name, letter) + letter for letter, colour in palette.items()),
        f"{choice.source}{choice.colour}" if choice is not None else "",
        targets_json(formatter) if any(source.live for source in found) else "",
    )


def targets_json(formatter: SnapshotFormatter) -> str:
    """Return for each source and colour what its tiles would bring on each line, as JSON for `play.js`.

    `of` has the place in `sets` by source and colour: `{"of":{"3r":0},"sets":[[[2,1,0,1,3,0,""]]]}`. A
    target is the line (0: the floor), the tiles placed, the tiles that fall, 1 if the line fills, the points
    (null on gray walls), the points that the floor costs more, and the tiles for the penalty row. Sources
    with equal targets share a set, which keeps the page small.
    """
    sets: dict[str, int] = {}
    places = {}
    for taken, targets in formatter.snapshot.offers.items():
        rows = [
            [each.line, each.placed, each.floor, int(each.fills), each.points, each.cost, each.sends]
            for each in targets
        ]
        places[taken] = sets.setdefault(json.dumps(rows, separators=(",", ":")), len(sets))
    of = json.dumps(places, separators=(",", ":"))
    return f'{{"of":{of},"sets":[{",".join(sets)}]}}'


def offer(formatter: SnapshotFormatter, hands: Hands = NO_HANDS) -> tuple[SourceView, ...]:
    """Return the displays and the centre; empty without a game and after the drafting."""
    snapshot = formatter.snapshot
    reporting = snapshot.stage == REPORTING and formatter.prompt != "tell_penalty"
    if reporting and not any(snapshot.displays):
        return tuple(_reported(formatter, number) for number in range(1, len(snapshot.displays) + 1))
    if snapshot.result is not None or not (any(snapshot.displays) or snapshot.centre):
        return ()
    displays = [source(formatter, number, tiles, hands) for number, tiles in enumerate(snapshot.displays, 1)]
    if not formatter.solo:
        centre = snapshot.centre + (MARKER if snapshot.marker_in_centre else "")
        return (*displays, source(formatter, 0, centre, hands))
    return tuple(replace(view, due=f"display.{view.number}" in snapshot.live) for view in displays)


def _reported(formatter: SnapshotFormatter, number: int) -> SourceView:
    """Return a display while its physical tiles are reported, with the space of the next one."""
    words, ask, resin = formatter.words, formatter.snapshot.ask, formatter.snapshot.resin
    reported = resin.told if resin is not None else ()
    tiles = "".join(tile.colour for tile in reported if tile.display == number)
    label = words.text("offer.display", number=number)
    held = formatter.tiles(tiles) if tiles else words.text("offer.empty")
    due = ask.get("display") == number
    spoken = words.text("offer.next" if due else "offer.holds", source=label, tiles=held)
    free = max(DISPLAY_TILES - len(tiles), int(due))
    takes = tuple(Take(letter, 1) for letter in tiles)
    return SourceView(
        number, label, spoken, tiles, takes=takes, free=tuple(due and not at for at in range(free))
    )


def source(formatter: SnapshotFormatter, number: int, tiles: str, hands: Hands = NO_HANDS) -> SourceView:
    """Return a display or the centre (number 0) with these tiles."""
    words, choice = formatter.words, formatter.snapshot.choice
    label = words.text("offer.display", number=number) if number else words.text("offer.centre")
    held = formatter.tiles(tiles) if tiles else words.text("offer.empty")
    order = {letter: index for index, letter in enumerate(formatter.snapshot.palette)}  # the marker is last
    tiles = "".join(sorted(tiles, key=lambda letter: (order.get(letter, len(order)), letter)))
    spoken, chosen = words.text("offer.holds", source=label, tiles=held), ""
    if choice is not None and choice.source == number:
        chosen = choice.colour
        spoken = words.text("offer.chosen", source=label, tiles=held, chosen=formatter.colour(chosen))
    live = formatter.prompt in DRAFTING and (f"display.{number}" if number else "centre") in hands.live
    advised = _advised_tiles(formatter)
    takes = tuple(
        Take(
            letter,
            tiles.count(letter),
            lifted=letter == chosen,
            advised=(number, letter) in advised,
            name=_take_name(formatter, number, letter, tiles.count(letter)) if live else "",
        )
        for letter in (order if number == 0 else dict.fromkeys(tiles))
    )
    return SourceView(
        number, label, spoken, tiles, chosen, takes=takes, marker=number == 0 and MARKER in tiles, live=live
    )


def _take_name(formatter: SnapshotFormatter, number: int, letter: str, count: int) -> str:
    """Return the name of the button that takes tiles: "Take 2 blue from display 1"."""
    text = formatter.words.text
    if not count:
        return ""
    tiles = formatter.counted(count, letter)
    return text("offer.take", tiles=tiles, source=formatter.source(number))


def _advised_tiles(formatter: SnapshotFormatter) -> set[tuple[int, str]]:
    """Return source and colour of the drafts that the hints shown advise."""
    shown = (advice.choice for advice in formatter.snapshot.hint.shown)
    return {(choice.source, choice.colour) for choice in shown if choice.kind == "draft"}


# --- Seats, moves and the score account ------------------------------------------------------------------


class SeatView(Struct, frozen=True):
    """A seat before the game."""

    label: str
    name: str
    taken: bool


def seats(formatter: SnapshotFormatter) -> tuple[SeatView, ...]:
    """Return the seats before a game; empty during one."""
    words, snapshot = formatter.words, formatter.snapshot
    if snapshot.stage not in BEFORE_THE_GAME:
        return ()
    return tuple(
        SeatView(
            label=words.text("player.seat", seat=seat.seat),
            name=_sitter(formatter, seat) if seat.taken else words.text("player.free"),
            taken=seat.taken,
        )
        for seat in snapshot.seats
    )


def _sitter(formatter: SnapshotFormatter, seat: Seat) -> str:
    who = formatter.player(seat.seat, seat.name)
    if not seat.bot:
        return who
    return formatter.words.text("player.opponent", who=who, what=formatter.strength(seat.bot))


class MoveView(Struct, frozen=True):
    """A move as a sentence, its colour, and an opponent's reasons."""

    text: str
    colour: str
    why: str = ""


def moves(formatter: SnapshotFormatter) -> tuple[MoveView, ...]:
    """Return the last moves, newest first."""
    return tuple(
        MoveView(formatter.move(move), move.colour, reasons(formatter, move))
        for move in reversed(formatter.snapshot.moves)
    )


def recent(formatter: SnapshotFormatter) -> MoveView | None:
    """Return the last step of a running score account, else the last move, if there is one."""
    account, steps = formatter.snapshot.account, formatter.steps()
    if account is not None and account.running and steps:
        return MoveView(step_sentence(formatter, steps[-1]), steps[-1].colour)
    return next(iter(moves(formatter)), None)


class ScoredView(Struct, frozen=True):
    """The last step of a running scoring: where it shows on a board (row 0: the floor), and its points."""

    seat: int
    row: int
    column: int
    points: str


def scored(formatter: SnapshotFormatter) -> ScoredView | None:
    """Return the last step of a running scoring; None while none runs, and for a step without points."""
    account, steps = formatter.snapshot.account, formatter.steps()
    if account is None or not account.running or not steps or steps[-1].step in WITHOUT_POINTS:
        return None
    last = steps[-1]
    return ScoredView(last.seat, last.row, last.column, _signed(last.points))


class PlayerAccount(Struct, frozen=True):
    """All steps of one player's score, as sentences and points with their sign, and the score after them."""

    total: str
    steps: tuple[tuple[str, str], ...]


class AccountView(Struct, frozen=True):
    """How the scores of a round came about; in a solo game one list of both boards' steps."""

    title: str
    running: bool
    players: tuple[PlayerAccount, ...]


def account(formatter: SnapshotFormatter) -> AccountView | None:
    """Return how the scores came about, player by player; None before the first scoring."""
    words, account = formatter.words, formatter.snapshot.account
    if account is None or not (account.steps or account.running):
        return None
    steps = formatter.steps()
    key = "account.round"
    if any(step.step in AT_THE_END for step in steps):
        key = "account.final_solo" if formatter.solo else "account.final"
    if formatter.solo:
        scores = [step.score for step in steps if formatter.role(step.seat) != ACTION]
        total = words.text("account.solo", score=scores[-1]) if scores else ""
        players: tuple[PlayerAccount, ...] = (PlayerAccount(total, _steps(formatter, steps)),)
    else:
        players = tuple(
            _account_of(formatter, [step for step in steps if step.seat == seat])
            for seat in dict.fromkeys(step.seat for step in steps)
        )
    return AccountView(words.text(key, round=account.round), account.running, players)


def _account_of(formatter: SnapshotFormatter, steps: Sequence[Step]) -> PlayerAccount:
    """Return the account of one player with these steps."""
    who = formatter.player(steps[-1].seat, steps[-1].name)
    total = formatter.words.text("account.total", who=who, score=steps[-1].score)
    return PlayerAccount(total, _steps(formatter, steps))


def _steps(formatter: SnapshotFormatter, steps: Sequence[Step]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (step_sentence(formatter, step), "" if step.step in WITHOUT_POINTS else _signed(step.points))
        for step in steps
    )


def _signed(points: int) -> str:
    return f"+{points}" if points > 0 else f"\N{MINUS SIGN}{-points}" if points < 0 else "0"


# --- The result ------------------------------------------------------------------------------------------


class ResultView(Struct, frozen=True):
    """The end of a game: players from the best on, with score, complete rows, and whether they won.

    Of a solo game: what ended it, the rule that made it a loss, and what scores are worth. `levels` are the
    least points, the name, and whether it was reached, from the highest on.
    """

    title: str
    players: tuple[tuple[str, int, int, bool], ...] = ()
    tie: str = ""
    ending: str = ""
    rule: str = ""
    levels: tuple[tuple[str, str, bool], ...] = ()


def result(formatter: SnapshotFormatter) -> ResultView | None:
    """Return the end of the game; None before."""
    ended: Result | None = formatter.snapshot.result
    if ended is None:
        return None
    if ended.victory:
        return _solo_result(formatter, ended)
    best_first = sorted(ended.scores, key=lambda end: (not end.winner, -end.score, -end.rows, end.seat))
    players = tuple(
        (formatter.player(end.seat, end.name), end.score, end.rows, end.winner) for end in best_first
    )
    tie = formatter.words.text(f"result.tie_{ended.tie}") if ended.tie in ("rows", "shared") else ""
    return ResultView(formatter.words.text("result.title"), players, tie)


def _solo_result(formatter: SnapshotFormatter, ended: Result) -> ResultView:
    words = formatter.words
    ending = words.text(f"result.{ended.ending}") if f"result.{ended.ending}" in words else ""
    if ended.victory == "master" and ended.score >= LEVELS[0][0]:
        ending = f"{ending} {words.text('result.not_artisan')}"
    return ResultView(
        title=words.text("result.title"),
        ending=ending,
        rule=ended.rule or "",
        levels=tuple(
            (words.text("result.from", points=least), words.text(f"victory.{name}"), name == ended.victory)
            for least, name in LEVELS
        ),
    )


# --- Tile counts, colours, and the link to the rules -----------------------------------------------------


class CountView(Struct, frozen=True):
    """What the bag or the lid must hold: a sentence, and letter, name and number of each colour."""

    title: str
    tiles: tuple[tuple[str, str, int], ...]


def counts(formatter: SnapshotFormatter) -> tuple[CountView, ...]:
    """Return what the bag and the lid must hold with physical tiles; a bot game has no lid."""
    snapshot = formatter.snapshot
    resin = snapshot.resin
    if resin is None:
        return ()
    bag = _count(formatter, "bag", resin.bag)
    if snapshot.mode == "dtc":
        return (bag,)
    return bag, _count(formatter, "out" if formatter.solo else "lid", resin.lid)


def _count(formatter: SnapshotFormatter, container: str, tiles: str) -> CountView:
    title = formatter.words.text(f"resin.{container}", count=len(tiles))
    colours = formatter.snapshot.palette
    return CountView(
        title, tuple((letter, formatter.colour(letter), tiles.count(letter)) for letter in colours)
    )


class LegendView(Struct, frozen=True):
    """Letter and name of each colour, and a note on those that shine in another hue than they are drawn."""

    colours: tuple[tuple[str, str], ...]
    note: str = ""


def legend(formatter: SnapshotFormatter) -> LegendView | None:
    """Return the names of the colours during a game; None before.

    No light can be black: a black tile is drawn dark, and shines violet.
    """
    palette = formatter.snapshot.palette
    if formatter.snapshot.stage in WITHOUT_BOARDS or not palette:
        return None
    colours = tuple((letter, formatter.colour_title(letter)) for letter in palette)
    black = any(colour.name == "black" for colour in palette.values())
    return LegendView(colours, formatter.words.text("legend.violet") if black else "")


class LinksView(Struct, frozen=True):
    """The paths of the rules of the mode that is played or chosen, and of the past games and their sums."""

    rules: str
    history: str
    statistics: str
    any_mode: bool


def links(formatter: SnapshotFormatter, page: str) -> LinksView:
    """Return the links of a page; those of the twin say so, so that they lead back to it."""
    mode = formatter.snapshot.mode if formatter.snapshot.mode in MODES else ""
    came = came_from(page)
    rules = f"/rules/{mode}{came}" if mode else f"/rules{came}"
    return LinksView(rules, f"/history{came}", f"/statistics{came}", not mode)


def came_from(page: str) -> str:
    """Return the query that says which page a link was followed from; empty for the phone page."""
    return "?from=table" if page in TWIN else ""


class TileView(Struct, frozen=True):
    """A tile's symbol: its letter, its colour's name and value, and the ink of its ornament."""

    letter: str
    name: str
    rgb: str
    ink: str


def palette(snapshot: Snapshot | None) -> tuple[TileView, ...]:
    """Return the symbols of all tile colours."""
    return tiles_of_palette(snapshot.palette if snapshot else {})


def tiles_of_palette(colours: Mapping[str, Colour]) -> tuple[TileView, ...]:
    """Return the symbols of these tile colours."""
    return tuple(_tile(letter, colour) for letter, colour in colours.items())


def _tile(letter: str, colour: Colour) -> TileView:
    """Return a tile in the colour of its light; a colour of low saturation is brightened to white."""
    channels = [int(colour.rgb[start : start + 2], 16) for start in (1, 3, 5)]
    most = max(channels)
    if min(channels) > 0.8 * most:
        channels = [round(channel * 255 / most) for channel in channels]
    return TileView(letter, colour.name, "#{:02x}{:02x}{:02x}".format(*channels), _ink(channels))


def _ink(channels: list[int]) -> str:
    """Return `light` if white has a contrast of 3 to 1 on the colour (WCAG), else `dark`."""
    parts = [channel / 255 for channel in channels]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "light" if 1.05 / (luminance + 0.05) >= 3 else "dark"
