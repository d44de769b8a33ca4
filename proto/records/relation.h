// relation.h - relations between scenes, as answers and events show them.
#ifndef DIORAMA_PROTO_RECORDS_RELATION_H
#define DIORAMA_PROTO_RECORDS_RELATION_H

#include "proto/record/record.h"
#include "proto/record/view.h"

enum link_field {
    LINK_SCENE = 0,
    LINK_STATUS = 1,
    LINK_TRANSFORM = 2,
    LINK_SIGMA_T = 3,
    LINK_SIGMA_R = 4,
    LINK_RESIDUAL_T = 5,
    LINK_RESIDUAL_R = 6,
    LINK_OBSERVATIONS = 7,
    LINK_REJECTED = 8,
    LINK_DEVICES = 9,
    LINK_FROM = 10,
};

// A link of a scene with another one.
struct link_record {
    struct record base;
    const struct text *scene; // the other one
    const struct text *status;
    const struct record *transform; // struct pose, to the other one
    double sigma_t_m;
    double sigma_r_rad;
    double residual_t_m;
    double residual_r_rad;
    int64_t observations;
    int64_t rejected; // of them
    int64_t devices;
    const struct text *from; // of a graph: the scene that it leads from
};

enum scene_alignment_field {
    SCENE_ALIGNMENT_SCENE = 0,
    SCENE_ALIGNMENT_EPOCH = 1,
    SCENE_ALIGNMENT_LINKS = 2,
    SCENE_ALIGNMENT_CORRECTIONS = 3,
    SCENE_ALIGNMENT_AS_OF = 4,
    SCENE_ALIGNMENT_CONTRARY = 5,
    SCENE_ALIGNMENT_CONFIDENCE = 6,
};

// What is known about the alignment of a scene.
struct scene_alignment {
    struct record base;
    const struct text *scene;
    int64_t epoch;
    int64_t as_of_us;                  // of the solution, calendar
    const struct text *confidence;     // or NULL
    double contrary_share;             // of the evidence that the scene is connected with
    const struct records *links;       // struct link_record
    const struct records *corrections; // struct correction_record
};

enum graph_scene_field {
    GRAPH_SCENE_KEY = 0,
    GRAPH_SCENE_FRAGMENT = 1,
    GRAPH_SCENE_POSE = 2,
    GRAPH_SCENE_SIGMA_T = 3,
};

// A scene of a graph, and where it is in the coordinates of the one that was asked for.
struct graph_scene {
    struct record base;
    const struct text *key;
    const struct text *fragment;
    const struct record *pose; // struct pose
    double sigma_t_m;
};

enum graph_field {
    GRAPH_SCENES = 0,
    GRAPH_LINKS = 1,
    GRAPH_CORRECTIONS = 2,
    GRAPH_CUT = 3,
    GRAPH_EPOCH = 4,
};

// The scenes around one, and the links between them.
struct graph_record {
    struct record base;
    const struct records *scenes; // struct graph_scene
    const struct records *links;  // struct link_record with `from`
    int64_t corrections;
    bool is_cut;
    int64_t epoch;
};

enum relation_field {
    RELATION_FROM = 0,
    RELATION_TO = 1,
    RELATION_STATUS = 2,
    RELATION_TRANSFORM = 3,
    RELATION_SIGMA_T = 4,
    RELATION_SIGMA_R = 5,
    RELATION_OBSERVATIONS = 6,
    RELATION_DEVICES = 7,
    RELATION_PATH = 8,
    RELATION_EPOCH = 9,
    RELATION_COVARIANCE = 10,
    RELATION_AS_OF = 11,
    RELATION_CONFIDENCE = 12,
};

// How one scene relates to another.
struct relation_record {
    struct record base;
    const struct text *from;
    const struct text *to;
    const struct text *status;
    const struct record *transform; // struct pose
    const struct text *confidence;
    double sigma_t_m;
    double sigma_r_rad;
    double covariance[36]; // of twists on the left of the transform
    int64_t observations;
    int64_t devices;
    const struct texts *path; // keys of scenes
    int64_t epoch;
    int64_t as_of_us; // of the solution, calendar
};

enum alignment_change_field {
    ALIGNMENT_CHANGE_SCENE = 0,
    ALIGNMENT_CHANGE_DEVICE = 1,
    ALIGNMENT_CHANGE_TRANSFORM = 2,
    ALIGNMENT_CHANGE_EPOCH = 3,
};

// The record of event 45: a device corrected its transform, or (without a device) links of the
// scene changed. A listener asks for the links, since not every listener may see the other scenes.
struct alignment_change {
    struct record base;
    const struct text *scene;
    const struct text *device;      // or NULL
    const struct record *transform; // struct pose, of the device
    int64_t epoch;                  // of the solution
};

extern const struct schema link_schema;
extern const struct schema scene_alignment_schema;
extern const struct schema graph_scene_schema;
extern const struct schema graph_schema;
extern const struct schema relation_schema;
extern const struct schema alignment_change_schema;

extern const struct view scene_alignment_view_full;
extern const struct view graph_view_full;
extern const struct view relation_view_full;

#endif
