// solution.c - answers how scenes relate (solver.h). A solution does not change, so any thread may
// ask.
#include "actors/alignment/solver/solution.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

struct place {
    uint64_t scene_id;
    struct component *component;
};

struct solution {
    atomic_size_t references;
    uint64_t as_of_us;
    size_t component_count;
    struct component **components;
    size_t place_count;
    struct place *places; // by scene
};

const char *
alignment_status_name(enum alignment_status status)
{
    static const char *const names[] = {
        [ALIGNMENT_NONE] = "none",
        [ALIGNMENT_UNVERIFIED] = "unverified",
        [ALIGNMENT_PREDICTED] = "predicted",
        [ALIGNMENT_CONFLICTING] = "conflicting",
    };
    return names[status];
}

const char *
rejection_name(enum rejection rejection)
{
    static const char *const names[] = {
        [NOT_REJECTED] = "",
        [REJECTED_FAR] = "too_far",
        [REJECTED_PAST] = "scene_moved",
        [REJECTED_CONTRARY] = "disagrees",
        [REJECTED_UNCLEAR] = "unclear",
    };
    return names[rejection];
}

// --- life ---

static int
compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    return (left->scene_id > right->scene_id) - (left->scene_id < right->scene_id);
}

solution_t *
solution_create(struct component ***components, size_t count, uint64_t as_of_us)
{
    solution_t *self = memory_take_zeroed(sizeof *self);
    self->as_of_us = as_of_us;
    atomic_init(&self->references, 1);
    self->components = *components;
    self->component_count = count;
    *components = NULL;
    for (size_t i = 0; i < count; i++)
        self->place_count += self->components[i]->scene_count;
    self->places = memory_take(self->place_count * sizeof *self->places + 1);
    size_t filled = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t scene = 0; scene < self->components[i]->scene_count; scene++)
            self->places[filled++] =
                (struct place){self->components[i]->scenes[scene], self->components[i]};
    qsort(self->places, self->place_count, sizeof *self->places, compare_places);
    return self;
}

solution_t *
solution_ref(const solution_t *self)
{
    solution_t *solution = (solution_t *)(uintptr_t)self;
    atomic_fetch_add(&solution->references, 1);
    return solution;
}

void
solution_unref(solution_t **self)
{
    solution_t *solution = *self;
    *self = NULL;
    if (!solution || atomic_fetch_sub(&solution->references, 1) > 1)
        return;
    for (size_t i = 0; i < solution->component_count; i++)
        component_unref(&solution->components[i]);
    free(solution->components);
    free(solution->places);
    free(solution);
}

const struct component *
solution_component(const solution_t *self, uint64_t scene_id)
{
    const struct place key = {.scene_id = scene_id};
    const struct place *found =
        bsearch(&key, self->places, self->place_count, sizeof key, compare_places);
    return found ? found->component : NULL;
}

const struct component *const *
solution_components(const solution_t *self, size_t *ret_count)
{
    *ret_count = self->component_count;
    return (const struct component *const *)self->components;
}

size_t
solution_given_up(const solution_t *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->component_count; i++)
        count += self->components[i]->is_given_up;
    return count;
}

uint64_t
solution_as_of_us(const solution_t *self)
{
    return self->as_of_us;
}

double
solution_contrary_share(const solution_t *self, uint64_t scene_id)
{
    const struct component *component = solution_component(self, scene_id);
    return component ? component->contrary_share : 0;
}

static const char *
confidence_of(const struct component *component)
{
    return component->is_certified ? "certified" : "local";
}

const char *
solution_confidence(const solution_t *self, uint64_t scene_id)
{
    const struct component *component = solution_component(self, scene_id);
    return component && component->scene_count > 1 ? confidence_of(component) : NULL;
}

size_t
solution_contrary_components(const solution_t *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->component_count; i++)
        count += self->components[i]->contrary_share > ALIGNMENT_CONTRARY;
    return count;
}

// --- relations ---

// A search for the path with the fewest links.
struct search {
    const struct component *component;
    uint32_t to;
    alignment_is_visible *is_visible;
    const void *context;
    uint32_t *before; // of a scene: the state that it was reached by; UINT32_MAX = not yet
    uint32_t *from;   // and the scene
    uint32_t *queue;
};

static bool
is_passable(const struct search *self, uint32_t state, bool with_conflicts)
{
    const struct component *component = self->component;
    const struct link_state *link = &component->states[state];
    if (link->status == ALIGNMENT_CONFLICTING && !with_conflicts)
        return false;
    return link->observations &&
           (!self->is_visible || self->is_visible(link->scene_id, self->context));
}

