// guard_locks.c - locks over what a commit guards and writes (guard_locks.h).
#include "store/guard_locks.h"

#include <xxhash.h>

void
guard_locks_init(struct guard_locks *self)
{
    for (int i = 0; i < GUARD_LOCKS; i++)
        pthread_mutex_init(&self->locks[i], NULL);
}

void
guard_locks_finish(struct guard_locks *self)
{
    for (int i = 0; i < GUARD_LOCKS; i++)
        pthread_mutex_destroy(&self->locks[i]);
}

static uint32_t
lock_of(const struct store_address *address)
{
    uint64_t place = (uint64_t)address->family << 16 | address->part;
    return 1U << (XXH64(address->key.data, address->key.size, place) % GUARD_LOCKS);
}

static uint32_t
locks_of(const struct store_commit *commit)
{
    uint32_t all = 0;
    for (size_t i = 0; i < commit->guard_count; i++)
        all |= lock_of(&commit->guards[i].address);
    for (size_t i = 0; i < commit->operation_count; i++)
        all |= lock_of(&commit->operations[i].address);
    return all;
}

// In the order of their numbers: no two wait for each other.
uint32_t
guard_locks_take(struct guard_locks *self, const struct store_commit *commit)
{
    uint32_t wanted = commit->guard_count ? locks_of(commit) : 0;
    for (int i = 0; i < GUARD_LOCKS; i++)
        if (wanted & 1U << i)
            pthread_mutex_lock(&self->locks[i]);
    return wanted;
}

void
guard_locks_release(struct guard_locks *self, uint32_t taken)
{
    for (int i = 0; i < GUARD_LOCKS; i++)
        if (taken & 1U << i)
            pthread_mutex_unlock(&self->locks[i]);
}
