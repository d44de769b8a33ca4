// entity_cache.c - the things in memory: a table of generated keys for all scenes, ordered sets for
// each scene, and the bytes of both.

#include "actors/scene/scene_shard.h"
#include "proto/message/partition.h"

enum { INDEX_BYTES_PER_THING = 40 }; // its places in table and set, about

static bool
thing_has_key(const void *value, const void *key)
{
    return text_equal(record_key(value), key);
}

static const struct record *
find_generated(const struct shard *self, const struct text *key)
{
    return table_find(&self->things, table_hash_text(key), thing_has_key, key);
}

bool
resident_is_known(const struct shard *self, const struct text *key)
{
    return find_generated(self, key) != NULL;
}

const struct record *
resident_find(const struct shard *self, const struct kind *kind, const struct text *key)
{
    const struct record *thing = find_generated(self, key);
    return thing && thing->schema == kind->schema ? thing : NULL;
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
index_thing(struct shard *self, const struct record *old, const struct record *thing)
{
    const struct text *key = record_key(thing);
    if (!key_is_generated(key))
        return;
    if (old)
        table_replace(&self->things, table_hash_text(key), old, (struct record *)(uintptr_t)thing);
    else
        table_add(&self->things, table_hash_text(key), (struct record *)(uintptr_t)thing);
}

static const struct record *
find_in_scene(const struct shard *self, const struct scene_state *scene, const struct kind *kind,
              const struct text *key)
{
    return key_is_generated(key) ? find_generated(self, key)
                                 : record_set_find(&scene->things[kind->place], key);
}

void
resident_put(struct shard *self, struct scene_state *scene, const struct record *thing)
{
    const struct kind *kind = kind_of(thing);
    const struct record *old = find_in_scene(self, scene, kind, record_key(thing));
    size_t added = old ? 0 : INDEX_BYTES_PER_THING;
    count_bytes(self, scene, record_size(thing) + added, old ? record_size(old) : 0);
    self->counts[kind->place] += !old;
    index_thing(self, old, thing);
    record_set_put(&scene->things[kind->place], thing);
}

bool
resident_has(const struct shard *self, const struct scene_state *scene, const struct record *thing)
{
    return find_in_scene(self, scene, kind_of(thing), record_key(thing)) != NULL;
}

void
resident_remove(struct shard *self, struct scene_state *scene, const struct record *thing)
{
    const struct kind *kind = kind_of(thing);
    const struct text *key = record_key(thing);
    const struct record *old = find_in_scene(self, scene, kind, key);
    if (!old)
        return;
    count_bytes(self, scene, 0, record_size(old) + INDEX_BYTES_PER_THING);
    self->counts[kind->place]--;
    table_remove(&self->things, table_hash_text(key), old);
    record_set_remove(&scene->things[kind->place], key);
}

void
residents_drop(struct shard *self, struct scene_state *scene)
{
    for (int place = 0; place < KIND_COUNT; place++) {
        size_t count;
        const struct record *const *things = record_set_items(&scene->things[place], &count);
        for (size_t i = 0; i < count; i++)
            table_remove(&self->things, table_hash_text(record_key(things[i])), things[i]);
        self->counts[place] -= count;
        record_set_finish(&scene->things[place]);
    }
    count_bytes(self, scene, 0, scene->bytes);
}
