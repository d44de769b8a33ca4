// departures.c - devices that leave a scene, and their locks with them: on request
// (registrations.c), because their user lost access, or because the scene became private.

#include "actors/scene/device/departures.h"

#include <stdio.h>

#include "actors/scene/device/corrections.h"
#include "actors/scene/device/device_set.h"
#include "actors/scene/device/held_locks.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_preconditions.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/user_index.h"
#include "proto/feed/event.h"
#include "proto/records/device.h"
#include "proto/records/effect.h"

// The end of its registration, that in its newest correction, the mark of its locks.
enum { DEPARTURE_WRITES = 3 };

// The request runs again from the start, into the next batch.
static enum error
wait(struct shard *self, struct message *message)
{
    staging_wait(&self->staging, &message);
    return PARKED;
}

// --- registrations ---

// The first of the leaving devices, as many as one commit takes, and about what they write.
static size_t
take_first(struct shard *self, struct scene_state *scene, struct record_set *leaving,
           struct record_set *first)
{
    size_t count, bytes = 0;
    const frozen_t *const *devices = record_set_items(leaving, &count);
    for (size_t i = 0; i < count && i < DEPARTED_PER_COMMIT; i++) {
        struct opened room;
        bytes += DEPARTURE_WRITES * sizeof(struct key) + MARK_BYTES +
                 correction_end_bytes(self, scene, frozen_open(devices[i], &room));
        record_set_put(first, devices[i]);
    }
    return bytes;
}

// Locks are released with the registrations as far as there is room: they hold no departure up.
static fallible
stage_first(struct shard *self, struct message *message, struct scene_state *scene,
            struct record_set *first, size_t bytes, size_t beside)
{
    size_t count;
    const frozen_t *const *devices = record_set_items(first, &count);
    TRY(shard_make_room_in(self, message, scene, DEPARTURE_WRITES * count + (beside > 0),
                           bytes + beside));
    for (size_t i = 0; i < count; i++) {
        struct opened room;
        correction_stage_end(self, message, scene, frozen_open(devices[i], &room));
        shard_stage_delete(self, scene, KEY_DEVICE, devices[i], EVENT_DEVICE_DEREGISTERED);
    }
    held_locks_end(self, message, scene, first, beside);
    return OK;
}

fallible
departures_stage(struct shard *self, struct message *message, struct scene_state *scene,
                 struct record_set *leaving, size_t beside)
{
    struct record_set first = {0};
    if (record_set_count(leaving) == 0 && beside == 0)
        return OK;
    size_t bytes = take_first(self, scene, leaving, &first);
    bool is_all = record_set_count(&first) == record_set_count(leaving);
    enum error error = stage_first(self, message, scene, &first, bytes, beside);
    record_set_finish(&first);
    if (error != OK || is_all)
        return error;
    message->progress = true; // what its conditions were held against is changing
    return wait(self, message);
}

fallible
departures_hide(struct shard *self, struct message *message, struct scene_state *scene,
                size_t beside)
{
    const frozen_t *record = scene_latest_record(self, scene);
    const struct text *owner = scene_of(frozen_record(record))->user;
    struct record_set devices = {0}, leaving = {0};
    size_t count;
    devices_latest(self, scene, &devices);
    const frozen_t *const *items = record_set_items(&devices, &count);
    for (size_t i = 0; i < count; i++) {
        struct opened room;
        if (!text_equal(device_open(items[i], &room)->user, owner))
            record_set_put(&leaving, items[i]);
    }
    enum error error = departures_stage(self, message, scene, &leaving, beside);
    record_set_finish(&leaving);
    record_set_finish(&devices);
    return error;
}

// --- one device, on request ---

static fallible
stage_departure(struct shard *self, struct message *message, struct scene_state *scene,
                const frozen_t *device)
{
    struct record_set leaving = {0};
    record_set_put(&leaving, device);
    enum error error = departures_stage(self, message, scene, &leaving, 0);
    record_set_finish(&leaving);
    return error;
}

enum error
device_delete(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct text *key = message->params->device;
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    bool is_seen = scene_shows(self, message, scene);
    const frozen_t *device = is_seen ? device_latest(self, scene, key) : NULL;
    if (is_seen && !device) // before the check of access: 403 would tell that the device exists
        return fail(ERR_NOT_FOUND, "", "device %s is not registered to the scene", text_chars(key));
    TRY(scene_to_write(self, message, message->params->scene, scene));
    TRY(preconditions_check_scene(self, message, scene));
    TRY(scene_cache_need(self, scene, message)); // most locks end with the registration then
    TRY(stage_departure(self, message, scene, device));
    return shard_answer_durable(self, message);
}

// --- users without access ---

// Whether the user that the message expels registered the device, before they lost access.
static bool
is_expelled(const struct message *message, const frozen_t *record)
{
    if (!record)
        return false;
    struct opened room;
    const struct device *device = device_open(record, &room);
    return text_equal(device->user, effect_asked(message)->key) &&
           effect_ends(message, BY_REVOCATION, device_rare_of(device)->revocations);
}

static bool
arrives_in(const struct stage *stage, const struct message *message)
{
    for (const struct change *change = stage->first; change; change = change->next)
        if (change->tag == KEY_DEVICE && is_expelled(message, change->record))
            return true;
    return false;
}

// Whether the user may read the scene, being no administrator.
static bool
may_stay(const struct shard *self, const struct scene_state *scene, const struct text *user)
{
    struct caller caller = {.role = CALLER_USER};
    snprintf(caller.user, sizeof caller.user, "%s", text_chars(user));
    return scene_is_seen(&caller, frozen_record(scene_latest_record(self, scene)));
}

static void
find_expelled(struct shard *self, const struct message *message, struct scene_state *scene,
              struct record_set *leaving)
{
    size_t count;
    const frozen_t *const *devices = record_set_items(&scene->devices, &count);
    for (size_t i = 0; i < count; i++) {
        const frozen_t *device = device_latest(self, scene, frozen_key(devices[i]));
        if (is_expelled(message, device))
            record_set_put(leaving, device);
    }
}

static fallible
expel_from(struct shard *self, struct message *message, struct scene_state *scene)
{
    const struct effect *effect = effect_asked(message);
    if (scene_is_deleting(self, scene) || (effect->may_stay && may_stay(self, scene, effect->key)))
        return OK;
    struct record_set leaving = {0};
    find_expelled(self, message, scene, &leaving);
    enum error error = departures_stage(self, message, scene, &leaving, 0);
    record_set_finish(&leaving);
    return error;
}

// What of the user's registrations is not staged yet is refused from now on: it would come behind
// the walk. (An entry of an older server names no number: it was stored before this start.)
static void
note_revocation(struct shard *self, const struct message *message)
{
    const struct effect *effect = effect_asked(message);
    if (record_has(&effect->base, EFFECT_BEFORE))
        actor_end_sessions(&self->base, effect->key, effect->before);
}

// What was staged before the message had to wait, or to pause, stays staged. When the message runs
// again it finds only the rest, or everything where that commit failed.
enum error
device_expel(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    note_revocation(self, message);
    if (arrives_in(&self->staging.committing, message) ||
        arrives_in(&self->staging.filling, message))
        return wait(self, message);
    struct scene_state *scene;
    size_t staged = self->staging.filling.batch->count;
    for (size_t cursor = 0;
         (scene = user_index_next(self, effect_asked(message)->key, &cursor)) != NULL;) {
        TRY(expel_from(self, message, scene));
        if (self->staging.filling.batch->count > staged && actor_must_pause(actor))
            return actor_pause(actor, message);
    }
    return shard_answer_durable(self, message);
}
