// entity_cache.c - the entities in memory: a table of generated keys for all scenes, ordered sets
// for each scene, and the bytes of both.

#include "actors/scene/entity_cache.h"

#include <stdlib.h>

#include "actors/scene/entity_walk.h"
#include "actors/scene/lock_index.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_shown.h"
#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"
#include "proto/message/partition.h"

enum { INDEX_BYTES_PER_ENTITY = 35 }; // its places in table and set, about

static bool
entity_has_key(const void *value, const void *key)
{
    return text_equal(frozen_key(value), key);
}

static const frozen_t *
find_generated(const struct shard *self, const struct text *key)
{
    return table_find(&self->entities, table_hash_text(key), entity_has_key, key);
}

static const frozen_t *
find_in_scene(const struct shard *self, const struct scene_state *scene,
              const struct entity_kind *kind, const struct text *key)
{
    // While scenes leave memory, the table has entities that are in no scene any more.
    return key_is_generated(key) && !self->leaving_scenes
               ? find_generated(self, key)
               : record_set_find(&scene->entities[kind->place], key);
}

// Whether what the table found is still in memory, and not on its way out of it.
static bool
is_in_memory(const struct shard *self, const frozen_t *entity)
{
    const struct record *record = frozen_record(entity);
    const struct scene_state *scene = scenes_find(self, entity_of(record)->scene);
    return scene && record_set_find(&scene->entities[entity_kind_of(record)->place],
                                    record_key(record)) == entity;
}

static const frozen_t *
find_in_memory(const struct shard *self, const struct text *key)
{
    const frozen_t *entity = find_generated(self, key);
    return entity && self->leaving_scenes && !is_in_memory(self, entity) ? NULL : entity;
}

bool
entity_cache_is_known(const struct shard *self, const struct text *key)
{
    return find_in_memory(self, key) != NULL;
}

const frozen_t *
entity_cache_find(const struct shard *self, const struct entity_kind *kind, const struct text *key)
{
    const frozen_t *entity = find_in_memory(self, key);
    return entity && frozen_record(entity)->schema == kind->schema ? entity : NULL;
}

static size_t
cached_bytes(const frozen_t *entity)
{
    return record_size(entity) + INDEX_BYTES_PER_ENTITY +
           (lock_index_holder(entity) ? LOCK_INDEX_BYTES : 0);
}

static void
count_bytes(struct shard *self, struct scene_state *scene, size_t more, size_t less)
{
    scene->bytes += more;
    scene->bytes -= less;
    self->bytes += more;
    self->bytes -= less;
}

void
entity_cache_count_orders(struct shard *self, struct scene_state *scene, size_t before)
{
    count_bytes(self, scene, scene->orders.bytes, before);
}

// Lists of objects go by their orders. `old` and `now` are both there still.
static void
follow_orders(struct shard *self, struct scene_state *scene, const struct entity_kind *kind,
              const frozen_t *old, const frozen_t *now)
{
    size_t before = scene->orders.bytes;
    if (kind->place != OBJECTS)
        return;
    record_orders_replace(&scene->orders, old, now);
    entity_cache_count_orders(self, scene, before);
}

// The table of generated keys borrows the references of the sets.
static void
index_entity(struct shard *self, const frozen_t *old, const frozen_t *entity)
{
    const struct text *key = frozen_key(entity);
    if (!key_is_generated(key))
        return;
    if (self->leaving_scenes)
        old = find_generated(self, key); // its scene may be read again before all of it has left
    if (old)
        table_replace(&self->entities, table_hash_text(key), old, (void *)(uintptr_t)entity);
    else
        table_add(&self->entities, table_hash_text(key), (void *)(uintptr_t)entity);
}

void
entity_cache_put(struct shard *self, struct scene_state *scene, const frozen_t *entity)
{
    const struct entity_kind *kind = entity_kind_of(frozen_record(entity));
    const frozen_t *old = find_in_scene(self, scene, kind, frozen_key(entity));
    if (scene->walks)
        entity_walks_keep(scene, old, entity);
    count_bytes(self, scene, cached_bytes(entity), old ? cached_bytes(old) : 0);
    self->counts[kind->place] += !old;
    lock_index_replace(&scene->locks, old, entity);
    index_entity(self, old, entity);
    follow_orders(self, scene, kind, old, entity);
    scene_shown_change_entity(self, scene, old, entity);
    record_set_put(&scene->entities[kind->place], entity);
}

