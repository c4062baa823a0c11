"""The pictures of the rules: legal positions, drawn like boards, described in every language."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from device.lights.palettes import BOT_GAMES, BOX
from tests.web_ui.browsing import Text
from web_ui.text.rulebook import MODES, read_all_rules
from web_ui.text.words import read_all_words
from web_ui.views import rule_pictures
from web_ui.views.rule_pictures import SCENES

ALL_WORDS = read_all_words()


def described(mode: str, number: str, language: str = "en") -> list[str]:
    return [frame.spoken for frame in rule_pictures.pictures(ALL_WORDS[language], mode)[number]]


def test_pictures_belong_to_rules_of_every_mode() -> None:
    rules = read_all_rules()["en"]
    assert SCENES.keys() == set(MODES)
    for mode, pictures in SCENES.items():
        assert pictures.keys() <= {rule.number for rule in rules[mode].rule}


def test_pictures_are_described_by_what_they_show() -> None:
    assert described("standard", "R5") == [
        "Display 1: 2 blue, 1 red and 1 white; blue chosen",
        "Centre: 1 red, 1 white and the starting marker",
    ]
    assert described("standard", "R8") == ["Line 2: blue, 2 of 2. Floor: 1 blue; costs 1 point"]
    assert described("standard", "R10") == ["Line 4: black, 4 of 4", "Row 4 of the wall: black"]
    assert described("standard", "R12") == ["Floor: 2 red and 1 white; costs 4 points"]
    assert described("standard", "R2")[0].startswith(
        "Row 1 of the wall: blue, yellow, red, black and white. "
    )
    assert described("gray", "G1") == [
        "Line 2: blue, 2 of 2. Row 2 of the wall: empty. Columns for Blue: 1, 2, 3 and 5. "
        "Row 4 of the wall: blue"
    ]
    assert described("solo", "S10") == ["Penalty row: 2 blue, 1 yellow, 1 red and 1 black; costs 8 points"]
    assert described("dtc", "D2")[0].startswith("Row 1 of the wall: green, orange, blue, yellow and red. ")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("language", sorted(ALL_WORDS))
def test_every_picture_is_on_its_page_with_its_description(
    client: FlaskClient, mode: str, language: str
) -> None:
    page = Text(client.get(f"/rules/{mode}", headers={"Accept-Language": language}).text)
    labels = page.values("aria-label")
    for frames in rule_pictures.pictures(ALL_WORDS[language], mode).values():
        for frame in frames:
            assert frame.spoken
            assert frame.spoken in labels


def test_no_picture_shows_a_position_that_can_not_be() -> None:
    """A tile is on its colour's space; a line holds one colour, which its row of the wall does not hold."""
    for mode, pictures in SCENES.items():
        for number, scenes in pictures.items():
            for seat in (scene.snapshot.seats[-1] for scene in scenes if scene.snapshot.seats):
                for row, (line, wall) in enumerate(zip(seat.lines, seat.wall, strict=True), 1):
                    assert len(line) <= row, (mode, number)
                    assert len(set(line)) <= 1, (mode, number)
                    assert not set(line) & set(wall), (mode, number)
                    printed = (seat.pattern or seat.wall)[row - 1]
                    assert all(tile in (".", space) for tile, space in zip(wall, printed, strict=True)), (
                        number
                    )


def test_the_colours_are_those_of_the_table() -> None:
    for palette, shades in ((rule_pictures.BOX, BOX.shades), (rule_pictures.BOT_GAMES, BOT_GAMES.shades)):
        lights = {shade.word: "#{:02x}{:02x}{:02x}".format(*shade.light) for shade in shades}
        assert {colour.name: colour.rgb for colour in palette.values()} == lights
