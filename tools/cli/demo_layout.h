// demo_layout.h - what stands in the two scenes of `diorama demo`, and where. Pure.
#ifndef DIORAMA_TOOLS_CLI_DEMO_LAYOUT_H
#define DIORAMA_TOOLS_CLI_DEMO_LAYOUT_H

#include <stddef.h>

#include "tools/cli/demo_paths.h"

enum { DEMO_PEOPLE_MAX = 500, DEMO_THINGS_MAX = 64, DEMO_DEVICES = 4, DEMO_NAME_BYTES = 32 };

enum demo_stage {
    STAGE_PLAZA,
    STAGE_PAVILION, // the same pavilion, measured from another origin
    DEMO_STAGES
};

struct demo_thing {
    char name[DEMO_NAME_BYTES]; // one of its own
    const char *type, *subtype;
    int model; // enum demo_model, -1 = none: a primitive
    double matrix[16];
};

// What stands on a stage while so many people walk there; returns how many things there are.
size_t demo_things(enum demo_stage stage, size_t people,
                   struct demo_thing ret_things[DEMO_THINGS_MAX]);

// One of those who walk, as they are after `time_s`.
struct demo_thing demo_walker(size_t people, size_t person, double time_s);

// Where a device is on a stage, as the transform of a device: metres, and angles about the axes.
struct demo_stand {
    double translation[3], rotation[3];
};
struct demo_stand demo_device(enum demo_stage stage, size_t people, size_t device);

#endif
