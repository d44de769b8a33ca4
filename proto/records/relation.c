// relation.c - the fields of links, relations and changes of alignment.
#include "proto/records/relation.h"

#include "proto/base/limits.h"
#include "proto/records/correction.h"
#include "proto/records/device.h"

#define STATUS "none, unverified, predicted or conflicting."

// clang-format off
static const struct field link_fields[] = {
    FIELD(LINK_SCENE,        struct link_record, scene,          "scene",          "Key of the other scene."),
    FIELD(LINK_FROM,         struct link_record, from,           "from",           "In a graph: key of the scene that it leads from.",      .flags = FIELD_OPTIONAL),
    FIELD(LINK_STATUS,       struct link_record, status,         "status",         STATUS),
    FIELD(LINK_TRANSFORM,    struct link_record, transform,      "transform",      "From this scene to the other one.",                     .of = &pose_schema),
    FIELD(LINK_SIGMA_T,      struct link_record, sigma_t_m,      "sigma_t_m",      "Standard deviation of the translation.",                .unit = "m"),
    FIELD(LINK_SIGMA_R,      struct link_record, sigma_r_rad,    "sigma_r_rad",    "Standard deviation of the rotation.",                   .unit = "rad"),
    FIELD(LINK_RESIDUAL_T,   struct link_record, residual_t_m,   "residual_t_m",   "Distance of its observations from the solution.",       .unit = "m"),
    FIELD(LINK_RESIDUAL_R,   struct link_record, residual_r_rad, "residual_r_rad", "The same for the rotation.",                            .unit = "rad"),
    FIELD(LINK_OBSERVATIONS, struct link_record, observations,   "observations",   "Pairs of corrections that it rests on."),
    FIELD(LINK_REJECTED,     struct link_record, rejected,       "rejected",       "Pairs that disagree with the others."),
    FIELD(LINK_DEVICES,      struct link_record, devices,        "devices",        "Devices that sent them."),
};

static const struct field scene_alignment_fields[] = {
    FIELD(SCENE_ALIGNMENT_SCENE,       struct scene_alignment, scene,       "scene",       "Key of the scene."),
    FIELD(SCENE_ALIGNMENT_EPOCH,       struct scene_alignment, epoch,       "epoch",       "Grows with each relevant change of a link; 0 until a start has solved all."),
    FIELD(SCENE_ALIGNMENT_AS_OF,       struct scene_alignment, as_of_us,    "as_of_us",     "Corrections that came until then are in it; absent until a start has solved all.", .flags = FIELD_OPTIONAL, .unit = "us"),
    FIELD(SCENE_ALIGNMENT_CONTRARY,    struct scene_alignment, contrary_share, "rejected_share", "Share of the evidence about this scene and all that it is connected with which disagrees with the rest. More than 0.2: what devices claim of their accuracy is wrong, or many of them lie.", .flags = FIELD_OPTIONAL),
    FIELD(SCENE_ALIGNMENT_CONFIDENCE,  struct scene_alignment, confidence,  "confidence",  CONFIDENCE, .flags = FIELD_OPTIONAL),
    FIELD(SCENE_ALIGNMENT_LINKS,       struct scene_alignment, links,       "links",       "Links with other scenes.",        .of = &link_schema, .limit = LIMIT_SCENE_EVIDENCE),
    FIELD(SCENE_ALIGNMENT_CORRECTIONS, struct scene_alignment, corrections, "corrections", "Corrections that the links rest on.", .of = &correction_schema, .limit = LIMIT_SCENE_EVIDENCE),
};

static const struct field graph_scene_fields[] = {
    FIELD(GRAPH_SCENE_KEY,      struct graph_scene, key,       "key",       "Key of the scene."),
    FIELD(GRAPH_SCENE_FRAGMENT, struct graph_scene, fragment,  "fragment",  "Key of the scene in whose coordinates its pose is."),
    FIELD(GRAPH_SCENE_POSE,     struct graph_scene, pose,      "pose",      "From its coordinates to those of that scene.", .flags = FIELD_OPTIONAL, .of = &pose_schema),
    FIELD(GRAPH_SCENE_SIGMA_T,  struct graph_scene, sigma_t_m, "sigma_t_m", "Standard deviation of the translation.",       .flags = FIELD_OPTIONAL, .unit = "m"),
};

