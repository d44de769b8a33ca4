// noise.h - by how much the informations of a public pose graph understate what it knows.
#ifndef DIORAMA_TESTS_BENCH_NOISE_H
#define DIORAMA_TESTS_BENCH_NOISE_H

#include "actors/alignment/solver/component.h"

// Public graphs have informations that are right up to a factor only: parking-garage claims noise
// of a metre and half a turn where there are centimetres. What the middle cycle shows, times a
// safety of 100 (10 in sigmas), counts where it is less; nothing is known here of what is false.
double noise_scale(const struct component *component);

#endif
