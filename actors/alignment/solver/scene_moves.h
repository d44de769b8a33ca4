// scene_moves.h - which scenes have moved: their origin was put somewhere else at a time. Pure. A
// move is a fact of a scene, so all its links are looked at together: they must tell of the same
// motion. One link alone does not tell which of its two ends moved.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_SCENE_MOVES_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_SCENE_MOVES_H

#include "actors/alignment/solver/cycle_votes.h"

enum {
    SCENE_MOVES_DEVICES = 3, // so many devices that came last and agree tell that something moved
    SCENE_MOVES_OF_USER = 2, // of these, devices of one user, if others disagree
    SCENE_MOVES_STEADY = 2,  // so many that came last and find all as it was tell that it did not
};

// Marks the observations that a move of one of their scenes put into the past, from the modes of
// each link and their covariances. Writes for each link whether it is doubtful: one of its scenes
// may have moved, and nothing tells yet which one. Returns whether anything is past. Ends early
// where the effort (NULL = without bounds) is over.
bool scene_moves_find(uint32_t scene_count, struct observations *observations,
                      const struct candidates *candidates, const struct effort *effort,
                      bool *ret_is_doubtful);

#endif
