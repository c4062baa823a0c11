"""Scores, results and forfeits of records: valid and invalid ones."""

import pytest

from device.records.json_form import Forfeit
from device.rules.scoring import Outcome
from tests.records.recorded import Line, fault, game_of, index_of, lines_of, records

# --- Scores ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([99, 0], "not [99, 0]"),
        ([0], "not [0]"),
        ([], "not []"),
        ("0, 0", "scores must be a list of whole numbers, not '0, 0'"),
        ([0, "0"], "scores must be a list of whole numbers"),
        ([False, 0], "scores must be a list of whole numbers"),
        ({"0": 0}, "scores must be a list of whole numbers, not an object"),
        ([10**4000, 0], "not [1000"),
        ([0] * 10_000, "not [0, 0, 0"),
    ],
)
def test_wrong_scores_are_refused(scores: object, expected: str) -> None:
    lines = game_of("standard-2")
    at = index_of(lines, "scores", 1)
    line, message = fault([*lines[:at], {"scores": scores}, *lines[at + 1 :]])
    assert line == at + 1
    assert expected in message


def test_missing_scores_are_refused() -> None:
    lines = game_of("standard-2")
    at = index_of(lines, "scores")
    assert fault([*lines[:at], *lines[at + 1 :]]) == (
        at + 1,
        "the round is over: its scores must follow, not 'deal'",
    )


def test_repeated_scores_are_refused() -> None:
    lines = game_of("standard-2")
    at = index_of(lines, "scores")
    assert fault([*lines[: at + 1], lines[at], *lines[at + 1 :]])[0] == at + 2


# --- Results ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"scores": [1, 2]}, "the result lacks the key 'winners'"),
        ({"winners": [0]}, "the result lacks the key 'scores'"),
        ([], "a result must be an object, not []"),
        (None, "a result must be an object, not null"),
        ({"scores": [7, 31], "winners": [1]}, "the result's scores should be [6, 31], not [7, 31]"),
        ({"scores": [6, 31], "winners": [0]}, "the result's winners should be [1], not [0]"),
        ({"scores": [6, 31], "winners": [True]}, "the result's winners must be a list of whole numbers"),
        ({"scores": [6.0, 31], "winners": [1]}, "the result's scores must be a list of whole numbers"),
        ({"scores": [6, 31], "winners": [1], "tie": 0}, "the result has no key 'tie'"),
        (
            {"scores": [-50, 31], "winners": [1], "forfeit": {"seat": 0, "why": "time"}},
            "the game is over: it can't be forfeited any more",
        ),
    ],
)
def test_a_wrong_result_is_refused(result: object, expected: str) -> None:
    lines = game_of("standard-2")
    at, message = fault([*lines[:-1], {"result": result}])
    assert at == len(lines)
    assert expected in message


def test_a_missing_result_is_refused() -> None:
    lines = game_of("standard-2")
    assert fault(lines[:-1]) == (
        len(lines) - 1,
        "the file ends without a result of the game that starts on line 1",
    )
    assert fault([*lines, {}, {}])[0] == len(lines) + 1
    assert fault([*lines[:-1], *lines]) == (
        len(lines),
        "a new game starts here, but the one that starts on line 1 has no result",
    )


def test_a_header_alone_is_refused() -> None:
    assert (
        fault(game_of("standard-2")[:1])[1]
        == "the file ends without a result of the game that starts on line 1"
    )


def test_lines_after_the_result() -> None:
    lines = game_of("standard-2")
    for extra in ({"draft": "1b1"}, lines[-1]):
        assert fault([*lines, extra]) == (
            len(lines) + 1,
            "a result must be followed by the header of a new game",
        )


def test_a_result_while_the_game_goes_on() -> None:
    lines = game_of("standard-2")
    message = "the game is not over: a result must follow the scores of a round, or hold a forfeit"
    result = {"result": {"scores": [0, 0], "winners": [0, 1]}}
    for at in (1, 2, 5, index_of(lines, "deal", 2) + 1):
        assert fault([*lines[:at], result]) == (at + 1, message)


def test_r17_a_game_may_be_stopped_after_a_round_with_its_bonuses() -> None:
    (found,) = records(game_of("standard-stopped"))
    assert found.stopped
    assert found.rounds == 3
    assert found.state.outcome() == found.outcome


def test_r17_a_stopped_game_has_the_result_of_its_boards() -> None:
    lines = game_of("standard-stopped")
    line, message = fault([*lines[:-1], {"result": {"scores": [0, 2], "winners": [1]}}])
    assert line == len(lines)
    assert message == "the result's scores should be [0, 0], not [0, 2]"


