"""What a board is worth when its round ends: what it has, and what is expected of it.

The expectation is a sum of weights, one for each pattern found on the board: every row with its line, every
column and every colour with the squares that lines are on the way to, every pair of neighbouring rows. The
weights differ with the round and with how soon the game can end; `teacher.py` learns them. Worths are in
hundredths of a point, weights in hundredths of that. Compiled with the types of `value.pxd`, like
`position.py`.
"""

from array import array

from device.bots.core import tables
from device.bots.core.position import Position

ONES = tables.ONES
NTH = tables.NTH
RUNS = tables.RUNS
POINTS = tables.POINTS
FLOOR_COSTS = tables.FLOOR_COSTS
TERNARY = tables.TERNARY
GATHER = tables.GATHER
A_COLUMN = tables.A_COLUMN
FEATURES = tables.FEATURES
ROWS = tables.ROWS
COLUMNS = tables.COLUMNS
COLOURS = tables.COLOURS
PAIRS = tables.PAIRS


def stage_of(round: int, needs: int) -> int:  # noqa: A002 - the field's word
    """Which weights count at the end of a round, when some player needs so many more for a complete row."""
    return 4 * ((round if round < 6 else 6) - 1) + (needs if needs < 4 else 4) - 1


class Value:
    """Worths of boards in one round; those found are kept until `begin` is called for another position."""

    __slots__ = tuple(
        """
        ahead closed columns_of_colours generation gray index keys needs players round row_colours
        score tiled_colours tiled_columns tiled_floor tiled_lines tiled_score tiled_wall wall weights
        """.split()  # noqa: SIM905 - twenty lines less
    )

    def __init__(self, weights: "array[int]") -> None:
        self.weights = weights
        self.generation = 0
        self.wall = [0] * 4
        self.row_colours = [0] * 4
        self.columns_of_colours = [0] * 4
        self.score = [0] * 4
        self.keys = [0] * 65536
        self.closed = [0] * 65536  # points if the game ends with this round
        self.needs = [0] * 65536  # rounds until the board can have a complete row; 0 if it has one
        self.ahead = [0] * 262144  # points expected if it goes on, by the rounds it lasts at least, 1 to 4
        self.index = [0] * 19
        self.tiled_wall = self.tiled_colours = self.tiled_columns = 0
        self.tiled_lines = self.tiled_floor = self.tiled_score = 0

    def begin(self, position: Position) -> None:
        """Take the walls and scores of a position; its lines and floors are told to `assess`."""
        self.generation += 1
        self.gray = position.gray
        self.players = position.players
        self.round = position.round
        for player in range(4):
            self.wall[player] = position.wall[player]
            self.row_colours[player] = position.row_colours[player]
            self.columns_of_colours[player] = position.columns_of_colours[player]
            self.score[player] = position.score[player]

    def assess(self, player: int, lines: int, floor: int) -> int:
        """Where `closed`, `needs` and `ahead` (times 4) tell about a player's board with these lines."""
        key = self.generation
        key = ((8 * key + player) * 8 + floor << 30) + lines
        slot = (key ^ key >> 13 ^ key >> 26) * 40503 >> 5 & 65535
        if self.keys[slot] != key:
            self.keys[slot] = key
            self.work_out(slot, player, lines, floor)
        return slot

    def work_out(self, slot: int, player: int, lines: int, floor: int) -> None:
        """Keep there what a board with these lines is worth."""
        self.tile(player, lines, floor)
        self.closed[slot] = 100 * (self.tiled_score + self.bonuses())
        needs = self.rounds_needed()
        self.needs[slot] = needs
        self.look()
        for rounds in range(1, 5):
            if rounds <= needs:
                stage = stage_of(self.round, rounds)
                self.ahead[4 * slot + rounds - 1] = 100 * self.tiled_score + self.future(stage) // 100
            else:
                self.ahead[4 * slot + rounds - 1] = self.closed[slot]

    def after(self, position: Position, player: int, colour: int, number: int, line: int, floor: int) -> int:
        """What `assess` finds once so many tiles went to a line, or to the floor, 0, which holds `floor`."""
        lines = position.lines[player]
        falling = number
        if line:
            shift = 6 * line - 6
            held = (lines >> shift & 7) + number
            falling = held - line
            if falling >= 0:
                held = line
            else:
                falling = 0
            lines = lines & ~(63 << shift) | (8 * colour + held) << shift
        floor += falling
        return self.assess(player, lines, floor if floor < 7 else 7)

    def tile(self, player: int, lines: int, floor: int) -> None:
        """Do the wall-tiling and charge the floor, in the `tiled_` fields."""
        self.tiled_wall = self.wall[player]
        self.tiled_colours = self.row_colours[player]
        self.tiled_columns = self.columns_of_colours[player]
        self.tiled_score = self.score[player]
        for row in range(5):
            if lines >> 6 * row & 7 == row + 1:
                colour = lines >> 6 * row + 3 & 7
                lines &= ~(63 << 6 * row)
                column = colour + row
                if column > 4:
                    column -= 5
                if self.gray:
                    column = self.best_column(row, colour)
                if column >= 0:
                    self.tile_row(row, column, colour)
                else:
                    floor += row + 1
        self.tiled_lines = lines
        self.tiled_floor = floor if floor < 7 else 7
        self.tiled_score -= FLOOR_COSTS[self.tiled_floor]
        if self.tiled_score < 0:
            self.tiled_score = 0

    def tile_row(self, row: int, column: int, colour: int) -> None:
        """Place one tile and score it."""
        wall = self.tiled_wall | 1 << 5 * row + column
        self.tiled_wall = wall
        self.tiled_colours |= 1 << 5 * row + colour
        self.tiled_columns |= 1 << 5 * colour + column
        down = (wall >> column & A_COLUMN) * GATHER >> 20 & 31
        self.tiled_score += POINTS[6 * RUNS[5 * (wall >> 5 * row & 31) + column] + RUNS[5 * down + row]]

    def best_column(self, row: int, colour: int) -> int:
        """Where on a gray wall a tile scores most, then where the column is fullest; -1 for nowhere."""
        wall = self.tiled_wall
        free = 31 & ~(wall >> 5 * row | self.tiled_columns >> 5 * colour)
        best = -1
        most = 0
        for column in range(5):
            if free >> column & 1:
                down = (wall >> column & A_COLUMN) * GATHER >> 20 & 31
                points = POINTS[6 * RUNS[5 * (wall >> 5 * row & 31) + column] + RUNS[5 * down + row]]
                points = 8 * points + ONES[down] + 1
                if points > most:
                    most = points
                    best = column
        return best

    def rounds_needed(self) -> int:
        """How many more rounds it takes at least until a row is complete."""
        most = 0
        for row in range(5):
            number = ONES[self.tiled_wall >> 5 * row & 31]
            if number > most:
                most = number
        return 5 - most

    def bonuses(self) -> int:
        """What the wall would earn at the end of the game (R14)."""
        wall = self.tiled_wall
        colours = self.tiled_colours
        points = 0
        for row in range(5):
            if wall >> 5 * row & 31 == 31:
                points += 2
        wall &= wall >> 5 & wall >> 10 & wall >> 15 & wall >> 20
        colours &= colours >> 5 & colours >> 10 & colours >> 15 & colours >> 20
        return points + 7 * ONES[wall] + 10 * ONES[colours]

    def look(self) -> None:
        """Find the patterns of the tiled board."""
        wall = self.tiled_wall
        coming_columns = 0  # by column, the rows whose lines are on their way to it
        coming_colours = 0
        for row in range(5):
            squares = wall >> 5 * row & 31
            held = self.tiled_lines >> 6 * row & 7
            state = 0
            if held:
                colour = self.tiled_lines >> 6 * row + 3 & 7
                coming_colours |= 1 << 5 * colour + row
                if self.gray:
                    state = ONES[31 & ~(squares | self.tiled_columns >> 5 * colour)]
                    if state:
                        state -= 1
                else:
                    state = colour + row
                    if state > 4:
                        state -= 5
                    coming_columns |= 1 << 5 * state + row
                state = 4 * state + held
            self.index[row] = ROWS + 21 * (32 * row + squares) + state
            if row:
                self.index[14 + row] = PAIRS + 1024 * (row - 1) + (wall >> 5 * row - 5 & 1023)
        for column in range(5):
            down = (wall >> column & A_COLUMN) * GATHER >> 20 & 31
            coming = coming_columns >> 5 * column & 31
            self.index[5 + column] = COLUMNS + 243 * column + TERNARY[down] + 2 * TERNARY[coming]
            down = (self.tiled_colours >> column & A_COLUMN) * GATHER >> 20 & 31
            coming = coming_colours >> 5 * column & 31
            self.index[10 + column] = COLOURS + 243 * column + TERNARY[down] + 2 * TERNARY[coming]

    def future(self, stage: int) -> int:
        """The points expected from the board that `look` saw, in ten-thousandths."""
        base = FEATURES * stage
        points = 0
        for each in range(19):
            points += self.weights[base + self.index[each]]
        return points

    def learn(self, stage: int, step: int) -> None:
        """Move the weights of the board that `look` saw."""
        base = FEATURES * stage
        for each in range(19):
            self.weights[base + self.index[each]] += step
