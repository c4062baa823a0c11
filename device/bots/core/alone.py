"""The search for the solo game: a tree of the round's picks that grows where it pays.

What a leaf comes to is found by picking on with some noise to the end of the round, where what the boards are
worth was learned from games, as in `value`. Worths are hundredths of a point of the final score. Compiled
with the types of `alone.pxd`, and then it runs without the interpreter's lock.
"""

from array import array
from collections.abc import Callable

from device.bots.core import tables
from device.bots.core.solo_chance import chance
from device.bots.core.solo_position import SoloPosition
from device.bots.core.tree import Tree
from device.bots.core.value import Value

try:
    import cython
except ImportError:
    from device.bots.core import without_cython as cython

DEAL = tables.DEAL
OFFER = tables.OFFER
TILING = tables.TILING
OVER = tables.OVER
SCORING = tables.SCORING
DRAW = tables.DRAW
SWAP = tables.SWAP
REMOVE = tables.REMOVE
EIGHTH_TILE = tables.EIGHTH_TILE
NO_POINTS = tables.NO_POINTS
ONES = tables.ONES
NTH = tables.NTH
STAGES = tables.STAGES
FEATURES = tables.FEATURES
ACTION_ROWS = tables.ACTION_ROWS
PENALTIES = tables.PENALTIES
BAGS = tables.BAGS
BESIDES = tables.BESIDES
SOLO_FEATURES = tables.SOLO_FEATURES

WORST = tables.WORST
LOST = -6000
"""What a game is worth that S7 or S10 lost: less than any that comes to its end, by S13 with -55 or more."""
WON = 2000
"""What a victory is worth beside its points (S14)."""
NODES = 200_000


