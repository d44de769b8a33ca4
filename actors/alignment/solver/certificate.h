// certificate.h - whether the poses of a component are the best that there are for the observations
// which it accepts, and not only the best nearby. Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_CERTIFICATE_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_CERTIFICATE_H

#include "actors/alignment/solver/component.h"

// By how much other poses might explain the observations better, at most: the chi-square of a
// single standard deviation.
#define CERTIFICATE_GAP 1.0

// Whether no poses at all have a sum of squares that is smaller by more than CERTIFICATE_GAP. It
// takes about one factor of the normal equations. False where they are not the best, where this is
// not proven, and where the proof would take too much work or was broken off.
bool certificate_check(const struct component *self);

#endif
