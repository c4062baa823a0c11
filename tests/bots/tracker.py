"""A bot that tracks the boards by the updates, and compares them with the state block.

`python tracker.py update|both [SEED]` is a program for a match: it plays at random, and ends with status 3
if the state block differs. It shares no code with the project and is written from the text of
the rules and of the protocol alone; everything in it is as the protocol spells it.
"""

import random
import sys

COLOURS = "gobyr"
COSTS = [1, 1, 2, 2, 2, 3, 3]
Move = tuple[int, str, int]


class Side:
    """One bot's board."""

    def __init__(self) -> None:
        self.lines: list[str] = ["", "", "", "", ""]
        self.wall = [["."] * 5 for _ in range(5)]
        self.floor = 0
        self.score = 0

    def takes(self, line: int, colour: str) -> bool:
        held = self.lines[line]
        return len(held) <= line and held in ("", colour * len(held)) and colour not in self.wall[line]

    def put(self, colour: str, tiles: int, line: int) -> None:
        if line < 5:
            fitting = min(tiles, line + 1 - len(self.lines[line]))
            self.lines[line] += colour * fitting
            tiles -= fitting
        self.floor = min(7, self.floor + tiles)

    def tile(self) -> None:
        """The end of a round."""
        for row, held in enumerate(self.lines):
            if len(held) == row + 1:
                column = (COLOURS.index(held[0]) + row) % 5
                self.wall[row][column] = held[0]
                self.score += self.points(row, column)
                self.lines[row] = ""
        self.score = max(0, self.score - sum(COSTS[: self.floor]))
        self.floor = 0

    def points(self, row: int, column: int) -> int:
        across = self.run(row, column, 0, 1) + self.run(row, column, 0, -1) + 1
        down = self.run(row, column, 1, 0) + self.run(row, column, -1, 0) + 1
        return sum(run for run in (across, down) if run > 1) or 1

    def run(self, row: int, column: int, down: int, right: int) -> int:
        length = 0
        row, column = row + down, column + right
        while 0 <= row < 5 and 0 <= column < 5 and self.wall[row][column] != ".":
            length += 1
            row, column = row + down, column + right
        return length

    def block(self) -> list[str]:
        lines = [f"{len(held)} {held[0]}" if held else "0 ." for held in self.lines]
        return [*lines, *(" ".join(row) for row in self.wall), f"{self.floor} {self.score}"]


class Tracker:
    """Both boards and the table."""

    def __init__(self) -> None:
        self.displays: list[dict[str, int]] = []
        self.taker = "none"
        self.sides = {"you": Side(), "opponent": Side()}

    def restock(self, lines: list[str]) -> None:
        for side in self.sides.values():
            side.tile()
        counts = [dict(zip(COLOURS, map(int, line.split()), strict=True)) for line in lines]
        self.displays = [dict.fromkeys(COLOURS, 0), *counts]
        self.taker = "none"

    def move(self, player: str, text: str) -> None:
        display, colour, line = text.split(" ")
        source, centre = self.displays[int(display)], self.displays[0]
        if source is centre and self.taker == "none":
            self.taker = player
            self.sides[player].floor = min(7, self.sides[player].floor + 1)
        tiles, source[colour] = source[colour], 0
        assert tiles, f"{player} took what is not there"
        if source is not centre:
            for other in COLOURS:
                centre[other] += source[other]
                source[other] = 0
        self.sides[player].put(colour, tiles, int(line))

    def moves(self) -> list[str]:
        """Return the legal answers."""
        own = self.sides["you"]
        return [
            f"{display} {colour} {line}"
            for display, counts in enumerate(self.displays)
            for colour, tiles in counts.items()
            if tiles
            for line in range(6)
            if line == 5 or own.takes(line, colour)
        ]

    def take_update(self, lines: list[str]) -> list[str]:
        """Apply an update block; return the lines after it."""
        number, *lines = lines
        for _ in range(int(number)):
            kind, *lines = lines
            if kind == "restock":
                self.restock(lines[:5])
                lines = lines[5:]
            else:
                assert kind == "move", kind
                self.move("opponent", lines[0])
                lines = lines[1:]
        return lines

    def block(self) -> list[str]:
        """Return the expected state block."""
        rows = [" ".join(str(count) for count in counts.values()) for counts in self.displays]
        rows[0] += " 1" if self.taker == "none" else " 0"
        return [*rows, self.taker, *self.sides["you"].block(), *self.sides["opponent"].block()]


def read(number: int) -> list[str]:
    return [sys.stdin.readline().rstrip("\n") for _ in range(number)]


def main() -> None:
    subscription = sys.argv[1]
    chance = random.Random(sys.argv[2] if len(sys.argv) > 2 else None)
    tracker = Tracker()
    sys.stdout.write(f"{subscription}\n")
    sys.stdout.flush()
    while sys.stdin.readline():
        update = read(1)
        for _ in range(int(update[0])):
            update += read(1)
            update += read(5 if update[-1] == "restock" else 1)
        assert tracker.take_update(update) == []
        if subscription == "both" and (block := read(29)) != tracker.block():
            sys.stderr.write(f"block {block}, not {tracker.block()}")
            sys.exit(3)
        answer = chance.choice(tracker.moves())
        tracker.move("you", answer)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
