// entity_walk.c - a walk through sorted sets that change: of each slice the place is found again by
// the key that was passed last.

#include "actors/scene/entity_walk.h"

#include <stdlib.h>

#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"

enum { WATCHED_COST = 64 }; // so many comparisons cost more than a look at the clock

static void
walk_release(struct parcel *parcel)
{
    struct entity_walk *self = (struct entity_walk *)(void *)parcel;
    struct entity_walk **place = &self->scene->walks;
    while (*place != self)
        place = &(*place)->next;
    *place = self->next;
    for (int kind = 0; kind < ENTITY_KIND_COUNT; kind++) {
        record_set_finish(&self->before[kind]);
        record_set_finish(&self->added[kind]);
    }
    record_unref(&self->held);
    scene_release(&self->scene);
    free(self);
}

static struct entity_walk *
walk_begin(struct message *message, struct scene_state *scene, unsigned place, unsigned end)
{
    struct entity_walk *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = walk_release;
    self->scene = scene;
    self->place = place;
    self->end = end;
    self->next = scene->walks;
    scene->walks = self;
    scene_hold(scene);
    message->work = &self->base;
    return self;
}

// Finds its place in the sets of its kind, which do not change within a slice.
static void
find_place(struct entity_walk *self)
{
    struct record_set *items = &self->scene->entities[self->place];
    struct record_set *before = &self->before[self->place];
    const struct text *key = self->passed ? frozen_key(self->passed) : NULL;
    self->items = record_set_items(items, &self->count);
    self->before_items = record_set_items(before, &self->before_count);
    self->index = key ? record_set_place_after(items, key) : 0;
    self->before_index = key ? record_set_place_after(before, key) : 0;
}

fallible
entity_walk_resume(struct message *message, struct scene_state *scene, unsigned place, unsigned end,
                   struct entity_walk **ret_walk)
{
    struct entity_walk *self = (struct entity_walk *)(void *)message->work;
    if (!self)
        self = walk_begin(message, scene, place, end);
    if (self->scene != scene)
        return fail(ERR_NOT_FOUND, "", "scene %s was deleted meanwhile", text_chars(scene->key));
    self->unwatched = 0;
    if (self->place < self->end)
        find_place(self);
    *ret_walk = self;
    return OK;
}

// The next one of its kind: as it is, unless it was another when the walk began, or none.
static const frozen_t *
next_of_kind(struct entity_walk *self)
{
    struct record_set *added = &self->added[self->place];
    for (;;) {
        const frozen_t *now = self->index < self->count ? self->items[self->index] : NULL;
        const frozen_t *before =
            self->before_index < self->before_count ? self->before_items[self->before_index] : NULL;
        if (!now && !before)
            return NULL;
        int order = !now ? 1 : !before ? -1 : text_compare(frozen_key(now), frozen_key(before));
        self->index += order <= 0;
        self->before_index += order >= 0;
        if (order >= 0)
            return before;
        if (record_set_count(added) == 0 || !record_set_find(added, frozen_key(now)))
            return now;
    }
}

const frozen_t *
entity_walk_next(struct entity_walk *self)
{
    while (self->place < self->end) {
        const frozen_t *entity = next_of_kind(self);
        self->passed = entity;
        if (entity)
            return entity;
        if (++self->place < self->end)
            find_place(self);
    }
    return NULL;
}

bool
entity_walk_must_pause(struct entity_walk *self, const actor_t *actor, size_t cost)
{
    self->unwatched += 1 + cost;
    if (self->unwatched < WATCHED_COST)
        return false;
    self->unwatched = 0;
    if (!actor_must_pause(actor))
        return false;
    record_unref(&self->held);
    self->held = self->passed ? record_ref(self->passed) : NULL;
    return true;
}

// Whether the walk has passed what has this key.
static bool
has_passed(const struct entity_walk *self, unsigned kind, const struct text *key)
{
    if (kind != self->place)
        return kind < self->place;
    return self->passed && text_compare(key, frozen_key(self->passed)) <= 0;
}

void
entity_walks_keep(const struct scene_state *scene, const frozen_t *old, const frozen_t *now)
{
    const frozen_t *entity = old ? old : now;
    const struct text *key = frozen_key(entity);
    unsigned kind = entity_kind_of(frozen_record(entity))->place;
    for (struct entity_walk *walk = scene->walks; walk; walk = walk->next) {
        bool is_kept =
            record_set_find(&walk->before[kind], key) || record_set_find(&walk->added[kind], key);
        if (kind < walk->end && !is_kept && !has_passed(walk, kind, key))
            record_set_put(old ? &walk->before[kind] : &walk->added[kind], entity);
    }
}
