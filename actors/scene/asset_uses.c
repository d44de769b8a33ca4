// asset_uses.c - goes through slices of index records until the page is full, and on the first page
// on until all are counted (asset_uses.h).
#include "actors/scene/asset_uses.h"

#include <sodium.h>
#include <stdlib.h>

#include "actors/scene/scene_index.h"
#include "actors/scene/scene_loader.h"
#include "actors/scene/scene_shard.h"
#include "proto/base/memory.h"
#include "proto/message/list_query.h"
#include "proto/message/partition.h"
#include "proto/records/asset_use.h"
#include "proto/records/scene.h"

struct uses_work {
    struct parcel base;
    struct list_query query;
    struct use_place next; // what is not read yet begins here
    bool is_read;          // all is
    int64_t counted;       // of those that the caller may see
};

static struct uses_work *
work_of(const struct message *message)
{
    return (struct uses_work *)(void *)message->work;
}

static void
release(struct parcel *parcel)
{
    free(parcel);
}

// --- places: partition, row and name of the record, as hexadecimal digits ---

enum { PLACE_HEAD = 3 }; // bytes before the name

static const struct text *
place_text(struct arena *arena, const struct slice *slice, uint32_t i)
{
    const struct key *key = &slice->keys[i];
    unsigned row = key->data[1];
    size_t begin = slice->prefixes[row - INDEX_OBJECT_ASSET].size, size = key->size - begin;
    unsigned char bytes[PLACE_HEAD + KEY_MAX] = {
        (unsigned char)(slice->parts[i] >> 8), (unsigned char)slice->parts[i], (unsigned char)row};
    char hex[2 * sizeof bytes + 1];
    memcpy(bytes + PLACE_HEAD, key->data + begin, size);
    return text_from(arena, sodium_bin2hex(hex, sizeof hex, bytes, PLACE_HEAD + size));
}

// What stands behind the place.
static fallible
place_read(const struct text *place, const struct text *asset, struct use_place *ret_next)
{
    unsigned char bytes[PLACE_HEAD + KEY_MAX] = {0};
    size_t size = 0;
    bool is_hex = sodium_hex2bin(bytes, sizeof bytes, text_bytes(place), text_size(place), NULL,
                                 &size, NULL) == 0;
    uint16_t part = (uint16_t)(bytes[0] << 8 | bytes[1]);
    bool is_object = bytes[2] == INDEX_OBJECT_ASSET, is_scene = bytes[2] == INDEX_SCENE_ASSET;
    if (!is_hex || size <= PLACE_HEAD || part >= PARTITION_COUNT || !(is_object || is_scene))
        return fail(ERR_INVALID, "/after", "is no place of this list");
    const struct key key =
        index_key_of_text(is_object ? object_asset_index : scene_asset_index, asset,
                          (struct bytes){bytes + PLACE_HEAD, size - PLACE_HEAD});
    *ret_next = (struct use_place){part, key_next(&key)};
    return OK;
}

// --- what was read ---

// Whether the caller may see the scene with this key, and it is the one with this id.
static bool
is_seen(const struct shard *self, const struct message *message, const struct text *key,
        uint64_t scene_id)
{
    struct opened room;
    const packed_t *known = scenes_known(self, key);
    const struct record *scene = known ? packed_open(known, &room) : NULL;
    return scene && (uint64_t)scene_of(scene)->id == scene_id &&
           scene_is_seen(&message->caller, scene);
}

// Goes past all of a scene that the caller may not see, where the next slice would begin in it.
static void
skip_scene(struct uses_work *work, const struct slice *slice, uint32_t i)
{
    struct key scene = slice->keys[i];
    scene.size = slice->prefixes[0].size + sizeof(uint64_t);
    if (work->next.part == slice->parts[i] && work->next.low.size > scene.size &&
        memcmp(work->next.low.data, scene.data, scene.size) == 0)
        work->next.low = key_after(&scene);
}

static void
take(struct shard *self, struct message *message, const struct slice *slice, uint32_t i)
{
    struct uses_work *work = work_of(message);
    const struct record *use = slice->records[i] ? frozen_record(slice->records[i]) : NULL;
    bool is_object = slice->keys[i].data[1] == INDEX_OBJECT_ASSET;
    if (!use)
        return;
    const struct text *scene = record_text(use, is_object ? ASSET_USE_SCENE : ASSET_USE_KEY);
    if (!is_seen(self, message, scene, slice->numbers[i])) {
        if (is_object)
            skip_scene(work, slice, i);
        return;
    }
    if (work->counted++ >= work->query.limit) {
        message->reply.more = true;
        return;
    }
    struct record *shown = record_copy(&message->arena, &asset_use_schema, use);
    record_set_text(shown, ASSET_USE_PLACE, place_text(&message->arena, slice, i));
    reply_add_loose(message, &asset_use_schema, shown);
}

enum error
asset_uses_loaded(struct shard *self, struct message *answer)
{
    struct slice *slice = slice_of(answer);
    struct message *message = slice->asker;
    struct uses_work *work = work_of(message);
    enum error error = store_error(slice->result);
    slice->asker = NULL;
    work->next = (struct use_place){slice->part, slice->low};
    work->is_read = !slice->more;
    for (uint32_t i = 0; i < slice->count && error == OK; i++)
        take(self, message, slice, i);
    message_destroy(&answer);
    if (error == OK)
        actor_go_on(&self->base, message);
    else
        actor_finish(&self->base, message, fail(error, "", "what names the asset cannot be read"));
    return PARKED;
}

// --- requests ---

// The first of the actor's partitions from `next` on.
static void
skip_others(const struct shard *self, struct uses_work *work)
{
    unsigned step = self->settings.shards, part = work->next.part;
    unsigned mine = part + (self->settings.shard + step - part % step) % step;
    if (mine != part)
        work->next = (struct use_place){.part = (uint16_t)mine};
    work->is_read = mine >= PARTITION_COUNT;
}

static fallible
begin(const struct shard *self, struct message *message)
{
    struct uses_work *work = memory_take_zeroed(sizeof *work);
    work->base.destroy = release;
    message->work = &work->base;
    TRY(list_query_read(message, list_kind_of(&asset_use_schema), 0, &work->query));
    if (work->query.has_place)
        TRY(place_read(work->query.place.key, message->params->asset, &work->next));
    skip_others(self, work);
    return OK;
}

// Later pages are not counted: the cursor has what the first one found.
static bool
is_done(const struct uses_work *work, const struct message *message)
{
    bool is_counted = work->query.has_place || work->counted > LIST_TOTAL_EXACT;
    return work->is_read || (message->reply.more && is_counted);
}

static enum error
read_next(struct shard *self, struct message *message)
{
    const struct uses_work *work = work_of(message);
    struct message *load = message_create(LOAD);
    struct slice *slice = slice_of_uses(message->params->asset, &work->next,
                                        (uint16_t)self->settings.shards, &message);
    load->parcel = &slice->base;
    load->id = ++self->next_id;
    if (mailbox_send(self->base.mailbox, self->sweeper_name, &load) == OK)
        return PARKED;
    slice->result = STORE_UNAVAILABLE; // as the loader answers when it fails
    return asset_uses_loaded(self, load);
}

enum error
asset_uses(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    if (!message->work)
        TRY(begin(self, message));
    struct uses_work *work = work_of(message);
    if (!is_done(work, message))
        return read_next(self, message);
    list_answer(message, &work->query, work->counted, NULL);
    return OK;
}
