cimport cython


@cython.final
cdef class Position:
    cdef public int players, displays, gray, discards, phase, turn, starter, marker, round, row_complete
    cdef public int sources[10]
    cdef public int pool[2]
    cdef public long long holders
    cdef public int lines[4]
    cdef public int open[4]
    cdef public int full[4]
    cdef public int floor[4]
    cdef public int wall[4]
    cdef public int row_colours[4]
    cdef public int columns_of_colours[4]
    cdef public int score[4]
    cdef public unsigned long long random_state
    cdef int depth
    cdef int saved_moves[100]
    cdef int saved_sources[100]
    cdef int saved_centre[100]
    cdef int saved_pool[100]
    cdef int saved_markers[100]
    cdef int saved_lines[100]
    cdef int saved_open[100]
    cdef int saved_full[100]
    cdef int saved_floor[100]
    cdef long long saved_holders[100]

    cpdef int below(self, int number) noexcept nogil
    cpdef void deal(self) noexcept nogil
    cpdef void start_offer(self) noexcept nogil
    cpdef void play(self, int move) noexcept nogil
    cpdef void make(self, int move) noexcept nogil
    cpdef void unmake(self) noexcept nogil
    cpdef void advance_tiling(self) noexcept nogil
    cpdef int columns(self, int player, int row) noexcept nogil
    cpdef int next_row(self, int player) noexcept nogil
    cpdef void tile(self, int player, int row, int column) noexcept nogil
    cdef void drop_to_floor(self, int player, int colour, int number) noexcept nogil
    cdef void clear_line(self, int player, int row) noexcept nogil
    cdef void finish_round(self) noexcept nogil
    cpdef void end(self) noexcept nogil
    cpdef int random_draft(self) noexcept nogil
    cdef void random_tile(self) noexcept nogil
    cpdef int random_game(self) noexcept nogil
    cpdef void copy_from(self, Position other) noexcept nogil


cdef int DEAL, OFFER, TILING, OVER
cdef int POPCOUNT[1024]
cdef int NTH_BIT[10240]
cdef int RUNS[160]
cdef int POINTS[36]
cdef int FLOOR_COSTS[8]
cdef int LINE_BITS[6]
cdef int SPREAD_COLOURS[32]
cdef int FLOOR_TILE[5]
cdef long long CENTRE_BITS[5]
cdef long long SOURCE_BITS, COLUMN_FACTOR
cdef int COLUMN_BITS
cdef unsigned long long LCG_FACTOR, LCG_INCREMENT, LCG_MASK
cpdef int tiles_in(int counts) noexcept nogil
cpdef int bonuses(int wall, int row_colours) noexcept nogil
