// step_mixing.h - makes steps that lead to the same place, each by a share of the way, lead there
// sooner (Anderson 1965): the last steps tell what the next one will leave. Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_STEP_MIXING_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_STEP_MIXING_H

#include <stddef.h>

typedef struct step_mixing step_mixing_t;

// Of steps of `size` numbers.
step_mixing_t *step_mixing_create(size_t size);
void step_mixing_destroy(step_mixing_t **self);

// Replaces a step, which began where the one before it ended, by a better one.
void step_mixing_improve(step_mixing_t *self, double *step);

#endif
