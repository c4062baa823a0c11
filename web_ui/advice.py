"""What opponents do and why, and what persons are advised, as sentences."""

from __future__ import annotations

from collections.abc import Iterable

from web_ui.choices import said
from web_ui.messages import Move
from web_ui.opponent_messages import Advice, Because
from web_ui.sentences import Speaker


def why(speaker: Speaker, seat: int, name: str | None, because: Iterable[Because]) -> str:
    """Why an opponent chose something, in a sentence; empty where nothing is to be said."""
    reasons = [_reason(speaker, each) for each in because]
    if not reasons:
        return ""
    who = speaker.bot_of(seat) if speaker.solo else speaker.who(seat, name)
    return speaker.words.say("reason.said", who=who, why=speaker.enumeration(reasons))


def why_moved(speaker: Speaker, move: Move) -> str:
    """Why an opponent made a draft; empty for a person's."""
    return why(speaker, move.seat, move.name, move.because)


def _reason(speaker: Speaker, each: Because) -> str:
    given = {
        "who": speaker.who(each.seat, each.name) if each.seat else "",
        "line": each.line,
        "row": each.row,
        "column": each.column,
        "colour": speaker.colour(each.colour) if each.colour else "",
        "count": each.count,
        "points": each.points,
        "position": speaker.ordinal(each.position),
    }
    return speaker.words.say_or(f"reason.{each.key}", "reason.other", **given)


def notes(speaker: Speaker) -> tuple[str, ...]:
    """What is said under whose turn it is: who stands in, why an opponent chooses, what is advised."""
    snapshot, told = speaker.snapshot, list(speaker.stand_ins())
    reason = snapshot.reason
    if reason is not None and reason.showing:
        told.append(why(speaker, reason.seat, reason.name, reason.because))
    told += [speaker.words.say("hint.asked", who=speaker.who(seat)) for seat in snapshot.hint.asked]
    told += [_advice(speaker, each) for each in snapshot.hint.shown]
    told += [
        speaker.words.say_or(f"hint.{each.why}", "hint.silent", who=speaker.who(each.seat))
        for each in snapshot.hint.missed
    ]
    return tuple(filter(None, told))


def _advice(speaker: Speaker, advice: Advice) -> str:
    """A hint, and what it gains against the next best."""
    words = speaker.words
    given = {"who": speaker.who(advice.seat), "choice": said(speaker, advice.choice)}
    if advice.next is None or advice.gain is None:
        return words.say("hint.only", **given)
    given["next"] = said(speaker, advice.next)
    if advice.gain < 0.1:
        return words.say("hint.as_good", **given)
    points = f"{advice.gain:.1f}".replace(".", words.say("hint.point"))
    return words.say("hint.better", points=points, **given)
