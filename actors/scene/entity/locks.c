// locks.c - who holds an object, and until when. The lock is the object's `owner` and `lock`, so
// that it is stored, streamed and recovered as the object is.

#include "actors/scene/entity/locks.h"

#include "actors/scene/entity/entity_lookup.h"
#include "actors/scene/entity/lock_rules.h"
#include "actors/scene/entity/object_kind.h"
#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_preconditions.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/base/clock.h"
#include "proto/feed/event.h"

enum { LEASE_S = 30 }; // where a request does not say it

// What a request wants of the lock.
struct wish {
    struct lock_claim claim;
    bool is_lease; // else the lock has no end
    bool is_forced;
    int64_t lease_s;
    bool renews;
};

// A body says the device, or the query string does.
static fallible
take_device(const struct message *message, const struct text *of_body,
            const struct text **ret_device)
{
    const struct text *of_query = message->params->device;
    if (text_size(of_body) && text_size(of_query) && !text_equal(of_body, of_query))
        return fail(ERR_INVALID, "/device", "must be the device of the query string, or absent");
    *ret_device = text_size(of_body) ? of_body : of_query;
    if (text_size(*ret_device) == 0)
        return message->records ? fail(ERR_MISSING, "/device", "is needed")
                                : fail(ERR_MISSING, "", "the query parameter device is missing");
    return OK;
}

static fallible
take_wish(const struct message *message, struct wish *ret_wish)
{
    const struct record *record =
        message->records && message->records->count ? message->records->items[0] : NULL;
    const struct lock_wish *body = (const struct lock_wish *)(const void *)record;
    *ret_wish = (struct wish){.claim = lock_claim_of(message->params, message->params->object),
                              .is_forced = message->params->force || (body && body->force),
                              .is_lease = body != NULL,
                              .lease_s = LEASE_S,
                              .renews = body && body->renew};
    if (record && record_has(record, LOCK_WISH_LEASE))
        ret_wish->lease_s = body->lease_s;
    return take_device(message, body ? body->device : NULL, &ret_wish->claim.device);
}

const frozen_t *
lock_release(struct shard *self, struct message *message, struct scene_state *scene,
             const frozen_t *object, uint8_t reason)
{
    struct record *changed = record_copy(&message->arena, &object_schema, frozen_record(object));
    object_drop_lock(changed);
    return shard_stage_lock(self, scene, changed, object, EVENT_LOCK_RELEASED, reason);
}

// Makes the lock what the wish says: a lease from now on, or one without an end.
static void
settle_lease(struct message *message, const struct wish *wish, struct lock *lock)
{
    struct record *record = &lock->base;
    record->present &= ~(FIELD_BIT(LOCK_UNTIL) | FIELD_BIT(LOCK_LEASE) | FIELD_BIT(LOCK_RENEWS) |
                         FIELD_BIT(LOCK_USER));
    lock->renews = wish->is_lease && wish->renews;
    if (!wish->is_lease)
        return;
    record_set_integer(record, LOCK_LEASE, wish->lease_s);
    record_set_integer(record, LOCK_UNTIL, lock_renewed_until(lock, clock_calendar_us()));
    if (lock->renews)
        record_mark(record, LOCK_RENEWS);
    if (message->caller.user[0])
        record_set_text(record, LOCK_USER, text_from(&message->arena, message->caller.user));
}

// Stages the lock that the wish asks for, of an object that is free or the holder's.
static const frozen_t *
stage_lock(struct shard *self, struct message *message, struct scene_state *scene,
           const frozen_t *object, const struct wish *wish)
{
    struct arena *arena = &message->arena;
    struct record *changed = record_copy(arena, &object_schema, frozen_record(object));
    const struct lock *held = object_lock_of(changed);
    struct lock *lock =
        held ? (struct lock *)(void *)record_copy_flat(arena, &lock_schema, &held->base)
             : object_give_lock(self, scene, arena, changed, wish->claim.device);
    settle_lease(message, wish, lock);
    ((struct object *)(void *)changed)->rare->lock = &lock->base;
    return shard_stage_lock(self, scene, changed, object, EVENT_LOCK_GRANTED, REASON_NONE);
}

// What the answer to a request for a lease says.
static void
tell_lease(struct message *message, const frozen_t *object)
{
    const struct lock *lock = object_lock_of(frozen_record(object));
    struct record *envelope = &reply_envelope(message)->base;
    struct arena *arena = &message->arena;
    record_set_text(envelope, ENVELOPE_HOLDER, text_copy(arena, lock->holder));
    if (record_has(&lock->base, LOCK_USER))
        record_set_text(envelope, ENVELOPE_USER, text_copy(arena, lock->user));
    record_set_integer(envelope, ENVELOPE_SINCE, lock->since_us);
    record_set_integer(envelope, ENVELOPE_UNTIL, lock->until_us);
    record_set_integer(envelope, ENVELOPE_FENCE, lock->fence);
}

// Whether a request of the holder changes its lock: who asks for a lock without an end, and has
// one, has it.
static bool
changes_lock(const struct wish *wish, const frozen_t *object)
{
    return wish->is_lease || lock_is_lease(object_lock_of(frozen_record(object)));
}

enum error
object_lock(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    const frozen_t *entity;
    struct wish wish;
    TRY(take_wish(message, &wish));
    TRY(entity_latest_alone(self, message, &object_kind, message->params->object, &scene, &entity));
    const struct object *object = object_of(frozen_record(entity));
    const struct text *holder = lock_holder(object);
    bool is_others = holder && !text_equal(holder, wish.claim.device);
    TRY(lock_check_fence(message, scene, object, &wish.claim));
    if (is_others && !wish.is_forced)
        return lock_refuse(message, object);
    TRY(preconditions_check_entity(self, message, &object_kind, scene, entity));
    size_t writes = 2 + LOCK_WRITES, bytes = 2 * (record_size(entity) + WRITE_BYTES);
    TRY(shard_make_room_in(self, message, scene, writes, bytes));
    if (is_others)
        entity = lock_release(self, message, scene, entity, REASON_TAKEN);
    if (is_others || !holder || changes_lock(&wish, entity))
        entity = stage_lock(self, message, scene, entity, &wish);
    if (wish.is_lease)
        tell_lease(message, entity);
    return shard_answer_durable(self, message); // a renewal too: the grant may still be on its way
}

enum error
object_unlock(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    const frozen_t *entity;
    struct lock_claim claim = lock_claim_of(message->params, message->params->object);
    TRY(take_device(message, NULL, &claim.device));
    TRY(entity_latest_alone(self, message, &object_kind, message->params->object, &scene, &entity));
    const struct object *object = object_of(frozen_record(entity));
    const struct text *holder = lock_holder(object);
    TRY(lock_check_fence(message, scene, object, &claim));
    if (holder && !text_equal(holder, claim.device))
        return lock_refuse(message, object);
    TRY(preconditions_check_entity(self, message, &object_kind, scene, entity));
    if (holder) {
        TRY(shard_make_room_in(self, message, scene, 1, record_size(entity) + WRITE_BYTES));
        lock_release(self, message, scene, entity,
                     message->caller.takes_device ? REASON_REVOKED : REASON_RELEASED);
    }
    return shard_answer_durable(self, message);
}
