// lease_states.c - the index of leases follows the records of objects, and the other way round
// where a record is read that an earlier start wrote (lease_states.h).

#include "actors/scene/lease_states.h"

#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/clock.h"

enum { DIFFERS_US = 1000 }; // less is the same

void
lease_states_follow(struct shard *self, struct scene_state *scene, const frozen_t *entity)
{
    const struct lock *lock = object_lock_of(frozen_record(entity));
    if (!lock_is_lease(lock)) {
        lease_states_forget(self, scene, frozen_key(entity));
        return;
    }
    struct lease *lease = lease_index_find(&self->leases, scene, frozen_key(entity));
    bool is_same = lease && lease->fence == lock->fence && lease->until_us == lock->until_us &&
                   lease->lease_s == lock->lease_s;
    if (is_same || !scene->is_indexed)
        return;
    lease =
        lease_index_put(&self->leases, scene, frozen_key(entity), lock->lease_s, clock_now_us());
    lease->fence = lock->fence;
    lease->until_us = lock->until_us;
}

void
lease_states_forget(struct shard *self, struct scene_state *scene, const struct text *key)
{
    struct lease *lease = lease_index_find(&self->leases, scene, key);
    if (lease)
        lease_index_drop(&self->leases, lease);
}

// When a lease ends, on the calendar. One that does not run yet begins later still.
static int64_t
calendar_end(const struct lease *lease)
{
    uint64_t now_us = clock_now_us();
    int64_t left_us = lease->ends_us == 0       ? lease->lease_s * 1000000
                      : lease->ends_us > now_us ? (int64_t)(lease->ends_us - now_us)
                                                : 0;
    return (int64_t)clock_calendar_us() + left_us;
}

// One reference.
static const frozen_t *
with_end(const frozen_t *entity, int64_t ends_us)
{
    int64_t apart_us = ends_us - object_lock_of(frozen_record(entity))->until_us;
    if (-DIFFERS_US < apart_us && apart_us < DIFFERS_US)
        return record_ref(entity);
    frozen_t *shown = record_thaw_numbers(entity);
    lock_say_until(frozen_edit(shown), ends_us);
    return shown;
}

const frozen_t *
lease_states_shown(struct shard *self, struct scene_state *scene, const frozen_t *entity)
{
    const struct lock *lock = object_lock_of(frozen_record(entity));
    if (!lock_is_lease(lock))
        return record_ref(entity);
    struct lease *lease = lease_index_find(&self->leases, scene, frozen_key(entity));
    if (!lease && !scene->is_indexed)
        return record_ref(entity);
    if (!lease)
        lease = lease_index_put(&self->leases, scene, frozen_key(entity), lock->lease_s,
                                clock_now_us());
    const frozen_t *shown = with_end(entity, calendar_end(lease));
    lease->fence = lock->fence;
    lease->until_us = object_lock_of(frozen_record(shown))->until_us;
    return shown;
}

const frozen_t *
lease_states_shown_apart(const struct shard *self, const struct scene_state *scene,
                         const frozen_t *entity)
{
    const struct lock *lock = object_lock_of(frozen_record(entity));
    const struct lease *lease =
        lock_is_lease(lock) ? lease_index_find(&self->leases, scene, frozen_key(entity)) : NULL;
    bool is_of_it = lease && (lease->fence == lock->fence || lease->fence == 0); // 0: of a start
    return is_of_it ? with_end(entity, calendar_end(lease)) : record_ref(entity);
}
