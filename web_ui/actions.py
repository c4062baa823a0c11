"""Actions of people on a page, posted to `/action` as JSON: who may do them, and the table's answer.

An action is a message to the table (`web_ui.messages.Action`). It is checked here (CSRF, permission, rate
limit) and sent to the table as it is.
"""

from __future__ import annotations

import logging

import msgspec
from flask import Response, request
from msgspec import Struct

from web_ui.messages import (
    Action,
    LeaveSeat,
    MessageError,
    NamePlayer,
    PressButton,
    SitDown,
    allowed_to_phone,
    read_action,
)
from web_ui.pages import Pages
from web_ui.security import Access, RateLimiter, RefusedError, access_level, check_origin
from web_ui.table_link import TableAwayError, TableLink
from web_ui.text.sentences import SnapshotFormatter

log = logging.getLogger(__name__)


class Actions(Struct, frozen=True):
    """Checks the actions that pages post, and sends them to the table."""

    link: TableLink
    pages: Pages
    rate_limiter: RateLimiter

    def post(self) -> Response:
        """Send the action of the current request to the table. Raises RefusedError."""
        action = self._permitted_action()
        self._check_known(action)
        try:
            answer = self.link.ask(action)
        except TableAwayError as fault:
            log.info("%s", fault)
            raise RefusedError(503, "presence.away") from fault
        except MessageError as fault:
            raise RefusedError(400, "press.malformed", problem=str(fault)) from fault
        if answer.taken:
            return json_response({"taken": True})
        if isinstance(action, PressButton) and answer.why == "unknown_button":
            raise RefusedError(404, "press.no_button", button=action.button)
        return json_response({"taken": False, "why": answer.why, "say": self._sentence(answer.why)})

    def _permitted_action(self) -> Action:
        """Return the action of the request. Raises RefusedError."""
        access = access_level(request)
        if access is Access.NONE:
            raise RefusedError(403, "press.foreign_name")
        check_origin(request)
        try:
            action = read_action(request.get_data())
        except MessageError as fault:
            raise RefusedError(400, "press.malformed", problem=str(fault)) from fault
        if access is Access.PHONE:
            self._check_phone(action)
        return action

    def _check_phone(self, action: Action) -> None:
        """Raise RefusedError unless phones may do this action, and it is below the rate limit."""
        snapshot = self.link.latest.view.snapshot
        if snapshot is None:
            raise RefusedError(503, "presence.away")
        if not allowed_to_phone(action, snapshot):
            raise RefusedError(403, "press.not_by_phone")
        if not self.rate_limiter.allows(request.remote_addr or ""):
            raise RefusedError(429, "press.too_fast")

    def _check_known(self, action: Action) -> None:
        """Raise RefusedError if the action names a button or a seat that the table does not have."""
        layout, snapshot = self.link.latest.view.layout, self.link.latest.view.snapshot
        match action:
            case PressButton(button) if layout is not None:
                known = any(each.name == button for each in layout.buttons)
                if not known and (snapshot is None or button not in snapshot.phones.press):
                    raise RefusedError(404, "press.no_button", button=button)
            case NamePlayer(_, name) | SitDown(name=str(name)) if not name.strip().isprintable():
                raise RefusedError(400, "press.name_strange")
            case NamePlayer(seat) | SitDown(seat) | LeaveSeat(seat) if layout and 0 < layout.seats < seat:
                raise RefusedError(404, "press.no_seat", seat=seat)

    def _sentence(self, why: str) -> str:
        """Return the sentence for the key of a refusal."""
        words, snapshot = self.pages.words_for_request(), self.link.latest.view.snapshot
        if snapshot is None:
            return words.text("refusal.other")
        return SnapshotFormatter(words, snapshot).refusal(why)


def json_response(message: dict[str, object], status: int = 200) -> Response:
    """Return a JSON response."""
    return Response(msgspec.json.encode(message), status, content_type="application/json")
