// condition.c - the monotonic clock for pthread_cond_clockwait (condition.h).
#include "proto/base/condition.h"

#include <errno.h>
#include <time.h>

bool
condition_await(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t deadline_ms)
{
    const struct timespec until = {.tv_sec = (time_t)(deadline_ms / 1000),
                                   .tv_nsec = (long)(deadline_ms % 1000) * 1000000};
    return pthread_cond_clockwait(condition, lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT;
}
