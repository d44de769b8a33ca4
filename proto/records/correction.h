// correction.h - what a device said about its place in a scene. Stored as it was sent; only the end
// of its registration and the pin are set later.
#ifndef DIORAMA_PROTO_RECORDS_CORRECTION_H
#define DIORAMA_PROTO_RECORDS_CORRECTION_H

#include "proto/record/record.h"
#include "proto/record/view.h"

// Append-only: stored maps use these numbers.
enum correction_field {
    CORRECTION_ID = 0,
    CORRECTION_DEVICE = 1,
    CORRECTION_USER = 2,
    CORRECTION_TRANSFORM = 3,
    CORRECTION_SIGMA_T = 4,
    CORRECTION_SIGMA_R = 5,
    CORRECTION_METHOD = 6,
    CORRECTION_TIME = 7,
    CORRECTION_SINCE = 8,
    CORRECTION_UNTIL = 9,
    CORRECTION_PINNED = 10,
    CORRECTION_SCENE = 11,
    CORRECTION_WEIGHT = 12,
    CORRECTION_RESIDUAL_T = 13,
    CORRECTION_RESIDUAL_R = 14,
    CORRECTION_REJECTED = 15,
    CORRECTION_SUPERSEDED = 16,
    CORRECTION_NOISE_FACTOR = 17,
    CORRECTION_REASON = 18,
};

struct correction_record {
    struct record base;
    const struct text *id; // ascending within a scene, in the order of arrival
    const struct text *scene;
    const struct text *device;
    const struct text *user;        // id of the user who sent it; empty without auth
    const struct text *method;      // how it was measured, as the device says
    const struct record *transform; // struct pose
    double sigma_t_m;
    double sigma_r_rad;
    int64_t time_us;  // calendar
    int64_t since_us; // beginning of the device session of its registration, calendar
    int64_t
        until_us; // and its end; 0 = it is registered, or a later one of the registration has it
    bool is_pinned;
    // What the newest solution says about it.
    bool is_rejected;
    const struct text *reason; // why it is
    bool is_superseded;        // a newer one of the device's session in this scene counts
    double weight;
    double residual_t_m;
    double residual_r_rad;
    double noise_factor; // more than 1
};

extern const struct schema correction_schema;

static inline const struct correction_record *
correction_record_of(const struct record *record)
{
    return (const struct correction_record *)(const void *)record;
}

extern const struct view correction_view_full;

#endif
