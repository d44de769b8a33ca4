// departures.c - devices that leave a scene, and their locks with them (decisions 5, 12): on
// request (registrations.c), because their user lost access, or because the scene became private.

#include "actors/scene/device/departures.h"

#include <stdio.h>

#include "actors/scene/device/corrections.h"
#include "actors/scene/device/device_set.h"
#include "actors/scene/entity/locks.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/records/device.h"
#include "proto/records/effect.h"

// Two writes each: its registration, and the end of it in its newest correction.
enum { DEPARTED_PER_COMMIT = (DEPARTURE_WRITES - RELEASED_PER_COMMIT) / 2 };

// The request runs again from the start, into the next batch.
static enum error
wait(struct shard *self, struct message *message)
{
    staging_wait(&self->staging, &message);
    return PARKED;
}

// --- locks ---

// Releases the object's lock where a leaving device will hold it; whether it did.
static bool
release_lock(struct shard *self, struct message *message, struct scene_state *scene,
             const frozen_t *durable, const struct text *key, const struct record_set *leaving)
{
    const struct change *change = staging_latest(&self->staging, KEY_OBJECT, NULL, key);
    const frozen_t *record = change ? change->record : durable;
    const struct object *object = object_of(frozen_record(record));
    if (!object || !text_size(object->owner) || !record_set_find(leaving, object->owner))
        return false;
    lock_release(self, message, scene, record);
    return true;
}

// The same for objects that are being created. What this stages is no creation, so the loop ends.
static size_t
release_created(struct shard *self, struct message *message, struct scene_state *scene,
                const struct stage *stage, const struct record_set *leaving, size_t limit)
{
    size_t released = 0;
    const struct change *change = stage->first;
    for (; change && released < limit; change = change->next)
        if (change->tag == KEY_OBJECT && change->owner == scene && change->record &&
            change->kind == CHANGE_STORED && !change->before)
            released +=
                release_lock(self, message, scene, NULL, frozen_key(change->record), leaving);
    return released;
}

fallible
departures_release(struct shard *self, struct message *message, struct scene_state *scene,
                   const struct record_set *leaving)
{
    enum { LIMIT = RELEASED_PER_COMMIT };
    const struct staging *staging = &self->staging;
    size_t count, released = 0;
    const frozen_t *const *objects = record_set_items(&scene->entities[OBJECTS], &count);
    for (size_t i = 0; i < count && released < LIMIT; i++)
        released += release_lock(self, message, scene, objects[i], frozen_key(objects[i]), leaving);
    released +=
        release_created(self, message, scene, &staging->committing, leaving, LIMIT - released);
    released += release_created(self, message, scene, &staging->filling, leaving, LIMIT - released);
    return released < LIMIT ? OK : wait(self, message);
}

// --- registrations ---

void
device_stage_departure(struct shard *self, struct message *message, struct scene_state *scene,
                       const frozen_t *device)
{
    correction_stage_end(self, message, scene, frozen_record(device));
    shard_stage_delete(self, scene, KEY_DEVICE, device, EVENT_DEVICE_DEREGISTERED);
}

// Stages the end of locks and registrations; parks the message where one commit does not take all.
static fallible
stage_departures(struct shard *self, struct message *message, struct scene_state *scene,
                 struct record_set *leaving)
{
    size_t count;
    const frozen_t *const *devices = record_set_items(leaving, &count);
    TRY(departures_release(self, message, scene, leaving));
    for (size_t i = 0; i < count && i < DEPARTED_PER_COMMIT; i++)
        device_stage_departure(self, message, scene, devices[i]);
    return count <= DEPARTED_PER_COMMIT ? OK : wait(self, message);
}

fallible
departures_hide(struct shard *self, struct message *message, struct scene_state *scene)
{
    const frozen_t *record = scene_latest_record(self, scene);
    const struct text *owner = scene_of(frozen_record(record))->user;
    struct record_set devices = {0}, leaving = {0};
    size_t count;
    devices_latest(self, scene, &devices);
    const frozen_t *const *items = record_set_items(&devices, &count);
    for (size_t i = 0; i < count; i++)
        if (!text_equal(device_of(frozen_record(items[i]))->user, owner))
            record_set_put(&leaving, items[i]);
    enum error error = stage_departures(self, message, scene, &leaving);
    message->progress = error == PARKED; // its conditions were met: they are not checked again
    record_set_finish(&leaving);
    record_set_finish(&devices);
    return error;
}

// --- users without access ---

static bool
is_of(const frozen_t *device, const struct text *user)
{
    return device && text_equal(device_of(frozen_record(device))->user, user);
}

static bool
arrives_in(const struct stage *stage, const struct text *user)
{
    for (const struct change *change = stage->first; change; change = change->next)
        if (change->tag == KEY_DEVICE && is_of(change->record, user))
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
find_of_user(struct shard *self, struct scene_state *scene, const struct text *user,
             struct record_set *leaving)
{
    size_t count;
    const frozen_t *const *devices = record_set_items(&scene->devices, &count);
    for (size_t i = 0; i < count; i++) {
        const frozen_t *device = device_latest(self, scene, frozen_key(devices[i]));
        if (is_of(device, user))
            record_set_put(leaving, device);
    }
}

static fallible
expel_all(struct shard *self, struct message *message, struct scene_state *scene,
          struct record_set *leaving)
{
    if (record_set_count(leaving) == 0)
        return OK;
    TRY(scene_cache_need(self, scene, message));
    TRY(shard_make_room(self, message, DEPARTURE_WRITES, 0));
    return stage_departures(self, message, scene, leaving);
}

static fallible
expel_from(struct shard *self, struct message *message, struct scene_state *scene,
           const struct effect *effect)
{
    if (record_set_count(&scene->devices) == 0 || scene->is_doomed ||
        (effect->may_stay && may_stay(self, scene, effect->key)))
        return OK;
    struct record_set leaving = {0};
    find_of_user(self, scene, effect->key, &leaving);
    enum error error = expel_all(self, message, scene, &leaving);
    record_set_finish(&leaving);
    return error;
}

// What was staged before the message had to wait stays staged. When the message runs again it finds
// only the rest, or everything where that commit failed.
enum error
device_expel(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct effect *effect = (const struct effect *)(void *)message->records->items[0];
    if (arrives_in(&self->staging.committing, effect->key) ||
        arrives_in(&self->staging.filling, effect->key))
        return wait(self, message);
    struct scene_state *scene;
    for (size_t cursor = 0; (scene = table_next(&self->scenes, &cursor)) != NULL;)
        TRY(expel_from(self, message, scene, effect));
    return shard_answer_durable(self, message);
}
