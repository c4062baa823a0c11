cimport cython
from device.bots.core.position cimport Position
from device.bots.core.tree cimport Tree
from device.bots.core.value cimport Value


@cython.final
cdef class Several(Tree):
    cdef public Position position
    cdef public Value value
    cdef public int starting, share
    cdef int most
    cdef int others[5]
    cdef int results[4]
    cdef int drafters[100]

    cpdef int think(self, Position position, double seconds, int only=*, int without=*) except? -1
    cdef void run(self) noexcept nogil
    cdef void expand(self, int node) noexcept nogil
    cdef int standing(self, int player) noexcept nogil
    cdef int look_at_others(self, int player) noexcept nogil
    cpdef int reply(self, int noise) noexcept nogil
    cdef int generate(self) noexcept nogil
    cdef int generate_from(self, int source, int needs, int at) noexcept nogil


cdef int WORST, WON, NODES, MOST
