// derived_pose.c - where devices stand that did not say so: from where they stand in another scene,
// by how the two scenes relate.

#include "actors/scene/device/derived_pose.h"

#include "actors/scene/scene_shard.h"

enum { ORIGINS = 4 }; // how many of the newest registrations are tried

void
bearing_covariance(const struct rigid *pose, double sigma_t_m, double sigma_r_rad,
                   double *ret_covariance)
{
    double said[36] = {0};
    for (int i = 0; i < 3; i++) {
        said[i * 7] = sigma_t_m * sigma_t_m;
        said[21 + i * 7] = sigma_r_rad * sigma_r_rad;
    }
    rigid_carry_covariance(pose, said, ret_covariance);
}

// A twist on the left of the relation is one on the left of the pose too: the scenes may lie far
// from their origins, and what a rotation does to the relation's translation it undoes there.
static void
derive(const struct bearing *bearing, const struct relation *relation,
       struct derived_pose *ret_derived)
{
    *ret_derived = (struct derived_pose){
        .relation = relation,
        .origin = bearing->scene_id,
        .pose = rigid_compose(&relation->motion, &bearing->pose),
    };
    double *covariance = ret_derived->covariance;
    bearing_covariance(&ret_derived->pose, bearing->sigma_t_m, bearing->sigma_r_rad, covariance);
    for (int i = 0; i < 36; i++)
        covariance[i] += relation->covariance[i];
    rigid_sigmas_at(covariance, ret_derived->pose.translation, &ret_derived->sigma_t_m,
                    &ret_derived->sigma_r_rad);
}

bool
derived_pose_find(struct shard *self, const struct caller *caller, uint64_t scene_id,
                  const struct text *device, struct derived_pose *ret_derived, bool *ret_is_asked)
{
    const atlas_t *atlas = self->settings.atlas;
    struct bearing bearings[ORIGINS];
    size_t count = atlas_bearings(atlas, device, ORIGINS, bearings);
    *ret_is_asked = true;
    for (size_t i = 0; i < count; i++) {
        uint64_t from = bearings[i].scene_id;
        if (from == scene_id || !atlas_sees(atlas, from, caller))
            continue;
        const struct relation *relation =
            scene_relations_between(&self->relations, atlas, caller, from, scene_id);
        if (!relation)
            *ret_is_asked = false;
        if (!relation || relation->status == ALIGNMENT_NONE)
            continue;
        derive(&bearings[i], relation, ret_derived);
        return true;
    }
    return false;
}
