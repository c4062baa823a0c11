cimport cython
from device.bots.core.position cimport Position


@cython.final
cdef class Value:
    cdef public int[::1] weights
    cdef public int gray, players, round
    cdef int wall[4]
    cdef int row_colours[4]
    cdef int columns_of_colours[4]
    cdef int score[4]
    cdef long long generation
    cdef long long keys[65536]
    cdef public int closed[65536]
    cdef public int needs[65536]
    cdef public int ahead[262144]
    cdef int index[19]
    cdef int tiled_wall, tiled_colours, tiled_columns, tiled_lines, tiled_floor, tiled_score

    cpdef void begin(self, Position position) noexcept
    cpdef int assess(self, int player, int lines, int floor) noexcept nogil
    cdef void work_out(self, int slot, int player, int lines, int floor) noexcept nogil
    cdef int after(self, Position position, int player, int colour, int number, int line, int floor) noexcept nogil
    cdef void tile(self, int player, int lines, int floor) noexcept nogil
    cdef void tile_row(self, int row, int column, int colour) noexcept nogil
    cdef int best_column(self, int row, int colour) noexcept nogil
    cdef int rounds_needed(self) noexcept nogil
    cdef int bonuses(self) noexcept nogil
    cdef void look(self) noexcept nogil
    cpdef int future(self, int stage) noexcept nogil
    cdef void learn(self, int stage, int step) noexcept nogil


cdef int ONES[1024]
cdef int NTH[10240]
cdef int RUNS[160]
cdef int POINTS[36]
cdef int FLOOR_COSTS[8]
cdef int TERNARY[32]
cdef long long GATHER
cdef int A_COLUMN
cdef int FEATURES, ROWS, COLUMNS, COLOURS, PAIRS
cpdef int stage_of(int round, int needs) noexcept nogil
