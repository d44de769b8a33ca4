// scene_actor.c - the scene actor as a whole: its table of operations, what it does at the end of
// each turn, how it starts and stops.

#include "actors/scene/scene_actor.h"

#include <stdio.h>

#include "actors/alignment/correction_changes.h"
#include "actors/scene/asset_uses.h"
#include "actors/scene/device/alignment_report.h"
#include "actors/scene/device/correction_operations.h"
#include "actors/scene/device/corrections.h"
#include "actors/scene/device/departures.h"
#include "actors/scene/device/device_list.h"
#include "actors/scene/device/device_view.h"
#include "actors/scene/device/held_locks.h"
#include "actors/scene/device/registrations.h"
#include "actors/scene/entity/animation_edits.h"
#include "actors/scene/entity/bulk.h"
#include "actors/scene/entity/entities.h"
#include "actors/scene/entity/entity_list.h"
#include "actors/scene/entity/leases.h"
#include "actors/scene/entity/lock_asks.h"
#include "actors/scene/entity/locks.h"
#include "actors/scene/entity/object_kind.h"
#include "actors/scene/entity/property_kind.h"
#include "actors/scene/entity/udp_updates.h"
#include "actors/scene/entity/write_behind.h"
#include "actors/scene/entity_apart.h"
#include "actors/scene/entity_cache.h"
#include "actors/scene/entity_pages.h"
#include "actors/scene/event_outlet.h"
#include "actors/scene/key_lookup.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_cascade.h"
#include "actors/scene/scene_commits.h"
#include "actors/scene/scene_copy.h"
#include "actors/scene/scene_erase.h"
#include "actors/scene/scene_export.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_list.h"
#include "actors/scene/scene_loader.h"
#include "actors/scene/scene_locate.h"
#include "actors/scene/scene_query.h"
#include "actors/scene/scene_recovery.h"
#include "actors/scene/scene_remains.h"
#include "actors/scene/scene_rest.h"
#include "actors/scene/scene_restream.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/scene_sweep.h"
#include "actors/scene/scene_wake.h"
#include "actors/scene/scene_watch.h"
#include "actors/scene/scenes.h"
#include "actors/scene/store_health.h"
#include "actors/scene/token_index.h"
#include "actors/scene/use_index.h"
#include "actors/scene/user_index.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"

enum {
    STOP_WITHIN_MS = 2000, // what is staged may take that long at the end
};

static enum error
committed(actor_t *actor, struct message *message)
{
    return commit_pipeline_committed(&shard_of(actor)->pipeline, message);
}

static enum error
go_on(actor_t *actor, struct message *message, enum error error)
{
    (void)error; // nobody else may end it
    return commit_pipeline_go_on(&shard_of(actor)->pipeline, message);
}

// Sends the filling batch to the committer where none is committing.
static void
commit_turn(struct shard *self)
{
    if (self->staging.is_committing)
        return;
    write_behind_turn(self);
    commit_pipeline_turn(&self->pipeline, store_health_wants_commit(self));
}

// --- the turn ---

static void
scene_actor_drained(actor_t *actor)
{
    struct shard *self = shard_of(actor);
    if (actor->stopping && self->stop_deadline_ms == 0)
        self->stop_deadline_ms = clock_deadline_ms(STOP_WITHIN_MS);
    outbox_turn(&self->outbox);
    held_locks_turn(self);
    leases_turn(self);
    commit_turn(self);
    sweep_turn(self); // after the commit: a slice without keys ends there, without a message
    scene_cache_evict(self);
    event_histories_expire(&self->histories, clock_now_ms());
    corrections_tell(self);
    event_outlet_send(self);
    scene_tell_metrics(self);
}

static int
scene_actor_timeout_ms(actor_t *actor)
{
    enum { RETRY_MS = 5 };
    struct shard *self = shard_of(actor);
    bool is_behind = self->events || self->changes; // a full queue refused them
    if (is_behind || actor->backlog)
        return is_behind && !actor->backlog ? RETRY_MS : 0;
    uint64_t next_ms = 0;
    const uint64_t deadlines[] = {self->dirty_deadline_ms,
                                  self->sweep_retry_ms,
                                  self->release_queue && !self->releasing ? self->release_ms : 0,
                                  leases_deadline_ms(self),
                                  outbox_deadline_ms(&self->outbox),
                                  self->stop_deadline_ms,
                                  event_histories_deadline_ms(&self->histories)};
    for (size_t i = 0; i < sizeof deadlines / sizeof deadlines[0]; i++)
        if (deadlines[i] && (!next_ms || deadlines[i] < next_ms))
            next_ms = deadlines[i];
    if (!next_ms)
        return -1;
    int left_ms = clock_left_ms(next_ms);
    // The message that ends the commit wakes the actor. Until then a deadline that has passed
    // cannot be met sooner.
    return left_ms || !self->staging.is_committing ? left_ms : RETRY_MS;
}

