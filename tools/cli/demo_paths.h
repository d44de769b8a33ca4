// demo_paths.h - where the people of `diorama demo` walk: lanes around the middle of the plaza, one
// around the other, in turns clockwise and not. Pure: a place follows from the time.
#ifndef DIORAMA_TOOLS_CLI_DEMO_PATHS_H
#define DIORAMA_TOOLS_CLI_DEMO_PATHS_H

#include <stddef.h>

// Where somebody is: on the ground, in metres; they look along -Z turned by `turn_rad` about Y.
struct demo_place {
    double x, z, turn_rad;
};

// The place of one of `people` after `time_s`. Any two are at least 80 cm apart.
struct demo_place demo_walk(size_t people, size_t person, double time_s);

// Nobody walks further from the middle, in metres.
double demo_walk_reach(size_t people);

// Row-major, upright.
void demo_place_matrix(const struct demo_place *place, double ret_matrix[16]);

#endif
