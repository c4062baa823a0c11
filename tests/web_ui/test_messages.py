"""The messages of the pages and the socket: any input is decoded or raises MessageError."""

from __future__ import annotations

import json
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from device.socket import messages as device
from device.socket.snapshot import SCHEMA as DEVICE_SCHEMA
from tests.web_ui import scenes
from web_ui.messages import (
    SCHEMA,
    Action,
    AskHint,
    BeginPractice,
    ChangeSettings,
    ChooseOptions,
    ClaimSeat,
    EndLesson,
    ForgetLast,
    ForgetTags,
    ForgetTiles,
    LeaveSeat,
    LessonSeen,
    Lines,
    ListGames,
    MakeChoice,
    MessageError,
    NamePlayer,
    NewerSchemaError,
    PlayAgain,
    PressButton,
    Question,
    ReadGame,
    ReadPositions,
    ReadRecord,
    ReadStatistics,
    ReleaseSeat,
    ReportTile,
    SelectTiles,
    SetFault,
    ShowPosition,
    ShowTag,
    SitDown,
    SnapshotMessage,
    StartGame,
    Subscribe,
    TeachAction,
    TeachGame,
    TeachPlayer,
    TeachTiles,
    allowed_to_phone,
    encode,
    known_step,
    read_action,
    read_message,
    read_snapshot,
)

SCENES = [
    scenes.snapshot(),
    scenes.seating(),
    scenes.offer(),
    scenes.refused(),
    scenes.scoring(),
    scenes.over(),
]


@pytest.mark.parametrize("scene", SCENES)
def test_snapshots_are_read(scene: scenes.Message) -> None:
    message = read_message(json.dumps({"type": "snapshot", "snapshot": scene}).encode())
    assert isinstance(message, SnapshotMessage)
    snapshot = read_snapshot(message.snapshot)
    assert snapshot.stage == scene["stage"]
    assert [seat.name for seat in snapshot.seats] == [seat["name"] for seat in scene["seats"]]


def test_unknown_keys_are_ignored() -> None:
    snapshot = read_snapshot(json.dumps({**scenes.offer(), "weather": [1]}).encode())
    assert snapshot.round == 2


def test_a_snapshot_may_lack_keys() -> None:
    snapshot = read_snapshot(b'{"schema":1,"stage":"offer","ask":{"say":"draft"}}')
    assert (snapshot.seats, snapshot.menu, snapshot.result) == ((), (), None)


def test_a_newer_schema_is_detected_before_other_faults() -> None:
    with pytest.raises(NewerSchemaError):
        read_snapshot(b'{"schema":%d,"stage":{"anything":[]}}' % (SCHEMA + 1))


def test_a_step_of_an_unknown_kind_keeps_its_points() -> None:
    step = known_step({"step": "removed", "seat": 2, "tiles": ["b"], "points": -3, "score": 4})
    assert (step.step, step.seat, step.points, step.score) == ("other", 2, -3, 4)


# --- The contract with the device ---

MESSAGES: tuple[Action | Question | Subscribe, ...] = (
    PressButton("display.3"),
    NamePlayer(1, "Ana"),
    ReportTile("b"),
    ShowTag("A762000007"),
    AskHint(2),
    AskHint(),
    TeachTiles("all"),
    TeachPlayer("Ana"),
    TeachAction("undo"),
    ForgetLast(),
    EndLesson(),
    ForgetTags(("AA", "BB")),
    ForgetTiles("r"),
    ChangeSettings("box", 0.6, "slow", hints=True, sounds=True, language="de", confirm_columns=False),
    ChangeSettings(language=None),
    ChangeSettings(),
    SetFault("pico", "unplug", on=True),
    SelectTiles(3, "r"),
    SelectTiles(),
    MakeChoice("3r2"),
    SitDown(2, "strong", "Ana"),
    SitDown(2),
    LeaveSeat(2),
    ChooseOptions("gray", "easy", "coloured", hints=False),
    ChooseOptions(),
    StartGame(2),
    StartGame(),
    PlayAgain(asked="19a6e2f4c07", before=8127.25),
    TeachGame(on=True),
    LessonSeen(),
    ClaimSeat(2, "Ana", "ab" * 32, by=0),
    ReleaseSeat(2, by=2),
    Subscribe(frames=True),
    ListGames(20, 40),
    ListGames(20),
    ReadGame(39),
    ReadRecord(39),
    ReadPositions(39, 12, 100),
    ReadStatistics(),
    ReadStatistics("Ana"),
    ShowPosition(number=39, step=12),
    ShowPosition(),
    BeginPractice(39, 12, {2: "strong"}),
)


