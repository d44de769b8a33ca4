// key_lookup.c - see the header. A key leads to a scene; the request goes on when that is in
// memory.
#include "actors/scene/key_lookup.h"

#include <assert.h>
#include <stdlib.h>

#include "actors/scene/entity_apart.h"
#include "actors/scene/entity_cache.h"
#include "actors/scene/entity_pages.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_load.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/scene_wake.h"
#include "proto/base/memory.h"
#include "proto/message/partition.h"

// A request that waits for the place of a generated key.
struct lookup {
    uint64_t id; // of the LOAD message
    struct message *message;
    const struct entity_kind *kind;
    enum scene_need need;
    const struct text *key; // of the message
};

static bool
lookup_has_id(const void *value, const void *key)
{
    const struct lookup *lookup = value;
    const uint64_t *id = key;
    return lookup->id == *id;
}

fallible
key_look_up(struct shard *self, const struct entity_kind *kind, const struct text *key,
            enum scene_need need, struct message *message)
{
    uint16_t part;
    bool is_of_another_kind = entity_cache_is_known(self, key);
    if (self->scenes_on_disk == 0 || is_of_another_kind || !partition_of_key(key, &part) ||
        part % self->settings.shards != self->settings.shard)
        return fail(ERR_NOT_FOUND, "", "there is no %s %s", kind->noun, text_chars(key));
    struct lookup *lookup = memory_take_zeroed(sizeof *lookup);
    lookup->message = message;
    lookup->kind = kind;
    lookup->need = need;
    lookup->key = key;
    lookup->id = shard_load(self, slice_of_lookup(part, key), message_create(LOAD));
    table_add(&self->lookups, table_hash_u64(lookup->id), lookup);
    return PARKED;
}

// The record of the scene that a look-up found: the value is its id and its key.
static const packed_t *
looked_up_scene(struct shard *self, const struct slice *slice)
{
    if (slice->value.size < sizeof(uint64_t))
        return NULL;
    struct arena arena = {0};
    const struct text *key = text_new(&arena, (const char *)slice->value.data + sizeof(uint64_t),
                                      slice->value.size - sizeof(uint64_t));
    const packed_t *record = scenes_known(self, key);
    const struct scene_state *scene = scenes_find(self, key);
    arena_finish(&arena);
    struct opened room;
    bool is_same =
        record &&
        (uint64_t)scene_of(packed_open(record, &room))->id == key_get_u64(slice->value.data) &&
        !(scene && scene_is_deleting(self, scene));
    return is_same ? record : NULL;
}

static enum error
wake(struct shard *self, const packed_t *record, const struct lookup *lookup)
{
    enum error error = scene_wake_whole(self, record, lookup->need, lookup->message);
    if (lookup->need == NEED_TO_WRITE)
        entity_apart_expect(self, scene_that_wakes(self, record), lookup->kind, lookup->key,
                            lookup->message);
    return error;
}

// The request goes on once what is in the scene is there; it runs again from the start.
static enum error
go_on(struct shard *self, const packed_t *record, const struct lookup *lookup)
{
    struct message *message = lookup->message;
    struct scene_state *scene = scenes_find(self, packed_key(record));
    bool is_apart;
    if (!scene)
        return wake(self, record, lookup);
    TRY(scene_cache_need_for(self, lookup->need, scene, message, &is_apart));
    if (!is_apart)
        return OK;
    if (lookup->need == NEED_TO_READ)
        return entity_pages_fetch(self, scene, lookup->kind, lookup->key, message);
    const frozen_t *entity; // the message holds it
    return entity_apart_fetch(self, scene, lookup->kind, lookup->key, message, &entity);
}

enum error
key_looked_up(struct shard *self, struct message *answer)
{
    const struct slice *slice = slice_of(answer);
    struct lookup *lookup =
        table_find(&self->lookups, table_hash_u64(answer->id), lookup_has_id, &answer->id);
    assert(lookup); // each LOAD comes back once
    struct message *message = lookup->message;
    table_remove(&self->lookups, table_hash_u64(lookup->id), lookup);
    const packed_t *scene = slice->result == STORE_OK ? looked_up_scene(self, slice) : NULL;
    enum store_result result = slice->result;
    message_destroy(&answer);
    bool is_absent = result == STORE_OK || result == STORE_ABSENT;
    enum error error =
        scene ? go_on(self, scene, lookup)
              : fail(is_absent ? ERR_NOT_FOUND : store_error(result), "", "%s",
                     is_absent ? "nothing has that key" : "the key cannot be looked up");
    free(lookup);
    if (error == OK)
        actor_dispatch(&self->base, message);
    else if (error != PARKED)
        actor_answer(&self->base, &message, error);
    return PARKED;
}

void
key_lookups_finish(struct shard *self)
{
    struct lookup *lookup;
    for (size_t cursor = 0; (lookup = table_next(&self->lookups, &cursor)) != NULL;) {
        message_destroy(&lookup->message);
        free(lookup);
    }
    table_finish(&self->lookups);
}
