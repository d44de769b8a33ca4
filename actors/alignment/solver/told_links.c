// told_links.c - what scenes were told of their links (solver.h): each link has a dead band of its
// own, so that steps of one add up while others move.
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/solution.h"
#include "actors/alignment/solver/solver.h"
#include "proto/base/memory.h"
#include "proto/base/table.h"

// Scenes are not told of motions that differ less.
#define DEAD_BAND_M 0.01
#define DEAD_BAND_RAD (0.2 * 3.14159265358979323846 / 180)

struct told_link {
    uint64_t other;      // scene
    struct rigid motion; // to it
};

struct told_scene {
    uint64_t scene_id;
    uint64_t round; // in which it was seen last
    size_t count;
    struct told_link *links; // by the other scene
};

struct told_links {
    struct table scenes; // struct told_scene by id
    solution_t *last;    // NULL before the first
    uint64_t round;
};

told_links_t *
told_links_create(void)
{
    return memory_take_zeroed(sizeof(told_links_t));
}

static void
told_scene_destroy(struct told_scene *self)
{
    free(self->links);
    free(self);
}

void
told_links_destroy(told_links_t **self)
{
    if (!*self)
        return;
    struct told_scene *scene;
    for (size_t cursor = 0; (scene = table_next(&(*self)->scenes, &cursor));)
        told_scene_destroy(scene);
    table_finish(&(*self)->scenes);
    solution_unref(&(*self)->last);
    free(*self);
    *self = NULL;
}

static bool
is_scene(const void *value, const void *key)
{
    return ((const struct told_scene *)value)->scene_id == *(const uint64_t *)key;
}

static struct told_scene *
find_or_create(told_links_t *self, uint64_t scene_id)
{
    uint64_t hash = table_hash_u64(scene_id);
    struct told_scene *scene = table_find(&self->scenes, hash, is_scene, &scene_id);
    if (scene)
        return scene;
    scene = memory_take_zeroed(sizeof *scene);
    scene->scene_id = scene_id;
    table_add(&self->scenes, hash, scene);
    return scene;
}

static bool
is_within_band(const struct rigid *now, const struct rigid *told)
{
    double distance_m, angle_rad;
    rigid_difference(now, told, &distance_m, &angle_rad);
    return distance_m <= DEAD_BAND_M && angle_rad <= DEAD_BAND_RAD;
}

// Returns whether the scene is to be told. Both lists are ordered by the other scene.
static bool
update_scene(struct told_scene *self, const struct link_state *states, size_t count)
{
    struct told_link *links = memory_take(count * sizeof *links + 1);
    size_t kept = 0, old = 0;
    bool is_any_gone = false;
    for (size_t i = 0; i < count; i++) {
        for (; old < self->count && self->links[old].other < states[i].scene_id; old++)
            is_any_gone = true;
        const struct told_link *told = old < self->count ? &self->links[old] : NULL;
        bool is_known = told && told->other == states[i].scene_id;
        bool is_kept = is_known && is_within_band(&states[i].motion, &told->motion);
        links[i] = is_kept ? *told : (struct told_link){states[i].scene_id, states[i].motion};
        kept += is_kept;
        old += is_known;
    }
    is_any_gone = is_any_gone || old < self->count;
    free(self->links);
    self->links = links;
    self->count = count;
    return is_any_gone || kept < count;
}

// The list grows by the scenes of the component that are to be told.
static void
update_component(told_links_t *self, const struct component *component, uint64_t *scene_ids,
                 size_t *ret_count)
{
    for (uint32_t i = 0; i < component->scene_count; i++) {
        uint64_t scene_id = component->scenes[i];
        struct told_scene *scene = find_or_create(self, scene_id);
        bool is_shared = self->last && solution_component(self->last, scene_id) == component;
        const struct link_state *states = component->states + component->state_starts[i];
        size_t count = component->state_starts[i + 1] - component->state_starts[i];
        bool is_new = !scene->round;
        scene->round = self->round;
        if (!is_shared && (update_scene(scene, states, count) || is_new))
            scene_ids[(*ret_count)++] = scene_id;
    }
}

static int
compare_ids(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

// Scenes that have no corrections any more.
static size_t
list_gone(const told_links_t *self, uint64_t *ret_scene_ids)
{
    const struct told_scene *scene;
    size_t count = 0;
    for (size_t cursor = 0; (scene = table_next(&self->scenes, &cursor));)
        if (scene->round != self->round)
            ret_scene_ids[count++] = scene->scene_id;
    return count;
}

static void
drop_scene(told_links_t *self, uint64_t scene_id)
{
    uint64_t hash = table_hash_u64(scene_id);
    struct told_scene *scene = table_find(&self->scenes, hash, is_scene, &scene_id);
    table_remove(&self->scenes, hash, scene);
    told_scene_destroy(scene);
}

size_t
told_links_update(told_links_t *self, const solution_t *solution, uint64_t **ret_scene_ids)
{
    size_t component_count, most = self->scenes.count, count = 0;
    const struct component *const *components = solution_components(solution, &component_count);
    for (size_t i = 0; i < component_count; i++)
        most += components[i]->scene_count;
    uint64_t *scene_ids = memory_take(most * sizeof *scene_ids + 1);
    self->round++;
    for (size_t i = 0; i < component_count; i++)
        update_component(self, components[i], scene_ids, &count);
    size_t gone = list_gone(self, scene_ids + count);
    for (size_t i = 0; i < gone; i++)
        drop_scene(self, scene_ids[count + i]);
    solution_unref(&self->last);
    self->last = solution_ref(solution);
    qsort(scene_ids, count + gone, sizeof *scene_ids, compare_ids);
    *ret_scene_ids = scene_ids;
    return count + gone;
}
