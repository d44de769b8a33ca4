// locks.c - who holds an object. The lock is the object's `owner`, so that it is stored, streamed
// and recovered as the object is.

#include "actors/scene/entity/locks.h"

#include "actors/scene/entity/entity_lookup.h"
#include "actors/scene/entity/lock_rules.h"
#include "actors/scene/entity/object_kind.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_preconditions.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "proto/feed/event.h"

static fallible
need_device(const struct message *message)
{
    if (text_size(message->params->device) == 0)
        return fail(ERR_MISSING, "", "the query parameter device is missing");
    return OK;
}

static const frozen_t *
stage_owner(struct shard *self, struct message *message, struct scene_state *scene,
            const frozen_t *object, const struct text *owner, uint8_t msg_type)
{
    struct record *changed = record_copy(&message->arena, &object_schema, frozen_record(object));
    record_set_text(changed, OBJECT_OWNER, owner);
    return shard_stage_put(self, scene, KEY_OBJECT, changed, object, msg_type);
}

void
lock_release(struct shard *self, struct message *message, struct scene_state *scene,
             const frozen_t *object)
{
    stage_owner(self, message, scene, object, NULL, EVENT_LOCK_RELEASED);
}

enum error
object_lock(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    const frozen_t *entity;
    TRY(need_device(message));
    TRY(entity_latest(self, message, &object_kind, message->params->object, &scene, &entity));
    const struct object *object = object_of(frozen_record(entity));
    const struct text *holder = lock_holder(object), *device = message->params->device;
    if (holder && !text_equal(holder, device))
        return lock_refuse(message, object);
    TRY(preconditions_check_entity(self, message, &object_kind, scene, entity));
    if (!holder) {
        TRY(shard_make_room_in(self, message, scene, 1, record_size(entity) + WRITE_BYTES));
        stage_owner(self, message, scene, entity, device, EVENT_LOCK_GRANTED);
    }
    return shard_answer_durable(self, message); // a renewal too: the grant may still be on its way
}

enum error
object_unlock(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    const frozen_t *entity;
    TRY(need_device(message));
    TRY(entity_latest(self, message, &object_kind, message->params->object, &scene, &entity));
    const struct object *object = object_of(frozen_record(entity));
    const struct text *holder = lock_holder(object);
    if (holder && !text_equal(holder, message->params->device))
        return lock_refuse(message, object);
    TRY(preconditions_check_entity(self, message, &object_kind, scene, entity));
    if (holder) {
        TRY(shard_make_room_in(self, message, scene, 1, record_size(entity) + WRITE_BYTES));
        lock_release(self, message, scene, entity);
    }
    return shard_answer_durable(self, message);
}
