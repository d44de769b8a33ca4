// session_weights.h - how much each two corrections of a session count beside the others. Pure.
// What n corrections know of how their scenes relate is known by n (n - 1) / 2 pairs of them, each
// of which counts less than if it stood alone: 2 / n if the device's coordinates stay as they are;
// if they drift, pairs that follow each other count more and distant ones hardly.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_SESSION_WEIGHTS_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_SESSION_WEIGHTS_H

#include <stddef.h>

// A session in the order of time, along one coordinate (metres or radians).
struct session_noise {
    double noise; // variance of this correction, above 0
    double drift; // variance that the device's coordinates gain until the next one; 0 or more
};

// The precisions w of pairs (index, j) with j > index, for which the sum of w (y_i - y_j)^2 over
// all pairs is the least square of what the corrections y say when nothing is known of where the
// device's coordinates are, but that they drift at random. Writes those of index + 1 ... count - 1.
void session_weights_find(const struct session_noise *items, size_t count, size_t index,
                          double *ret_precisions);

#endif
