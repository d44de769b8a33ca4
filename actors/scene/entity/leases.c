// leases.c - ends leases in slices, a commit each (leases.h). What cannot be read or written keeps
// its place and is tried again.

#include "actors/scene/entity/leases.h"

#include "actors/scene/entity/entity_lookup.h"
#include "actors/scene/entity/locks.h"
#include "actors/scene/entity/object_kind.h"
#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/feed/event.h"

enum {
    ENDED_PER_COMMIT = 200,
    SAID_US = 1000000,   // a renewal by UDP is said in the record so often at most,
    SAID_PART = 4,       // and in this part of the time of a short lease
    RETRY_US = 2000000,  // after a scene could not be read or written
    IN_FLIGHT_US = 5000, // a staged write decides
    TRIM_MS = 5,         // between two slices of what is freed
};

// --- renewal by UDP ---

void
leases_renew(struct shard *self, const struct scene_state *scene, const frozen_t *object,
             const struct lock_claim *claim)
{
    if (!lock_that_renews(frozen_record(object), claim))
        return;
    struct lease *lease = lease_index_find(&self->leases, scene, frozen_key(object));
    if (lease && lease->ends_us)
        lease_renew(lease, clock_now_us());
}

bool
leases_must_say(const struct lock *lock, uint64_t calendar_us)
{
    int64_t part_us = lock->lease_s * 1000000 / SAID_PART;
    int64_t after_us = part_us < SAID_US ? part_us : SAID_US;
    return lock_renewed_until(lock, calendar_us) - lock->until_us >= after_us;
}

// --- the end ---

// Whether the lock of the object is the lease that has ended, as it is and as it will be.
static bool
is_over(const struct lease *lease, const frozen_t *latest)
{
    const struct lock *lock = latest ? object_lock_of(frozen_record(latest)) : NULL;
    return lock && lock_is_lease(lock) && lock->fence == lease->fence &&
           lock->until_us == lease->until_us;
}

static void
settle_other(struct shard *self, struct scene_state *scene, struct lease *lease, uint64_t now_us)
{
    if (staging_latest(&self->staging, KEY_OBJECT, scene, lease->key))
        lease_index_postpone(&self->leases, lease, now_us + IN_FLIGHT_US);
    else
        lease_index_drop(&self->leases, lease); // nothing of it is stored
}

// Stages the end of one lease, whose object is `latest`. `*ret_is_full`: the commit has no room for
// it.
static void
end_one(struct shard *self, struct message *message, struct lease *lease, const frozen_t *latest,
        uint64_t now_us, size_t *ended, bool *ret_is_full)
{
    struct scene_state *scene = lease->list->scene;
    if (!is_over(lease, latest)) {
        settle_other(self, scene, lease, now_us);
        return;
    }
    *ret_is_full =
        !staging_has_room(&self->staging, room_for_records(1 + HOLDING_WRITES + LOCK_WRITES,
                                                           record_size(latest) + WRITE_BYTES));
    if (*ret_is_full)
        return;
    lock_release(self, message, scene, latest, REASON_EXPIRED);
    lease_index_postpone(&self->leases, lease, now_us + RETRY_US); // if the commit fails
    ++*ended;
}

static fallible
end_slice(struct shard *self, struct message *message)
{
    uint64_t now_us = clock_now_us();
    size_t ended = 0;
    bool is_full = false;
    struct lease *lease;
    while (!is_full && ended < ENDED_PER_COMMIT && !actor_must_pause(&self->base) &&
           (lease = lease_index_ended(&self->leases, now_us)) != NULL) {
        struct scene_state *scene = lease->list->scene;
        if (scene_is_deleting(self, scene)) {
            lease_index_postpone(&self->leases, lease, now_us + RETRY_US);
            continue;
        }
        if (scene->cache_state != SCENE_IN_MEMORY && ended)
            break;
        const frozen_t *latest;
        TRY(entity_latest_alone_in_scene(self, message, &object_kind, scene, lease->key, &latest));
        end_one(self, message, lease, latest, now_us, &ended, &is_full);
    }
    if (is_full && ended == 0) {
        staging_wait(&self->staging, &message);
        return PARKED;
    }
    return ended ? shard_answer_durable(self, message) : OK; // the next turn goes on
}

enum error
leases_end(actor_t *actor, struct message *message)
{
    enum error error = end_slice(shard_of(actor), message);
    return error == PARKED ? PARKED : leases_ended(actor, message, error);
}

enum error
leases_ended(actor_t *actor, struct message *message, enum error error)
{
    struct shard *self = shard_of(actor);
    struct fault fault;
    (void)message;
    self->is_ending_leases = false;
    if (error == OK)
        return OK;
    fault_take(error, &fault);
    log_warning("leases_not_ended", "actor=%s retry_ms=%d reason=\"%s\"", self->base.name,
                RETRY_US / 1000, fault.detail);
    uint64_t now_us = clock_now_us();
    struct lease *first = lease_index_ended(&self->leases, now_us);
    if (first)
        lease_index_postpone(&self->leases, first, now_us + RETRY_US);
    return OK;
}

void
leases_turn(struct shard *self)
{
    uint64_t due_us = lease_index_due_us(&self->leases);
    lease_index_trim(&self->leases);
    if (self->is_ending_leases || self->base.stopping || due_us == 0 || due_us > clock_now_us())
        return;
    self->is_ending_leases = true;
    actor_dispatch(&self->base, message_create(LEASES_END));
}

uint64_t
leases_deadline_ms(const struct shard *self)
{
    uint64_t due_us = lease_index_due_us(&self->leases);
    if (self->leases.dead)
        return clock_deadline_ms(TRIM_MS);
    return due_us && !self->is_ending_leases && !self->base.stopping ? due_us / 1000 + 1 : 0;
}
