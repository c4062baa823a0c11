"""The parts of the table that are lost, as sentences: what is lost, how play goes on, and what to do."""

from __future__ import annotations

from web_ui.messages import Fault
from web_ui.sentences import Speaker

POWER = {"power": "voltage", "heat": "hot"}
"""Why the table's computer itself complains; for any other reason it can't tell how it is."""


def faults(speaker: Speaker) -> tuple[str, ...]:
    """What is lost, oldest first; buttons that are lost for the same reason are told together."""
    told: list[str] = []
    buttons: dict[str, list[str]] = {}
    for fault in speaker.snapshot.faults:
        kind, _, name = fault.part.partition(".")
        if kind == "button" and name:
            buttons.setdefault(fault.why, []).append(speaker.button(name))
        else:
            told.append(_sentences(speaker, fault, kind, name))
    return (*told, *(_buttons(speaker, why, names) for why, names in buttons.items()))


def _buttons(speaker: Speaker, why: str, names: list[str]) -> str:
    lost = speaker.words.say("lost.button", count=len(names), buttons=speaker.listing(names))
    instead = speaker.words.say("instead.button")
    return f"{lost} {instead} {_mend(speaker, 'button', why)}"


def _sentences(speaker: Speaker, fault: Fault, kind: str, name: str) -> str:
    words = speaker.words
    if kind in POWER and fault.why != POWER[kind]:
        kind = "watch"
    reader = _reader(speaker, name) if kind == "reader" else ""
    lost = words.say_or(f"lost.{kind}", "lost.other", reader=reader, part=fault.part)
    use = f"{kind}_{_use(speaker, name)}" if kind == "reader" else kind
    instead = words.say_or(f"instead.{use}", "instead.other")
    return f"{lost} {instead} {_mend(speaker, kind, fault.why)}"


def _mend(speaker: Speaker, kind: str, why: str) -> str:
    """What to do about it: for this part if there is more to say, else for any."""
    special = f"mend.{kind}_{why}"
    words = speaker.words
    return words.say(special) if special in words else words.say_or(f"mend.{why}", "mend.failed")


def _reader(speaker: Speaker, name: str) -> str:
    """Where a reader is: "at display 3"."""
    place, _, number = name.partition(".")
    return speaker.words.say_or(f"reader.{place}", "reader.other", number=number, name=name)


def _use(speaker: Speaker, name: str) -> str:
    """What a reader is for: players sit down at those of the seats, tiles are shown to the others."""
    if name.startswith("seat."):
        return "seat"
    return "tell" if speaker.snapshot.resin is not None else "take"
