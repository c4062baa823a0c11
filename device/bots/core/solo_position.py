"""Fast position of the solo game: machine integers and masks, modified in place.

Board 0 is the player board and 1 the action board, as in the rules. Compiled with the types of
`solo_position.pxd`. The layouts are those of `position`, and:

penalty     three bits a tile of the penalty row, the leftmost lowest; `penalties` is their number
acting      5 * row + column of the action tile whose line asks for a draw or a choice; -1 for none
a choice    by phase: OFFER a draft as in `position`; SCORING and TILING 5 * row + column; SWAP the position
            from 1; REMOVE the position from 1, or 0 to remove none
"""

from device.bots.core import constants
from device.bots.core.position import bonuses, tiles_in

BAG_EMPTY = constants.BAG_EMPTY
BESIDE_POINTS = constants.BESIDE_POINTS
COLOUR = constants.COLOUR
COLUMN_BITS = constants.COLUMN_BITS
COLUMN_FACTOR = constants.COLUMN_FACTOR
DEAL = constants.DEAL
DRAW = constants.DRAW
EIGHTH_TILE = constants.EIGHTH_TILE
FLOOR_COSTS = constants.FLOOR_COSTS
FLOOR_TILE = constants.FLOOR_TILE
LCG_FACTOR = constants.LCG_FACTOR
LCG_INCREMENT = constants.LCG_INCREMENT
LCG_MASK = constants.LCG_MASK
LINE_BITS = constants.LINE_BITS
NO_POINTS = constants.NO_POINTS
NTH_BIT = constants.NTH_BIT
OFFER = constants.OFFER
OVER = constants.OVER
PENALTY = constants.PENALTY
POINTS = constants.POINTS
POPCOUNT = constants.POPCOUNT
REMOVE = constants.REMOVE
ROW_COMPLETE = constants.ROW_COMPLETE
RUNS = constants.RUNS
SCORING = constants.SCORING
SPREAD_COLOURS = constants.SPREAD_COLOURS
SWAP = constants.SWAP
TILING = constants.TILING

PLAYER = 0
ACTION = 1


