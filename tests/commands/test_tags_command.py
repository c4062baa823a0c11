"""The command `azul-table tags`, with a running table and without: output and exit status."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from device.commands.cli import azul_table
from device.commands.tags import StoredTable
from device.runtime.data_folder import locked
from device.runtime.simulation import SIMULATED_CARDS
from device.socket.messages import TeachTiles
from device.store.store import Store
from hardware.api import HardwareEvent, Loss, PartBack, PartLost, TagArrived, TagLeft
from hardware.layout.model import Layout
from tests.harness.client import Client, Message
from tests.harness.fixtures import StartTable
from tests.harness.local_table import LocalTable
from tests.harness.running import COMMAND, RunningTable
from tests.harness.waiting import DEADLINE, until

LAYOUTS = Path(__file__).parents[2] / "hardware" / "layouts"


def tags(data: Path, *arguments: str, typed: str = "") -> Result:
    """Run `azul-table tags` on a data folder, in this process."""
    result = CliRunner().invoke(azul_table, ["tags", *arguments, "--data", str(data)], input=typed)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def listed(data: Path) -> list[tuple[str, str, str]]:
    """Return the tags that a table knows, without the cards of simulated readers."""
    known = json.loads(tags(data, "list", "--json").stdout)
    return [
        (each["tag"], each["kind"], each["value"]) for each in known if each["tag"] not in SIMULATED_CARDS
    ]


@pytest.fixture
def local_table(short: Path) -> Iterator[LocalTable]:
    """A table in this process that runs with the data folder `short`."""
    (short / "run").mkdir()
    with LocalTable(short / "azul-table.db", socket=short / "run" / "azul-table.sock") as table:
        yield table


@pytest.fixture(params=["stored", "running"])
def folder(request: pytest.FixtureRequest, short: Path) -> Path:
    """A data folder, with a table that runs or without."""
    if request.param == "running":
        request.getfixturevalue("local_table")
    return short


def test_tags_are_taught_listed_and_forgotten(folder: Path) -> None:
    result = tags(folder, "learn", "tiles", "red", "--tag", "04:a2:1b:7c", "--tag", "BB", "--tag", "Blue-1")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[:3] == [
        "04A21B7C is red tile 1 now.",
        "BB is red tile 2 now.",
        "blue-1 is red tile 3 now.",
    ]
    assert "red     ###.................  3 of 20  17 to go" in result.stdout
    assert (
        tags(folder, "learn", "player", "Ana  Maria", "--tag", "CC").stdout == "CC is Ana Maria's card now.\n"
    )
    assert tags(folder, "learn", "action", "new-game", "--tag", "DD").exit_code == 0
    result = tags(folder, "list")
    assert result.stdout.splitlines()[:5] == [
        "04A21B7C  red tile 1",
        "BB        red tile 2",
        "blue-1    red tile 3",
        "CC        Ana Maria's card",
        "DD        the card for new game",
    ]
    assert tags(folder, "forget", "bb").stdout == "BB was red tile 2.\n"
    assert tags(folder, "forget", "player", "Ana", "Maria").exit_code == 0
    assert tags(folder, "forget", "action", "new-game").exit_code == 0
    assert listed(folder) == [("04A21B7C", "tile", "r"), ("blue-1", "tile", "r")]


def test_a_tag_that_is_known_already_is_refused(folder: Path) -> None:
    tags(folder, "learn", "tiles", "--tag", "AA")
    result = tags(folder, "learn", "player", "Ana", "--tag", "AA")
    assert result.exit_code == 1
    assert result.stderr == "AA is blue tile 1 already.\nnot learned: AA\n"
    assert listed(folder) == [("AA", "tile", "b")]
    result = tags(folder, "learn", "player", "Ana", "--tag", "BB", "--tag", "CC")
    assert result.exit_code == 1
    assert "CC means nothing yet" in result.stderr


@pytest.mark.slow
def test_tags_are_read_from_standard_input(folder: Path) -> None:
    typed = "".join(f"{number:08x}\n" for number in range(100))
    result = tags(
        folder, "learn", "tiles", "--typed", typed="\n0000000\x07\n00000000\n00000000\n" + typed + "more\n"
    )
    assert result.exit_code == 0, result.stderr
    assert "is no tag" in result.stderr
    assert result.stdout.endswith("100 of 100 tiles are known.\n")
    assert [value for _, _, value in listed(folder)] == [letter for letter in "byrkw" for _ in range(20)]


def test_standard_input_may_end_before_the_lesson(folder: Path) -> None:
    result = tags(folder, "learn", "tiles", "--typed", typed="AA\nBB\n")
    assert result.exit_code == 0
    assert "blue    ##..................  2 of 20  18 to go" in result.stdout
    assert "1 of 20" in tags(folder, "learn", "tiles", "white", "--typed", typed="CC").stdout


def test_forgetting_several_tags_is_confirmed(folder: Path) -> None:
    tags(folder, "learn", "tiles", "--tag", "AA", "--tag", "BB")
    assert tags(folder, "forget", "all").exit_code == 1
    assert len(listed(folder)) == 2
    result = tags(folder, "forget", "all", typed="n\n")
    assert (result.exit_code, result.stderr.endswith("nothing was forgotten\n")) == (1, True)
    assert tags(folder, "forget", "tiles", "red", "--yes").exit_code == 1
    assert tags(folder, "forget", "tiles", "blue", typed="y\n").exit_code == 0
    assert listed(folder) == []


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("learn", "player", " ", "--tag", "AA"), 1, "needs a name"),
        (("learn", "player", "x" * 21, "--tag", "AA"), 1, "at most 20 printable characters"),
        (("learn", "tiles", "--tag", ""), 1, "is no tag"),
        (("learn", "tiles", "green"), 2, "green"),
        (("learn", "action", "stop"), 2, "stop"),
        (("learn", "tiles", "--tag", "AA", "--typed"), 2, "not both"),
        (("forget", "EE"), 1, "not known: EE; nothing was forgotten"),
        (("forget", "player", "Nobody"), 1, "no such tag is known"),
        (("forget", "tiles", "green"), 2, "tiles COLOUR"),
        (("forget",), 2, "Missing"),
        (("learn", "tiles", "--layout", "nowhere"), 1, "nowhere"),
    ],
)
def test_wrong_arguments_are_reported_in_a_sentence(
    data: Path, arguments: tuple[str, ...], status: int, said: str
) -> None:
    result = tags(data, *arguments)
    assert result.exit_code == status
    assert said in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.system
def test_the_readers_of_a_running_table_are_used(data: Path, start: StartTable) -> None:
    table = start()
    learning = subprocess.Popen(
        [COMMAND, "tags", "learn", "tiles", "--data", str(data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert learning.stderr is not None
    assert learning.stderr.readline() == "Lay a blue tile (0 of 20 are known) on a reader.\n"
    lay(table, "AA", "BB", "AA")
    with table.client() as client:
        client.subscribe()
        client.until(lambda snapshot: verdict(snapshot) == "known")
    learning.send_signal(signal.SIGINT)
    out, err = learning.communicate(timeout=DEADLINE)
    assert learning.returncode == 0, err
    assert "2 of 100 tiles are known." in out
    assert table.snapshot()["stage"] == "seating"


def verdict(snapshot: Message) -> object:
    """What became of the last tag of a lesson; the first snapshot of a client may be from before it."""
    lesson = snapshot["learning"] or {}
    return (lesson.get("last") or {}).get("verdict")


def lay(table: RunningTable, *laid: str) -> None:
    """Lay tags on the table's reader once somebody teaches it."""
    with table.client() as client:
        client.subscribe()
        client.until(lambda snapshot: snapshot["stage"] == "learning")
        for tag in laid:
            client.send({"type": "tag", "reader": "shared", "tag": tag})
            client.answer()


