cimport cython
from device.bots.core.solo_position cimport SoloPosition
from device.bots.core.uct cimport UctTree
from device.bots.core.evaluation cimport Evaluation


@cython.final
cdef class SoloTree(UctTree):
    cdef public SoloPosition position
    cdef public Evaluation evaluation
    cdef public int[::1] weights
    cdef public int max_playouts
    cdef public double squared_error
    cdef public long samples
    cdef public SoloPosition current
    cdef SoloPosition trial, pair
    cdef public int sample_count
    cdef int features[8]
    cdef int sample_stage[100]
    cdef int sample_features[2700]
    cdef int sample_score[100]

    cpdef int best_move(self, SoloPosition position, double seconds, int only=*, int excluded=*) except? -1
    cdef void run(self) noexcept nogil
    cdef void expand(self, int node) noexcept nogil
    cdef int generate_moves(self, SoloPosition position, int noise) noexcept nogil
    cdef int best_reply_value(self) noexcept nogil
    cdef int playout_choice(self, int noise) noexcept nogil
    cdef int generate_legal(self, SoloPosition position) noexcept nogil
    cdef void finish_round(self, SoloPosition position) noexcept nogil
    cdef int default_choice(self, SoloPosition position) noexcept nogil
    cdef int evaluate_round_end(self, SoloPosition position) noexcept nogil
    cdef int stage(self, SoloPosition position) noexcept nogil
    cdef void extract_features(self, SoloPosition position) noexcept nogil
    cdef int expected_points(self, int stage) noexcept nogil
    cpdef void record_sample(self, SoloPosition position) noexcept
    cpdef void learn(self, SoloPosition position, int rate) noexcept


cdef int DEAL, OFFER, TILING, OVER, DRAW, SWAP, REMOVE, SCORING
cdef int EIGHTH_TILE, NO_POINTS
cdef int POPCOUNT[1024]
cdef int NTH_BIT[10240]
cdef int STAGES, FEATURES, ACTION_ROW_PATTERNS, PENALTY_PATTERNS, BAG_PATTERNS, SCORING_TILE_PATTERNS, SOLO_FEATURES
cdef int MINUS_INFINITY, LOSS_VALUE, WIN_BONUS, NODES
