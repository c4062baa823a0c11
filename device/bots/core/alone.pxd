cimport cython
from device.bots.core.solo_chance cimport chance
from device.bots.core.solo_position cimport SoloPosition
from device.bots.core.tree cimport Tree
from device.bots.core.value cimport Value


@cython.final
cdef class Alone(Tree):
    cdef public SoloPosition position
    cdef public Value value
    cdef public int[::1] weights
    cdef public int most_playouts
    cdef public double error
    cdef public long samples
    cdef public SoloPosition here
    cdef SoloPosition trial, pair
    cdef public int seen
    cdef int index[8]
    cdef int seen_stage[100]
    cdef int seen_index[2700]
    cdef int seen_score[100]

    cpdef int think(self, SoloPosition position, double seconds, int only=*, int without=*) except? -1
    cdef void run(self) noexcept nogil
    cdef void expand(self, int node) noexcept nogil
    cdef int generate(self, SoloPosition position, int noise) noexcept nogil
    cdef int best_answer(self) noexcept nogil
    cdef int best_pick(self, int noise) noexcept nogil
    cdef int legal(self, SoloPosition position) noexcept nogil
    cdef void settle(self, SoloPosition position) noexcept nogil
    cdef int policy(self, SoloPosition position) noexcept nogil
    cdef int worth_of(self, SoloPosition position) noexcept nogil
    cdef int stage(self, SoloPosition position) noexcept nogil
    cdef void look(self, SoloPosition position) noexcept nogil
    cdef int expected(self, int stage) noexcept nogil
    cpdef void note(self, SoloPosition position) noexcept
    cpdef void take_in(self, SoloPosition position, int rate) noexcept


cdef int DEAL, OFFER, TILING, OVER, DRAW, SWAP, REMOVE, SCORING
cdef int EIGHTH_TILE, NO_POINTS
cdef int ONES[1024]
cdef int NTH[10240]
cdef int STAGES, FEATURES, ACTION_ROWS, PENALTIES, BAGS, BESIDES, SOLO_FEATURES
cdef int WORST, LOST, WON, NODES
