"""`azul-table review`: the loss of each choice of recorded games against master's choice."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final

import click

from device.bots.search import Grade, GradingError, grade_all
from device.bots.workers import WorkerPool
from device.commands.console import CommandError, counted, json_option, printable, printable_file, progress
from device.commands.match import jobs_option
from device.commands.replay import in_words as game_in_words
from device.commands.replay import records
from device.lights.palettes import BOX, palette_for
from device.records.record import Record
from device.records.review import Choice, Graded, PlayerReview, real_choices, reviews
from device.rules.board import FLOOR
from device.rules.events import CENTRE, Draft, Remove, Scoring, Swap, Tile
from device.rules.game import SOLO
from device.rules.notation import text_of
from device.rules.solo.penalty_row import ACTION
from device.rules.tiles import Colour
from device.table.game import move_of

SECONDS: Final = 0.5


@click.command()
@click.argument("file", type=click.Path())
@click.option(
    "--game", "number", type=click.IntRange(min=1), metavar="N", help="Only the N-th game.  [default: all]"
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.02, 3600),
    metavar="S",
    default=SECONDS,
    show_default=True,
    help="Search time for each choice. More time finds better moves; the depth depends on the machine.",
)
@jobs_option(None, "Choices graded at once.")
@json_option("Print one JSON object for each game.")
def command(file: str, number: int | None, seconds: float, jobs: int, *, as_json: bool) -> None:
    """Grade every choice of a record FILE (- is standard input).

    Each choice is compared with the one that master finds. The loss is in points of the expected lead at the
    end of the game, or in solo of the expected final score, with a bonus for winning. For each player the
    three costliest moves are listed, with the better ones. All games are verified before the first is graded;
    an error, reported as FILE:LINE, ends the command with status 1.

    The search is limited by time, so grades may differ a little from run to run.
    """
    games = _chosen(file, number)
    choices = [(game, choice) for game in games for choice in real_choices(game.setup, game.events)]
    grades: dict[int, Grade] = {}
    try:
        to_grade = [(choice.state, choice.representative) for _, choice in choices]
        with (
            WorkerPool(jobs, niceness=5) as executor,
            closing(grade_all(to_grade, seconds, executor, jobs)) as found,
            progress(found, len(choices), label="Grading") as results,
        ):
            grades.update(results)
    except GradingError as error:
        raise CommandError(f"{printable_file(file)}: a choice can't be graded: {error}") from None
    except KeyboardInterrupt:
        raise CommandError(f"interrupted after {len(grades)} of {len(choices)} choices") from None
    graded: dict[int, list[Graded]] = {game.number: [] for game in games}
    for at, (game, choice) in enumerate(choices):
        graded[game.number].append(Graded(choice, grades[at].lost, grades[at].best))
    for at, game in enumerate(games):
        if at and not as_json:
            click.echo()
        click.echo((in_json if as_json else in_words)(game, graded[game.number]))


def _chosen(file: str, number: int | None) -> list[Record]:
    """Return the games to review, all of the file verified. Raises CommandError."""
    games = list(records(file))
    if number is None:
        return games
    if number > len(games):
        name, holds = printable_file(file), counted(len(games), "game")
        raise CommandError(f"{name}: there is no game {number}: the file holds {holds}")
    return [games[number - 1]]


# --- Text --------------------------------------------------------------------------------------------------


def in_words(game: Record, graded: Sequence[Graded]) -> str:
    """Return the review of a game as text."""
    names = [printable(name) for name in game.setup.players]
    parts = [game_in_words(game)]
    for name, review in zip(names, reviews(graded, len(names)), strict=True):
        parts.append("\n".join([_headline(name, review), *_moves(game.setup.mode, review)]))
    return "\n\n".join(parts)


def _headline(name: str, review: PlayerReview) -> str:
    choices = counted(review.choices, "choice")
    if not review.costliest:
        return f"{name}: {choices}, none of them lost as much as a point"
    return f"{name}: {choices} lost {counted(round(review.lost), 'point')} in all; the costliest:"


def _moves(mode: str, review: PlayerReview) -> Iterator[str]:
    for each in review.costliest:
        where = f"{counted(round(each.lost), 'point'):>11}, round {each.choice.state.round}"
        yield f"{where}: {choice_in_words(mode, each.choice)}"
        yield f"{'better':>{len(where)}}: {choice_in_words(mode, each.better)}"


def choice_in_words(mode: str, choice: Choice) -> str:
    """Describe a choice, with its notation: `3 blue from display 4 to line 1, 2 fall (4b1)`."""
    return f"{_described(mode, choice)} ({text_of(choice.event)})"


def _described(mode: str, choice: Choice) -> str:
    event = choice.event
    match event:
        case Draft():
            return _draft_in_words(mode, choice, event)
        case Tile(seat, row, column):
            colour = choice.state.boards[seat].colours[row - 1]
            assert colour is not None
            return f"the {_colour(mode, colour)} tile of row {row} to column {column}"
        case Scoring(row, column):
            return f"the scoring tile to row {row}, column {column}"
        case Swap(position):
            return f"penalty tiles {position} and {position + 1} swapped"
        case Remove(None):
            return "no penalty tile removed"
        case Remove(position):
            return f"penalty tile {position} removed"
        case _:
            raise ValueError(f"{event} is no choice")


def _draft_in_words(mode: str, choice: Choice, draft: Draft) -> str:
    move = move_of(choice.state, draft)
    marker = " and the starting marker" if move.marker else ""
    source = "the centre" if draft.source == CENTRE else f"display {draft.source}"
    taken = f"{move.tiles} {_colour(mode, draft.colour)}{marker} from {source}"
    board = ""
    if mode == SOLO:
        board = " of the action board" if move.seat == ACTION else " of the player board"
    if draft.line == FLOOR:
        return (
            f"{taken} for the action board, all let fall" if board and move.seat else f"{taken} to the floor"
        )
    falling = f", {move.fell} {'falls' if move.fell == 1 else 'fall'}" if move.fell else ""
    return f"{taken} to line {draft.line}{board}{falling}"


def _colour(mode: str, colour: Colour) -> str:
    """Return the name of a colour in a mode (D2)."""
    return palette_for(mode, BOX).shades[colour].word


# --- JSON --------------------------------------------------------------------------------------------------


def in_json(game: Record, graded: Sequence[Graded]) -> str:
    """Return the review of a game as a JSON object in one line; seats and events count from 0."""
    players = reviews(graded, len(game.setup.players))
    data = {
        "game": game.number,
        "line": game.line,
        "mode": game.setup.mode,
        "players": [
            {
                "name": name,
                "choices": review.choices,
                "lost": round(review.lost, 2),
                "costliest": [_graded_in_json(game.setup.mode, each) for each in review.costliest],
            }
            for name, review in zip(game.setup.players, players, strict=True)
        ],
        "grades": [
            {
                "event": each.choice.number,
                "seat": each.choice.seat,
                "round": each.choice.state.round,
                "played": text_of(each.choice.event),
                "lost": round(each.lost, 2),
                "best": text_of(each.best),
            }
            for each in graded
        ],
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _graded_in_json(mode: str, each: Graded) -> dict[str, object]:
    return {
        "event": each.choice.number,
        "round": each.choice.state.round,
        "lost": round(each.lost, 2),
        "played": choice_in_words(mode, each.choice),
        "better": choice_in_words(mode, each.better),
    }
