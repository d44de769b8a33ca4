// component.c - components: made, compared, solved, asked (component.h).
#include "actors/alignment/solver/component.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "actors/alignment/solver/verification.h"
#include "actors/alignment/solver/posegraph.h"
#include "actors/alignment/solver/component_report.h"
#include "actors/alignment/solver/component_solve.h"
#include "proto/base/memory.h"

enum {
    WARM_NEW_SCENES = 4, // more than so many scenes are not added to a solution, but solved afresh
    // So few are solved afresh in milliseconds: they give the same bits as after a restart.
    WARM_OBSERVATIONS = 256,
};

struct component *
component_create(uint32_t scene_count, uint64_t **scenes, double **centres, size_t logged_count,
                 struct logged_correction **log)
{
    struct component *self = memory_take_zeroed(sizeof *self);
    atomic_init(&self->references, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->scene_count = scene_count;
    self->scenes = *scenes;
    self->centres = *centres;
    self->logged_count = logged_count;
    self->log = *log;
    *scenes = NULL;
    *centres = NULL;
    *log = NULL;
    return self;
}

struct component *
component_ref(const struct component *self)
{
    struct component *component = (struct component *)(uintptr_t)self;
    atomic_fetch_add(&component->references, 1);
    return component;
}

void
component_unref(struct component **self)
{
    struct component *component = *self;
    *self = NULL;
    if (!component || atomic_fetch_sub(&component->references, 1) > 1)
        return;
    free(component->scenes);
    free(component->centres);
    free(component->log);
    observations_finish(&component->pairs);
    free(component->poses);
    normal_destroy(&component->normal);
    free(component->regions);
    pthread_mutex_destroy(&component->lock);
    free(component->has_sigmas);
    free(component->states);
    free(component->state_links);
    free(component->state_starts);
    free(component->verdicts);
    free(component->verdict_starts);
    free(component);
}

// --- comparison ---

static bool
is_same_pose(const struct rigid *a, const struct rigid *b)
{
    bool is_same = true;
    for (int i = 0; i < 4; i++)
        is_same = is_same && a->rotation[i] == b->rotation[i];
    for (int i = 0; i < 3; i++)
        is_same = is_same && a->translation[i] == b->translation[i];
    return is_same;
}

// Whether they say the same; how they fade is compared apart.
static bool
is_same_correction(const struct correction *a, const struct correction *b)
{
    return strcmp(a->id, b->id) == 0 && a->scene_id == b->scene_id && a->device == b->device &&
           a->session == b->session && a->user == b->user && a->time_us == b->time_us &&
           a->is_pinned == b->is_pinned && is_same_pose(&a->pose, &b->pose) &&
           a->sigma_t_m == b->sigma_t_m && a->sigma_r_rad == b->sigma_r_rad;
}

bool
component_is_same(const struct component *self, const struct component *other)
{
    if (self->scene_count != other->scene_count || self->logged_count != other->logged_count)
        return false;
    for (size_t i = 0; i < self->logged_count; i++) {
        const struct logged_correction *a = &self->log[i], *b = &other->log[i];
        if (a->fade != b->fade || a->is_left_out != b->is_left_out ||
            !is_same_correction(&a->correction, &b->correction))
            return false;
    }
    return memcmp(self->scenes, other->scenes, self->scene_count * sizeof *self->scenes) == 0;
}

uint32_t
component_find(const struct component *self, uint64_t scene_id)
{
    size_t low = 0, high = self->scene_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->scenes[middle] < scene_id)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = low < self->scene_count && self->scenes[low] == scene_id;
    return is_found ? (uint32_t)low : UINT32_MAX;
}

// --- solving ---

static void
make_pairs(struct component *self)
{
    struct standing *standings = memory_take(self->logged_count * sizeof *standings + 1);
    uint32_t *places = memory_take(self->logged_count * sizeof *places + 1), count = 0;
    for (uint32_t i = 0; i < self->logged_count; i++) {
        const struct logged_correction *logged = &self->log[i];
        if (logged->is_left_out)
            continue;
        places[count] = i;
        standings[count++] = (struct standing){&logged->correction, logged->scene, logged->fade};
    }
    observations_init(&self->pairs, standings, count, self->centres);
    for (size_t i = 0; i < self->pairs.observation_count; i++) {
        struct observation *item = &self->pairs.observations[i];
        item->correction_a = places[item->correction_a];
        item->correction_b = places[item->correction_b];
    }
    free(standings);
    free(places);
}

