"""A built-in bot on standard input and output (D3)."""

import subprocess

import pytest
from click.testing import CliRunner, Result
from hypothesis import given

from device.bots.dtc.protocol import Turn, state_block
from device.bots.search import BOT_NAMES
from device.bots.simple import Below, play_random
from device.commands.bot import ProtocolPlayer, parts_to_come, reserve, seconds_to_think
from device.commands.cli import azul_table
from device.rules.events import Draft, Event
from device.rules.game import State
from device.rules.standard import StandardState
from tests.bots.test_protocol import EXAMPLE, state_only
from tests.harness.running import COMMAND
from tests.rules.games import Game, games


def bot(given: bytes, *arguments: str) -> Result:
    """Run a built-in bot on an input, in this process."""
    result = CliRunner().invoke(azul_table, ["bot", *arguments], input=given)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize("name", BOT_NAMES)
def test_d3_bot_answers_the_published_example(name: str) -> None:
    done = bot(state_only(EXAMPLE).encode() * 2, name, "--move-time", "20")
    assert (done.exit_code, done.stderr) == (0, "")
    subscription, *answers = done.stdout.splitlines()
    assert subscription == "state"
    assert len(answers) == 2
    assert all(answer[0] in "0234" for answer in answers)


@pytest.mark.parametrize("given", [b"", b"282", state_only(EXAMPLE).encode()[:100]])
def test_bot_ends_without_an_error_wherever_its_input_ends(given: bytes) -> None:
    done = bot(given, "greedy")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "state\n", "")


@pytest.mark.parametrize("given", [b"hello\n", b"\xff\n", b"30000\n0 0 0\n"])
def test_bot_reports_a_fault_of_the_match(given: bytes) -> None:
    done = bot(given, "greedy")
    assert done.exit_code == 1
    assert done.stderr.startswith("the match's fault: line ")
    assert done.stderr.count("\n") == 1


@pytest.mark.system
def test_bot_ends_without_an_error_when_its_output_is_closed() -> None:
    with subprocess.Popen(
        [COMMAND, "bot", "greedy"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"state\n"
        process.stdout.close()
        process.stdin.write(state_only(EXAMPLE).encode())
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def test_bot_with_a_seed_plays_the_same() -> None:
    given = state_only(EXAMPLE).encode() * 20
    assert bot(given, "random", "--seed", "a").stdout == bot(given, "random", "--seed", "a").stdout
    assert bot(given, "random", "--seed", "a").stdout != bot(given, "random", "--seed", "b").stdout


CLOCK = 30_000


def test_most_of_the_clock_is_used_and_never_all_of_it() -> None:
    """Five rounds in which the first two turns use all their time, equally in early and late rounds."""
    clock = CLOCK
    kept = reserve(CLOCK)
    spent = []
    for number in range(1, 6):
        for groups in (14, 11):
            thinking = 1000 * seconds_to_think(clock - kept, parts_to_come(number, groups), None)
            spent.append(thinking)
            clock -= round(thinking) + 2
    assert kept < clock < 6_000
    assert max(spent) < 2 * min(spent)


@pytest.mark.parametrize("held_up", range(0, 19 * 8, 5))
def test_a_pause_of_a_second_at_any_move_does_not_lose_on_time(held_up: int) -> None:
    """Long games and delays at every move do not use up the clock either."""
    clock = CLOCK
    moves = [(number, groups) for number in range(1, 20) for groups in range(18, 2, -2)]
    for move, (number, groups) in enumerate(moves):
        planned = seconds_to_think(clock - reserve(CLOCK), parts_to_come(number, groups), None)
        clock -= round(1000 * planned) + 5 + (1000 if move == held_up else 0)
        assert clock > 200


def test_a_short_clock_has_a_reserve_too() -> None:
    assert reserve(1000) == 400
    assert seconds_to_think(1000 - 400, 2, None) == 0.3
    assert seconds_to_think(30_000, 1, 100) == 0.1
    assert seconds_to_think(-300, 2, None) == 0


@given(games("dtc"))
def test_the_round_is_counted_by_the_restocks(played: Game) -> None:
    seen: list[int] = []

    def look(state: State, below: Below, _: float) -> Event:
        seen.append(state.round)
        return play_random(state, below)

    players = [ProtocolPlayer(look, lambda number: number - 1) for _ in range(2)]
    turns = [step.before for step in played.steps if isinstance(step.event, Draft)]
    for state in turns:
        assert isinstance(state, StandardState)
        players[state.turn].choose(Turn(30_000, None, state_block(state, state.turn)))
    assert seen == [state.round for state in turns]
