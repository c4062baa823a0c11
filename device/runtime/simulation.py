"""What of the table is simulated, and what the twin's hands may therefore do to it."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

from device.rules.tiles import COLOURS, LETTERS, letter
from device.table.state import Stage, Table
from device.table.tags import Action, ActionCard, PlayerCard, Tags, Tiles, TileTag, serialize_meaning


class Hands(Protocol):
    """Hands at simulated parts: what they do comes as an event later, by the way of real hands."""

    @property
    def plugged(self) -> bool:
        """Whether the Pico has power."""

    def pass_press(self, button: str) -> bool:
        """Press a button; False where that would not become an event. Never waits."""

    def pass_tag(self, reader: str, tag: str) -> bool:
        """Lay a tag on a reader; False where that would not become an event. Never waits."""

    def plug(self, *, plugged: bool) -> None:
        """Plug the Pico in, or pull it out. Never waits long."""


CARDS: Final[Tags] = {
    "A7CA000001": PlayerCard("Ana"),
    "A7CA000002": PlayerCard("Rui"),
    "A7CA000003": PlayerCard("Inês"),
    "A7CA000004": PlayerCard("João"),
    "A7CB000001": ActionCard(Action.UNDO),
    "A7CB000002": ActionCard(Action.OK),
    "A7CB000003": ActionCard(Action.NEW_GAME),
}
"""The cards beside simulated readers, and what they mean to a table that was taught nothing else."""
BLANK: Final = ("A7CC000001", "A7CC000002")
"""Cards that mean nothing before somebody teaches them."""


def drawer() -> dict[str, TileTag]:
    """The 100 tagged tiles beside simulated readers, each tag with its colour; tags as readers tell them."""
    return {
        f"A7{ord(letter(colour)):02X}0000{number:02}": TileTag(colour)
        for colour in COLOURS
        for number in range(1, 21)
    }


def stocked(known: Tags, *, resin: bool) -> Tags:
    """What a table with simulated readers knows: without any tag its cards; for tiles of resin, its tiles."""
    tags = known or CARDS
    has_tiles = any(isinstance(meaning, TileTag) for meaning in tags.values())
    return {**tags, **drawer()} if resin and not has_tiles else tags


@dataclass(frozen=True, slots=True)
class Simulated:
    """The simulated parts of a table: its readers, with tagged tiles and cards beside them, and its Pico."""

    readers: bool = False
    pico: Hands | None = None

    @property
    def plugged(self) -> bool | None:
        """Whether the simulated Pico has power; None without one."""
        return self.pico.plugged if self.pico is not None else None

    def told(self, table: Table) -> dict[str, Any] | None:
        """What the pages may know of it: the cards, the drawer when tiles are told or learned, and the plug.

        None where nothing is simulated that hands could do more to than to a real table.
        """
        if not self.readers and self.pico is None:
            return None
        tiles = _tiles(table) if self.readers else {}
        return {
            "drawer": _by_colour(tiles) if tiles else None,
            "known": [tag for tag in tiles if tag in table.tags] if table.stage is Stage.TEACHING else [],
            "cards": _cards(table.tags) if self.readers else [],
            "plugged": self.plugged,
        }


def _tiles(table: Table) -> dict[str, TileTag]:
    """The tiles beside the readers: those that are known while tiles are told, all while they are learned."""
    if table.stage is Stage.REPORTING:
        return {tag: meaning for tag, meaning in table.tags.items() if isinstance(meaning, TileTag)}
    if table.lesson is not None and isinstance(table.lesson.subject, Tiles):
        return drawer()
    return {}


def _by_colour(tiles: dict[str, TileTag]) -> dict[str, list[str]]:
    tags: dict[str, list[str]] = {each: [] for each in LETTERS}
    for tag, tile in tiles.items():
        tags[letter(tile.colour)].append(tag)
    return tags


def _cards(tags: Tags) -> list[dict[str, str | None]]:
    """Every card that hands can lay on a reader: those that are known, then those that mean nothing."""
    cards: list[dict[str, str | None]] = []
    for tag, card in tags.items():
        if not isinstance(card, TileTag):
            kind, value = serialize_meaning(card)
            cards.append({"tag": tag, "kind": kind.value, "value": value})
    blank = (tag for tag in (*CARDS, *BLANK) if tag not in tags)
    return cards + [{"tag": tag, "kind": None, "value": None} for tag in blank]


NOTHING: Final = Simulated()
"""A table of which everything is real."""
