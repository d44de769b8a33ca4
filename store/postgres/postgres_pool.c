// postgres_pool.c - connections that wait for callers, and callers that wait for connections
// (postgres_pool.h).
#include "store/postgres/postgres_pool.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

enum {
    WAIT_MS = 30000,       // of a call without a deadline
    TELL_EVERY_MS = 10000, // why no connection can be made, where the reason changes
};

void
postgres_pool_init(struct postgres_pool *self, struct postgres_route *route)
{
    *self = (struct postgres_pool){.route = route, .prepare = session_prepare, .most = POOL_MOST};
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->freed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void
postgres_pool_init_blobs(struct postgres_pool *self, struct postgres_route *route, unsigned most)
{
    postgres_pool_init(self, route);
    self->prepare = session_prepare_all;
    self->most = most;
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
    while (!is_late && self->idle_count == 0 && self->open_count == self->most)
        is_late = pthread_cond_timedwait(&self->freed, &self->mutex, &end) != 0;
    *ret_session = NULL;
    bool is_had = true;
    if (self->idle_count > 0)
        *ret_session = self->idle[--self->idle_count];
    else if (self->open_count < self->most)
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

// Whether the reason is to be told again: it is another one, and not the next of many.
static bool
is_news(struct postgres_pool *self, const char *reason)
{
    uint64_t now_ms = clock_now_ms();
    if (now_ms - self->told_ms < TELL_EVERY_MS ||
        strncmp(self->reason, reason, sizeof self->reason - 1) == 0)
        return false;
    snprintf(self->reason, sizeof self->reason, "%.*s", (int)sizeof self->reason - 1, reason);
    self->told_ms = now_ms;
    return true;
}

// One line when it begins to fail, one when another reason keeps it so, one when it works again.
static void
note(struct postgres_pool *self, bool is_failing)
{
    pthread_mutex_lock(&self->mutex);
    bool has_changed = self->is_failing != is_failing;
    self->is_failing = is_failing;
    has_changed = (is_failing && is_news(self, fault_last()->detail)) || has_changed;
    pthread_mutex_unlock(&self->mutex);
    if (has_changed && is_failing)
        log_warning("database_unreachable", "detail=%s", fault_last()->detail);
    if (has_changed && !is_failing)
        log_info("database_reached", "%s", "");
}

// Ends those that wait and whose server was replaced, or all.
static void
drop_idle(struct postgres_pool *self, bool all)
{
    unsigned kept = 0;
    pthread_mutex_lock(&self->mutex);
    for (unsigned i = 0; i < self->idle_count; i++)
        if (!all && postgres_route_is_newest(self->route, self->idle[i]))
            self->idle[kept++] = self->idle[i];
        else
            session_close(&self->idle[i]);
    if (kept < self->idle_count)
        pthread_cond_broadcast(&self->freed);
    self->open_count -= self->idle_count - kept;
    self->idle_count = kept;
    pthread_mutex_unlock(&self->mutex);
}

static bool
open_new(struct postgres_pool *self, uint64_t deadline_ms, session_t **ret_session)
{
    session_t *session = NULL;
    bool is_open = postgres_route_open(self->route, deadline_ms, &session) == OK &&
                   self->prepare(session, deadline_ms) == OK;
    note(self, !is_open);
    if (is_open) {
        *ret_session = session;
        drop_idle(self, false);
    } else
        session_close(&session);
    return is_open;
}

static bool
can_be_used(struct postgres_pool *self, session_t *session)
{
    return session_is_sound(session) && postgres_route_is_newest(self->route, session);
}

bool
postgres_pool_take(struct postgres_pool *self, uint64_t deadline_ms, session_t **ret_session)
{
    session_t *session = NULL;
    if (!await_place(self, deadline_ms, &session))
        return false;
    if (session && !can_be_used(self, session))
        session_close(&session); // its place is kept
    if (session || open_new(self, deadline_ms, &session)) {
        *ret_session = session;
        return true;
    }
    leave_place(self);
    return false;
}

bool
postgres_pool_give(struct postgres_pool *self, session_t **session, bool is_clean)
{
    bool is_newest = postgres_route_is_newest(self->route, *session);
    bool is_sound = session_is_sound(*session);
    // A server that is silent to one is so to all: each would take a call to its deadline before
    // another server is asked.
    if (!is_sound && self->route->hosts.count > 1)
        drop_idle(self, true);
    if (!is_clean || !is_newest || !is_sound) {
        session_close(session);
        leave_place(self);
        return is_newest;
    }
    pthread_mutex_lock(&self->mutex);
    self->idle[self->idle_count++] = *session;
    pthread_cond_signal(&self->freed);
    pthread_mutex_unlock(&self->mutex);
    *session = NULL;
    return true;
}
