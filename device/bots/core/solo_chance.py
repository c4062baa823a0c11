"""What chance does in the solo game's fast core: deals, draws, and games of random choices.

Compiled with the types of `solo_chance.pxd`. For the layouts see `solo_position`.
"""

from device.bots.core import tables
from device.bots.core.position import tiles_in
from device.bots.core.solo_position import SoloPosition

DEAL = tables.DEAL
OFFER = tables.OFFER
OVER = tables.OVER
PENALTY = tables.PENALTY
COLOUR = tables.COLOUR
DRAW = tables.DRAW

ONES = tables.ONES
NTH = tables.NTH


# --- Deals and draws (S1, S8, S15) -----------------------------------------------------------------------


def chance(position: SoloPosition) -> None:
    """Draw what is due at random."""
    if position.phase == DEAL:
        deal(position)
        position.start_offer()
    elif position.phase == PENALTY:
        draw_penalty_row(position)
    else:
        position.set_draw(draw(position, position.bag))


def deal(position: SoloPosition) -> None:
    """Fill the displays; one of a single colour gets another tile if the bag holds one."""
    for display in range(1, 6):
        size = 4
        if display == 5:
            size += position.fifth_tile
        tiles = 0
        colour = 0
        for _ in range(size):
            colour = draw(position, position.bag - tiles)
            tiles += 1 << 5 * colour
        others = position.bag & ~(31 << 5 * colour)
        if tiles == size << 5 * colour and others:
            tiles += (1 << 5 * draw(position, others)) - (1 << 5 * colour)
        position.bag -= tiles
        position.sources[display] = tiles


def draw_penalty_row(position: SoloPosition) -> None:
    """Fill the penalty row with no more than two tiles of a colour."""
    aside = 0
    while position.penalties < position.penalty_due:
        colour = draw(position, position.bag)
        position.bag -= 1 << 5 * colour
        same = 0
        for place in range(position.penalties):
            if position.penalty >> 3 * place & 7 == colour:
                same += 1
        if same < 2:
            position.penalty |= colour << 3 * position.penalties
            position.penalties += 1
        else:
            aside += 1 << 5 * colour
    position.bag += aside
    position.phase = COLOUR


def draw(position: SoloPosition, bag: int) -> int:
    """The colour of a tile drawn from a bag, which must hold one."""
    pick = position.below(tiles_in(bag))
    colour = 0
    while pick >= bag >> 5 * colour & 31:
        pick -= bag >> 5 * colour & 31
        colour += 1
    return colour


# --- Random games ----------------------------------------------------------------------------------------


def random_choice(position: SoloPosition) -> int:
    """A legal choice, each as likely as the others."""
    if position.phase != OFFER:
        mask = position.choices()
        number = 0
        for bit in range(25):
            number += mask >> bit & 1
        number = position.below(number)
        choice = 0
        while number or not mask >> choice & 1:
            number -= mask >> choice & 1
            choice += 1
        return choice
    tiles = position.sources[position.display]
    mine = position.open[position.turn]
    number = 0
    for colour in range(5):
        if tiles >> 5 * colour & 31:
            number += ONES[mine >> 6 * colour & 63]
    number = position.below(number)
    colour = 0
    lines = 0
    for each in range(5):
        if tiles >> 5 * each & 31:
            colour = each
            lines = mine >> 6 * each & 63
            if number < ONES[lines]:
                break
            number -= ONES[lines]
    return 32 * position.display + 6 * colour + NTH[10 * lines + number]


def random_game(position: SoloPosition) -> int:
    """Play on at random to the end; how many choices it took."""
    made = 0
    while position.phase != OVER:
        if position.phase in (DEAL, PENALTY, COLOUR, DRAW):
            chance(position)
        else:
            position.play(random_choice(position))
            made += 1
    return made
