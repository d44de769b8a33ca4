// asset_uses.c - goes through slices of index records until the page is full, and on the first page
// on until all are counted (asset_uses.h).
#include "actors/scene/asset_uses.h"

#include <sodium.h>
#include <stdlib.h>

#include "actors/scene/scene_index.h"
#include "actors/scene/scene_loader.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/use_index.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/message/list_query.h"
#include "proto/message/partition.h"
#include "proto/records/asset_use.h"
#include "proto/records/object.h"
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
place_text(struct arena *arena, uint16_t part, uint8_t row, struct bytes name)
{
    unsigned char bytes[PLACE_HEAD + KEY_MAX] = {(unsigned char)(part >> 8), (unsigned char)part,
                                                 row};
    char hex[2 * sizeof bytes + 1];
    memcpy(bytes + PLACE_HEAD, name.data, name.size);
    return text_from(arena, sodium_bin2hex(hex, sizeof hex, bytes, PLACE_HEAD + name.size));
}

// What stands behind the place.
static fallible
place_read(const struct text *place, const struct text *asset, struct use_place *ret_next)
{
    unsigned char bytes[PLACE_HEAD + KEY_MAX];
    size_t size;
    bool is_hex = sodium_hex2bin(bytes, sizeof bytes, text_bytes(place), text_size(place), NULL,
                                 &size, NULL) == 0;
    uint16_t part = is_hex && size > PLACE_HEAD ? (uint16_t)(bytes[0] << 8 | bytes[1])
                                                : (uint16_t)PARTITION_COUNT;
    bool is_object = bytes[2] == INDEX_OBJECT_ASSET;
    if (part >= PARTITION_COUNT || !(is_object || bytes[2] == INDEX_SCENE_ASSET))
        return fail(ERR_INVALID, "/after", "is no place of this list");
    struct key key =
        index_prefix_of_text(is_object ? object_asset_index : scene_asset_index, asset);
    size_t left = sizeof key.data - key.size, name = size - PLACE_HEAD;
    memcpy(key.data + key.size, bytes + PLACE_HEAD, name < left ? name : left);
    key.size += name < left ? name : left;
    *ret_next = (struct use_place){part, key_next(&key)};
    return OK;
}

// --- what was read ---

// The scene that something is in, or that it is, where the caller may see it; or NULL.
static const struct scene *
scene_to_tell(const struct shard *self, const struct message *message, const struct text *key,
              uint64_t scene_id)
{
    const frozen_t *known = scenes_known(self, key);
    const struct record *scene = known ? frozen_record(known) : NULL;
    bool is_same = scene && (uint64_t)scene_of(scene)->id == scene_id;
    return is_same && scene_is_seen(&message->caller, scene) ? scene_of(scene) : NULL;
}

static void
add_use(struct message *message, const struct text *place, const struct record *record)
{
    bool is_object = record->schema == &object_schema;
    struct record *use = record_new(&message->arena, &asset_use_schema);
    const struct text *kind = text_from(&message->arena, is_object ? "object" : "scene");
    record_set_text(use, ASSET_USE_PLACE, place);
    record_set_text(use, ASSET_USE_KIND, kind);
    record_set_text(use, ASSET_USE_KEY, record_key(record));
    record_set_text(use, ASSET_USE_NAME,
                    is_object ? entity_of(record)->name : scene_of(record)->name);
    if (is_object)
        record_set_text(use, ASSET_USE_SCENE, entity_of(record)->scene);
    reply_add_loose(message, &asset_use_schema, use);
}

static void
take(struct shard *self, struct message *message, const struct slice *slice, uint32_t i)
{
    struct uses_work *work = work_of(message);
    const struct record *record = slice->records[i] ? frozen_record(slice->records[i]) : NULL;
    const struct text *asset = message->params->asset;
    if (!record)
        return;
    bool is_object = record->schema == &object_schema;
    const struct texts *assets = is_object ? object_of(record)->assets : scene_of(record)->assets;
    const struct text *key = is_object ? entity_of(record)->scene : record_key(record);
    uint64_t scene_id = is_object ? slice->numbers[i] : (uint64_t)scene_of(record)->id;
    // It may have changed since, and long keys are cut in index records.
    if (!texts_contain(assets, asset) || !scene_to_tell(self, message, key, scene_id))
        return;
    if (work->counted++ >= work->query.limit) {
        message->reply.more = true;
        return;
    }
    const struct key address = is_object ? key_in_scene(KEY_OBJECT, scene_id, record_key(record))
                                         : key_of_text(KEY_SCENE, key);
    add_use(message,
            place_text(&message->arena, slice->parts[i],
                       is_object ? INDEX_OBJECT_ASSET : INDEX_SCENE_ASSET, key_name(&address)),
            record);
}

enum error
asset_uses_loaded(struct shard *self, struct message *answer)
{
    struct slice *slice = slice_of(answer);
    struct message *message = slice->asker;
    struct uses_work *work = work_of(message);
    enum error error = store_error(slice->result);
    slice->asker = NULL;
    for (uint32_t i = 0; i < slice->count && error == OK; i++)
        take(self, message, slice, i);
    work->next = (struct use_place){slice->part, slice->low};
    work->is_read = !slice->more;
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
    if (work->query.descending)
        return fail(ERR_INVALID, "/sort", "is no order of a use");
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
    if (!is_done(work, message) && message->deadline_ms && clock_left_ms(message->deadline_ms) == 0)
        return fail(ERR_UNAVAILABLE, "", "what names the asset was not read in time");
    if (!is_done(work, message))
        return read_next(self, message);
    struct envelope *envelope = reply_envelope(message);
    record_set_integer(&envelope->base, ENVELOPE_TOTAL, work->counted);
    envelope->at_least = work->counted > LIST_TOTAL_EXACT;
    return OK;
}
