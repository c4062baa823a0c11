"""A second, independent implementation of the rules for two to four players, to check the first against.

It shares no code with `device.rules`, was written from the text of the rules alone, and changes lists and
dictionaries in place. `referee` reads the JSON objects of a record and asserts every one of them.
"""

from collections.abc import Iterator
from typing import Any

WALL_ORDER = "byrkw"
FLOOR_COSTS = [1, 1, 2, 2, 2, 3, 3]


class Seat:
    """The board of one player."""

    def __init__(self) -> None:
        self.lines: dict[int, list[str]] = {1: [], 2: [], 3: [], 4: [], 5: []}
        self.wall: dict[tuple[int, int], str] = {}
        self.floor: list[str] = []
        self.score = 0

    def run(self, row: int, column: int, down: int, right: int) -> int:
        """Return the number of tiles in one direction, beginning beside a square."""
        length = 0
        while (row + down * (length + 1), column + right * (length + 1)) in self.wall:
            length += 1
        return length

    def place(self, row: int, column: int, colour: str) -> None:
        assert (row, column) not in self.wall, "the square is taken"
        self.wall[row, column] = colour
        across = 1 + self.run(row, column, 0, 1) + self.run(row, column, 0, -1)
        down = 1 + self.run(row, column, 1, 0) + self.run(row, column, -1, 0)
        if across == down == 1:
            self.score += 1
        if across > 1:
            self.score += across
        if down > 1:
            self.score += down

    def columns_for(self, row: int, colour: str) -> list[int]:
        """Return the legal columns of a gray wall."""
        if any(self.wall.get((row, column)) == colour for column in range(1, 6)):
            return []
        return [
            column
            for column in range(1, 6)
            if (row, column) not in self.wall
            and not any(self.wall.get((other, column)) == colour for other in range(1, 6))
        ]

    def complete_rows(self) -> int:
        return sum(all((row, column) in self.wall for column in range(1, 6)) for row in range(1, 6))

    def add_bonuses(self) -> None:
        columns = sum(all((row, column) in self.wall for row in range(1, 6)) for column in range(1, 6))
        placed = list(self.wall.values())
        colours = sum(placed.count(colour) == 5 for colour in WALL_ORDER)
        self.score += 2 * self.complete_rows() + 7 * columns + 10 * colours


class Table:
    """A game: bag, lid, displays, centre and seats."""

    def __init__(self, header: dict[str, Any]) -> None:
        assert header["record"] == "azul"
        assert header["version"] == 1
        self.mode = header["mode"]
        self.seats = [Seat() for _ in header["players"]]
        assert (2 <= len(self.seats) <= 4) if self.mode != "dtc" else len(self.seats) == 2
        self.turn = self.starter = header["first"]
        self.bag = list(WALL_ORDER * 20)
        # DTC has one bag and no lid: both names stand for the same list.
        self.lid: list[str] = self.bag if self.mode == "dtc" else []
        self.displays: list[list[str]] = []
        self.centre: list[str] = []
        self.marker_in_centre = True

    def deal(self, given: list[str]) -> None:
        assert len(given) == 2 * len(self.seats) + 1, "the number of displays"
        self.displays = []
        for letters in given:
            tiles = list(letters)
            assert tiles == sorted(tiles, key=WALL_ORDER.index), "letters in wall order"
            there = len(self.bag) if self.lid is self.bag else len(self.bag) + len(self.lid)
            assert len(tiles) == min(4, there), "a display is full while there are tiles"
            self.displays.append(list(tiles))
            if len(tiles) > len(self.bag):
                for tile in self.bag:
                    tiles.remove(tile)
                self.bag[:] = self.lid
                del self.lid[:]
            for tile in tiles:
                self.bag.remove(tile)
        self.marker_in_centre = True

    def draft(self, token: str) -> None:
        source, colour, target = list(token)
        seat = self.seats[self.turn]
        if source == "0":
            taken = [tile for tile in self.centre if tile == colour]
            self.centre = [tile for tile in self.centre if tile != colour]
            if self.marker_in_centre:
                self.marker_in_centre = False
                self.starter = self.turn
                if len(seat.floor) < 7:
                    seat.floor.append("marker")
        else:
            display = self.displays[int(source) - 1]
            taken = [tile for tile in display if tile == colour]
            self.centre += [tile for tile in display if tile != colour]
            display.clear()
        assert taken, "there is no such tile"
        if target != "f":
            row = int(target)
            line = seat.lines[row]
            assert len(line) < row, "the line is full"
            assert not line or line[0] == colour, "the line holds another colour"
            assert colour not in [seat.wall.get((row, column)) for column in range(1, 6)], "the row has it"
            while taken and len(line) < row:
                line.append(taken.pop())
        self.to_floor(seat, taken)
        self.turn = (self.turn + 1) % len(self.seats)

    def to_floor(self, seat: Seat, tiles: list[str]) -> None:
        for tile in tiles:
            if len(seat.floor) < 7:
                seat.floor.append(tile)
            else:
                self.lid.append(tile)

    def tile_walls(self, choices: Iterator[dict[str, Any]]) -> None:
        for seat in self.seats:
            for row in range(1, 6):
                line = seat.lines[row]
                if len(line) < row:
                    continue
                seat.lines[row] = []
                self.tile(seat, row, line, choices)
            for cost, _ in zip(FLOOR_COSTS, seat.floor, strict=False):
                seat.score -= cost
            seat.score = max(0, seat.score)
            self.lid += [tile for tile in seat.floor if tile != "marker"]
            seat.floor = []

    def tile(self, seat: Seat, row: int, line: list[str], choices: Iterator[dict[str, Any]]) -> None:
        colour = line[0]
        if self.mode == "gray":
            allowed = seat.columns_for(row, colour)
            if not allowed:
                self.to_floor(seat, line)
                return
            chosen_row, column = next(choices)["tile"]
            assert chosen_row == row
            assert column in allowed
        else:
            column = WALL_ORDER.index(colour) + row
            column = column if column <= 5 else column - 5
        seat.place(row, column, colour)
        self.lid += line[1:]

    def play_round(self, events: Iterator[dict[str, Any]]) -> None:
        while any(self.displays) or self.centre:
            self.draft(next(events)["draft"])
        self.tile_walls(events)

    def tiles(self) -> list[str]:
        """Return all tiles, sorted."""
        found = [*self.bag, *self.centre, *(tile for display in self.displays for tile in display)]
        if self.lid is not self.bag:
            found += self.lid
        for seat in self.seats:
            found += [tile for tile in seat.floor if tile != "marker"]
            found += [tile for line in seat.lines.values() for tile in line]
            found += seat.wall.values()
        return sorted(found)

    def winners(self) -> list[int]:
        standing = [(seat.score, seat.complete_rows()) for seat in self.seats]
        return [number for number, each in enumerate(standing) if each == max(standing)]


def referee(lines: list[dict[str, Any]]) -> None:
    """Assert a game from its header to its result; it may have been stopped after a round."""
    table = Table(lines[0])
    events = iter(lines[1:])
    event = next(events)
    while "result" not in event:
        table.deal(event["deal"])
        table.turn = table.starter
        table.play_round(events)
        assert next(events)["scores"] == [seat.score for seat in table.seats]
        assert table.tiles() == sorted(WALL_ORDER * 20)
        event = next(events)
        ended = any(seat.complete_rows() for seat in table.seats) or not (table.bag or table.lid)
        assert "result" in event or not ended
    for seat in table.seats:
        seat.add_bonuses()
    assert event["result"] == {"scores": [seat.score for seat in table.seats], "winners": table.winners()}
    assert next(events, None) is None
