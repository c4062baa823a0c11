cimport cython
from device.bots.core.position cimport Position
from device.bots.core.multiplayer_tree cimport MultiplayerTree
from device.bots.core.evaluation cimport Evaluation, stage_of


@cython.final
cdef class Learner:
    cdef public Position position
    cdef public Evaluation evaluation
    cdef public MultiplayerTree tree
    cdef public double squared_error
    cdef public long samples
    cdef int sample_stage[400]
    cdef int sample_features[7600]
    cdef int sample_score[400]
    cdef int sample_player[400]
    cdef public int sample_count, outcome_percent
    cdef int targets[4]

    cdef int choose(self, int chance) noexcept
    cpdef void record_samples(self) noexcept
    cpdef void play_game(self, int chance, int rate) noexcept
    cpdef void tile_gray_wall(self) noexcept
    cpdef void learn(self, int rate) noexcept


cdef int DEAL, OFFER, TILING, OVER
cdef int FEATURES
