"""Targets: what a draft would bring is what it brings when it is made."""

from __future__ import annotations

from hypothesis import given

from device.rules.board import FLOOR, Board, open_lines
from device.rules.events import Draft
from device.rules.scoring import FLOOR_COSTS, tile_line
from device.rules.standard import StandardState
from device.rules.tiles import Colour
from device.socket.snapshot import Json
from device.table.game import Play
from device.table.targets import Target, offers
from tests.socket.test_snapshot import shown
from tests.table.simulator import Simulator, dealt, playing
from tests.table.walks import Walk, moments, walks

DEAL = "bbyr kkww rryy bykw bbbb"


def target(sim: Simulator, tiles: str, line: int) -> Json:
    (found,) = [each for each in shown(sim)["offers"][tiles] if each["line"] == line]
    assert isinstance(found, dict)
    return found


def test_a_line_that_fills_has_its_points_and_what_falls() -> None:
    sim = dealt(DEAL)
    fills = {"line": 1, "token": "1b1", "placed": 1, "floor": 1, "fills": True, "points": 1, "cost": 1}
    assert target(sim, "1b", 1) == fills
    assert target(sim, "1b", 3) == {"line": 3, "token": "1b3", "placed": 2}
    assert target(sim, "1b", 0) == {"line": 0, "token": "1bf", "floor": 2, "cost": 2}


def test_the_first_who_takes_from_the_centre_pays_for_the_marker() -> None:
    sim = dealt(DEAL).make(Draft(1, Colour.BLUE, 2))
    assert target(sim, "0y", 2) == {"line": 2, "token": "0y2", "placed": 1, "cost": 1}
    assert target(sim, "0y", 0)["cost"] == 2
    sim.make(Draft(0, Colour.YELLOW, 2))
    assert "cost" not in target(sim, "0r", 3)


def test_points_of_a_gray_wall_are_not_known_before() -> None:
    sim = playing("gray")
    tiles = next(iter(shown(sim)["offers"]))
    assert target(sim, tiles, 1)["points"] is None


def test_the_selection_has_the_targets_of_its_tiles() -> None:
    sim = dealt(DEAL).press("display.1")
    state = shown(sim)
    assert state["choice"]["targets"] == state["offers"]["1b"]
    assert [each["line"] for each in state["choice"]["targets"]] == state["choice"]["lines"]


def test_nothing_is_offered_where_no_person_drafts() -> None:
    sim = playing()
    assert shown(sim)["offers"]
    sim.press("undo").press("ok", after=2.0)
    assert shown(sim)["offers"] == {}


@given(walks)
def test_targets_are_what_the_drafts_do(walk: Walk) -> None:
    last = None
    for sim in moments(walk):
        play = sim.table.play
        if play is None or not play.state.in_offer or play.state is last:
            continue
        last = play.state
        found = offers(play.state, play.setup.mode)
        drafts = [Draft(source, colour, each.line) for (source, colour), of in found.items() for each in of]
        assert sorted(drafts, key=repr) == sorted(play.state.legal(), key=repr)
        for (source, colour), of in found.items():
            assert [each.line for each in of] == [*open_lines(board(play), colour), FLOOR]
            if play.setup.mode != "solo":
                for each in of:
                    check(play, Draft(source, colour, each.line), each)


def board(play: Play) -> Board:
    return play.state.boards[play.state.turn]


def check(play: Play, draft: Draft, found: Target) -> None:
    before = board(play)
    assert isinstance(play.state, StandardState)
    after, _ = play.state.board_after(draft)
    assert found.cost == FLOOR_COSTS[len(after.floor)] - FLOOR_COSTS[len(before.floor)]
    assert found.placed + found.floor == play.state.sources[draft.source][draft.colour]
    if not draft.line:
        assert (found.placed, found.fills) == (0, False)
        return
    assert found.placed == after.held[draft.line - 1] - before.held[draft.line - 1]
    assert found.fills == after.line_is_full(draft.line)
    if play.setup.mode == "gray":
        assert found.points is None
    elif found.fills:
        column = (draft.colour + draft.line - 1) % 5 + 1
        assert found.points == tile_line(after, draft.line, column).points
    else:
        assert found.points == 0