@pytest.mark.system
def test_a_lesson_of_a_card_ends_after_the_card(data: Path, start: StartTable) -> None:
    table = start()
    learning = subprocess.Popen(
        [COMMAND, "tags", "learn", "player", "Rui", "--data", str(data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lay(table, "AA")
    out, err = learning.communicate(timeout=DEADLINE)
    assert (learning.returncode, out) == (0, "AA is Rui's card now.\n"), err
    assert err == "Lay Rui's card on a reader.\n"
    until(lambda: table.snapshot()["stage"] == "seating", "the end of the lesson")


def test_another_lesson_is_not_interrupted(local_table: LocalTable, short: Path) -> None:
    with Client(short / "run" / "azul-table.sock") as phone:
        phone.send({"type": "teach_player", "name": "Ana"})
        assert phone.answer()["taken"]
        result = tags(short, "learn", "tiles", "--tag", "AA")
        assert result.exit_code == 1
        assert result.stderr.startswith("another lesson is under way")
    assert local_table.snapshot["stage"] == "learning"


@pytest.mark.system
def test_a_table_that_ends_during_a_lesson_is_reported(data: Path, start: StartTable) -> None:
    table = start()
    learning = subprocess.Popen(
        [COMMAND, "tags", "learn", "tiles", "--data", str(data)], stderr=subprocess.PIPE, text=True
    )
    lay(table, "AA")
    table.end()
    _, err = learning.communicate(timeout=DEADLINE)
    assert learning.returncode == 1, err
    assert "the table has ended" in err
    assert listed(data) == [("AA", "tile", "b")]


@pytest.mark.system
def test_the_socket_of_a_killed_table_is_ignored(data: Path, start: StartTable) -> None:
    table = start()
    table.kill()
    assert table.socket.exists()
    assert tags(data, "learn", "tiles", "--tag", "AA").exit_code == 0
    assert listed(data) == [("AA", "tile", "b")]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            b'{"type":"error","error":"64 clients are connected already"}\n',
            "64 clients are connected already",
        ),
        (b"\xff garbage\n", "another version"),
        (b"[]\n", "another version"),
    ],
)
def test_an_invalid_answer_is_reported_in_a_sentence(short: Path, answer: bytes, said: str) -> None:
    """They were tracebacks; a table may be full, or of another version."""
    (short / "run").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(short / "run" / "azul-table.sock"))
        listening.listen()

        def serve() -> None:
            connection = listening.accept()[0]
            with connection:
                connection.recv(1000)
                connection.sendall(answer)

        serving = threading.Thread(target=serve, daemon=True)
        serving.start()
        done = tags(short, "list")
        serving.join(DEADLINE)
    assert done.exit_code == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_damaged_store_is_left_unchanged(data: Path) -> None:
    data.mkdir()
    (data / "azul-table.db").write_text("a photo of a cat")
    result = tags(data, "list")
    assert result.exit_code == 1
    assert "is damaged" in result.stderr
    assert (data / "azul-table.db").read_text() == "a photo of a cat"


