"""Reasons are true: each is held against what the rules make of the choice."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from device.bots.simple import choices, play_greedy
from device.rules import game
from device.rules.board import WALL_PATTERN, Board
from device.rules.events import Deal, Draft, Event, Scoring, Swap, Tile
from device.rules.game import Setup, State
from device.rules.scoring import FLOOR_COSTS, TilePlaced
from device.rules.solo.game import SoloState
from device.rules.standard import StandardState
from device.rules.tiles import colour_of
from device.table.explain import MOST_REASONS, Reason, reasons_for
from tests.harness.sampling import some
from tests.table.simulator import counts
from tests.table.walks import SETUPS

DEAL = "bbyr kkww rryy bykw bbbb"


def dealt(mode: str = "standard") -> StandardState:
    state = game.setup(Setup(mode, ("a", "b")))
    state = state.apply(Deal(tuple(map(counts, DEAL.split()))))
    assert isinstance(state, StandardState)
    return state


def keys(state: State, event: Event) -> list[str]:
    return [reason.key for reason in reasons_for(state, event)]


def test_a_line_that_fills_and_one_that_grows() -> None:
    state = dealt()
    assert reasons_for(state, Draft(1, colour_of("b"), 2)) == (Reason("fills_for", {"line": 2, "points": 1}),)
    assert reasons_for(state, Draft(1, colour_of("b"), 4)) == (Reason("grows", {"line": 4, "count": 2}),)
    assert reasons_for(dealt("gray"), Draft(1, colour_of("b"), 2)) == (Reason("fills", {"line": 2}),)


def test_the_marker_starts_the_next_round() -> None:
    state = dealt().apply(Draft(1, colour_of("b"), 2))
    assert keys(state, Draft(0, colour_of("y"), 1)) == ["fills_for", "marker"]


@pytest.mark.parametrize("setup", some(SETUPS), ids=str)
def test_reasons_hold_in_whole_games(setup: Setup) -> None:
    """Every reason of every choice that greedy makes in some rounds of every mode, and of a few others."""
    random = Random(7)
    state = game.setup(setup)
    seen: set[str] = set()
    for _ in some(range(200), 60):
        if state.over:
            break
        if state.chance_due:
            state = state.apply(state.chance(random.randrange))
            continue
        allowed = choices(state)
        chosen = play_greedy(state, random.randrange)
        for event in (chosen, *random.sample(allowed, min(6, len(allowed)))):
            found = reasons_for(state, event)
            assert len(found) <= MOST_REASONS
            for reason in found:
                seen.add(reason.key)
                assert holds(state, event, reason), (state, event, reason)
        state = state.apply(chosen)
    assert seen


def holds(state: State, event: Event, reason: Reason) -> bool:
    """Whether a reason is so, from what the rules make of the choice."""
    value = {key: each for key, each in reason.values.items() if isinstance(each, int)}
    after = state.apply(event)
    if isinstance(event, Tile):
        return column_holds(state, event, reason)
    if isinstance(event, Scoring):
        spaces = [(event.row - 1), event.row, event.row, (event.row + 1)]
        rows = [other.row for other in state.legal() if isinstance(other, Scoring)]
        return value["count"] == sum(spaces) and (reason.key == "beside" or event.row == min(rows))
    if isinstance(event, Swap):
        return swap_holds(state.boards[1], after.boards[1], event, reason)
    if not isinstance(event, Draft):
        return reason.key == "fewer_penalties" and value["count"] == len(after.boards[state.turn].floor)
    before = state.boards[state.turn]
    line = event.line
    match reason.key:
        case "fills" | "fills_for" | "ends_game" | "completes_column" | "completes_colour":
            taken = state.sources[event.source][event.colour]
            filled = line > 0 and before.held[line - 1] < line <= before.held[line - 1] + taken
            return filled and wall_holds(state, event, reason)
        case "grows":
            taken = state.sources[event.source][event.colour]
            return before.held[line - 1] + taken == value["count"] < line
        case "leaves":
            following = (state.turn + 1) % len(state.boards)
            drafts = [each for each in after.legal() if isinstance(each, Draft)]
            floors = [falling(after, each) for each in drafts]
            return value["seat"] == following == after.turn and min(floors) == value["count"] > 0
        case "takes_from":
            theirs = state.boards[value["seat"]]
            missing = value["line"] - theirs.held[value["line"] - 1]
            return theirs.colours[value["line"] - 1] == event.colour and 0 < missing <= sum(
                state.sources[event.source][event.colour : event.colour + 1]
            )
        case "marker":
            return event.source == 0 and isinstance(state, StandardState) and state.marker is None
        case "costs_least" | "costs_nothing":
            return cost_holds(state, event, reason)
        case "sends_nothing" | "sends_least":
            return isinstance(state, SoloState)
    return False


def falling(state: State, draft: Draft) -> int:
    board = state.boards[state.turn]
    room = draft.line - board.held[draft.line - 1] if draft.line else 0
    return max(0, state.sources[draft.source][draft.colour] - room)


def wall_holds(state: State, event: Draft, reason: Reason) -> bool:
    """What a filled line brings when the round is tiled: by the rules' own steps, if nothing else changes."""
    wall = [list(row) for row in state.boards[state.turn].wall]
    full = [
        (line, colour)
        for line, colour in enumerate(state.boards[state.turn].colours, 1)
        if colour is not None and state.boards[state.turn].line_is_full(line)
    ]
    for line, colour in [*full, (event.line, event.colour)]:
        wall[line - 1][WALL_PATTERN[line - 1].index(colour)] = colour
    match reason.key:
        case "ends_game":
            return None not in wall[int(reason.values["row"]) - 1]
        case "completes_column":
            return all(row[int(reason.values["column"]) - 1] is not None for row in wall)
        case "completes_colour":
            return all(colour_of(str(reason.values["colour"])) in row for row in wall)
        case "fills_for":
            column = WALL_PATTERN[event.line - 1].index(event.colour)
            run = [row[column] for row in wall]
            return 1 <= int(reason.values["points"]) <= 10 and run[event.line - 1] == event.colour
    return True


