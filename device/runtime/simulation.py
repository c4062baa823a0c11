"""Simulated parts of a table: tags for its simulated readers, controls of a simulated Pico, and faults."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

from device.rules.tiles import COLOURS, LETTERS, letter
from device.table.state import Stage, Table
from device.table.tags import Action, ActionCard, PlayerCard, Tags, Tiles, TileTag, serialize_meaning
from hardware.drivers.simulated_faults import Fault, FaultSwitches, Kind


class SimulatedHardware(Protocol):
    """The simulated drivers of a table; their faults become hardware events, as on a real table."""

    faults: FaultSwitches

    def set_fault(self, fault: Fault, *, on: bool) -> bool:
        """Begin or end a fault; return False if it is not possible here. Never waits long."""

    def button_dead(self, button: str) -> bool:
        """Return whether a press of this button does not reach the table."""

    def reader_dead(self, reader: str) -> bool:
        """Return whether a tag on this reader does not reach the table."""


class PicoControls(SimulatedHardware, Protocol):
    """The controls of a simulated Pico; what they do becomes a hardware event later, as on a real table."""

    def try_press(self, button: str) -> bool:
        """Press a button; return False if the press would not become an event. Never waits."""

    def try_tag(self, reader: str, tag: str) -> bool:
        """Lay a tag on a reader; return False if that would not become an event. Never waits."""


class SimulatedReaders(SimulatedHardware, Protocol):
    """A simulated table without a Pico."""

    def show_tag(self, reader: str, tag: str) -> None:
        """Lay a tag on a reader, which becomes an event later."""

    def reader_repeats(self, reader: str) -> bool:
        """Return whether this reader reports a tag several times."""


SIMULATED_CARDS: Final[Tags] = {
    "A7CA000001": PlayerCard("Ana"),
    "A7CA000002": PlayerCard("Rui"),
    "A7CA000003": PlayerCard("Inês"),
    "A7CA000004": PlayerCard("João"),
    "A7CB000001": ActionCard(Action.UNDO),
    "A7CB000002": ActionCard(Action.OK),
    "A7CB000003": ActionCard(Action.NEW_GAME),
}
"""The cards of a simulated table, with their meanings until somebody teaches others."""
UNTAUGHT_CARDS: Final = ("A7CC000001", "A7CC000002")  # cards without a meaning


def simulated_tiles() -> dict[str, TileTag]:
    """Return the 100 tagged tiles of a simulated table: the colour of each tag."""
    return {
        f"A7{ord(letter(colour)):02X}0000{number:02}": TileTag(colour)
        for colour in COLOURS
        for number in range(1, 21)
    }


def with_simulated_tags(known: Tags, *, physical_tiles: bool) -> Tags:
    """Add tags to those that a table with simulated readers knows.

    The simulated cards if it knows no tag at all; the simulated tiles if it is played with physical tiles
    and knows none of them.
    """
    tags = known or SIMULATED_CARDS
    has_tiles = any(isinstance(meaning, TileTag) for meaning in tags.values())
    return {**tags, **simulated_tiles()} if physical_tiles and not has_tiles else tags


@dataclass(frozen=True, slots=True)
class SimulatedParts:
    """Which parts of a table are simulated: the readers, the Pico, or all of a table without a Pico."""

    readers: bool = False
    pico: PicoControls | None = None
    table: SimulatedReaders | None = None

    @property
    def hardware(self) -> SimulatedHardware | None:
        """The simulated drivers; None where there are none."""
        return self.pico or self.table

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults that are on."""
        return self.hardware.faults.on if self.hardware is not None else ()

    def set_fault(self, part: str, kind: str, *, on: bool) -> bool:
        """Begin or end a fault of a simulated part; return False if it is not possible here."""
        if self.hardware is None or kind not in tuple(Kind):
            return False
        return self.hardware.set_fault(Fault(part, Kind(kind)), on=on)

    def button_dead(self, button: str) -> bool:
        """Return whether a press of a drawn button does not reach the table, because its part has a fault."""
        return self.hardware is not None and self.hardware.button_dead(button)

    def reader_dead(self, reader: str) -> bool:
        """Return whether a tag on a reader does not reach the table, because its part has a fault."""
        return self.hardware is not None and self.hardware.reader_dead(reader)

    def try_repeated_tag(self, reader: str, tag: str) -> bool:
        """Lay a tag on a reader that repeats; return False for any other reader."""
        if self.table is None or not self.table.reader_repeats(reader):
            return False
        self.table.show_tag(reader, tag)
        return True

    def to_json(self, table: Table) -> dict[str, Any] | None:
        """Return the part `simulated` of a snapshot, or None if nothing is simulated.

        It lists the cards, the tiles while they are reported or taught, and the faults.
        """
        if not self.readers and self.hardware is None:
            return None
        tiles = _tiles(table) if self.readers else {}
        teaching = table.stage is Stage.TEACHING
        return {
            "drawer": _by_colour(tiles) if tiles else None,
            "known": [tag for tag in tiles if teaching and tag in table.tags.known],
            "cards": _cards(table.tags.known) if self.readers else [],
            "faults": self._faults_json(),
        }

    def _faults_json(self) -> dict[str, Any]:
        possible = self.hardware.faults.possible if self.hardware is not None else {}
        return {
            "can": {part: [kind.value for kind in kinds] for part, kinds in possible.items()},
            "on": [{"part": fault.part, "fault": fault.kind.value} for fault in self.faults],
        }


NOT_SIMULATED: Final = SimulatedParts()


def _tiles(table: Table) -> dict[str, TileTag]:
    """Return the tiles to show: the known ones while tiles are reported, all while tiles are taught."""
    if table.stage is Stage.REPORTING:
        return {tag: meaning for tag, meaning in table.tags.known.items() if isinstance(meaning, TileTag)}
    if table.tags.lesson is not None and isinstance(table.tags.lesson.subject, Tiles):
        return simulated_tiles()
    return {}


def _by_colour(tiles: dict[str, TileTag]) -> dict[str, list[str]]:
    return {each: [tag for tag, tile in tiles.items() if letter(tile.colour) == each] for each in LETTERS}


def _cards(tags: Tags) -> list[dict[str, str | None]]:
    """Return all cards: those with a meaning, then those without."""
    cards: list[dict[str, str | None]] = []
    for tag, card in tags.items():
        if not isinstance(card, TileTag):
            kind, value = serialize_meaning(card)
            cards.append({"tag": tag, "kind": kind.value, "value": value})
    untaught = (tag for tag in (*SIMULATED_CARDS, *UNTAUGHT_CARDS) if tag not in tags)
    return cards + [{"tag": tag, "kind": None, "value": None} for tag in untaught]
