"""Page regions: rendered again and sent only when they change, shared by all viewers of the same page."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from msgspec.structs import replace

from tests.web_ui import real_tables, scenes
from web_ui.latest import Presence
from web_ui.render import CONTROLS, STATE, Renderer, Rendering
from web_ui.text.words import read_all_words
from web_ui.views.phone import NO_SEAT, PHONE, TABLE, TAGS, Viewer

WORDS = read_all_words()
VIEWERS = (Viewer(PHONE, at_table=False, seat=2), Viewer(PHONE), Viewer(TABLE), Viewer(TAGS))
MOMENTS = (
    scenes.seating(),
    scenes.choosing(),
    scenes.offer(),
    scenes.chosen(),
    scenes.refused(),
    scenes.refused(),
    scenes.scoring(),
    scenes.over(),
    real_tables.reporting("b"),
    real_tables.reporting("by"),
)
each_viewer = pytest.mark.parametrize("viewer", VIEWERS, ids=lambda viewer: f"{viewer.page}-{viewer.seat}")


def sent(rendering: Rendering, since: int) -> set[str]:
    """The regions, and the state of the drawing, that a viewer at a view number is sent."""
    news = json.loads(rendering.news(since))
    return set(news["regions"]) | ({STATE} if STATE in news else set())


@each_viewer
def test_only_regions_that_changed_are_sent(viewer: Viewer) -> None:
    renderer = Renderer()
    renderings = [
        renderer.rendering(viewer, WORDS["en"], real_tables.view_of(scene, number))
        for number, scene in enumerate(MOMENTS, 1)
    ]
    changes = [
        {name for name in new.html if new.html[name] != old.html[name]} for old, new in pairwise(renderings)
    ]
    for number, changed in enumerate(changes, 1):
        assert sent(renderings[number], since=number) == changed
    assert sent(renderings[-1], since=len(MOMENTS) - 3) == set.union(*changes[-3:])
    assert sent(renderings[-1], since=0) == set(renderings[-1].html)


def test_a_phone_is_not_sent_its_own_board_twice() -> None:
    """The phone page shows the board of its seat large; the others' boards are in a panel."""
    view = real_tables.view_of(scenes.offer(), 1)
    of_seat, shared = (
        Renderer().rendering(Viewer(PHONE, at_table=False, seat=seat), WORDS["en"], view).html
        for seat in (2, NO_SEAT)
    )
    assert of_seat["front"]
    assert set(shared) - set(of_seat) == {"board.2"}


@each_viewer
def test_the_same_moment_again_sends_nothing(viewer: Viewer) -> None:
    """Nothing that a page shows depends on the view number or on the snapshot's version."""
    renderer = Renderer()
    for number, scene in enumerate(MOMENTS):
        first = renderer.rendering(viewer, WORDS["en"], real_tables.view_of(scene, 2 * number + 1))
        again = {**scene, "version": scene["version"] + 1}
        second = renderer.rendering(viewer, WORDS["en"], real_tables.view_of(again, 2 * number + 2))
        assert sent(second, since=first.number) == set()


@each_viewer
def test_a_new_value_with_the_same_html_sends_nothing(viewer: Viewer) -> None:
    """No page shows the notation of a move."""
    renderer, moves = Renderer(), [{**move, "token": "1bf"} for move in scenes.moves()]
    renderer.rendering(viewer, WORDS["en"], real_tables.view_of(scenes.offer(), 1))
    second = renderer.rendering(viewer, WORDS["en"], real_tables.view_of(scenes.offer(moves=moves), 2))
    assert sent(second, since=1) == set()


@each_viewer
def test_a_table_that_goes_away_sends_what_disappears_and_nothing_that_was_empty(viewer: Viewer) -> None:
    renderer = Renderer()
    for number in range(1, 2 * len(MOMENTS), 2):
        here = real_tables.view_of(MOMENTS[number // 2], number)
        shown = renderer.rendering(viewer, WORDS["en"], here)
        away = replace(here, number=number + 1, presence=Presence.AWAY)
        gone = renderer.rendering(viewer, WORDS["en"], away)
        assert not any(gone.html[name] for name in CONTROLS if name in gone.html)
        assert sent(gone, since=number) == {name for name in gone.html if gone.html[name] != shown.html[name]}


def test_a_view_is_rendered_once_for_all_viewers_of_a_page() -> None:
    renderer, view = Renderer(), real_tables.view_of(scenes.offer())
    phone = renderer.rendering(Viewer(PHONE), WORDS["en"], view)
    assert renderer.rendering(Viewer(PHONE), WORDS["en"], view) is phone
    assert renderer.rendering(Viewer(PHONE), WORDS["de"], view) is not phone


def test_a_viewer_with_an_older_view_gets_the_newer_rendering() -> None:
    renderer = Renderer()
    newer = renderer.rendering(Viewer(PHONE), WORDS["en"], real_tables.view_of(scenes.chosen(), 2))
    assert renderer.rendering(Viewer(PHONE), WORDS["en"], real_tables.view_of(scenes.offer(), 1)) is newer
