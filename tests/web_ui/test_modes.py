"""What the pages show in other modes than standard, and with physical tiles; scenes of real tables."""

from __future__ import annotations

import json
from random import Random

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from device.runtime.simulation import simulated_tiles
from device.table.state import Stage, TableSettings, new_table
from tests.table.simulator import Simulator, begin_game, midway, random_draws
from tests.web_ui import real_tables, scenes
from tests.web_ui.browsing import Text
from tests.web_ui.conftest import show
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from tests.web_ui.test_sentences import TWIN, make_formatter
from web_ui.messages import Step
from web_ui.table_link import TableLink
from web_ui.text.sentences import step_sentence
from web_ui.views import boards, controls, phone

JSON = {"Content-Type": "application/json"}


# --- Gray walls ------------------------------------------------------------------------------------------


def test_the_prompt_names_who_still_has_to_choose_a_column() -> None:
    scene = real_tables.at_columns()
    formatter = make_formatter(scene)
    for seat in {each["seat"] for each in scene["choosing"]}:
        due = next(each for each in scene["choosing"] if each["seat"] == seat)
        text = f"{formatter.player(seat)} ({formatter.colour(due['colour'])} in row {due['row']})"
        assert text in formatter.instruction()
        board = boards.board(formatter, seat)
        assert board is not None
        assert board.due == f"to choose: {formatter.colour(due['colour'])} in row {due['row']}"
        assert [line.number for line in board.lines if line.due] == [due["row"]]
    waiting = {each["seat"] for each in scene["choosing"]}
    for seat in {1, 2, 3} - waiting:
        assert formatter.player(seat) not in formatter.instruction()


def test_legal_columns_are_marked_and_labelled_on_the_wall() -> None:
    scene = real_tables.at_columns()
    formatter, due = make_formatter(scene), scene["choosing"][0]
    board = boards.board(formatter, due["seat"])
    assert board is not None
    columns = [each["column"] for each in scene["choosing"] if each["seat"] == due["seat"]]
    row = board.wall[due["row"] - 1]
    assert [column for column, space in enumerate(row.spaces, 1) if space.legal] == columns
    assert f". Columns for {formatter.colour_title(due['colour'])}: {columns[0]}" in row.spoken
    assert board.due == f"to choose: {formatter.column_due(formatter.snapshot.choosing[0])}"
    board = boards.board(formatter, due["seat"], hands=controls.hands(formatter, TWIN))
    assert board is not None
    colour = formatter.colour(due["colour"])
    space = board.wall[due["row"] - 1].spaces[columns[0] - 1]
    assert space.name == f"Row {due['row']}: put {colour} in column {columns[0]}"
    assert space.token == due["token"]


# --- The bot ruleset -------------------------------------------------------------------------------------


def test_bot_games_have_colours_of_their_own() -> None:
    scene = real_tables.snapshot_json(midway(real_tables.BOTS, 1, 0).table)
    formatter = make_formatter(scene)
    assert [formatter.colour(letter) for letter in "byrkw"] == ["green", "orange", "blue", "yellow", "red"]
    assert [tile.name for tile in phone.palette(formatter.snapshot)] == [
        "green",
        "orange",
        "blue",
        "yellow",
        "red",
    ]
    assert phone.counts(formatter) == ()


# --- The solo game ---------------------------------------------------------------------------------------


def test_the_two_boards_have_titles_and_only_one_a_score() -> None:
    formatter = make_formatter(real_tables.until(real_tables.solo(), "draft"))
    player, action = boards.board(formatter, 1), boards.board(formatter, 2)
    assert player is not None
    assert action is not None
    assert (player.name, player.points) == ("Player board of Ana", "20")
    assert (action.name, action.points, action.floor.title) == ("Action board", "", "Penalty row")
    assert [space.cost for space in action.floor.spaces] == [1, 1, 2, 2, 2, 3, 3]
    assert {space.cost for space in player.floor.spaces} == {0}
    assert sum(space.scoring for row in action.wall for space in row.spaces) == 1
    assert formatter.heading() == "For the action board"
    assert formatter.instruction() == "Display 1: press it to choose a colour for the action board."
    assert formatter.button("seat.2.line.3") == "Line 3 of the action board"


