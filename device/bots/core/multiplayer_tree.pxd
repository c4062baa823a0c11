cimport cython
from device.bots.core.position cimport Position
from device.bots.core.uct cimport UctTree
from device.bots.core.evaluation cimport Evaluation


@cython.final
cdef class MultiplayerTree(UctTree):
    cdef public Position position
    cdef public Evaluation evaluation
    cdef public int start_bonus, opponent_share
    cdef int best_final
    cdef int best_other[5]
    cdef int results[4]
    cdef int movers[100]

    cpdef int best_move(self, Position position, double seconds, int only=*, int excluded=*) except? -1
    cdef void run(self) noexcept nogil
    cdef void expand(self, int node) noexcept nogil
    cdef int value_of_round_end(self, int player) noexcept nogil
    cdef int evaluate_others(self, int player) noexcept nogil
    cpdef int playout_move(self, int noise) noexcept nogil
    cdef int generate_moves(self) noexcept nogil
    cdef int generate_from(self, int source, int rounds_to_row, int at) noexcept nogil


cdef int MINUS_INFINITY, WIN_BONUS, NODES, MAX_CHILDREN
