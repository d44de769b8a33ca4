// derived_pose.c - where devices stand that did not say so: from where they stand in another scene,
// by how the two scenes relate.

#include "actors/scene/device/derived_pose.h"

#include <math.h>

#include "actors/scene/scene_shard.h"

enum { ORIGINS = 4 }; // how many of the newest registrations are tried

// Of a point that lies `distance` metres from the origin that the rotation is about, each
// coordinate.
static double
lever_sigma_m(double sigma_r_rad, double distance_m)
{
    return sigma_r_rad * distance_m * sqrt(2.0 / 3.0);
}

static void
derive(const struct bearing *bearing, const struct relation *relation,
       struct derived_pose *ret_derived)
{
    const double *at = bearing->pose.translation;
    double distance_m = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
    double lever_m = lever_sigma_m(relation->sigma_r_rad, distance_m);
    *ret_derived = (struct derived_pose){
        .relation = relation,
        .origin = bearing->scene_id,
        .pose = rigid_compose(&relation->motion, &bearing->pose),
        .sigma_t_m = sqrt(relation->sigma_t_m * relation->sigma_t_m + lever_m * lever_m +
                          bearing->sigma_t_m * bearing->sigma_t_m),
        .sigma_r_rad = hypot(relation->sigma_r_rad, bearing->sigma_r_rad),
    };
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
