"""Joining: the seats round the table to pick from, how phones join, and whether it is a phone's turn."""

from __future__ import annotations

import json
from collections.abc import Iterator

from msgspec import Struct

from web_ui.messages import Seat, Snapshot
from web_ui.text.sentences import ACTION, SnapshotFormatter
from web_ui.views.phone import BEFORE_THE_GAME, WALL, Viewer

# --- The page `/join` ---


class JoinSeat(Struct, frozen=True):
    """A seat round the table, drawn at `at`: the name of who sits there, and what a tap does.

    `kind`: `free`, `open` (a person without a phone), `mine`, `phone` (another phone's) or `bot`. Only those
    with a text can be tapped; `note` says why not, or who sits there.
    """

    seat: int
    at: str
    label: str
    name: str
    kind: str
    text: str
    note: str


class JoinView(Struct, frozen=True):
    """The seats in their order round the table, and a sentence about them."""

    seats: tuple[JoinSeat, ...]
    sentence: str


def seats(formatter: SnapshotFormatter, _viewer: Viewer) -> JoinView:
    """Return the seats that a phone can take, and those that it can't."""
    found = tuple(_seats(formatter, _viewer))
    key = "choose" if any(seat.text for seat in found) else "none_free"
    if not any(may_claim(formatter.snapshot, seat.seat) for seat in found):
        key = "watch_only"
    return JoinView(found, formatter.words.text(f"join.{key}"))


def may_claim(snapshot: Snapshot, seat: int) -> bool:
    """Return whether phones may have seats: for its buttons, during a game also for hints."""
    return snapshot.phones.hint or f"seat.{seat}.floor" in snapshot.phones.press


def _seats(formatter: SnapshotFormatter, viewer: Viewer) -> Iterator[JoinSeat]:
    snapshot = formatter.snapshot
    shown = [seat for seat in snapshot.seats if seat.role != ACTION]
    if snapshot.stage not in BEFORE_THE_GAME:
        shown = [seat for seat in shown if seat.taken]
    for seat in shown:
        at = f"{len(snapshot.seats)}-{seat.seat}"
        yield _seat(formatter, seat, at, mine=viewer.seat == seat.seat)


def _seat(formatter: SnapshotFormatter, seat: Seat, at: str, *, mine: bool) -> JoinSeat:
    text, label = formatter.words.text, formatter.words.text("player.seat", seat=seat.seat)
    name = formatter.player(seat.seat, seat.name) if seat.taken else ""
    may = may_claim(formatter.snapshot, seat.seat)
    sits = formatter.snapshot.stage in BEFORE_THE_GAME
    match seat:
        case Seat(bot=str()):
            return JoinSeat(seat.seat, at, label, name, "bot", "", text("join.opponent"))
        case _ if mine:
            return JoinSeat(seat.seat, at, label, name, "mine", text("join.stay"), "")
        case Seat(claimed=True):
            return JoinSeat(seat.seat, at, label, name, "phone", "", text("join.other_phone"))
        case Seat(taken=True):
            return JoinSeat(seat.seat, at, label, name, "open", text("join.play_as") if may else "", "")
        case _:
            note = "" if may and sits else text("player.free")
            return JoinSeat(seat.seat, at, label, "", "free", text("join.sit") if may and sits else "", note)


# --- How phones join: on the twin and on the wall ---


class ClaimedSeat(Struct, frozen=True):
    """A seat that belongs to a phone, which the table can give to another one."""

    seat: int
    text: str
    action: str


class Invitation(Struct, frozen=True):
    """How phones join: the addresses without their scheme, and only on the table's own machine the PIN.

    `picture` is the address of the QR code. `here_only`: phones can't open the pages at all.
    """

    addresses: tuple[str, ...]
    picture: str
    here_only: bool
    pin: str
    claimed: tuple[ClaimedSeat, ...]


def invitation(formatter: SnapshotFormatter, viewer: Viewer) -> Invitation | None:
    """Return how phones join; None where no address is known."""
    join, text = formatter.snapshot.join, formatter.words.text
    if not (join.addresses or join.here_only):
        return None
    shown = tuple(address.removeprefix("http://").removesuffix("/") for address in join.addresses)
    claimed = tuple(
        ClaimedSeat(
            seat.seat,
            text("join.release", who=formatter.player(seat.seat, seat.name)),
            json.dumps({"type": "release", "seat": seat.seat}),
        )
        for seat in formatter.snapshot.seats
        if seat.claimed and viewer.host and viewer.page != WALL
    )
    picture = f"/join.svg?for={shown[0]}" if shown else ""
    return Invitation(shown, picture, join.here_only, join.pin if viewer.host else "", claimed)


# --- A phone's own turn ---


class OwnTurn(Struct, frozen=True):
    """The title of the page while its player is to act."""

    title: str


def own_turn(formatter: SnapshotFormatter, viewer: Viewer) -> OwnTurn | None:
    """Return what the page of a phone shows while its player is to act; None else."""
    snapshot = formatter.snapshot
    if not viewer.seat:
        return None
    asked = formatter.prompt == "undo_asked" and snapshot.ask.get("seat") == viewer.seat
    acting = any(seat.acting and seat.seat == viewer.seat and not seat.bot for seat in snapshot.seats)
    if formatter.solo:
        acting = any(seat.acting for seat in snapshot.seats)
    if not asked and (not acting or formatter.prompt in ("your_board", "stop_game", "undo_asked")):
        return None
    return OwnTurn(formatter.words.text("join.your_turn"))
