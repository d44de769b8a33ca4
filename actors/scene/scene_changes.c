// scene_changes.c - how a change of a scene is staged, and how it becomes visible, is numbered and
// answered once it is durable (pipeline.h). Everything here runs on the scene actor's thread.

#include "actors/runtime/actor_family.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_shard.h"
#include "proto/base/clock.h"
#include "proto/message/metrics.h"
#include "proto/message/partition.h"

// --- staging ---

fallible
shard_make_room(struct shard *self, struct message *message, size_t operations, size_t bytes)
{
    if (staging_has_room(&self->staging, operations, bytes))
        return OK;
    message_queue_push(&self->staging.waiting, &message);
    return PARKED;
}

static struct key
record_address(const struct scene_state *scene, key_tag_t tag, const struct text *key)
{
    return tag == KEY_SCENE ? key_of_text(tag, key) : key_in_scene(tag, scene->id, key);
}

// Where a generated key lives: scene id, scene key.
static struct key
lookup_value(const struct scene_state *scene, const struct text *scene_key)
{
    struct key value = {.size = sizeof(uint64_t) + text_size(scene_key)};
    key_put_u64(value.data, scene->id);
    memcpy(value.data + sizeof(uint64_t), text_chars(scene_key), text_size(scene_key));
    return value;
}

// Entities with a generated key are found by it alone.
static bool
is_looked_up(key_tag_t tag, const struct text *key)
{
    return entity_kind_of_tag(tag) && key_is_generated(key);
}

const struct record *
shard_stage_put(struct shard *self, struct scene_state *scene, key_tag_t tag,
                const struct record *record, const struct record *before, uint8_t msg_type)
{
    struct batch *batch = self->staging.filling.batch;
    const struct record *frozen = record_freeze(scene_family_schema(tag), record);
    const struct text *key = record_key(frozen);
    batch_put_record(batch, scene->part, record_address(scene, tag, key), frozen);
    if (is_looked_up(tag, key) && !before)
        batch_put_value(batch, scene->part, key_of_text(KEY_LOOKUP, key),
                        lookup_value(scene, entity_of(frozen)->scene));
    scene_hold(scene);
    staging_add(&self->staging, &(struct change){.tag = tag,
                                                 .owner = scene,
                                                 .is_owners = tag == KEY_SCENE,
                                                 .record = frozen,
                                                 .before = before ? record_ref(before) : NULL,
                                                 .msg_type = msg_type});
    return frozen;
}

void
shard_stage_delete(struct shard *self, struct scene_state *scene, key_tag_t tag,
                   const struct record *before, uint8_t msg_type)
{
    struct batch *batch = self->staging.filling.batch;
    const struct text *key = record_key(before);
    batch_delete(batch, scene->part, record_address(scene, tag, key));
    if (is_looked_up(tag, key))
        batch_delete(batch, scene->part, key_of_text(KEY_LOOKUP, key));
    if (tag == KEY_SCENE) {
        scene->is_doomed = true;
        batch_put_value(batch, scene->part, key_of_scene_id(KEY_SWEEP, scene->id), (struct key){0});
    }
    scene_hold(scene);
    staging_add(&self->staging, &(struct change){.tag = tag,
                                                 .owner = scene,
                                                 .is_owners = tag == KEY_SCENE,
                                                 .before = record_ref(before),
                                                 .msg_type = msg_type});
}

enum error
shard_answer_durable(struct shard *self, struct message *message)
{
    message_queue_push(&self->staging.filling.messages, &message);
    return PARKED;
}

// --- applying ---

void
shard_emit(struct shard *self, struct scene_state *scene, const struct record *record,
           uint8_t msg_type)
{
    counter_add(COUNT_EVENTS, msg_type != EVENT_DEVICE_KNOWN);
    const struct event event = {.seq = msg_type == EVENT_DEVICE_KNOWN ? scene->seq : ++scene->seq,
                                .time_us = clock_calendar_us(),
                                .scene_id = scene->id,
                                .scene = record_ref(scene->record),
                                .record = record_ref(record),
                                .msg_type = msg_type};
    events_add(&self->events, &event);
    if (msg_type != EVENT_DEVICE_KNOWN)
        event_histories_keep(&self->histories, &scene->history, &event);
}

void
shard_tell_place(const struct shard *self, const struct scene_state *scene, struct message *message)
{
    struct record *envelope = &reply_envelope(message)->base;
    record_set_integer(envelope, ENVELOPE_EPOCH, (int64_t)self->settings.epoch);
    record_set_integer(envelope, ENVELOPE_SEQ, (int64_t)scene->seq);
}

static void
emit_objects(struct shard *self, struct scene_state *scene, uint8_t msg_type)
{
    size_t count;
    const struct record *const *objects = record_set_items(&scene->entities[OBJECTS], &count);
    for (size_t i = 0; i < count; i++)
        shard_emit(self, scene, objects[i], msg_type);
}

static void
apply_scene(struct shard *self, struct scene_state *scene, const struct change *change)
{
    if (change->record) {
        const struct record *old = scene->record;
        scene->record = record_ref(change->record);
        if (old) {
            scenes_reindex(self, scene, old);
        } else {
            scenes_index(self, scene);
            scene->seq = self->seq_floor;
        }
        record_unref(&old);
        shard_emit(self, scene, change->record, change->msg_type);
        if (change->restream)
            emit_objects(self, scene, EVENT_OBJECT_UPDATED);
        return;
    }
    if (self->settings.events_cascade)
        emit_objects(self, scene, EVENT_OBJECT_DELETED);
    shard_emit(self, scene, change->before, change->msg_type);
    // The key may be used again in this epoch, and (epoch, seq) of a key never repeats.
    if (scene->seq > self->seq_floor)
        self->seq_floor = scene->seq;
    token_index_end_scene(self, scene);
    corrections_scene_gone(self, scene);
    scenes_unindex(self, scene);
    scene_cache_forget(self, scene); // its sweep begins when its relationships are gone
}

