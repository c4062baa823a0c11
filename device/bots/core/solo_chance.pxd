from device.bots.core.position cimport tiles_in
from device.bots.core.solo_position cimport SoloPosition

cpdef void chance(SoloPosition position) noexcept nogil
cdef void deal(SoloPosition position) noexcept nogil
cdef void draw_penalty_row(SoloPosition position) noexcept nogil
cdef int draw(SoloPosition position, int bag) noexcept nogil
cpdef int random_choice(SoloPosition position) noexcept nogil
cpdef int random_game(SoloPosition position) noexcept nogil


cdef int DEAL, OFFER, OVER, PENALTY, COLOUR, DRAW
cdef int ONES[1024]
cdef int NTH[10240]
