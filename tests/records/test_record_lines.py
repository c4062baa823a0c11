"""Invalid lines, headers and events are refused, each with its line."""

from codecs import BOM_UTF8

import pytest

from device.records.json_form import LONGEST_LINE
from device.records.record import read
from tests.records.recorded import Line, fault, game_of, index_of, lines_of

# --- Lines that are no lines of a record -----------------------------------------------------------------


@pytest.mark.parametrize("lines", [[], [b"\n", b"  \r\n"]])
def test_a_file_without_a_game_is_refused(lines: list[bytes]) -> None:
    assert fault(lines) == (1, "there is no game in the file")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"{\n", "invalid JSON"),
        (b"\xef\xbb\xbf{}\n", "invalid JSON"),
        (b"[]\n", "a line must hold a JSON object, not []"),
        (b"[{}]\n", "not a list"),
        (b"3\n", "not 3"),
        (b"null\n", "not null"),
        (b'"' + b"x" * 500 + b'"\n', "not 'xxx"),
        (b'{"draft":NaN}\n', "NaN is not a number"),
        (b'{"draft":-Infinity}\n', "-Infinity is not a number"),
        (b'{"draft":"3b2","draft":"3b2"}\n', "the key 'draft' occurs twice in one object"),
        (b'{"result":{"scores":[1],"scores":[1]}}\n', "the key 'scores' occurs twice"),
        (b'{"draft":"\xff"}\n', "byte 11 of the line is not UTF-8"),
        (b'{"draft":"\xed\xa0\x80"}\n', "byte 11 of the line is not UTF-8"),
        (b'{"draft":' + b"[" * 30_000 + b"]" * 30_000 + b"}\n", "nested too deeply"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"\n", "nested too deeply"),
        (b'{"swap":' + b"9" * 9_000 + b"}\n", "a number in it is too long"),
        (b'{"name":"' + b"x" * LONGEST_LINE + b'"}\n', f"longer than {LONGEST_LINE} bytes"),
        (b'{"draft":"3b2"} {"draft":"3b2"}\n', "invalid JSON"),
        (b"{'draft':'3b2'}\n", "invalid JSON"),
        (b'{"draft":"3b2",}\n', "invalid JSON"),
        (b'{"a":1,"b":2}\n', "a line has one key, not 2"),
        (b"{}\n", "a line has one key, not 0"),
        (b'{"move":"3b2"}\n', "there is no event 'move'"),
        (b'{"\\ud800\\n":"3b2"}\n', "there is no event"),
    ],
)
def test_an_invalid_line_is_refused(line: bytes, expected: str) -> None:
    lines = lines_of("standard-2")
    at, message = fault([*lines[:3], line, *lines[3:]])
    assert at == 4
    assert expected in message


@pytest.mark.parametrize("blank", [b"", b"\r\n"])
def test_a_file_may_begin_with_a_byte_order_mark(blank: bytes) -> None:
    marked = BOM_UTF8 + blank + b"".join(lines_of("standard-2"))
    found = list(read(marked.splitlines(keepends=True)))
    assert [each.events for each in found] == [each.events for each in read(lines_of("standard-2"))]


@pytest.mark.parametrize("kept", [1, 5, -2])
def test_an_incomplete_last_line_is_refused(kept: int) -> None:
    lines = lines_of("standard-2")
    assert fault([*lines[:20], lines[20][:kept]]) == (
        21,
        "the last line is incomplete: the file was cut off",
    )


def test_a_last_line_cut_inside_a_character_is_refused() -> None:
    header = '{"record":"azul","version":1,"mode":"standard","players":["Zoë'.encode()
    assert fault([header[:-1]]) == (1, "the last line is incomplete: the file was cut off")


