// component.c - components: created, compared, asked (component.h).
#include "actors/alignment/solver/component.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/posegraph.h"
#include "proto/base/memory.h"

// Entries, of 12 bytes each, of factors that are kept beside the last one: of the first round, in
// which most components are solved, and of others.
#define MOST_ENTRIES 2e7
#define MOST_ENTRIES_LATER 3e6
#define FAR_STRAIN 0.3 // of the last factor at the poses of a stage: beyond, it leads slowly

struct component *
component_create(uint32_t scene_count, uint64_t **scenes, double **centres, size_t correction_count,
                 struct component_correction **corrections)
{
    struct component *self = memory_take_zeroed(sizeof *self);
    atomic_init(&self->references, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->scene_count = scene_count;
    self->scenes = *scenes;
    self->centres = *centres;
    self->correction_count = correction_count;
    self->corrections = *corrections;
    *scenes = NULL;
    *centres = NULL;
    *corrections = NULL;
    return self;
}

void
component_keep_factor(struct component *self, uint32_t round, size_t stage)
{
    kept_factor_t **kept = &self->factors[round][stage];
    kept_factor_destroy(kept);
    double most = round ? MOST_ENTRIES_LATER : MOST_ENTRIES;
    if (self->factor && kept_factor_entries(self->factor) <= most)
        *kept = kept_factor_copy(self->factor);
}

void
component_end_round(struct component *self, uint32_t round)
{
    component_keep_factor(self, round, COMPONENT_STAGES);
    for (size_t stage = 0; stage < COMPONENT_STAGES; stage++) {
        const struct rigid *poses = self->stages[round][stage];
        if (!poses || kept_factor_strain(self->factor, poses) <= FAR_STRAIN)
            kept_factor_destroy(&self->factors[round][stage]);
    }
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
    free(component->corrections);
    observations_finish(&component->observations);
    noise_model_finish(&component->noise);
    free(component->poses);
    for (size_t i = 0; i < COMPONENT_ROUNDS * COMPONENT_STAGES; i++)
        free(component->stages[i / COMPONENT_STAGES][i % COMPONENT_STAGES]);
    for (size_t i = 0; i < COMPONENT_ROUNDS * (COMPONENT_STAGES + 1); i++)
        kept_factor_destroy(
            &component->factors[i / (COMPONENT_STAGES + 1)][i % (COMPONENT_STAGES + 1)]);
    normal_order_finish(&component->order);
    kept_factor_destroy(&component->factor);
    free(component->regions);
    free(component->is_doubtful);
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
           a->method == b->method && a->sigma_t_m == b->sigma_t_m &&
           a->sigma_r_rad == b->sigma_r_rad;
}

bool
component_is_same(const struct component *self, const struct component *other)
{
    if (self->scene_count != other->scene_count ||
        self->correction_count != other->correction_count)
        return false;
    for (size_t i = 0; i < self->correction_count; i++) {
        const struct component_correction *a = &self->corrections[i], *b = &other->corrections[i];
        if (a->fade != b->fade || a->step != b->step || a->is_left_out != b->is_left_out ||
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

// Poses are about the centres of scenes; from its origin, a twist about the centre has a lever.
void
component_covariance(const struct component *self, uint32_t from, uint32_t to,
                     double *ret_covariance)
{
    struct rigid centre = rigid_identity;
    memcpy(centre.translation, &self->centres[to * 3], sizeof centre.translation);
    kept_factor_covariance(self->factor, self->poses, from, to, ret_covariance);
    rigid_carry_covariance(&centre, ret_covariance, ret_covariance);
}

static void
find_sigmas(const struct component *self, uint32_t from, uint32_t to, struct link_state *ret_state)
{
    double covariance[36];
    struct rigid motion = component_motion(self, from, to);
    component_covariance(self, from, to, covariance);
    rigid_sigmas_at(covariance, motion.translation, &ret_state->sigma_t_m, &ret_state->sigma_r_rad);
}

size_t
component_states(const struct component *self, uint32_t scene, const struct link_state **ret_states)
{
    struct component *component = (struct component *)(uintptr_t)self;
    pthread_mutex_lock(&component->lock);
    uint32_t start = self->state_starts[scene], end = self->state_starts[scene + 1];
    for (uint32_t i = start; i < end && !self->has_sigmas[scene]; i++) {
        const struct link *link = &self->observations.links[self->state_links[i]];
        find_sigmas(self, scene, link->a == scene ? link->b : link->a, &component->states[i]);
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
        if (self->observations.items[i].is_accepted)
            return true;
    return false;
}