const frozen_t *
entity_cache_newest(const struct shard *self, const struct scene_state *scene,
                    const frozen_t *entity)
{
    return find_in_scene(self, scene, entity_kind_of(frozen_record(entity)), frozen_key(entity));
}

void
entity_cache_remove(struct shard *self, struct scene_state *scene, const frozen_t *entity)
{
    const struct entity_kind *kind = entity_kind_of(frozen_record(entity));
    const struct text *key = frozen_key(entity);
    const frozen_t *old = find_in_scene(self, scene, kind, key);
    if (!old)
        return;
    if (scene->walks)
        entity_walks_keep(scene, old, NULL);
    count_bytes(self, scene, 0, cached_bytes(old));
    self->counts[kind->place]--;
    table_remove(&self->entities, table_hash_text(key), old);
    lock_index_replace(&scene->locks, old, NULL);
    follow_orders(self, scene, kind, old, NULL);
    scene_shown_change_entity(self, scene, old, NULL);
    record_set_remove(&scene->entities[kind->place], key);
}

// --- scenes that leave ---

// The entities of a scene that is not in memory any more: the work of a message.
struct leaving {
    struct parcel base;
    struct shard *shard;
    struct record_set entities[ENTITY_KIND_COUNT];
    struct lock_index locks;
    struct record_orders orders;
};

static void
leaving_release(struct parcel *parcel)
{
    struct leaving *self = (struct leaving *)(void *)parcel;
    for (int place = 0; place < ENTITY_KIND_COUNT; place++)
        record_set_finish(&self->entities[place]);
    lock_index_finish(&self->locks);
    record_orders_finish(&self->orders);
    self->shard->leaving_scenes--;
    free(self);
}

struct message *
entity_cache_take(struct shard *self, struct scene_state *scene)
{
    scene_shown_take(self, scene);
    if (scene->bytes == 0)
        return NULL;
    struct leaving *leaving = memory_take_zeroed(sizeof *leaving);
    struct message *message = message_create(ENTITIES_DROP);
    leaving->base.destroy = leaving_release;
    leaving->shard = self;
    for (int place = 0; place < ENTITY_KIND_COUNT; place++) {
        self->counts[place] -= record_set_count(&scene->entities[place]);
        leaving->entities[place] = scene->entities[place];
        scene->entities[place] = (struct record_set){0};
    }
    leaving->locks = scene->locks;
    scene->locks = (struct lock_index){0};
    leaving->orders = scene->orders;
    scene->orders = (struct record_orders){0};
    count_bytes(self, scene, 0, scene->bytes);
    self->leaving_scenes++;
    message->work = &leaving->base;
    return message;
}

static struct leaving *
leaving_of(struct message *message)
{
    return (struct leaving *)(void *)message->work;
}

struct record_set *
entity_cache_taken(struct message *message, enum entity_place place)
{
    return &leaving_of(message)->entities[place];
}

void
entity_cache_drop(struct shard *self, struct scene_state *scene)
{
    struct message *message = entity_cache_take(self, scene);
    if (message)
        actor_dispatch(&self->base, message);
}

// Drops a slice of them from their end; false: there are none left.
static bool
drop_some(struct shard *self, struct message *message, enum entity_place place)
{
    struct leaving *leaving = leaving_of(message);
    enum { AT_ONCE = 64 };
    for (unsigned i = 0; i < AT_ONCE; i++) {
        const frozen_t *last = record_set_take_last(&leaving->entities[place]);
        if (!last)
            return false;
        table_remove(&self->entities, table_hash_text(frozen_key(last)), last);
        lock_index_replace(&leaving->locks, last, NULL);
        shown_remove_record(self->settings.shown, last);
        record_unref(&last);
    }
    return true;
}

enum error
entities_drop(actor_t *actor, struct message *message)
{
    while (record_orders_finish_some(&leaving_of(message)->orders))
        if (actor_must_pause(actor))
            return actor_pause(actor, message);
    for (enum entity_place place = 0; place < ENTITY_KIND_COUNT; place++)
        while (drop_some(shard_of(actor), message, place))
            if (actor_must_pause(actor))
                return actor_pause(actor, message);
    return OK;
}