def test_rows_are_offered_for_the_scoring_tile() -> None:
    scene = real_tables.until(real_tables.solo(), "choose_square")
    names = [
        f"Put the scoring tile on row {each['row']}, column {each['column']}" for each in scene["choosing"]
    ]
    formatter = make_formatter(scene)
    board = boards.board(formatter, 2, hands=controls.hands(formatter, TWIN))
    assert board is not None
    squares = [space for row in board.wall for space in row.spaces if space.scoring]
    assert sorted(space.name for space in squares) == sorted(names)
    assert {space.token for space in squares} == {each["token"] for each in scene["choosing"]}


def test_what_a_line_sends_to_the_penalty_row_is_shown_before() -> None:
    choice = {"source": 3, "colour": "b", "count": 2, "lines": [1, 3, 0], "sends": {"1": "b", "0": "b"}}
    ask = {"say": "place", "seat": 2, "name": None, "source": 3, "colour": "b", "count": 2}
    scene = real_tables.until(real_tables.solo(), "draft")
    live = ["display.3", "seat.2.line.1", "seat.2.line.3", "seat.2.floor", "undo"]
    scene = {**scene, "ask": ask, "choice": choice, "live": live}
    formatter = make_formatter(scene)
    board = boards.board(formatter, 2, hands=controls.hands(formatter, TWIN))
    assert board is not None
    puts = [line.put for line in board.lines]
    assert [put is not None and put.live for put in puts] == [True, False, True, False, False]
    assert puts[0] is not None
    assert puts[0].spoken == "Line 1: put 2 blue here: sends 1 blue to the penalty row"
    assert [(each.where, each.tiles, each.tried) for each in board.sends] == [
        ("Line 1", "b", False),
        ("Let them fall", "b", False),
    ]
    tried = {**scene, "ask": {**ask, "say": "place_again", "line": 1}, "choice": {**choice, "tried": 1}}
    formatter = make_formatter(tried)
    assert formatter.instruction() == (
        "Putting 2 blue on line 1 sends 1 blue to the penalty row. Press the same button again to do it."
    )
    board = boards.board(formatter, 2)
    assert board is not None
    assert [space.coming for space in board.floor.spaces].count(True) == 1


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("swap", ("Swap two penalty tiles", "Swap the 2nd penalty tile, yellow, and the 3rd, red")),
        ("remove", ("Remove a penalty tile?", "Remove the 3rd: red")),
    ],
)
def test_choices_of_penalty_tiles_have_texts(kind: str, says: tuple[str, str]) -> None:
    scene = real_tables.until(real_tables.solo(), "draft")
    scene["seats"][1]["floor"] = "byrkw"
    positions = [1, 2] if kind == "swap" else [3, None]
    buttons = ["seat.2.line.1", "seat.2.line.2"] if kind == "swap" else ["seat.2.line.3", "ok"]
    choosing = [
        {
            "button": button,
            "kind": kind,
            "seat": 2,
            "position": position,
            "token": f"{kind} {position or 'none'}",
        }
        for button, position in zip(buttons, positions, strict=True)
    ]
    ask = {"say": f"choose_{'swap' if kind == 'swap' else 'removal'}"}
    scene = {**scene, "stage": "choice", "ask": ask, "choosing": choosing, "live": [*buttons, "undo"]}
    formatter = make_formatter(scene)
    assert formatter.heading() == says[0]
    board = boards.board(formatter, 2, hands=controls.hands(formatter, TWIN))
    assert board is not None
    assert says[1] in [space.name for space in board.floor.spaces]
    bar = controls.bar(formatter, TWIN)
    assert bar is not None
    assert (bar.leave == "Leave them") == (kind == "remove")
    marked = [place for place, space in enumerate(board.floor.spaces, 1) if space.legal]
    assert marked == ([1, 2, 3] if kind == "swap" else [3])


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ({"step": "action_tile_placed", "row": 3, "colour": "r"}, "Red goes to row 3 of the action wall."),
        (
            {"step": "penalty_drawn", "aside": "b", "drawn": "y"},
            "Line 1 acts: a yellow tile is drawn for the",
        ),
        ({"step": "penalty_drawn"}, "Line 1 acts: with no penalty tile and an empty bag nothing happens."),
        ({"step": "penalty_swapped", "position": 2}, "Line 2 acts: the 2nd and the 3rd penalty tile change"),
        (
            {"step": "penalty_removed", "line": 4, "position": 1, "colour": "k"},
            "Line 4 acts: the 1st penalty",
        ),
        ({"step": "beside_scoring_tile", "nth": 4, "points": 5}, "The 4th tile beside the scoring tile: 5"),
        ({"step": "penalty_charged", "cost": 8, "points": -8}, "The penalty row costs 8 points."),
        ({"step": "penalty_charged", "cost": 8, "points": -3}, "The penalty row costs 8 points; only 3 were"),
        ({"step": "floor_cleared", "tiles": 1}, "1 tile of the player board's floor goes out of play"),
        (
            {"step": "penalty_row_counted", "tiles": 2, "points": -16},
            "2 tiles are left in the penalty row: 16",
        ),
        ({"step": "penalty_row_counted", "tiles": 0, "points": 5}, "The penalty row is empty: 5 points."),
        (
            {"step": "clear_board_award", "which": 1, "points": 5},
            "All lines of the action board are empty: 5",
        ),
    ],
)
def test_every_step_of_a_solo_account_has_a_text(step: Message, text: str) -> None:
    formatter = make_formatter(real_tables.until(real_tables.solo(), "draft"))
    assert step_sentence(formatter, Step(**{"seat": 1, **step})).startswith(text)