// Takes the poses over, with the centres of now. Returns how many scenes have none.
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
        order = strcmp(self->log[item->correction_a].correction.id,
                       other->log[other_item->correction_a].correction.id);
    if (!order)
        order = strcmp(self->log[item->correction_b].correction.id,
                       other->log[other_item->correction_b].correction.id);
    return order;
}

// Whether the same observations are accepted as before, and of the new ones those that are not
// speak against what is confirmed without them: then a solve from nothing would come to the same.
static bool
is_continued(const struct component *self, const struct component *previous)
{
    const struct observations *now = &self->pairs, *then = &previous->pairs;
    size_t k = 0;
    for (size_t i = 0; i < now->observation_count; i++) {
        const struct observation *item = &now->observations[i];
        int order = -1;
        for (; k < then->observation_count; k++) {
            order = compare_across(self, item, previous, &then->observations[k]);
            if (order <= 0)
                break;
        }
        order = k < then->observation_count ? order : -1;
        if (!order && item->is_accepted != then->observations[k].is_accepted)
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
    if (missing < self->scene_count && missing <= WARM_NEW_SCENES) {
        solve_from(self, is_placed);
        self->regions = verification_regions(self->scene_count, &self->pairs);
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
    make_pairs(self);
    bool is_large = self->pairs.observation_count > WARM_OBSERVATIONS;
    if (is_large && previous && continue_from(self, previous))
        return;
    for (size_t i = 0; i < self->pairs.observation_count; i++)
        self->pairs.observations[i].is_accepted = false;
    solve_afresh(self);
    free(self->regions);
    self->regions = verification_regions(self->scene_count, &self->pairs);
    component_report_make(self);
}

// --- questions ---

struct rigid
component_motion(const struct component *self, uint32_t from, uint32_t to)
{
    struct rigid back = rigid_invert(&self->poses[to]);
    struct rigid motion = rigid_compose(&back, &self->poses[from]);
    struct rigid outwards = rigid_identity, inwards = rigid_identity;
    for (uint32_t i = 0; i < 3; i++) {
        outwards.translation[i] = self->centres[to * 3 + i];
        inwards.translation[i] = -self->centres[from * 3 + i];
    }
    motion = rigid_compose(&motion, &inwards);
    return rigid_compose(&outwards, &motion);
}

// A twist on the left of the motion moves the place of the origin: v + w x t. From the centre of
// `to`, t is where the origin of `from` is.
void
component_sigmas(const struct component *self, uint32_t from, uint32_t to, double *ret_sigma_t_m,
                 double *ret_sigma_r_rad)
{
    double covariance[36], variance_t = 0, variance_r = 0;
    struct rigid motion = component_motion(self, from, to), shift = rigid_identity;
    posegraph_covariance(self->normal, self->poses, from, to, covariance);
    for (uint32_t i = 0; i < 3; i++)
        shift.translation[i] = self->centres[to * 3 + i] - motion.translation[i];
    rigid_carry_covariance(&shift, covariance, covariance);
    for (int i = 0; i < 3; i++) {
        variance_t += covariance[i * 7] / 3;
        variance_r += covariance[21 + i * 7] / 3;
    }
    *ret_sigma_t_m = sqrt(fmax(variance_t, 0));
    *ret_sigma_r_rad = sqrt(fmax(variance_r, 0));
}

size_t
component_states(const struct component *self, uint32_t scene, const struct link_state **ret_states)
{
    struct component *component = (struct component *)(uintptr_t)self;
    pthread_mutex_lock(&component->lock);
    uint32_t start = self->state_starts[scene], end = self->state_starts[scene + 1];
    for (uint32_t i = start; i < end && !self->has_sigmas[scene]; i++) {
        const struct link *link = &self->pairs.links[self->state_links[i]];
        component_sigmas(self, scene, link->a == scene ? link->b : link->a,
                         &component->states[i].sigma_t_m, &component->states[i].sigma_r_rad);
    }
    component->has_sigmas[scene] = true;
    pthread_mutex_unlock(&component->lock);
    *ret_states = self->states + start;
    return end - start;
}

bool
component_link_is_alive(const struct component *self, const struct link *link)
{
    for (uint32_t i = link->first; i < link->first + link->count; i++)
        if (self->pairs.observations[i].is_accepted)
            return true;
    return false;
}
