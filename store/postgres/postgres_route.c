// postgres_route.c - the servers of a URI, one after the other (postgres_route.h).
#include "store/postgres/postgres_route.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

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

fallible
postgres_route_init(struct postgres_route *self, const char *folder)
{
    struct postgres_known known = {0};
    pthread_mutex_init(&self->lock, NULL);
    if (!folder)
        return OK;
    int size = snprintf(self->known, sizeof self->known, "%s/" POSTGRES_KNOWN_FILE, folder);
    if (size < 0 || (size_t)size >= sizeof self->known)
        return fail(ERR_UNAVAILABLE, "", "data.dir is too long a path");
    TRY(postgres_known_read(self->known, &known));
    self->system = known.system;
    self->database = known.database;
    atomic_store(&self->timeline, known.timeline);
    return OK;
}

void
postgres_route_finish(struct postgres_route *self)
{
    postgres_hosts_finish(&self->hosts);
    pthread_mutex_destroy(&self->lock);
}

// What is refused here can be meant: a database that was restored, or moved to another cluster.
#define UNLESS_MEANT                                                                               \
    "; if that is meant, remove store/" POSTGRES_KNOWN_FILE " in data.dir, and start"

static fallible
check_is_known(const struct postgres_route *self, const session_t *session)
{
    uint64_t system = session_system(session);
    uint32_t timeline = session_timeline(session), seen = atomic_load(&self->timeline);
    uint32_t database = session_database(session);
    if (self->system && system && system != self->system)
        return fail(ERR_UNAVAILABLE, "",
                    "the database of store.uri: the server that answers is of another cluster than "
                    "before (its identifier is %" PRIu64 ", not %" PRIu64 ")" UNLESS_MEANT,
                    system, self->system);
    if (self->database && database && database != self->database)
        return fail(ERR_UNAVAILABLE, "",
                    "the database of store.uri is another one of the same cluster than before (its "
                    "number is %" PRIu32 ", not %" PRIu32 ")" UNLESS_MEANT,
                    database, self->database);
    if (timeline < seen)
        return fail(ERR_UNAVAILABLE, "",
                    "the database of store.uri: the server that answers was replaced (its timeline "
                    "is %" PRIu32 ", another one has %" PRIu32 ")" UNLESS_MEANT,
                    timeline, seen);
    return OK;
}

// What is new of a server is on the disk before it counts: a process that ends knows of it when it
// starts again.
static fallible
learn(struct postgres_route *self, const session_t *session)
{
    uint32_t seen = atomic_load(&self->timeline);
    const struct postgres_known known = {
        .system = self->system ? self->system : session_system(session),
        .database = self->database ? self->database : session_database(session),
        .timeline = session_timeline(session)};
    if (known.system == self->system && known.database == self->database && known.timeline == seen)
        return OK;
    if (self->known[0])
        TRY(postgres_known_write(self->known, &known));
    self->system = known.system;
    self->database = known.database;
    atomic_store(&self->timeline, known.timeline);
    if (seen && seen < known.timeline)
        log_warning("database_promoted", "timeline=%" PRIu32 " before=%" PRIu32, known.timeline,
                    seen);
    return OK;
}

static fallible
admit(struct postgres_route *self, const session_t *session)
{
    pthread_mutex_lock(&self->lock);
    enum error error = check_is_known(self, session);
    if (error == OK)
        error = learn(self, session);
    pthread_mutex_unlock(&self->lock);
    return error;
}

// `refused` is told where the server is not the one that it was; else it stays.
static fallible
open_one(struct postgres_route *self, unsigned index, uint64_t deadline_ms, struct fault *refused,
         session_t **ret_session)
{
    owned(session_close) session_t *session = NULL;
    struct postgres_target target;
    postgres_hosts_target(&self->hosts, index, &target);
    TRY(session_open(&target, deadline_ms, &session));
    enum error error = admit(self, session);
    if (error != OK)
        fault_take(error, refused);
    TRY(error);
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
    struct fault refused = {.error = OK};
    unsigned first = atomic_load(&self->last), count = self->hosts.count;
    for (unsigned i = 0; i < count && (looks_at_all || !found); i++) {
        owned(session_close) session_t *session = NULL;
        unsigned index = (first + i) % count;
        error = open_one(self, index, share_of(deadline_ms, count - i), &refused, &session);
        if (!session || (found && session_timeline(found) == session_timeline(session)))
            continue;
        session_close(&found);
        found = session;
        session = NULL;
        atomic_store(&self->last, index);
    }
    if (!found && refused.error != OK) // says more than that another one is not there
        return fault_note_again(&refused);
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
