// scene_staging.c - puts changes of scenes and of what is in them into the filling batch, with the
// keys under which they are stored, and events into the list of this turn.

#include "actors/scene/scene_staging.h"

#include <assert.h>

#include "actors/scene/event_outlet.h"
#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_dues.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_shown.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/use_index.h"
#include "proto/base/clock.h"
#include "proto/message/metrics.h"
#include "proto/message/partition.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

// Writes beside those of the entities: who pays, and what there is of locks.
enum { BESIDE_WRITES = HOLDING_WRITES + LOCK_WRITES };

fallible
shard_make_room(struct shard *self, struct message *message, size_t operations, size_t bytes)
{
    assert(bytes > 0); // what is written takes memory, and one record may fill a commit
    TRY(request_settings_check_leads(&self->settings.requests));
    if (staging_has_room(&self->staging,
                         room_for_both(room_for_records(operations + BESIDE_WRITES, bytes),
                                       repeats_room(message))))
        return OK;
    staging_wait(&self->staging, &message);
    return PARKED;
}

// What was parked needs the scene when it runs again.
static enum error
keep_for(struct shard *self, struct scene_state *scene, enum error error)
{
    // Each commit lets the first of those that wait run again.
    uint64_t until = self->commits + 1 + self->staging.waiting.count;
    if (error == PARKED && scene && scene->kept_until < until)
        scene->kept_until = until;
    return error;
}

fallible
shard_make_room_in(struct shard *self, struct message *message, struct scene_state *scene,
                   size_t operations, size_t bytes)
{
    return keep_for(self, scene, shard_make_room(self, message, operations, bytes));
}

fallible
shard_make_room_apart(struct shard *self, struct message *message, struct scene_state *scene,
                      size_t operations, size_t bytes)
{
    TRY(request_settings_check_leads(&self->settings.requests));
    struct room room =
        room_for_both(room_for_records(operations + BESIDE_WRITES, bytes), repeats_room(message));
    if (staging_has_room_apart(&self->staging, room))
        return OK;
    staging_wait(&self->staging, &message);
    return keep_for(self, scene, PARKED);
}

static struct key
record_address(const struct scene_state *scene, key_tag_t tag, const struct text *key)
{
    return tag == KEY_SCENE ? key_of_text(tag, key) : key_in_scene(tag, scene->id, key);
}

// The value under a generated key: id and key of its scene.
static struct key
lookup_value(const struct scene_state *scene, const struct text *scene_key)
{
    struct key value = {.size = sizeof(uint64_t) + text_size(scene_key)};
    key_put_u64(value.data, scene->id);
    memcpy(value.data + sizeof(uint64_t), text_bytes(scene_key), text_size(scene_key));
    return value;
}

// Entities with a generated key are found by it alone.
static bool
is_looked_up(key_tag_t tag, const struct text *key)
{
    return entity_kind_of_tag(tag) && key_is_generated(key);
}

static void
note_revision(struct scene_state *scene, key_tag_t tag)
{
    scene->revision += tag == KEY_SCENE || tag == KEY_DEVICE;
}

// Notes when a scene was created and changed, or an object changed. Nobody else has the record yet.
static const frozen_t *
with_times(const frozen_t *frozen, const struct change *change)
{
    struct record *record = frozen_edit((frozen_t *)(uintptr_t)frozen);
    int64_t now_us = (int64_t)clock_calendar_us();
    if (change->tag == KEY_OBJECT)
        object_set_changed(record, now_us);
    if (change->tag == KEY_SCENE)
        scene_set_changed(record, now_us, !change->before);
    return frozen;
}

// Whoever reads the entities of the scene, which is on disk, waits for this change.
static void
note_unread(struct scene_state *scene, key_tag_t tag)
{
    scene->unread += entity_kind_of_tag(tag) && scene->cache_state == SCENE_ON_DISK;
}

// What the change stores. Devices are packed as long as they are in memory.
static const frozen_t *
frozen_for(const struct change *change, const struct record *record)
{
    const struct schema *schema = scene_family_schema(change->tag);
    if (change->tag == KEY_DEVICE)
        return packed_frozen(record_pack(schema, record));
    return with_times(record_freeze(schema, record), change);
}

static const frozen_t *
stage_put(struct shard *self, const struct change *change, const struct record *record)
{
    struct scene_state *scene = change->owner;
    struct change full = *change;
    full.record = frozen_for(change, record);
    full.before = change->before ? record_ref(change->before) : NULL;
    full.is_owners = change->tag == KEY_SCENE;
    const struct text *key = frozen_key(full.record);
    const struct key address = record_address(scene, change->tag, key);
    struct batch *batch = self->staging.filling.batch;
    batch_put_record(batch, scene->part, address, full.record);
    if (change->tag != KEY_DEVICE) // which names no assets, and may be packed
        use_index_stage(batch, scene->part, &address, frozen_record(full.before),
                        frozen_record(full.record));
    if (is_looked_up(change->tag, key) && !full.before)
        batch_put_value(batch, scene->part, key_of_text(KEY_LOOKUP, key),
                        lookup_value(scene, entity_of(frozen_record(full.record))->scene));
    scene_hold(scene);
    note_revision(scene, full.tag);
    note_unread(scene, full.tag);
    staging_add(&self->staging, &full);
    scene_dues_staged(self, full.tag, full.before, full.record);
    if (entity_kind_of_tag(full.tag))
        scene_holdings_staged(self, scene, full.before, full.record);
    if (full.tag == KEY_OBJECT)
        lock_ledger_staged(self, scene, full.before, full.record);
    return full.record;
}