static bool
scene_actor_is_done(actor_t *actor)
{
    struct shard *self = shard_of(actor);
    bool is_idle = !staging_is_busy(&self->staging) && self->dirty.count == 0 && !self->cascades &&
                   !self->applying && self->waiting_edit_count == 0;
    if (is_idle || self->stop_deadline_ms == 0)
        return is_idle && self->stop_deadline_ms != 0;
    return clock_left_ms(self->stop_deadline_ms) == 0;
}

static enum error
loaded(actor_t *actor, struct message *message)
{
    switch (slice_of(message)->kind) {
    case SLICE_KEYS:
        return sweep_loaded(shard_of(actor), message);
    case SLICE_PLACES:
        return locate_loaded(shard_of(actor), message);
    case SLICE_LOOKUP:
        return key_looked_up(shard_of(actor), message);
    case SLICE_SCENE:
    case SLICE_WHOLE:
        return scene_wake_loaded(shard_of(actor), message);
    case SLICE_USES:
        return asset_uses_loaded(shard_of(actor), message);
    case SLICE_HELD:
        return scene_erase_held(shard_of(actor), message);
    case SLICE_RECORDS:
        break;
    }
    return scene_cache_loaded(shard_of(actor), message);
}

static enum error
page_read(actor_t *actor, struct message *message)
{
    return entity_apart_read(shard_of(actor), message) ? PARKED : entity_pages_read(actor, message);
}

// Writes nothing but what the runtime keeps of it.
static enum error
claim(actor_t *actor, struct message *message)
{
    TRY(shard_make_room(shard_of(actor), message, 0, WRITE_BYTES));
    return shard_answer_durable(shard_of(actor), message);
}

static enum error
end_claim(actor_t *actor, struct message *message)
{
    TRY(repeats_end_claim(&shard_of(actor)->repeats, message));
    return claim(actor, message);
}

static enum error
begin_leases(actor_t *actor, struct message *message)
{
    (void)message;
    lease_index_begin(&shard_of(actor)->leases, clock_now_us());
    return OK;
}

static enum error
acknowledged(actor_t *actor, struct message *message)
{
    return outbox_acknowledged(&shard_of(actor)->outbox, message);
}

// The relationships of a deleted scene are gone: nobody looks for its entities any more.
static void
effect_done(struct outbox *outbox, uint16_t part, const struct effect *effect)
{
    if (effect->scene_id)
        sweep_begin(shard_of(outbox->actor), part, (uint64_t)effect->scene_id);
}

// Tells the asset actor how many scene actors it may ask.
static fallible
greet(struct shard *self)
{
    struct message *greeting = message_create(GREETING);
    record_set_integer(&greeting->params->base, PARAMS_NUM_RECORDS, self->settings.shards);
    enum error error = mailbox_send(self->base.mailbox, actor_mailbox(ASSET_ACTOR), &greeting);
    message_destroy(&greeting);
    return error;
}

static enum error
scene_actor_open(actor_t *actor)
{
    struct shard *self = shard_of(actor);
    store_health_note(self, STORE_OK);
    TRY(loader_create(self->store, self->loader_name, &self->loader));
    TRY(loader_create(self->store, self->sweeper_name, &self->sweeper));
    TRY(greet(self));
    self->leases.is_waiting = true;
    return recovery_read_index(self);
}

// What nobody was told of may be lost, but not in silence.
static void
note_lost_updates(const struct shard *self)
{
    size_t batches = self->applied_next.count + (self->applying != NULL);
    if (batches + self->waiting_edit_count > 0)
        log_warning("updates_lost", "actor=%s batches=%zu waiting=%zu", self->base.name, batches,
                    self->waiting_edit_count);
}

static void
scene_actor_close(actor_t *actor)
{
    struct shard *self = shard_of(actor);
    note_lost_updates(self);
    loader_destroy(&self->loader, actor->mailbox);
    loader_destroy(&self->sweeper, actor->mailbox);
    staging_finish(&self->staging);
    outbox_finish(&self->outbox);
    repeats_finish(&self->repeats);
    write_behind_finish(self);
    token_index_finish(self);
    user_index_finish(self);
    sweep_finish(self);
    held_locks_finish(self);
    lease_index_finish(&self->leases);
    scene_cascades_finish(self);
    key_lookups_finish(self);
    entities_apart_finish(self);
    scene_wake_finish(self);
    scene_copy_finish(self);
    scene_rest_finish(self);
    scene_cache_finish(self);
    events_destroy(&self->events);
    correction_changes_destroy(&self->changes);
    scene_relations_finish(&self->relations);
}

