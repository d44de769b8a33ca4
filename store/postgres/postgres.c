// postgres.c - the PostgreSQL engine: its life, and its calls, each on a connection of the pool.
// Any thread.
#include "store/postgres/postgres.h"

#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "store/folder_lock.h"
#include "store/postgres/postgres_blobs.h"
#include "store/postgres/postgres_commit.h"
#include "store/postgres/postgres_pool.h"
#include "store/postgres/postgres_read.h"
#include "store/postgres/postgres_start.h"

enum {
    OPEN_MS = 30000,  // all of a start
    READ_ATTEMPTS = 2 // a connection may have been broken already
};

struct postgres {
    store_t base; // first: engines are reached through it
    struct postgres_route route;
    struct postgres_pool pool;
    int folder; // of folder_lock; -1 = none
};

static struct postgres *
postgres_of(store_t *base)
{
    return container_of(base, struct postgres, base);
}

static bool
is_answer(enum store_result result)
{
    return result == STORE_OK || result == STORE_ABSENT;
}

// What a server answered that was replaced meanwhile may be of the past.
static enum store_result
forget(enum store_result result, void **ret_value)
{
    if (result == STORE_OK) {
        free(*ret_value);
        *ret_value = NULL;
    }
    return STORE_UNAVAILABLE;
}

static enum store_result
postgres_get(store_t *base, const struct store_address *address, uint64_t deadline_ms,
             store_version_t *ret_version, void **ret_value, size_t *ret_size)
{
    struct postgres *self = postgres_of(base);
    enum store_result result = STORE_UNAVAILABLE;
    for (int i = 0; i < READ_ATTEMPTS && result == STORE_UNAVAILABLE; i++) {
        session_t *session = NULL;
        if (!postgres_pool_take(&self->pool, deadline_ms, &session))
            return STORE_UNAVAILABLE;
        result = postgres_read_get(session, address, deadline_ms, ret_version, ret_value, ret_size);
        if (!postgres_pool_give(&self->pool, &session, is_answer(result)))
            result = forget(result, ret_value);
    }
    return result;
}

static enum store_result
postgres_scan(store_t *base, const struct store_scan *scan, uint64_t deadline_ms,
              store_visitor *visit, void *context)
{
    struct postgres *self = postgres_of(base);
    enum store_result result = STORE_UNAVAILABLE;
    size_t visited = 0;
    for (int i = 0; i < READ_ATTEMPTS && result == STORE_UNAVAILABLE && visited == 0; i++) {
        session_t *session = NULL;
        if (!postgres_pool_take(&self->pool, deadline_ms, &session))
            return STORE_UNAVAILABLE;
        result = postgres_read_scan(session, scan, deadline_ms, visit, context, &visited);
        if (!postgres_pool_give(&self->pool, &session, is_answer(result)))
            result = STORE_UNAVAILABLE;
    }
    return result;
}

static enum store_result
postgres_commit(store_t *base, const struct store_commit *commit, uint64_t deadline_ms)
{
    struct postgres *self = postgres_of(base);
    session_t *session = NULL;
    bool is_clean = false;
    if (!postgres_pool_take(&self->pool, deadline_ms, &session))
        return STORE_UNAVAILABLE;
    enum store_result result = postgres_commit_run(session, commit, deadline_ms, &is_clean);
    if (!postgres_pool_give(&self->pool, &session, is_clean) && result != STORE_UNAVAILABLE)
        result = STORE_UNKNOWN;
    return result;
}

static enum store_result
postgres_ping(store_t *base, uint64_t deadline_ms)
{
    struct postgres *self = postgres_of(base);
    session_t *session = NULL;
    if (!postgres_pool_take(&self->pool, deadline_ms, &session))
        return STORE_UNAVAILABLE;
    enum store_result result = postgres_read_ping(session, deadline_ms);
    if (!postgres_pool_give(&self->pool, &session, result == STORE_OK))
        result = STORE_UNAVAILABLE;
    return result;
}

// --- what a database does by itself: it has backups and a log of its own ---

static enum store_result
postgres_checkpoint(store_t *base, const char *folder)
{
    (void)base;
    (void)folder;
    return STORE_BAD;
}

static enum store_result
postgres_position(store_t *base, uint64_t *ret_position)
{
    (void)base;
    (void)ret_position;
    return STORE_BAD;
}

static enum store_result
postgres_changes(store_t *base, uint64_t after, size_t bytes, store_change_visitor *visit,
                 void *context)
{
    (void)base;
    (void)after;
    (void)bytes;
    (void)visit;
    (void)context;
    return STORE_BAD;
}

static void
postgres_release(store_t *base, uint64_t position, uint64_t kept, uint64_t most)
{
    (void)base;
    (void)position;
    (void)kept;
    (void)most;
}

// --- bytes of assets ---

static fallible
postgres_provide_blobs(store_t *base, store_version_t fence, struct blob_provider **ret_provider)
{
    return postgres_blobs_create(&postgres_of(base)->route, fence, ret_provider);
}

// --- life ---

static void
postgres_destroy(store_t **base)
{
    if (!*base)
        return;
    struct postgres *self = postgres_of(*base);
    postgres_pool_finish(&self->pool);
    postgres_route_finish(&self->route);
    folder_lock_release(&self->folder);
    free(self);
    *base = NULL;
}

static const struct store_engine postgres_engine = {
    .name = "postgresql",
    .get = postgres_get,
    .scan = postgres_scan,
    .commit = postgres_commit,
    .ping = postgres_ping,
    .checkpoint = postgres_checkpoint,
    .position = postgres_position,
    .changes = postgres_changes,
    .release = postgres_release,
    .provide_blobs = postgres_provide_blobs,
    .destroy = postgres_destroy,
};

static fallible
prepare(struct postgres *self, bool allow_async, uint64_t deadline_ms)
{
    owned(session_close) session_t *session = NULL;
    TRY(postgres_route_open_newest(&self->route, deadline_ms, &session));
    TRY(postgres_start_prepare(session, allow_async, deadline_ms));
    return postgres_start_try(session, deadline_ms);
}

fallible
postgres_open(const char *path, const char *uri, bool allow_async, store_t **ret_store)
{
    uint64_t deadline_ms = clock_deadline_ms(OPEN_MS);
    struct postgres *self = memory_take_zeroed(sizeof *self);
    owned(store_destroy) store_t *base = &self->base;
    self->base.engine = &postgres_engine;
    self->base.is_shared = true;
    postgres_pool_init(&self->pool, &self->route);
    self->folder = -1;
    if (path)
        TRY(folder_lock_take(path, clock_deadline_ms(FOLDER_LOCK_WAIT_MS), &self->folder));
    TRY(postgres_route_init(&self->route, path));
    TRY(postgres_hosts_parse(uri, &self->route.hosts));
    TRY(prepare(self, allow_async, deadline_ms));
    *ret_store = base;
    base = NULL;
    return OK;
}
