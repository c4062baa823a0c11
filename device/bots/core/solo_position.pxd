cimport cython
from device.bots.core.position cimport bonuses, tiles_in


@cython.final
cdef class SoloPosition:
    cdef public int gray, phase, turn, round, display, score, ending
    cdef public int penalty_due, scoring_colour, scoring_square, acting, fifth_tile, refilled, row_complete
    cdef public int sources[6]
    cdef public int bag, lid
    cdef public int lines[2]
    cdef public int open[2]
    cdef public int full[2]
    cdef public int wall[2]
    cdef public int row_colours[2]
    cdef public int columns_of_colours
    cdef public int floor
    cdef public int penalty, penalties
    cdef public unsigned long long random_state

    cpdef int below(self, int number) noexcept nogil
    cpdef void draw_chance(self) noexcept nogil
    cdef void deal(self) noexcept nogil
    cdef void draw_penalty_row(self) noexcept nogil
    cdef int draw(self, int bag) noexcept nogil
    cpdef void start_offer(self) noexcept nogil
    cpdef void set_draw(self, int colour) noexcept nogil
    cpdef void play(self, int move) noexcept nogil
    cdef void draft(self, int move) noexcept nogil
    cdef void to_penalty_row(self, int colour) noexcept nogil
    cdef void drop_to_floor(self, int tiles, int least) noexcept nogil
    cpdef void next_action_line(self) noexcept nogil
    cdef void redraw(self, int drawn) noexcept nogil
    cdef void remove_penalty(self, int position) noexcept nogil
    cdef void finish_action(self) noexcept nogil
    cdef void charge_penalties(self) noexcept nogil
    cdef void set_tile(self, int board, int row, int column) noexcept nogil
    cdef void clear_line(self, int board, int row) noexcept nogil
    cpdef int columns(self) noexcept nogil
    cdef void tile(self, int row, int column) noexcept nogil
    cdef void advance_tiling(self) noexcept nogil
    cdef void finish_round(self) noexcept nogil
    cdef void end(self, int ending) noexcept nogil
    cpdef int choices(self) noexcept nogil
    cpdef int random_choice(self) noexcept nogil
    cpdef void copy_from(self, SoloPosition other) noexcept nogil


cdef int POPCOUNT[1024]
cdef int NTH_BIT[10240]
cdef int RUNS[160]
cdef int POINTS[36]
cdef int FLOOR_COSTS[8]
cdef int BESIDE_POINTS[5]
cdef int LINE_BITS[6]
cdef int SPREAD_COLOURS[32]
cdef int FLOOR_TILE[5]
cdef long long COLUMN_FACTOR
cdef int COLUMN_BITS
cdef int DEAL, OFFER, TILING, OVER, PENALTY, COLOUR, SCORING, DRAW, SWAP, REMOVE
cdef int PLAYER, ACTION
cdef int EIGHTH_TILE, NO_POINTS, ROW_COMPLETE, BAG_EMPTY
cdef unsigned long long LCG_FACTOR, LCG_INCREMENT, LCG_MASK
