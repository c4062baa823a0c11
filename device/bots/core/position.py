"""Fast position of a game for two to four players: machine integers, modified in place, with undo.

`tests/bots/test_core.py` compares it with `device.rules` step by step. Seats, displays, rows and columns are
as in the rules, but rows and columns count from 0. Compiled with the types of `position.pxd`. The layouts:

counts    five bits a colour: each of `sources` (0 is the centre), and `pool`: bag and lid
holders   ten bits a colour: mask of the sources that hold it
lines     six bits a line: 8 * colour + tiles held; 0 while it is empty
open      six bits a colour: mask of the lines (bits 1 to 5) that accept it; bit 0, the floor, is always set
full      mask of the full lines, bit 0 for line 1
floor     counts, and from bit 25 on the number of occupied spaces, the marker included
wall      five bits a row: mask of the squares that hold a tile
row_colours, columns_of_colours    five bits a row: its colours; five bits a colour: its columns (G1)
a draft   32 * source + 6 * colour + line
"""

from device.bots.core import constants

CENTRE_BITS = constants.CENTRE_BITS
COLUMN_BITS = constants.COLUMN_BITS
COLUMN_FACTOR = constants.COLUMN_FACTOR
DEAL = constants.DEAL
FLOOR_COSTS = constants.FLOOR_COSTS
FLOOR_TILE = constants.FLOOR_TILE
LCG_FACTOR = constants.LCG_FACTOR
LCG_INCREMENT = constants.LCG_INCREMENT
LCG_MASK = constants.LCG_MASK
LINE_BITS = constants.LINE_BITS
NTH_BIT = constants.NTH_BIT
OFFER = constants.OFFER
OVER = constants.OVER
POINTS = constants.POINTS
POPCOUNT = constants.POPCOUNT
RUNS = constants.RUNS
SOURCE_BITS = constants.SOURCE_BITS
SPREAD_COLOURS = constants.SPREAD_COLOURS
TILING = constants.TILING


def tiles_in(counts: int) -> int:
    """Return the number of tiles in packed counts."""
    return (
        (counts & 31) + (counts >> 5 & 31) + (counts >> 10 & 31) + (counts >> 15 & 31) + (counts >> 20 & 31)
    )


def bonuses(wall: int, row_colours: int) -> int:
    """Return the bonuses of a wall at the end of the game (R14)."""
    points = 0
    for row in range(5):
        if wall >> 5 * row & 31 == 31:
            points += 2
    wall &= wall >> 5 & wall >> 10 & wall >> 15 & wall >> 20
    row_colours &= row_colours >> 5 & row_colours >> 10 & row_colours >> 15 & row_colours >> 20
    return points + 7 * POPCOUNT[wall] + 10 * POPCOUNT[row_colours]


