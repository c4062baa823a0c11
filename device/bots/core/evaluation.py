"""Static evaluation of a board at the end of a round: points on the board plus points expected from it.

The expectation is a sum of learned weights, one for each pattern on the board: every row with its line, every
column and every colour with the squares that lines are filling for, every pair of neighbouring rows. The
weights depend on the round and on how soon the game can end; `learner` trains them. Values are in hundredths
of a point, weights in hundredths of that. Compiled with the types of `evaluation.pxd`.
"""

from array import array

from device.bots.core import constants
from device.bots.core.position import Position, bonuses

COLOUR_PATTERNS = constants.COLOUR_PATTERNS
COLUMN_BITS = constants.COLUMN_BITS
COLUMN_FACTOR = constants.COLUMN_FACTOR
COLUMN_PATTERNS = constants.COLUMN_PATTERNS
FEATURES = constants.FEATURES
FLOOR_COSTS = constants.FLOOR_COSTS
POINTS = constants.POINTS
POPCOUNT = constants.POPCOUNT
ROW_PAIR_PATTERNS = constants.ROW_PAIR_PATTERNS
ROW_PATTERNS = constants.ROW_PATTERNS
RUNS = constants.RUNS
TERNARY = constants.TERNARY


def stage_of(round: int, needs: int) -> int:  # noqa: A002 - the game's word
    """Return the index of the weights for the end of a round when a complete row is `needs` rounds away."""
    return 4 * ((round if round < 6 else 6) - 1) + (needs if needs < 4 else 4) - 1