# --- Forfeits --------------------------------------------------------------------------------------------


def forfeit(seat: object, why: object = "time") -> Line:
    return {"seat": seat, "why": why}


def test_a_forfeit_leaves_the_others_their_scores() -> None:
    first, second = records(lines_of("forfeit"))
    assert first.forfeit == Forfeit(0, "time")
    assert second.forfeit == Forfeit(2, "crash")
    assert isinstance(second.outcome, Outcome)
    assert second.outcome.scores[2] == -50
    assert second.outcome.winners == (0,)
    assert not second.stopped


@pytest.mark.parametrize("at", [1, 2, 5])
def test_a_game_can_be_forfeited_wherever_it_stands(at: int) -> None:
    lines = game_of("standard-2")
    for end in (at, index_of(lines, "deal", 1), index_of(lines, "deal", 1) + 1):
        (found,) = records([*lines[:end], {"result": forfeited_by_1(lines[:end])}])
        assert isinstance(found.outcome, Outcome)
        assert found.outcome.winners == (0,)


def forfeited_by_1(lines: list[Line]) -> Line:
    scores = next((line["scores"] for line in reversed(lines) if "scores" in line), [0, 0])
    return {"scores": [scores[0], -50], "winners": [0], "forfeit": forfeit(1)}


def test_a_forfeit_does_not_replace_scores_that_are_due() -> None:
    lines = game_of("standard-2")
    at = index_of(lines, "scores", 1)
    message = fault([*lines[:at], {"result": forfeited_by_1(lines[:at])}])[1]
    assert message == "the round is over: its scores must follow, not 'result'"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"forfeit": forfeit(2)}, "the forfeit's seat must be from 0 to 1, not 2"),
        ({"forfeit": forfeit(-1)}, "the forfeit's seat must be from 0 to 1, not -1"),
        ({"forfeit": {"seat": True, "why": "time"}}, "the forfeit's seat must be a whole number, not true"),
        (
            {"forfeit": forfeit(1, "bored")},
            "the forfeit's why must be one of time, illegal, crash, not 'bored'",
        ),
        ({"forfeit": forfeit(1, None)}, "the forfeit's why must be a string, not null"),
        ({"forfeit": forfeit(1) | {"by": 3}}, "the forfeit has no key 'by'"),
        ({"forfeit": {"seat": 1}}, "the forfeit lacks the key 'why'"),
        ({"forfeit": None}, "a forfeit must be an object, not null"),
        ({"forfeit": forfeit(0)}, "the result's scores should be [-50, 0], not [0, -50]"),
        ({"scores": [0, -49]}, "the result's scores should be [0, -50], not [0, -49]"),
        ({"scores": [1, -50]}, "the result's scores should be [0, -50], not [1, -50]"),
        ({"winners": [1]}, "the result's winners should be [0], not [1]"),
        ({"winners": [0, 1]}, "the result's winners should be [0], not [0, 1]"),
    ],
)
def test_a_wrong_forfeit_is_refused(change: Line, expected: str) -> None:
    lines = game_of("standard-2")
    result = {"scores": [0, -50], "winners": [0], "forfeit": forfeit(1)}
    line, message = fault([*lines[:5], {"result": result | change}])
    assert line == 6
    assert expected in message


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"score": 1, "victory": "loss", "forfeit": forfeit(0)}, "has no key 'forfeit'"),
        ({"scores": [1], "winners": [0]}, "the result of a solo game lacks the key 'score'"),
        ({"score": 14, "victory": "master"}, "the result's victory should be loss, not 'master'"),
        ({"score": 15, "victory": "loss"}, "the result's score should be 14, not 15"),
        ({"score": "14", "victory": "loss"}, "the result's score must be a whole number, not '14'"),
        ({"score": 14, "victory": None}, "the result's victory must be a string, not null"),
    ],
)
def test_a_wrong_solo_result_is_refused(result: Line, expected: str) -> None:
    lines = game_of("solo-easy-coloured")
    assert lines[-1] == {"result": {"score": 14, "victory": "loss"}}
    line, message = fault([*lines[:-1], {"result": result}])
    assert line == len(lines)
    assert expected in message


def test_a_solo_game_is_never_stopped_by_a_limit() -> None:
    lines = game_of("solo-easy-coloured")
    at = index_of(lines, "scores") + 1
    line, message = fault([*lines[:at], {"result": {"score": 20, "victory": "loss"}}])
    assert (line, "solo" in message) == (at + 1, True)
