cimport cython
from device.bots.core.position cimport Position
from device.bots.core.timed_search cimport TimedSearch
from device.bots.core.evaluation cimport Evaluation


@cython.final
cdef class AlphaBeta(TimedSearch):
    cdef public Position position
    cdef public Evaluation evaluation
    cdef public int depth_limited, tempo, value, depth
    cdef int best
    cdef long long generation
    cdef public long long[::1] table_keys
    cdef public int[::1] table_values
    cdef public int[::1] table_entries
    cdef public int start_bonus[5]
    cdef int rounds_to_row
    cdef int opponent_values[5]
    cdef int dealt[10]
    cdef int moves[20480]
    cdef int values[20480]
    cdef int order[20480]

    cpdef int best_move(self, Position position, double seconds, int only=*, int excluded=*, int max_depth=*) except? -1
    cdef bint is_same_round(self, Position position) noexcept
    cdef void run(self, int number, int max_depth) noexcept nogil
    cdef int search_root_move(self, int each, int depth, int alpha) noexcept nogil
    cdef void move_to_front(self, int leader) noexcept nogil
    cdef bint is_easy_choice(self, int number) noexcept nogil
    cdef int search(self, int depth, int alpha, int beta, int ply) noexcept nogil
    cdef bint is_answered_by_table(self, int slot, int depth, int alpha, int beta) noexcept nogil
    cdef int best_round_end(self, int first, int last) noexcept nogil
    cdef int best_by_evaluation(self, int first, int last) noexcept nogil
    cdef int search_moves(self, int first, int last, int known, int depth, int alpha, int beta) noexcept nogil
    cdef int search_move(self, int nth, int depth, int alpha, int beta, int ply) noexcept nogil
    cdef int generate_moves(self, int ply) noexcept nogil
    cdef void evaluate_opponent(self, int player) noexcept nogil
    cdef bint is_duplicate(self, int source) noexcept nogil
    cdef int generate_from(self, int source, int at) noexcept nogil
    cdef int margin(self, int slot, int starts) noexcept nogil
    cdef int value_of_round_end(self, int value, int player) noexcept nogil
    cdef void select_move(self, int first, int last) noexcept nogil
    cdef long long hash_key(self) noexcept nogil


cdef int MINUS_INFINITY, WIN_BONUS, EASY_DEPTH, EASY_MARGIN, TABLE_SIZE, EXACT, LOWER_BOUND, UPPER_BOUND, FULL_DEPTH
cdef long long HASH_MASK, HASH_FACTOR, SECOND_HASH_FACTOR
