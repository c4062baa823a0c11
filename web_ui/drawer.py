"""What lies beside simulated readers: the drawer of tagged tiles, and the cards."""

from __future__ import annotations

from dataclasses import dataclass

from web_ui.messages import Snapshot
from web_ui.sentences import Speaker
from web_ui.tag_messages import SimulatedCard


@dataclass(frozen=True, slots=True)
class DrawerView:
    """The tagged tiles, colour by colour: the letter, the name, and the tags.

    `told` are those that lie on the table or are known; empty where the page marks them by itself. `blind`:
    one can be drawn without looking.
    """

    colours: tuple[tuple[str, str, tuple[str, ...]], ...]
    told: tuple[str, ...]
    blind: bool


@dataclass(frozen=True, slots=True)
class CardInHand:
    """A card: its tag, what is written on it, and whether it is a player's, an action's or blank."""

    tag: str
    text: str
    kind: str


def tiles(speaker: Speaker, *, marked: bool = False) -> DrawerView | None:
    """The drawer; None while no tile is to be told or learned, and on a real table."""
    snapshot = speaker.snapshot
    if snapshot.simulated is None or snapshot.simulated.drawer is None:
        return None
    tags = snapshot.simulated.drawer
    return DrawerView(
        tuple((letter, speaker.colour_title(letter), tags[letter]) for letter in tags),
        told_tags(snapshot) if marked else (),
        blind=snapshot.learning is None,
    )


def told_tags(snapshot: Snapshot) -> tuple[str, ...]:
    """The drawer's tiles that lie on the table already, or are known while tiles are learned."""
    if snapshot.learning is not None:
        return snapshot.simulated.known if snapshot.simulated is not None else ()
    return tuple(tile.tag for tile in snapshot.resin.told if tile.tag) if snapshot.resin is not None else ()


def cards(speaker: Speaker) -> tuple[CardInHand, ...]:
    """The cards beside simulated readers; none on a real table."""
    simulated = speaker.snapshot.simulated
    return tuple(_card(speaker, card) for card in simulated.cards) if simulated is not None else ()


def _card(speaker: Speaker, card: SimulatedCard) -> CardInHand:
    match card.kind:
        case "player":
            return CardInHand(card.tag, str(card.value), "player")
        case "action":
            return CardInHand(
                card.tag, speaker.words.say_or(f"action.{card.value}", "action.other"), "action"
            )
        case _:
            return CardInHand(card.tag, speaker.words.say("resin.blank_card"), "blank")
