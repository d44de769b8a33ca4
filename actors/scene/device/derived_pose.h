// derived_pose.h - where devices stand that did not say so.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_DERIVED_POSE_H
#define DIORAMA_ACTORS_SCENE_DEVICE_DERIVED_POSE_H

#include "actors/alignment/scene_relations.h"
#include "proto/message/message.h"

struct shard;

struct derived_pose {
    const struct relation *relation; // from the origin; borrowed until the next
                                     // scene_relations_begin
    uint64_t origin;                 // id of the scene that it starts from
    struct rigid pose;               // device to scene coordinates
    double covariance[36];           // of twists on its left, in the axes of the scene
    double sigma_t_m;                // of where the device is
    double sigma_r_rad;
};

// The covariance (6x6) of twists on the left of a pose that is as sure in all directions.
void bearing_covariance(const struct rigid *pose, double sigma_t_m, double sigma_r_rad,
                        double *ret_covariance);

// Where the device stands in the scene as follows from where it said to stand in another one, as
// far as the caller may know. False where nothing is known; `*ret_is_asked` = whether that was
// found out.
bool derived_pose_find(struct shard *self, const struct caller *caller, uint64_t scene_id,
                       const struct text *device, struct derived_pose *ret_derived,
                       bool *ret_is_asked);

#endif
