"""Lessons about tags, before and during a game; no tag ever has two meanings."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.lights.palettes import BOX
from device.rules.tiles import ALL_TILES, COLOURS, NO_TILES, Colour
from device.runtime.simulation import simulated_tiles
from device.socket.snapshot import snapshot
from device.table import tags as lessons
from device.table.prompts import live_buttons, prompt
from device.table.state import (
    LessonBegun,
    LessonEnded,
    LessonUndone,
    RefusalReason,
    Stage,
    TagsForgotten,
    TagShown,
    TagState,
)
from device.table.tag_input import LESSON_TIMEOUT
from device.table.tags import (
    Action,
    ActionCard,
    Lesson,
    Meaning,
    PlayerCard,
    Tags,
    Tiles,
    TileTag,
    Verdict,
    normalize_tag,
    tile_counts,
)
from device.table.update import update
from tests.table.simulator import Simulator, dealt, empty_table, playing, to_end_of_round

DEAL = "bbyr kkww bbbb yyyy rrrr"
ALL = Tiles()
Asked = LessonBegun | LessonUndone | LessonEnded | TagsForgotten | TagShown


class Teacher(Simulator):
    """A simulator with lessons."""

    def why(self, *events: Asked) -> str | None:
        """Send events; return why the last was refused, None if it was accepted."""
        for event in events:
            before = self.refusals
            self.now += 0.1
            self.table = update(self.table, replace(event, at=self.now))
        refusal = self.table.refusal
        return None if refusal is None or refusal.number == before else refusal.why

    def lay(self, *tags: str) -> str | None:
        return self.why(*(TagShown("shared", tag, 0.0) for tag in tags))

    @property
    def last(self) -> dict[str, object]:
        shown = snapshot(self.table, BOX)["learning"]["last"]
        assert isinstance(shown, dict)
        return shown


def begin(subject: lessons.Subject) -> LessonBegun:
    return LessonBegun(subject, 0.0)


BACK, END = LessonUndone(0.0), LessonEnded(0.0)


@pytest.fixture
def teacher() -> Teacher:
    return Teacher(empty_table().table)


def tags(number: int, first: int = 0) -> list[str]:
    return [f"{at:010X}" for at in range(first, first + number)]


def test_100_tiles_in_one_sitting_colour_after_colour(teacher: Teacher) -> None:
    assert teacher.why(begin(ALL)) is None
    for number, tag in enumerate(tags(100)):
        asked = prompt(teacher.table)
        assert (asked.key, asked.values) == (
            "learn_tiles",
            {"colour": "byrkw"[number // 20], "count": number % 20},
        )
        assert teacher.lay(tag) is None
        assert teacher.last == {
            "tag": tag,
            "verdict": "learned",
            "kind": "tile",
            "value": "byrkw"[number // 20],
            "number": number % 20 + 1,
        }
    assert tile_counts(teacher.table.tags.known) == ALL_TILES
    assert prompt(teacher.table).key == "learn_done"
    assert teacher.lay("AA") == RefusalReason.LESSON_OVER
    assert teacher.lay(tags(1)[0]) == RefusalReason.TAG_KNOWN
    assert teacher.press("ok").table.stage is Stage.SEATING


def test_a_known_tag_is_refused_and_keeps_its_meaning(teacher: Teacher) -> None:
    teacher.why(begin(ALL))
    teacher.lay(*tags(25))
    assert teacher.lay(tags(7)[-1]) == RefusalReason.TAG_KNOWN
    assert teacher.last == {"tag": tags(7)[-1], "verdict": "known", "kind": "tile", "value": "b", "number": 7}
    assert len(teacher.table.tags.known) == 25


def test_the_same_tag_laid_again_is_not_refused(teacher: Teacher) -> None:
    teacher.why(begin(ALL))
    assert teacher.lay("AA", "AA") is None
    assert teacher.last["verdict"] == "learned"


def test_undo_forgets_the_tags_of_the_lesson_one_by_one(teacher: Teacher) -> None:
    teacher.why(begin(ALL))
    teacher.lay(*tags(21))
    assert teacher.why(BACK) is None
    assert teacher.press("undo").table.tags.known.keys() == set(tags(19))
    assert prompt(teacher.table).values == {"colour": "b", "count": 19}
    for _ in range(19):
        teacher.why(BACK)
    assert teacher.table.tags.known == {}
    assert teacher.why(BACK) == RefusalReason.NOTHING_TO_UNDO
    assert live_buttons(teacher.table) == ("ok",)


def test_the_next_lesson_goes_on_where_the_last_ended(teacher: Teacher) -> None:
    teacher.why(begin(ALL))
    teacher.lay(*tags(37))
    teacher.why(END)
    assert teacher.table.stage is Stage.SEATING
    teacher.why(begin(ALL))
    assert prompt(teacher.table).values == {"colour": "y", "count": 17}
    assert teacher.why(BACK) == RefusalReason.NOTHING_TO_UNDO, (
        "what was learned before is not taken back by mistake"
    )


def test_one_colour_alone(teacher: Teacher) -> None:
    teacher.why(begin(Tiles(Colour.RED)))
    teacher.lay(*tags(20))
    assert prompt(teacher.table).key == "learn_done"
    assert tile_counts(teacher.table.tags.known) == (0, 0, 20, 0, 0)


def test_a_lesson_may_change_its_colour(teacher: Teacher) -> None:
    teacher.why(begin(ALL))
    teacher.lay(*tags(3))
    assert teacher.why(begin(Tiles(Colour.BLACK))) is None
    teacher.lay("AA")
    assert teacher.table.tags.known["AA"] == TileTag(Colour.BLACK)
    assert teacher.why(BACK, BACK) is None
    assert len(teacher.table.tags.known) == 2


def test_a_lesson_teaches_one_card(teacher: Teacher) -> None:
    teacher.why(begin(PlayerCard("  Ana   Maria ")))
    assert prompt(teacher.table).values == {"name": "Ana Maria"}
    teacher.lay("AA")
    assert teacher.table.tags.known == {"AA": PlayerCard("Ana Maria")}
    assert prompt(teacher.table).key == "learn_done"
    assert teacher.lay("BB") == RefusalReason.LESSON_OVER
    assert teacher.why(begin(ActionCard(Action.UNDO))) is None
    assert teacher.lay("AA") == RefusalReason.TAG_KNOWN
    assert teacher.lay("BB") is None
    assert snapshot(teacher.table, BOX)["tags"]["cards"] == [
        {"tag": "AA", "kind": "player", "value": "Ana Maria"},
        {"tag": "BB", "kind": "action", "value": "undo"},
    ]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", RefusalReason.NAME_MISSING),
        ("  ", RefusalReason.NAME_MISSING),
        ("x" * 21, RefusalReason.NAME_TOO_LONG),
    ],
)
def test_a_card_needs_a_valid_name(teacher: Teacher, name: str, why: RefusalReason) -> None:
    assert teacher.why(begin(PlayerCard(name))) == why
    assert teacher.table.tags.lesson is None


def test_beginning_the_same_lesson_again_changes_nothing(teacher: Teacher) -> None:
    teacher.why(begin(ALL))
    teacher.lay("AA")
    assert teacher.why(begin(ALL)) is None
    assert teacher.table.tags.lesson is not None
    assert teacher.table.tags.lesson.learned == ("AA",)


def test_a_lesson_is_not_replaced_by_another(teacher: Teacher) -> None:
    teacher.why(begin(PlayerCard("Ana")))
    assert teacher.why(begin(ALL)) == RefusalReason.OTHER_LESSON
    assert teacher.why(begin(PlayerCard("Rui"))) == RefusalReason.OTHER_LESSON
    teacher.lay("AA")
    assert teacher.table.tags.known == {"AA": PlayerCard("Ana")}
    assert teacher.why(begin(ALL)) is None


def test_a_lesson_ends_ten_minutes_after_its_last_tag(teacher: Teacher) -> None:
    teacher.why(begin(ALL))
    teacher.wait(LESSON_TIMEOUT - 1).lay("AA")  # type: ignore[attr-defined]
    assert teacher.wait(LESSON_TIMEOUT - 1).table.stage is Stage.TEACHING
    assert teacher.wait(2).table.stage is Stage.SEATING
    assert "AA" in teacher.table.tags.known


@pytest.mark.parametrize(
    "event", [LessonUndone(0.0), LessonBegun(Tiles(Colour.RED), 0.0)], ids=["undo", "colour"]
)
def test_undo_and_another_colour_prolong_a_lesson(
    teacher: Teacher, event: LessonUndone | LessonBegun
) -> None:
    teacher.why(begin(ALL))
    teacher.lay("AA")
    teacher.wait(LESSON_TIMEOUT - 1)
    assert teacher.why(event) is None
    assert teacher.wait(LESSON_TIMEOUT - 1).table.stage is Stage.TEACHING


def test_a_lesson_drops_a_card_that_waits_for_a_seat(teacher: Teacher) -> None:
    teacher.why(begin(PlayerCard("Ana")))
    teacher.lay("AA")
    teacher.why(END, TagShown("shared", "AA", 0.0))
    assert prompt(teacher.table).key == "card_seat"
    teacher.why(begin(ALL), END)
    assert prompt(teacher.table).key == "take_seat"


def test_a_lesson_does_not_change_the_game_in_play() -> None:
    teacher = Teacher(dealt(DEAL).press("display.1", "seat.1.line.2", "display.2").table)
    before = replace(teacher.table, refusal=None)
    teacher.why(begin(ALL))
    teacher.lay(*tags(3))
    for button in ("display.3", "seat.2.line.2", "centre", "undo"):
        teacher.press(button)
    assert teacher.refused("seat.1.floor") == RefusalReason.TEACHING
    assert snapshot(teacher.table, BOX)["displays"] == snapshot(before, BOX)["displays"]
    teacher.press("ok")
    assert replace(teacher.table, tags=TagState(), refusal=None) == before


def test_a_score_animation_waits_during_a_lesson() -> None:
    sim = playing()
    to_end_of_round(sim, Random(1))
    teacher = Teacher(sim.table, now=sim.now)
    teacher.why(begin(ALL))
    ceremony = teacher.game.animation
    assert ceremony is not None
    assert teacher.wait(60).game.animation == ceremony


@pytest.mark.parametrize("goes", [False, True], ids=["ended", "left alone"])
def test_a_score_animation_goes_on_after_a_lesson(*, goes: bool) -> None:
    """The step on show begins again."""
    sim = playing()
    to_end_of_round(sim, Random(1)).wait(3.0)
    teacher = Teacher(sim.table, now=sim.now)
    teacher.why(begin(ALL))
    teacher.wait(60)
    if goes:
        teacher.wait(LESSON_TIMEOUT)
    else:
        teacher.press("ok")
    before, after = sim.game.animation, teacher.wait(0.1).game.animation
    assert before is not None
    assert after is not None
    assert after.shown == before.shown


def test_forgetting_by_tag(teacher: Teacher) -> None:
    teacher.why(begin(ALL))
    teacher.lay(*tags(5))
    assert teacher.why(TagsForgotten((tags(2)[-1],), 0.0)) is None
    assert teacher.lay(tags(5)[-1]) == RefusalReason.TAG_KNOWN
    assert teacher.last["number"] == 4, "those after it move up"
    assert teacher.why(TagsForgotten(("EE",), 0.0)) == RefusalReason.TAG_NOT_KNOWN
    teacher.why(BACK, BACK, BACK, BACK)
    assert teacher.table.tags.known == {}


def test_each_known_tile_lights_one_more_light() -> None:
    teacher = Teacher(empty_table().table)
    teacher.why(begin(ALL))
    teacher.lay(*tags(5))
    assert [teacher.rhythm(f"display.{1 + at // 4}.{1 + at % 4}") for at in range(7)] == [
        *["steady"] * 5,
        "fast",
        "dark",
    ]
    assert teacher.rhythm("status") == "fast"
    teacher.lay(*tags(15, 5))
    assert teacher.colour("display.1.2") == (0, 0, 0), "the next colour begins"


# --- Laws ---

subjects = st.one_of(
    st.just(ALL),
    st.sampled_from([Tiles(colour) for colour in COLOURS]),
    st.sampled_from([PlayerCard("Ana"), PlayerCard("Rui")]),
    st.sampled_from([ActionCard(action) for action in Action]),
)
doings = st.lists(
    st.one_of(
        subjects.map(begin),
        st.just(BACK),
        st.just(END),
        st.integers(0, 130).map(lambda number: TagShown("shared", f"{number:04X}", 0.0)),
        st.integers(0, 130).map(lambda number: TagsForgotten((f"{number:04X}",), 0.0)),
    ),
    max_size=300,
)


@given(doings)
def test_after_any_events_exactly_the_taught_tags_are_known(said: list[Asked]) -> None:
    teacher = Teacher(empty_table().table)
    known: dict[str, object] = {}
    for event in said:
        before = teacher.table
        why = teacher.why(event)
        match event:
            case TagShown(_, tag) if before.tags.lesson is not None and why is None and tag not in known:
                known[tag] = teacher.table.tags.known[tag]
            case TagsForgotten((tag,)) if why is None:
                del known[tag]
            case LessonUndone() if why is None:
                assert before.tags.lesson is not None
                del known[before.tags.lesson.learned[-1]]
        assert teacher.table.tags.known == known
        assert all(number <= 20 for number in tile_counts(teacher.table.tags.known))
        assert replace(teacher.table, tags=TagState(), refusal=None) == empty_table().table


@given(st.lists(st.integers(0, 120), max_size=250))
def test_tiles_in_any_order_with_duplicates(laid: list[int]) -> None:
    lesson, known = Lesson(ALL), dict[str, Meaning]()
    verdicts: Counter[Verdict] = Counter()
    for number in laid:
        lesson, now = lessons.lay_tag(lesson, known, str(number))
        assert lesson.last is not None
        verdicts[lesson.last.verdict] += 1
        assert {**known, **now} == now, "nothing changes its meaning"
        known = dict(now)
    assert list(known) == list(dict.fromkeys(map(str, laid)))[:100]
    assert sum(tile_counts(known)) == len(known)
    full = [count for count in tile_counts(known) if count]
    assert all(count == 20 for count in full[:-1]), "colour after colour"


def test_tags_are_normalized() -> None:
    for text in ("04a21b7c", "04:A2:1B:7C", "04 a2 1b 7c", " 04-A2-1b-7c\r\n"):
        assert normalize_tag(text) == "04A21B7C"
    assert normalize_tag("Tile-B-07") == "tile-b-07"
    for nothing in ("", "  ", "\x07", "x" * 65):
        with pytest.raises(ValueError, match="is no tag"):
            normalize_tag(nothing)


@given(st.binary(min_size=4, max_size=10), st.sampled_from(["", ":", "-", " "]), st.booleans())
def test_bytes_are_normalized_in_any_notation(tag: bytes, between: str, capitals: bool) -> None:  # noqa: FBT001
    text = between.join(f"{byte:02x}" for byte in tag)
    form = normalize_tag(text.upper() if capitals else text)
    assert form == tag.hex().upper()
    assert normalize_tag(form) == form


def test_the_simulated_tags_are_normalized() -> None:
    known: Tags = simulated_tiles()
    assert all(normalize_tag(tag) == tag for tag in known)
    assert tile_counts({}) == NO_TILES
