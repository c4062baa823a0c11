from device.bots.core.search cimport Search


cdef class Tree(Search):
    cdef public long long playouts
    cdef public int worth, depth, room, noise
    cdef public double curiosity
    cdef int used, promise
    cdef int moves[256]
    cdef int worths[256]
    cdef int path[100]
    cdef public int[::1] first_child
    cdef public int[::1] children
    cdef public int[::1] draft
    cdef public int[::1] visits
    cdef public long long[::1] sums

    cdef void plant(self) noexcept
    cdef void grow(self, int node, int noted, int most) noexcept nogil
    cdef int most_promising(self, int first, int last) noexcept nogil
    cdef void prune(self) except *
    cdef int choose(self, int node) noexcept nogil
    cdef int found(self) noexcept
