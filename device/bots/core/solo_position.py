"""The fast core of the solo game: machine integers and masks, changed in place.

What chance does is in `solo_chance`. For the layouts see `position`; of two boards 0 is the player board and
1 the action board, as in the rules. What is not in `position`:

penalty     three bits a tile of the penalty row, the leftmost lowest; `penalties` is how many there are
acting      5 * row + column of the action tile whose line asks for a draw or a choice; -1 for none
a choice    by phase: a draft as in `position`; SCORING and TILING 5 * row + column; SWAP the position from 1;
            REMOVE the position from 1, or 0 to leave it
"""

from device.bots.core import tables
from device.bots.core.position import tiles_in

DEAL = tables.DEAL
OFFER = tables.OFFER
TILING = tables.TILING
OVER = tables.OVER
PENALTY = tables.PENALTY
COLOUR = tables.COLOUR
SCORING = tables.SCORING
DRAW = tables.DRAW
SWAP = tables.SWAP
REMOVE = tables.REMOVE

PLAYER = 0
ACTION = 1

EIGHTH_TILE = tables.EIGHTH_TILE
NO_POINTS = tables.NO_POINTS
ROW_COMPLETE = tables.ROW_COMPLETE
BAG_EMPTY = tables.BAG_EMPTY

ONES = tables.ONES
NTH = tables.NTH
RUNS = tables.RUNS
POINTS = tables.POINTS
FLOOR_COSTS = tables.FLOOR_COSTS
BESIDE_POINTS = tables.BESIDE_POINTS
LINE_BITS = tables.LINE_BITS
SPREAD = tables.SPREAD
A_TILE = tables.A_TILE
GATHER = tables.GATHER
A_COLUMN = tables.A_COLUMN

FACTOR = tables.FACTOR
STEP = tables.STEP
BITS = tables.BITS


