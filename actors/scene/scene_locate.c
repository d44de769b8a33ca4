// scene_locate.c - where keys live: what the asset actor asks about the entities that assets are
// related to. A key may be that of a scene, or a generated one of an entity in a scene, in memory
// or not. The entities of a deleted scene are found until it is swept.

#include "actors/scene/scene_locate.h"

#include "actors/scene/scene_index.h"
#include "actors/scene/scene_load.h"
#include "actors/scene/scene_loader.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/base/limits.h"
#include "proto/message/partition.h"
#include "proto/records/effect.h"
#include "proto/records/ids.h"

static const struct texts *
keys_of(const struct message *message)
{
    return ((const struct ids *)(const void *)message->records->items[0])->ids;
}

static bool
is_mine(const struct shard *self, uint16_t part)
{
    return part % self->settings.shards == self->settings.shard;
}

static uint64_t
id_of(const packed_t *scene)
{
    struct opened room;
    return (uint64_t)scene_of(packed_open(scene, &room))->id;
}

static void
add_place(const struct shard *self, struct message *message, const struct text *key,
          uint64_t scene_id, const packed_t *scene)
{
    struct opened room;
    struct place *place = (struct place *)(void *)record_new(&message->arena, &place_schema);
    record_set_text(&place->base, PLACE_KEY, key);
    record_set_integer(&place->base, PLACE_SCENE_ID, (int64_t)scene_id);
    record_set_integer(&place->base, PLACE_MOMENT, shard_moment(self));
    place->is_there = scene != NULL;
    place->is_seen = scene && scene_is_seen(&message->caller, packed_open(scene, &room));
    record_mark(&place->base, PLACE_IS_THERE);
    record_mark(&place->base, PLACE_IS_SEEN);
    reply_add_loose(message, &place_schema, &place->base);
}

// The scenes among the keys, and which keys are of none.
static void
add_scenes(struct shard *self, struct message *message)
{
    const struct texts *keys = keys_of(message);
    for (size_t i = 0; i < texts_count(keys); i++) {
        const packed_t *scene = scenes_known(self, keys->items[i]);
        if (scene)
            add_place(self, message, keys->items[i], id_of(scene), scene);
        else if (is_mine(self, partition_of_scene(keys->items[i])))
            add_place(self, message, keys->items[i], 0, NULL);
    }
}

// The look-ups that the entities among the keys need; takes the message where there are any.
static struct slice *
entities_of(struct shard *self, struct message **message)
{
    const struct texts *keys = keys_of(*message);
    struct slice *slice = NULL;
    for (size_t i = 0; i < texts_count(keys); i++) {
        uint16_t part;
        if (!partition_of_key(keys->items[i], &part) || !is_mine(self, part))
            continue;
        if (!slice)
            slice = slice_of_places(message);
        slice_add_place(slice, part, keys->items[i]);
    }
    return slice;
}

enum error
locate(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    if (texts_count(keys_of(message)) > LIMIT_LOOKUP_KEYS)
        return fail(ERR_TOO_LARGE, "", "at most %d keys are looked up at once", LIMIT_LOOKUP_KEYS);
    add_scenes(self, message);
    struct slice *slice = entities_of(self, &message);
    if (!slice)
        return OK;
    shard_load(self, slice, message_create(LOAD));
    return PARKED;
}

// The entity whose key is in `key` lives where the value says.
static void
add_entity(struct shard *self, struct message *message, const struct text *key,
           const struct key *value)
{
    if (value->size < sizeof(uint64_t))
        return;
    uint64_t id = key_get_u64(value->data);
    const char *scene_key = (const char *)value->data + sizeof id;
    const packed_t *scene =
        scenes_known(self, text_new(&message->arena, scene_key, value->size - sizeof id));
    add_place(self, message, key, id, scene && id_of(scene) == id ? scene : NULL);
}

enum error
locate_loaded(struct shard *self, struct message *answer)
{
    struct slice *slice = slice_of(answer);
    struct message *message = slice->asker;
    const struct texts *keys = keys_of(message);
    uint32_t place = 0;
    slice->asker = NULL;
    for (size_t i = 0; i < texts_count(keys) && slice->result == STORE_OK; i++) {
        uint16_t part;
        if (partition_of_key(keys->items[i], &part) && is_mine(self, part))
            add_entity(self, message, keys->items[i], &slice->keys[place++]);
    }
    enum error error = store_error(slice->result);
    message_destroy(&answer);
    actor_answer(&self->base, &message, error);
    return PARKED;
}
