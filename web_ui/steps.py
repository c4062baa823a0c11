"""How a score came about, step by step, as sentences."""

from __future__ import annotations

from web_ui.messages import Step
from web_ui.sentences import Speaker

WITHOUT_POINTS = frozenset(
    {
        "action_tile_placed",
        "penalty_drawn",
        "penalty_swapped",
        "fifth_tile_due",
        "penalty_removed",
        "penalty_kept",
        "floor_cleared",
        "fell",
    }
)
"""Steps that never change a score."""

AT_THE_END = frozenset({"bonus", "penalty_row_counted", "clear_board_award"})
"""Steps that only the end of a game has."""


def step_sentence(speaker: Speaker, step: Step) -> str:
    """A step as a sentence; of a kind that these pages don't know, its points."""
    match step.step:
        case "placed":
            return _placed(speaker, step)
        case "floor" | "penalty_charged":
            return _charged(speaker, step)
        case "fell":
            count = step.count or step.line  # a full line holds as many tiles as its number says
            colour = speaker.colour_title(step.colour)
            return speaker.words.say("step.fell", row=step.line, colour=colour, count=count)
        case "bonus" if step.kind in ("row", "column", "colour"):
            which = speaker.colour(str(step.which)) if step.kind == "colour" else step.which
            return speaker.words.say(f"step.{step.kind}", which=which, points=step.points)
        case _:
            return _solo(speaker, step)


def _placed(speaker: Speaker, step: Step) -> str:
    across = "across" if step.across > 1 else ""
    down = "down" if step.down > 1 else ""
    kind = "both" if across and down else across or down or "alone"
    return speaker.words.say(
        f"step.placed_{kind}",
        colour=speaker.colour_title(step.colour),
        row=step.row,
        across=step.across,
        down=step.down,
        points=step.points,
    )


def _charged(speaker: Speaker, step: Step) -> str:
    """What a floor cost, or the solo game's penalty row."""
    lost = -step.points
    what = "floor" if step.step == "floor" else "penalty_row"
    who = speaker.who(step.seat, step.name)
    if not step.cost:
        return speaker.words.say(f"step.{what}_empty", who=who)
    key = f"step.{what}_capped" if lost < step.cost else f"step.{what}"
    return speaker.words.say(key, who=who, cost=step.cost, points=lost)


def _solo(speaker: Speaker, step: Step) -> str:
    """The steps that only a solo game has."""
    say, ordinal = speaker.words.say, speaker.ordinal
    match step.step:
        case "action_tile_placed":
            key = "step.action_tile_covers" if step.covers else "step.action_tile"
            return say(key, colour=speaker.colour_title(step.colour), row=step.row)
        case "penalty_drawn":
            kind = "both" if step.aside and step.drawn else "aside" if step.aside else "drawn"
            kind = kind if step.aside or step.drawn else "nothing"
            aside, drawn = speaker.colour(step.aside or ""), speaker.colour(step.drawn or "")
            return say(f"step.redraw_{kind}", aside=aside, drawn=drawn)
        case "penalty_swapped":
            return say("step.swapped", first=ordinal(step.position), second=ordinal(step.position + 1))
        case "fifth_tile_due" | "penalty_kept":
            return say(f"step.{step.step}", line=step.line)
        case "penalty_removed":
            position, colour = ordinal(step.position), speaker.colour(step.colour)
            return say("step.removed", line=step.line, position=position, colour=colour)
        case "beside_scoring_tile":
            return say("step.beside", nth=ordinal(step.nth), points=step.points)
        case "floor_cleared":
            return say("step.floor_cleared", count=step.tiles)
        case "penalty_row_counted":
            key = "step.penalty_counted" if step.tiles else "step.penalty_none"
            return say(key, count=step.tiles, points=abs(step.points))
        case "clear_board_award":
            board = speaker.board_name("action" if step.which == 1 else "player")
            return say("step.clear_board", board=board, points=step.points)
        case _:
            return say("step.other", who=speaker.who(step.seat, step.name), points=step.points)
