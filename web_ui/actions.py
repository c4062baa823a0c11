"""Actions of people on a page, posted to `/action` as JSON: who may do them, and the table's answer.

An action is a message to the table (`web_ui.messages.Action`). It is checked here (CSRF, permission, rate
limit, age) and sent to the table as it is. Two headers belong to its delivery (`web_ui.delivery`): a random
id, and when it was made.
"""

from __future__ import annotations

import logging
from typing import TypeAlias

import msgspec
from flask import Response, request
from msgspec import Struct

from web_ui.delivery import FirstAnswers, LateError, ServerClock, TooManyError
from web_ui.joining import Joining, give_secret
from web_ui.messages import (
    Action,
    ClaimSeat,
    LeaveSeat,
    MessageError,
    NamePlayer,
    PressButton,
    ReleaseSeat,
    SitDown,
    allowed_to_phone,
    read_action,
)
from web_ui.pages import Pages
from web_ui.security import Access, RateLimiter, RefusedError, access_level, check_origin
from web_ui.table_link import TableAwayError, TableLink, TableSilentError
from web_ui.text.sentences import SnapshotFormatter

log = logging.getLogger(__name__)

ID_HEADER = "Azul-Action"
"""The random id of an action; without it a repeated request is done again."""

MADE_HEADER = "Azul-Made"
"""When an action was made: a stamp of the server's clock; without it the action is as old as its request."""

LONGEST_ID = 64

Outcome: TypeAlias = dict[str, object]
"""The JSON of a response, and the secret of a claim, which is no part of it."""

_SECRET = "secret"


class Actions(Struct, frozen=True):
    """Checks the actions that pages post, and sends them to the table."""

    link: TableLink
    pages: Pages
    rate_limiter: RateLimiter
    clock: ServerClock
    joining: Joining
    answers: FirstAnswers[Outcome] = msgspec.field(default_factory=FirstAnswers)

    def post(self) -> Response:
        """Send the action of the current request to the table, once and in time. Raises RefusedError."""
        access = access_level(request)
        if access is Access.NONE:
            raise RefusedError(403, "press.foreign_name")
        check_origin(request)
        name = request.headers.get(ID_HEADER, "")[:LONGEST_ID]
        try:
            if not name:
                return _respond(self._done(access))
            return _respond(self.answers.answer((request.remote_addr, name), lambda: self._done(access)))
        except LateError as fault:
            raise RefusedError(409, "refusal.late") from fault
        except TooManyError as fault:
            raise RefusedError(429, "press.too_fast") from fault

    def _done(self, access: Access) -> Outcome:
        """Do the action of the request and return its outcome. Raises RefusedError, LateError."""
        try:
            latest = self.clock.latest_for(request.headers.get(MADE_HEADER, ""))
        except ValueError as fault:
            raise RefusedError(400, "press.malformed", problem=str(fault)) from fault
        action = self._permitted_action(access)
        self._check_known(action)
        action, secret = self.joining.signed(action, access)
        try:
            answer = self.link.ask(action, latest)
        except TableSilentError as fault:
            log.info("%s", fault)
            raise RefusedError(504, "press.silent") from fault
        except TableAwayError as fault:
            log.info("%s", fault)
            raise RefusedError(503, "presence.away") from fault
        except MessageError as fault:
            raise RefusedError(400, "press.malformed", problem=str(fault)) from fault
        if answer.taken:
            return {"taken": True, **({_SECRET: secret} if secret else {})}
        if isinstance(action, PressButton) and answer.why == "unknown_button":
            raise RefusedError(404, "press.no_button", button=action.button)
        return {"taken": False, "why": answer.why, "say": self._sentence(answer.why)}

    def _permitted_action(self, access: Access) -> Action:
        """Return the action of the request. Raises RefusedError."""
        try:
            action = read_action(request.get_data())
        except MessageError as fault:
            raise RefusedError(400, "press.malformed", problem=str(fault)) from fault
        if access is Access.PHONE:
            self.joining.check_pin(self.link.latest.view.snapshot)
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
            case NamePlayer(_, name) | ClaimSeat(_, name) | SitDown(name=str(name)) if (
                not name.strip().isprintable()
            ):
                raise RefusedError(400, "press.name_strange")
            case NamePlayer(seat) | SitDown(seat) | LeaveSeat(seat) | ClaimSeat(seat) | ReleaseSeat(seat) if (
                layout and 0 < layout.seats < seat
            ):
                raise RefusedError(404, "press.no_seat", seat=seat)

    def _sentence(self, why: str) -> str:
        """Return the sentence for the key of a refusal."""
        words, snapshot = self.pages.words_for_request(), self.link.latest.view.snapshot
        if snapshot is None:
            return words.text("refusal.other")
        return SnapshotFormatter(words, snapshot).refusal(why)


def _respond(outcome: Outcome) -> Response:
    """Return the response to an action; the secret of a claim goes into a cookie that no script can read."""
    response = json_response({key: value for key, value in outcome.items() if key != _SECRET})
    if isinstance(secret := outcome.get(_SECRET), str):
        give_secret(response, secret)
    return response


def json_response(message: Outcome, status: int = 200) -> Response:
    """Return a JSON response."""
    return Response(msgspec.json.encode(message), status, content_type="application/json")
