cimport cython
from device.bots.core.position cimport Position, bonuses


@cython.final
cdef class Evaluation:
    cdef public int[::1] weights
    cdef public int gray, players, round
    cdef int wall[4]
    cdef int row_colours[4]
    cdef int columns_of_colours[4]
    cdef int score[4]
    cdef long long generation
    cdef long long keys[65536]
    cdef public int final_values[65536]
    cdef public int rounds_to_row[65536]
    cdef public int expected_values[262144]
    cdef int features[19]
    cdef int tiled_wall, tiled_colours, tiled_columns, tiled_lines, tiled_floor, tiled_score

    cpdef void start(self, Position position) noexcept
    cpdef int evaluate(self, int player, int lines, int floor) noexcept nogil
    cdef int evaluate_board(self, Position position, int player) noexcept nogil
    cdef void compute(self, int slot, int player, int lines, int floor) noexcept nogil
    cdef int evaluate_draft(self, Position position, int player, int colour, int number, int line, int floor) noexcept nogil
    cdef void tile(self, int player, int lines, int floor) noexcept nogil
    cdef void tile_row(self, int row, int column, int colour) noexcept nogil
    cdef int best_column(self, int row, int colour) noexcept nogil
    cdef int rounds_needed(self) noexcept nogil
    cdef void extract_features(self) noexcept nogil
    cpdef int expected_points(self, int stage) noexcept nogil
    cdef void adjust_weights(self, int stage, int step) noexcept nogil


cdef int POPCOUNT[1024]
cdef int NTH_BIT[10240]
cdef int RUNS[160]
cdef int POINTS[36]
cdef int FLOOR_COSTS[8]
cdef int TERNARY[32]
cdef long long COLUMN_FACTOR
cdef int COLUMN_BITS
cdef int FEATURES, ROW_PATTERNS, COLUMN_PATTERNS, COLOUR_PATTERNS, ROW_PAIR_PATTERNS
cpdef int stage_of(int round, int needs) noexcept nogil