class SoloPosition:
    """A solo game at one moment."""

    __slots__ = tuple(
        """
        acting bag columns_of_colours dice display ending fifth_tile floor full gray lines open out
        penalties penalty penalty_due phase refilled round row_colours row_complete score scoring_colour
        scoring_square sources turn wall
        """.split()  # noqa: SIM905 - thirty lines less
    )

    def __init__(self, *, gray: bool = False, seed: int = 1) -> None:
        self.gray = gray  # the player board's wall
        self.dice = seed & BITS
        self.sources = [0] * 6
        self.lines = [0] * 2
        self.open = [0] * 2
        self.full = [0] * 2
        self.wall = [0] * 2
        self.row_colours = [0] * 2
        self.clear(5, 20)

    def clear(self, penalties: int, score: int) -> None:
        """Begin a game anew, with the penalty tiles and the score of its level (S1, S2)."""
        self.phase = DEAL
        self.turn = ACTION
        self.round = self.display = self.ending = 0
        self.score = score
        self.penalty_due = penalties
        self.scoring_colour = self.scoring_square = self.acting = -1
        self.fifth_tile = self.refilled = self.row_complete = 0
        self.bag = tables.FULL_BAG
        self.out = self.floor = self.penalty = self.penalties = self.columns_of_colours = 0
        for source in range(6):
            self.sources[source] = 0
        for board in range(2):
            self.lines[board] = self.full[board] = self.wall[board] = self.row_colours[board] = 0
            self.open[board] = tables.OPEN_BOARD

    # --- What chance came to (S1, S8) --------------------------------------------------------------------

    def below(self, number: int) -> int:
        """A random whole number from 0 to `number` - 1."""
        self.dice = (self.dice * FACTOR + STEP) & BITS
        return ((self.dice >> 32) * number) >> 31

    def set_deal(self, displays: list[int]) -> None:
        """Fill the displays with given counts."""
        for display, tiles in enumerate(displays, start=1):
            self.sources[display] = tiles
            self.bag -= tiles
        self.start_offer()

    def set_penalty_row(self, colours: list[int]) -> None:
        """Fill the penalty row with given tiles."""
        for colour in colours:
            self.penalty |= colour << 3 * self.penalties
            self.penalties += 1
            self.bag -= 1 << 5 * colour
        self.phase = COLOUR

    def start_offer(self) -> None:
        """Open a round whose displays are filled; the first waits for the penalty row."""
        self.phase = OFFER if self.round else PENALTY
        self.turn = ACTION
        self.fifth_tile = 0
        self.round += 1
        self.display = 1

    def set_draw(self, colour: int) -> None:
        """The scoring tile's colour, or the tile that action line 1 draws."""
        if self.phase == COLOUR:
            self.scoring_colour = colour
            self.phase = SCORING
        else:
            self.redraw(colour)

    # --- Choices -----------------------------------------------------------------------------------------

    def legal(self) -> list[int]:
        """Every choice that is allowed now."""
        if self.phase == OFFER:
            tiles = self.sources[self.display]
            mine = self.open[self.turn]
            return [
                32 * self.display + 6 * colour + line
                for colour in range(5)
                if tiles >> 5 * colour & 31
                for line in range(6)
                if mine >> 6 * colour + line & 1
            ]
        mask = self.choices()
        return [choice for choice in range(25) if mask >> choice & 1]

    def choices(self) -> int:
        """Every choice that is allowed now as a mask, outside the offer."""
        if self.phase == SCORING:
            squares = 0
            for row in range(1, 4):
                column = (self.scoring_colour + row) % 5
                if 1 <= column <= 3:
                    squares |= 1 << 5 * row + column
            return squares
        if self.phase == SWAP:
            return (1 << self.penalties) - 2
        if self.phase == REMOVE:
            reach = self.acting // 5 - 1
            if reach > self.penalties or reach == 3:
                reach = self.penalties
            colour = (self.acting % 5 + 5 - self.acting // 5) % 5
            found = 1
            for position in range(reach):
                if self.penalty >> 3 * position & 7 == colour:
                    found |= 2 << position
            return found
        if self.phase == TILING:
            return self.columns() << 5 * NTH[10 * self.full[PLAYER]]
        return 0

    def play(self, move: int) -> None:
        """Make a choice, which must be legal, and go on to the next one, to chance or to the end."""
        if self.phase == OFFER:
            self.draft(move)
        elif self.phase == SCORING:
            self.scoring_square = move
            self.phase = OFFER
        elif self.phase == SWAP:
            at = 3 * move - 3
            left = self.penalty >> at & 7
            right = self.penalty >> at + 3 & 7
            self.penalty += (right - left << at) + (left - right << at + 3)
            self.acted()
        elif self.phase == REMOVE:
            if move:
                self.out += 1 << 5 * (self.penalty >> 3 * move - 3 & 7)
                self.remove_penalty(move - 1)
            self.acted()
        else:
            row = move // 5
            self.tile(row, move - 5 * row)
            self.go_on_tiling()

    # --- Picks (S3 to S7) --------------------------------------------------------------------------------

    def draft(self, move: int) -> None:
        """Make a pick for the board whose turn it is."""
        board = self.turn
        display = move >> 5
        line = move & 31
        colour = line // 6
        line -= 6 * colour
        number = self.sources[display] >> 5 * colour & 31
        rest = self.sources[display] - (number << 5 * colour)
        self.sources[display] = rest
        if line:
            at = 6 * line - 6
            held = (self.lines[board] >> at & 7) + number
            number = held - line
            open_now = self.open[board] & ~LINE_BITS[line]
            if number >= 0:
                held = line
                self.full[board] |= 1 << line - 1
            else:
                number = 0
                open_now |= 1 << 6 * colour + line
            self.open[board] = open_now
            self.lines[board] = self.lines[board] & ~(63 << at) | (8 * colour + held) << at
        if number:
            self.fall(number << 5 * colour, 1 if board == ACTION else 2)
        if board == PLAYER and not self.ending:
            self.sources[display] = 0
            self.fall(rest, 2)
        self.turn = PLAYER if board == ACTION and rest else ACTION
        if self.ending:
            self.phase = OVER
            self.display = 0
        elif not self.sources[display]:
            self.display += 1
            if self.display == 6:
                self.display = 0
                self.next_action_line()

    def to_penalty_row(self, colour: int) -> None:
        """Put a tile into the penalty row; an eighth loses the game (S7)."""
        if self.penalties == 7:
            self.out += 1 << 5 * colour
            self.ending = EIGHTH_TILE
        else:
            self.penalty |= colour << 3 * self.penalties
            self.penalties += 1

    def fall(self, tiles: int, least: int) -> None:
        """Let tiles fall: of each colour with `least` or more, one to the penalty row (S4 to S6)."""
        for colour in range(5):
            if tiles >> 5 * colour & 31 >= least:
                tiles -= 1 << 5 * colour
                self.to_penalty_row(colour)
        over = -1
        for colour in range(5):
            number = tiles >> 5 * colour & 31
            if number:
                room = 7 - (self.floor >> 25)
                if number > room:
                    if over < 0:
                        over = colour
                    self.out += number - room << 5 * colour
                    number = room
                self.floor += number * A_TILE[colour]
        if over >= 0:
            self.out -= 1 << 5 * over
            self.to_penalty_row(over)

    # --- The action board (S8 to S10) --------------------------------------------------------------------

    def next_action_line(self) -> None:
        """Place the tile of the topmost full line and let the line act; with none, go on to the charge."""
        if not self.full[ACTION]:
            self.charge()
            return
        row = NTH[10 * self.full[ACTION]]
        colour = self.lines[ACTION] >> 6 * row + 3 & 7
        square = 5 * row + (colour + row) % 5
        self.set_tile(ACTION, row, square - 5 * row)
        self.acting = square
        if self.scoring_square == square:
            self.scoring_square = -1
        if row == 0:
            if self.bag:
                self.phase = DRAW
            else:
                self.redraw(-1)
        elif row == 1:
            if self.penalties >= 2:
                self.phase = SWAP
            else:
                self.fifth_tile = 1
                self.acted()
        else:
            self.phase = REMOVE
            if self.choices() == 1:
                self.acted()

    def redraw(self, drawn: int) -> None:
        """Line 1: the leftmost penalty tile back into the bag, a drawn one (or -1) to the right end."""
        if self.penalties:
            self.bag += 1 << 5 * (self.penalty & 7)
            self.remove_penalty(0)
        if drawn >= 0:
            self.bag -= 1 << 5 * drawn
            self.penalty |= drawn << 3 * self.penalties
            self.penalties += 1
        self.acted()

    def remove_penalty(self, position: int) -> None:
        """Take the penalty tile at a position from 0 away; the others slide left."""
        before = (1 << 3 * position) - 1
        self.penalty = self.penalty & before | self.penalty >> 3 & ~before
        self.penalties -= 1

    def acted(self) -> None:
        """Score the placed tile once its line has acted (S9), and go on."""
        square = self.scoring_square
        if square >= 0:
            apart = square - self.acting
            # An inner square: its neighbours are one square or one row away.
            if apart in (-5, -1, 1, 5):
                wall = self.wall[ACTION]
                beside = (wall >> square - 5 & 1) + (wall >> square - 1 & 1)
                self.score += BESIDE_POINTS[beside + (wall >> square + 1 & 1) + (wall >> square + 5 & 1)]
        self.acting = -1
        self.next_action_line()

    def charge(self) -> None:
        """Charge the penalty row; without points the game is lost (S10)."""
        self.score -= FLOOR_COSTS[self.penalties]
        if self.score <= 0:
            self.score = 0
            self.ending = NO_POINTS
            self.phase = OVER
        else:
            self.go_on_tiling()

    # --- The player board, and the end (S11 to S13) ------------------------------------------------------

    def set_tile(self, board: int, row: int, column: int) -> None:
        """Move a full line's tile to its wall; its other tiles go out of play."""
        colour = self.lines[board] >> 6 * row + 3 & 7
        self.wall[board] |= 1 << 5 * row + column
        self.row_colours[board] |= 1 << 5 * row + colour
        if (self.wall[board] >> 5 * row & 31) == 31:
            self.row_complete = 1
        self.out += row << 5 * colour
        self.clear_line(board, row)

    def clear_line(self, board: int, row: int) -> None:
        """Take a line's tiles off, and open it for the colours that its row lacks."""
        self.lines[board] &= ~(63 << 6 * row)
        self.full[board] &= ~(1 << row)
        self.open[board] |= SPREAD[31 & ~(self.row_colours[board] >> 5 * row)] << row + 1

    def columns(self) -> int:
        """The columns of the player board's gray wall, as a mask, that may take the next tile (G1)."""
        row = NTH[10 * self.full[PLAYER]]
        colour = self.lines[PLAYER] >> 6 * row + 3 & 7
        return 31 & ~(self.wall[PLAYER] >> 5 * row | self.columns_of_colours >> 5 * colour)

    def tile(self, row: int, column: int) -> None:
        """Move a tile to the player board's wall, and score it."""
        self.columns_of_colours |= 1 << 5 * (self.lines[PLAYER] >> 6 * row + 3 & 7) + column
        self.set_tile(PLAYER, row, column)
        wall = self.wall[PLAYER]
        down = (wall >> column & A_COLUMN) * GATHER >> 20 & 31
        self.score += POINTS[6 * RUNS[5 * (wall >> 5 * row & 31) + column] + RUNS[5 * down + row]]

    def go_on_tiling(self) -> None:
        """Tile the player board from the top until a gray wall asks for a column."""
        while self.full[PLAYER]:
            row = NTH[10 * self.full[PLAYER]]
            colour = self.lines[PLAYER] >> 6 * row + 3 & 7
            if not self.gray:
                self.tile(row, (colour + row) % 5)
            elif self.columns():
                self.phase = TILING
                return
            else:
                self.clear_line(PLAYER, row)
                number = row + 1
                room = 7 - (self.floor >> 25)
                if number > room:
                    self.out += number - room << 5 * colour
                    number = room
                self.floor += number * A_TILE[colour]
        self.finish_round()

    def finish_round(self) -> None:
        """Clear the floor; then the game ends, or the next deal is due (S12)."""
        self.out += self.floor & (1 << 25) - 1
        self.floor = 0
        if self.row_complete:
            self.end(ROW_COMPLETE)
            return
        self.phase = DEAL
        if tiles_in(self.bag) < 20 + self.fifth_tile:
            if self.refilled:
                self.end(BAG_EMPTY)
            else:
                self.refilled = 1
                self.bag += self.out
                self.out = 0

    def end(self, ending: int) -> None:
        """End the game with what counts then (S13)."""
        self.ending = ending
        self.phase = OVER
        self.score += -8 * self.penalties if self.penalties else 5
        for board in range(2):
            if not self.lines[board]:
                self.score += 5
        wall = self.wall[PLAYER]
        colours = self.row_colours[PLAYER]
        for row in range(5):
            if (wall >> 5 * row & 31) == 31:
                self.score += 2
        columns = wall & wall >> 5 & wall >> 10 & wall >> 15 & wall >> 20
        colours &= colours >> 5 & colours >> 10 & colours >> 15 & colours >> 20
        self.score += 7 * ONES[columns] + 10 * ONES[colours]

    # --- Random games, copies ----------------------------------------------------------------------------

    def copy_from(self, other: "SoloPosition") -> None:
        """Become the same game as another, its random numbers to come left out."""
        self.gray = other.gray
        self.phase = other.phase
        self.turn = other.turn
        self.round = other.round
        self.display = other.display
        self.score = other.score
        self.ending = other.ending
        self.penalty_due = other.penalty_due
        self.scoring_colour = other.scoring_colour
        self.scoring_square = other.scoring_square
        self.acting = other.acting
        self.fifth_tile = other.fifth_tile
        self.refilled = other.refilled
        self.row_complete = other.row_complete
        self.bag = other.bag
        self.out = other.out
        self.columns_of_colours = other.columns_of_colours
        self.floor = other.floor
        self.penalty = other.penalty
        self.penalties = other.penalties
        for source in range(6):
            self.sources[source] = other.sources[source]
        for board in range(2):
            self.lines[board] = other.lines[board]
            self.open[board] = other.open[board]
            self.full[board] = other.full[board]
            self.wall[board] = other.wall[board]
            self.row_colours[board] = other.row_colours[board]
