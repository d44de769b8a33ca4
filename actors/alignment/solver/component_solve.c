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
        standings[count++] =
            (struct standing){&item->correction, item->scene, item->fade, item->step};
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

// Copies poses of the last solution, moved to the centres of this one.
static struct rigid *
take_poses(const struct component *self, const struct component *previous,
           const struct rigid *previous_poses)
{
    struct rigid *poses = memory_take(self->scene_count * sizeof *poses);
    for (uint32_t scene = 0; scene < self->scene_count; scene++) {
        uint32_t old = component_find(previous, self->scenes[scene]);
        if (old == UINT32_MAX)
            continue;
        struct rigid shift = rigid_identity;
        for (uint32_t i = 0; i < 3; i++)
            shift.translation[i] = self->centres[scene * 3 + i] - previous->centres[old * 3 + i];
        poses[scene] = rigid_compose(&previous_poses[old], &shift);
    }
    return poses;
}

// How far the centres of its scenes have moved since, three numbers each; NULL if they have not.
static double *
find_shifts(const struct component *self, const struct component *previous)
{
    size_t count = self->scene_count * (size_t)3;
    bool is_any = false;
    double *shifts = memory_take(count * sizeof *shifts);
    for (size_t i = 0; i < count; i++) {
        shifts[i] = self->centres[i] - previous->centres[i];
        is_any = is_any || shifts[i] != 0;
    }
    if (!is_any) {
        free(shifts);
        return NULL;
    }
    return shifts;
}

// Takes the factors of the last solution, which has the same scenes. That of the end serves a stage
// whose own was too large to be kept.
static void
take_factors(struct known_poses *self, const struct component *component,
             const struct component *previous)
{
    double *shifts = find_shifts(component, previous);
    for (size_t i = 0; i < COMPONENT_ROUNDS * (COMPONENT_STAGES + 1); i++) {
        size_t round = i / (COMPONENT_STAGES + 1), stage = i % (COMPONENT_STAGES + 1);
        const kept_factor_t *factor = previous->factors[round][stage];
        factor = factor ? factor : previous->factors[round][COMPONENT_STAGES];
        factor = factor ? factor : previous->factor;
        self->factors[round][stage] =
            shifts ? kept_factor_shift(factor, shifts) : kept_factor_copy(factor);
    }
    free(shifts);
}

static bool
is_same_scenes(const struct component *self, const struct component *previous)
{
    return self->scene_count == previous->scene_count &&
           memcmp(self->scenes, previous->scenes, self->scene_count * sizeof *self->scenes) == 0;
}

// Takes the stages of the last solution, if that has all scenes but a few.
static bool
known_poses_init(struct known_poses *self, const struct component *component,
                 const struct component *previous)
{
    uint32_t missing = 0;
    bool *is_known = memory_take(component->scene_count * sizeof *is_known);
    for (uint32_t scene = 0; scene < component->scene_count; scene++) {
        is_known[scene] = component_find(previous, component->scenes[scene]) != UINT32_MAX;
        missing += !is_known[scene];
    }
    *self = (struct known_poses){.is_known = is_known};
    for (size_t i = 0; i < COMPONENT_ROUNDS * COMPONENT_STAGES; i++) {
        size_t round = i / COMPONENT_STAGES, stage = i % COMPONENT_STAGES;
        const struct rigid *poses = previous->stages[round][stage];
        if (poses && missing <= CONTINUED_NEW_SCENES)
            self->stages[round][stage] = take_poses(component, previous, poses);
    }
    if (is_same_scenes(component, previous) && previous->factor && !previous->is_given_up)
        take_factors(self, component, previous);
    return missing <= CONTINUED_NEW_SCENES;
}

// Scenes are at the same places of the order only if there are no others.
static void
take_order(struct component *self, const struct component *previous)
{
    if (is_same_scenes(self, previous) && previous->order.node_count)
        normal_order_keep(&self->order, &previous->order);
}

static void
known_poses_finish(struct known_poses *self)
{
    for (size_t i = 0; i < COMPONENT_ROUNDS * COMPONENT_STAGES; i++)
        free(self->stages[i / COMPONENT_STAGES][i % COMPONENT_STAGES]);
    for (size_t i = 0; i < COMPONENT_ROUNDS * (COMPONENT_STAGES + 1); i++)
        kept_factor_destroy(&self->factors[i / (COMPONENT_STAGES + 1)][i % (COMPONENT_STAGES + 1)]);
    free(self->is_known);
}

// Whether residuals say that the noise is another one than was thought; then it is `next`. The
// estimate is exact, so that it is the same after a restart: what a factor of before says decides
// nothing but that the noise has surely not changed.
static bool
is_other_noise(struct component *self, struct noise_model *next)
{
    if (!kept_factor_is_exact(self->factor)) {
        if (noise_model_is_settled(next, &self->observations, self->scene_count, self->poses,
                                   self->factor))
            return false;
        robust_solve_factor(self);
    }
    return !effort_is_over(self->effort) &&
           noise_model_estimate(next, &self->observations, self->scene_count, self->poses,
                                self->factor);
}

// Solves again while residuals say that the noise is another one than was thought.
static void
solve_with_noise(struct component *self, const struct known_poses *known)
{
    struct noise_model next = {0};
    make_observations(self, &self->noise);
    bool is_kept = robust_solve(self, 0, known);
    for (uint32_t round = 1; round < COMPONENT_ROUNDS && !effort_is_over(self->effort); round++) {
        if (!is_other_noise(self, &next))
            break;
        noise_model_copy(&self->noise, &next);
        observations_finish(&self->observations);
        make_observations(self, &self->noise);
        is_kept = robust_solve(self, round, known);
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
    struct known_poses known = {0};
    bool is_continued = is_large && previous && known_poses_init(&known, self, previous);
    if (is_continued)
        take_order(self, previous);
    solve_with_noise(self, is_continued ? &known : NULL);
    known_poses_finish(&known);
    if (effort_is_stopped(self->effort))
        return;
    self->regions = verification_regions(self->scene_count, &self->observations,
                                         self->confirm_users, self->effort);
    component_report_make(self);
    self->is_certified = certificate_check(self);
}
