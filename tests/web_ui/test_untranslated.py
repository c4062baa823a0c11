"""Every word that people read comes from the catalogues: pages in a language in which each text is marked.

In that language "Line 3" reads "⟦Line 3⟧". A word outside the marks is written in a template or a view.
"""

from __future__ import annotations

import ast
import gettext
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from flask.testing import FlaskClient

import web_ui
from tests.harness.stored_games import GRAY, SOLO, STANDARD
from tests.web_ui import real_tables, scenes
from tests.web_ui.conftest import show
from tests.web_ui.fake_daemon import FakeDaemon, Message
from tests.web_ui.test_history import answers_of, graded, past
from web_ui.app import create_app
from web_ui.table_link import TableLink
from web_ui.text.rulebook import Rulebook, read_all_rules
from web_ui.text.words import Words, read_all_words, read_english
from web_ui.views.phone import PAGES

WEB_UI = Path(web_ui.__file__).parent
BEGIN, END = "\N{MATHEMATICAL LEFT WHITE SQUARE BRACKET}", "\N{MATHEMATICAL RIGHT WHITE SQUARE BRACKET}"

READ_ALOUD = (
    "aria-label",
    "aria-description",
    "aria-roledescription",
    "alt",
    "title",
    "placeholder",
    "label",
)
"""Attributes whose values people read or hear."""

UNREAD = ("script", "style", "kbd")
"""Elements without words; the names on keys are the same in every language."""

PATHS = {"number": "1", "mode": "solo", "name": ""}
"""Values for the variable parts of paths; empty: such a path is no page."""


class Marks(gettext.NullTranslations):
    """Translates each text into itself with marks."""

    def pgettext(self, context: str, message: str) -> str:
        return f"{BEGIN}{message}{END}"

    def npgettext(self, context: str, msgid1: str, msgid2: str, n: int) -> str:
        return f"{BEGIN}{msgid1 if n == 1 else msgid2}{END}"


def marked_rules() -> dict[str, Rulebook]:
    def marked(value: object) -> object:
        if isinstance(value, dict):
            return {key: text if key == "number" else marked(text) for key, text in value.items()}
        if isinstance(value, list | tuple):
            return [marked(each) for each in value]
        return f"{BEGIN}{value}{END}"

    plain = msgspec.to_builtins(read_all_rules()["en"])
    return {"en": msgspec.convert(marked(plain), Rulebook)}


class _Read(HTMLParser):
    """Collects what people read in a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._hidden = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in UNREAD
        values = dict(attrs)
        self.found += [str(values[name]) for name in READ_ALOUD if values.get(name)]
        if tag == "input" and values.get("type") in ("submit", "button", "reset"):
            self.found.append(values.get("value") or "")
        if tag == "meta" and values.get("name") in ("description", "application-name"):
            self.found.append(values.get("content") or "")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in UNREAD

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.found.append(data)


def unmarked(text: str) -> Iterator[str]:
    """Yield the words outside all marks."""
    depth, outside = 0, []
    for letter in text:
        depth += letter == BEGIN
        outside.append(" " if depth else letter)
        depth -= letter == END
    yield from (word for word in re.findall(r"[^\W\d_]{2,}", "".join(outside)) if word not in NAMES)


def unmarked_words(html: str) -> set[str]:
    return {f"{word} in {text.strip()!r}" for text in _Read(html).found for word in unmarked(text)}


SCENES: list[Message] = [
    scenes.seating(),
    scenes.choosing(),
    scenes.offer(),
    scenes.chosen(),
    scenes.refused(),
    scenes.scoring(),
    scenes.over(),
    real_tables.reporting("b"),
    real_tables.at_columns(),
    *list(real_tables.whole_game(real_tables.solo("normal", "gray"), 6))[::40],
]


def names_in(scene: object) -> Iterator[str]:
    """Yield the names of people in a message, however deep."""
    for key, value in scene.items() if isinstance(scene, dict) else enumerate(scene):  # type: ignore[arg-type]
        if isinstance(value, str) and key in ("name", "bot"):
            yield value
        elif isinstance(value, dict | list):
            yield from names_in(value)


NAMES = {
    *("ok", "Calm", "Greedy", "Strong", "Master"),
    *(words.text("language") for words in read_all_words().values()),
    *(word for name in names_in(SCENES) for word in re.findall(r"[^\W\d_]+", name)),
}
"""Words that are the same in every language: names of players, opponents and languages; a button's name."""


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch, link: TableLink) -> FlaskClient:
    """A client of the pages in the language of marks."""
    english = read_english()
    words = {"en": Words("en", english.sentences, Marks())}
    monkeypatch.setattr("web_ui.pages.read_all_words", lambda: words)
    monkeypatch.setattr("web_ui.pages.read_all_rules", marked_rules)
    monkeypatch.setattr("web_ui.render.read_all_words", lambda: words)
    return create_app(link, clock=lambda: 0.0).test_client()


