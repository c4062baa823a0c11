"""Snapshots and messages by themselves: what clients read of a table, and the events that they cause."""

from __future__ import annotations

from dataclasses import replace

import pytest

from device.lights.palettes import BOX
from device.rules.events import Draft, Tile
from device.rules.game import Setup
from device.rules.tiles import Colour
from device.socket.messages import (
    EndLesson,
    ForgetLast,
    ForgetTags,
    ForgetTiles,
    ListTags,
    TableMessage,
    TeachAction,
    TeachPlayer,
    TeachTiles,
    table_event,
)
from device.socket.snapshot import Json, choice_json, snapshot
from device.table.explain import Reason
from device.table.state import (
    BotReply,
    Explanation,
    HintRequested,
    LessonBegun,
    LessonEnded,
    LessonUndone,
    Stage,
    TableEvent,
    TableSettings,
    TagsForgotten,
    new_table,
)
from device.table.tags import Action, ActionCard, PlayerCard, Tiles, TileTag
from device.table.update import update
from hardware.api import Loss, PartLost
from tests.table.simulator import Simulator, begin_game, dealt, empty_table, midway, playing

GRAY = Setup("gray", ("Ana", "Rui"))
DEAL = "bbyr kkww rryy bykw bbbb"


def shown(sim: Simulator, zero: float = 0.0) -> Json:
    return snapshot(sim.table, BOX, zero)


def test_a_draft_is_not_described_as_a_button() -> None:
    sim = dealt(DEAL)
    with pytest.raises(ValueError, match="is not made by one button"):
        choice_json(sim.play, Draft(1, Colour.BLUE, 2))


def test_a_position_is_described_in_full() -> None:
    sim = dealt(DEAL)
    for draft in (Draft(5, Colour.BLUE, 4), Draft(2, Colour.BLACK, 1), Draft(0, Colour.WHITE, 3)):
        sim.make(draft)
    sim.choose("display.1", "y")
    state = shown(sim)
    assert {key: state[key] for key in ("stage", "mode", "round", "first", "displays", "centre")} == {
        "stage": "offer",
        "mode": "standard",
        "round": 1,
        "first": 1,
        "displays": ["bbyr", "", "yyrr", "bykw", ""],
        "centre": "",
    }
    assert not state["marker_in_centre"]
    empty = {"taken": False, "role": "player", "name": None, "acting": False, "score": 0, "marker": False}
    empty |= {"lines": [""] * 5, "wall": ["....."] * 5, "floor": "", "cost": 0, "bot": None, "stand_in": None}
    empty |= {"claimed": False, "claim": ""}
    empty |= {"pattern": ["byrkw", "wbyrk", "kwbyr", "rkwby", "yrkwb"]}
    ana = {"seat": 1, "taken": True, "name": "Ana", "marker": True, "floor": "m", "cost": 1}
    rui = {"seat": 2, "taken": True, "name": "Rui", "acting": True, "floor": "k", "cost": 1}
    assert state["seats"] == [
        empty | ana | {"lines": ["", "", "ww", "bbbb", ""]},
        empty | rui | {"lines": ["k", "", "", "", ""]},
        empty | {"seat": 3},
        empty | {"seat": 4},
    ]
    choice = {"source": 1, "colour": "y", "count": 1, "lines": [2, 3, 4, 5, 0], "sends": {}, "tried": None}
    targets = state["choice"].pop("targets")
    assert state["choice"] == choice
    assert targets == state["offers"]["1y"]
    assert state["moves"] == [
        {"seat": 1, "name": "Ana", "source": 5, "colour": "b", "count": 4, "line": 4}
        | {"fell": 0, "marker": False, "token": "5b4", "because": []},
        {"seat": 2, "name": "Rui", "source": 2, "colour": "k", "count": 2, "line": 1}
        | {"fell": 1, "marker": False, "token": "2k1", "because": []},
        {"seat": 1, "name": "Ana", "source": 0, "colour": "w", "count": 2, "line": 3}
        | {"fell": 0, "marker": True, "token": "0w3", "because": []},
    ]
    assert state["palette"]["k"] == {"name": "black", "rgb": "#9600ff"}


def test_the_columns_of_a_gray_wall_are_offered_with_their_colour() -> None:
    """On gray walls a person chooses the columns (G3)."""
    sim = next(each for seed in range(50) if (each := midway(GRAY, seed, 24)).table.stage is Stage.CHOICE)
    state = shown(sim)
    assert state["choosing"]
    for column in state["choosing"]:
        seat = state["seats"][column["seat"] - 1]
        assert seat["pattern"] is None
        line = seat["lines"][column["row"] - 1]
        assert (column["kind"], line) == ("column", column["colour"] * column["row"])


