// evidence.c - keeps all corrections (solver.h), and solves the components of those that count. One
// thread.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/component_solve.h"
#include "actors/alignment/solver/gathering.h"
#include "actors/alignment/solver/solution.h"
#include "actors/alignment/solver/solver.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/base/table.h"

// Floating-point operations of a solve; a core does one to two in a nanosecond. A graph of 2,500
// scenes on a sphere takes 300,000 for each correction, one on a torus a million.
#define EFFORT 3e6
#define LEAST_EFFORT 2e9
#define MOST_EFFORT 2e11

// The corrections of one session in one scene. The newest one counts. Superseded ones are kept in
// case the newest is removed.
struct stand {
    uint64_t scene_id, device, session;
    uint32_t count;
    struct correction *corrections[LIMIT_SUPERSEDED + 1]; // from the oldest to the newest
};

struct evidence {
    struct table stands;      // by scene and session
    struct table corrections; // struct correction, by id
    uint32_t confirm_users;
    const atomic_bool *stop; // breaks off a solve; NULL = nothing does
};

// --- keys ---

static uint64_t
hash_stand(const struct correction *correction)
{
    return table_hash_u64(correction->scene_id ^
                          table_hash_u64(correction->session ^ table_hash_u64(correction->device)));
}

static bool
matches_stand(const void *value, const void *key)
{
    const struct stand *stand = value;
    const struct correction *correction = key;
    return stand->scene_id == correction->scene_id && stand->session == correction->session &&
           stand->device == correction->device;
}

static bool
matches_id(const void *value, const void *key)
{
    return strcmp(((const struct correction *)value)->id, key) == 0;
}

// --- corrections ---

evidence_t *
evidence_create(void)
{
    return memory_take_zeroed(sizeof(evidence_t));
}

void
evidence_destroy(evidence_t **self)
{
    if (!*self)
        return;
    void *value;
    for (size_t cursor = 0; (value = table_next(&(*self)->stands, &cursor));)
        free(value);
    for (size_t cursor = 0; (value = table_next(&(*self)->corrections, &cursor));)
        free(value);
    table_finish(&(*self)->stands);
    table_finish(&(*self)->corrections);
    free(*self);
    *self = NULL;
}

void
evidence_confirm_by(evidence_t *self, uint32_t users)
{
    self->confirm_users = users;
}

void
evidence_stop_by(evidence_t *self, const atomic_bool *stop)
{
    self->stop = stop;
}

static bool
is_older(const struct correction *a, const struct correction *b)
{
    return a->time_us != b->time_us ? a->time_us < b->time_us : strcmp(a->id, b->id) < 0;
}

static void
forget(evidence_t *self, struct correction *correction)
{
    table_remove(&self->corrections, table_hash_chars(correction->id), correction);
    free(correction);
}

// Takes a correction out of its stand and frees it, and the stand if that was the last one.
static void
drop(evidence_t *self, struct correction *correction)
{
    uint64_t hash = hash_stand(correction);
    struct stand *stand = table_find(&self->stands, hash, matches_stand, correction);
    uint32_t at = 0;
    while (stand->corrections[at] != correction)
        at++;
    stand->count--;
    memmove(stand->corrections + at, stand->corrections + at + 1,
            (stand->count - at) * sizeof *stand->corrections);
    if (!stand->count) {
        table_remove(&self->stands, hash, stand);
        free(stand);
    }
    forget(self, correction);
}

static struct stand *
find_or_create_stand(evidence_t *self, const struct correction *correction)
{
    uint64_t hash = hash_stand(correction);
    struct stand *stand = table_find(&self->stands, hash, matches_stand, correction);
    if (stand)
        return stand;
    stand = memory_take_zeroed(sizeof *stand);
    stand->scene_id = correction->scene_id;
    stand->device = correction->device;
    stand->session = correction->session;
    table_add(&self->stands, hash, stand);
    return stand;
}

void
evidence_put(evidence_t *self, const struct correction *correction)
{
    evidence_remove(self, correction->id);
    struct correction *kept = memory_take(sizeof *kept);
    *kept = *correction;
    kept->pose = rigid_compose(&rigid_identity, &correction->pose); // of norm 1 to the last digit
    table_add(&self->corrections, table_hash_chars(kept->id), kept);
    struct stand *stand = find_or_create_stand(self, kept);
    uint32_t at = stand->count++;
    for (; at && is_older(kept, stand->corrections[at - 1]); at--)
        stand->corrections[at] = stand->corrections[at - 1];
    stand->corrections[at] = kept;
    if (stand->count > LIMIT_SUPERSEDED)
        drop(self, stand->corrections[0]);
}

void
evidence_remove(evidence_t *self, const char *id)
{
    struct correction *found = table_find(&self->corrections, table_hash_chars(id), matches_id, id);
    if (found)
        drop(self, found);
}

void
evidence_remove_scene(evidence_t *self, uint64_t scene_id)
{
    struct correction **found = memory_take(self->corrections.count * sizeof *found + 1), *next;
    size_t count = 0;
    for (size_t cursor = 0; (next = table_next(&self->corrections, &cursor));)
        if (next->scene_id == scene_id)
            found[count++] = next;
    for (size_t i = 0; i < count; i++)
        drop(self, found[i]);
    free(found);
}

static bool
is_stopped(const evidence_t *self)
{
    return self->stop && atomic_load(self->stop);
}

// The same component of the previous solution if nothing changed; else solves it, unless all is
// broken off.
static struct component *
solve_component(const evidence_t *self, struct component *component, const solution_t *previous)
{
    const struct component *before = NULL;
    if (is_stopped(self))
        return component;
    for (uint32_t i = 0; i < component->scene_count && previous && !before; i++)
        before = solution_component(previous, component->scenes[i]);
    if (before && component_is_same(component, before)) {
        component_unref(&component);
        return component_ref(before);
    }
    struct effort effort = {
        self->stop, fmin(MOST_EFFORT, LEAST_EFFORT + (double)component->correction_count * EFFORT)};
    component->confirm_users = self->confirm_users;
    component->effort = &effort;
    component_solve(component, before);
    component->effort = NULL;
    return component;
}

static struct component **
list_components(const evidence_t *self, uint64_t now_us, size_t *ret_count)
{
    const struct stand *stand;
    size_t count = 0;
    struct visit *visits = memory_take(self->corrections.count * sizeof *visits + 1);
    for (size_t cursor = 0; (stand = table_next(&self->stands, &cursor));)
        for (uint32_t i = 0; i < stand->count; i++)
            visits[count++] = (struct visit){.correction = stand->corrections[i],
                                             .is_superseded = i + 1 < stand->count};
    struct component **components = gathering_components(visits, count, now_us, ret_count);
    free(visits);
    return components;
}

solution_t *
evidence_solve(evidence_t *self, const solution_t *previous, uint64_t now_us)
{
    size_t count;
    struct component **components = list_components(self, now_us, &count);
    for (size_t i = 0; i < count; i++)
        components[i] = solve_component(self, components[i], previous);
    if (!is_stopped(self))
        return solution_create(&components, count, now_us);
    while (count)
        component_unref(&components[--count]);
    free(components);
    return NULL;
}
