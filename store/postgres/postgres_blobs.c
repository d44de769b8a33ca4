// postgres_blobs.c - bytes of assets in the database: the life of the provider, and its calls, each
// on a connection of its own pools (postgres_blobs.h).
#include "store/postgres/postgres_blobs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "store/postgres/postgres_object.h"
#include "store/postgres/postgres_pool.h"

enum {
    OPEN_MS = 30000, // all of a start
    // Transfers at the same time; each has some pieces in memory. Who reads does not wait for who
    // writes.
    WRITERS = 4,
    READERS = 4,
    WAIT_MS = 60000, // for one of the connections
    AGAIN_MS = 1000, // a connection that was broken already shows that sooner
    KEPT_BYTES = 1 << 20,
};

struct postgres_blobs {
    blob_provider_t base; // first: engines are reached through it
    store_version_t fence;
    struct postgres_pool writing, reading;
};

static struct postgres_blobs *
blobs_of(blob_provider_t *base)
{
    return container_of(base, struct postgres_blobs, base);
}

// One call of a transfer.
struct call {
    struct postgres_blobs *blobs;
    struct postgres_pool *pool;
    const char *object;
    int file;
    uint64_t bytes; // that were transferred
    fallible (*run)(struct call *self, session_t *session);
};

static fallible
attempt(struct call *self)
{
    session_t *session = NULL;
    self->bytes = 0;
    if (!postgres_pool_take(self->pool, clock_deadline_ms(WAIT_MS), &session))
        return fail(ERR_UNAVAILABLE, "", "the database does not take or give bytes of assets now");
    enum error error = self->run(self, session);
    const struct fault fault = *fault_last();
    // A connection has room for the largest piece that it ever had: it is not kept then.
    bool is_clean = error == OK && self->bytes <= KEPT_BYTES;
    if (!postgres_pool_give(self->pool, &session, is_clean) && error == OK)
        return fail(ERR_UNAVAILABLE, "", "the server of the database was replaced meanwhile");
    return error == OK ? OK : fault_note_again(&fault);
}

// Each may be done twice: what it leaves is the same.
static fallible
run(struct call *self)
{
    uint64_t early_ms = clock_deadline_ms(AGAIN_MS);
    enum error error = attempt(self);
    bool is_again = error == ERR_UNAVAILABLE && self->bytes == 0 && clock_left_ms(early_ms) > 0;
    return is_again ? attempt(self) : error;
}

static fallible
run_put(struct call *self, session_t *session)
{
    return postgres_object_put(session, self->object, self->file, self->blobs->fence, &self->bytes);
}

static fallible
blobs_put(blob_provider_t *base, const char *object, int file)
{
    struct postgres_blobs *self = blobs_of(base);
    struct call call = {self, &self->writing, object, file, 0, run_put};
    return run(&call);
}

static fallible
run_fetch(struct call *self, session_t *session)
{
    return postgres_object_fetch(session, self->object, self->file, &self->bytes);
}

static fallible
blobs_fetch(blob_provider_t *base, const char *object, int file)
{
    struct postgres_blobs *self = blobs_of(base);
    struct call call = {self, &self->reading, object, file, 0, run_fetch};
    return run(&call);
}

static fallible
run_remove(struct call *self, session_t *session)
{
    return postgres_object_remove(session, self->object, self->blobs->fence);
}

static fallible
blobs_remove(blob_provider_t *base, const char *object)
{
    struct postgres_blobs *self = blobs_of(base);
    struct call call = {self, &self->writing, object, -1, 0, run_remove};
    return run(&call);
}

// --- the list ---

struct page {
    struct call call; // first
    char (*names)[BLOB_OBJECT_SIZE];
    size_t count;
};

static void
page_finish(struct page *self)
{
    free(self->names);
}

