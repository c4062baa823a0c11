"""Games of two to four in the middle of a round, built from texts for the tests of single rules."""

from collections.abc import Mapping
from dataclasses import replace

from device.rules import game
from device.rules.board import Board, Row, tiles_on_floor
from device.rules.notation import event_of, text_of
from device.rules.standard import DISPLAYS, Phase, StandardState
from device.rules.tiles import (
    ALL_TILES,
    LETTERS,
    MARKER,
    Counts,
    colour_of,
    count,
    counts_of,
    of_colour,
    total,
    without,
)

EMPTY_WALL = (".....",) * 5


def board(
    lines: Mapping[int, str] | None = None,
    wall: tuple[str, ...] = EMPTY_WALL,
    floor: str = "",
    score: int = 0,
) -> Board:
    """Build a board: lines by number ("rr"), the wall's rows ("b...."), the floor ("bmr"; m: marker)."""
    held = {line: tiles for line, tiles in (lines or {}).items() if tiles}
    rows: list[Row] = [tuple(None if letter == "." else colour_of(letter) for letter in row) for row in wall]
    return Board(
        colours=tuple(colour_of(held[line][0]) if line in held else None for line in range(1, 6)),
        held=tuple(len(held.get(line, "")) for line in range(1, 6)),
        wall=tuple(rows),
        floor=tuple(MARKER if letter == "m" else colour_of(letter) for letter in floor),
        score=score,
    )


def offer(
    displays: Mapping[int, str],
    *boards: Board,
    mode: str = "standard",
    marker: int | None = None,
    starter: int = 0,
    lid: str = "",
) -> StandardState:
    """Round 1, seat 0 to draft; 0 is the centre; every tile that is not mentioned is in the bag."""
    players = boards or (board(), board())
    sources = tuple(counts_of(displays.get(source, "")) for source in range(DISPLAYS[len(players)] + 1))
    in_lid = counts_of(lid)
    bag = without(ALL_TILES, total([in_lid, *sources, *map(tiles_on, players)]))
    return StandardState(
        players, sources, 0, 1, bag, in_lid, None, game.RULESETS[mode], Phase.OFFER, starter, marker
    )


def with_bag(state: StandardState, bag: str, lid: str = "") -> StandardState:
    """Return the position with only these tiles to draw; all others have left the game."""
    return replace(state, bag=counts_of(bag), lid=counts_of(lid))


def after(state: game.State, *texts: str) -> StandardState:
    """Return the game after events, given by their texts."""
    for text in texts:
        state = state.apply(event_of(text))
    assert isinstance(state, StandardState)
    return state


def drafts(state: game.State) -> list[str]:
    """Return the texts of the legal choices."""
    return [text_of(event) for event in state.legal()]


def floor(state: game.State, seat: int = 0) -> str:
    """A seat's floor, m for the marker."""
    return "".join("m" if tile is MARKER else LETTERS[tile] for tile in state.boards[seat].floor)


def wall(state: game.State, seat: int = 0) -> tuple[str, ...]:
    """A seat's wall, row by row."""
    return tuple(
        "".join("." if tile is None else LETTERS[tile] for tile in row) for row in state.boards[seat].wall
    )


def all_tiles(state: game.State) -> Counts:
    """Every tile of a game, wherever it lies, without the marker."""
    return total([state.bag, state.lid, *state.sources, *map(tiles_on, state.boards)])


def scores(state: game.State) -> list[int]:
    """All seats' scores."""
    return [each.score for each in state.boards]


def tiles_on(board: Board) -> Counts:
    """Every tile on a board, without the marker."""
    on_lines = [of_colour(c, n) for c, n in zip(board.colours, board.held, strict=True) if c is not None]
    on_wall = count(tile for row in board.wall for tile in row if tile is not None)
    return total([*on_lines, on_wall, tiles_on_floor(board)])
