// stated.h - scenes and corrections of devices as the alignment actors get them.
#ifndef DIORAMA_TESTS_SUPPORT_STATED_H
#define DIORAMA_TESTS_SUPPORT_STATED_H

#include "actors/alignment/atlas.h"
#include "proto/record/record.h"

// A correction of a device: where it stands along x in a scene.
struct stated {
    const char *device;
    uint64_t scene_id;
    double x;
    int64_t time_us;
    int64_t since_us;
    int64_t until_us;
    const char *method;
};

// As a frozen struct correction_record with sigmas of 5 cm and 0.02 rad: one reference, yours. Its
// id is made of time and scene.
const frozen_t *stated_correction(struct arena *arena, const struct stated *stated);

// Puts the scene "scene<id>" of the user "ann" into the atlas.
void stated_scene(atlas_t *atlas, struct arena *arena, int64_t id, bool is_public);

#endif
