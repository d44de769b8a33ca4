// gathering.c - from corrections to components (gathering.h).
#include "actors/alignment/solver/gathering.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/observations.h"
#include "proto/base/disjoint_set.h"
#include "proto/base/memory.h"

// A device further than this from the centre of its scene would not be on the Earth.
#define LARGEST_DISTANCE 1e7 // metres
// The largest distance of a centre from the origin: beyond it doubles have no millimetres.
#define LARGEST_CENTRE 1e12

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
        visits[i].step = step;
    }
}

static void
list_corrections(struct gathering *self, const struct visit *visits, size_t count, uint64_t now_us)
{
    self->corrections = memory_take_zeroed(count * sizeof *self->corrections + 1);
    for (size_t i = 0; i < count; i++) {
        if (visits[i].is_superseded)
            continue;
        struct component_correction *item = &self->corrections[self->correction_count++];
        item->correction = *visits[i].correction;
        item->step = visits[i].step;
        item->fade = fade_of(&item->correction, now_us);
        item->is_left_out = item->fade >= FADE_END;
    }
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

struct component **
gathering_components(struct visit *visits, size_t count, uint64_t now_us, size_t *ret_count)
{
    struct gathering gathering = {0};
    count_steps(visits, count);
    list_corrections(&gathering, visits, count, now_us);
    list_scenes(&gathering);
    group_scenes(&gathering);
    struct share *shares = memory_take_zeroed(gathering.scene_count * sizeof *shares + 1);
    create_components(&gathering, shares);
    fill_components(&gathering, shares);
    struct component **components = memory_take(gathering.scene_count * sizeof *components + 1);
    *ret_count = 0;
    for (uint32_t scene = 0; scene < gathering.scene_count; scene++)
        if (shares[scene].component)
            components[(*ret_count)++] = shares[scene].component;
    free(shares);
    gathering_finish(&gathering);
    return components;
}
