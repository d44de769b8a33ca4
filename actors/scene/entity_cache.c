// entity_cache.c - the entities in memory: a table of generated keys for all scenes, ordered sets
// for each scene, and the bytes of both.

#include "actors/scene/entity_cache.h"

#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/message/partition.h"

enum { INDEX_BYTES_PER_ENTITY = 40 }; // its places in table and set, about

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

bool
entity_cache_is_known(const struct shard *self, const struct text *key)
{
    return find_generated(self, key) != NULL;
}

const frozen_t *
entity_cache_find(const struct shard *self, const struct entity_kind *kind, const struct text *key)
{
    const frozen_t *entity = find_generated(self, key);
    return entity && frozen_record(entity)->schema == kind->schema ? entity : NULL;
}

static void
count_bytes(struct shard *self, struct scene_state *scene, size_t more, size_t less)
{
    scene->bytes += more;
    scene->bytes -= less;
    self->bytes += more;
    self->bytes -= less;
}

// The table of generated keys borrows the references of the sets.
static void
index_entity(struct shard *self, const frozen_t *old, const frozen_t *entity)
{
    const struct text *key = frozen_key(entity);
    if (!key_is_generated(key))
        return;
    if (old)
        table_replace(&self->entities, table_hash_text(key), old, (void *)(uintptr_t)entity);
    else
        table_add(&self->entities, table_hash_text(key), (void *)(uintptr_t)entity);
}

static const frozen_t *
find_in_scene(const struct shard *self, const struct scene_state *scene,
              const struct entity_kind *kind, const struct text *key)
{
    return key_is_generated(key) ? find_generated(self, key)
                                 : record_set_find(&scene->entities[kind->place], key);
}

void
entity_cache_put(struct shard *self, struct scene_state *scene, const frozen_t *entity)
{
    const struct entity_kind *kind = entity_kind_of(frozen_record(entity));
    const frozen_t *old = find_in_scene(self, scene, kind, frozen_key(entity));
    size_t added = old ? 0 : INDEX_BYTES_PER_ENTITY;
    count_bytes(self, scene, record_size(entity) + added, old ? record_size(old) : 0);
    self->counts[kind->place] += !old;
    index_entity(self, old, entity);
    record_set_put(&scene->entities[kind->place], entity);
}

bool
entity_cache_has(const struct shard *self, const struct scene_state *scene, const frozen_t *entity)
{
    return find_in_scene(self, scene, entity_kind_of(frozen_record(entity)), frozen_key(entity)) !=
           NULL;
}

void
entity_cache_remove(struct shard *self, struct scene_state *scene, const frozen_t *entity)
{
    const struct entity_kind *kind = entity_kind_of(frozen_record(entity));
    const struct text *key = frozen_key(entity);
    const frozen_t *old = find_in_scene(self, scene, kind, key);
    if (!old)
        return;
    count_bytes(self, scene, 0, record_size(old) + INDEX_BYTES_PER_ENTITY);
    self->counts[kind->place]--;
    table_remove(&self->entities, table_hash_text(key), old);
    record_set_remove(&scene->entities[kind->place], key);
}

void
entity_cache_drop(struct shard *self, struct scene_state *scene)
{
    for (int place = 0; place < ENTITY_KIND_COUNT; place++) {
        size_t count;
        const frozen_t *const *entities = record_set_items(&scene->entities[place], &count);
        for (size_t i = 0; i < count; i++)
            table_remove(&self->entities, table_hash_text(frozen_key(entities[i])), entities[i]);
        self->counts[place] -= count;
        record_set_finish(&scene->entities[place]);
    }
    count_bytes(self, scene, 0, scene->bytes);
}