class SoloPosition:
    """A solo game at one moment."""

    __slots__ = tuple(
        """
        acting bag columns_of_colours random_state display ending fifth_tile floor full gray lines open lid
        penalties penalty penalty_due phase refilled round row_colours row_complete score scoring_colour
        scoring_square sources turn wall
        """.split()  # noqa: SIM905 - shorter
    )

    def __init__(self, *, gray: bool = False, seed: int = 1) -> None:
        self.gray = gray  # the player board's wall
        self.random_state = seed & LCG_MASK
        self.sources = [0] * 6
        self.lines = [0] * 2
        self.open = [0] * 2
        self.full = [0] * 2
        self.wall = [0] * 2
        self.row_colours = [0] * 2
        self.clear(5, 20)

    def clear(self, penalties: int, score: int) -> None:
        """Start a new game, with the penalty tiles and the score of its level (S1, S2)."""
        self.phase = DEAL
        self.turn = ACTION
        self.round = self.display = self.ending = 0
        self.score = score
        self.penalty_due = penalties
        self.scoring_colour = self.scoring_square = self.acting = -1
        self.fifth_tile = self.refilled = self.row_complete = 0
        self.bag = constants.FULL_BAG
        self.lid = self.floor = self.penalty = self.penalties = self.columns_of_colours = 0
        for source in range(6):
            self.sources[source] = 0
        for board in range(2):
            self.lines[board] = self.full[board] = self.wall[board] = self.row_colours[board] = 0
            self.open[board] = constants.OPEN_BOARD

    # --- Chance events (S1, S8) --------------------------------------------------------------------------

    def below(self, number: int) -> int:
        """Return a random integer from 0 to `number` - 1."""
        self.random_state = (self.random_state * LCG_FACTOR + LCG_INCREMENT) & LCG_MASK
        return ((self.random_state >> 32) * number) >> 31

    def draw_chance(self) -> None:
        """Draw the chance event that is due."""
        if self.phase == DEAL:
            self.deal()
            self.start_offer()
        elif self.phase == PENALTY:
            self.draw_penalty_row()
        else:
            self.set_draw(self.draw(self.bag))

    def deal(self) -> None:
        """Fill the displays; one of a single colour gets one tile of another if the bag holds any (S15)."""
        for display in range(1, 6):
            size = 4
            if display == 5:
                size += self.fifth_tile
            tiles = 0
            colour = 0
            for _ in range(size):
                colour = self.draw(self.bag - tiles)
                tiles += 1 << 5 * colour
            others = self.bag & ~(31 << 5 * colour)
            if tiles == size << 5 * colour and others:
                tiles += (1 << 5 * self.draw(others)) - (1 << 5 * colour)
            self.bag -= tiles
            self.sources[display] = tiles

    def draw_penalty_row(self) -> None:
        """Fill the penalty row with at most two tiles of a colour."""
        aside = 0
        while self.penalties < self.penalty_due:
            colour = self.draw(self.bag)
            self.bag -= 1 << 5 * colour
            same = 0
            for place in range(self.penalties):
                if self.penalty >> 3 * place & 7 == colour:
                    same += 1
            if same < 2:
                self.penalty |= colour << 3 * self.penalties
                self.penalties += 1
            else:
                aside += 1 << 5 * colour
        self.bag += aside
        self.phase = COLOUR

    def draw(self, bag: int) -> int:
        """Return the colour of a tile drawn from a bag, which must not be empty."""
        pick = self.below(tiles_in(bag))
        colour = 0
        while pick >= bag >> 5 * colour & 31:
            pick -= bag >> 5 * colour & 31
            colour += 1
        return colour

    def start_offer(self) -> None:
        """Start a round whose displays are filled; the first one draws the penalty row next."""
        self.phase = OFFER if self.round else PENALTY
        self.turn = ACTION
        self.fifth_tile = 0
        self.round += 1
        self.display = 1

    def set_draw(self, colour: int) -> None:
        """Set the colour of the scoring tile, or of the tile that action line 1 draws."""
        if self.phase == COLOUR:
            self.scoring_colour = colour
            self.phase = SCORING
        else:
            self.redraw(colour)

    # --- Choices -----------------------------------------------------------------------------------------

    def choices(self) -> int:
        """Return the mask of all legal choices, outside the offer."""
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
            return self.columns() << 5 * NTH_BIT[10 * self.full[PLAYER]]
        return 0

    def play(self, move: int) -> None:
        """Make a legal choice, and advance to the next choice, chance event or the end."""
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
            self.finish_action()
        elif self.phase == REMOVE:
            if move:
                self.lid += 1 << 5 * (self.penalty >> 3 * move - 3 & 7)
                self.remove_penalty(move - 1)
            self.finish_action()
        else:
            row = move // 5
            self.tile(row, move - 5 * row)
            self.advance_tiling()

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
            self.drop_to_floor(number << 5 * colour, 1 if board == ACTION else 2)
        if board == PLAYER and not self.ending:
            self.sources[display] = 0
            self.drop_to_floor(rest, 2)
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
        """Add a tile to the penalty row; an eighth loses the game (S7)."""
        if self.penalties == 7:
            self.lid += 1 << 5 * colour
            self.ending = EIGHTH_TILE
        else:
            self.penalty |= colour << 3 * self.penalties
            self.penalties += 1

    def drop_to_floor(self, tiles: int, least: int) -> None:
        """Drop tiles: of each colour with at least `least`, one goes to the penalty row (S4 to S6)."""
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
                    self.lid += number - room << 5 * colour
                    number = room
                self.floor += number * FLOOR_TILE[colour]
        if over >= 0:
            self.lid -= 1 << 5 * over
            self.to_penalty_row(over)

    # --- The action board (S8 to S10) --------------------------------------------------------------------

    def next_action_line(self) -> None:
        """Place the tile of the topmost full line and start its action; without one, charge the penalties."""
        if not self.full[ACTION]:
            self.charge_penalties()
            return
        row = NTH_BIT[10 * self.full[ACTION]]
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
                self.finish_action()
        else:
            self.phase = REMOVE
            if self.choices() == 1:
                self.finish_action()

    def redraw(self, drawn: int) -> None:
        """Line 1: return the leftmost penalty tile to the bag, append a drawn one (-1: none) at the right."""
        if self.penalties:
            self.bag += 1 << 5 * (self.penalty & 7)
            self.remove_penalty(0)
        if drawn >= 0:
            self.bag -= 1 << 5 * drawn
            self.penalty |= drawn << 3 * self.penalties
            self.penalties += 1
        self.finish_action()

    def remove_penalty(self, position: int) -> None:
        """Remove the penalty tile at a position from 0; the others slide left."""
        before = (1 << 3 * position) - 1
        self.penalty = self.penalty & before | self.penalty >> 3 & ~before
        self.penalties -= 1

    def finish_action(self) -> None:
        """Score the placed tile after the action of its line (S9), and advance."""
        square = self.scoring_square
        if square >= 0:
            distance = square - self.acting
            # An inner square: its neighbours are one square or one row away.
            if distance in (-5, -1, 1, 5):
                wall = self.wall[ACTION]
                beside = (wall >> square - 5 & 1) + (wall >> square - 1 & 1)
                self.score += BESIDE_POINTS[beside + (wall >> square + 1 & 1) + (wall >> square + 5 & 1)]
        self.acting = -1
        self.next_action_line()

    def charge_penalties(self) -> None:
        """Charge the penalty row; without points left the game is lost (S10)."""
        self.score -= FLOOR_COSTS[self.penalties]
        if self.score <= 0:
            self.score = 0
            self.ending = NO_POINTS
            self.phase = OVER
        else:
            self.advance_tiling()

    # --- The player board, and the end (S11 to S13) ------------------------------------------------------

    def set_tile(self, board: int, row: int, column: int) -> None:
        """Move the tile of a full line to its wall; its other tiles go out of play."""
        colour = self.lines[board] >> 6 * row + 3 & 7
        self.wall[board] |= 1 << 5 * row + column
        self.row_colours[board] |= 1 << 5 * row + colour
        if (self.wall[board] >> 5 * row & 31) == 31:
            self.row_complete = 1
        self.lid += row << 5 * colour
        self.clear_line(board, row)

    def clear_line(self, board: int, row: int) -> None:
        """Empty a line, and open it for the colours that its row lacks."""
        self.lines[board] &= ~(63 << 6 * row)
        self.full[board] &= ~(1 << row)
        self.open[board] |= SPREAD_COLOURS[31 & ~(self.row_colours[board] >> 5 * row)] << row + 1

    def columns(self) -> int:
        """Return the mask of the columns of the player board's gray wall that may take the next tile (G1)."""
        row = NTH_BIT[10 * self.full[PLAYER]]
        colour = self.lines[PLAYER] >> 6 * row + 3 & 7
        return 31 & ~(self.wall[PLAYER] >> 5 * row | self.columns_of_colours >> 5 * colour)

    def tile(self, row: int, column: int) -> None:
        """Move a tile to the player board's wall, and score it."""
        self.columns_of_colours |= 1 << 5 * (self.lines[PLAYER] >> 6 * row + 3 & 7) + column
        self.set_tile(PLAYER, row, column)
        wall = self.wall[PLAYER]
        down = (wall >> column & COLUMN_BITS) * COLUMN_FACTOR >> 20 & 31
        self.score += POINTS[6 * RUNS[5 * (wall >> 5 * row & 31) + column] + RUNS[5 * down + row]]

    def advance_tiling(self) -> None:
        """Tile the player board from the top until a gray wall asks for a column."""
        while self.full[PLAYER]:
            row = NTH_BIT[10 * self.full[PLAYER]]
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
                    self.lid += number - room << 5 * colour
                    number = room
                self.floor += number * FLOOR_TILE[colour]
        self.finish_round()

    def finish_round(self) -> None:
        """Clear the floor; then end the game or make the next deal due (S12)."""
        self.lid += self.floor & (1 << 25) - 1
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
                self.bag += self.lid
                self.lid = 0

    def end(self, ending: int) -> None:
        """End the game with its bonuses (S13)."""
        self.ending = ending
        self.phase = OVER
        self.score += -8 * self.penalties if self.penalties else 5
        for board in range(2):
            if not self.lines[board]:
                self.score += 5
        self.score += bonuses(self.wall[PLAYER], self.row_colours[PLAYER])

    # --- Random games ------------------------------------------------------------------------------------

    def random_choice(self) -> int:
        """Return a random legal choice, uniformly distributed."""
        if self.phase != OFFER:
            mask = self.choices()
            number = 0
            for bit in range(25):
                number += mask >> bit & 1
            number = self.below(number)
            choice = 0
            while number or not mask >> choice & 1:
                number -= mask >> choice & 1
                choice += 1
            return choice
        tiles = self.sources[self.display]
        mine = self.open[self.turn]
        number = 0
        for colour in range(5):
            if tiles >> 5 * colour & 31:
                number += POPCOUNT[mine >> 6 * colour & 63]
        number = self.below(number)
        colour = 0
        lines = 0
        for each in range(5):
            if tiles >> 5 * each & 31:
                colour = each
                lines = mine >> 6 * each & 63
                if number < POPCOUNT[lines]:
                    break
                number -= POPCOUNT[lines]
        return 32 * self.display + 6 * colour + NTH_BIT[10 * lines + number]

    # --- Copies ------------------------------------------------------------------------------------------

    def copy_from(self, other: "SoloPosition") -> None:
        """Copy another game, except for its random state."""
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
        self.lid = other.lid
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
