"""What hands may do through a page: press buttons, name players, tell tiles, teach tags, pull a plug.

Each is checked here and told to the table.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeVar

import msgspec
from flask import Response, request

from web_ui.messages import Answer, Phones
from web_ui.pages import Pages
from web_ui.security import (
    Access,
    RateLimiter,
    RefusedError,
    access_level,
    check_phone_access,
    check_table_access,
)
from web_ui.table_link import TableAwayError, TableLink
from web_ui.text.sentences import SnapshotFormatter

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
    """What POST /tag takes: {"tag": "A762000007"}."""

    tag: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class LearnBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """What POST /learn takes, one of them: {"tiles": "all"}, {"player": "Ana"}, {"back": true} and so on."""

    tiles: Literal["all", "b", "y", "r", "k", "w"] | None = None
    player: Annotated[str, msgspec.Meta(max_length=NAME_LIMIT)] | None = None
    action: Literal["undo", "ok", "new_game"] | None = None
    back: bool = False
    end: bool = False


class ForgetBody(msgspec.Struct, frozen=True):
    """What POST /forget takes: {"tag": "04A21B7C"}, or the letter of a colour: {"tiles": "r"}."""

    tag: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] | None = None
    tiles: Literal["b", "y", "r", "k", "w"] | None = None


class PlugBody(msgspec.Struct, frozen=True):
    """What POST /plug takes: {"plug": false} pulls the simulated Pico out."""

    plug: bool


class HintBody(msgspec.Struct, frozen=True):
    """What POST /hint takes: {"hint": "2"}, the seat that it is for; "0" is whoever is to choose."""

    hint: Annotated[str, msgspec.Meta(pattern=r"^[0-9]$")]


@dataclass(frozen=True, slots=True)
class Presses:
    """Carries from a page to the table what hands do there."""

    link: TableLink
    pages: Pages
    rate_limiter: RateLimiter = field(default_factory=RateLimiter)

    def check_hands(self, allowed: Callable[[Phones], bool]) -> None:
        """Raise RefusedError unless the asking hands may do this: phones only what is allowed."""
        if access_level(request) is Access.TABLE:
            check_table_access(request)
            return
        check_phone_access(request, lambda: allowed(self._phones()))
        if not self.rate_limiter.allows(request.remote_addr or ""):
            raise RefusedError(429, "press.too_fast")

    def _phones(self) -> Phones:
        snapshot = self.link.latest.view.snapshot
        if snapshot is None:
            raise RefusedError(503, "presence.away")
        return snapshot.phones

    def press(self) -> Response:
        """Press the button that the request names."""
        self.check_hands(lambda phones: _body(PressBody).button in phones.press)
        button = _body(PressBody).button
        if not self._is_known(button):
            raise RefusedError(404, "press.no_button", button=button)
        return self._answer(lambda: self.link.press(button), button)

    def _is_known(self, button: str) -> bool:
        """Whether the table has this button, or phones stand in for it; before the table is known, any."""
        layout, snapshot = self.link.latest.view.layout, self.link.latest.view.snapshot
        if layout is None or any(known.name == button for known in layout.buttons):
            return True
        return snapshot is not None and button in snapshot.phones.press

    def name(self) -> Response:
        """Name the player that the request names; a phone that is a seat's hands may do so, too."""
        self.check_hands(lambda phones: f"seat.{_body(NameBody).seat}.floor" in phones.press)
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
        self.check_hands(lambda phones: phones.tell)
        letter = _body(TileBody).tile
        return self._answer(lambda: self.link.tile(letter))

    def hint(self) -> Response:
        """Ask the table for a hint; a phone may, where hints are allowed in the game."""
        self.check_hands(lambda phones: phones.hint)
        seat = int(_body(HintBody).hint)
        return self._answer(lambda: self.link.hint(seat))

    def tag(self) -> Response:
        """Show the tag that the request names to the table's shared reader."""
        check_table_access(request)
        tag = _body(TagBody).tag
        return self._answer(lambda: self.link.tag(SHARED_READER, tag))

    def learn(self) -> Response:
        """Begin or end a lesson, or take its last tag back."""
        self.check_hands(lambda phones: phones.learn)
        body: dict[str, object] = msgspec.to_builtins(_body(LearnBody))
        return self._answer(lambda: self.link.learn(body))

    def forget(self) -> Response:
        """Forget what a tag means, or the tags of all tiles of a colour."""
        self.check_hands(lambda phones: phones.learn)
        body = _body(ForgetBody)
        return self._answer(lambda: self.link.forget(self._tags_of(body)))

    def _tags_of(self, body: ForgetBody) -> list[str]:
        if body.tag is not None:
            return [body.tag]
        known = self.link.known_tags().tags
        return [each.tag for each in known if (each.kind, each.value) == ("tile", body.tiles)]

    def plug(self) -> Response:
        """Plug the simulated Pico in, or pull it out."""
        check_table_access(request)
        plugged = _body(PlugBody).plug
        return self._answer(lambda: self.link.plug(plugged=plugged))

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
        words, snapshot = self.pages.words_for_request(), self.link.latest.view.snapshot
        say = (
            SnapshotFormatter(words, snapshot).refusal(answer.why)
            if snapshot
            else words.text("refusal.other")
        )
        return json_response({"taken": False, "why": answer.why, "say": say})


def json_response(message: dict[str, object], status: int = 200) -> Response:
    """An answer as JSON."""
    return Response(msgspec.json.encode(message), status, content_type="application/json")


def _body(type_: type[_Body]) -> _Body:
    try:
        return msgspec.json.decode(request.get_data(), type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise RefusedError(400, "press.malformed", problem=str(fault)) from fault
