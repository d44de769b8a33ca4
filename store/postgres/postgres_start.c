// postgres_start.c - a start refuses what it cannot rely on (postgres_start.h).
#include "store/postgres/postgres_start.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/log.h"
#include "store/key.h"

// Whether a query's first field is `expected`.
static fallible
ask(session_t *session, const char *query, const char *expected, uint64_t deadline_ms,
    bool *ret_is_so)
{
    owned(result_clear) PGresult *result = NULL;
    TRY(session_run(session, query, PGRES_TUPLES_OK, deadline_ms, &result));
    *ret_is_so = PQntuples(result) > 0 && strcmp(PQgetvalue(result, 0, 0), expected) == 0;
    return OK;
}

// --- what the database promises ---

// Settings with which it may lose what it acknowledged; an engine without the setting passes.
static const struct {
    const char *query, *bad, *refusal;
    bool is_async;
} promises[] = {
    {"SELECT current_setting('fsync', true)", "off",
     "it runs with fsync=off, so it may lose what it acknowledged; switch fsync on", false},
    {"SELECT current_setting('transaction_read_only')", "on", "it is read-only", false},
    {"SELECT current_setting('synchronous_standby_names', true)", "",
     "no standby is in step with it (synchronous_standby_names is empty), so what is acknowledged "
     "is on one machine alone; set store.allow_async=true if that will do",
     true},
};

static fallible
check_promises(session_t *session, bool allow_async, uint64_t deadline_ms)
{
    for (size_t i = 0; i < sizeof promises / sizeof promises[0]; i++) {
        bool is_bad = false;
        if (promises[i].is_async && allow_async)
            continue;
        // A setting that is not there is NULL, which libpq shows as "" too: that is not told here.
        owned(result_clear) PGresult *result = NULL;
        TRY(session_run(session, promises[i].query, PGRES_TUPLES_OK, deadline_ms, &result));
        is_bad =
            !PQgetisnull(result, 0, 0) && strcmp(PQgetvalue(result, 0, 0), promises[i].bad) == 0;
        if (is_bad)
            return fail(ERR_UNAVAILABLE, "", "the database of store.uri: %s", promises[i].refusal);
    }
    return OK;
}

// --- tables ---

// Two that start at the same time make tables one after the other. The lock ends with the
// connection, which its caller closes.
static fallible
lock_tables(session_t *session, uint64_t deadline_ms)
{
    owned(result_clear) PGresult *result = NULL;
    return session_run(session, "SELECT pg_advisory_lock(1145655122, 1)", PGRES_TUPLES_OK,
                       deadline_ms, &result);
}

static fallible
make_tables(session_t *session, uint64_t deadline_ms)
{
    owned(result_clear) PGresult *result = NULL;
    TRY(session_run(session, postgres_tables, PGRES_COMMAND_OK, deadline_ms, &result));
    log_info("database_tables_made", "layout=%d", POSTGRES_LAYOUT);
    return OK;
}

static fallible
check_layout(session_t *session, uint64_t deadline_ms)
{
    owned(result_clear) PGresult *result = NULL;
    TRY(session_run(session, "SELECT value FROM diorama_meta WHERE name = 'layout'",
                    PGRES_TUPLES_OK, deadline_ms, &result));
    const char *layout = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "none";
    if (strtol(layout, NULL, 10) != POSTGRES_LAYOUT)
        return fail(ERR_UNAVAILABLE, "",
                    "another version made the tables of the database of store.uri (layout %.20s, "
                    "this one knows %d); run that version",
                    layout, POSTGRES_LAYOUT);
    return OK;
}

static fallible
check_tables(session_t *session, uint64_t deadline_ms)
{
    bool has_records = false, has_meta = false;
    TRY(ask(session, "SELECT to_regclass('diorama_record') IS NOT NULL", "t", deadline_ms,
            &has_records));
    TRY(ask(session, "SELECT to_regclass('diorama_meta') IS NOT NULL", "t", deadline_ms,
            &has_meta));
    if (!has_records && !has_meta)
        return make_tables(session, deadline_ms);
    if (!has_records || !has_meta)
        return fail(ERR_UNAVAILABLE, "",
                    "the database of store.uri has one of the tables diorama_record and "
                    "diorama_meta without the other; restore a backup, or name another database");
    return check_layout(session, deadline_ms);
}

fallible
postgres_start_prepare(session_t *session, bool allow_async, uint64_t deadline_ms)
{
    TRY(check_promises(session, allow_async, deadline_ms));
    TRY(lock_tables(session, deadline_ms));
    return check_tables(session, deadline_ms);
}

// --- trial ---

// A commit of the trial, and what must come of it.
struct trial {
    store_version_t guard, id;
    bool is_guarded, is_delete;
    enum store_result expected;
};

static const struct trial trials[] = {
    {.guard = 0, .id = 1, .is_guarded = true, .expected = STORE_OK},
    {.guard = 0, .id = 2, .is_guarded = true, .expected = STORE_CONFLICT},
    {.guard = 1, .id = 3, .is_guarded = true, .expected = STORE_OK},
    {.guard = 1, .id = 4, .is_guarded = true, .expected = STORE_CONFLICT},
    {.id = 5, .expected = STORE_OK},
    {.guard = 3, .id = 6, .is_guarded = true, .is_delete = true, .expected = STORE_CONFLICT},
    {.guard = 5, .id = 7, .is_guarded = true, .is_delete = true, .expected = STORE_OK},
};

static bool
try_one(store_t *store, const struct store_address *place, const struct trial *trial,
        uint64_t deadline_ms)
{
    const struct store_guard guard = {*place, trial->guard};
    const struct store_operation operation = {
        .address = *place, .is_delete = trial->is_delete, .value = {"trial", 5}};
    const struct store_commit commit = {.id = trial->id,
                                        .guards = &guard,
                                        .guard_count = trial->is_guarded,
                                        .operations = &operation,
                                        .operation_count = 1};
    return store->engine->commit(store, &commit, deadline_ms) == trial->expected;
}

fallible
postgres_start_try(store_t *store, uint64_t deadline_ms)
{
    // A key of its own: what a start that was killed left behind is in nobody's way.
    unsigned char key[] = "trial of a start 12345678";
    randombytes_buf(key + sizeof key - 9, 8);
    const struct store_address place = {FAMILY_FORMAT, 1, {key, sizeof key - 1}};
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
        if (!try_one(store, &place, &trials[i], deadline_ms))
            return fail(ERR_UNAVAILABLE, "",
                        "the database of store.uri does not answer a trial of the statements that "
                        "a store needs as PostgreSQL does (%zu)",
                        i + 1);
    return OK;
}
