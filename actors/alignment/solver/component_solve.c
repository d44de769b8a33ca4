// component_solve.c - the solve of a component (component_solve.h): continued from the last
// solution if little changed, else from nothing.
#include "actors/alignment/solver/component_solve.h"

#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/component_report.h"
#include "actors/alignment/solver/robust_solve.h"
#include "actors/alignment/solver/verification.h"
#include "proto/base/memory.h"

enum {
    CONTINUED_NEW_SCENES = 4, // at most so many scenes are added to a solution; more: from nothing
    // A smaller component is solved from nothing within milliseconds. It then has the same bits as
    // after a restart.
    CONTINUED_OBSERVATIONS = 256,
};

static void
make_observations(struct component *self)
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
    observations_init(&self->observations, standings, count, self->centres);
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
take_poses(struct component *self, const struct component *previous, bool *is_placed)
{
    uint32_t missing = 0;
    for (uint32_t scene = 0; scene < self->scene_count; scene++) {
        uint32_t old = component_find(previous, self->scenes[scene]);
        is_placed[scene] = old != UINT32_MAX;
        missing += !is_placed[scene];
        if (!is_placed[scene])
            continue;
        struct rigid shift = rigid_identity;
        for (uint32_t i = 0; i < 3; i++)
            shift.translation[i] = self->centres[scene * 3 + i] - previous->centres[old * 3 + i];
        self->poses[scene] = rigid_compose(&previous->poses[old], &shift);
    }
    return missing;
}

static int
compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

// The order of observations is that of the ids of their scenes, times and corrections, in every
// component.
static int
compare_across(const struct component *self, const struct observation *item,
               const struct component *other, const struct observation *other_item)
{
    int order = compare_numbers(self->scenes[item->a], other->scenes[other_item->a]);
    if (!order)
        order = compare_numbers(self->scenes[item->b], other->scenes[other_item->b]);
    if (!order)
        order = compare_numbers(item->time_us, other_item->time_us);
    if (!order)
        order = strcmp(self->corrections[item->correction_a].correction.id,
                       other->corrections[other_item->correction_a].correction.id);
    if (!order)
        order = strcmp(self->corrections[item->correction_b].correction.id,
                       other->corrections[other_item->correction_b].correction.id);
    return order;
}

// Whether a solve from nothing would find the same: the observations of before are accepted as they
// were, and each new one that is rejected contradicts what is confirmed without it.
static bool
is_continued(const struct component *self, const struct component *previous)
{
    const struct observations *now = &self->observations, *then = &previous->observations;
    size_t k = 0;
    for (size_t i = 0; i < now->count; i++) {
        const struct observation *item = &now->items[i];
        int order = -1;
        for (; k < then->count; k++) {
            order = compare_across(self, item, previous, &then->items[k]);
            if (order <= 0)
                break;
        }
        order = k < then->count ? order : -1;
        if (!order && item->is_accepted != then->items[k].is_accepted)
            return false;
        if (order && !item->is_accepted && self->regions[item->a] != self->regions[item->b])
            return false;
    }
    return true;
}

static bool
continue_from(struct component *self, const struct component *previous)
{
    bool *is_placed = memory_take(self->scene_count * sizeof *is_placed);
    bool is_done = false;
    uint32_t missing = take_poses(self, previous, is_placed);
    if (missing < self->scene_count && missing <= CONTINUED_NEW_SCENES) {
        robust_solve_from(self, is_placed);
        self->regions = verification_regions(self->scene_count, &self->observations);
        component_report_make(self);
        is_done = is_continued(self, previous);
    }
    free(is_placed);
    return is_done;
}

void
component_solve(struct component *self, const struct component *previous)
{
    self->poses = memory_take(self->scene_count * sizeof *self->poses);
    self->has_sigmas = memory_take_zeroed(self->scene_count * sizeof *self->has_sigmas);
    make_observations(self);
    bool is_large = self->observations.count > CONTINUED_OBSERVATIONS;
    if (is_large && previous && continue_from(self, previous))
        return;
    for (size_t i = 0; i < self->observations.count; i++)
        self->observations.items[i].is_accepted = false;
    robust_solve_afresh(self);
    free(self->regions);
    self->regions = verification_regions(self->scene_count, &self->observations);
    component_report_make(self);
}
