"""Constants and lookup tables of the core; bits, masks, rows and columns count from 0.

Tile counts of five colours are packed into one integer, five bits for each colour. No colour has more than 20
tiles, so nothing carries over.
"""

from typing import Final

from device.rules.scoring import FLOOR_COSTS as _FLOOR_COSTS
from device.rules.solo.scoring import BESIDE_POINTS as _BESIDE_POINTS
from device.rules.tiles import ALL_TILES

DEAL: Final = 0
OFFER: Final = 1
TILING: Final = 2
OVER: Final = 3
PENALTY: Final = 4
COLOUR: Final = 5
SCORING: Final = 6
DRAW: Final = 7
SWAP: Final = 8
REMOVE: Final = 9
"""Phases of a position; those from PENALTY on belong to the solo game."""

EIGHTH_TILE: Final = 1
NO_POINTS: Final = 2
ROW_COMPLETE: Final = 3
BAG_EMPTY: Final = 4
"""Endings of a solo game; 0 while it goes on."""

SOURCES: Final = 10  # number of bits of a mask of sources: the centre and up to nine displays
POPCOUNT: Final = [mask.bit_count() for mask in range(1 << SOURCES)]  # number of bits that are set in a mask
NTH_BIT: Final = [0] * (SOURCES << SOURCES)  # NTH_BIT[10 * mask + n]: the n-th bit that is set in a mask
for _mask in range(1 << SOURCES):
    for _n, _bit in enumerate([bit for bit in range(SOURCES) if _mask >> bit & 1]):
        NTH_BIT[SOURCES * _mask + _n] = _bit


def _run(mask: int, at: int) -> int:
    """Return the length of the run of set bits through bit `at`, as if that were set."""
    start = end = at
    while start > 0 and mask >> (start - 1) & 1:
        start -= 1
    while end < 4 and mask >> (end + 1) & 1:
        end += 1
    return end - start + 1


RUNS: Final = [_run(mask, at) for mask in range(32) for at in range(5)]
"""RUNS[5 * mask + at]: length of the run through a square of a row or column that holds `mask` (R11)."""

POINTS: Final = [((h if h > 1 else 0) + (v if v > 1 else 0)) or 1 for h in range(6) for v in range(6)]
"""POINTS[6 * across + down]: points of a placed tile (R11)."""

FLOOR_COSTS: Final = list(_FLOOR_COSTS)  # points lost by number of tiles on the floor (R12)
BESIDE_POINTS: Final = [0, *_BESIDE_POINTS]  # points by number of tiles beside the scoring tile (S9)

LINE_BITS: Final = [sum(1 << 6 * colour + line for colour in range(5)) for line in range(6)]
"""Bits of a line for all colours, in a mask of open lines (6 bits for each colour; bit 0 is the floor)."""

SPREAD_COLOURS: Final = [sum((mask >> colour & 1) << 6 * colour for colour in range(5)) for mask in range(32)]
"""A mask of colours with its bits six apart; shifted left by a line, a mask of open lines."""

CENTRE_BITS: Final = [1 << SOURCES * colour for colour in range(5)]
"""Bit of the centre in the mask of the sources that hold a colour (10 bits for each colour)."""

TERNARY: Final = [sum((mask >> bit & 1) * 3**bit for bit in range(5)) for mask in range(32)]
"""A mask read as a number in base 3, to combine two disjoint masks: TERNARY[a] + 2 * TERNARY[b]."""

OPEN_BOARD: Final = sum(LINE_BITS)  # mask of open lines of an empty board
COLUMN_BITS: Final = sum(1 << 5 * row for row in range(5))
"""Squares of the first column of a wall; also the lowest bit of every colour's count."""
COLUMN_FACTOR: Final = sum(1 << 20 - 4 * row for row in range(5))
"""(wall >> column & COLUMN_BITS) * COLUMN_FACTOR >> 20 & 31: a column of a wall as a mask of its rows."""
SOURCE_BITS: Final = sum(CENTRE_BITS)  # bit of the centre for all colours
FULL_BAG: Final = sum(number << 5 * colour for colour, number in enumerate(ALL_TILES))
"""Counts of a full bag (R1)."""
FLOOR_TILE: Final = [1 << 25 | 1 << 5 * colour for colour in range(5)]
"""One tile on a floor: adds one to the number of tiles (from bit 25) and to the count of its colour."""

LCG_FACTOR: Final = 6364136223846793005
LCG_INCREMENT: Final = 1442695040888963407
LCG_MASK: Final = (1 << 63) - 1
"""Linear congruential generator of the positions' random numbers; the upper half of the state is used."""

MINUS_INFINITY: Final = -10_000_000  # less than any value of a search

STAGES: Final = 24
"""Number of weight sets: six rounds (the last for all later ones) by four numbers of rounds left."""
ROW_PATTERNS: Final = 0
COLUMN_PATTERNS: Final = ROW_PATTERNS + 5 * 32 * 21
COLOUR_PATTERNS: Final = COLUMN_PATTERNS + 5 * 243
ROW_PAIR_PATTERNS: Final = COLOUR_PATTERNS + 5 * 243
FEATURES: Final = ROW_PAIR_PATTERNS + 4 * 1024
"""Offsets of the patterns' weights in a stage (see `Evaluation.extract_features`), and their number."""

ACTION_ROW_PATTERNS: Final = 0
PENALTY_PATTERNS: Final = ACTION_ROW_PATTERNS + 5 * 32 * 21
BAG_PATTERNS: Final = PENALTY_PATTERNS + 8
SCORING_TILE_PATTERNS: Final = BAG_PATTERNS + 12
SOLO_FEATURES: Final = SCORING_TILE_PATTERNS + 6
"""The same for the additional patterns of the solo game (`SoloTree.extract_features`)."""
