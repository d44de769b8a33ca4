// correction.c - the fields of a correction.
#include "proto/records/correction.h"

#include "proto/records/device.h"

// clang-format off
static const struct field correction_fields[] = {
    FIELD(CORRECTION_ID,         struct correction_record, id,             "id",             "Identifies the correction within its scene.",               .flags = FIELD_KEY),
    FIELD(CORRECTION_SCENE,      struct correction_record, scene,          "scene",          "Key of the scene.",                                         .flags = FIELD_DERIVED | FIELD_OPTIONAL),
    FIELD(CORRECTION_DEVICE,     struct correction_record, device,         "device",         "Key of the device."),
    FIELD(CORRECTION_USER,       struct correction_record, user,           "user",           "Id of the user who sent it; shown to them and to administrators.", .flags = FIELD_OPTIONAL),
    FIELD(CORRECTION_TRANSFORM,  struct correction_record, transform,      "transform",      "From device to scene coordinates.",                         .of = &pose_schema),
    FIELD(CORRECTION_SIGMA_T,    struct correction_record, sigma_t_m,      "sigma_t_m",      "Standard deviation of each coordinate of the translation.", .unit = "m"),
    FIELD(CORRECTION_SIGMA_R,    struct correction_record, sigma_r_rad,    "sigma_r_rad",    "Standard deviation of the rotation about each axis.",       .unit = "rad"),
    FIELD(CORRECTION_METHOD,     struct correction_record, method,         "method",         "How it was measured, as the device says.",                  .flags = FIELD_OPTIONAL),
    FIELD(CORRECTION_TIME,       struct correction_record, time_us,        "time_us",        "Time of arrival since 1970.",                               .unit = "us"),
    FIELD(CORRECTION_SINCE,      struct correction_record, since_us,       "since_us",       "Begin of the device's session.",                            .flags = FIELD_HIDDEN),
    FIELD(CORRECTION_UNTIL,      struct correction_record, until_us,       "until_us",       "End of the device's registration.",                         .flags = FIELD_HIDDEN),
    FIELD(CORRECTION_PINNED,     struct correction_record, is_pinned,      "pinned",         "Pinned by an administrator: it is never rejected."),
    FIELD(CORRECTION_SUPERSEDED, struct correction_record, is_superseded,  "superseded",     "A newer one of the same device replaces it.",               .flags = FIELD_DERIVED | FIELD_OPTIONAL),
    FIELD(CORRECTION_REJECTED,   struct correction_record, is_rejected,    "rejected",       "It disagrees with the others.",                             .flags = FIELD_DERIVED | FIELD_OPTIONAL),
    FIELD(CORRECTION_REASON,     struct correction_record, reason,         "reason",         "Why it is rejected: disagrees (with the others), unclear (it disagrees, or what its device said of the other scene does: two corrections do not tell which), scene_moved (since then), too_far (from all others).", .flags = FIELD_DERIVED | FIELD_OPTIONAL),
    FIELD(CORRECTION_WEIGHT,     struct correction_record, weight,         "weight",         "Weight from 0 to 1.",                                       .flags = FIELD_DERIVED | FIELD_OPTIONAL),
    FIELD(CORRECTION_RESIDUAL_T, struct correction_record, residual_t_m,   "residual_t_m",   "Distance from the solution.",                               .flags = FIELD_DERIVED | FIELD_OPTIONAL, .unit = "m"),
    FIELD(CORRECTION_RESIDUAL_R, struct correction_record, residual_r_rad, "residual_r_rad", "The same for its rotation.",                                .flags = FIELD_DERIVED | FIELD_OPTIONAL, .unit = "rad"),
    FIELD(CORRECTION_NOISE_FACTOR, struct correction_record, noise_factor, "noise_factor",   "How many times larger its sigmas are than claimed, as residuals of its method say; only if they deny the claim.", .flags = FIELD_DERIVED | FIELD_OPTIONAL),
};
// clang-format on

const struct schema correction_schema =
    SCHEMA(struct correction_record, "correction", "corrections", correction_fields);

const struct view correction_view_full = {.of = &correction_schema, .name = ""};
