// motion.h - the steps of moving objects: circles, recorded walks or motion capture.
#ifndef DIORAMA_TOOLS_CLI_MOTION_H
#define DIORAMA_TOOLS_CLI_MOTION_H

#include <stdbool.h>

#include "tools/cli/trajectory.h"

typedef struct motion motion_t;

struct motion_step {
    double time_s; // since the start
    uint32_t object;
    const double *position; // [3] metres, until the object's next step
};

// `objects` move on circles of their own, each `rate` times a second, evenly spread over time.
motion_t *motion_create_circles(uint32_t objects, double rate);

// A file: motion capture if its name ends in .bvh, else walks of `rate` frames a second. `copies`
// of it move side by side, `speed` times as fast (0 = at once). Fails as bvh_read or
// trajectory_read do.
fallible motion_create_recorded(const char *path, double scale, double rate, double speed,
                                uint32_t copies, motion_t **ret_motion);

void motion_destroy(motion_t **self);

uint32_t motion_objects(const motion_t *self);

// The first position of an object, valid until the motion is destroyed, and its name, valid until
// the next call.
const double *motion_first(motion_t *self, uint32_t object);
const char *motion_name(motion_t *self, uint32_t object);

// The next step in order of time; false after the last one. Circles never end.
bool motion_next(motion_t *self, struct motion_step *ret_step);

#endif
