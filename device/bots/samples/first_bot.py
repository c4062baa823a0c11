"""A sample bot: it fills lines and drops few tiles. Copy it and improve `value`.

Try it:   azul-table match "python3 first_bot.py" greedy --games 2

It reads from standard input and writes to standard output. Write your log to standard error (`log`), never
to standard output; it is kept for you. Flush after each line, or the match waits for it in vain.
"""
# ruff: noqa: T201

import sys

COLOURS = "gobyr"
FLOOR = 5  # the number of the floor line; the pattern lines are 0 to 4


def log(*words: object) -> None:
    """Write a line to the log."""
    print(*words, file=sys.stderr)


def read_board() -> tuple[list[list[str]], list[list[str]]]:
    """Read one board: the pattern lines, such as ["2", "r"], and the wall's rows."""
    lines = [input().split() for _ in range(5)]
    wall = [input().split() for _ in range(5)]
    input()  # how many tiles are on the floor, and the score: not used here
    return lines, wall


def room(lines: list[list[str]], wall: list[list[str]], line: int, colour: str) -> int:
    """Return how many tiles of a colour still fit into a line."""
    if line == FLOOR:
        return 0
    held, held_colour = lines[line]
    if colour in wall[line] or held_colour not in (".", colour):
        return 0
    return line + 1 - int(held)


def value(tiles: int, free: int) -> int:
    """Return the value of placing so many tiles where so many fit: improve this function."""
    placed = min(tiles, free)
    dropped = tiles - placed
    completed = placed == free > 0
    return placed + 2 * completed - 3 * dropped


def main() -> None:
    """Play one game."""
    print("state", flush=True)  # the block to read on every turn
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
                        moves.append((value(tiles, free), display, colour, line))
        best, display, colour, line = max(moves)
        log(f"{milliseconds} ms left, {len(moves)} moves, the best has value {best}")
        print(display, colour, line, flush=True)


if __name__ == "__main__":
    main()