@pytest.mark.parametrize(
    ("result", "head", "rule"),
    [
        (
            {"score": 7, "victory": "loss", "rule": "S7", "ending": "eighth_tile"},
            "Lost: an eighth tile",
            "S7",
        ),
        (
            {"score": 0, "victory": "loss", "rule": "S10", "ending": "no_points"},
            "Lost: the penalty row",
            "S10",
        ),
        (
            {"score": 59, "victory": "loss", "rule": "S14", "ending": "row_complete"},
            "Lost: 59 points are",
            "S14",
        ),
        ({"score": 71, "victory": "apprentice", "rule": None, "ending": "bag_empty"}, "Apprentice! 71 p", ""),
        (
            {"score": 104, "victory": "master", "rule": None, "ending": "row_complete"},
            "Master! 104 points.",
            "",
        ),
    ],
)
def test_the_result_of_a_solo_game_shows_levels_and_rule(result: Message, head: str, rule: str) -> None:
    scene = real_tables.until(real_tables.solo(), "draft")
    formatter = make_formatter({**scene, "stage": "over", "ask": {"say": "game_over"}, "result": result})
    assert formatter.heading().startswith(head)
    shown = phone.result(formatter)
    assert shown is not None
    assert shown.rule == rule
    assert shown.ending.startswith(formatter.words.text(f"result.{result['ending']}"))
    reached = [name for _, name, won in shown.levels if won]
    assert reached == ([] if rule else [formatter.words.text(f"victory.{result['victory']}")])
    assert ("artisan only" in shown.ending) == (result["score"] > 100)


def test_a_solo_account_is_one_list_in_order() -> None:
    scene = next(
        scene for scene in real_tables.whole_game(real_tables.solo(), 6) if scene["account"] is not None
    )
    account = phone.account(make_formatter(scene))
    assert account is not None
    assert len(account.players) == 1
    assert len(account.players[0].steps) == len(scene["account"]["steps"])