def test_the_longest_line_is_still_read() -> None:
    padded = lines_of("standard-2")[0].rstrip(b"\n").ljust(LONGEST_LINE - 1) + b"\n"
    assert len(padded) == LONGEST_LINE
    rest = lines_of("standard-2")[1:]
    assert len(list(read([padded, *rest]))) == 2
    assert fault([b" " + padded, *rest]) == (1, f"the line is longer than {LONGEST_LINE} bytes")


# --- Headers ---------------------------------------------------------------------------------------------

HEADER: Line = {"record": "azul", "version": 1, "mode": "standard", "players": ["Ana", "Rui"], "first": 0}
SOLO: Line = {
    "record": "azul",
    "version": 1,
    "mode": "solo",
    "players": ["Ana"],
    "level": "easy",
    "wall": "gray",
}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"record": "chess"}, "this is a record of 'chess', not of 'azul'"),
        ({"record": 1}, "this is a record of 1"),
        ({"version": 2}, "this program reads version 1 of records, not 2"),
        ({"version": True}, "version must be a whole number, not true"),
        ({"version": 1.0}, "version must be a whole number, not 1.0"),
        ({"mode": "chess"}, "there is no mode 'chess'; the modes are standard, gray, dtc, solo"),
        ({"mode": ["standard"]}, "mode must be a string, not ['standard']"),
        ({"mode": {}}, "mode must be a string, not an object"),
        ({"players": "AB"}, "players must be a list of names, not 'AB'"),
        ({"players": ["Ana", 1]}, "the name of a player must be a string, not 1"),
        ({"players": ["Ana", None]}, "the name of a player must be a string, not null"),
        ({"players": ["Ana", "\ud800"]}, "it holds half a character"),
        ({"players": ["Ana", "\udfff"]}, "it holds half a character"),
        ({"players": ["Ana", "\ud83c"]}, "the name '\\ud83c' is not valid text: it holds half a character"),
        ({"players": ["Ana"]}, "2 to 4 players, not 1"),
        ({"players": ["x"] * 5}, "2 to 4 players, not 5"),
        ({"mode": "dtc", "players": ["x"] * 3}, "2 players, not 3"),
        ({"first": 2}, "a seat from 0 to 1, not 2"),
        ({"first": -1}, "a seat from 0 to 1, not -1"),
        ({"first": 10**18}, "a seat from 0 to 1"),
        ({"first": False}, "first must be a whole number, not false"),
        ({"first": "0"}, "first must be a whole number, not '0'"),
        ({"first": None}, "first must be a whole number, not null"),
        ({"rounds": 3}, "the header has no key 'rounds'"),
        ({"level": "easy"}, "the header has no key 'level'"),
    ],
)
def test_an_invalid_header_is_refused(change: Line, expected: str) -> None:
    at, message = fault([HEADER | change])
    assert at == 1
    assert expected in message


@pytest.mark.parametrize("key", ["version", "mode", "players", "first"])
def test_a_header_without_a_key_is_refused(key: str) -> None:
    header = {name: value for name, value in HEADER.items() if name != key}
    assert fault([header]) == (1, f"the header lacks the key {key!r}")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"level": "hard"}, "level is easy, normal, expert; not 'hard'"),
        ({"level": 3}, "level must be a string, not 3"),
        ({"wall": "grey"}, "wall is coloured or gray; not 'grey'"),
        ({"players": ["Ana", "Rui"]}, "1 player"),
        ({"first": 1}, "seat 1 first"),
        ({"seed": 1}, "the header of a solo game has no key 'seed'"),
    ],
)
def test_an_invalid_solo_header_is_refused(change: Line, expected: str) -> None:
    at, message = fault([SOLO | change])
    assert at == 1
    assert expected in message


def test_a_game_starts_with_its_header() -> None:
    assert fault([{"deal": []}]) == (1, 'a game starts with its header, {"record":"azul","version":1,...}')


