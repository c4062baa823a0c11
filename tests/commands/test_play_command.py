"""The command `play` in a process of its own: output, errors, data folders, users and signals."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from device.lights.palettes import DISTINCT
from device.rules.tiles import Colour
from hardware.api import Loss, PartLost
from tests.harness.fixtures import StartTable
from tests.harness.local_table import LocalTable
from tests.harness.running import COMMAND, is_running, run
from tests.harness.waiting import DEADLINE, until

pytestmark = pytest.mark.system

LAYOUTS = Path(__file__).parents[2] / "hardware" / "layouts"
ROOT = os.geteuid() == 0


def faults(*arguments: str, cwd: Path | None = None) -> str:
    """Return what the command writes to standard error before it exits with status 1."""
    ended = run(["play", *arguments], cwd)
    assert ended.returncode == 1, (ended.returncode, ended.stdout, ended.stderr)
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    assert ended.stderr.endswith("\n")
    return ended.stderr.rstrip("\n")


# --- What was given --------------------------------------------------------------------------------------


def test_a_layout_file_and_the_settings_are_used(start: StartTable, data: Path, tmp_path: Path) -> None:
    """And two addresses are printed."""
    mine = Path(shutil.copy(LAYOUTS / "duo.toml", tmp_path / "mein tisch.toml"))
    data.mkdir()
    (data / "settings.toml").write_text("palette = 'distinct'\n")
    table = start("--layout", mine.name, "--port", "0", cwd=tmp_path)
    snapshot = table.snapshot()
    assert len(snapshot["seats"]) == 2
    assert snapshot["palette"]["k"]["rgb"] == rgb(DISTINCT.shades[Colour.BLACK].light)
    origin = f"http://127.0.0.1:{table.port}"
    assert table.out == f"The table (twin): {origin}/table\nFor phones:       {origin}/\n"
    assert table.err == ""


def rgb(light: tuple[int, int, int]) -> str:
    return "#" + bytes(light).hex()


def test_wrong_settings_are_reported(data: Path) -> None:
    data.mkdir()
    (data / "settings.toml").write_text("palette = 'rainbow'")
    assert faults("--data", str(data), "--port", "0") == (
        f'{data / "settings.toml"}: palette = "rainbow": must be "box" or "distinct" or "own"'
    )


def test_a_folder_in_the_place_of_the_socket_is_reported(data: Path) -> None:
    (data / "run" / "azul-table.sock").mkdir(parents=True)
    assert "azul-table.sock" in faults("--data", str(data), "--port", "0")


def test_a_port_in_use_is_reported(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        fault = faults("--data", str(data), "--port", str(port))
        assert fault == f"--port {port}: another program uses this port; choose another with --port"
    assert not data.exists()


def test_two_tables_cant_use_one_folder(start: StartTable, data: Path) -> None:
    table = start()
    fault = faults("--data", str(data), "--port", "0")
    assert fault == (
        f"{data}: another azul-table plays with this folder; end it, or choose another with --data"
    )
    with table.client() as client:
        client.take("seat.1.floor")
    assert table.browser.ask("/state").status in (200, 503)
    assert table.end() == 0


# --- What it prints --------------------------------------------------------------------------------------


def test_the_address_for_phones_is_that_of_the_network(start: StartTable) -> None:
    table = start("--port", "0", "--host", "0.0.0.0")
    twin, phones = table.out.splitlines()
    assert twin == f"The table (twin): http://127.0.0.1:{table.port}/table"
    assert phones.startswith("For phones:       http://")
    assert "0.0.0.0" not in phones
    assert phones.endswith(f":{table.port}/")


@pytest.mark.skipif(not socket.has_ipv6 or not Path("/proc/net/if_inet6").exists(), reason="no IPv6 here")
def test_an_ipv6_address_is_printed_in_brackets(start: StartTable) -> None:
    assert "//[::1]:" in start("--port", "0", "--host", "::1").out.splitlines()[0]


# --- With the hardware of the layout, which this machine has not --------------------------------------------


@pytest.mark.parametrize(
    ("layout", "parts"),
    [("full", {"pico"}), ("duo", {"lights", "buttons", "reader.shared"})],
)
def test_a_table_without_its_hardware_reports_it_and_is_played(
    start: StartTable, layout: str, parts: set[str]
) -> None:
    """Nothing is simulated instead."""
    table = start("--layout", layout, "--port", "0", simulate=None)
    with table.client() as client:
        client.subscribe()
        client.until(lambda snapshot: {fault["part"] for fault in snapshot["faults"]} == parts)
        assert {fault["why"] for fault in client.snapshot["faults"]} == {"absent"}
        assert client.snapshot["simulated"] is None
        client.take("seat.1.floor", "seat.2.floor", "ok")
    until(lambda: "--simulate table" in table.browser.ask("/").text, "the phone page that says what to do")
    said = {line.split(": ")[1] for line in table.err.splitlines() if line.startswith("Lost: ")}
    assert said == parts
    assert table.end() == 0


def test_lost_parts_are_not_saved(tmp_path: Path) -> None:
    with LocalTable(tmp_path / "azul-table.db") as table:
        table.inbox.put(PartLost("pico", Loss.ABSENT, "not there", table.clock()))
        assert table.press("seat.1.floor").taken
        assert table.snapshot["faults"]
    with LocalTable(tmp_path / "azul-table.db") as table:
        assert table.snapshot["seats"][0]["taken"]
        assert table.snapshot["faults"] == []


def test_lost_parts_are_reported_with_a_damaged_store_too(start: StartTable, data: Path) -> None:
    data.mkdir()
    (data / "azul-table.db").write_bytes(b"no database")
    table = start("--port", "0", simulate=None)
    with table.client() as client:
        client.subscribe()
        client.until(lambda snapshot: bool(snapshot["faults"]))
        assert client.snapshot["stage"] == "unusable"
        client.take("ok")
        after = client.until(lambda snapshot: snapshot["stage"] == "seating")
        assert [fault["part"] for fault in after["faults"]] == ["pico"]


# --- Where it runs ---------------------------------------------------------------------------------------

FOLDERS = (
    "Spiel & Späße",
    "übrig (1)",
    "100%25?mode=ro#x",
    os.fsdecode(b"d\xe9ja"),  # no text
    *["azulejos" * 12] * 3,  # longer than the address of a socket can be
    "-data",
)


def test_data_folders_of_any_name_work(start: StartTable, tmp_path: Path) -> None:
    data = tmp_path.joinpath(*FOLDERS)
    table = start(folder=data, logs=tmp_path)
    with table.client() as client:
        client.take("seat.3.floor")
    until(lambda: table.browser.ask("/state").status == 200, "the state on the pages")
    assert table.browser.press("seat.1.floor").json == {"taken": True}
    assert table.end() == 0
    assert table.err == ""
    table = start(folder=data, logs=tmp_path)
    assert [seat["taken"] for seat in table.snapshot()["seats"]] == [True, False, True, False]


def test_a_relative_data_folder_works(tmp_path: Path, start: StartTable) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    table = start("--data", "here/data", "--port", "0", cwd=elsewhere, folder=elsewhere / "ignored")
    assert (elsewhere / "here" / "data" / "azul-table.db").exists()
    assert not (elsewhere / "ignored").exists()
    assert table.err == ""


def test_the_default_data_folder_is_in_the_home_folder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    surroundings = {name: value for name, value in os.environ.items() if name != "XDG_DATA_HOME"}
    process = subprocess.Popen(
        [COMMAND, "play", "--simulate", "table", "--port", "0"],
        env=surroundings | {"HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        until((home / ".local/share/azul-table/run/azul-table.sock").exists, "the socket")
    finally:
        process.terminate()
        assert process.communicate(timeout=DEADLINE)[1] == b""
    assert process.returncode == 0


def test_modules_in_the_working_directory_are_not_imported(tmp_path: Path, start: StartTable) -> None:
    """A file board.py, click.py or device.py there must not hide a library or a module of ours."""
    for name in (
        "board.py",
        "click.py",
        "flask.py",
        "web_ui.py",
        "device.py",
        "hardware.py",
        "sitecustomize.py",
    ):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')")
    table = start(cwd=tmp_path)
    until(lambda: table.browser.ask("/state").status == 200, "the pages")
    assert table.end() == 0
    assert table.err == ""


@pytest.mark.skipif(not ROOT, reason="only root's table lets its pages become somebody else")
def test_the_pages_of_root_run_as_nobody_and_reach_a_private_folder(
    start: StartTable, tmp_path: Path
) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    data = private / "data"
    data.mkdir(mode=0o700)
    table = start(folder=data, logs=tmp_path)
    until(lambda: table.browser.ask("/state").status == 200, "the state on the pages")
    assert table.browser.press("seat.2.floor").json == {"taken": True}
    status = Path("/proc", str(table.pages()), "status").read_text()
    nobody = pwd.getpwnam("nobody").pw_uid
    assert f"Uid:\t{nobody}\t{nobody}\t{nobody}\t{nobody}\n" in status
    assert "NoNewPrivs:\t1\n" in status
    assert data.stat().st_mode & 0o777 == 0o700
    assert table.socket.stat().st_mode & 0o777 == 0o600


def runs_as_nobody() -> bool:
    """Return whether the unprivileged user can run this environment."""
    try:
        with subprocess.Popen(
            [COMMAND, "--version"], user="nobody", group="nogroup", extra_groups=[], stdout=subprocess.DEVNULL
        ) as tried:
            return tried.wait(DEADLINE) == 0
    except PermissionError:
        return False


@pytest.mark.skipif(not ROOT, reason="only root can become somebody else")
def test_an_unprivileged_table_plays_and_reports_what_it_cant_read(start: StartTable, short: Path) -> None:
    if not runs_as_nobody():
        pytest.skip("this environment lies where only root may read")
    nobody = pwd.getpwnam("nobody")
    data = short / "data"
    data.mkdir()
    os.chown(data, nobody.pw_uid, nobody.pw_gid)
    table = start(folder=data, user="nobody")
    until(lambda: table.browser.ask("/state").status == 200, "the state on the pages")
    assert table.browser.press("seat.2.floor").json == {"taken": True}
    assert table.end() == 0
    store = data / "azul-table.db"
    os.chown(store, 0, 0)
    store.chmod(0o600)
    before = store.read_bytes()
    table = start(folder=data, user="nobody")
    assert table.snapshot()["ask"]["why"] == "unreadable"
    with table.client() as client:
        client.take("ok", "seat.1.floor")
    assert table.end() == 0
    assert store.read_bytes() == before
    assert (data / "azul-table-2.db").exists()
    assert table.err == ""


# --- The end ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_process_group_ends_everything_silently(
    start: StartTable, number: signal.Signals
) -> None:
    """Ctrl-C in a terminal goes to the whole process group."""
    for ready in (True, False) if number is signal.SIGINT else (False,):
        table = start()
        pages = table.pages()
        if ready:
            until(lambda table=table: table.browser.ask("/state").status == 200, "the pages")  # type: ignore[misc]
        os.killpg(table.process.pid, number)
        assert table.wait() == 0
        until(lambda pages=pages: not is_running(pages), "the end of the pages")  # type: ignore[misc]
        assert table.err == ""


def test_a_flood_of_presses_does_not_delay_the_end(start: StartTable) -> None:
    """Presses that were not handled must not delay the end."""
    table = start()
    with table.client() as client, table.client() as other:
        client.subscribe(frames=True)
        other.send(*[{"type": "press", "button": "seat.1.floor"}] * 90)
        client.send(*[{"type": "press", "button": "seat.2.floor"}] * 3000)
        assert table.end() == 0
    assert table.err == ""


def test_closed_standard_output_gives_no_traceback(data: Path) -> None:
    process = subprocess.Popen(
        [COMMAND, "play", "--simulate", "table", "--data", str(data), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    try:
        process.wait(DEADLINE)
        said = process.stderr.read().decode()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    assert "Traceback" not in said
    assert process.returncode == 1
    with closing(sqlite3.connect(data / "azul-table.db")) as connection:
        assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)


def test_the_module_is_the_same_command(data: Path, tmp_path: Path) -> None:
    """`python -m device` is the same command."""
    said = subprocess.run(
        [sys.executable, "-P", "-m", "device", "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert said.stdout == run(["--version"]).stdout