def test_the_device_decodes_every_message_of_the_pages() -> None:
    sent = {type(message) for message in MESSAGES}
    assert sent == {*get_args(Action), *get_args(Question), Subscribe}
    for message in MESSAGES:
        received = device.decode(encode(message))
        assert type(received).__name__ == type(message).__name__
        fields = msgspec.structs.asdict(message)
        assert msgspec.structs.asdict(received) == {**fields, "id": None}


def test_the_pages_decode_every_message_of_the_device() -> None:
    layout = {"name": "duo", "width": 480, "height": 300, "lights": [], "buttons": []}
    messages: tuple[device.ServerMessage, ...] = (
        device.LayoutMessage(layout),
        device.SnapshotMessage({"schema": SCHEMA}),
        device.FrameMessage("0a0b0c"),
        device.Answer(taken=False, id=3, why="line_full"),
        device.Beat(),
        device.ErrorMessage("a line has at most 65536 bytes"),
    )
    assert {type(message) for message in messages} == set(get_args(device.ServerMessage))
    for message in messages:
        received = read_message(device.encode(message))
        assert type(received).__name__ == type(message).__name__


def test_both_sides_have_the_same_schema() -> None:
    assert SCHEMA == DEVICE_SCHEMA


# --- Garbage ---


@given(some.one_of(some.binary(), some.text().map(str.encode)))
def test_any_bytes_are_decoded_or_a_message_error(line: bytes) -> None:
    for read in (read_message, read_action, read_snapshot):
        try:
            read(line)
        except MessageError:
            continue


json_values = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner),
    max_leaves=8,
)


@given(key=some.sampled_from(sorted(scenes.offer())), value=json_values)
def test_any_value_of_any_key_is_decoded_or_a_message_error(key: str, value: object) -> None:
    try:
        read_snapshot(json.dumps({**scenes.over(), key: value}).encode())
    except MessageError:
        return


@given(some.lists(some.binary().map(lambda line: line.replace(b"\n", b""))), some.lists(some.integers(1, 7)))
def test_lines_do_not_depend_on_how_bytes_are_split(lines: list[bytes], cuts: list[int]) -> None:
    data = b"".join(line + b"\n" for line in lines)
    reader, got = Lines(), []
    for cut in cuts:
        got += reader.feed(data[:cut])
        data = data[cut:]
    assert got + reader.feed(data) == lines


def test_a_line_that_is_too_long_is_skipped_and_not_kept() -> None:
    reader = Lines(limit=10)
    assert reader.feed(b"short\n" + b"x" * 11) == [b"short"]
    assert reader.feed(b"x" * 1000) == []
    assert reader.feed(b"x\nnext\n") == [b"next"]
    assert reader.feed(b"y" * 11 + b"\nlast\n") == [b"last"]


# --- What phones may do ---

TURN = {
    "schema": SCHEMA,
    "stage": "offer",
    "ask": {"say": "draft"},
    "seats": [{"seat": 1, "acting": True}, {"seat": 2}],
    "choosing": [{"button": "seat.2.line.3", "kind": "column", "token": "tile 1 3 3"}],
}


@pytest.mark.parametrize(
    ("action", "buttons"),
    [
        (SelectTiles(3, "r"), {"display.3"}),
        (SelectTiles(0, "r"), {"centre"}),
        (SelectTiles(), set()),
        (MakeChoice("3r2"), {"display.3", "seat.1.line.2"}),
        (MakeChoice("0kf"), {"centre", "seat.1.floor"}),
        (MakeChoice("tile 1 3 3"), {"seat.2.line.3"}),
        (MakeChoice("tile 0 3 3"), {"seat.1.floor", "seat.2.floor"}),
        (SitDown(2), {"seat.2.floor"}),
        (LeaveSeat(1), {"seat.1.floor"}),
        (StartGame(), {"seat.1.floor", "seat.2.floor"}),
        (ChooseOptions("gray"), {"seat.1.floor", "seat.2.floor"}),
        (PlayAgain(), {"seat.1.floor", "seat.2.floor"}),
    ],
)
def test_a_phone_may_do_what_it_may_press_the_buttons_of(action: Action, buttons: set[str]) -> None:
    for missing in (None, *buttons):
        shown = {**TURN, "phones": {"press": sorted(buttons - {missing})}}
        assert allowed_to_phone(action, read_snapshot(json.dumps(shown).encode())) == (missing is None)


def test_a_browser_sets_no_time_limit() -> None:
    """It would be of the browser's own clock; the pages' process sets it."""
    with pytest.raises(MessageError, match="before"):
        read_action(b'{"type":"press","button":"ok","before":12.5}')
    assert read_action(b'{"type":"press","button":"ok","asked":"1f"}') == PressButton("ok", asked="1f")
