// guard_locks.h - what keeps the guards of a commit true until it is written, in an engine that
// has no such locks itself: a table of locks over addresses. Any thread.
#ifndef DIORAMA_STORE_GUARD_LOCKS_H
#define DIORAMA_STORE_GUARD_LOCKS_H

#include <pthread.h>

#include "store/store.h"

enum { GUARD_LOCKS = 32 }; // bits of a set of them

struct guard_locks {
    pthread_mutex_t locks[GUARD_LOCKS];
};

void guard_locks_init(struct guard_locks *self);
void guard_locks_finish(struct guard_locks *self);

// Waits until no other commit holds the locks of what this one guards or writes. Returns the set of
// locks, for guard_locks_release. Commits without guards take none: nobody who guards a record may
// count on them.
uint32_t guard_locks_take(struct guard_locks *self, const struct store_commit *commit);
void guard_locks_release(struct guard_locks *self, uint32_t taken);

#endif