# --- Events ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"draft": "1b9"}, "'1b9' is not an event"),
        ({"draft": "tile 0 1 1"}, "a draft must have at most 3 characters"),
        ({"draft": ["3", "b", "2"]}, "a draft must be a string, not ['3', 'b', '2']"),
        ({"draft": None}, "a draft must be a string, not null"),
        ({"draft": "9bf"}, "draft 9bf: there is no display 9 in this game"),
        ({"draft": "0bf"}, "draft 0bf: the centre holds no blue tile"),
        ({"deal": ["bbyr"] * 5}, "there is nothing to deal now"),
        ({"deal": "bbyr"}, "a deal must be a list of displays, not 'bbyr'"),
        ({"deal": [1]}, "a display must be a string, not 1"),
        ({"deal": ["bbbbbb"]}, "a display must have at most 5 characters"),
        ({"deal": ["ybbr"]}, "'ybbr' is not in wall order"),
        ({"deal": ["-"]}, "'-' is not a colour"),
        ({"tile": [1, 2]}, "tile 0 1 2: there is no tile to place now"),
        ({"tile": [1]}, "tile must be a row and a column from 1 to 5, not [1]"),
        ({"tile": [0, 1]}, "not [0, 1]"),
        ({"tile": [1, True]}, "tile must be a list of whole numbers"),
        ({"tile": [1, 2.0]}, "tile must be a list of whole numbers"),
        ({"tile": "12"}, "tile must be a list of whole numbers, not '12'"),
        ({"scores": [0, 0]}, "scores may only follow the last event of a round"),
        ({"penalty": "bbyyr"}, "a standard game has no such event"),
        ({"colour": "b"}, "a standard game has no such event"),
        ({"draw": "b"}, "a standard game has no such event"),
        ({"colour": "bb"}, "a colour must have at most 1 characters"),
        ({"draw": "bb"}, "a draw must have at most 1 characters"),
        ({"scoring": [3, 3]}, "a standard game has no such event"),
        ({"swap": 1}, "a standard game has no such event"),
        ({"swap": 7}, "swap must be a position from 1 to 6, not 7"),
        ({"swap": True}, "swap must be a whole number, not true"),
        ({"remove": None}, "a standard game has no such event"),
        ({"remove": 0}, "remove must be a position from 1 to 7, not 0"),
    ],
)
def test_an_invalid_or_illegal_event_is_refused(line: Line, expected: str) -> None:
    lines = game_of("standard-2")
    at, message = fault([*lines[:2], line, *lines[2:]])
    assert at == 3
    assert expected in message


def test_an_illegal_draft_is_named_with_its_reason() -> None:
    deal = {"deal": ["bbyr", "bkkw", "rrww", "bykw", "bbww"]}
    lines = [HEADER, deal, {"draft": "1b2"}, {"draft": "2k1"}, {"draft": "4b2"}]
    assert fault(lines) == (5, "draft 4b2: line 2 is full")


def test_a_wrong_deal_is_refused() -> None:
    lines = game_of("standard-2")
    at = index_of(lines, "deal", 1)
    assert fault([*lines[:at], {"deal": ["bbyr"] * 4}]) == (
        at + 1,
        f"{text_of_deal(['bbyr'] * 4)}: the deal must fill 5 displays, not 4",
    )
    assert "display 1 must get 4 tiles, not 'bbb'" in fault([HEADER, {"deal": ["bbb", *["rrkk"] * 4]}])[1]
    too_many = {"deal": ["bbbb", "bbbb", "bbbb", "bbbb", "bbbb"]}
    assert "display 5 can't hold 'bbbb'" in fault([*lines[:at], too_many])[1]


def text_of_deal(displays: list[str]) -> str:
    return " ".join(["deal", *displays])


def test_events_after_the_end_of_the_game() -> None:
    lines = game_of("standard-2")
    assert fault([*lines[:-1], {"deal": ["bbyr"] * 5}])[0] == len(lines)
    assert "the game is over: its result must follow" in fault([*lines[:-1], {"draft": "1b1"}])[1]