def test_a_table_of_another_process_with_this_folder_is_reported(short: Path) -> None:
    with locked(short):
        result = tags(short, "list")
    assert result.exit_code == 1
    assert result.stderr == f"{short}: another azul-table is busy there; try again\n"


def test_the_readers_of_a_stored_table_are_opened(short: Path) -> None:
    """Simulated readers are refused: only a running table has them."""
    layout = short / "simulated.toml"
    text = (LAYOUTS / "duo.toml").read_text()
    layout.write_text(re.sub(r"^readers = .*", 'readers = "simulated"', text, flags=re.MULTILINE))
    result = tags(short, "learn", "tiles", "--layout", str(layout))
    assert result.exit_code == 1
    assert "has simulated readers: start the table" in result.stderr


def test_a_stored_table_takes_tags_from_its_readers(short: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each tag is saved before the snapshot that shows it; lost readers are reported."""
    closed = []

    class Readers:
        def __init__(self, _layout: Layout, put: Callable[[HardwareEvent], None]) -> None:
            put(TagArrived("display.1", "0a:bb", 1.0))
            put(PartLost("button.ok", Loss.ABSENT, "no button", 1.0))
            put(PartLost("reader.2", Loss.ABSENT, "no reader", 1.0))
            put(TagLeft("display.1", "0a:bb", 1.0))
            put(PartBack("reader.2", 1.0))
            put(TagArrived("reader.2", "0a:cc", 1.0))

        def close(self) -> None:
            closed.append(True)

    table = StoredTable(short, "duo", open_readers=Readers)
    with closing(table):
        assert table.ask(TeachTiles("r")).taken
        table.subscribe()
        for number, tag in enumerate(("", "0ABB", "0ACC")):
            learning = table.next_snapshot()["learning"]
            assert (learning["last"] or {}).get("tag", "") == tag
            with closing(Store.open(short / "azul-table.db")) as store:
                assert len(store.tags()) == number
    assert closed
    assert capsys.readouterr().err == "reader.2: no reader\nreader.2 is back\n"


def test_the_help_shows_how_to_forget_tags() -> None:
    assert (
        "azul-table tags forget player Ana" in CliRunner().invoke(azul_table, ["tags", "forget", "-h"]).output
    )
