"""Statistics of the finished games: tables and pictures of a house, or of one player.

Pictures are described in the units of their `viewBox`; each has a sentence that says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from msgspec import Struct

from web_ui.messages import (
    Cost,
    GroupSums,
    HouseStatistics,
    PairSums,
    PlayerStatistics,
    PointSources,
    Sums,
)
from web_ui.text.words import Words
from web_ui.views.history import day

SOURCES = ("placing", "rows", "columns", "colours", "other", "floor")
"""Where points come from, in the order of the pictures; the floor costs points."""

WIDTH = 300
"""Width of a bar's picture."""

MOST_BARS = 12
"""Players whose points are drawn."""

CURVE_LEFT, CURVE_RIGHT, CURVE_TOP, CURVE_BOTTOM = 34, 394, 12, 120
"""Where the axes of the curve of costs begin and end."""


class Segment(Struct, frozen=True):
    """A part of a bar: its kind, where it is, and the number in it where there is room."""

    kind: str
    x: float
    width: float
    text: str = ""


class BarView(Struct, frozen=True):
    """A bar of segments with the sentence that says what they show; `zero` is where 0 is."""

    segments: tuple[Segment, ...]
    spoken: str
    zero: float = 0.0


class RowView(Struct, frozen=True):
    """A row of a table: its title, perhaps a link, its figures, and a bar where the table has one."""

    title: str
    figures: tuple[str, ...]
    href: str = ""
    bar: BarView | None = None


class DotView(Struct, frozen=True):
    """A point of the curve of costs."""

    x: float
    y: float


class CostsView(Struct, frozen=True):
    """What a choice cost on average, over time: a curve with its marks, and the sentence for it."""

    path: str
    dots: tuple[DotView, ...]
    marks: tuple[tuple[float, str], ...]
    first: str
    last: str
    spoken: str


class PairView(Struct, frozen=True):
    """A cell of the table of players against each other; empty where they never met."""

    text: str
    spoken: str


class StatisticsView(Struct, frozen=True):
    """A page of statistics; what a player's page or the house's does not have is empty."""

    title: str
    intro: str
    missing: str
    groups: tuple[RowView, ...]
    people: tuple[RowView, ...]
    opponents: tuple[RowView, ...]
    points: tuple[RowView, ...]
    costs: CostsView | None
    pairs: tuple[tuple[str, tuple[PairView, ...]], ...] = ()
    against: tuple[RowView, ...] = ()
    figures: tuple[tuple[str, str], ...] = ()


# --- Pages -----------------------------------------------------------------------------------------------


def house(words: Words, found: HouseStatistics) -> StatisticsView:
    """Return the page of all games."""
    people = [(person.name, person) for person in found.people]
    names = [person.name for person in found.people if _meets(found.pairs, person.name)]
    return StatisticsView(
        title=words.text("statistics.title"),
        intro=words.text("statistics.games" if found.games else "statistics.empty", count=found.games),
        missing=_missing(words, found.missing),
        groups=tuple(_group(words, each, wins=False) for each in found.groups),
        people=tuple(_player(words, name, each, _address(name)) for name, each in people),
        opponents=tuple(_player(words, _bot(words, each.bot), each) for each in found.opponents),
        points=_points(
            words, [*people[:MOST_BARS], *((_bot(words, each.bot), each) for each in found.opponents)]
        ),
        costs=_costs(words, found.costs),
        pairs=tuple((one, tuple(_pair(words, found.pairs, one, other) for other in names)) for one in names),
    )


def player(words: Words, found: PlayerStatistics) -> StatisticsView:
    """Return the page of a player."""
    return StatisticsView(
        title=found.name,
        intro=words.text("statistics.own", count=found.games),
        missing=_missing(words, found.missing),
        groups=tuple(_group(words, each, wins=True) for each in found.groups),
        people=(),
        opponents=(),
        points=_points(words, [(found.name, found)]),
        costs=_costs(words, found.costs),
        against=tuple(_against(words, each) for each in found.against),
        figures=tuple(_figures(words, found)),
    )


def _missing(words: Words, count: int) -> str:
    return words.text("statistics.missing", count=count) if count else ""


def _bot(words: Words, bot: str) -> str:
    """Return the name of an opponent; a bot program has its own."""
    return bot.capitalize() if f"opponent.{bot}" in words else bot


def _address(name: str) -> str:
    """Return the address of a player's page; a name that a path would lose is a parameter."""
    if "/" in name or not name.strip("."):
        return f"/statistics?name={quote(name, safe='')}"
    return f"/statistics/{quote(name, safe='')}"


# --- Tables ----------------------------------------------------------------------------------------------


def _number(words: Words, value: float, digits: int = 1) -> str:
    """Return a number with the decimal point of the language."""
    text = f"{abs(value):.{digits}f}".replace(".", words.text("statistics.decimal"))
    return f"\N{MINUS SIGN}{text}" if round(value, digits) < 0 else text


def _wins(words: Words, sums: Sums) -> str:
    share = round(100 * sums.wins / sums.games) if sums.games else 0
    return words.text("statistics.wins_share", wins=sums.wins, share=share)


def _cost(words: Words, lost: float, choices: int) -> str:
    """Return the points that a choice lost on average; a dash where none is graded."""
    return _number(words, lost / choices, 2) if choices else "\N{EN DASH}"


def _group(words: Words, group: GroupSums, *, wins: bool) -> RowView:
    mode = words.text(f"menu.mode.{group.mode}")
    count = words.text("statistics.players_count", count=group.players)
    title = mode if group.mode == "solo" else f"{mode} \N{MIDDLE DOT} {count}"
    won = (_wins(words, group),) if wins else ()
    return RowView(title, (str(group.games), *won, _number(words, group.mean), str(group.best)))


