"""A bot program as a child process: its lines, its limits, and the end of all its processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from device.bots.dtc import supervisor
from device.bots.dtc.process import BotError, Limits, Program
from device.bots.dtc.protocol import Turn, format_turn, state_block
from tests.harness.running import is_running
from tests.harness.waiting import until
from tests.rules.positions import board, offer

BAD = Path(__file__).with_name("bad_bots.py")
LONG = 60_000
"""Milliseconds that no bot exceeds unless it is meant to."""
SHORT = 60
LIMITS = (0.2, 1.0, 5.0, 25.0)
"""Seconds, tried in turn where a bot must act before its limit; a slow machine needs longer ones."""
PATIENT = Limits(start=60)
"""A busy machine may take long to start a program."""
MEGABYTE = 1024**2
TURN = format_turn(
    Turn(LONG, None, state_block(offer({1: "bbyk", 2: "kkkk"}, board(), board(), mode="dtc"), 0))
)
ANSWER = "1 g 5"


def bad(way: str, *more: object) -> list[str]:
    return [sys.executable, "-I", "-S", str(BAD), way, *map(str, more)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "bot.err"


def conversation(program: Program, last: float = LONG) -> Iterator[str]:
    """Yield the first line and two answers; `last` is the clock in milliseconds for the second."""
    yield program.first_line()
    yield program.ask(TURN, LONG)[0]
    yield program.ask(TURN, last)[0]


def fault(way: str, log: Path, last: float = LONG, limits: Limits | None = None, after: int = 2) -> BotError:
    """Return the error of a bad bot after so many correct lines."""
    with Program(bad(way), log, limits or PATIENT) as program:
        lines = conversation(program, last)
        good = [next(lines) for _ in range(after)]
        assert good == ["state", ANSWER][:after]
        with pytest.raises(BotError) as caught:
            next(lines)
        program.close(at_once=True)
    return caught.value


@pytest.mark.system
def test_a_program_answers_turns(log: Path) -> None:
    with Program(bad("behaves"), log, PATIENT) as program:
        assert program.first_line() == "state"
        for _ in range(3):
            answer, milliseconds = program.ask(TURN, LONG)
            assert answer == ANSWER
            assert 0 < milliseconds < LONG
    assert log.read_bytes() == b""


# --- Every way to misbehave ------------------------------------------------------------------------------


@pytest.mark.system
@pytest.mark.parametrize(
    ("way", "seconds", "why", "sentence"),
    [
        ("writes_nothing", 0.1, "time", "it wrote no first line within 0.1 s of its start"),
        ("ends_at_once", 60, "crash", "it ended by itself with status 3"),
        (
            "answers_before_it_is_asked",
            60,
            "illegal",
            r"it wrote more than one line at once: 'state\n0 g 5\n'",
        ),
    ],
)
def test_bad_starts(way: str, seconds: float, why: str, sentence: str, log: Path) -> None:
    error = fault(way, log, limits=Limits(start=seconds), after=0)
    assert (error.why, error.sentence) == (why, sentence)


@pytest.mark.system
def test_half_a_first_line_is_shown(log: Path) -> None:
    for seconds in LIMITS:
        error = fault("starts_with_half_a_line", log, limits=Limits(start=seconds), after=0)
        if "it wrote 'state'" in error.sentence:
            break
    assert error.why == "time"
    limit = f"it wrote no first line within {seconds:g} s of its start"
    assert error.sentence == f"{limit}; it wrote 'state' without an end of line"


@pytest.mark.system
def test_a_program_that_does_not_exist(log: Path, tmp_path: Path) -> None:
    with Program([str(tmp_path / "nobody")], log, PATIENT) as program, pytest.raises(BotError) as caught:
        program.first_line()
    assert caught.value.why == "crash"
    assert caught.value.sentence == "it could not be started: No such file or directory"


@pytest.mark.system
def test_a_program_that_may_not_be_executed(log: Path, tmp_path: Path) -> None:
    text = tmp_path / "bot.txt"
    text.write_text("state")
    with Program([str(text)], log, PATIENT) as program, pytest.raises(BotError, match="Permission denied"):
        program.first_line()


@pytest.mark.system
@pytest.mark.parametrize(
    ("way", "milliseconds", "sentence"),
    [
        ("stops_answering", SHORT, "it did not answer in the 0.06 s that it had left"),
        ("thinks_too_long", SHORT, "it did not answer in the 0.06 s that it had left"),
    ],
)
def test_time_outs(way: str, milliseconds: int, sentence: str, log: Path) -> None:
    error = fault(way, log, last=milliseconds)
    assert (error.why, error.sentence) == ("time", sentence)


@pytest.mark.system
def test_half_an_answer_is_shown(log: Path) -> None:
    for seconds in LIMITS:
        error = fault("forgets_the_end_of_the_line", log, last=1000 * seconds)
        if "it wrote '1 g 5'" in error.sentence:
            break
    assert error.why == "time"
    limit = f"it did not answer in the {seconds:g} s that it had left"
    assert error.sentence == f"{limit}; it wrote '1 g 5' without an end of line"


@pytest.mark.system
@pytest.mark.parametrize("way", ["never_reads", "closes_its_input"])
def test_a_bot_that_never_reads_does_not_block_the_match(way: str, log: Path) -> None:
    with Program(bad(way), log, PATIENT) as program:
        program.first_line()
        with pytest.raises(BotError) as caught:
            program.ask(TURN * 1000, SHORT)
        program.close(at_once=True)
    assert caught.value.why == "time"


@pytest.mark.system
@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        ("answers_twice", r"it wrote more than one line at once: '1 g 5\n1 g 5\n'"),
        ("floods", f"it wrote a line of more than 100 characters: '{'x' * 60}'..."),
        ("writes_a_long_line", f"it wrote a line of more than 100 characters: '{'0 g 5 ' * 10}'..."),
        ("writes_bytes", r"it wrote '\xff\x00', which is no text of the protocol"),
    ],
)
def test_unreadable_output(way: str, sentence: str, log: Path) -> None:
    error = fault(way, log)
    assert (error.why, error.sentence) == ("illegal", sentence)


@pytest.mark.system
def test_a_flood_of_lines(log: Path) -> None:
    error = fault("floods_with_lines", log)
    assert error.why == "illegal"
    assert error.sentence.startswith(r"it wrote more than one line at once: '0 g 5\n0 g 5\n")


@pytest.mark.system
@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        ("crashes", "it ended by itself with status 1; its last words: RuntimeError: there is no plan B"),
        ("leaves", "it ended by itself with status 0"),
        ("leaves_while_its_supervisor_is_busy", "it ended by itself with status 0"),
        ("is_killed", "it was killed by SIGSEGV"),
        ("closes_its_output", "it closed its standard output"),
        ("kills_its_supervisor", "it and its supervisor were killed"),
    ],
)
def test_crashes(way: str, sentence: str, log: Path) -> None:
    error = fault(way, log)
    assert (error.why, error.sentence) == ("crash", sentence)


@pytest.mark.system
def test_an_answer_before_the_end_counts(log: Path) -> None:
    with Program(bad("leaves_after_its_answer"), log, PATIENT) as program:
        lines = conversation(program)
        assert [next(lines), next(lines), next(lines)] == ["state", ANSWER, ANSWER]
        with pytest.raises(BotError, match="it ended by itself with status 0"):
            program.ask(TURN, LONG)


@pytest.mark.system
def test_an_answer_out_of_turn(log: Path) -> None:
    with Program(bad("answers_once_more"), log, PATIENT) as program:
        program.first_line()
        with pytest.raises(BotError) as caught:
            for _ in range(3):  # its second line may pass for the answer to its second turn
                program.ask(TURN, SHORT)
        program.close(at_once=True)
    assert caught.value.why in ("illegal", "time")


# --- Limits ----------------------------------------------------------------------------------------------


@pytest.mark.system
def test_an_allocation_beyond_the_memory_limit_fails(log: Path) -> None:
    error = fault("takes_much_memory", log, limits=replace(PATIENT, memory=200 * MEGABYTE))
    assert (error.why, error.sentence) == (
        "crash",
        "it ended by itself with status 1; its last words: MemoryError",
    )


@pytest.mark.system
@pytest.mark.parametrize("way", ["takes_much_shared_memory", "takes_memory_with_children"])
def test_memory_of_all_processes_is_summed(way: str, log: Path) -> None:
    error = fault(way, log, limits=replace(PATIENT, memory=128 * MEGABYTE))
    assert (error.why, error.sentence) == ("crash", "it used more than its 0.125 GB of memory")


@pytest.mark.system
def test_processes_are_counted(log: Path) -> None:
    error = fault("starts_many_processes", log, limits=replace(PATIENT, tasks=20))
    assert (error.why, error.sentence) == ("crash", "it started more than 20 processes and threads")


@pytest.mark.system
def test_a_program_runs_on_one_core(log: Path) -> None:
    core = min(os.sched_getaffinity(0))
    with Program(bad("logs_its_cores"), log, PATIENT, core=core) as program:
        program.first_line()
    assert log.read_bytes() == b"1"


def test_the_competitions_limits() -> None:
    assert Limits().memory == 4 * 1024**3


@pytest.mark.system
def test_a_bot_is_stopped_between_its_turns(log: Path, tmp_path: Path) -> None:
    """With all its processes: a child in a session of its own went on thinking."""
    with Program(bad("starts_children", tmp_path), log, PATIENT) as program:
        program.first_line()
        everybody = [number(tmp_path, kind) for kind in ("bot", "child", "session", "orphan")]
        until(lambda: set(map(state, everybody)) == {"T"}, "the bot and its children to stop")
        assert program.ask(TURN, LONG)[0] == ANSWER
        until(lambda: set(map(state, everybody)) == {"T"}, "the bot and its children to stop again")


def number(folder: Path, kind: str) -> int:
    """Return a process id once its file exists."""
    path = folder / kind
    until(path.exists, f"the number of the {kind}")
    return int(path.read_text())


def state(process: int) -> str:
    return Path("/proc", str(process), "stat").read_text().rpartition(")")[2].split()[0]


# --- Its standard error ----------------------------------------------------------------------------------


@pytest.mark.system
def test_a_long_log_is_truncated_in_its_middle(log: Path) -> None:
    with Program(bad("logs_too_much"), log, PATIENT) as program:
        program.first_line()
        program.ask(TURN, LONG)
    kept = log.read_bytes()
    assert supervisor.HEAD + supervisor.TAIL < len(kept) < supervisor.HEAD + supervisor.TAIL + 100
    assert kept.startswith(b"the first line\na long story\n")
    assert b" bytes left out ...]\n" in kept
    assert kept.endswith(b"a long story\nthe last line\n")


def test_a_log_as_long_as_the_limits_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = supervisor.Log(os.open(path, os.O_WRONLY | os.O_CREAT))
    story = b"".join(b"%07d\n" % line for line in range((supervisor.HEAD + supervisor.TAIL) // 8))
    for start in range(0, len(story), 65_536):
        log.write(story[start : start + 65_536])
    assert log.last_line == f"{len(story) // 8 - 1:07}"
    log.close()
    assert path.read_bytes() == story


# --- Its end ---------------------------------------------------------------------------------------------


@pytest.mark.system
def test_all_processes_of_a_program_end_with_it(log: Path, tmp_path: Path) -> None:
    with Program(bad("starts_children", tmp_path), log, PATIENT) as program:
        program.first_line()
        processes = [number(tmp_path, kind) for kind in ("bot", "child", "session", "orphan")]
        assert all(map(is_running, processes))
    assert not any(map(is_running, processes))


@pytest.mark.system
def test_all_processes_of_a_program_end_when_the_match_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom device.bots.dtc.process import Limits, Program\n"
        "program = Program(sys.argv[2:], Path(sys.argv[1], 'log'), Limits(start=60))\n"
        "program.first_line()\nsys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path), *bad("starts_children", tmp_path)]
    match = subprocess.Popen(command, cwd=BAD.parents[2], stdin=subprocess.PIPE)
    try:
        processes = [number(tmp_path, kind) for kind in ("bot", "child", "session", "orphan")]
        assert all(map(is_running, processes))
    finally:
        match.send_signal(signal.SIGKILL)
        match.communicate()
    until(lambda: not any(map(is_running, processes)), "the end of everything that the bot has started")


@pytest.mark.system
def test_a_program_that_does_not_end_is_killed(log: Path) -> None:
    started = time.monotonic()
    with Program(bad("does_not_end"), log, Limits(start=60, end=0.1)) as program:
        program.first_line()
    assert 0.1 < time.monotonic() - started < 20


UNSEEN = """
import os, signal
from device.bots.dtc import supervisor
descendants, scans = supervisor.descendants, []
def unseen(process):
    scans.append(process)
    return descendants(process) if len(scans) > 1 else iter(())
