cimport cython
from device.bots.position cimport Position
from device.bots.value cimport Value


@cython.final
cdef class Duel:
    cdef public Position position
    cdef public Value value
    cdef object clock
    cdef double start, deadline, looked, pause
    cdef public long long nodes
    cdef long long next_look, stride
    cdef public int stopped, cut_short, tempo, worth, depth
    cdef long long generation
    cdef public long long[::1] keys
    cdef public int[::1] found
    cdef public int[::1] entries
    cdef public int starting[5]
    cdef int theirs[5]
    cdef int dealt[10]
    cdef int moves[20480]
    cdef int worths[20480]
    cdef int order[20480]

    cpdef int think(self, Position position, double seconds, int only=*, int without=*, int most_depth=*) except? -1
    cdef bint knows(self, Position position) noexcept
    cdef int run(self, int most_depth) noexcept nogil
    cdef bint is_easy(self, int number) noexcept nogil
    cdef int search(self, int depth, int alpha, int beta, int ply) noexcept nogil
    cdef int generate(self, int ply) noexcept nogil
    cdef int margin(self, int mine, int needs, int starts) noexcept nogil
    cdef int ended(self, int worth, int player) noexcept nogil
    cdef int pick(self, int first, int last) noexcept nogil
    cdef long long key(self) noexcept nogil
    cdef void look_at_clock(self) noexcept with gil


cdef int WORST, WON, EASY_DEPTH, EASY, SLOTS, EXACT, AT_LEAST, AT_MOST
cdef long long BITS, MIX, STIR
cdef double LONGEST_PAUSE
