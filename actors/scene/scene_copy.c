// scene_copy.c - see scene_copy.h. Each row of copy_rows makes of a write the change that a handler
// of the leader has staged; from there on it goes the same way (scene_commits.h).
#include "actors/scene/scene_copy.h"

#include "actors/runtime/copied_batch.h"
#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_cascade.h"
#include "actors/scene/scene_commits.h"
#include "actors/scene/scene_dues.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/scene_wake.h"
#include "proto/records/device.h"
#include "proto/records/lock.h"

// --- scenes by their ids, which the keys of what is in them begin with ---

static uint64_t
id_of(const packed_t *scene)
{
    struct opened room;
    return (uint64_t)scene_of(packed_open(scene, &room))->id;
}

static bool
has_id(const void *value, const void *key)
{
    const uint64_t *id = key;
    return id_of(value) == *id;
}

static const packed_t *
scene_with_id(const struct shard *self, uint64_t id)
{
    return table_find(&self->copied_scenes, table_hash_u64(id), has_id, &id);
}

// `after` (NULL = nothing) stands in the place of the record with its id, if there is one.
static void
know(struct shard *self, uint64_t id, const packed_t *after)
{
    const packed_t *before = scene_with_id(self, id);
    if (before)
        table_remove(&self->copied_scenes, table_hash_u64(id), before);
    if (after)
        table_add(&self->copied_scenes, table_hash_u64(id), (void *)(uintptr_t)packed_ref(after));
    packed_unref(&before);
}

// At the first batch: those that were read at the start.
static void
know_all(struct shard *self)
{
    if (self->knows_copied)
        return;
    size_t count;
    const frozen_t *const *scenes = record_set_items(&self->catalogue, &count);
    for (size_t i = 0; i < count; i++)
        know(self, id_of(frozen_packed(scenes[i])), frozen_packed(scenes[i]));
    self->knows_copied = true;
}

void
scene_copy_finish(struct shard *self)
{
    void *record;
    for (size_t cursor = 0; (record = table_next(&self->copied_scenes, &cursor)) != NULL;) {
        const packed_t *scene = record;
        packed_unref(&scene);
    }
    table_finish(&self->copied_scenes);
}

// --- rows ---

struct copying {
    struct shard *shard;
    const struct copied_write *write;
    struct scene_state *scene; // that the write is in; NULL of a new one
    const frozen_t *before;    // borrowed; NULL = nothing
    const frozen_t *after;     // one reference; NULL = nothing
};

struct copy_row {
    key_tag_t tag;
    bool is_scene;    // the write is of a scene itself, else of something in it
    bool is_in_cache; // it is in memory while the entities of its scene are
    const frozen_t *(*find)(const struct copying *copying, const struct text *key);
    uint8_t (*event)(const struct copying *copying, uint8_t *ret_reason);
};

static const frozen_t *
find_scene(const struct copying *copying, const struct text *key)
{
    (void)key;
    return copying->scene ? copying->scene->record : NULL;
}

static const frozen_t *
find_entity(const struct copying *copying, const struct text *key)
{
    const struct entity_kind *kind = entity_kind_of_tag(copying->write->tag);
    return record_set_find(&copying->scene->entities[kind->place], key);
}

static const frozen_t *
find_device(const struct copying *copying, const struct text *key)
{
    return record_set_find(&copying->scene->devices, key);
}

static const frozen_t *
find_correction(const struct copying *copying, const struct text *key)
{
    return record_set_find(&copying->scene->evidence, key);
}

static uint8_t
choose(const struct copying *copying, uint8_t created, uint8_t updated, uint8_t deleted)
{
    return !copying->after ? deleted : copying->before ? updated : created;
}

static uint8_t
scene_event(const struct copying *copying, uint8_t *ret_reason)
{
    (void)ret_reason;
    return choose(copying, EVENT_SCENE_CREATED, EVENT_SCENE_UPDATED, EVENT_SCENE_DELETED);
}

// A lock is a write of its object: who held it before, and who does now.
static uint8_t
object_event(const struct copying *copying, uint8_t *ret_reason)
{
    if (copying->before && copying->after) {
        const struct text *held = record_text(frozen_record(copying->before), OBJECT_OWNER);
        const struct text *holds = record_text(frozen_record(copying->after), OBJECT_OWNER);
        if (!text_equal(held, holds)) {
            *ret_reason = text_size(holds) ? REASON_NONE : REASON_RELEASED;
            return text_size(holds) ? EVENT_LOCK_GRANTED : EVENT_LOCK_RELEASED;
        }
    }
    return choose(copying, EVENT_OBJECT_CREATED, EVENT_OBJECT_UPDATED, EVENT_OBJECT_DELETED);
}

static uint8_t
property_event(const struct copying *copying, uint8_t *ret_reason)
{
    (void)ret_reason;
    return choose(copying, EVENT_PROPERTY_CREATED, EVENT_PROPERTY_UPDATED, EVENT_PROPERTY_DELETED);
}

// A device that is registered again has another token; one that is aligned keeps it.
static uint8_t
device_event(const struct copying *copying, uint8_t *ret_reason)
{
    struct opened before, after;
    (void)ret_reason;
    bool is_same = copying->before && copying->after &&
                   text_equal(device_open(copying->before, &before)->token,
                              device_open(copying->after, &after)->token);
    return choose(copying, EVENT_DEVICE_REGISTERED,
                  is_same ? EVENT_ALIGNMENT_CHANGED : EVENT_DEVICE_REGISTERED,
                  EVENT_DEVICE_DEREGISTERED);
}

static uint8_t
no_event(const struct copying *copying, uint8_t *ret_reason)
{
    (void)copying;
    (void)ret_reason;
    return 0; // its device has one
}

