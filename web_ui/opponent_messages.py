"""What the snapshot says of opponents and of hints, as types; see `messages.py`."""

from __future__ import annotations

import msgspec


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
