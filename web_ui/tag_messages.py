"""What the table's socket says of tags and cards, as types; `messages` reads them."""

from __future__ import annotations

import msgspec


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