def test_the_choices_for_a_solo_game_are_named() -> None:
    hands_at = Simulator(new_table(TableSettings(4, 9)), random_draws(1)).press(
        "seat.2.floor", "ok", "display.3"
    )
    scene = real_tables.snapshot_json(hands_at.table)
    assert phone.turn(real_tables.view_of(scene), make_formatter(scene).words, TWIN).round == (
        "Solo game \N{MIDDLE DOT} Expert \N{MIDDLE DOT} Coloured wall \N{MIDDLE DOT} Hints allowed"
    )


# --- Tiles of resin --------------------------------------------------------------------------------------


def test_the_place_of_the_next_tile_is_named_and_drawn() -> None:
    scene = real_tables.reporting("bbyrk")
    formatter = make_formatter(scene)
    assert formatter.instruction() == (
        "Draw a tile, lay it on display 2 as number 2, and tell the table which. The bag holds 95 tiles now."
    )
    first, second, third, *_ = phone.offer(formatter)
    assert (first.tiles, first.free) == ("bbyr", ())
    assert (second.tiles, second.free) == ("k", (True, False, False))
    assert second.spoken == "Display 2: 1 black; the next tile goes here"
    assert third.free == (False,) * 4
    bag, lid = phone.counts(formatter)
    assert (bag.title, lid.title) == ("In the bag: 95 tiles", "In the lid: 0 tiles")
    assert [number for _, _, number in bag.tiles] == [18, 19, 19, 19, 20]


def test_the_penalty_row_is_reported_tile_by_tile() -> None:
    hands_at, random = Simulator(new_table(TableSettings(4, 9, physical_tiles=True))), Random(1)
    begin_game(hands_at, real_tables.solo(), (1,))
    while real_tables.snapshot_json(hands_at.table)["ask"]["say"] != "tell_penalty":
        real_tables.report_one(hands_at, random)
    real_tables.report_one(hands_at, random)
    formatter = make_formatter(real_tables.snapshot_json(hands_at.table))
    assert "space 2 of the penalty row" in formatter.instruction()
    board = boards.board(formatter, 2)
    assert board is not None
    assert board.floor.spaces[0].tile
    assert [space.next for space in board.floor.spaces].index(True) == 1
    assert phone.counts(formatter)[1].title == "Out of play: 0 tiles"
    assert hands_at.table.stage is Stage.REPORTING


def test_the_phone_page_of_this_machine_reports_tiles(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, real_tables.reporting("bb"))
    page = Text(client.get("/").text)
    assert page.values("data-tile") == list("byrkw")
    assert page.values("data-left") == ["18", "20", "20", "20", "20"]
    assert set(page.values("data-button")) == {"undo"}
    far = Text(client.get("/", environ_base={"REMOTE_ADDR": "192.168.1.20"}).text)
    assert not far.values("data-tile")
    assert "In the bag: 98 tiles" in str(far)


def test_the_twin_has_a_drawer_of_a_hundred_tags(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, real_tables.reporting("bbw"))
    page = Text(client.get("/table?face=hardware").text)
    tags = [tag for tag in page.values("data-tag") if tag in simulated_tiles()]
    assert tags == list(simulated_tiles())
    assert len(tags) == 100
    assert "blank" in page.words, "and cards"
    (state,) = page.values("data-state")
    tags = list(simulated_tiles())
    assert json.loads(state)["used"] == [tags[0], tags[1], tags[80]]
    show(daemon, link, scenes.offer(2))
    assert not Text(client.get("/table?face=hardware").text).values("data-tag")


def test_reported_tiles_and_tags_reach_the_table(daemon: FakeDaemon, client: FlaskClient) -> None:
    assert client.post("/action", data='{"type":"tile","colour":"b"}', headers=JSON).get_json() == {
        "taken": True
    }
    assert daemon.asked.get(timeout=TIMEOUT)["colour"] == "b"
    assert client.post("/action", data='{"type":"tag","tag":"A762000007"}', headers=JSON).get_json() == {
        "taken": True
    }
    assert daemon.asked.get(timeout=TIMEOUT) == {"type": "tag", "reader": "shared", "tag": "A762000007"}


