"""The pages of past games: the list, a page for each, and its record to keep."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec
from flask import Response, request

from web_ui import history
from web_ui.guard import Hands, RefusedError, hands_of
from web_ui.messages import MessageError
from web_ui.pace import Pace
from web_ui.pages import Pages
from web_ui.past_messages import read_game, read_games, read_record
from web_ui.table_link import TableAwayError, TableLink

_Told = TypeVar("_Told")

log = logging.getLogger(__name__)

A_PAGE = 20
"""How many games a page of the list holds."""

QUESTIONS_A_SECOND = 1
QUESTIONS_AT_ONCE = 10
"""Questions of a phone that may come all at once: for each the table goes through a whole game."""

_REFUSALS = {"no_such_game": 404, "not_finished": 404, "too_long": 404, "too_many_questions": 503}


@dataclass(frozen=True, slots=True)
class HistoryPages:
    """Asks the table and shows what it tells."""

    link: TableLink
    pages: Pages
    pace: Pace = field(default_factory=lambda: Pace(a_second=QUESTIONS_A_SECOND, at_once=QUESTIONS_AT_ONCE))

    def games(self) -> Response:
        """The games of this table, the newest first; `?before=N` those before game N."""
        asked: dict[str, int] = {"count": A_PAGE}
        before = request.args.get("before", "")
        if before.isascii() and before.isdecimal() and 0 < int(before[:17]) <= 1 << 53:
            asked["before"] = int(before[:17])
        found = self._told({"games": asked}, read_games)
        view = history.games(self.pages.speak(), found)
        return self.pages.still("history.html", view=view, newer="before" in asked)

    def game(self, number: int) -> Response:
        """A game with its rounds, its review and its last position."""
        told = self._told({"game": _possible(number)}, read_game)
        return self.pages.still("past_game.html", view=history.past_game(self.pages.speak(), told))

    def record(self, number: int) -> Response:
        """A game's record, which `azul-table replay` verifies."""
        record = self._told({"record": _possible(number)}, read_record)
        response = Response(record, content_type="application/jsonl; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="azul-game-{number}.jsonl"'
        return response

    def _told(self, question: dict[str, object], read: Callable[[msgspec.Raw], _Told]) -> _Told:
        """What the table answers, read; raises RefusedError."""
        if hands_of(request) is not Hands.TABLE and not self.pace.allows(request.remote_addr or ""):
            raise RefusedError(429, "press.too_fast")
        try:
            answer = self.link.past(question)
        except TableAwayError as fault:
            log.warning("%s", fault)
            raise RefusedError(503, "presence.away") from fault
        if not answer.taken:
            raise RefusedError(_REFUSALS.get(answer.why, 503), f"history.why_{answer.why or 'unreadable'}")
        try:
            return read(answer.told)
        except MessageError as fault:
            log.warning("the table's answer: %s", fault)
            raise RefusedError(503, "presence.unreadable") from fault


def _possible(number: int) -> int:
    """A number that a game may have; raises RefusedError."""
    if not 0 < number <= 1 << 53:
        raise RefusedError(404, "history.why_no_such_game")
    return number
