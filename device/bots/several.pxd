cimport cython
from device.bots.position cimport Position
from device.bots.value cimport Value


@cython.final
cdef class Several:
    cdef public Position position
    cdef public Value value
    cdef object clock
    cdef double start, deadline, looked, pause
    cdef public long long nodes
    cdef long long looks, next_look, stride
    cdef public int stopped, starting, worth, depth, share, noise
    cdef public double curiosity
    cdef int used, most, promise
    cdef int others[5]
    cdef int results[4]
    cdef int path[100]
    cdef int drafters[100]
    cdef int moves[256]
    cdef int worths[256]
    cdef public int[::1] first_child
    cdef public int[::1] children
    cdef public int[::1] draft
    cdef public int[::1] visits
    cdef public long long[::1] sums

    cpdef int think(self, Position position, double seconds, int only=*, int without=*) except? -1
    cdef void run(self) noexcept nogil
    cdef void expand(self, int node) noexcept nogil
    cdef int choose(self, int node) noexcept nogil
    cdef int best_child(self) noexcept nogil
    cdef int standing(self, int player) noexcept nogil
    cdef int look_at_others(self, int player) noexcept nogil
    cdef int generate(self) noexcept nogil
    cpdef int reply(self, int noise) noexcept nogil
    cdef int pick(self, int first, int last) noexcept nogil
    cdef void step(self) noexcept nogil
    cdef bint is_settled(self, double now) noexcept nogil
    cdef void look_at_clock(self) noexcept with gil


cdef int WORST, WON, NODES
cdef double LONGEST_PAUSE