static const struct field graph_fields[] = {
    FIELD(GRAPH_SCENES,      struct graph_record, scenes,      "scenes",      "The scene that was asked for, then those that links lead to, the nearest first.", .of = &graph_scene_schema, .limit = LIMIT_GRAPH_SCENES),
    FIELD(GRAPH_LINKS,       struct graph_record, links,       "links",       "Links between these scenes, each once.", .of = &link_schema, .limit = LIMIT_GRAPH_LINKS),
    FIELD(GRAPH_CORRECTIONS, struct graph_record, corrections, "corrections", "Corrections in these scenes that count."),
    FIELD(GRAPH_CUT,         struct graph_record, is_cut,      "cut",         "There are more scenes or links within these hops than one answer takes."),
    FIELD(GRAPH_EPOCH,       struct graph_record, epoch,       "epoch",       "Grows with each relevant change of a link; 0 until a start has solved all."),
};

static const struct field relation_fields[] = {
    FIELD(RELATION_FROM,         struct relation_record, from,         "from",         "Key of the scene that is mapped."),
    FIELD(RELATION_TO,           struct relation_record, to,           "to",           "Key of the scene that it is mapped to."),
    FIELD(RELATION_STATUS,       struct relation_record, status,       "status",       STATUS),
    FIELD(RELATION_CONFIDENCE,   struct relation_record, confidence,   "confidence",   CONFIDENCE,                                           .flags = FIELD_OPTIONAL),
    FIELD(RELATION_TRANSFORM,    struct relation_record, transform,    "transform",    "From coordinates of one scene to those of the other.", .of = &pose_schema),
    FIELD(RELATION_SIGMA_T,      struct relation_record, sigma_t_m,    "sigma_t_m",    "Standard deviation of the translation.",             .flags = FIELD_OPTIONAL, .unit = "m"),
    FIELD(RELATION_SIGMA_R,      struct relation_record, sigma_r_rad,  "sigma_r_rad",  "Standard deviation of the rotation.",                .flags = FIELD_OPTIONAL, .unit = "rad"),
    FIELD(RELATION_COVARIANCE,   struct relation_record, covariance,   "covariance",   "36 numbers, row-major: covariance of (tx, ty, tz, rx, ry, rz), a twist on the left of the transform in the axes of the answer.", .flags = FIELD_OPTIONAL, .unit = "m2, m rad and rad2", .axes = AXES_COVARIANCE),
    FIELD(RELATION_OBSERVATIONS, struct relation_record, observations, "observations", "Pairs of corrections along the path."),
    FIELD(RELATION_DEVICES,      struct relation_record, devices,      "devices",      "Devices that sent them."),
    FIELD(RELATION_PATH,         struct relation_record, path,         "path",         "Keys of the scenes on the way there.",               .limit = LIMIT_RECORDS),
    FIELD(RELATION_EPOCH,        struct relation_record, epoch,        "epoch",        "Grows with each relevant change of a link; 0 until a start has solved all."),
    FIELD(RELATION_AS_OF,        struct relation_record, as_of_us,     "as_of_us",     "Corrections that came until then are in it; absent until a start has solved all.", .flags = FIELD_OPTIONAL, .unit = "us"),
};

static const struct field alignment_change_fields[] = {
    FIELD(ALIGNMENT_CHANGE_SCENE,     struct alignment_change, scene,     "scene",     "Key of the scene."),
    FIELD(ALIGNMENT_CHANGE_DEVICE,    struct alignment_change, device,    "device",    "Key of the device that was corrected; absent where links moved.", .flags = FIELD_OPTIONAL),
    FIELD(ALIGNMENT_CHANGE_TRANSFORM, struct alignment_change, transform, "transform", "From device to scene coordinates.",                              .flags = FIELD_OPTIONAL, .of = &pose_schema),
    FIELD(ALIGNMENT_CHANGE_EPOCH,     struct alignment_change, epoch,     "epoch",     "Grows with each relevant change of a link."),
};
// clang-format on

const struct schema link_schema = SCHEMA(struct link_record, "link", "links", link_fields);
const struct schema scene_alignment_schema =
    SCHEMA(struct scene_alignment, "scene_alignment", "scene_alignments", scene_alignment_fields);
const struct schema graph_scene_schema =
    SCHEMA(struct graph_scene, "graph_scene", "graph_scenes", graph_scene_fields);
const struct schema graph_schema = SCHEMA(struct graph_record, "graph", "graphs", graph_fields);
const struct schema relation_schema =
    SCHEMA(struct relation_record, "relation", "relations", relation_fields);
const struct schema alignment_change_schema = SCHEMA(struct alignment_change, "alignment_change",
                                                     "alignment_changes", alignment_change_fields);

const struct view scene_alignment_view_full = {.of = &scene_alignment_schema, .name = ""};
const struct view graph_view_full = {.of = &graph_schema, .name = ""};
const struct view relation_view_full = {.of = &relation_schema, .name = ""};