@pytest.mark.parametrize(
    "body",
    [
        '{"type":"tile","colour":"x"}',
        '{"type":"tile","colour":7}',
        '{"type":"tile"}',
        '{"type":"tag","tag":""}',
        json.dumps({"type": "tag", "tag": "x" * 200}),
        '{"type":"tag","reader":"shared"}',
    ],
)
def test_invalid_tiles_and_tags_are_refused(daemon: FakeDaemon, client: FlaskClient, body: str) -> None:
    answer = client.post("/action", data=body, headers=JSON)
    assert answer.status_code == 400
    assert answer.get_json()["error"].endswith(".")
    assert daemon.asked.empty()


def test_scoring_goes_step_by_step_with_physical_tiles() -> None:
    scene = next(
        scene
        for scene in real_tables.whole_game(real_tables.STANDARD, 2, with_resin=True)
        if scene["ask"]["say"] == "scoring"
    )
    assert (
        make_formatter(scene).instruction()
        == "Move the tiles as the lights show, then press ok for the next step."
    )


def test_the_lid_is_poured_into_the_bag() -> None:
    scenes_told = list(real_tables.whole_game(real_tables.STANDARD, 2, with_resin=True))
    due = next((scene for scene in scenes_told if scene["ask"]["say"] == "tell_after_lid"), None)
    assert due is not None
    formatter = make_formatter(due)
    assert formatter.heading() == "The bag is empty"
    bag, lid = phone.counts(formatter)
    assert f"{len(due['resin']['bag'])} tiles must be in it" in formatter.instruction()
    assert lid.title == "In the lid: 0 tiles"
    assert bag.title == f"In the bag: {len(due['resin']['bag'])} tiles"


# --- The rules for players -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "numbers"), [("standard", "R1 R17"), ("gray", "G3"), ("dtc", "D2"), ("solo", "S1 S15")]
)
def test_the_rules_can_be_read_everywhere(client: FlaskClient, mode: str, numbers: str) -> None:
    far = {"environ_base": {"REMOTE_ADDR": "192.168.1.20"}}
    answer = client.get(f"/rules/{mode}", **far)
    page = Text(answer.text)
    assert set(numbers.split()) <= set(page.values("id"))
    assert "For example:" in str(page)
    assert ("/rules/standard" in page.values("href")) == (mode != "standard")
    again = client.get(f"/rules/{mode}", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    german = client.get(f"/rules/{mode}", headers={"Accept-Language": "de"})
    assert "Zum Beispiel:" in german.text


def test_all_rules_are_listed(client: FlaskClient) -> None:
    links = Text(client.get("/rules").text).values("href")
    assert {f"/rules/{mode}" for mode in ("standard", "gray", "solo", "dtc")} <= set(links)
    assert client.get("/rules/chess").status_code == 404


def test_the_phone_page_links_to_the_rules_of_its_game(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.snapshot(1))
    assert "/rules" in Text(client.get("/").text).values("href")
    show(daemon, link, real_tables.at_columns(2))
    assert "/rules/gray" in Text(client.get("/").text).values("href")
    for path in ("/", "/table", "/table?face=hardware"):
        assert "The rules of this game" in client.get(path).text


# --- The end of the game ---------------------------------------------------------------------------------


def test_a_tie_is_explained() -> None:
    rows = phone.result(make_formatter(scenes.over()))
    assert rows is not None
    assert rows.tie == "A tie in points: the more complete rows decide."
    shared = phone.result(make_formatter(scenes.over(result={**scenes.over()["result"], "tie": "shared"})))
    assert shared is not None
    assert shared.tie == "A tie in points and in complete rows: the victory is shared."
    alone = phone.result(make_formatter(scenes.over(result={**scenes.over()["result"], "tie": "none"})))
    assert replace(rows, tie="") == alone
