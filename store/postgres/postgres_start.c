// postgres_start.c - a start refuses what it cannot rely on (postgres_start.h).
#include "store/postgres/postgres_start.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/log.h"
#include "store/postgres/postgres_commit.h"

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

static fallible
order(session_t *session, const char *sql, uint64_t deadline_ms)
{
    owned(result_clear) PGresult *result = NULL;
    return session_run(session, sql, PGRES_COMMAND_OK, deadline_ms, &result);
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
find_tables(session_t *session, uint64_t deadline_ms, bool *ret_are_there)
{
    bool has_records = false, has_meta = false;
    TRY(ask(session, "SELECT to_regclass('diorama_record') IS NOT NULL", "t", deadline_ms,
            &has_records));
    TRY(ask(session, "SELECT to_regclass('diorama_meta') IS NOT NULL", "t", deadline_ms,
            &has_meta));
    *ret_are_there = has_records && has_meta;
    if (has_records != has_meta)
        return fail(ERR_UNAVAILABLE, "",
                    "the database of store.uri has one of the tables diorama_record and "
                    "diorama_meta without the other; restore a backup, or name another database");
    return OK;
}

// Two that start at the same time make tables one after the other: the lock is of the transaction
// in which they are made. A process that freezes in it loses both (postgres_settings), and can make
// nothing later.
static fallible
make_tables(session_t *session, uint64_t deadline_ms)
{
    bool are_there = false;
    owned(result_clear) PGresult *locked = NULL;
    TRY(order(session, "BEGIN", deadline_ms));
    TRY(session_run(session, "SELECT pg_advisory_xact_lock(1145655122, 1)", PGRES_TUPLES_OK,
                    deadline_ms, &locked));
    TRY(find_tables(session, deadline_ms, &are_there)); // another one may have been faster
    if (!are_there)
        TRY(order(session, postgres_tables, deadline_ms));
    TRY(order(session, "COMMIT", deadline_ms));
    if (!are_there)
        log_info("database_tables_made", "layout=%d", POSTGRES_LAYOUT);
    return OK;
}

// Found out at the start, and not by the first write.
static fallible
check_rights(session_t *session, uint64_t deadline_ms)
{
    bool may_write = false;
    TRY(ask(session,
            "SELECT has_table_privilege('diorama_record', 'SELECT') AND "
            "has_table_privilege('diorama_record', 'INSERT') AND "
            "has_table_privilege('diorama_record', 'UPDATE') AND "
            "has_table_privilege('diorama_record', 'DELETE')",
            "t", deadline_ms, &may_write));
    return may_write ? OK
                     : fail(ERR_UNAVAILABLE, "",
                            "the user of store.uri may not read and write the table "
                            "diorama_record; give it these rights, or name its owner");
}

fallible
postgres_start_prepare(session_t *session, bool allow_async, uint64_t deadline_ms)
{
    bool are_there = false;
    TRY(check_promises(session, allow_async, deadline_ms));
    TRY(find_tables(session, deadline_ms, &are_there));
    if (!are_there)
        TRY(make_tables(session, deadline_ms));
    TRY(check_layout(session, deadline_ms));
    return check_rights(session, deadline_ms);
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
try_one(session_t *session, const struct trial *trial, uint64_t deadline_ms)
{
    static const struct store_address place = {FAMILY_FORMAT, 0, {"trial", 5}};
    const struct store_guard guard = {place, trial->guard};
    const struct store_operation operation = {
        .address = place, .is_delete = trial->is_delete, .value = {"trial", 5}};
    const struct store_commit commit = {.id = trial->id,
                                        .guards = &guard,
                                        .guard_count = trial->is_guarded,
                                        .operations = &operation,
                                        .operation_count = 1};
    bool is_clean = false;
    return postgres_commit_run(session, &commit, deadline_ms, &is_clean) == trial->expected &&
           is_clean;
}

// A table of this connection alone, of the same name and form. Statements find no other one, also
// where the search path that was set has temporary tables behind others.
static const char trial_table[] =
    "CREATE TEMPORARY TABLE diorama_record (LIKE diorama_record INCLUDING ALL);"
    "SET search_path = pg_temp";

fallible
postgres_start_try(session_t *session, uint64_t deadline_ms)
{
    TRY(order(session, trial_table, deadline_ms));
    TRY(session_prepare(session, deadline_ms));
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
        if (!try_one(session, &trials[i], deadline_ms))
            return fail(ERR_UNAVAILABLE, "",
                        "the database of store.uri does not answer a trial of the statements that "
                        "a store needs as PostgreSQL does (%zu)",
                        i + 1);
    return OK;
}