class Position:
    """A game at one moment; without `lid` (the bot ruleset), discarded tiles go back to the bag."""

    __slots__ = tuple(
        """
        columns_of_colours depth discards displays floor full gray holders lines marker open phase players
        pool random_state round row_colours row_complete saved_centre saved_floor saved_full saved_holders
        saved_lines saved_markers saved_moves saved_open saved_pool saved_sources score sources starter turn
        wall
        """.split()  # noqa: SIM905 - shorter
    )

    def __init__(self, players: int, *, gray: bool = False, lid: bool = True, seed: int = 1) -> None:
        self.players = players
        self.displays = 2 * players + 1
        self.gray = gray
        self.discards = 1 if lid else 0  # index in `pool` for discarded tiles
        self.random_state = seed & LCG_MASK
        self.sources = [0] * 10
        self.pool = [0] * 2
        self.lines = [0] * 4
        self.open = [0] * 4
        self.full = [0] * 4
        self.floor = [0] * 4
        self.wall = [0] * 4
        self.row_colours = [0] * 4
        self.columns_of_colours = [0] * 4
        self.score = [0] * 4
        self.depth = 0
        self.saved_moves = [0] * 100
        self.saved_sources = [0] * 100
        self.saved_centre = [0] * 100
        self.saved_pool = [0] * 100
        self.saved_markers = [0] * 100
        self.saved_lines = [0] * 100
        self.saved_open = [0] * 100
        self.saved_full = [0] * 100
        self.saved_floor = [0] * 100
        self.saved_holders = [0] * 100
        self.clear(0)

    def clear(self, first: int) -> None:
        """Start a new game; player `first` starts."""
        self.phase = DEAL
        self.turn = self.starter = first
        self.marker = -1
        self.round = 0
        self.row_complete = 0
        self.holders = 0
        self.pool[0] = constants.FULL_BAG
        self.pool[1] = 0
        for source in range(10):
            self.sources[source] = 0
        for player in range(4):
            self.lines[player] = self.full[player] = self.floor[player] = self.score[player] = 0
            self.wall[player] = self.row_colours[player] = self.columns_of_colours[player] = 0
            self.open[player] = constants.OPEN_BOARD

    # --- Chance ------------------------------------------------------------------------------------------

    def below(self, number: int) -> int:
        """Return a random integer from 0 to `number` - 1."""
        self.random_state = (self.random_state * LCG_FACTOR + LCG_INCREMENT) & LCG_MASK
        return ((self.random_state >> 32) * number) >> 31

    def deal(self) -> None:
        """Fill the displays at random (R4)."""
        bag = self.pool[0]
        left = tiles_in(bag)
        holders = 0
        for display in range(1, self.displays + 1):
            tiles = 0
            for _ in range(4):
                if not left:
                    bag = self.pool[1]
                    self.pool[1] = 0
                    left = tiles_in(bag)
                    if not left:
                        break
                pick = self.below(left)
                left -= 1
                colour = 0
                number = bag & 31
                while pick >= number:
                    colour += 1
                    pick -= number
                    number = bag >> 5 * colour & 31
                bag -= 1 << 5 * colour
                tiles += 1 << 5 * colour
                holders |= CENTRE_BITS[colour] << display
            self.sources[display] = tiles
        self.pool[0] = bag
        self.holders = holders
        self.start_offer()

    def start_offer(self) -> None:
        """Start a round whose displays are filled."""
        self.sources[0] = 0
        self.marker = -1
        self.turn = self.starter
        self.round += 1
        self.phase = OFFER

    # --- Drafts ------------------------------------------------------------------------------------------

    def play(self, move: int) -> None:
        """Make a legal draft without undo (R5 to R8); after the last one the phase is TILING."""
        player = self.turn
        source = move >> 5
        line = move & 31
        colour = line // 6
        line -= 6 * colour
        field = 5 * colour
        tiles = self.sources[source]
        number = tiles >> field & 31
        if source:
            self.sources[source] = 0
            self.sources[0] += tiles - (number << field)
            holders = self.holders
            rest = holders >> source & SOURCE_BITS & ~CENTRE_BITS[colour]
            self.holders = holders & ~(SOURCE_BITS << source) | rest
        else:
            self.sources[0] = tiles - (number << field)
            self.holders &= ~CENTRE_BITS[colour]
            if self.marker < 0:
                self.marker = player
                if self.floor[player] >> 25 < 7:
                    self.floor[player] += 1 << 25
        if line:
            at = 6 * line - 6
            lines = self.lines[player]
            held = (lines >> at & 7) + number
            number = held - line
            open_now = self.open[player] & ~LINE_BITS[line]
            if number >= 0:
                held = line
                self.full[player] |= 1 << line - 1
            else:
                number = 0
                open_now |= 1 << 6 * colour + line
            self.open[player] = open_now
            self.lines[player] = lines & ~(63 << at) | (8 * colour + held) << at
        if number:
            self.drop_to_floor(player, colour, number)
        player += 1
        self.turn = player if player < self.players else 0
        if not self.holders:
            self.phase = TILING

    def make(self, move: int) -> None:
        """Make a legal draft that `unmake` can undo."""
        depth = self.depth
        player = self.turn
        source = move >> 5
        self.saved_moves[depth] = 4 * source + player
        self.saved_sources[depth] = self.sources[source]
        self.saved_centre[depth] = self.sources[0]
        self.saved_pool[depth] = self.pool[self.discards]
        self.saved_markers[depth] = self.marker
        self.saved_lines[depth] = self.lines[player]
        self.saved_open[depth] = self.open[player]
        self.saved_full[depth] = self.full[player]
        self.saved_floor[depth] = self.floor[player]
        self.saved_holders[depth] = self.holders
        self.depth = depth + 1
        self.play(move)

    def unmake(self) -> None:
        """Undo the last draft made with `make`."""
        depth = self.depth = self.depth - 1
        player = self.saved_moves[depth] & 3
        source = self.saved_moves[depth] >> 2
        self.sources[source] = self.saved_sources[depth]
        self.sources[0] = self.saved_centre[depth]
        self.pool[self.discards] = self.saved_pool[depth]
        self.marker = self.saved_markers[depth]
        self.lines[player] = self.saved_lines[depth]
        self.open[player] = self.saved_open[depth]
        self.full[player] = self.saved_full[depth]
        self.floor[player] = self.saved_floor[depth]
        self.holders = self.saved_holders[depth]
        self.turn = player
        self.phase = OFFER

    # --- Wall-tiling -------------------------------------------------------------------------------------

    def advance_tiling(self) -> None:
        """Tile all lines that leave no choice; when all are tiled, finish the round."""
        chosen = 0
        for player in range(self.players):
            while self.full[player]:
                row = self.next_row(player)
                colour = self.lines[player] >> 6 * row + 3 & 7
                if not self.gray:
                    column = colour + row
                    self.tile(player, row, column if column < 5 else column - 5)
                elif self.columns(player, row):
                    chosen = 1
                    break
                else:
                    self.clear_line(player, row)
                    self.drop_to_floor(player, colour, row + 1)
        if not chosen:
            self.finish_round()

    def next_row(self, player: int) -> int:
        """Return the row of the topmost full line, of which there must be one (R10)."""
        return NTH_BIT[10 * self.full[player]]

    def columns(self, player: int, row: int) -> int:
        """Return the mask of the columns of a gray wall that may take the tile of a full line (G1)."""
        colour = self.lines[player] >> 6 * row + 3 & 7
        return 31 & ~(self.wall[player] >> 5 * row | self.columns_of_colours[player] >> 5 * colour)

    def tile(self, player: int, row: int, column: int) -> None:
        """Move the tile of a full line to the wall and score it (R10, R11)."""
        colour = self.lines[player] >> 6 * row + 3 & 7
        wall = self.wall[player] | 1 << 5 * row + column
        self.wall[player] = wall
        self.row_colours[player] |= 1 << 5 * row + colour
        self.columns_of_colours[player] |= 1 << 5 * colour + column
        across = wall >> 5 * row & 31
        down = (wall >> column & COLUMN_BITS) * COLUMN_FACTOR >> 20 & 31
        self.score[player] += POINTS[6 * RUNS[5 * across + column] + RUNS[5 * down + row]]
        if across == 31:
            self.row_complete = 1
        self.pool[self.discards] += row << 5 * colour
        self.clear_line(player, row)

    def clear_line(self, player: int, row: int) -> None:
        """Empty a line, and open it for the colours that its row lacks."""
        self.lines[player] &= ~(63 << 6 * row)
        self.full[player] &= ~(1 << row)
        self.open[player] |= SPREAD_COLOURS[31 & ~(self.row_colours[player] >> 5 * row)] << row + 1

    def drop_to_floor(self, player: int, colour: int, number: int) -> None:
        """Add tiles to the floor; those that do not fit go to the lid (R8)."""
        room = 7 - (self.floor[player] >> 25)
        if number > room:
            self.pool[self.discards] += number - room << 5 * colour
            number = room
        self.floor[player] += number * FLOOR_TILE[colour]

    def finish_round(self) -> None:
        """Charge the floors (R12); then end the game (R13, R16) or make the next deal due."""
        for player in range(self.players):
            floor = self.floor[player]
            if floor:
                score = self.score[player] - FLOOR_COSTS[floor >> 25]
                self.score[player] = score if score > 0 else 0
                self.pool[self.discards] += floor & (1 << 25) - 1
                self.floor[player] = 0
        if self.marker >= 0:
            self.starter = self.marker
        self.turn = self.starter
        self.phase = DEAL
        if self.row_complete or not self.pool[0] + self.pool[1]:
            self.end()

    def end(self) -> None:
        """End the game with its bonuses (R14)."""
        self.phase = OVER
        for player in range(self.players):
            self.score[player] += bonuses(self.wall[player], self.row_colours[player])

    # --- Random games ------------------------------------------------------------------------------------

    def random_draft(self) -> int:
        """Return a random legal draft, uniformly distributed."""
        mine = self.open[self.turn]
        holders = self.holders
        blue = POPCOUNT[holders & 1023] * POPCOUNT[mine & 63]
        yellow = blue + POPCOUNT[holders >> 10 & 1023] * POPCOUNT[mine >> 6 & 63]
        red = yellow + POPCOUNT[holders >> 20 & 1023] * POPCOUNT[mine >> 12 & 63]
        black = red + POPCOUNT[holders >> 30 & 1023] * POPCOUNT[mine >> 18 & 63]
        pick = self.below(black + POPCOUNT[holders >> 40] * POPCOUNT[mine >> 24])
        if pick < yellow:
            if pick < blue:
                colour = 0
            else:
                colour = 1
                pick -= blue
        elif pick < red:
            colour = 2
            pick -= yellow
        elif pick < black:
            colour = 3
            pick -= red
        else:
            colour = 4
            pick -= black
        lines = mine >> 6 * colour & 63
        sources = holders >> 10 * colour & 1023
        nth = pick // POPCOUNT[lines]
        line = NTH_BIT[10 * lines + pick - nth * POPCOUNT[lines]]
        return 32 * NTH_BIT[10 * sources + nth] + 6 * colour + line

    def random_tile(self) -> None:
        """Place the tile of the first seat that has a choice in a random legal column (G1)."""
        player = 0
        while not self.full[player]:
            player += 1
        row = self.next_row(player)
        columns = self.columns(player, row)
        self.tile(player, row, NTH_BIT[10 * columns + self.below(POPCOUNT[columns])])

    def random_game(self) -> int:
        """Play random moves to the end of the game or of round 200; return the number of drafts."""
        drafts = 0
        while self.phase != OVER and self.round < 200:
            if self.phase == DEAL:
                self.deal()
            while self.holders:
                self.play(self.random_draft())
                drafts += 1
            while self.phase == TILING:
                self.advance_tiling()
                if self.phase == TILING:
                    self.random_tile()
        return drafts

    def copy_from(self, other: "Position") -> None:
        """Copy another game, except for its undo stack."""
        self.players = other.players
        self.displays = other.displays
        self.gray = other.gray
        self.discards = other.discards
        self.phase = other.phase
        self.turn = other.turn
        self.starter = other.starter
        self.marker = other.marker
        self.round = other.round
        self.row_complete = other.row_complete
        self.holders = other.holders
        self.random_state = other.random_state
        self.depth = 0
        self.pool[0] = other.pool[0]
        self.pool[1] = other.pool[1]
        for source in range(10):
            self.sources[source] = other.sources[source]
        for player in range(4):
            self.lines[player] = other.lines[player]
            self.open[player] = other.open[player]
            self.full[player] = other.full[player]
            self.floor[player] = other.floor[player]
            self.wall[player] = other.wall[player]
            self.row_colours[player] = other.row_colours[player]
            self.columns_of_colours[player] = other.columns_of_colours[player]
            self.score[player] = other.score[player]
