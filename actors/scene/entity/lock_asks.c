// lock_asks.c - tells the holder of a lock that somebody else wants it. Nothing is stored, and it
// is no change: the event has no seq. A holder hears one question a second, whoever asks.

#include "actors/scene/entity/lock_asks.h"

#include "actors/scene/entity/entity_lookup.h"
#include "actors/scene/entity/lock_rules.h"
#include "actors/scene/entity/object_kind.h"
#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/base/clock.h"
#include "proto/records/device.h"

enum { RETRY_AFTER_S = 1 };

// Who hears it: the user of the device, or who took the lock for one that is not in the scene.
static const struct text *
user_of_holder(const struct scene_state *scene, const struct object *object)
{
    struct opened room;
    const frozen_t *device = record_set_find(&scene->devices, object_owner(object));
    const struct lock *lock = object_lock_of(&object->base);
    if (device)
        return device_open(device, &room)->user;
    return lock ? lock->user : NULL;
}

static void
tell_holder(struct shard *self, struct message *message, struct scene_state *scene,
            const struct object *object, const struct lock_ask *asked)
{
    struct arena *arena = &message->arena;
    struct record *ask = record_new(arena, &lock_ask_schema);
    const struct text *user = user_of_holder(scene, object);
    record_set_text(ask, LOCK_ASK_OBJECT, object->key);
    record_set_text(ask, LOCK_ASK_SCENE, scene->key);
    record_set_text(ask, LOCK_ASK_HOLDER, object_owner(object));
    record_set_text(ask, LOCK_ASK_DEVICE, asked->device);
    record_set_text(ask, LOCK_ASK_MESSAGE, asked->message);
    if (text_size(user))
        record_set_text(ask, LOCK_ASK_USER, user);
    if (message->caller.user[0])
        record_set_text(ask, LOCK_ASK_ASKER, text_from(arena, message->caller.user));
    const frozen_t *frozen = record_freeze(&lock_ask_schema, ask);
    shard_emit(self, scene, frozen, EVENT_LOCK_ASKED);
    record_unref(&frozen);
}

static fallible
check_asked(const struct object *object, const struct lock_ask *asked)
{
    if (text_size(asked->device) == 0)
        return fail(ERR_MISSING, "/device", "is needed");
    if (!lock_holder(object))
        return fail(ERR_CONFLICT, "", "no device holds the lock of object %s",
                    text_chars(object->key));
    if (text_equal(object_owner(object), asked->device))
        return fail(ERR_CONFLICT, "", "the device holds the lock itself");
    return OK;
}

enum error
object_ask(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct lock_ask *asked = lock_ask_of(message->records->items[0]);
    const frozen_t *entity;
    TRY(entity_find(self, message, &object_kind, message->params->object, &entity));
    const struct object *object = object_of(frozen_record(entity));
    struct scene_state *scene = scenes_find(self, object->scene);
    struct record *envelope = &reply_envelope(message)->base;
    TRY(check_asked(object, asked));
    if (!lock_index_may_ask(&scene->locks, object_owner(object), clock_now_ms())) {
        record_set_integer(envelope, ENVELOPE_RETRY_AFTER_S, RETRY_AFTER_S);
        return fail(ERR_THROTTLED, "", "the holder was asked less than a second ago");
    }
    tell_holder(self, message, scene, object, asked);
    record_set_text(envelope, ENVELOPE_HOLDER, text_copy(&message->arena, object_owner(object)));
    return OK;
}
