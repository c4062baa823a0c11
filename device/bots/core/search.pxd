cdef class Search:
    cdef object clock
    cdef double start, deadline, looked, pause
    cdef public long long steps
    cdef long long next_look, stride
    cdef public int stopped
    cdef int only, without

    cdef void begin(self, double seconds, int only, int without) except *
    cdef bint is_asked(self, int move) noexcept
    cdef void step(self) noexcept nogil
    cdef void look_at_clock(self) noexcept with gil
    cdef bint is_settled(self) noexcept nogil


cdef double LONGEST_PAUSE, NEXT