def cost_holds(state: State, event: Draft, reason: Reason) -> bool:
    assert isinstance(state, StandardState)

    def cost(draft: Draft) -> int:
        floor = len(state.boards[state.turn].floor)
        marker = draft.source == 0 and state.marker is None
        then = min(7, min(7, floor + marker) + falling(state, draft))
        return FLOOR_COSTS[then] - FLOOR_COSTS[floor]

    costs = {each: cost(each) for each in state.legal() if isinstance(each, Draft)}
    if reason.key == "costs_least":
        return costs[event] == reason.values["points"] == min(costs.values())
    others = [costs[each] for each in costs if (each.source, each.colour) != (event.source, event.colour)]
    return costs[event] == 0 < min(others)


def swap_holds(before: Board, after: Board, event: Swap, reason: Reason) -> bool:
    left, right = before.floor[event.position - 1 : event.position + 1]
    colour = colour_of(str(reason.values["colour"]))
    match reason.key:
        case "swaps_alike":
            return left == right == colour
        case "brings_forward":
            return colour == right != left and after.floor[event.position - 1] == right
        case "brings_in_reach":
            reach = {3: 1, 4: 2}[int(reason.values["line"])]
            return colour in after.floor[:reach] and colour not in before.floor[:reach]
    return False


def test_a_swap_that_helps_a_full_line_says_so() -> None:
    """Line 3 removes the leftmost penalty tile alone, line 4 one of the two leftmost (S8)."""
    blue, red, white = map(colour_of, "brw")
    state = game.setup(Setup("solo", ("a",), level="easy", wall="gray"))
    assert isinstance(state, SoloState)
    held = Board(colours=(None, None, blue, red, None), held=(0, 0, 3, 4, 0), floor=(white, blue, red, red))
    state = replace(state, boards=(state.boards[0], held), turn=1)
    found = {position: reasons_for(state, Swap(position)) for position in (1, 2, 3)}
    assert found[1] == (Reason("brings_in_reach", {"line": 3, "colour": "b"}),)
    assert found[2] == (Reason("brings_in_reach", {"line": 4, "colour": "r"}),)
    assert found[3] == (Reason("swaps_alike", {"colour": "r"}),)


def column_holds(state: State, event: Tile, reason: Reason) -> bool:
    after = state.apply(event)
    if reason.key == "completes_column":
        return all(row[event.column - 1] is not None for row in after.boards[event.seat].wall)
    account = after.account
    assert account is not None
    placed = [
        step.item
        for step in account.steps
        if isinstance(step.item, TilePlaced)
        and (step.seat, step.item.row, step.item.column) == (event.seat, event.row, event.column)
    ]
    return placed[-1].points == reason.values["points"]


def test_a_board_with_a_column_almost_complete() -> None:
    wall = tuple(
        tuple(WALL_PATTERN[row][column] if column == 0 and row < 4 else None for column in range(5))
        for row in range(5)
    )
    state = dealt()
    boards = (Board(wall=wall), state.boards[1])
    state = replace(state, boards=boards)
    colour = WALL_PATTERN[4][0]
    held = replace(boards[0], colours=(None, None, None, None, colour), held=(0, 0, 0, 0, 4))
    state = replace(state, boards=(held, state.boards[1]))
    source = next(number for number, tiles in enumerate(state.sources) if tiles[colour])
    found = reasons_for(state, Draft(source, colour, 5))
    assert [reason.key for reason in found] == ["completes_column", "fills_for"]
    assert found[1].values == {"line": 5, "points": 5}
