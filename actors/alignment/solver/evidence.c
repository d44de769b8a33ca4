// evidence.c - keeps all corrections that count (solver.h), divides them into components and solves
// these. One thread.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/component_solve.h"
#include "actors/alignment/solver/observations.h"
#include "actors/alignment/solver/solution.h"
#include "actors/alignment/solver/solver.h"
#include "proto/base/disjoint_set.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/base/table.h"

// A device further than this from the centre of its scene would not be on the Earth.
#define LARGEST_DISTANCE 1e7 // metres
// The largest distance of a centre from the origin: beyond it doubles have no millimetres.
#define LARGEST_CENTRE 1e12

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

// --- gathering: the corrections that count, by scene ---

// The input of a solve. All lists are in the order of scenes, then ids.
struct gathering {
    size_t correction_count;
    struct component_correction *corrections; // `scene` counts among all scenes here
    uint32_t scene_count;
    uint64_t *scenes;
    double *centres;
    uint32_t *groups; // the component of each scene, named by its first scene
};

static int
compare_corrections(const void *a, const void *b)
{
    const struct correction *left = &((const struct component_correction *)a)->correction;
    const struct correction *right = &((const struct component_correction *)b)->correction;
    if (left->scene_id != right->scene_id)
        return left->scene_id < right->scene_id ? -1 : 1;
    return strcmp(left->id, right->id);
}

static uint32_t
fade_of(const struct correction *correction, uint64_t now_us)
{
    if (!(correction->half_life_s > 0) || now_us <= correction->time_us)
        return 0;
    double age_s = (double)(now_us - correction->time_us) / 1e6;
    return (uint32_t)fmin(age_s / correction->half_life_s * FADE_STEPS, FADE_END);
}

// --- steps ---

// A correction of a session, also one that is superseded: the device was there too.
struct visit {
    const struct correction *correction;
    struct component_correction *counted; // NULL = superseded
};

static int
compare_visits(const void *a, const void *b)
{
    return correction_compare(((const struct visit *)a)->correction,
                              ((const struct visit *)b)->correction);
}

// Counts the steps of each session: from one scene to another. What is said again of the same scene
// is no step.
static void
count_steps(struct visit *visits, size_t count)
{
    uint32_t step = 0;
    qsort(visits, count, sizeof *visits, compare_visits);
    for (size_t i = 0; i < count; i++) {
        const struct correction *own = visits[i].correction;
        const struct correction *before = i ? visits[i - 1].correction : own;
        bool is_next = before->device == own->device && before->session == own->session;
        step = is_next ? step + (before->scene_id != own->scene_id) : 0;
        if (visits[i].counted)
            visits[i].counted->step = step;
    }
}

static void
list_corrections(struct gathering *self, const evidence_t *evidence, uint64_t now_us)
{
    const struct stand *stand;
    size_t visited = 0;
    struct visit *visits = memory_take(evidence->corrections.count * sizeof *visits + 1);
    self->corrections = memory_take_zeroed(evidence->stands.count * sizeof *self->corrections + 1);
    for (size_t cursor = 0; (stand = table_next(&evidence->stands, &cursor));) {
        struct component_correction *item = &self->corrections[self->correction_count++];
        item->correction = *stand->corrections[stand->count - 1];
        for (uint32_t i = 0; i < stand->count; i++)
            visits[visited++] =
                (struct visit){stand->corrections[i], i + 1 == stand->count ? item : NULL};
        item->fade = fade_of(&item->correction, now_us);
        item->is_left_out = item->fade >= FADE_END;
    }
    count_steps(visits, visited);
    free(visits);
    qsort(self->corrections, self->correction_count, sizeof *self->corrections,
          compare_corrections);
}

static int
compare_numbers(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static double
clamped(double coordinate)
{
    return fmax(fmin(coordinate, LARGEST_CENTRE), -LARGEST_CENTRE);
}

// Finds the median of where devices stand, and marks those that stand too far from it.
static void
find_centre(struct component_correction *corrections, size_t count, double *ret_centre)
{
    double *numbers = memory_take(count * sizeof *numbers);
    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < count; i++)
            numbers[i] = clamped(corrections[i].correction.pose.translation[axis]);
        qsort(numbers, count, sizeof *numbers, compare_numbers);
        ret_centre[axis] = numbers[(count - 1) / 2];
    }
    free(numbers);
    for (size_t i = 0; i < count; i++) {
        const double *place = corrections[i].correction.pose.translation;
        for (int axis = 0; axis < 3; axis++)
            if (!(fabs(place[axis] - ret_centre[axis]) <= LARGEST_DISTANCE))
                corrections[i].is_left_out = true;
    }
}

