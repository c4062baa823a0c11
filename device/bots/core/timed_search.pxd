cdef class TimedSearch:
    cdef object clock
    cdef double started, deadline, last_check, longest_gap
    cdef public long long steps
    cdef long long next_check, stride
    cdef public int stopped
    cdef int only, excluded

    cdef void start(self, double seconds, int only, int excluded) except *
    cdef bint is_allowed(self, int move) noexcept
    cdef void count_step(self) noexcept nogil
    cdef void check_clock(self) noexcept with gil
    cdef bint is_decided(self) noexcept nogil


cdef double LONGEST_GAP, CHECK_INTERVAL
