"""`azul-table tags`: with a table that runs and without one; what it says, and its exit status."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from device.runtime.simulation import SIMULATED_CARDS
from tests.harness.client import Message
from tests.harness.fixtures import StartTable
from tests.harness.running import COMMAND, RunningTable, run
from tests.harness.waiting import DEADLINE, until

pytestmark = pytest.mark.system


def tags(data: Path, *arguments: str, typed: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run `azul-table tags` on a data folder."""
    command = [str(COMMAND), "tags", *arguments, "--data", str(data)]
    return subprocess.run(
        command, input=typed or "", capture_output=True, text=True, timeout=DEADLINE, check=False
    )


def listed(data: Path) -> list[tuple[str, str, str]]:
    """What a table knows, but for the cards beside simulated readers."""
    known = [
        each for each in json.loads(tags(data, "list", "--json").stdout) if each["tag"] not in SIMULATED_CARDS
    ]
    return [(each["tag"], each["kind"], each["value"]) for each in known]


@pytest.fixture(params=["at rest", "running"])
def folder(request: pytest.FixtureRequest, data: Path) -> Path:
    """A data folder, of a table that runs or does not: the command is the same."""
    if request.param == "running":
        request.getfixturevalue("start")()
        tags(data, "forget", "all", "--yes")
    return data


def test_tags_are_learned_listed_and_forgotten(folder: Path) -> None:
    told = tags(folder, "learn", "tiles", "red", "--tag", "04:a2:1b:7c", "--tag", "BB", "--tag", "Blue-1")
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.splitlines()[:3] == [
        "04A21B7C is red tile 1 now.",
        "BB is red tile 2 now.",
        "blue-1 is red tile 3 now.",
    ]
    assert "red     ###.................  3 of 20  17 to go" in told.stdout
    assert (
        tags(folder, "learn", "player", "Ana  Maria", "--tag", "CC").stdout == "CC is Ana Maria's card now.\n"
    )
    assert tags(folder, "learn", "action", "new-game", "--tag", "DD").returncode == 0
    told = tags(folder, "list")
    assert told.stdout.splitlines()[:5] == [
        "04A21B7C  red tile 1",
        "BB        red tile 2",
        "blue-1    red tile 3",
        "CC        Ana Maria's card",
        "DD        the card for new game",
    ]
    assert tags(folder, "forget", "bb").stdout == "BB was red tile 2.\n"
    assert tags(folder, "forget", "player", "Ana", "Maria").returncode == 0
    assert tags(folder, "forget", "action", "new-game").returncode == 0
    assert listed(folder) == [("04A21B7C", "tile", "r"), ("blue-1", "tile", "r")]


def test_a_tag_that_means_something_already_is_named_and_exit_status_1(folder: Path) -> None:
    tags(folder, "learn", "tiles", "--tag", "AA")
    told = tags(folder, "learn", "player", "Ana", "--tag", "AA")
    assert told.returncode == 1
    assert told.stderr == "AA is blue tile 1 already.\nnot learned: AA\n"
    assert listed(folder) == [("AA", "tile", "b")]
    told = tags(folder, "learn", "player", "Ana", "--tag", "BB", "--tag", "CC")
    assert told.returncode == 1
    assert "CC means nothing yet" in told.stderr


def test_tags_are_typed_as_a_usb_reader_does(folder: Path) -> None:
    typed = "".join(f"{number:08x}\n" for number in range(100))
    told = tags(
        folder, "learn", "tiles", "--typed", typed="\n0000000\x07\n00000000\n00000000\n" + typed + "more\n"
    )
    assert told.returncode == 0, told.stderr
    assert "is no tag" in told.stderr
    assert told.stdout.endswith("100 of 100 tiles are known.\n")
    assert [value for _, _, value in listed(folder)] == [letter for letter in "byrkw" for _ in range(20)]


