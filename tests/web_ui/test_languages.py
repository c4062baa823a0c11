"""The language of a viewer: by the browser, or by hand with the menu."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.web_ui.browsing import Text
from web_ui.text.words import read_all_words


def language_of(client: FlaskClient, accepted: str = "", path: str = "/rules") -> str:
    page = client.get(path, headers={"Accept-Language": accepted} if accepted else {}).text
    return page.partition('<html lang="')[2].partition('"')[0]


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("*", "en"),
        ("xx", "en"),
        ("fr", "fr"),
        ("FR-ca", "fr"),
        ("de-AT,en;q=0.5", "de"),
        ("es-419,es;q=0.9,en;q=0.8", "es"),
        ("pt", "pt-PT"),
        ("pt-BR,en;q=0.9", "pt-PT"),
        ("pt_PT", "pt-PT"),
        ("fr;q=0.2,de;q=0.8", "de"),
        ("fr;q=0,de;q=0.1", "de"),
        ("ja,ko;q=0.9,es;q=0.1", "es"),
        ("en-GB,de;q=0.9", "en"),
    ],
)
def test_the_browser_chooses_the_language(client: FlaskClient, accepted: str, language: str) -> None:
    """Bug fixed: a regional variant lost to English, if the browser accepted that at all."""
    assert language_of(client, accepted) == language


def choose(client: FlaskClient, language: str, back: str = "/rules/solo", **headers: str) -> tuple[int, str]:
    response = client.post("/language", data={"language": language, "back": back}, headers=headers)
    return response.status_code, response.headers.get("Location", "")


def test_a_choice_by_hand_is_kept_and_leads_back(client: FlaskClient) -> None:
    assert choose(client, "fr") == (303, "/rules/solo")
    assert language_of(client, "de") == "fr"
    assert language_of(client, "de", "/") == "fr"
    cookie = client.get_cookie("language")
    assert cookie is not None
    assert (cookie.value, cookie.http_only, cookie.same_site) == ("fr", True, "Lax")
    assert choose(client, "") == (303, "/rules/solo")
    assert language_of(client, "de") == "de"


@pytest.mark.parametrize("language", ["xx", "../en", "fr; Path=/x", "FR"])
def test_an_unknown_language_is_refused_and_no_cookie_is_set(client: FlaskClient, language: str) -> None:
    assert choose(client, language)[0] == 404
    assert client.get_cookie("language") is None
    client.set_cookie("language", language)
    assert language_of(client, "de") == "de"


@pytest.mark.parametrize(
    "back",
    [
        *("", "rules", "//elsewhere.example/", "///elsewhere.example", "/\\elsewhere.example"),
        *("https://elsewhere.example/", "/a\r\nX: y", "/%0d" * 100),
    ],
)
def test_a_choice_never_leads_to_another_site(client: FlaskClient, back: str) -> None:
    assert choose(client, "fr", back) == (303, "/")


def test_a_choice_leads_back_to_a_page_with_a_query(client: FlaskClient) -> None:
    assert choose(client, "fr", "/history?before=20") == (303, "/history?before=20")


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}],
    ids=["origin", "fetch"],
)
def test_another_web_site_can_not_choose(client: FlaskClient, headers: dict[str, str]) -> None:
    assert choose(client, "fr", **headers)[0] == 403
    assert client.get_cookie("language") is None


def test_a_browser_that_sends_no_referrer_can_choose(client: FlaskClient) -> None:
    assert choose(client, "fr", Origin="null")[0] == 303
    assert choose(client, "fr", Origin="http://localhost")[0] == 303


def test_the_menu_offers_every_language_in_its_own_words(client: FlaskClient) -> None:
    page = client.get("/rules/gray?x=1", headers={"Accept-Language": "es"}).text
    for tag, words in read_all_words().items():
        assert f'value="{tag}" lang="{tag}"' in page
        assert words.text("language") in str(Text(page))
    assert '<button name="language" value="es" lang="es" aria-current="true">Español</button>' in page
    assert '<input type="hidden" name="back" value="/rules/gray?x=1">' in page


def test_every_language_has_its_own_etag(client: FlaskClient) -> None:
    etags = {
        client.get(path, headers={"Accept-Language": tag}).headers["ETag"]
        for path in ("/", "/rules")
        for tag in read_all_words()
    }
    assert len(etags) == 2 * len(read_all_words())
