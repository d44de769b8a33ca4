// scene_commits.c - what happens when a commit of the scene actor ends: changes become visible by
// the row of their record's tag, requests are answered by the row of their operation.

#include "actors/scene/scene_commits.h"

#include "actors/runtime/actor.h"
#include "actors/runtime/actor_family.h"
#include "actors/runtime/outbox.h"
#include "actors/scene/device/corrections.h"
#include "actors/scene/device/held_locks.h"
#include "actors/scene/device/registrations.h"
#include "actors/scene/entity/entities.h"
#include "actors/scene/scene_dues.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/scenes.h"
#include "proto/message/metrics.h"

// --- changes ---

static void
effect_committed(struct shard *self, const struct change *change)
{
    outbox_committed(&self->outbox, change);
}

static void
effect_dropped(struct shard *self, const struct change *change)
{
    outbox_dropped(&self->outbox, change);
}

// What becomes of a change, by the tag of its record.
struct change_row {
    void (*committed)(struct shard *self, const struct change *change);
    void (*dropped)(struct shard *self, const struct change *change); // NULL = nobody saw it
};

// clang-format off
static const struct change_row change_rows[] = {
    [KEY_SCENE]    = {scene_committed,      scene_dropped},
    [KEY_OBJECT]   = {entity_committed,     entity_dropped},
    [KEY_PROPERTY] = {entity_committed,     entity_dropped},
    [KEY_LEAVING]  = {held_locks_committed, NULL},
    [KEY_DEVICE]   = {device_committed,     NULL},
    [KEY_EVIDENCE] = {correction_committed, NULL},
    [KEY_HOLDING]  = {scene_holdings_committed, scene_holdings_kept},
    [KEY_OUTBOX]   = {effect_committed,     effect_dropped},
};
// clang-format on

void
scene_change_committed(struct shard *self, const struct change *change)
{
    shown_begin(self->settings.shown);
    scene_dues_settled(self, change);
    change_rows[change->tag].committed(self, change);
}

static void
change_committed(struct commit_pipeline *pipeline, const struct change *change)
{
    scene_change_committed(shard_of(pipeline->actor), change);
}

static void
change_dropped(struct commit_pipeline *pipeline, struct change *change)
{
    const struct change_row *row = &change_rows[change->tag];
    if (change->owner)
        ((struct scene_state *)change->owner)->revision++;
    scene_dues_dropped(shard_of(pipeline->actor), change);
    if (entity_kind_of_tag(change->tag))
        scene_holdings_dropped(shard_of(pipeline->actor), change);
    if (row->dropped)
        row->dropped(shard_of(pipeline->actor), change);
}

// --- commits ---

// Of what stays of a scene at rest.
static size_t
records_size(const struct shard *self)
{
    enum { OF_HEAP = 12, OF_ATLAS = 20 }; // for each: about what a block takes besides, two slots
    return record_set_count(&self->catalogue) * (OF_HEAP + OF_ATLAS) + self->catalogue.bytes +
           record_set_room(&self->catalogue) + self->orders.bytes + geo_index_size(&self->map) +
           self->rested.slots.capacity * sizeof(struct table_slot);
}

void
scene_tell_metrics(struct shard *self)
{
    size_t scenes = record_set_count(&self->catalogue);
    gauge_follow(GAUGE_SCENES, &self->told.scenes, scenes);
    gauge_follow(GAUGE_SCENES_LOADED, &self->told.scenes_loaded, scenes - self->scenes_on_disk);
    gauge_follow(GAUGE_OBJECTS_LOADED, &self->told.entities[OBJECTS], self->counts[OBJECTS]);
    gauge_follow(GAUGE_PROPERTIES_LOADED, &self->told.entities[PROPERTIES],
                 self->counts[PROPERTIES]);
    gauge_follow(GAUGE_CORRECTIONS, &self->told.corrections, self->corrections);
    gauge_follow(GAUGE_DEVICES, &self->told.devices, self->devices);
    gauge_follow(GAUGE_SCENE_BYTES, &self->told.bytes, self->bytes);
    gauge_follow(GAUGE_RECORDS_SCENES, &self->told.records, records_size(self));
    gauge_follow(GAUGE_SHOWN_BYTES, &self->told.shown, shown_bytes(self->settings.shown));
}

static void
commit_applied(struct commit_pipeline *pipeline)
{
    struct shard *self = shard_of(pipeline->actor);
    shown_end(self->settings.shown);
    scene_tell_metrics(self); // before the answers: a client that has one finds it counted
    corrections_tell(self);   // and known to the solver
}

static void
commit_noted(struct commit_pipeline *pipeline, enum store_result result)
{
    shard_of(pipeline->actor)->commits++;
    store_health_note(shard_of(pipeline->actor), result);
}

// --- requests ---

// What a request waited for is durable (OK), or failed.
static void
finish(struct commit_pipeline *pipeline, struct message *message, enum error error)
{
    actor_t *actor = pipeline->actor;
    const struct actor_operation *row = actor_operation_of(actor, message);
    if (error == OK && row->goes_on && row->goes_on(message)) {
        actor_dispatch(actor, message);
        return;
    }
    if (row->finish)
        error = row->finish(actor, message, error);
    if (error == PARKED || (error == OK && outbox_hold(&shard_of(actor)->outbox, message)))
        return;
    actor_answer_now(actor, &message, error);
}

// What the request had staged is gone, but for the slices that are durable: it runs again.
static void
run_again(struct commit_pipeline *pipeline, struct message *message)
{
    bool has_slices = actor_operation_of(pipeline->actor, message)->goes_on != NULL;
    reply_truncate(message, has_slices ? message->progress : 0);
    actor_dispatch(pipeline->actor, message);
}

const struct commit_behaviour scene_commits = {
    .apply = change_committed,
    .applied = commit_applied,
    .drop = change_dropped,
    .finish = finish,
    .again = run_again,
    .noted = commit_noted,
};