supervisor.descendants = unseen
supervisor.guard([])
ready, begun = os.pipe()
if not os.fork():
    os.setsid()
    print(os.getpid(), flush=True)
    os.write(begun, b"x")
    signal.pause()
os.read(ready, 1)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.system
def test_the_guard_kills_a_child_that_its_first_scan_missed() -> None:
    """A process whose parent ended between two reads of /proc was missed by the scan, and stayed."""
    with subprocess.Popen([sys.executable, "-c", UNSEEN], stdout=subprocess.PIPE) as guard:
        assert guard.stdout is not None
        child = int(guard.stdout.readline())
        guard.wait()
        left = is_running(child)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    assert not left


@pytest.mark.system
def test_all_processes_of_a_program_end_when_the_supervisor_is_killed(log: Path, tmp_path: Path) -> None:
    """A child in a session of its own survived."""
    with Program(bad("kills_its_supervisor_beside_a_child", tmp_path), log, PATIENT) as program:
        program.first_line()
        child = number(tmp_path, "session")
        with pytest.raises(BotError, match="it and its supervisor were killed"):
            for _ in range(2):
                program.ask(TURN, LONG)
    assert not is_running(child)


@pytest.mark.system
def test_a_bot_that_stops_its_supervisor_is_killed_and_its_log_kept(log: Path) -> None:
    """Its log was lost, and its end took ten seconds."""
    for seconds in LIMITS:
        assert fault("stops_its_supervisor", log, last=1000 * seconds).why == "time"
        if log.read_bytes():
            break
    assert log.read_bytes() == b"the last words"


@pytest.mark.system
def test_a_bot_at_fault_gets_no_time_to_end(log: Path) -> None:
    with (
        pytest.raises(BotError),
        Program(bad("writes_nothing"), log, Limits(start=0.01, end=3600)) as program,
    ):
        program.first_line()


@pytest.mark.system
def test_descendants_are_found_without_the_kernels_list_of_children() -> None:
    code = "import os\nchild = os.fork()\nif child: print(child, flush=True)\ninput()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        for listed in (True, False):
            assert list(supervisor.descendants(process.pid, listed=listed)) == [child]
        process.communicate(b"\n\n")