static void
apply_entity(struct shard *self, struct scene_state *scene, const struct change *change)
{
    const struct record *entity = change->record ? change->record : change->before;
    datagrams_mark_clean(self, scene, entity);
    if (change->record)
        entity_cache_put(self, scene, entity);
    else
        entity_cache_remove(self, scene, entity);
    shard_emit(self, scene, entity, change->msg_type);
}

static void
apply_device(struct shard *self, struct scene_state *scene, const struct change *change)
{
    const struct record *old = record_set_find(
        &scene->devices, record_key(change->record ? change->record : change->before));
    if (old)
        token_index_remove(self, old);
    if (change->record) {
        record_set_put(&scene->devices, change->record);
        token_index_put(self, scene, change->record);
        corrections_device_here(self, scene, change->record);
    } else {
        record_set_remove(&scene->devices, record_key(change->before));
        corrections_device_gone(self, scene, record_key(change->before));
    }
    if (change->msg_type == EVENT_ALIGNMENT_CHANGED)
        alignment_emit(self, scene, change->record);
    else
        shard_emit(self, scene, change->record ? change->record : change->before, change->msg_type);
}

// Makes a durable change visible, numbers its event.
static void
apply_change(struct commit_pipeline *pipeline, const struct change *change)
{
    struct shard *self = shard_of(pipeline->actor);
    if (change->kind == CHANGE_BEHIND)
        return; // visible since it came
    switch (change->tag) {
    case KEY_SCENE:
        apply_scene(self, change->owner, change);
        break;
    case KEY_OUTBOX:
        outbox_committed(&self->outbox, change);
        break;
    case KEY_EVIDENCE:
        correction_apply(self, change->owner, change);
        break;
    case KEY_DEVICE:
        apply_device(self, change->owner, change);
        break;
    default:
        apply_entity(self, change->owner, change);
    }
}

// A change that never became durable: nobody saw it, unless it came by UDP.
static void
drop_change(struct commit_pipeline *pipeline, struct change *change)
{
    struct shard *self = shard_of(pipeline->actor);
    if (change->kind == CHANGE_BEHIND)
        datagrams_mark_dirty(self, change->owner, change->record);
    if (change->tag == KEY_SCENE && !change->record)
        ((struct scene_state *)change->owner)->is_doomed = false;
    if (change->tag == KEY_OUTBOX)
        outbox_dropped(&self->outbox, change);
}

void
shard_tell_metrics(struct shard *self)
{
    gauge_follow(GAUGE_SCENES, &self->told.scenes, self->scenes.count);
    gauge_follow(GAUGE_SCENES_LOADED, &self->told.scenes_loaded,
                 self->scenes.count - self->scenes_on_disk);
    gauge_follow(GAUGE_OBJECTS_LOADED, &self->told.entities[OBJECTS], self->counts[OBJECTS]);
    gauge_follow(GAUGE_PROPERTIES_LOADED, &self->told.entities[PROPERTIES],
                 self->counts[PROPERTIES]);
    gauge_follow(GAUGE_CORRECTIONS, &self->told.corrections, self->corrections);
    gauge_follow(GAUGE_SCENE_BYTES, &self->told.bytes, self->bytes);
}

// --- answering ---

// A slice of the request is durable: whether there is another one.
static bool
goes_on(struct message *message)
{
    return entity_is_creation(message) ? entity_creation_goes_on(message)
                                       : registration_goes_on(message);
}

// What a request waited for is durable (OK), or failed.
static void
settle(struct commit_pipeline *pipeline, struct message *message, enum error error)
{
    struct shard *self = shard_of(pipeline->actor);
    if (message->operation == LOADED) {
        sweep_settled(self, &message, error);
        return;
    }
    if (error == OK) {
        if (goes_on(message)) {
            actor_dispatch(&self->base, message);
            return;
        }
        registration_reply(self, message);
        if (outbox_hold(&self->outbox, message))
            return;
    }
    if (entity_is_creation(message))
        error = entity_creation_ends(message, error);
    actor_answer(&self->base, &message, error);
}

// Runs a request again from the start: what it had staged is gone.
static void
run_again(struct commit_pipeline *pipeline, struct message *message)
{
    struct shard *self = shard_of(pipeline->actor);
    if (message->operation == LOADED) {
        sweep_settled(self, &message, ERR_UNAVAILABLE);
        return;
    }
    reply_truncate(message, entity_is_creation(message) ? message->progress : 0);
    actor_dispatch(&self->base, message);
}

static void
applied(struct commit_pipeline *pipeline)
{
    struct shard *self = shard_of(pipeline->actor);
    shard_tell_metrics(self); // before the answers: who has one finds it counted
    corrections_tell(self);   // and known to the solver
}

static void
noted(struct commit_pipeline *pipeline, enum store_result result)
{
    store_health_note(shard_of(pipeline->actor), result);
}

const struct commit_behaviour shard_commits = {
    .apply = apply_change,
    .applied = applied,
    .drop = drop_change,
    .settle = settle,
    .again = run_again,
    .noted = noted,
};

enum error
scene_changes_committed(actor_t *actor, struct message *message)
{
    return commit_pipeline_committed(&shard_of(actor)->pipeline, message);
}

void
scene_changes_turn(struct shard *self)
{
    if (self->staging.is_committing)
        return;
    datagrams_write_behind(self);
    commit_pipeline_turn(&self->pipeline, store_health_wants_commit(self));
}