// An update may have written an `owner`: the object is locked then.
static const frozen_t *
stage_put_with_lock(struct shard *self, const struct change *change, const struct record *record)
{
    struct arena arena = {0};
    if (change->tag == KEY_OBJECT)
        record = object_with_lock(self, change->owner, &arena, change->before, record);
    const frozen_t *staged = stage_put(self, change, record);
    arena_finish(&arena);
    return staged;
}

const frozen_t *
shard_stage_lock(struct shard *self, struct scene_state *scene, const struct record *record,
                 const frozen_t *before, uint8_t msg_type, uint8_t reason)
{
    return stage_put(self,
                     &(struct change){.tag = KEY_OBJECT,
                                      .owner = scene,
                                      .before = before,
                                      .msg_type = msg_type,
                                      .reason = reason},
                     record);
}

const frozen_t *
shard_stage_put(struct shard *self, struct scene_state *scene, key_tag_t tag,
                const struct record *record, const frozen_t *before, uint8_t msg_type)
{
    return stage_put_with_lock(
        self, &(struct change){.tag = tag, .owner = scene, .before = before, .msg_type = msg_type},
        record);
}

void
shard_stage_follower(struct shard *self, struct scene_state *scene, key_tag_t tag,
                     const struct record *record, const frozen_t *before, uint8_t msg_type)
{
    bool names_other_assets = use_index_writes(frozen_record(before), record) > 0;
    stage_put(self,
              &(struct change){.kind = names_other_assets ? CHANGE_STORED : CHANGE_FOLLOWER,
                               .tag = tag,
                               .owner = scene,
                               .before = before,
                               .msg_type = msg_type},
              record);
}

void
shard_stage_delete(struct shard *self, struct scene_state *scene, key_tag_t tag,
                   const frozen_t *before, uint8_t msg_type)
{
    struct batch *batch = self->staging.filling.batch;
    const struct text *key = frozen_key(before);
    const struct key address = record_address(scene, tag, key);
    batch_delete(batch, scene->part, address);
    if (tag != KEY_DEVICE) // which names no assets, and may be packed
        use_index_stage(batch, scene->part, &address, frozen_record(before), NULL);
    if (is_looked_up(tag, key))
        batch_delete(batch, scene->part, key_of_text(KEY_LOOKUP, key));
    if (tag == KEY_SCENE) {
        scene->is_deleting = true;
        batch_put_value(batch, scene->part, key_of_scene_id(KEY_SWEEP, scene->id), (struct key){0});
    }
    if (entity_kind_of_tag(tag))
        scene_holdings_staged(self, scene, before, NULL);
    if (tag == KEY_OBJECT)
        lock_ledger_staged(self, scene, before, NULL);
    scene_hold(scene);
    note_revision(scene, tag);
    note_unread(scene, tag);
    staging_add(&self->staging, &(struct change){.tag = tag,
                                                 .owner = scene,
                                                 .is_owners = tag == KEY_SCENE,
                                                 .before = record_ref(before),
                                                 .msg_type = msg_type});
}

enum error
shard_answer_durable(struct shard *self, struct message *message)
{
    repeats_keep(&self->repeats, message);
    message_queue_push(&self->staging.filling.messages, &message);
    return PARKED;
}

// Epochs count 1,024 a millisecond, so the next start begins above all moments of this one.
int64_t
shard_moment(const struct shard *self)
{
    return (int64_t)(self->settings.epoch + 1 + clock_now_us() - self->begun_us);
}

// --- events ---

void
shard_emit_why(struct shard *self, struct scene_state *scene, const frozen_t *record,
               uint8_t msg_type, uint8_t reason)
{
    bool has_seq = msg_type != EVENT_DEVICE_KNOWN && msg_type != EVENT_LOCK_ASKED;
    counter_add(COUNT_EVENTS, msg_type != EVENT_DEVICE_KNOWN);
    const struct event event = {.seq = has_seq ? ++scene->seq : scene->seq,
                                .time_us = clock_calendar_us(),
                                .scene_id = scene->id,
                                .scene = record_ref(scene->record),
                                .record = record_ref(record),
                                .msg_type = msg_type,
                                .reason = reason};
    scene_shown_move(scene);
    events_add(&self->events, &event);
    if (has_seq)
        event_histories_keep(&self->histories, &scene->history, &event);
}

void
shard_emit(struct shard *self, struct scene_state *scene, const frozen_t *record, uint8_t msg_type)
{
    shard_emit_why(self, scene, record, msg_type, REASON_NONE);
}

void
shard_emit_change(struct shard *self, const struct change *change, const frozen_t *record)
{
    struct scene_state *scene = change->owner;
    shard_emit_why(self, scene, record, change->msg_type, change->reason);
    for (const struct listener *at = change->listeners; at; at = at->next)
        shard_tell_place(self, scene, at->message);
}

enum error
shard_wait_for_streamer(struct shard *self, struct message *message)
{
    message->id = ++self->next_id;
    return event_outlet_put(self, &message) ? PARKED : actor_pause(&self->base, message);
}

void
shard_tell_place(const struct shard *self, const struct scene_state *scene, struct message *message)
{
    struct record *envelope = &reply_envelope(message)->base;
    record_set_integer(envelope, ENVELOPE_EPOCH, (int64_t)self->settings.epoch);
    record_set_integer(envelope, ENVELOPE_SEQ, (int64_t)scene->seq);
}

void
shard_tell_place_of(struct shard *self, struct scene_state *scene, key_tag_t tag,
                    const struct text *key, struct message *message)
{
    if (!staging_listen(&self->staging, tag, scene, key, message))
        shard_tell_place(self, scene, message);
}