def test_what_is_typed_may_end_before_all_is_learned(folder: Path) -> None:
    told = tags(folder, "learn", "tiles", "--typed", typed="AA\nBB\n")
    assert told.returncode == 0
    assert "blue    ##..................  2 of 20  18 to go" in told.stdout
    assert "1 of 20" in tags(folder, "learn", "tiles", "white", "--typed", typed="CC").stdout


def test_many_are_forgotten_only_if_that_is_meant(folder: Path) -> None:
    tags(folder, "learn", "tiles", "--tag", "AA", "--tag", "BB")
    assert tags(folder, "forget", "all").returncode == 1
    assert len(listed(folder)) == 2
    told = tags(folder, "forget", "all", typed="n\n")
    assert (told.returncode, told.stderr.endswith("nothing was forgotten\n")) == (1, True)
    assert tags(folder, "forget", "tiles", "red", "--yes").returncode == 1
    assert tags(folder, "forget", "tiles", "blue", typed="y\n").returncode == 0
    assert listed(folder) == []


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("learn", "player", " ", "--tag", "AA"), 1, "needs a name"),
        (("learn", "player", "x" * 21, "--tag", "AA"), 1, "at most 20 characters"),
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
def test_what_is_wrong_is_said_in_a_sentence(
    data: Path, arguments: tuple[str, ...], status: int, said: str
) -> None:
    told = tags(data, *arguments)
    assert told.returncode == status
    assert said in told.stderr
    assert "Traceback" not in told.stderr


def test_with_a_table_that_runs_its_readers_are_used(data: Path, start: StartTable) -> None:
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
        client.until(lambda told: verdict(told) == "known")
    learning.send_signal(signal.SIGINT)
    out, err = learning.communicate(timeout=DEADLINE)
    assert learning.returncode == 0, err
    assert "2 of 100 tiles are known." in out
    assert table.snapshot()["stage"] == "seating"


def verdict(told: Message) -> object:
    """What became of the last tag of a lesson; the first snapshot of a client may be from before it."""
    lesson = told["learning"] or {}
    return (lesson.get("last") or {}).get("verdict")


def lay(table: RunningTable, *laid: str) -> None:
    """Lay tags on the table's reader once somebody teaches it."""
    with table.client() as client:
        client.subscribe()
        client.until(lambda told: told["stage"] == "learning")
        for tag in laid:
            client.send({"type": "tag", "reader": "shared", "tag": tag})
            client.answer()


def test_a_card_ends_its_lesson_by_itself(data: Path, start: StartTable) -> None:
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


def test_a_lesson_that_somebody_else_has_goes_on(data: Path, start: StartTable) -> None:
    table = start()
    with table.client() as phone:
        phone.send({"type": "teach_player", "name": "Ana"})
        assert phone.answer()["taken"]
        told = tags(data, "learn", "tiles", "--tag", "AA")
        assert told.returncode == 1
        assert told.stderr.startswith("the table is learning something else just now")
    assert table.snapshot()["stage"] == "learning"


def test_a_table_that_ends_meanwhile_is_said(data: Path, start: StartTable) -> None:
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


def test_a_socket_that_a_killed_table_left_is_no_table(data: Path, start: StartTable) -> None:
    table = start()
    table.kill()
    assert table.socket.exists()
    assert tags(data, "learn", "tiles", "--tag", "AA").returncode == 0
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
def test_an_answer_that_is_none_is_said_in_a_sentence(short: Path, answer: bytes, said: str) -> None:
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
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_saved_games_that_cant_be_used_are_left_alone(data: Path) -> None:
    data.mkdir()
    (data / "azul-table.db").write_text("a photo of a cat")
    told = tags(data, "list")
    assert told.returncode == 1
    assert "is damaged" in told.stderr
    assert (data / "azul-table.db").read_text() == "a photo of a cat"


def test_help_names_every_command() -> None:
    assert "tags" in run(["--help"]).stdout
    told = run(["tags", "--help"]).stdout
    assert all(word in told for word in ("learn", "list", "forget"))
    assert "azul-table tags forget player Ana" in run(["tags", "forget", "--help"]).stdout
