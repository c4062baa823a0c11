"""Learns the weights of `value.py` from games that it plays against itself, one move deep.

`python -m device.bots.training` runs it; compiled, it plays thousands of games a second.
"""

from device.bots.core import tables
from device.bots.core.position import Position
from device.bots.core.several import Several
from device.bots.core.value import Value, stage_of

DEAL = tables.DEAL
OFFER = tables.OFFER
TILING = tables.TILING
OVER = tables.OVER
FEATURES = tables.FEATURES


class Teacher:
    """Self-play."""

    def __init__(self, position: Position, value: Value) -> None:
        self.position = position
        self.value = value
        self.crowd = Several(value, float)  # no clock: it looks one move deep only
        self.crowd.position = position
        self.error = 0.0
        self.samples = 0
        self.outcome = 100  # percent of what is learned from how games end; the rest from what came next
        self.seen = 0
        self.seen_stage = [0] * 400
        self.seen_index = [0] * 7600
        self.seen_score = [0] * 400
        self.seen_player = [0] * 400
        self.later = [0] * 4

    def choose(self, chance: int) -> int:
        """The draft that is best one move deep; a random one in `chance` of 1,000 cases."""
        if self.position.below(1000) < chance:
            return self.position.random_draft()
        return self.crowd.reply(64)

    def note(self) -> None:
        """Keep what the boards look like as a round ends."""
        value = self.value
        position = self.position
        needs = 4
        for player in range(position.players):
            slot = value.assess(player, position.lines[player], position.floor[player] >> 25)
            if value.needs[slot] < needs:
                needs = value.needs[slot]
        if not needs or self.seen > 390:
            return
        for player in range(position.players):
            value.tile(player, position.lines[player], position.floor[player] >> 25)
            value.look()
            self.seen_stage[self.seen] = stage_of(position.round, needs)
            self.seen_score[self.seen] = value.tiled_score
            self.seen_player[self.seen] = player
            for each in range(19):
                self.seen_index[19 * self.seen + each] = value.index[each]
            self.seen += 1

    def game(self, chance: int, rate: int) -> None:
        """Play a game and learn from it; `rate` is how much of each error is mended, in thousandths."""
        position = self.position
        position.clear(position.below(position.players))
        self.seen = 0
        while position.phase != OVER and position.round < 60:
            position.deal()
            self.value.begin(position)
            while position.holders:
                position.play(self.choose(chance))
            self.note()
            while position.phase == TILING:
                position.go_on()
                if position.phase == TILING:
                    self.tile_gray()
        self.take_in(rate)

    def tile_gray(self) -> None:
        """Place a tile as `assess` supposed that it would be placed."""
        position = self.position
        value = self.value
        for player in range(position.players):
            if position.full[player]:
                row = position.next_row(player)
                value.tiled_wall = position.wall[player]
                value.tiled_columns = position.columns_of_colours[player]
                position.tile(player, row, value.best_column(row, position.lines[player] >> 6 * row + 3 & 7))
                return

    def take_in(self, rate: int) -> None:
        """Learn from what came of the noted boards, the last first.

        What a board came to is in part how its game ended and, as luck has much to do with that, in part what
        was expected a round later.
        """
        value = self.value
        for player in range(self.position.players):
            self.later[player] = 10_000 * self.position.score[player]
        for each in range(self.seen - 1, -1, -1):
            stage = self.seen_stage[each]
            player = self.seen_player[each]
            for part in range(19):
                value.index[part] = self.seen_index[19 * each + part]
            expected = 10_000 * self.seen_score[each] + value.future(stage)
            wrong = self.later[player] - expected
            off = (10_000 * self.position.score[player] - expected) / 10_000
            self.error += off * off
            self.samples += 1
            value.learn(stage, wrong * rate // 19_000)
            self.later[player] = expected + wrong * self.outcome // 100
