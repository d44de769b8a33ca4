// postgres_pool.c - connections that wait for callers, and callers that wait for connections
// (postgres_pool.h).
#include "store/postgres/postgres_pool.h"

#include <time.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

enum { WAIT_MS = 30000 }; // of a call without a deadline

void
postgres_pool_init(struct postgres_pool *self, const struct postgres_hosts *hosts)
{
    *self = (struct postgres_pool){.hosts = hosts};
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->freed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void
postgres_pool_finish(struct postgres_pool *self)
{
    for (unsigned i = 0; i < self->idle_count; i++)
        session_close(&self->idle[i]);
    pthread_cond_destroy(&self->freed);
    pthread_mutex_destroy(&self->mutex);
}

// Waits for a connection that is given back, or for the right to make one; `*ret_session` is NULL
// then. False at the deadline.
static bool
await_place(struct postgres_pool *self, uint64_t deadline_ms, session_t **ret_session)
{
    uint64_t end_ms = deadline_ms ? deadline_ms : clock_deadline_ms(WAIT_MS);
    const struct timespec end = {.tv_sec = (time_t)(end_ms / 1000),
                                 .tv_nsec = (long)(end_ms % 1000) * 1000000};
    bool is_late = false;
    pthread_mutex_lock(&self->mutex);
    while (!is_late && self->idle_count == 0 && self->open_count == POOL_MOST)
        is_late = pthread_cond_timedwait(&self->freed, &self->mutex, &end) != 0;
    *ret_session = NULL;
    bool is_had = true;
    if (self->idle_count > 0)
        *ret_session = self->idle[--self->idle_count];
    else if (self->open_count < POOL_MOST)
        self->open_count++;
    else
        is_had = false;
    pthread_mutex_unlock(&self->mutex);
    return is_had;
}

static void
leave_place(struct postgres_pool *self)
{
    pthread_mutex_lock(&self->mutex);
    self->open_count--;
    pthread_cond_signal(&self->freed);
    pthread_mutex_unlock(&self->mutex);
}

// One line when it begins to fail, one when it works again.
static void
note(struct postgres_pool *self, bool is_failing)
{
    pthread_mutex_lock(&self->mutex);
    bool has_changed = self->is_failing != is_failing;
    self->is_failing = is_failing;
    pthread_mutex_unlock(&self->mutex);
    if (has_changed && is_failing)
        log_warning("database_unreachable", "detail=%s", fault_last()->detail);
    if (has_changed && !is_failing)
        log_info("database_reached", "%s", "");
}

static bool
open_new(struct postgres_pool *self, uint64_t deadline_ms, session_t **ret_session)
{
    session_t *session = NULL;
    bool is_open = session_open(self->hosts, deadline_ms, &session) == OK &&
                   session_prepare(session, deadline_ms) == OK;
    note(self, !is_open);
    if (is_open)
        *ret_session = session;
    else
        session_close(&session);
    return is_open;
}

bool
postgres_pool_take(struct postgres_pool *self, uint64_t deadline_ms, session_t **ret_session)
{
    session_t *session = NULL;
    if (!await_place(self, deadline_ms, &session))
        return false;
    if (session && !session_is_sound(session))
        session_close(&session); // its place is kept
    if (session || open_new(self, deadline_ms, &session)) {
        *ret_session = session;
        return true;
    }
    leave_place(self);
    return false;
}

void
postgres_pool_give(struct postgres_pool *self, session_t **session, bool is_clean)
{
    if (!is_clean || !session_is_sound(*session)) {
        session_close(session);
        leave_place(self);
        return;
    }
    pthread_mutex_lock(&self->mutex);
    self->idle[self->idle_count++] = *session;
    pthread_cond_signal(&self->freed);
    pthread_mutex_unlock(&self->mutex);
    *session = NULL;
}