def _player(words: Words, name: str, sums: Sums, href: str = "") -> RowView:
    cost = _cost(words, sums.lost, sums.choices)
    figures = (str(sums.games), _wins(words, sums), _number(words, sums.mean), str(sums.best), cost)
    return RowView(name, figures, href)


def _figures(words: Words, found: PlayerStatistics) -> Iterable[tuple[str, str]]:
    """Yield the great figures of a player: title and value."""
    yield words.text("statistics.col_games"), str(found.games)
    yield words.text("statistics.col_wins"), _wins(words, found)
    yield words.text("statistics.col_mean"), _number(words, found.mean)
    yield words.text("statistics.col_best"), str(found.best)
    yield words.text("statistics.col_cost"), _cost(words, found.lost, found.choices)


# --- Where points come from ------------------------------------------------------------------------------


def _points(words: Words, named: Sequence[tuple[str, Sums]]) -> tuple[RowView, ...]:
    """Return a bar of the mean points for each player: what the floor costs on the left of 0."""
    if not named:
        return ()
    below = max(_below(sums.points) for _, sums in named)
    above = max(_above(sums.points) for _, sums in named)
    scale = WIDTH / max(below + above, 1)
    return tuple(
        RowView(name, (_number(words, sums.mean),), bar=_points_bar(words, name, sums, below * scale, scale))
        for name, sums in named
    )


def _values(points: PointSources) -> list[tuple[str, float]]:
    return [(kind, float(getattr(points, kind))) for kind in SOURCES]


def _below(points: PointSources) -> float:
    return -sum(value for _, value in _values(points) if value < 0)


def _above(points: PointSources) -> float:
    return sum(value for _, value in _values(points) if value > 0)


def _points_bar(words: Words, name: str, sums: Sums, zero: float, scale: float) -> BarView:
    segments, right, left = [], zero, zero
    parts = []
    for kind, value in _values(sums.points):
        width = abs(value) * scale
        if value < 0:
            left -= width
        if round(value, 1):
            x = left if value < 0 else right
            text = _number(words, value, 0) if width >= 22 else ""
            segments.append(Segment(kind, round(x, 1), round(width, 1), text))
            source = words.text(f"statistics.source_{kind}")
            parts.append(words.text("statistics.part", source=source, points=_number(words, value)))
        if value > 0:
            right += width
    spoken = words.text("statistics.points_spoken", who=name, parts=_comma_list(words, parts))
    return BarView(tuple(segments), spoken, round(zero, 1))


def _comma_list(words: Words, parts: Sequence[str]) -> str:
    text = parts[0] if parts else words.text("tiles.none")
    for part in parts[1:]:
        text = words.text("list.more", first=text, last=part)
    return text


# --- Costs over time -------------------------------------------------------------------------------------


def _costs(words: Words, costs: Sequence[Cost]) -> CostsView | None:
    """Return the curve of costs; None before there are two points."""
    means = [each.lost / each.choices for each in costs if each.choices]
    if len(means) < 2:
        return None
    most = next(top for top in (0.4, 1, 2, 4, 10, 20, 40, 100, 1000) if top >= max(means))
    per_point = (CURVE_RIGHT - CURVE_LEFT) / (len(means) - 1)
    dots = tuple(
        DotView(round(CURVE_LEFT + at * per_point, 1), _height(mean, most)) for at, mean in enumerate(means)
    )
    spoken = words.text(
        "statistics.costs_spoken",
        first=_number(words, means[0], 2),
        start=day(words, costs[0].first),
        last=_number(words, means[-1], 2),
        end=day(words, costs[-1].last),
    )
    return CostsView(
        "M" + " L".join(f"{dot.x} {dot.y}" for dot in dots),
        dots,
        tuple((_height(mark, most), _number(words, mark, 1)) for mark in (0.0, most / 2, float(most))),
        day(words, costs[0].first),
        day(words, costs[-1].last),
        spoken,
    )


def _height(value: float, most: float) -> float:
    return round(CURVE_BOTTOM - (CURVE_BOTTOM - CURVE_TOP) * value / most, 1)


# --- Head to head ----------------------------------------------------------------------------------------


def _meets(pairs: Sequence[PairSums], name: str) -> bool:
    return any(name in (pair.one, pair.other) for pair in pairs)


def _pair(words: Words, pairs: Sequence[PairSums], one: str, other: str) -> PairView:
    """Return how often `one` was ahead of `other`, and behind."""
    for pair in pairs:
        if {pair.one, pair.other} == {one, other} and one != other:
            ahead, behind = (pair.ahead, pair.behind) if pair.one == one else (pair.behind, pair.ahead)
            spoken = words.text(
                "statistics.against_spoken", who=other, games=pair.games, ahead=ahead, behind=behind
            )
            return PairView(f"{ahead} : {behind}", spoken)
    return PairView("", "")


def _against(words: Words, each: PairSums) -> RowView:
    """Return a player's games against another one, with a bar of those ahead, level and behind."""
    who = each.name or _bot(words, each.bot or "")
    level = each.games - each.ahead - each.behind
    spoken = words.text(
        "statistics.against_spoken", who=who, games=each.games, ahead=each.ahead, behind=each.behind
    )
    segments, x = [], 0.0
    for kind, count in (("ahead", each.ahead), ("level", level), ("behind", each.behind)):
        width = WIDTH * count / max(each.games, 1)
        if count:
            text = str(count) if width >= 22 else ""
            segments.append(Segment(kind, round(x, 1), round(width, 1), text))
        x += width
    href = _address(each.name) if each.name else ""
    return RowView(who, (str(each.games),), href, BarView(tuple(segments), spoken))
