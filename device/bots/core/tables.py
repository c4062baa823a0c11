"""What the core looks up instead of working it out again; bits and masks count from 0.

Everywhere in the core, tiles of five colours are one integer with five bits for each colour's number: no
colour has more than 20 tiles, so nothing ever carries over.
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
"""The phases of a position; those from PENALTY on are the solo game's."""

EIGHTH_TILE: Final = 1
NO_POINTS: Final = 2
ROW_COMPLETE: Final = 3
BAG_EMPTY: Final = 4
"""How a solo game ends; 0 while it goes on."""

SOURCES: Final = 10
"""The centre and up to nine displays: the bits of a mask of sources."""

ONES: Final = [mask.bit_count() for mask in range(1 << SOURCES)]
"""How many bits of a mask are set."""

NTH: Final = [0] * (SOURCES << SOURCES)
"""NTH[10 * mask + n]: which bit is the n-th that is set."""
for _mask in range(1 << SOURCES):
    for _n, _bit in enumerate([bit for bit in range(SOURCES) if _mask >> bit & 1]):
        NTH[SOURCES * _mask + _n] = _bit


def _run(mask: int, at: int) -> int:
    """The length of the run of set bits through bit `at`, as if that were set."""
    start = end = at
    while start > 0 and mask >> (start - 1) & 1:
        start -= 1
    while end < 4 and mask >> (end + 1) & 1:
        end += 1
    return end - start + 1


RUNS: Final = [_run(mask, at) for mask in range(32) for at in range(5)]
"""RUNS[5 * mask + at]: how long the run through a square is, in a row or column that holds `mask` (R11)."""

POINTS: Final = [((h if h > 1 else 0) + (v if v > 1 else 0)) or 1 for h in range(6) for v in range(6)]
"""POINTS[6 * across + down]: what a placed tile scores (R11)."""

FLOOR_COSTS: Final = list(_FLOOR_COSTS)
"""R12."""

BESIDE_POINTS: Final = [0, *_BESIDE_POINTS]
"""S9, by how many tiles lie beside the scoring tile."""

LINE_BITS: Final = [sum(1 << 6 * colour + line for colour in range(5)) for line in range(6)]
"""The bits of a line, for every colour, in a mask of open lines (6 bits a colour; bit 0 is the floor)."""

SPREAD: Final = [sum((mask >> colour & 1) << 6 * colour for colour in range(5)) for mask in range(32)]
"""A mask of colours with its bits six apart: shifted by a line, the colours that this line may take."""

HOLDERS: Final = [1 << SOURCES * colour for colour in range(5)]
"""The bit of the centre among the sources that hold a colour (10 bits a colour)."""

TERNARY: Final = [sum((mask >> bit & 1) * 3**bit for bit in range(5)) for mask in range(32)]
"""A mask read as a number in base 3: of two masks without a common bit, TERNARY[a] + 2 * TERNARY[b]."""

OPEN_BOARD: Final = sum(LINE_BITS)
"""Every line is open for every colour."""
A_COLUMN: Final = sum(1 << 5 * row for row in range(5))
"""The first column of a wall; also the lowest bit of every colour's number."""
GATHER: Final = sum(1 << 20 - 4 * row for row in range(5))
"""(wall >> column & A_COLUMN) * GATHER >> 20 & 31: a column of a wall, as a mask of its rows."""
A_SOURCE: Final = sum(HOLDERS)
"""The centre's bit for every colour."""
FULL_BAG: Final = sum(number << 5 * colour for colour, number in enumerate(ALL_TILES))
"""R1."""
A_TILE: Final = [1 << 25 | 1 << 5 * colour for colour in range(5)]
"""A tile on a floor: one more in its number of tiles (from bit 25), and one more of its colour."""

FACTOR: Final = 6364136223846793005
STEP: Final = 1442695040888963407
BITS: Final = (1 << 63) - 1
"""Of the positions' random numbers, a linear congruential generator whose upper half is used."""

WORST: Final = -10_000_000
"""Less than any worth that a search comes to."""

STAGES: Final = 24
"""Six rounds, the last for all later ones, by four numbers of rounds that the game lasts at least."""
ROWS: Final = 0
COLUMNS: Final = ROWS + 5 * 32 * 21
COLOURS: Final = COLUMNS + 5 * 243
PAIRS: Final = COLOURS + 5 * 243
FEATURES: Final = PAIRS + 4 * 1024
"""Where the weights of each kind of pattern begin in a stage (see `value.Value.look`), and how many there
are.
"""

ACTION_ROWS: Final = 0
PENALTIES: Final = ACTION_ROWS + 5 * 32 * 21
BAGS: Final = PENALTIES + 8
BESIDES: Final = BAGS + 12
SOLO_FEATURES: Final = BESIDES + 6
"""The same for what the solo game has beside the player board (see `alone.Alone.look`)."""
