"""The pages of past games: the list, a page for each, and its record to keep."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, field

import msgspec
from flask import Response, request

from web_ui import history
from web_ui.guard import Hands, RefusedError, hands_of
from web_ui.messages import MessageError
from web_ui.pace import Pace
from web_ui.pages import Pages
from web_ui.past_messages import read_game, read_games, read_record
from web_ui.table_link import TableAwayError, TableLink

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
        try:
            found = read_games(self._told({"games": asked}))
        except MessageError as fault:
            raise self._unreadable(fault) from fault
        view = history.games(self.pages.speak(), found)
        return self._page("history.html", view, newer="before" in asked)

    def game(self, number: int) -> Response:
        """A game with its rounds, its review and its last position."""
        try:
            told = read_game(self._told({"game": _possible(number)}))
        except MessageError as fault:
            raise self._unreadable(fault) from fault
        return self._page("past_game.html", history.past_game(self.pages.speak(), told))

    def record(self, number: int) -> Response:
        """A game's record, which `azul-table replay` verifies."""
        try:
            record = read_record(self._told({"record": _possible(number)}))
        except MessageError as fault:
            raise self._unreadable(fault) from fault
        response = Response(record, content_type="application/jsonl; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="azul-game-{number}.jsonl"'
        return response

    def _told(self, question: dict[str, object]) -> msgspec.Raw:
        """What the table answers; raises RefusedError."""
        if hands_of(request) is not Hands.TABLE and not self.pace.allows(request.remote_addr or ""):
            raise RefusedError(429, "press.too_fast")
        try:
            answer = self.link.past(question)
        except TableAwayError as fault:
            log.warning("%s", fault)
            raise RefusedError(503, "presence.away") from fault
        if not answer.taken:
            raise RefusedError(_REFUSALS.get(answer.why, 503), f"history.why_{answer.why or 'unreadable'}")
        return answer.told

    @staticmethod
    def _unreadable(fault: MessageError) -> RefusedError:
        log.warning("the table's answer: %s", fault)
        return RefusedError(503, "presence.unreadable")

    def _page(self, template: str, view: object, **given: object) -> Response:
        words = self.pages.speak()
        html = self.pages.renderer.page(template, say=words.say, language=words.language, view=view, **given)
        response = Response(html, content_type="text/html; charset=utf-8")
        response.set_etag(hashlib.sha256(html.encode()).hexdigest()[:16])
        return response.make_conditional(request.environ)  # type: ignore[return-value]


def _possible(number: int) -> int:
    """A number that a game may have; raises RefusedError."""
    if not 0 < number <= 1 << 53:
        raise RefusedError(404, "history.why_no_such_game")
    return number
