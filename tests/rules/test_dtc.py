"""The DTC ruleset (D1, D2)."""

import pytest

from device.records.json_form import Forfeit
from device.records.record import write
from device.rules import game
from device.rules.errors import SetupError
from device.rules.game import Setup
from device.rules.notation import event_of
from device.rules.standard import Phase
from device.rules.tiles import NO_TILES, counts_of
from tests.rules.positions import after, board, offer, with_bag


def test_d1_two_players_only() -> None:
    for players in (1, 3, 4):
        with pytest.raises(SetupError, match=f"2 players, not {players}"):
            game.setup(Setup("dtc", ("bot",) * players))


def test_d1_discarded_tiles_go_straight_back_to_the_bag() -> None:
    state = with_bag(offer({1: "bbbb", 2: "kkkk"}, board(floor="yyyyyyy"), board(), mode="dtc"), "r")
    during = after(state, "1bf")
    assert (during.bag, during.lid) == (counts_of("bbbbr"), NO_TILES)
    closed = after(during, "2k2")
    assert (closed.bag, closed.lid) == (counts_of("bbbbyyyyyyyrkkk"), NO_TILES)
    assert closed.phase is Phase.DEAL


def test_d1_a_deal_comes_from_the_bag_alone() -> None:
    state = after(with_bag(offer({1: "bbbb"}, mode="dtc"), ""), "1b1")
    assert state.bag == counts_of("bbb")
    assert after(state, "deal bbb - - - -").bag == NO_TILES


def test_d2_records_keep_the_letters_of_the_standard_colours() -> None:
    deal = "deal bbbb yyyy rrrr kkkk wwww"
    events = map(event_of, [deal, "1b5", "2y5"])
    written = write(Setup("dtc", ("one", "two")), events, forfeit=Forfeit(0, "time")).decode()
    assert '{"deal":["bbbb","yyyy","rrrr","kkkk","wwww"]}' in written
    assert '{"draft":"2y5"}' in written
