// component_solve.c - the solve of a component (component_solve.h): continued from the last
// solution if little changed, else from nothing.
#include "actors/alignment/solver/component_solve.h"

#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/certificate.h"
#include "actors/alignment/solver/component_report.h"
#include "actors/alignment/solver/noise_model.h"
#include "actors/alignment/solver/robust_solve.h"
#include "actors/alignment/solver/verification.h"
#include "proto/base/memory.h"

enum {
    CONTINUED_NEW_SCENES = 4, // at most so many scenes are added to a solution; more: from nothing
    NOISE_ROUNDS = 5,         // of solves with another model of the noise
};

static void
make_observations(struct component *self, const struct noise_model *noise)
{
    struct standing *standings = memory_take(self->correction_count * sizeof *standings + 1);
    uint32_t *places = memory_take(self->correction_count * sizeof *places + 1), count = 0;
    for (uint32_t i = 0; i < self->correction_count; i++) {
        const struct component_correction *item = &self->corrections[i];
        if (item->is_left_out)
            continue;
        places[count] = i;
        standings[count++] = (struct standing){&item->correction, item->scene, item->fade};
    }
    observations_init(&self->observations, standings, count, self->centres, noise, self->effort);
    for (size_t i = 0; i < self->observations.count; i++) {
        struct observation *item = &self->observations.items[i];
        item->correction_a = places[item->correction_a];
        item->correction_b = places[item->correction_b];
    }
    free(standings);
    free(places);
}

// Copies the poses of the last solution, moved to the centres of this one. Returns how many scenes
// have none.
static uint32_t
take_poses(const struct component *self, const struct component *previous, struct rigid *ret_poses,
           bool *ret_is_known)
{
    uint32_t missing = 0;
    for (uint32_t scene = 0; scene < self->scene_count; scene++) {
        uint32_t old = component_find(previous, self->scenes[scene]);
        ret_is_known[scene] = old != UINT32_MAX;
        missing += !ret_is_known[scene];
        if (!ret_is_known[scene])
            continue;
        struct rigid shift = rigid_identity;
        for (uint32_t i = 0; i < 3; i++)
            shift.translation[i] = self->centres[scene * 3 + i] - previous->centres[old * 3 + i];
        ret_poses[scene] = rigid_compose(&previous->poses[old], &shift);
    }
    return missing;
}

// Solves again while residuals say that the noise is another one than was thought.
static void
solve_with_noise(struct component *self, const struct known_poses *known)
{
    struct noise_model next = {0};
    make_observations(self, &self->noise);
    bool is_kept = robust_solve(self, known);
    for (int round = 1; round < NOISE_ROUNDS && !effort_is_over(self->effort); round++) {
        if (!noise_model_estimate(&next, &self->observations, self->scene_count, self->poses))
            break;
        noise_model_copy(&self->noise, &next);
        observations_finish(&self->observations);
        make_observations(self, &self->noise);
        is_kept = robust_solve(self, NULL);
    }
    if (!is_kept && !effort_is_over(self->effort))
        robust_solve_by_trees(self);
    noise_model_finish(&next);
}

void
component_solve(struct component *self, const struct component *previous)
{
    self->poses = memory_take(self->scene_count * sizeof *self->poses);
    self->has_sigmas = memory_take_zeroed(self->scene_count * sizeof *self->has_sigmas);
    bool is_large = self->correction_count > ROBUST_SOLVE_KNOWN;
    struct rigid *poses = memory_take(self->scene_count * sizeof *poses);
    bool *is_known = memory_take(self->scene_count * sizeof *is_known);
    const struct known_poses known = {poses, is_known};
    bool is_continued =
        is_large && previous && take_poses(self, previous, poses, is_known) <= CONTINUED_NEW_SCENES;
    solve_with_noise(self, is_continued ? &known : NULL);
    free(poses);
    free(is_known);
    if (effort_is_stopped(self->effort))
        return;
    self->regions = verification_regions(self->scene_count, &self->observations,
                                         self->confirm_users, self->effort);
    component_report_make(self);
    self->is_certified = certificate_check(self);
}
