"""Faulty bots, one for each fault: `python bad_bots.py WAY [FOLDER]`. Before the fault they drop tiles.

They import nothing of the project, like any bot program.
"""

import mmap
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

LINES_OF_A_TURN = 30


def write_line(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def read_turn() -> list[str]:
    """The lines of a turn; the program ends where its input does."""
    lines = [sys.stdin.readline() for _ in range(LINES_OF_A_TURN)]
    if not lines[-1]:
        sys.exit()
    return lines


def drop(lines: list[str]) -> str:
    """A move that is always legal: the first tiles there are, to the floor."""
    for display, line in enumerate(lines[1:7]):
        for colour, count in zip("gobyr", line.split(), strict=False):
            if count != "0":
                return f"{display} {colour} 5"
    raise AssertionError(lines)


def play_on() -> None:
    while True:
        write_line(drop(read_turn()))


def play(turns: int) -> list[str]:
    """Play some turns; return the lines of the next one, which is not answered."""
    write_line("state")
    for _ in range(turns):
        write_line(drop(read_turn()))
    return read_turn()


def forever() -> None:
    while True:
        time.sleep(3600)


def behaves() -> None:
    write_line("state")
    play_on()


# --- At the start ----------------------------------------------------------------------------------------


def writes_nothing() -> None:
    forever()


def writes_hello() -> None:
    write_line("hello")
    forever()


def starts_with_half_a_line() -> None:
    sys.stdout.write("state")
    sys.stdout.flush()
    forever()


def answers_before_it_is_asked() -> None:
    sys.stdout.write("state\n0 g 5\n")
    sys.stdout.flush()
    forever()


def ends_at_once() -> None:
    sys.exit(3)


# --- On its turn -----------------------------------------------------------------------------------------


def stops_answering() -> None:
    play(1)
    forever()


def forgets_the_end_of_the_line() -> None:
    sys.stdout.write(drop(play(1)))
    sys.stdout.flush()
    forever()


def thinks_too_long() -> None:
    answer = drop(play(1))
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass
    write_line(answer)


def never_reads() -> None:
    write_line("state")
    forever()


def closes_its_input() -> None:
    write_line("state")
    os.close(0)
    forever()


def answers_in_words() -> None:
    play(1)
    write_line("the green ones, please")
    forever()


def counts_from_one() -> None:
    play(1)
    write_line("0 g 6")
    forever()


def writes_bytes() -> None:
    play(1)
    os.write(1, b"\xff\x00\n")
    forever()


def takes_what_is_not_there() -> None:
    lines = play(1)
    gone = next(display for display, line in enumerate(lines[1:7]) if line.split()[:5] == ["0"] * 5)
    write_line(f"{gone} g 5")
    forever()


def answers_twice() -> None:
    answer = drop(play(1))
    sys.stdout.write(f"{answer}\n{answer}\n")
    sys.stdout.flush()
    forever()


def answers_once_more() -> None:
    """The second answer comes a moment later: with the first, or before the next turn, or as its answer."""
    answer = drop(play(0))
    write_line(answer)
    write_line(answer)
    forever()


def floods() -> None:
    play(1)
    while True:
        os.write(1, b"x" * 65536)


def writes_a_long_line() -> None:
    play(1)
    write_line("0 g 5 " * 20)
    forever()


def floods_with_lines() -> None:
    play(1)
    while True:
        os.write(1, b"0 g 5\n" * 10000)


def crashes() -> None:
    play(1)
    raise RuntimeError("there is no plan B")


def leaves() -> None:
    play(1)
    sys.exit(0)


def leaves_while_its_supervisor_is_busy() -> None:
    """Its end is reported late."""
    play(1)
    supervisor = os.getppid()
    os.kill(supervisor, signal.SIGSTOP)
    if not os.fork():
        os.close(1)
        time.sleep(0.5)
        os.kill(supervisor, signal.SIGCONT)
        forever()
    sys.exit(0)


def is_killed() -> None:
    play(1)
    os.kill(os.getpid(), signal.SIGSEGV)


def closes_its_output() -> None:
    play(1)
    os.close(1)
    forever()


def leaves_after_its_answer() -> None:
    write_line(drop(play(1)))
    sys.exit(0)


def kills_its_supervisor() -> None:
    play(1)
    os.kill(os.getppid(), signal.SIGKILL)
    forever()


def kills_its_supervisor_beside_a_child() -> None:
    """The child is in a session of its own; its process id is written to the folder."""
    if not os.fork():
        os.setsid()
        note("session", os.getpid())
        forever()
    while not Path(sys.argv[2], "session").exists():
        time.sleep(0.001)
    play(1)
    os.kill(os.getppid(), signal.SIGKILL)
    forever()


def stops_its_supervisor() -> None:
    play(1)
    os.kill(os.getppid(), signal.SIGSTOP)
    os.write(2, b"the last words")
    forever()


# --- With what it uses -----------------------------------------------------------------------------------


def takes_much_memory() -> None:
    play(1)
    bytearray(1024**3)
    forever()


def takes_much_shared_memory() -> None:
    play(1)
    memory = mmap.mmap(-1, 1024**3)
    for _ in range(1024):
        memory.write(b"x" * 1024**2)
    forever()


def takes_memory_with_children() -> None:
    play(1)
    for _ in range(8):
        if not os.fork():
            hoard = [b"x" * (32 * 1024**2)]
            hoard[0].count(b"y")
            break
    forever()


def starts_many_processes() -> None:
    play(1)
    for _ in range(500):
        if not os.fork():
            break
    forever()


# --- With what it leaves behind, without a fault ---------------------------------------------------------


def starts_children() -> None:
    """A child, one in a session of its own, and an orphan; their process ids are written to the folder."""
    for kind in ("child", "session", "orphan"):
        if os.fork():
            continue
        if kind == "session":
            os.setsid()
        if kind == "orphan" and os.fork():
            os._exit(0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        note(kind, os.getpid())
        forever()
    note("bot", os.getpid())
    while not all(Path(sys.argv[2], kind).exists() for kind in ("child", "session", "orphan")):
        time.sleep(0.001)
    behaves()


def note(kind: str, number: int) -> None:
    """Write a process id to a file atomically."""
    folder = Path(sys.argv[2])
    part = folder / f"{kind}.part"
    part.write_text(str(number))
    part.replace(folder / kind)


def does_not_end() -> None:
    """It does not end when its input ends."""
    write_line("state")
    while line := sys.stdin.readline():
        write_line(drop([line, *(sys.stdin.readline() for _ in range(LINES_OF_A_TURN - 1))]))
    forever()


def waits_to_play() -> None:
    """It answers once a file `go` exists in the folder."""
    write_line("state")
    while True:
        answer = drop(read_turn())
        while not Path(sys.argv[2], "go").exists():
            time.sleep(0.01)
        write_line(answer)


def logs_too_much() -> None:
    write_line("state")
    lines = read_turn()
    os.write(2, b"the first line\n")
    for _ in range(64):
        os.write(2, b"a long story\n" * 5000)
    os.write(2, b"the last line\n")
    write_line(drop(lines))
    play_on()


def logs_its_cores() -> None:
    """It logs the number of cores that it may use."""
    os.write(2, b"%d" % len(os.sched_getaffinity(0)))
    behaves()


if __name__ == "__main__":
    way: Callable[[], None] = globals()[sys.argv[1]]
    way()
