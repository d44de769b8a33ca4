// postgres_route.c - the servers of a URI, one after the other (postgres_route.h).
#include "store/postgres/postgres_route.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

// What one of `count` servers may take of the time that is left.
static uint64_t
share_of(uint64_t deadline_ms, unsigned count)
{
    if (!deadline_ms)
        return 0;
    return clock_deadline_ms((uint64_t)clock_left_ms(deadline_ms) / count);
}

bool
postgres_route_is_newest(struct postgres_route *self, const session_t *session)
{
    return session_timeline(session) >= atomic_load(&self->timeline);
}

static void
raise_timeline(struct postgres_route *self, uint32_t timeline)
{
    uint32_t seen = atomic_load(&self->timeline);
    while (seen < timeline && !atomic_compare_exchange_weak(&self->timeline, &seen, timeline))
        continue;
    if (seen && seen < timeline)
        log_warning("database_promoted", "timeline=%" PRIu32 " before=%" PRIu32, timeline, seen);
}

static fallible
open_one(struct postgres_route *self, unsigned index, uint64_t deadline_ms, session_t **ret_session)
{
    owned(session_close) session_t *session = NULL;
    struct postgres_target target;
    postgres_hosts_target(&self->hosts, index, &target);
    TRY(session_open(&target, deadline_ms, &session));
    raise_timeline(self, session_timeline(session));
    if (!postgres_route_is_newest(self, session))
        return fail(ERR_UNAVAILABLE, "",
                    "the database of store.uri: the server that answers was replaced (its timeline "
                    "is %" PRIu32 ", another one has %" PRIu32 ")",
                    session_timeline(session), atomic_load(&self->timeline));
    session_watch(session, &self->timeline);
    *ret_session = session;
    session = NULL;
    return OK;
}

// `looks_at_all`: of those that answer the first of the highest timeline, not the first.
static fallible
open_any(struct postgres_route *self, bool looks_at_all, uint64_t deadline_ms,
         session_t **ret_session)
{
    owned(session_close) session_t *found = NULL;
    enum error error = ERR_UNAVAILABLE;
    unsigned first = atomic_load(&self->last), count = self->hosts.count;
    for (unsigned i = 0; i < count && (looks_at_all || !found); i++) {
        owned(session_close) session_t *session = NULL;
        unsigned index = (first + i) % count;
        error = open_one(self, index, share_of(deadline_ms, count - i), &session);
        if (!session || (found && session_timeline(found) == session_timeline(session)))
            continue;
        session_close(&found);
        found = session;
        session = NULL;
        atomic_store(&self->last, index);
    }
    *ret_session = found;
    error = found ? OK : error;
    found = NULL;
    return error;
}

fallible
postgres_route_open(struct postgres_route *self, uint64_t deadline_ms, session_t **ret_session)
{
    return open_any(self, false, deadline_ms, ret_session);
}

fallible
postgres_route_open_newest(struct postgres_route *self, uint64_t deadline_ms,
                           session_t **ret_session)
{
    return open_any(self, true, deadline_ms, ret_session);
}