// What the operations on entities work on: which kind, and what a change makes of one.
// clang-format off
#define OF_OBJECTS            &(const struct entity_operation){.kind = &object_kind}
#define OF_PROPERTIES         &(const struct entity_operation){.kind = &property_kind}
#define OBJECT_BY(editor_)    &(const struct entity_operation){&object_kind, editor_}
#define PROPERTY_BY(editor_)  &(const struct entity_operation){&property_kind, editor_}

static const struct actor_behaviour scene_actor_behaviour = {
    .operations = {
        //                            handler, what it works on, is there another slice, end of the request, what it made again
        [SCENE_PUT]                = {scene_put},
        [SCENE_CREATE]             = {scene_create},
        [SCENE_UPDATE]             = {scene_update},
        [SCENE_GET]                = {scene_get},
        [SCENE_DELETE]             = {scene_delete},
        [SCENE_QUERY]              = {scene_query, .is_long = true},
        [SCENE_LIST]               = {scene_list, .is_long = true},
        [ASSET_USES]               = {asset_uses},
        [SCENE_EXPORT]             = {scene_export, .is_long = true},
        [SCENE_WATCH]              = {scene_watch, .is_long = true},
        [SCENE_ADD_ASSET]          = {scene_add_asset},
        [SCENE_DROP_ASSET]         = {scene_drop_asset},

        [SCENE_BULK]               = {entities_bulk, .remake = entities_bulk_remake, .is_long = true},
        [OBJECT_CREATE]            = {entity_create, OF_OBJECTS, entity_creation_goes_on, entity_creation_ends, entity_remake},
        [OBJECT_GET]               = {entity_get,    OF_OBJECTS},
        [OBJECT_DELETE]            = {entity_delete, OF_OBJECTS},
        [OBJECT_QUERY]             = {entity_query,  OF_OBJECTS,    .is_long = true},
        [OBJECT_LIST]              = {entity_list,   OF_OBJECTS,    .is_long = true},
        [OBJECT_UPDATE]            = {entity_change, OBJECT_BY(entity_edit_by_records)},
        [OBJECT_ADD_ASSET]         = {entity_change, OBJECT_BY(object_with_asset)},
        [OBJECT_DROP_ASSET]        = {entity_change, OBJECT_BY(object_without_asset)},
        [OBJECT_ACTION_PUT]        = {entity_change, OBJECT_BY(action_put)},
        [OBJECT_ACTION_UPDATE]     = {entity_change, OBJECT_BY(action_update)},
        [OBJECT_ACTION_DROP]       = {entity_change, OBJECT_BY(action_drop)},
        [OBJECT_KEYFRAME_PUT]      = {entity_change, OBJECT_BY(keyframe_put)},
        [OBJECT_KEYFRAME_UPDATE]   = {entity_change, OBJECT_BY(keyframe_update)},
        [OBJECT_KEYFRAME_DROP]     = {entity_change, OBJECT_BY(keyframe_drop)},
        [OBJECT_LOCK]              = {object_lock},
        [OBJECT_UNLOCK]            = {object_unlock},
        [OBJECT_ASK]               = {object_ask},

        [PROPERTY_CREATE]          = {entity_create, OF_PROPERTIES, entity_creation_goes_on, entity_creation_ends, entity_remake},
        [PROPERTY_GET]             = {entity_get,    OF_PROPERTIES},
        [PROPERTY_DELETE]          = {entity_delete, OF_PROPERTIES},
        [PROPERTY_QUERY]           = {entity_query,  OF_PROPERTIES, .is_long = true},
        [PROPERTY_UPDATE]          = {entity_change, PROPERTY_BY(entity_edit_by_records)},
        [PROPERTY_ACTION_PUT]      = {entity_change, PROPERTY_BY(action_put)},
        [PROPERTY_ACTION_UPDATE]   = {entity_change, PROPERTY_BY(action_update)},
        [PROPERTY_ACTION_DROP]     = {entity_change, PROPERTY_BY(action_drop)},
        [PROPERTY_KEYFRAME_PUT]    = {entity_change, PROPERTY_BY(keyframe_put)},
        [PROPERTY_KEYFRAME_UPDATE] = {entity_change, PROPERTY_BY(keyframe_update)},
        [PROPERTY_KEYFRAME_DROP]   = {entity_change, PROPERTY_BY(keyframe_drop)},

        [REGISTER]                 = {device_register,   NULL, registration_goes_on, registration_answer},
        [DEREGISTER]               = {device_deregister, NULL, registration_goes_on, devices_answer},
        [DEVICE_DELETE]            = {device_delete},
        [DEVICE_LIST]              = {device_list},
        [FEED_REPORTED]            = {device_list_reported},
        [ALIGN]                    = {device_align,      NULL, registration_goes_on, devices_answer},
        [EXPEL]                    = {device_expel},
        [ERASE_SCENES]             = {scene_erase, NULL, scene_erase_goes_on, scene_erase_ends},
        [LOCKS_RELEASE]            = {held_locks_release, .finish = held_locks_released},
        [LEASES_BEGIN]             = {begin_leases},
        [LEASES_END]               = {leases_end, .finish = leases_ended},
        [ALIGNMENT_GET]            = {alignment_get},
        [ALIGNMENT_PIN]            = {alignment_pin},
        [ALIGNMENT_REMOVE]         = {alignment_remove},
        [RELATIONS_REPORTED]       = {alignment_reported},
        [ALIGNMENT_MOVED]          = {alignment_moved},

        [DATAGRAMS]                = {datagrams_apply},
        [RESTREAM]                 = {scene_restream_slice},
        [CASCADE]                  = {scene_cascade_slice},
        [ENTITIES_DROP]            = {entities_drop},
        [REMAINS_DROP]             = {remains_drop},
        [LOCATE]                   = {locate},
        [RELATED_GONE]             = {acknowledged},
        [COMMITTED]                = {committed, .finish = go_on, .is_apart = true},
        [RECALLED]                 = {repeats_recalled},
        [REPEAT_CLAIM]             = {claim, .remake = repeats_claim_remade},
        [REPEAT_DONE]              = {end_claim, .remake = repeats_claim_remade},
        [REPEAT_RELEASE]           = {repeats_release},
        [LOADED]                   = {loaded, .finish = sweep_settled},
        [PAGE_READ]                = {page_read},
        [COPY_NEED]                = {scene_copy_need},
        [COPY_APPLY]               = {scene_copy_apply},
        [PING]                     = {store_health_ping},
    },
    .open = scene_actor_open,
    .prepare = scene_wake_of,
    .drained = scene_actor_drained,
    .timeout_ms = scene_actor_timeout_ms,
    .stopping = scene_actor_is_done,
    .close = scene_actor_close,
};
// clang-format on

