"""Hand-made snapshots of moments of a game, and the layout of a table for tests."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, pi, sin
from typing import Any

from web_ui.messages import SCHEMA

Message = dict[str, Any]

PALETTE = {
    "b": {"name": "blue", "rgb": "#1e5bff"},
    "y": {"name": "yellow", "rgb": "#ffb400"},
    "r": {"name": "red", "rgb": "#ff2a1e"},
    "k": {"name": "black", "rgb": "#a03cff"},
    "w": {"name": "white", "rgb": "#dff3ff"},
}
PATTERN = ["byrkw", "wbyrk", "kwbyr", "rkwby", "yrkwb"]
EMPTY_WALL = ["....."] * 5
LINES = [f"line.{line}" for line in range(1, 6)]


class _Drawing:
    """Collects the parts of a layout."""

    def __init__(self) -> None:
        self.lights: list[Message] = []
        self.buttons: list[Message] = []
        self.outlines: list[Message] = []

    def light(self, name: str, x: float, y: float, size: float = 18) -> None:
        self.lights.append({"name": name, "x": round(x, 1), "y": round(y, 1), "size": size})

    def button(self, name: str, x: float, y: float, size: float = 26) -> None:
        self.buttons.append({"name": name, "x": round(x, 1), "y": round(y, 1), "size": size, "turn": 0})

    def outline(self, name: str, shape: str, x: float, y: float, width: float, height: float) -> None:
        place = {"x": round(x, 1), "y": round(y, 1), "width": width, "height": height, "turn": 0}
        self.outlines.append({"name": name, "shape": shape, **place})

    def displays(self, count: int, middle: float) -> None:
        for display in range(1, count + 1):
            angle = 2 * pi * display / count
            x, y = middle + 240 * sin(angle), 300 - 240 * cos(angle)
            self.outline(f"display.{display}", "circle", x, y, 94, 94)
            for place in range(1, 6 if display == 5 else 5):
                self.light(f"display.{display}.{place}", x - 11 + 22 * (place % 2), y - 30 + 11 * place)
            self.button(f"display.{display}", x, y + 34)

    def centre(self, count: int, middle: float) -> None:
        self.outline("centre", "circle", middle, 300, 260, 260)
        for place in range(1, count + 1):
            angle = 2 * pi * place / count
            self.light(f"centre.{place}", middle + 100 * sin(angle), 300 - 100 * cos(angle), 14)
        self.button("centre", middle, 300, 40)

    def seat(self, name: str, left: float, top: float) -> None:
        self.outline(name, "rectangle", left + 150, top + 130, 300, 260)
        self.light(f"{name}.turn", left + 20, top + 18, 20)
        for digit in range(10):
            self.light(f"{name}.tens.{digit}", left + 110 + 18 * digit, top + 12, 12)
            self.light(f"{name}.units.{digit}", left + 110 + 18 * digit, top + 28, 12)
        for line in range(1, 6):
            y = top + 40 + 28 * line
            for place in range(1, line + 1):
                self.light(f"{name}.line.{line}.{place}", left + 150 - 24 * (line - place), y)
            self.button(f"{name}.line.{line}", left + 150 - 24 * line, y, 22)
            for column in range(1, 6):
                self.light(f"{name}.wall.{line}.{column}", left + 155 + 24 * column, y)
        for place in range(1, 8):
            self.light(f"{name}.floor.{place}", left + 20 + 26 * place, top + 215)
        self.button(f"{name}.floor", left + 30, top + 242, 22)


def layout(seats: int = 4, displays: int = 9, centre: int = 28) -> Message:
    """Return a layout: seats in a row at the bottom, displays in a ring above them."""
    drawing = _Drawing()
    width = 320 * seats
    drawing.displays(displays, width / 2)
    drawing.centre(centre, width / 2)
    for seat in range(1, seats + 1):
        drawing.seat(f"seat.{seat}", 320 * (seat - 1) + 10, 610)
    drawing.light("status", 30, 30)
    drawing.button("ok", width - 60, 40, 44)
    drawing.button("undo", width - 60, 100, 34)
    return {
        "name": "scene",
        "title": "A table for tests",
        "seats": seats,
        "displays": displays,
        "centre": centre,
        "width": width,
        "height": 900,
        "lights": drawing.lights,
        "buttons": drawing.buttons,
        "outlines": drawing.outlines,
    }


def dark(drawing: Message) -> str:
    """Return the frame of a table whose lights are all off."""
    return "000000" * len(drawing["lights"])


def seat(number: int, **given: object) -> Message:
    """Return a free seat, with some fields given."""
    free = {
        "seat": number,
        "taken": False,
        "name": None,
        "acting": False,
        "score": 0,
        "marker": False,
        "lines": [""] * 5,
        "wall": EMPTY_WALL,
        "floor": "",
        "cost": 0,
        "pattern": PATTERN,
    }
    return {**free, **given}


def snapshot(version: int = 1, **given: object) -> Message:
    """Return the snapshot of a table that waits for players, with some fields given."""
    waiting = {
        "schema": SCHEMA,
        "version": version,
        "stage": "seating",
        "ask": {"say": "take_seat"},
        "mode": None,
        "round": 0,
        "first": None,
        "seats": [seat(number) for number in range(1, 5)],
        "displays": [],
        "centre": "",
        "marker_in_centre": False,
        "choice": None,
        "live": [f"seat.{number}.{part}" for number in range(1, 5) for part in (*LINES, "floor")],
        "moves": [],
        "account": None,
        "result": None,
        "refusal": None,
        "palette": PALETTE,
    }
    return {**waiting, **given}


def lobby(*modes: str, **given: object) -> Message:
    """Return what can be chosen before a game that the seats taken can play in these modes."""
    options = {"mode": "standard", "level": "easy", "wall": "coloured", "hints": True}
    return {
        "modes": list(modes),
        "all_modes": ["standard", "gray", "dtc", "solo"],
        "levels": ["easy", "normal", "expert"],
        "walls": ["coloured", "gray"],
        "options": options,
        "opponents": ["calm", "greedy", "strong", "master"],
        "ready": bool(modes),
        "why": None if modes else "too_few_seats",
        **given,
    }


def seating(version: int = 1) -> Message:
    """Ana and Rui sit, two more may."""
    seats = [seat(1, taken=True, name="Ana"), seat(2, taken=True, name="Rui"), seat(3, taken=True), seat(4)]
    live = [f"seat.4.{part}" for part in (*LINES, "floor")]
    given = {"live": [*live, "ok", "undo"], "lobby": lobby("standard", "gray")}
    return snapshot(version, ask={"say": "seats_ready"}, seats=seats, **given)


def choosing(version: int = 2) -> Message:
    """Three sit; the table asks who starts."""
    names = ("Ana", "Rui", None, None)
    seats = [seat(number, taken=number < 4, name=name) for number, name in enumerate(names, 1)]
    live = [f"seat.{number}.{part}" for number in range(1, 4) for part in (*LINES, "floor")]
    live += ["display.1", "display.2", "centre", "undo"]
    menu = [
        {"button": f"display.{at}", "group": "mode", "value": mode, "chosen": at == 1}
        for at, mode in enumerate(("standard", "gray"), 1)
    ]
    given = {"menu": menu, "mode": "standard", "live": live, "lobby": lobby("standard", "gray")}
    return snapshot(version, stage="choosing", ask={"say": "who_first"}, seats=seats, **given)


def players(count: int = 4) -> list[Message]:
    """Boards in the middle of a game; Ana is to play."""
    ana = seat(
        1,
        taken=True,
        name="Ana",
        acting=True,
        score=12,
        lines=["b", "yy", "", "kkk", "w"],
        wall=["by...", ".b...", "k....", ".....", "y...."],
        floor="mby",
        cost=4,
        marker=True,
    )
    rui = seat(
        2,
        taken=True,
        name="Rui",
        score=9,
        lines=["", "r", "bbb", "", "yy"],
        wall=["..r..", "....k", ".....", "r....", "....."],
    )
    third = seat(
        3,
        taken=True,
        score=101,
        lines=["k", "", "ww", "rrrr", "bbbbb"],
        wall=["byr..", "wb...", ".....", "..w..", "....."],
        floor="rrkwbyy",
        cost=14,
    )
    long_name = seat(4, taken=True, name="Maximiliane-Sofia", score=0, lines=["", "", "", "", "kkkk"])
    return [ana, rui, third, long_name][:count]


def moves() -> list[Message]:
    """The last moves of a round."""
    return [
        _move(1, "Ana", "3b2", count=2, fell=1),
        _move(2, "Rui", "0k4", count=1, marker=True),
        _move(3, None, "9wf", count=3, fell=3),
    ]


def _move(seat: int, name: str | None, token: str, **given: object) -> Message:
    line = 0 if token[2] == "f" else int(token[2])
    where = {"seat": seat, "name": name, "source": int(token[0]), "colour": token[1], "line": line}
    return {**where, "fell": 0, "marker": False, "token": token, **given}


def offer(version: int = 10, **given: object) -> Message:
    """Ana is to take tiles, in the second round of four players."""
    displays = ["bbyr", "", "kkww", "byrk", "yyyy", "", "rrrw", "bkkw", "wwyb"]
    live = [f"display.{number}" for number, tiles in enumerate(displays, 1) if tiles]
    game = {
        "stage": "offer",
        "ask": {"say": "draft", "seat": 1, "name": "Ana"},
        "mode": "standard",
        "round": 2,
        "first": 1,
        "seats": players(),
        "displays": displays,
        "centre": "bkkyywr",
        "live": [*live, "centre", "undo"],
        "moves": moves(),
    }
    return snapshot(version, **{**game, **given})


def chosen(version: int = 11, **given: object) -> Message:
    """Ana has two black tiles of display 3 in hand."""
    live = ["display.3", "display.1", "centre", "seat.1.line.3", "seat.1.line.4", "seat.1.floor", "undo"]
    choice = {"source": 3, "colour": "k", "count": 2, "lines": [3, 4, 0]}
    ask = {"say": "place", "seat": 1, "name": "Ana", "source": 3, "colour": "k", "count": 2}
    return offer(version, **{"ask": ask, "choice": choice, "live": live, **given})


def refused(version: int = 12, **given: object) -> Message:
    """Ana pressed a line that is full."""
    return chosen(version, refusal={"say": "line_full", "button": "seat.1.line.2", "number": 3}, **given)


def steps() -> list[Message]:
    """How the scores of a round came about."""
    ana: Message = {"seat": 1, "name": "Ana"}
    rui: Message = {"seat": 2, "name": "Rui"}
    return [
        {"step": "placed", **ana, **_place(1, 1, "b"), "across": 1, "down": 1, "points": 1, "score": 13},
        {"step": "placed", **ana, **_place(3, 3, "b"), "across": 3, "down": 2, "points": 5, "score": 18},
        {"step": "floor", **ana, "tiles": 3, "cost": 4, "points": -4, "score": 14},
        {"step": "placed", **rui, **_place(4, 1, "r"), "across": 1, "down": 2, "points": 2, "score": 11},
        {"step": "floor", **rui, "tiles": 7, "cost": 14, "points": -11, "score": 0},
    ]


def _place(row: int, column: int, colour: str) -> Message:
    return {"row": row, "column": column, "colour": colour}


def scoring(version: int = 20) -> Message:
    """The table counts; the steps of two players are shown so far."""
    account = {"round": 2, "running": True, "steps": steps()[:4]}
    ask = {"say": "scoring", "seat": 2, "name": "Rui", "step": 4, "steps": 9}
    given = {"displays": [""] * 9, "centre": "", "account": account, "live": ["ok", "undo"]}
    return offer(version, stage="scoring", ask=ask, **given)


def over(version: int = 90, **given: object) -> Message:
    """Ana has won by more complete rows."""
    bonus = {"step": "bonus", "seat": 1, "name": "Ana"}
    account = {
        "round": 5,
        "running": False,
        "steps": [
            *steps(),
            {**bonus, "kind": "row", "which": 1, "points": 2, "score": 40},
            {**bonus, "kind": "column", "which": 2, "points": 7, "score": 47},
            {**bonus, "kind": "colour", "which": "b", "points": 10, "score": 57},
        ],
    }
    scores = [
        {"seat": 1, "name": "Ana", "score": 57, "rows": 2, "winner": True},
        {"seat": 2, "name": "Rui", "score": 57, "rows": 1, "winner": False},
        {"seat": 3, "name": None, "score": 31, "rows": 0, "winner": False},
        {"seat": 4, "name": "Maximiliane-Sofia", "score": 12, "rows": 0, "winner": False},
    ]
    end = {
        "stage": "over",
        "ask": {"say": "game_over"},
        "round": 5,
        "displays": [""] * 9,
        "centre": "",
        "account": account,
        "result": {"scores": scores, "tie": "rows"},
        "live": ["ok"],
    }
    return offer(version, **{**end, **given})


def lit(drawing: Message, scene: Message) -> str:
    """Return a frame that shows the tiles of a snapshot, roughly as the table would."""
    lit = {"status": "20ff60"}
    for light, letter in _tiles(scene):
        if letter != ".":
            lit[light] = "ffffff" if letter == "m" else PALETTE[letter]["rgb"].lstrip("#")
    return "".join(lit.get(light["name"], "000000") for light in drawing["lights"])


def _tiles(scene: Message) -> Iterator[tuple[str, str]]:
    for number, tiles in enumerate(scene["displays"], 1):
        yield from ((f"display.{number}.{place}", letter) for place, letter in enumerate(tiles, 1))
    yield from ((f"centre.{place}", letter) for place, letter in enumerate(scene["centre"], 1))
    for board in scene["seats"]:
        yield from ((f"seat.{board['seat']}.{light}", letter) for light, letter in _board(board))


def _board(board: Message) -> Iterator[tuple[str, str]]:
    for line, tiles in enumerate(board["lines"], 1):
        yield from ((f"line.{line}.{line - place}", letter) for place, letter in enumerate(tiles))
    for row, tiles in enumerate(board["wall"], 1):
        yield from ((f"wall.{row}.{column}", letter) for column, letter in enumerate(tiles, 1))
    yield from ((f"floor.{place}", letter) for place, letter in enumerate(board["floor"], 1))
    if board["taken"]:
        tens, units = divmod(board["score"], 10)
        yield from ((f"tens.{tens % 10}", "m"), (f"units.{units}", "m"))
    if board["acting"]:
        yield "turn", "w"
