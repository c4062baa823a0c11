"""A bot to start from: it fills lines and spills little. Copy it and make `worth` wiser.

Try it:   azul-table match "python3 first_bot.py" greedy --games 2

It reads from standard input and writes to standard output. Write your notes to standard error (`log`), never
to standard output; they are kept for you. When you print, flush, or nobody will read it.
"""
# ruff: noqa: T201

import sys

COLOURS = "gobyr"
FLOOR = 5  # the number of the floor line; the pattern lines are 0 to 4


def log(*what: object) -> None:
    """Write a note for yourself."""
    print(*what, file=sys.stderr)


def read_board() -> tuple[list[list[str]], list[list[str]]]:
    """Read one board: the pattern lines, such as ["2", "r"], and the wall's rows."""
    lines = [input().split() for _ in range(5)]
    wall = [input().split() for _ in range(5)]
    input()  # how many tiles are on the floor, and the score: this bot does not care
    return lines, wall


def room(lines: list[list[str]], wall: list[list[str]], line: int, colour: str) -> int:
    """How many tiles of a colour a line still takes."""
    if line == FLOOR:
        return 0
    held, held_colour = lines[line]
    if colour in wall[line] or held_colour not in (".", colour):
        return 0
    return line + 1 - int(held)


def worth(tiles: int, free: int) -> int:
    """How good it is to put so many tiles where so much room is free: your ideas go here."""
    placed = min(tiles, free)
    spilled = tiles - placed
    completed = placed == free > 0
    return placed + 2 * completed - 3 * spilled


def main() -> None:
    """Play one game."""
    print("state", flush=True)  # what to be told on every turn
    while True:
        try:
            milliseconds = int(input())
        except EOFError:
            return  # the game is over
        displays = [[int(count) for count in input().split()] for _ in range(6)]  # 0 is the centre
        input()  # who took the marker
        lines, wall = read_board()  # this bot's own
        read_board()  # the opponent's
        moves = []
        for display, counts in enumerate(displays):
            for colour, tiles in zip(COLOURS, counts, strict=False):  # the centre's sixth is the marker
                for line in range(6):
                    free = room(lines, wall, line, colour)
                    if tiles and (free or line == FLOOR):
                        moves.append((worth(tiles, free), display, colour, line))
        best, display, colour, line = max(moves)
        log(f"{milliseconds} ms left, {len(moves)} moves, the best is worth {best}")
        print(display, colour, line, flush=True)


if __name__ == "__main__":
    main()
