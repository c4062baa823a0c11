cimport cython
from device.bots.core.position cimport Position
from device.bots.core.several cimport Several
from device.bots.core.value cimport Value, stage_of


@cython.final
cdef class Teacher:
    cdef public Position position
    cdef public Value value
    cdef public Several crowd
    cdef public double error
    cdef public long samples
    cdef int seen_stage[400]
    cdef int seen_index[7600]
    cdef int seen_score[400]
    cdef int seen_player[400]
    cdef public int seen, outcome
    cdef int later[4]

    cdef int choose(self, int chance) noexcept
    cpdef void note(self) noexcept
    cpdef void game(self, int chance, int rate) noexcept
    cpdef void tile_gray(self) noexcept
    cpdef void take_in(self, int rate) noexcept


cdef int DEAL, OFFER, TILING, OVER
cdef int FEATURES