def test_a_lost_part_has_the_unix_time_of_its_loss() -> None:
    sim = playing()
    sim.table = update(sim.table, PartLost("lights", Loss.ABSENT, "no strip", sim.now))
    fault = {"part": "lights", "why": "absent", "since": round(1_700_000_000 + sim.now)}
    assert shown(sim, 1_700_000_000)["faults"] == [fault]


def test_reported_tiles_have_the_display_and_the_place_there() -> None:
    sim = Simulator(new_table(TableSettings(4, 9, physical_tiles=True)))
    sim.press("seat.1.floor", "seat.2.floor", "ok", "seat.1.floor").report_letter("b").report_letter("k")
    resin = shown(sim)["resin"]
    assert [(tile["display"], tile["at"], tile["colour"]) for tile in resin["told"]] == [
        (1, 1, "b"),
        (1, 2, "k"),
    ]
    assert len(resin["bag"]) == 98


def test_a_reason_names_the_player_of_its_seat() -> None:
    sim = begin_game(empty_table(), Setup("standard", ("Ana", "Rui")), (2, 4))
    reason = Reason("leaves", {"seat": 1, "count": 3})
    explanation = Explanation(0, len(sim.play.events), Draft(1, Colour.BLUE, 2), (reason,))
    table = replace(sim.table, opponents=replace(sim.table.opponents, explanations=(explanation,)))
    because = snapshot(table, BOX)["reason"]["because"]
    assert because == [{"key": "leaves", "seat": 4, "name": "Rui", "count": 3}]


def test_an_advised_column_is_described() -> None:
    """On gray walls a person chooses the columns (G3)."""
    sim = next(
        each
        for seed in range(50)
        if (each := midway(GRAY, seed, 24)).table.stage is Stage.CHOICE and each.play.state.to_act()
    )
    seat = min(sim.play.state.to_act())
    sim.table = update(sim.table, HintRequested(sim.play.places[seat], sim.now))
    (request,) = sim.hint_requests
    tile = next(it for it in sim.play.state.legal() if isinstance(it, Tile) and it.seat == seat)
    sim.reply(BotReply(request.number, tile, sim.now, gain=1.25, next_best=tile))
    advised = {"kind": "column", "row": tile.row, "column": tile.column}
    (hint,) = shown(sim)["hint"]["shown"]
    for choice in (hint["choice"], hint["next"]):
        assert advised.items() <= choice.items()
    assert hint["gain"] == 1.2


@pytest.mark.parametrize("hints", [True, False])
def test_phones_offer_hints_only_in_a_game_with_hints(*, hints: bool) -> None:
    before = empty_table().press("seat.1.floor", "seat.2.floor", "ok")
    if not hints:
        before.press("display.5")
    assert shown(before)["phones"]["hint"] is False
    assert shown(before.press("seat.1.floor"))["phones"]["hint"] is hints


def test_the_second_board_of_a_solo_game_is_the_action_board() -> None:
    assert [seat["role"] for seat in shown(playing("solo"))["seats"][:2]] == ["player", "action"]
    assert {seat["role"] for seat in shown(playing())["seats"]} == {"player"}


# --- Messages as events of the table ---

KNOWN = {"AA": TileTag(Colour.RED), "BB": TileTag(Colour.BLUE), "CC": TileTag(Colour.RED)}


def test_tags_to_forget_are_named_as_readers_send_them() -> None:
    assert table_event(ForgetTags(("aa:bb", "Ana")), {}, 3.0) == TagsForgotten(("AABB", "ana"), 3.0)
    assert table_event(ForgetTiles("r"), KNOWN, 3.0) == TagsForgotten(("AA", "CC"), 3.0)


@pytest.mark.parametrize(
    ("message", "event"),
    [
        (TeachTiles("all"), LessonBegun(Tiles(None), 3.0)),
        (TeachTiles("r"), LessonBegun(Tiles(Colour.RED), 3.0)),
        (TeachPlayer("Ana"), LessonBegun(PlayerCard("Ana"), 3.0)),
        (TeachAction("undo"), LessonBegun(ActionCard(Action.UNDO), 3.0)),
        (ForgetLast(), LessonUndone(3.0)),
        (EndLesson(), LessonEnded(3.0)),
    ],
)
def test_messages_of_lessons_are_events(message: TableMessage, event: TableEvent) -> None:
    assert table_event(message, {}, 3.0) == event


def test_a_question_is_no_event() -> None:
    with pytest.raises(ValueError, match="is no event"):
        table_event(ListTags(), {}, 0.0)
