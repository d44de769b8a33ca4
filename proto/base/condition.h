// condition.h - waits for a condition variable until a deadline of clock.h, whatever clock the
// variable was made with.
#ifndef DIORAMA_PROTO_BASE_CONDITION_H
#define DIORAMA_PROTO_BASE_CONDITION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// As pthread_cond_timedwait: `lock` is held, released meanwhile, and held again. False when
// `deadline_ms` (clock.h) has passed. It may return true although nobody has signalled.
bool condition_await(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t deadline_ms);

#endif