class Evaluation:
    """Evaluations of the boards of one round, in a hash table; `start` empties it for another position.

    `evaluate` returns a slot. For it hold `final_values` (points if the game ends with this round),
    `rounds_to_row` (rounds until the board can have a complete row; 0 if it has one) and `expected_values`,
    four for each slot (points expected if the game lasts at least 1 to 4 more rounds).
    """

    def __init__(self, weights: "array[int]") -> None:
        self.weights = weights
        self.generation = 0
        self.wall = [0] * 4
        self.row_colours = [0] * 4
        self.columns_of_colours = [0] * 4
        self.score = [0] * 4
        self.keys = [0] * 65536
        self.final_values = [0] * 65536
        self.rounds_to_row = [0] * 65536
        self.expected_values = [0] * 262144
        self.features = [0] * 19
        self.tiled_wall = self.tiled_colours = self.tiled_columns = 0
        self.tiled_lines = self.tiled_floor = self.tiled_score = 0

    def start(self, position: Position) -> None:
        """Copy the walls and scores of a position; `evaluate` takes its lines and floors."""
        self.generation += 1
        self.gray = position.gray
        self.players = position.players
        self.round = position.round
        for player in range(4):
            self.wall[player] = position.wall[player]
            self.row_colours[player] = position.row_colours[player]
            self.columns_of_colours[player] = position.columns_of_colours[player]
            self.score[player] = position.score[player]

    def evaluate(self, player: int, lines: int, floor: int) -> int:
        """Return the slot with the evaluation of a player's board with these lines and floor tiles."""
        key = self.generation
        key = ((8 * key + player) * 8 + floor << 30) + lines
        slot = (key ^ key >> 13 ^ key >> 26) * 40503 >> 5 & 65535
        if self.keys[slot] != key:
            self.keys[slot] = key
            self.compute(slot, player, lines, floor)
        return slot

    def evaluate_board(self, position: Position, player: int) -> int:
        """Return the slot with the evaluation of a player's board as it is."""
        return self.evaluate(player, position.lines[player], position.floor[player] >> 25)

    def compute(self, slot: int, player: int, lines: int, floor: int) -> None:
        """Compute the evaluation of a board with these lines, and store it in a slot."""
        self.tile(player, lines, floor)
        self.final_values[slot] = 100 * (self.tiled_score + bonuses(self.tiled_wall, self.tiled_colours))
        rounds_to_row = self.rounds_needed()
        self.rounds_to_row[slot] = rounds_to_row
        self.extract_features()
        for rounds in range(1, 5):
            if rounds <= rounds_to_row:
                stage = stage_of(self.round, rounds)
                self.expected_values[4 * slot + rounds - 1] = (
                    100 * self.tiled_score + self.expected_points(stage) // 100
                )
            else:
                self.expected_values[4 * slot + rounds - 1] = self.final_values[slot]

    def evaluate_draft(
        self, position: Position, player: int, colour: int, number: int, line: int, floor: int
    ) -> int:
        """Return the slot for a board after a draft of `number` tiles to a line.

        Line 0 is the floor, which holds `floor` tiles before.
        """
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
        return self.evaluate(player, lines, floor if floor < 7 else 7)

    def tile(self, player: int, lines: int, floor: int) -> None:
        """Perform the wall-tiling and charge the floor, in the `tiled_` fields."""
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
        down = (wall >> column & COLUMN_BITS) * COLUMN_FACTOR >> 20 & 31
        self.tiled_score += POINTS[6 * RUNS[5 * (wall >> 5 * row & 31) + column] + RUNS[5 * down + row]]

    def best_column(self, row: int, colour: int) -> int:
        """Return the column of a gray wall where a tile scores most, ties to the fullest; -1 for none."""
        wall = self.tiled_wall
        free = 31 & ~(wall >> 5 * row | self.tiled_columns >> 5 * colour)
        best = -1
        most = 0
        for column in range(5):
            if free >> column & 1:
                down = (wall >> column & COLUMN_BITS) * COLUMN_FACTOR >> 20 & 31
                points = POINTS[6 * RUNS[5 * (wall >> 5 * row & 31) + column] + RUNS[5 * down + row]]
                points = 8 * points + POPCOUNT[down] + 1
                if points > most:
                    most = points
                    best = column
        return best

    def rounds_needed(self) -> int:
        """Return the minimum number of rounds until a row is complete."""
        most = 0
        for row in range(5):
            number = POPCOUNT[self.tiled_wall >> 5 * row & 31]
            if number > most:
                most = number
        return 5 - most

    def extract_features(self) -> None:
        """Store in `features` the weight index of each pattern of the tiled board."""
        wall = self.tiled_wall
        coming_columns = 0  # by column, the rows whose lines are filling for it
        coming_colours = 0
        for row in range(5):
            squares = wall >> 5 * row & 31
            held = self.tiled_lines >> 6 * row & 7
            state = 0
            if held:
                colour = self.tiled_lines >> 6 * row + 3 & 7
                coming_colours |= 1 << 5 * colour + row
                if self.gray:
                    state = POPCOUNT[31 & ~(squares | self.tiled_columns >> 5 * colour)]
                    if state:
                        state -= 1
                else:
                    state = colour + row
                    if state > 4:
                        state -= 5
                    coming_columns |= 1 << 5 * state + row
                state = 4 * state + held
            self.features[row] = ROW_PATTERNS + 21 * (32 * row + squares) + state
            if row:
                self.features[14 + row] = ROW_PAIR_PATTERNS + 1024 * (row - 1) + (wall >> 5 * row - 5 & 1023)
        for column in range(5):
            down = (wall >> column & COLUMN_BITS) * COLUMN_FACTOR >> 20 & 31
            coming = coming_columns >> 5 * column & 31
            self.features[5 + column] = COLUMN_PATTERNS + 243 * column + TERNARY[down] + 2 * TERNARY[coming]
            down = (self.tiled_colours >> column & COLUMN_BITS) * COLUMN_FACTOR >> 20 & 31
            coming = coming_colours >> 5 * column & 31
            self.features[10 + column] = COLOUR_PATTERNS + 243 * column + TERNARY[down] + 2 * TERNARY[coming]

    def expected_points(self, stage: int) -> int:
        """Return the points expected for the extracted features, in ten-thousandths."""
        base = FEATURES * stage
        points = 0
        for each in range(19):
            points += self.weights[base + self.features[each]]
        return points

    def adjust_weights(self, stage: int, step: int) -> None:
        """Add `step` to the weight of each extracted feature."""
        base = FEATURES * stage
        for each in range(19):
            self.weights[base + self.features[each]] += step
