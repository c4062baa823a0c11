"""What hands may do through a page: press a button, name a player, tell a tile, show a tag.

Each is checked here and told to the table.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar

import msgspec
from flask import Response, request

from web_ui.guard import RefusedError, check_press
from web_ui.messages import Answer
from web_ui.pages import Pages
from web_ui.sentences import Speaker
from web_ui.table_link import TableAwayError, TableLink

log = logging.getLogger(__name__)

NAME_LIMIT = 200
"""Characters of the longest name that is handed to the table, which has a shorter limit of its own."""

SHARED_READER = "shared"
"""The table's reader that belongs to no place."""

_Body = TypeVar("_Body")


class PressBody(msgspec.Struct, frozen=True):
    """What POST /press takes: {"button": "display.3"}."""

    button: Annotated[str, msgspec.Meta(max_length=100)]


class NameBody(msgspec.Struct, frozen=True):
    """What POST /name takes: {"seat": 1, "name": "Ana"}."""

    seat: Annotated[int, msgspec.Meta(ge=1, le=99)]
    name: Annotated[str, msgspec.Meta(max_length=NAME_LIMIT)]


class TileBody(msgspec.Struct, frozen=True):
    """What POST /tile takes: {"tile": "b"}."""

    tile: Literal["b", "y", "r", "k", "w"]


class TagBody(msgspec.Struct, frozen=True):
    """What POST /tag takes: {"tag": "tile-b-07"}."""

    tag: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


@dataclass(frozen=True, slots=True)
class Presses:
    """Carries presses, names, tiles and tags from a page to the table."""

    link: TableLink
    pages: Pages

    def press(self) -> Response:
        """Press the button that the request names."""
        check_press(request)
        button = _body(PressBody).button
        layout = self.link.latest.view.layout
        if layout is not None and all(known.name != button for known in layout.buttons):
            raise RefusedError(404, "press.no_button", button=button)
        return self._answer(lambda: self.link.press(button), button)

    def name(self) -> Response:
        """Name the player that the request names."""
        check_press(request)
        body = _body(NameBody)
        name = body.name.strip()
        if not name.isprintable():
            raise RefusedError(400, "press.name_strange")
        layout = self.link.latest.view.layout
        if layout is not None and layout.seats and body.seat > layout.seats:
            raise RefusedError(404, "press.no_seat", seat=body.seat)
        return self._answer(lambda: self.link.name(body.seat, name))

    def tile(self) -> Response:
        """Tell the table the tile of resin that the request names."""
        check_press(request)
        letter = _body(TileBody).tile
        return self._answer(lambda: self.link.tile(letter))

    def tag(self) -> Response:
        """Show the tag that the request names to the table's shared reader."""
        check_press(request)
        tag = _body(TagBody).tag
        return self._answer(lambda: self.link.tag(SHARED_READER, tag))

    def _answer(self, ask: Callable[[], Answer], button: str = "") -> Response:
        """What the table says, with the sentence for a refusal."""
        try:
            answer = ask()
        except TableAwayError as fault:
            log.info("%s", fault)
            raise RefusedError(503, "presence.away") from fault
        if answer.error is not None:
            raise RefusedError(400, "press.malformed", problem=answer.error)
        if answer.why == "unknown_button":
            raise RefusedError(404, "press.no_button", button=button)
        if answer.taken:
            return json_response({"taken": True})
        words, snapshot = self.pages.speak(), self.link.latest.view.snapshot
        say = Speaker(words, snapshot).refusal(answer.why) if snapshot else words.say("refusal.other")
        return json_response({"taken": False, "why": answer.why, "say": say})


def json_response(message: dict[str, object], status: int = 200) -> Response:
    """An answer as JSON."""
    return Response(msgspec.json.encode(message), status, content_type="application/json")


def _body(type_: type[_Body]) -> _Body:
    try:
        return msgspec.json.decode(request.get_data(cache=False), type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise RefusedError(400, "press.malformed", problem=str(fault)) from fault