def page_paths(client: FlaskClient) -> list[str]:
    """Return the paths of all pages, from the routes."""
    paths = []
    for rule in client.application.url_map.iter_rules():
        if rule.methods is None or "GET" not in rule.methods or rule.endpoint == "events":
            continue
        if all(PATHS.get(name) for name in rule.arguments):
            paths.append(re.sub(r"<(?:\w+:)?(\w+)>", lambda part: PATHS[part[1]], rule.rule))
    return paths


@pytest.mark.parametrize("number", range(len(SCENES)))
def test_every_word_of_a_live_page_is_from_the_catalogues(
    daemon: FakeDaemon, link: TableLink, marked: FlaskClient, number: int
) -> None:
    show(daemon, link, {**SCENES[number], "version": number + 1})
    for seat in ("", "1"):
        marked.set_cookie("seat", seat)
        for page in PAGES:
            path = "/" if page == "phone" else f"/{page}"
            assert unmarked_words(marked.get(path).text) == set(), path
            regions = json.loads(marked.get(f"/regions?page={page}").data)["news"]["regions"]
            for name, html in regions.items():
                assert unmarked_words(html) == set(), name


def test_every_word_of_all_other_pages_is_from_the_catalogues(
    daemon: FakeDaemon, link: TableLink, marked: FlaskClient
) -> None:
    show(daemon, link, scenes.offer())
    games = [graded(past(each, number), {4: 6.0}) for number, each in enumerate((STANDARD, GRAY, SOLO), 1)]
    past_games = answers_of(*games)
    no_statistics: Message = {"taken": False, "why": "no_such_player"}
    daemon.answer = lambda each: no_statistics if each["type"] == "statistics" else past_games(each)
    paths = [
        *page_paths(marked),
        "/history/2",
        "/history/3",
        "/nothing",
        *(f"/rules/{each}" for each in ("standard", "gray", "dtc")),
    ]
    seen = 0
    for path in paths:
        response = marked.get(path)
        if response.mimetype == "text/html" and response.status_code // 100 != 3:  # nobody sees a redirection
            seen += 1
            assert unmarked_words(response.text) == set(), path
    assert seen >= 10


@pytest.mark.parametrize("path", sorted((WEB_UI / "templates").glob("*.html")), ids=lambda path: path.name)
def test_no_template_holds_words(path: Path) -> None:
    """In any branch: what is left of a template without its statements and expressions."""
    attributes = r"\{% block name %\}\w*\{% endblock %\}|\{% block attributes %\}.*"
    code = re.sub(attributes, "", path.read_text("utf-8"))
    code = re.sub(r"(</?)\{\{.*?\}\}", r"\1x", code)  # the name of an element
    plain = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", "", code, flags=re.DOTALL)
    assert unmarked_words(plain) == set()


SENTENCE = re.compile(r"^[A-Z][a-z']+[,:]?(?: [a-z']+[,:]?)+")
"""What looks like text for people."""


@pytest.mark.parametrize("path", sorted((WEB_UI / "static").glob("*.js")), ids=lambda path: path.name)
def test_no_script_holds_texts(path: Path) -> None:
    code = re.sub(r"(?m)^\s*//.*$|\s//\s.*$", "", path.read_text("utf-8"))
    code = re.sub(r"\$\{[^}]*\}", "", code)
    literals = [each[1:-1] for each in re.findall(r'"[^"\n]*"|\'[^\'\n]*\'|`[^`]*`', code)]
    assert [each for each in literals if SENTENCE.match(each)] == []
    shown = re.findall(
        r'(?:textContent|innerText|ariaLabel|placeholder|\btitle)\s*=\s*["\'`]([^"\'`]*[A-Za-z]{2,})', code
    )
    shown += re.findall(r'(?:alert|confirm|prompt)\(\s*["\'`]([^"\'`]+)', code)
    assert shown == []


@pytest.mark.parametrize(
    "path",
    [*sorted((WEB_UI / "views").glob("*.py")), WEB_UI / "text" / "sentences.py"],
    ids=lambda path: path.name,
)
def test_no_view_holds_texts(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents
    ]
    assert [text for text in texts if SENTENCE.match(text)] == []


def test_the_check_finds_words() -> None:
    html = f'<p title="Help">{BEGIN}Marked {BEGIN}twice{END} here{END} plain 12</p><script>no words</script>'
    assert {each.partition(" ")[0] for each in unmarked_words(html)} == {"Help", "plain"}
