// lock_rules.c - decides about the lock of an object by its record alone.

#include "actors/scene/entity/lock_rules.h"

#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/clock.h"

struct lock_claim
lock_claim_of(const struct params *params, const struct text *key)
{
    struct lock_claim claim = {.device = params->device,
                               .fence = params->fence,
                               .has_fence = record_has(&params->base, PARAMS_FENCE)};
    for (uint32_t i = 0; params->fences && i < params->fences->count; i++) {
        const struct fence_of *of = (const struct fence_of *)(const void *)params->fences->items[i];
        if (!text_equal(of->key, key))
            continue;
        claim.fence = of->fence;
        claim.has_fence = true;
    }
    return claim;
}

bool
lock_claim_take(struct lock_claim *self, const struct record *edit)
{
    if (edit->schema != &object_edit_schema || !record_has(edit, OBJECT_FENCE))
        return false;
    self->fence = ((const struct object_edit *)(const void *)edit)->fence;
    self->has_fence = true;
    return true;
}

const struct text *
lock_holder(const struct object *object)
{
    return text_size(object_owner(object)) ? object_owner(object) : NULL;
}

bool
lock_is_claimed(const struct object *object, const struct lock_claim *claim)
{
    const struct text *holder = lock_holder(object);
    const struct lock *lock = object_lock_of(&object->base);
    return holder && (text_equal(holder, claim->device) ||
                      (claim->has_fence && lock && lock->fence == claim->fence));
}

static int64_t
newest_fence(const struct object *object)
{
    return record_has(&object->base, OBJECT_NEWEST_FENCE) ? object->rare->newest_fence : 0;
}

static void
tell_lock(struct message *message, const struct object *object)
{
    struct record *envelope = &reply_envelope(message)->base;
    if (lock_holder(object))
        record_set_text(envelope, ENVELOPE_HOLDER,
                        text_copy(&message->arena, object_owner(object)));
    if (newest_fence(object))
        record_set_integer(envelope, ENVELOPE_FENCE, newest_fence(object));
}

fallible
lock_refuse(struct message *message, const struct object *object)
{
    tell_lock(message, object);
    return fail(ERR_LOCKED, "", "object %s is locked by device %s", text_chars(object->key),
                text_chars(object_owner(object)));
}

fallible
lock_check_fence(struct message *message, const struct scene_state *scene,
                 const struct object *object, const struct lock_claim *claim)
{
    if (!claim->has_fence)
        return OK;
    if (!fence_is_known(scene, claim->fence))
        return fail(ERR_INVALID, "/fence", "scene %.128s never gave out the fence %lld",
                    text_chars(scene->key), (long long)claim->fence);
    if (claim->fence >= newest_fence(object))
        return OK;
    tell_lock(message, object);
    return fail(ERR_LOCKED, "", "object %s had a newer lock than %lld: its fence is %lld",
                text_chars(object->key), (long long)claim->fence, (long long)newest_fence(object));
}

fallible
lock_allows(const struct message *message, const struct object *stored,
            const struct object *changed)
{
    const struct text *holder = lock_holder(changed);
    if (!message->caller.takes_device || !holder ||
        (stored && text_equal(holder, object_owner(stored))))
        return OK;
    return fail(ERR_FORBIDDEN, "", "device %.128s belongs to another user", text_chars(holder));
}

fallible
lock_permits(struct shard *self, struct message *message, const struct scene_state *scene,
             const struct object *object, const struct lock_claim *claim)
{
    TRY(lock_check_fence(message, scene, object, claim));
    if (!self->settings.locks_enforce || !lock_holder(object) || lock_is_claimed(object, claim))
        return OK;
    return lock_refuse(message, object);
}

// --- renewal ---

const struct lock *
lock_that_renews(const struct record *object, const struct lock_claim *claim)
{
    const struct lock *lock = object_lock_of(object);
    return lock && lock->renews && lock_is_claimed(object_of(object), claim) ? lock : NULL;
}

void
lock_renew(struct arena *arena, const struct record *stored, const struct lock_claim *claim,
           struct record *changed)
{
    const struct lock *lock = lock_that_renews(stored, claim);
    if (!lock || !object_lock_of(changed))
        return;
    struct record *renewed = record_copy_flat(arena, &lock_schema, &lock->base);
    record_set_integer(renewed, LOCK_UNTIL, lock_renewed_until(lock, clock_calendar_us()));
    ((struct object *)(void *)changed)->rare->lock = renewed;
}
