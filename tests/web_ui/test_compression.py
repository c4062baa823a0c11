"""gzip of pages, files and event streams; files whose address has a hash are kept for ever."""

from __future__ import annotations

import gzip
import re
import threading
import zlib
from queue import Queue

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from tests.web_ui import scenes
from tests.web_ui.browsing import Text
from tests.web_ui.conftest import show
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon
from web_ui.compression import STREAM_HEADER, WORTH_COMPRESSING, Kept, compress_message
from web_ui.latest import Latest
from web_ui.pages import Pages
from web_ui.streams import Streams, Subscription
from web_ui.table_link import TableLink
from web_ui.views.phone import PHONE, Viewer

ZIP = {"Accept-Encoding": "br, gzip, deflate"}
PLAIN = {"Accept-Encoding": "identity"}


@given(st.lists(st.binary(max_size=3 * WORTH_COMPRESSING), max_size=8))
def test_every_message_of_a_stream_can_be_read_when_it_arrives(messages: list[bytes]) -> None:
    unpack = zlib.decompressobj(31)
    assert unpack.decompress(STREAM_HEADER) == b""
    for message in messages:
        assert unpack.decompress(compress_message(message)) == message


def test_results_are_made_once_for_many_threads_and_the_oldest_is_forgotten() -> None:
    kept, made = Kept(2), Queue[str]()
    start = threading.Barrier(8)

    def make(key: str) -> bytes:
        made.put(key)
        return key.encode()

    def get() -> None:
        start.wait(TIMEOUT)
        assert kept.get("a", lambda: make("a")) == b"a"

    threads = [threading.Thread(target=get) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
    for key in ("b", "a", "c", "a", "b"):
        kept.get(key, lambda key=key: make(key))  # type: ignore[misc]
    assert [made.get() for _ in range(made.qsize())] == ["a", "b", "c", "b"]


@pytest.mark.parametrize("path", ["/", "/table", "/tags", "/rules/standard", "/regions", "/state"])
def test_long_responses_are_compressed_for_clients_that_accept_it(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, path: str
) -> None:
    show(daemon, link, scenes.offer())
    plain, packed = client.get(path, headers=PLAIN), client.get(path, headers=ZIP)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.data) < len(plain.data) / 2
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert plain.headers["ETag"] != packed.headers["ETag"]
    for reply, headers in ((plain, PLAIN), (packed, ZIP)):
        again = client.get(path, headers={**headers, "If-None-Match": reply.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
    if path != "/table":  # its lights may change
        assert gzip.decompress(packed.data) == plain.data


def test_refusals_and_short_responses(client: FlaskClient) -> None:
    assert "Content-Encoding" not in client.get("/beat", headers=ZIP).headers
    assert "Content-Encoding" not in client.get("/", headers={"Accept-Encoding": "gzip;q=0"}).headers
    missing = client.get("/nothing", headers=ZIP)
    body = gzip.decompress(missing.data) if "Content-Encoding" in missing.headers else missing.data
    assert b"There is no such page here." in body


def test_a_page_is_rendered_and_compressed_once_for_all_viewers(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []
    render = Pages.greeting

    def noted(self: Pages, *given: object) -> dict[str, str]:
        rendered.append("")
        return render(self, *given)  # type: ignore[arg-type]

    show(daemon, link, scenes.offer())
    monkeypatch.setattr(Pages, "greeting", noted)
    first = client.get("/", headers=ZIP).data
    assert [client.get("/", headers=ZIP).data for _ in range(3)] == [first] * 3
    assert len(rendered) == 1


def test_files_have_addresses_that_never_change_their_content(client: FlaskClient) -> None:
    page = Text(client.get("/table").text)
    files = [path for path in page.values("href") + page.values("src") if path.startswith("/static/")]
    assert any(path.endswith(".js") for path in files)
    assert any(path.endswith(".css") for path in files)
    for path in files:
        reply = client.get(path, headers=ZIP)
        assert reply.status_code == 200, path
        assert "immutable" in reply.headers["Cache-Control"], path
        assert reply.headers["Vary"] == "Accept-Encoding", "a cookie must not make a browser load it again"
    style = next(path for path in files if path.endswith("/style.css"))
    for name in re.findall(r"/static/[^\"')]+", client.get(style).text):
        assert "immutable" in client.get(name).headers["Cache-Control"], name
    name = style.rpartition("/")[2]
    for other in (f"/static/{name}", f"/static/0123456789abcdef/{name}"):
        assert "immutable" not in client.get(other).headers["Cache-Control"], other


def test_a_compressed_stream_has_the_same_events() -> None:
    pages = Pages(Latest(), 2)
    streams = Streams(pages.latest, pages.renderer, pages.greeting, pages.clock)
    plain, packed = (
        next(streams.events(Subscription(Viewer(PHONE), pages.words["en"], -1, lambda: False, gzip=zipped)))
        for zipped in (False, True)
    )
    unpacked = zlib.decompressobj(31).decompress(packed)
    without_time = re.compile(rb'"[0-9a-f]+\.\d+"')
    assert without_time.sub(b"", unpacked) == without_time.sub(b"", plain)
    assert b'event: beat\ndata: "' in plain


def test_a_page_loads_all_its_modules_at_once(client: FlaskClient) -> None:
    """Each module that only another one names costs one more round trip."""
    for path in ("/", "/table", "/tags"):
        page = Text(client.get(path).text)
        preloaded = {given["href"] for _, given in page.elements if given.get("rel") == "modulepreload"}
        left = [source for source in page.values("src") if source.endswith(".js")]
        while left:
            script = left.pop()
            for name in re.findall(r'^import .*"\./(.*\.js)"', client.get(script).text, re.MULTILINE):
                imported = f"{script.rpartition('/')[0]}/{name}"
                assert imported in preloaded, (path, imported)
                left.append(imported)
