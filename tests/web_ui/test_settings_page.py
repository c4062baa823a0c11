"""The page of settings: what it shows, what its buttons send, and who may change anything."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.web_ui import scenes
from tests.web_ui.conftest import show
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from tests.web_ui.test_sentences import make_formatter
from web_ui.table_link import TableLink
from web_ui.text.words import read_all_words
from web_ui.views import settings
from web_ui.views.phone import SETTINGS, Viewer

LIGHTS = {"b": "#0046ff", "y": "#ff9600", "r": "#ff0a0a", "k": "#9600ff", "w": "#d2d2be"}
NOW = {
    "palette": "distinct",
    "brightness": 0.55,
    "pace": "slow",
    "hints": True,
    "sounds": False,
    "language": None,
    "confirm_columns": True,
    "least_brightness": 0.2,
    "palettes": {"box": LIGHTS, "distinct": LIGHTS},
    "paces": ["slow", "normal", "fast"],
}
PHONE = {"Host": "192.168.1.5:8080"}
FAR = {"REMOTE_ADDR": "192.168.1.20"}


def scene(version: int = 1, **given: Any) -> Message:
    return scenes.snapshot(version, settings={**NOW, **given})


def view(at_table: bool = True, **given: Any) -> settings.SettingsView:  # noqa: FBT001, FBT002
    shown = settings.settings(make_formatter(scene(**given)), Viewer(SETTINGS, at_table))
    assert shown is not None
    return shown


def test_the_present_values_are_chosen() -> None:
    shown = view()
    assert [palette.chosen for palette in shown.palettes] == [False, True]
    assert shown.palettes[0].lights == tuple(LIGHTS.values())
    assert [pace.chosen for pace in shown.paces] == [True, False, False]
    assert [switch.chosen for switch in shown.switches] == [True, True, False]
    assert (shown.brightness, shown.least_brightness) == (55, 20)


def test_a_switch_sends_the_other_value() -> None:
    assert [switch.change for switch in view().switches] == [
        {"type": "settings", "hints": False},
        {"type": "settings", "confirm_columns": False},
        {"type": "settings", "sounds": True},
    ]


def test_a_table_without_settings_has_an_empty_page(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    """One that is older than these pages."""
    show(daemon, link, scenes.snapshot())
    assert settings.settings(make_formatter(scenes.snapshot()), Viewer(SETTINGS)) is None
    assert client.get("/settings").status_code == 200


def test_every_language_can_be_chosen_by_its_own_name() -> None:
    languages = view(language="de").languages
    assert [language.change["language"] for language in languages] == [None, *read_all_words()]
    assert [language.name for language in languages if language.chosen] == ["Deutsch"]


def test_only_the_table_s_own_machine_changes_settings(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    everything = {"press": ["ok"], "tell": True, "hint": True, "learn": True}
    show(daemon, link, {**scene(), "phones": everything})
    here = client.get("/settings").text
    far = client.get("/settings", headers=PHONE, environ_overrides=FAR).text
    assert here.count("data-action") == far.count("data-action")
    assert "you can only look" in far
    assert "you can only look" not in here
    assert far.count(" disabled") == far.count("data-action") + 2, "the slider and the fieldset, too"
    action = {"type": "settings", "pace": "fast"}
    assert client.post("/action", json=action, headers=PHONE, environ_overrides=FAR).status_code == 403
    assert client.post("/action", json=action).status_code == 200
    sent = daemon.asked.get(timeout=TIMEOUT)
    assert action.items() <= sent.items()
    assert 'href="/settings"' in client.get("/").text
    assert 'href="/settings"' not in client.get("/", headers=PHONE, environ_overrides=FAR).text


@pytest.mark.parametrize(("chosen", "language"), [("de", "de"), (None, "en"), ("xx", "en")])
def test_the_pages_have_the_language_of_the_table(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, chosen: str | None, language: str
) -> None:
    show(daemon, link, scene(language=chosen))
    page = client.get("/settings", headers={"Accept-Language": "en"}).text
    assert f'<html lang="{language}"' in page


@pytest.mark.parametrize(
    ("of_table", "by_hand", "language"),
    [(None, "", ""), ("de", "", "de"), ("de", "fr", "fr"), (None, "fr", "fr")],
)
def test_the_greeting_names_the_language_that_was_chosen(
    daemon: FakeDaemon,
    link: TableLink,
    client: FlaskClient,
    of_table: str | None,
    by_hand: str,
    language: str,
) -> None:
    """Bug fixed: an open page had the language of the table's settings only after its next load."""
    show(daemon, link, scene(language=of_table))
    if by_hand:
        client.set_cookie("language", by_hand)
    for page, path in (("phone", "/"), ("settings", "/settings"), ("wall", "/wall")):
        assert f' data-language="{language}"' in client.get(path).text
        hello = client.get(f"/regions?page={page}").get_json()["hello"]
        assert hello["language"] == language
