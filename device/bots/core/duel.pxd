cimport cython
from device.bots.core.position cimport Position
from device.bots.core.search cimport Search
from device.bots.core.value cimport Value


@cython.final
cdef class Duel(Search):
    cdef public Position position
    cdef public Value value
    cdef public int cut_short, tempo, worth, depth
    cdef long long generation
    cdef public long long[::1] keys
    cdef public int[::1] found
    cdef public int[::1] entries
    cdef public int starting[5]
    cdef int needs
    cdef int theirs[5]
    cdef int dealt[10]
    cdef int moves[20480]
    cdef int worths[20480]
    cdef int order[20480]

    cpdef int think(self, Position position, double seconds, int only=*, int without=*, int most_depth=*) except? -1
    cdef bint knows(self, Position position) noexcept
    cdef int run(self, int number, int most_depth) noexcept nogil
    cdef int worth_at_root(self, int each, int depth, int alpha) noexcept nogil
    cdef void bring_first(self, int leader) noexcept nogil
    cdef bint is_easy(self, int number) noexcept nogil
    cdef int search(self, int depth, int alpha, int beta, int ply) noexcept nogil
    cdef bint is_answered(self, int slot, int depth, int alpha, int beta) noexcept nogil
    cdef int best_end(self, int first, int last) noexcept nogil
    cdef int best_by_sight(self, int first, int last) noexcept nogil
    cdef int best_by_search(self, int first, int last, int known, int depth, int alpha, int beta) noexcept nogil
    cdef int worth_of_draft(self, int nth, int depth, int alpha, int beta, int ply) noexcept nogil
    cdef int generate(self, int ply) noexcept nogil
    cdef void look_at_other(self, int player) noexcept nogil
    cdef bint is_repeated(self, int source) noexcept nogil
    cdef int generate_from(self, int source, int at) noexcept nogil
    cdef int margin(self, int mine, int starts) noexcept nogil
    cdef int ended(self, int worth, int player) noexcept nogil
    cdef void pick(self, int first, int last) noexcept nogil
    cdef long long key(self) noexcept nogil


cdef int WORST, WON, EASY_DEPTH, EASY, SLOTS, EXACT, AT_LEAST, AT_MOST, TO_THE_END
cdef long long BITS, MIX, STIR