// What else stands in the family is read when the server leads: outbox, sweeps, leases, sums.
// clang-format off
static const struct copy_row copy_rows[] = {
    {KEY_SCENE,    .is_scene = true,    .find = find_scene,      .event = scene_event},
    {KEY_OBJECT,   .is_in_cache = true, .find = find_entity,     .event = object_event},
    {KEY_PROPERTY, .is_in_cache = true, .find = find_entity,     .event = property_event},
    {KEY_DEVICE,                        .find = find_device,     .event = device_event},
    {KEY_EVIDENCE,                      .find = find_correction, .event = no_event},
};
// clang-format on

static const struct copy_row *
row_of(key_tag_t tag)
{
    for (size_t i = 0; i < sizeof copy_rows / sizeof copy_rows[0]; i++)
        if (copy_rows[i].tag == tag)
            return &copy_rows[i];
    return NULL;
}

// The durable scene that the write is about, awake or at rest; NULL: it is new, or was deleted.
static const packed_t *
scene_of_write(const struct shard *self, struct message *message, const struct copy_row *row,
               const struct copied_write *write)
{
    uint64_t id;
    if (!row->is_scene)
        return key_scene_id(write->key, &id) ? scene_with_id(self, id) : NULL;
    const struct text *key = key_text(&message->arena, write->key);
    return key ? scenes_known(self, key) : NULL;
}

// --- what is needed ---

static enum error
need(struct shard *self, struct message *message, const struct copied_write *write)
{
    const struct copy_row *row = row_of(write->tag);
    const packed_t *record = row ? scene_of_write(self, message, row, write) : NULL;
    if (!record)
        return OK;
    struct scene_state *scene = scenes_find(self, packed_key(record));
    bool is_whole = row->is_in_cache || (row->is_scene && write->is_delete);
    if (!scene)
        return is_whole ? scene_wake_whole(self, record, NEED_WHOLE, message)
                        : scene_wake(self, record, message);
    scene->kept_until = self->commits + 1; // until the batch is applied
    if (is_whole)
        return scene_cache_need(self, scene, message);
    scene_cache_mark_use(self, scene);
    return OK;
}

// Runs `each` for the writes that are left, in slices.
static enum error
for_writes(actor_t *actor, struct message *message,
           enum error (*each)(struct shard *self, struct message *message,
                              const struct copied_write *write))
{
    enum { WATCHED = 16 }; // so many cost more than a look at the clock
    const struct copied_batch *batch = copied_batch_of(message);
    for (; message->progress < batch->count; message->progress++) {
        if (message->progress % WATCHED == WATCHED - 1 && actor_must_pause(actor))
            return actor_pause(actor, message);
        TRY(each(shard_of(actor), message, &batch->writes[message->progress]));
    }
    return OK;
}

enum error
scene_copy_need(actor_t *actor, struct message *message)
{
    know_all(shard_of(actor));
    return for_writes(actor, message, need);
}

// --- what is shown ---

static const struct text *
key_of_write(struct message *message, const struct copy_row *row, const struct copied_write *write)
{
    return row->is_scene ? key_text(&message->arena, write->key)
                         : key_text_in_scene(&message->arena, write->key);
}

// The state of a scene that this write makes; the change holds it.
static struct scene_state *
new_scene(struct shard *self, const frozen_t *record)
{
    struct scene_state *scene = scene_state_create(scene_of(frozen_record(record)));
    scene_cache_admit_new(self, scene);
    return scene;
}

static void
show(struct copying *copying, const struct copy_row *row)
{
    struct shard *self = copying->shard;
    struct scene_state *scene = copying->scene;
    if (scene)
        scene_hold(scene);
    else
        scene = new_scene(self, copying->after);
    struct change change = {.tag = row->tag,
                            .owner = scene,
                            .is_owners = row->is_scene,
                            .record = copying->after,
                            .before = copying->before ? record_ref(copying->before) : NULL};
    change.msg_type = row->event(copying, &change.reason);
    scene->revision++;
    scene_dues_staged(self, row->tag, change.before, change.record);
    scene_change_committed(self, &change);
    if (row->is_scene)
        know(self, scene->id, change.record ? scenes_known(self, scene->key) : NULL);
    record_unref(&change.before);
    scene_release(&scene);
}

static enum error
apply(struct shard *self, struct message *message, const struct copied_write *write)
{
    const struct copy_row *row = row_of(write->tag);
    const struct text *key = row ? key_of_write(message, row, write) : NULL;
    if (!key)
        return OK;
    if (row->is_scene && scene_cascade_is_under_way(self, key))
        return actor_pause(&self->base, message); // the deleted one is told of to its end first
    const packed_t *record = scene_of_write(self, message, row, write);
    struct copying copying = {.shard = self, .write = write};
    copying.scene = record ? scenes_find(self, packed_key(record)) : NULL;
    if (record && !copying.scene)
        return need(self, message, write); // it went to rest
    if (!copying.scene && (!row->is_scene || write->is_delete))
        return OK; // its scene is gone: what is left of it is swept
    copying.before = row->find(&copying, key);
    if (!write->is_delete)
        TRY(copied_write_record(write, scene_family_schema(row->tag), &copying.after));
    if (copying.before || copying.after)
        show(&copying, row);
    record_unref(&copying.after);
    return OK;
}

enum error
scene_copy_apply(actor_t *actor, struct message *message)
{
    enum error error = for_writes(actor, message, apply);
    shown_end(shard_of(actor)->settings.shown); // what this turn has changed
    if (error != PARKED)
        shard_of(actor)->commits++; // nothing of the batch is kept in memory for it any more
    return error;
}
