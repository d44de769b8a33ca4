// locks.c - who holds an object (interface 3, decisions 5). The lock is the object's `owner`, so
// that it is stored, streamed and recovered as the object is.

#include "actors/scene/scene_shard.h"

static const struct text *
holder_of(const struct object *object)
{
    return text_size(object->owner) ? object->owner : NULL;
}

// Refuses, and names the holder in the answer.
static fallible
held_by_another(struct message *message, const struct object *object)
{
    struct envelope *envelope = reply_envelope(message);
    record_set_text(&envelope->base, ENVELOPE_HOLDER,
                    text_new(&message->arena, text_chars(object->owner), text_size(object->owner)));
    return fail(ERR_LOCKED, "", "object %s is locked by device %s", text_chars(object->key),
                text_chars(object->owner));
}

static fallible
need_device(const struct message *message)
{
    if (text_size(message->params->device) == 0)
        return fail(ERR_MISSING, "", "the query parameter device is missing");
    return OK;
}

fallible
lock_permits(struct shard *self, struct message *message, const struct object *object,
             const struct text *device)
{
    const struct text *holder = holder_of(object);
    if (!self->settings.locks_enforce || !holder || text_equal(holder, device))
        return OK;
    return held_by_another(message, object);
}

static const struct record *
stage_owner(struct shard *self, struct message *message, struct scene_state *scene,
            const struct object *object, const struct text *owner, uint8_t msg_type)
{
    struct record *changed = record_copy(&message->arena, &object_schema, &object->base);
    record_set_text(changed, OBJECT_OWNER, owner);
    return shard_stage_put(self, scene, KEY_OBJECT, changed, &object->base, msg_type);
}

void
lock_release(struct shard *self, struct message *message, struct scene_state *scene,
             const struct object *object)
{
    stage_owner(self, message, scene, object, NULL, EVENT_LOCK_RELEASED);
}

enum error
object_lock(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    const struct entity *entity;
    TRY(need_device(message));
    TRY(entity_latest(self, message, &object_kind, message->params->object, &scene, &entity));
    const struct object *object = object_of(&entity->base);
    const struct text *holder = holder_of(object), *device = message->params->device;
    if (holder && !text_equal(holder, device))
        return held_by_another(message, object);
    TRY(preconditions_check_entity(message, &object_kind, entity));
    if (!holder) {
        TRY(shard_make_room(self, message, 1, 0));
        stage_owner(self, message, scene, object, device, EVENT_LOCK_GRANTED);
    }
    return shard_answer_durable(self, message); // a renewal too: the grant may still be on its way
}

enum error
object_unlock(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    const struct entity *entity;
    TRY(need_device(message));
    TRY(entity_latest(self, message, &object_kind, message->params->object, &scene, &entity));
    const struct object *object = object_of(&entity->base);
    const struct text *holder = holder_of(object);
    if (holder && !text_equal(holder, message->params->device))
        return held_by_another(message, object);
    TRY(preconditions_check_entity(message, &object_kind, entity));
    if (holder) {
        TRY(shard_make_room(self, message, 1, 0));
        lock_release(self, message, scene, object);
    }
    return shard_answer_durable(self, message);
}