// Changes belong to scenes.
static void
release_scene(void *owner)
{
    struct scene_state *scene = owner;
    scene_release(&scene);
}

fallible
scene_actor_create(store_t *store, const struct shard_settings *settings, const char *committer,
                   shard_t **ret_shard)
{
    struct shard *self = memory_take_zeroed(sizeof *self);
    self->store = store;
    self->settings = *settings;
    self->begun_us = clock_now_us();
    self->histories.limit = settings->history;
    snprintf(self->loader_name, sizeof self->loader_name, "loader.%u", settings->shard);
    snprintf(self->sweeper_name, sizeof self->sweeper_name, "sweeper.%u", settings->shard);
    self->release_queue_end = &self->release_queue;
    staging_init(&self->staging, FAMILY_SCENE, release_scene);
    self->staging.is_refused = settings->requests.follows;
    actor_stages(&self->base, &self->staging);
    ended_sessions_init(&self->base.ended, settings->requests.deadline_ms);
    outbox_init(&self->outbox, &self->base, &self->staging, settings->shards);
    self->outbox.done = effect_done;
    self->pipeline = (struct commit_pipeline){
        .behaviour = &scene_commits,
        .actor = &self->base,
        .staging = &self->staging,
        .repeats = &self->repeats,
        .marker = settings->shard,
    };
    repeats_init(&self->repeats, &self->base, &self->staging, self->pipeline.committer,
                 &settings->requests);
    snprintf(self->pipeline.committer, sizeof self->pipeline.committer, "%s", committer);
    char name[MAILBOX_NAME_SIZE];
    mailbox_shard_name(settings->shard, name);
    TRY(actor_create(&self->base, &scene_actor_behaviour, name));
    *ret_shard = self;
    return OK;
}

void
scene_actor_destroy(shard_t **self, mailbox_t *from)
{
    if (*self)
        actor_destroy(&(*self)->base, from);
    *self = NULL;
}

struct index_family
scene_actor_indexes(void)
{
    return use_index_family();
}
