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
    cdef public unsigned long long dice
    cdef int depth
    cdef int kept_moves[100]
    cdef int kept_sources[100]
    cdef int kept_centre[100]
    cdef int kept_pool[100]
    cdef int kept_markers[100]
    cdef int kept_lines[100]
    cdef int kept_open[100]
    cdef int kept_full[100]
    cdef int kept_floor[100]
    cdef long long kept_holders[100]

    cpdef int below(self, int number) noexcept nogil
    cpdef void deal(self) noexcept nogil
    cdef void start_offer(self) noexcept nogil
    cpdef void play(self, int move) noexcept nogil
    cpdef void make(self, int move) noexcept nogil
    cpdef void unmake(self) noexcept nogil
    cpdef void go_on(self) noexcept nogil
    cpdef int columns(self, int player, int row) noexcept nogil
    cpdef int next_row(self, int player) noexcept nogil
    cpdef void tile(self, int player, int row, int column) noexcept nogil
    cdef void fall(self, int player, int colour, int number) noexcept nogil
    cdef void clear_line(self, int player, int row) noexcept nogil
    cdef void finish_round(self) noexcept nogil
    cpdef void end(self) noexcept nogil
    cpdef int random_draft(self) noexcept nogil
    cdef void random_tile(self) noexcept nogil
    cpdef int random_game(self) noexcept nogil
    cpdef void copy_from(self, Position other) noexcept nogil


cdef int DEAL, OFFER, TILING, OVER
cdef int ONES[1024]
cdef int NTH[10240]
cdef int RUNS[160]
cdef int POINTS[36]
cdef int FLOOR_COSTS[8]
cdef int LINE_BITS[6]
cdef int SPREAD[32]
cdef int A_TILE[5]
cdef long long HOLDERS[5]
cdef long long A_SOURCE, GATHER
cdef int A_COLUMN
cdef unsigned long long FACTOR, STEP, BITS
cpdef int tiles_in(int counts) noexcept nogil