static bool
find_way(struct search *self, uint32_t start, bool with_conflicts)
{
    const struct component *component = self->component;
    uint32_t first = 0, last = 0;
    for (uint32_t scene = 0; scene < component->scene_count; scene++)
        self->from[scene] = UINT32_MAX;
    self->from[start] = start;
    self->queue[last++] = start;
    while (first < last && self->from[self->to] == UINT32_MAX) {
        uint32_t scene = self->queue[first++];
        for (uint32_t i = component->state_starts[scene]; i < component->state_starts[scene + 1];
             i++) {
            const struct link *link = &component->observations.links[component->state_links[i]];
            uint32_t other = link->a == scene ? link->b : link->a;
            if (self->from[other] != UINT32_MAX || !is_passable(self, i, with_conflicts))
                continue;
            self->from[other] = scene;
            self->before[other] = i;
            self->queue[last++] = other;
        }
    }
    return self->from[self->to] != UINT32_MAX;
}

static int
compare_devices(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

// The number of devices with accepted observations along the path.
static uint32_t
count_devices(const struct search *self, uint32_t start, uint32_t observations)
{
    const struct component *component = self->component;
    uint64_t *devices = memory_take(observations * sizeof *devices + 1);
    uint32_t count = 0, distinct = 0;
    for (uint32_t scene = self->to; scene != start; scene = self->from[scene]) {
        const struct link *link =
            &component->observations.links[component->state_links[self->before[scene]]];
        for (uint32_t i = link->first; i < link->first + link->count; i++)
            if (component->observations.items[i].is_accepted)
                devices[count++] = component->observations.items[i].device;
    }
    qsort(devices, count, sizeof *devices, compare_devices);
    for (uint32_t i = 0; i < count; i++)
        distinct += !i || devices[i] != devices[i - 1];
    free(devices);
    return distinct;
}

static void
describe_way(const struct search *self, uint32_t start, struct relation *ret_relation)
{
    const struct component *component = self->component;
    bool is_confirmed = component->regions[start] == component->regions[self->to];
    ret_relation->status = is_confirmed ? ALIGNMENT_PREDICTED : ALIGNMENT_UNVERIFIED;
    ret_relation->confidence = confidence_of(component);
    uint32_t length = 1;
    for (uint32_t scene = self->to; scene != start; scene = self->from[scene]) {
        const struct link_state *link = &component->states[self->before[scene]];
        if (link->status == ALIGNMENT_CONFLICTING)
            ret_relation->status = ALIGNMENT_CONFLICTING;
        ret_relation->observations += link->observations;
        length++;
    }
    ret_relation->devices = count_devices(self, start, ret_relation->observations);
    ret_relation->path_count = length;
    ret_relation->path = memory_take(length * sizeof *ret_relation->path);
    for (uint32_t scene = self->to; length; scene = self->from[scene])
        ret_relation->path[--length] = component->scenes[scene];
    ret_relation->motion = component_motion(component, start, self->to);
    component_covariance(component, start, self->to, ret_relation->covariance);
    rigid_sigmas_at(ret_relation->covariance, ret_relation->motion.translation,
                    &ret_relation->sigma_t_m, &ret_relation->sigma_r_rad);
}

static void
relate_to_itself(uint64_t scene_id, struct relation *ret_relation)
{
    ret_relation->status = ALIGNMENT_PREDICTED;
    ret_relation->confidence = "certified";
    ret_relation->path_count = 1;
    ret_relation->path = memory_take(sizeof *ret_relation->path);
    ret_relation->path[0] = scene_id;
}

void
solution_relate(const solution_t *self, uint64_t from, uint64_t to,
                alignment_is_visible *is_visible, const void *context,
                struct relation *ret_relation)
{
    *ret_relation = (struct relation){.status = ALIGNMENT_NONE, .motion = rigid_identity};
    if (from == to) {
        relate_to_itself(from, ret_relation);
        return;
    }
    const struct component *component = solution_component(self, from);
    uint32_t end = component ? component_find(component, to) : UINT32_MAX;
    if (end == UINT32_MAX ||
        (is_visible && (!is_visible(from, context) || !is_visible(to, context))))
        return;
    size_t size = component->scene_count * sizeof(uint32_t);
    struct search search = {.component = component,
                            .to = end,
                            .is_visible = is_visible,
                            .context = context,
                            .before = memory_take(size),
                            .from = memory_take(size),
                            .queue = memory_take(size)};
    uint32_t start = component_find(component, from);
    if (find_way(&search, start, false) || find_way(&search, start, true))
        describe_way(&search, start, ret_relation);
    free(search.before);
    free(search.from);
    free(search.queue);
}

size_t
solution_links(const solution_t *self, uint64_t scene_id, const struct link_state **ret_links)
{
    const struct component *component = solution_component(self, scene_id);
    *ret_links = NULL;
    return component ? component_states(component, component_find(component, scene_id), ret_links)
                     : 0;
}

size_t
solution_verdicts(const solution_t *self, uint64_t scene_id, const struct verdict **ret_verdicts)
{
    const struct component *component = solution_component(self, scene_id);
    *ret_verdicts = NULL;
    if (!component)
        return 0;
    uint32_t scene = component_find(component, scene_id);
    *ret_verdicts = component->verdicts + component->verdict_starts[scene];
    return component->verdict_starts[scene + 1] - component->verdict_starts[scene];
}