static fallible
run_page(struct call *call, session_t *session)
{
    struct page *self = container_of(call, struct page, call);
    owned(result_clear) PGresult *result = NULL;
    self->count = 0;
    TRY(postgres_object_page(session, call->object, &result));
    for (int row = 0; row < PQntuples(result) && row < POSTGRES_PAGE_OBJECTS; row++) {
        size_t size = (size_t)PQgetlength(result, row, 0);
        char *name = self->names[self->count++];
        assert(size < BLOB_OBJECT_SIZE); // STATEMENT_BLOB_LIST
        memcpy(name, PQgetvalue(result, row, 0), size);
        name[size] = '\0';
    }
    return OK;
}

static fallible
blobs_list(blob_provider_t *base, blob_object_visitor *visit, void *context)
{
    struct postgres_blobs *self = blobs_of(base);
    char after[BLOB_OBJECT_SIZE] = "";
    owned(page_finish) struct page page = {
        .call = {self, &self->reading, after, -1, 0, run_page},
        .names = memory_take(POSTGRES_PAGE_OBJECTS * sizeof *page.names)};
    do {
        TRY(run(&page.call));
        for (size_t i = 0; i < page.count; i++)
            if (!visit(context, page.names[i]))
                return OK;
        if (page.count)
            memcpy(after, page.names[page.count - 1], sizeof after);
    } while (page.count == POSTGRES_PAGE_OBJECTS);
    return OK;
}

// --- life ---

static void
blobs_destroy_all(blob_provider_t *base)
{
    struct postgres_blobs *self = blobs_of(base);
    postgres_pool_finish(&self->writing);
    postgres_pool_finish(&self->reading);
    free(self);
}

static const struct blob_provider_engine blobs_engine = {
    .put = blobs_put,
    .fetch = blobs_fetch,
    .remove = blobs_remove,
    .list = blobs_list,
    .destroy = blobs_destroy_all,
};

static fallible
ask(session_t *session, const char *query, uint64_t deadline_ms, bool *ret_is_so)
{
    owned(result_clear) PGresult *result = NULL;
    TRY(session_run(session, query, PGRES_TUPLES_OK, deadline_ms, &result));
    *ret_is_so = strcmp(PQgetvalue(result, 0, 0), "t") == 0;
    return OK;
}

static fallible
prepare_table(session_t *session, uint64_t deadline_ms)
{
    owned(result_clear) PGresult *made = NULL;
    bool is_there = false, may_write = false;
    TRY(ask(session, "SELECT to_regclass('diorama_blob') IS NOT NULL", deadline_ms, &is_there));
    if (!is_there)
        TRY(session_run(session, postgres_blob_table, PGRES_COMMAND_OK, deadline_ms, &made));
    TRY(ask(session,
            "SELECT has_table_privilege('diorama_blob', 'SELECT') AND "
            "has_table_privilege('diorama_blob', 'INSERT') AND "
            "has_table_privilege('diorama_blob', 'UPDATE') AND "
            "has_table_privilege('diorama_blob', 'DELETE')",
            deadline_ms, &may_write));
    return may_write ? OK
                     : fail(ERR_UNAVAILABLE, "",
                            "the user of store.uri may not read and write the table diorama_blob; "
                            "give it these rights, or name its owner");
}

fallible
postgres_blobs_create(struct postgres_route *route, store_version_t fence,
                      blob_provider_t **ret_provider)
{
    uint64_t deadline_ms = clock_deadline_ms(OPEN_MS);
    owned(session_close) session_t *session = NULL;
    TRY(postgres_route_open(route, deadline_ms, &session));
    TRY(prepare_table(session, deadline_ms));
    struct postgres_blobs *self = memory_take_zeroed(sizeof *self);
    self->base.engine = &blobs_engine;
    self->fence = fence;
    postgres_pool_init_blobs(&self->writing, route, WRITERS);
    postgres_pool_init_blobs(&self->reading, route, READERS);
    *ret_provider = &self->base;
    return OK;
}