static void
list_scenes(struct gathering *self)
{
    self->scenes = memory_take(self->correction_count * sizeof *self->scenes + 1);
    self->centres = memory_take(self->correction_count * 3 * sizeof *self->centres + 1);
    for (size_t first = 0, end; first < self->correction_count; first = end) {
        uint64_t scene_id = self->corrections[first].correction.scene_id;
        for (end = first; end < self->correction_count; end++) {
            if (self->corrections[end].correction.scene_id != scene_id)
                break;
            self->corrections[end].scene = self->scene_count;
        }
        find_centre(self->corrections + first, end - first, self->centres + self->scene_count * 3);
        self->scenes[self->scene_count++] = scene_id;
    }
}

struct presence {
    uint64_t device, session;
    uint32_t scene;
};

static int
compare_presences(const void *a, const void *b)
{
    const struct presence *left = a, *right = b;
    if (left->device != right->device)
        return left->device < right->device ? -1 : 1;
    return (left->session > right->session) - (left->session < right->session);
}

// All scenes in which a session has corrections belong to one component.
static void
group_scenes(struct gathering *self)
{
    struct presence *items = memory_take(self->correction_count * sizeof *items + 1);
    size_t count = 0;
    for (size_t i = 0; i < self->correction_count; i++)
        if (!self->corrections[i].is_left_out)
            items[count++] = (struct presence){self->corrections[i].correction.device,
                                               self->corrections[i].correction.session,
                                               self->corrections[i].scene};
    qsort(items, count, sizeof *items, compare_presences);
    self->groups = disjoint_set_create(self->scene_count);
    for (size_t i = 1; i < count; i++)
        if (compare_presences(&items[i - 1], &items[i]) == 0)
            disjoint_set_join(self->groups, items[i - 1].scene, items[i].scene);
    for (uint32_t scene = 0; scene < self->scene_count; scene++)
        self->groups[scene] = disjoint_set_find(self->groups, scene);
    free(items);
}

static void
gathering_finish(struct gathering *self)
{
    free(self->corrections);
    free(self->scenes);
    free(self->centres);
    free(self->groups);
}

// --- components ---

// How many scenes and corrections a component has; then how many are filled in.
struct share {
    uint32_t scenes;
    size_t corrections;
    struct component *component;
};

static void
create_components(const struct gathering *self, struct share *shares)
{
    for (size_t i = 0; i < self->correction_count; i++)
        shares[self->groups[self->corrections[i].scene]].corrections++;
    for (uint32_t scene = 0; scene < self->scene_count; scene++)
        shares[self->groups[scene]].scenes++;
    for (uint32_t scene = 0; scene < self->scene_count; scene++) {
        struct share *share = &shares[scene];
        if (!share->scenes)
            continue;
        uint64_t *scenes = memory_take(share->scenes * sizeof *scenes);
        double *centres = memory_take(share->scenes * 3 * sizeof *centres);
        struct component_correction *corrections =
            memory_take(share->corrections * sizeof *corrections);
        share->component =
            component_create(share->scenes, &scenes, &centres, share->corrections, &corrections);
        *share = (struct share){.component = share->component};
    }
}

// Copies scenes and corrections, in their order, to their components.
static void
fill_components(const struct gathering *self, struct share *shares)
{
    uint32_t *places = memory_take(self->scene_count * sizeof *places + 1);
    for (uint32_t scene = 0; scene < self->scene_count; scene++) {
        struct share *share = &shares[self->groups[scene]];
        share->component->scenes[share->scenes] = self->scenes[scene];
        memcpy(share->component->centres + share->scenes * 3, self->centres + scene * 3,
               3 * sizeof *self->centres);
        places[scene] = share->scenes++;
    }
    for (size_t i = 0; i < self->correction_count; i++) {
        struct share *share = &shares[self->groups[self->corrections[i].scene]];
        struct component_correction *item = &share->component->corrections[share->corrections++];
        *item = self->corrections[i];
        item->scene = places[self->corrections[i].scene];
    }
    free(places);
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

solution_t *
evidence_solve(evidence_t *self, const solution_t *previous, uint64_t now_us)
{
    struct gathering gathering = {0};
    list_corrections(&gathering, self, now_us);
    list_scenes(&gathering);
    group_scenes(&gathering);
    struct share *shares = memory_take_zeroed(gathering.scene_count * sizeof *shares + 1);
    create_components(&gathering, shares);
    fill_components(&gathering, shares);
    struct component **components = memory_take(gathering.scene_count * sizeof *components + 1);
    size_t count = 0;
    for (uint32_t scene = 0; scene < gathering.scene_count; scene++)
        if (shares[scene].component)
            components[count++] = solve_component(self, shares[scene].component, previous);
    free(shares);
    gathering_finish(&gathering);
    if (!is_stopped(self))
        return solution_create(&components, count, now_us);
    while (count)
        component_unref(&components[--count]);
    free(components);
    return NULL;
}
