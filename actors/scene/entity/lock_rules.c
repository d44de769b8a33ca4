// lock_rules.c - decides about the lock of an object by its `owner` alone.

#include "actors/scene/entity/lock_rules.h"

#include "actors/scene/scene_shard.h"

const struct text *
lock_holder(const struct object *object)
{
    return text_size(object->owner) ? object->owner : NULL;
}

fallible
lock_refuse(struct message *message, const struct object *object)
{
    struct envelope *envelope = reply_envelope(message);
    record_set_text(&envelope->base, ENVELOPE_HOLDER, text_copy(&message->arena, object->owner));
    return fail(ERR_LOCKED, "", "object %s is locked by device %s", text_chars(object->key),
                text_chars(object->owner));
}

fallible
lock_allows(const struct message *message, const struct object *stored,
            const struct object *changed)
{
    const struct text *holder = lock_holder(changed);
    if (!message->caller.takes_device || !holder || (stored && text_equal(holder, stored->owner)))
        return OK;
    return fail(ERR_FORBIDDEN, "", "device %.128s belongs to another user", text_chars(holder));
}

fallible
lock_permits(struct shard *self, struct message *message, const struct object *object,
             const struct text *device)
{
    const struct text *holder = lock_holder(object);
    if (!self->settings.locks_enforce || !holder || text_equal(holder, device))
        return OK;
    return lock_refuse(message, object);
}
