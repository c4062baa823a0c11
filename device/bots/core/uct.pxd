from device.bots.core.timed_search cimport TimedSearch


cdef class UctTree(TimedSearch):
    cdef public long long playouts
    cdef public int value, depth, capacity, noise
    cdef public double exploration
    cdef int used, prior
    cdef int moves[256]
    cdef int values[256]
    cdef int path[100]
    cdef public int[::1] first_child
    cdef public int[::1] children
    cdef public int[::1] node_move
    cdef public int[::1] visits
    cdef public long long[::1] value_sums

    cdef void reset(self) noexcept
    cdef void add_children(self, int node, int generated, int max_children) noexcept nogil
    cdef int best_index(self, int first, int last) noexcept nogil
    cdef void prune_root(self) except *
    cdef int select_child(self, int node) noexcept nogil
    cdef int most_visited(self) noexcept
