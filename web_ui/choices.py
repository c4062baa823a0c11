"""Choices inside a sentence, without who makes them: those of a past game, and those that are advised."""

from __future__ import annotations

from web_ui.opponent_messages import Advised
from web_ui.past_messages import PastMove
from web_ui.sentences import Speaker


def said(speaker: Speaker, choice: Advised | PastMove) -> str:
    """A choice; of a kind that these pages don't know its notation."""
    words = speaker.words
    match choice.kind:
        case "draft":
            return _draft(speaker, choice)
        case "column":
            colour = speaker.colour(choice.colour)
            return words.say("choice.column", colour=colour, row=choice.row, column=choice.column)
        case "square":
            return words.say("choice.square", row=choice.row, column=choice.column)
        case "swap" if choice.position is not None:
            first, second = speaker.ordinal(choice.position), speaker.ordinal(choice.position + 1)
            return words.say("choice.swap", first=first, second=second)
        case "remove" if choice.position is not None:
            return words.say("choice.remove", position=speaker.ordinal(choice.position))
        case "remove":
            return words.say("choice.leave")
        case _:
            return choice.token


def _draft(speaker: Speaker, choice: Advised | PastMove) -> str:
    words = speaker.words
    tiles = words.say("tiles.some", count=choice.count, colour=speaker.colour(choice.colour))
    if choice.marker:
        tiles = words.say("tiles.with_marker", tiles=tiles)
    kind = "floor" if choice.line == 0 else "line_fell" if choice.fell else "line"
    return words.say(
        f"choice.solo_{kind}" if speaker.solo else f"choice.{kind}",
        tiles=tiles,
        source=speaker.source(choice.source),
        line=choice.line,
        fell=choice.fell,
        board=speaker.board_name(speaker.role(choice.seat)),
    )