class Alone(Tree):
    """A search of its own, with its tree."""

    def __init__(self, weights: "array[int]", clock: Callable[[], float]) -> None:
        super().__init__(clock, NODES)
        boards = STAGES * FEATURES
        self.value = Value(weights[:boards])
        self.weights = weights[boards:]
        self.most_playouts = 1_000_000_000
        self.error = 0.0
        self.samples = self.seen = 0
        self.position = SoloPosition()
        self.here = SoloPosition()
        self.trial = SoloPosition(seed=2)
        self.pair = SoloPosition(seed=3)
        self.index = [0] * 8
        self.seen_stage = [0] * 100
        self.seen_index = [0] * 2700
        self.seen_score = [0] * 100

    def think(self, position: SoloPosition, seconds: float, only: int = -1, without: int = -1) -> int:
        """The best choice found in so many seconds; with `only` or `without`, of that alone or of the others.

        `worth` then tells what it is worth, `depth` how often it was tried.
        """
        self.begin(seconds, only, without)
        self.position.copy_from(position)
        self.here.copy_from(position)
        self.value.gray = position.gray
        self.plant()
        self.expand(0)
        self.prune()
        with cython.nogil:
            self.run()
        return self.found()

    def run(self) -> None:
        """Grow the tree until the time is up."""
        while not self.stopped and self.playouts < self.most_playouts:
            self.here.copy_from(self.position)
            node = 0
            length = 0
            while self.children[node]:
                node = self.choose(node)
                length += 1
                self.path[length] = node
                self.here.play(self.draft[node])
                if self.here.phase != OFFER:
                    break
                if self.visits[node] and not self.children[node]:
                    self.expand(node)
            while self.here.phase == OFFER and not self.stopped:
                self.here.play(self.best_pick(self.noise))
            if self.here.phase == OFFER:
                return  # time was up on the way: nothing is known
            self.settle(self.here)
            worth = self.worth_of(self.here)
            self.visits[0] += 1
            for step in range(1, length + 1):
                self.visits[self.path[step]] += 1
                self.sums[self.path[step]] += worth
            self.playouts += 1
            self.step()

    def expand(self, node: int) -> None:
        """Give a node its children."""
        number = self.generate(self.here, 0)
        self.grow(node, number, number)

    def generate(self, position: SoloPosition, noise: int) -> int:
        """Note the choices, with the worth of each if the round ended with it and, of picks, its answer."""
        number = self.legal(position)
        actions = 0
        if position.phase == OFFER and position.turn:
            actions = 1
        for each in range(number):
            if self.stopped:
                self.worths[each] = WORST
                continue
            self.step()
            self.trial.copy_from(position)
            self.trial.play(self.moves[each])
            if actions and self.trial.phase == OFFER and self.trial.turn == 0:
                worth = self.best_answer()
            else:
                self.settle(self.trial)
                worth = self.worth_of(self.trial)
            self.worths[each] = worth
            if noise:
                self.worths[each] += position.below(noise)
        return number

    def best_answer(self) -> int:
        """The worth of the best player pick after the action pick that `trial` holds."""
        tiles = self.trial.sources[self.trial.display]
        mine = self.trial.open[0]
        best = WORST
        for colour in range(5):
            if tiles >> 5 * colour & 31:
                lines = mine >> 6 * colour & 63
                for line in range(6):
                    if lines >> line & 1 and (not self.stopped or best == WORST):
                        self.step()
                        self.pair.copy_from(self.trial)
                        self.pair.play(32 * self.trial.display + 6 * colour + line)
                        self.settle(self.pair)
                        worth = self.worth_of(self.pair)
                        if worth > best:
                            best = worth
        return best

    def best_pick(self, noise: int) -> int:
        """The pick that is best if the round ended with it and its answer, give or take some noise."""
        number = self.generate(self.here, noise)
        return self.moves[self.most_promising(0, number)]

    def legal(self, position: SoloPosition) -> int:
        """Note the choices; how many they are."""
        number = 0
        if position.phase == OFFER:
            tiles = position.sources[position.display]
            mine = position.open[position.turn]
            for colour in range(5):
                if tiles >> 5 * colour & 31:
                    for line in range(6):
                        if mine >> 6 * colour + line & 1:
                            self.moves[number] = 32 * position.display + 6 * colour + line
                            number += 1
        else:
            mask = position.choices()
            for choice in range(25):
                if mask >> choice & 1:
                    self.moves[number] = choice
                    number += 1
        return number

    def settle(self, position: SoloPosition) -> None:
        """End the round as if its displays were empty, with the obvious choices and random draws."""
        if position.phase == OFFER:
            position.display = 0
            position.next_action_line()
        while position.phase in (DRAW, SWAP, REMOVE, TILING):
            if position.phase == DRAW:
                chance(position)
            else:
                position.play(self.policy(position))

    def policy(self, position: SoloPosition) -> int:
        """An obvious choice while boards are resolved: remove a tile, move to the front what is removable."""
        if position.phase == REMOVE:
            mask = position.choices()
            choice = 1
            while not mask >> choice & 1:
                choice += 1
            return choice
        if position.phase == SWAP:
            return 1
        row = NTH[10 * position.full[0]]
        self.value.tiled_wall = position.wall[0]
        self.value.tiled_columns = position.columns_of_colours
        return 5 * row + self.value.best_column(row, position.lines[0] >> 6 * row + 3 & 7)

    def worth_of(self, position: SoloPosition) -> int:
        """What a round's end is worth."""
        if position.phase == OVER:
            if position.ending == EIGHTH_TILE:
                return LOST - 1  # to go on is better, even where S10 is sure to come
            if position.ending == NO_POINTS:
                return LOST
            return 100 * position.score + (WON if position.score >= 60 else 0)
        self.look(position)
        worth = 100 * position.score + self.expected(self.stage(position)) // 100
        return worth if worth > LOST else LOST + 1

    def stage(self, position: SoloPosition) -> int:
        """Which weights count: by round, and by how soon a row can be complete."""
        most = 0
        for row in range(5):
            for board in range(2):
                number = ONES[position.wall[board] >> 5 * row & 31]
                if number > most:
                    most = number
        needs = 5 - most
        last = position.round if position.round < 6 else 6
        return 4 * (last - 1 if last else 0) + (needs if needs < 4 else 4) - 1

    def look(self, position: SoloPosition) -> None:
        """Find the patterns of both boards, of the penalty row and of the bag."""
        self.value.tiled_wall = position.wall[0]
        self.value.tiled_colours = position.row_colours[0]
        self.value.tiled_columns = position.columns_of_colours
        self.value.tiled_lines = position.lines[0]
        self.value.gray = position.gray
        self.value.look()
        for row in range(5):
            squares = position.wall[1] >> 5 * row & 31
            held = position.lines[1] >> 6 * row & 7
            if held:
                held += 4 * (((position.lines[1] >> 6 * row + 3 & 7) + row) % 5)
            self.index[row] = ACTION_ROWS + 21 * (32 * row + squares) + held
        self.index[5] = PENALTIES + position.penalties
        bag = position.bag
        tiles = (bag & 31) + (bag >> 5 & 31) + (bag >> 10 & 31) + (bag >> 15 & 31) + (bag >> 20 & 31)
        tiles //= 20
        self.index[6] = BAGS + 6 * position.refilled + (tiles if tiles < 5 else 5)
        self.index[7] = BESIDES + 5
        square = position.scoring_square
        if square >= 0:
            wall = position.wall[1]
            beside = (wall >> square - 5 & 1) + (wall >> square - 1 & 1)
            self.index[7] = BESIDES + beside + (wall >> square + 1 & 1) + (wall >> square + 5 & 1)

    def expected(self, stage: int) -> int:
        """The points that are expected to come, in ten-thousandths, for what `look` saw."""
        points = self.value.future(stage)
        for each in range(8):
            points += self.weights[SOLO_FEATURES * stage + self.index[each]]
        return points

    # --- Learning ----------------------------------------------------------------------------------------

    def note(self, position: SoloPosition) -> None:
        """Keep what the boards look like as a round begins."""
        if self.seen < 100:
            self.look(position)
            self.seen_stage[self.seen] = self.stage(position)
            self.seen_score[self.seen] = position.score
            for each in range(19):
                self.seen_index[27 * self.seen + each] = self.value.index[each]
            for each in range(8):
                self.seen_index[27 * self.seen + 19 + each] = self.index[each]
            self.seen += 1

    def take_in(self, position: SoloPosition, rate: int) -> None:
        """Learn what the noted boards came to; `rate` is how much of each error is mended, in thousandths."""
        final = self.worth_of(position)
        for each in range(self.seen):
            stage = self.seen_stage[each]
            for part in range(19):
                self.value.index[part] = self.seen_index[27 * each + part]
            for part in range(8):
                self.index[part] = self.seen_index[27 * each + 19 + part]
            wrong = 100 * (final - 100 * self.seen_score[each]) - self.expected(stage)
            self.error += wrong / 10_000 * (wrong / 10_000)
            self.samples += 1
            step = wrong * rate // 27_000
            self.value.learn(stage, step)
            for part in range(8):
                self.weights[SOLO_FEATURES * stage + self.index[part]] += step
        self.seen = 0
