// postgres_test.c - what is PostgreSQL's alone: starts that are refused, connections that break,
// scans over many pages. What each engine must do: tests/store/store_contract_test.c.
#include "store/postgres/postgres.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "tests/support/database.h"
#include "tests/support/engines.h"

enum { POSTGRES_ROW = 2, SHORT_MS = 300 };

static struct engine_fixture fixture;
static char uri[DATABASE_URI_BYTES];

static void
begin(void)
{
    engine_fixture_init(&fixture, POSTGRES_ROW);
    database_uri_of(fixture.path, uri);
}

static void
end(void)
{
    if (fixture.store)
        engine_fixture_finish(&fixture);
}

TestSuite(postgres, .init = begin, .fini = end);

static void
check_refusal(const char *where, bool allow_async, enum error error, const char *word)
{
    store_t *store = NULL;
    cr_assert_eq(postgres_open(NULL, where, allow_async, &store), error);
    cr_assert_null(store);
    cr_assert_not_null(strstr(fault_last()->detail, word), "%s", fault_last()->detail);
}

// ---------------------------------------------------------------- starts

Test(postgres, a_database_without_a_standby_in_step_is_refused_unless_that_is_meant)
{
    store_destroy(&fixture.store);
    check_refusal(uri, false, ERR_UNAVAILABLE, "store.allow_async=true");
}

// Each write to the table of records is an error.
Test(postgres, who_opens_it_writes_nothing)
{
    store_destroy(&fixture.store);
    database_run(uri, "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
                      "'BEGIN RAISE EXCEPTION ''written''; END'");
    database_run(uri, "CREATE TRIGGER refusal BEFORE INSERT OR UPDATE OR DELETE ON diorama_record "
                      "FOR EACH STATEMENT EXECUTE FUNCTION refuse()");
    engine_fixture_reopen(&fixture);
    cr_assert_eq(commit_one(fixture.store, PUT("key", "1"), 9), STORE_UNAVAILABLE);
}

Test(postgres, another_process_may_have_it_open_too)
{
    store_t *other = NULL;
    put(fixture.store, AT("key"), BYTES("1"));
    cr_assert_eq(postgres_open(NULL, uri, true, &other), OK, "%s", fault_last()->detail);
    cr_assert(other->is_shared);
    check_record(other, AT("key"), 0, BYTES("1"));
    store_destroy(&other);
}

Test(postgres, tables_of_another_layout_are_refused_and_stay_as_they_are)
{
    put(fixture.store, AT("key"), BYTES("value"));
    store_destroy(&fixture.store);
    database_run(uri, "UPDATE diorama_meta SET value = '2' WHERE name = 'layout'");
    check_refusal(uri, true, ERR_UNAVAILABLE, "layout 2, this one knows 1");
    database_run(uri, "UPDATE diorama_meta SET value = '1' WHERE name = 'layout'");
    engine_fixture_reopen(&fixture);
    check_record(fixture.store, AT("key"), 0, BYTES("value"));
}

Test(postgres, one_of_the_tables_without_the_other_is_refused)
{
    store_destroy(&fixture.store);
    database_run(uri, "DROP TABLE diorama_meta");
    check_refusal(uri, true, ERR_UNAVAILABLE, "without the other");
}

Test(postgres, a_read_only_database_is_refused)
{
    char read_only[DATABASE_URI_BYTES + 64];
    store_destroy(&fixture.store);
    snprintf(read_only, sizeof read_only, "%s%%20-cdefault_transaction_read_only%%3Don", uri);
    check_refusal(read_only, true, ERR_UNAVAILABLE, "read-only");
}

Test(postgres, a_wrong_password_is_refused_and_not_told)
{
    char wrong[DATABASE_URI_BYTES + 64];
    const char *host = strchr(uri, '@');
    cr_assert_not_null(host);
    snprintf(wrong, sizeof wrong, "postgresql://diorama:wr0ng%s", host);
    check_refusal(wrong, true, ERR_UNAVAILABLE, "password authentication failed");
    cr_assert_null(strstr(fault_last()->detail, "wr0ng"));
}

Test(postgres, a_start_leaves_no_record)
{
    struct visit_log log = {0};
    cr_assert_eq(store_scan(fixture.store, FAMILY_FORMAT, 1, UNBOUNDED, UNBOUNDED, false, 0, 0,
                            visit_log_add, &log),
                 STORE_OK);
    cr_assert_eq(log.count, 0);
}

// ---------------------------------------------------------------- scans

enum { MANY = 2500, KEY_BYTES = 12 };

static void
put_many(store_t *store)
{
    static char keys[MANY][KEY_BYTES];
    struct store_operation *operations = memory_take_zeroed(MANY * sizeof *operations);
    for (int i = 0; i < MANY; i++) {
        snprintf(keys[i], sizeof keys[i], "%04d", i);
        operations[i] = (struct store_operation){.address = {FAMILY_SCENE, PART, {keys[i], 4}},
                                                 .value = BYTES("v")};
    }
    struct store_commit commit = {.id = 7, .operations = operations, .operation_count = MANY};
    cr_assert_eq(store_commit(store, &commit, 0), STORE_OK);
    free(operations);
}

struct counting {
    int next, step, count, stop_after;
};

static bool
count(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct counting *self = context;
    char expected[KEY_BYTES];
    snprintf(expected, sizeof expected, "%04d", self->next);
    cr_assert(key.size == 4 && memcmp(key.data, expected, 4) == 0, "not %s", expected);
    cr_assert(version == 7 && value.size == 1);
    self->next += self->step;
    return ++self->count != self->stop_after;
}

static void
check_count(bool backward, size_t limit, int stop_after, int expected)
{
    struct counting counting = {
        .next = backward ? MANY - 1 : 0, .step = backward ? -1 : 1, .stop_after = stop_after};
    cr_assert_eq(store_scan(fixture.store, FAMILY_SCENE, PART, UNBOUNDED, UNBOUNDED, backward,
                            limit, 0, count, &counting),
                 STORE_OK);
    cr_assert_eq(counting.count, expected);
}

Test(postgres, a_scan_visits_all_pages_once_in_order)
{
    put_many(fixture.store);
    check_count(false, 0, 0, MANY);
    check_count(true, 0, 0, MANY);
    check_count(false, 1064, 0, 1064);
    check_count(true, 1065, 0, 1065);
    check_count(false, 0, 65, 65);
    check_count(true, 0, 1500, 1500);
}

// Of the ranges the first and the third are more than a page, in either direction.
static const struct store_range wide_and_narrow[] = {
    {BYTES("0000"), BYTES("0100")},
    {BYTES("0200"), BYTES("0203")},
    {BYTES("1000"), BYTES("2100")},
    {BYTES("2200"), BYTES("2201")},
};
enum { IN_RANGES = 100 + 3 + 1100 + 1 };

static bool
note_number(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct counting *self = context;
    char text[KEY_BYTES] = "";
    (void)version;
    (void)value;
    memcpy(text, key.data, key.size);
    int number = (int)strtol(text, NULL, 10);
    cr_assert(self->count == 0 || (number - self->next) * self->step > 0, "%d after %d", number,
              self->next);
    self->next = number;
    return ++self->count != self->stop_after;
}

static int
count_ranges(bool backward, size_t limit, int stop_after)
{
    struct counting counting = {.step = backward ? -1 : 1, .stop_after = stop_after};
    const struct store_scan scan = {.family = FAMILY_SCENE,
                                    .part = PART,
                                    .ranges = wide_and_narrow,
                                    .range_count = 4,
                                    .backward = backward,
                                    .limit = limit};
    cr_assert_eq(store_scan_ranges(fixture.store, &scan, 0, note_number, &counting), STORE_OK);
    return counting.count;
}

Test(postgres, a_scan_of_several_ranges_visits_each_record_once_in_order)
{
    put_many(fixture.store);
    for (int backward = 0; backward < 2; backward++) {
        cr_assert_eq(count_ranges(backward, 0, 0), IN_RANGES);
        cr_assert_eq(count_ranges(backward, 102, 0), 102);
        cr_assert_eq(count_ranges(backward, 1203, 0), 1203);
        cr_assert_eq(count_ranges(backward, 5, 0), 5);
        cr_assert_eq(count_ranges(backward, 0, 64), 64);
        cr_assert_eq(count_ranges(backward, 0, 1102), 1102);
    }
}

// ---------------------------------------------------------------- connections

// Its connections have a name of their own: other tests use the database too.
static void
open_named(const char *name, store_t **ret_store)
{
    char named[DATABASE_URI_BYTES + 64];
    snprintf(named, sizeof named, "%s&application_name=%s", uri, name);
    cr_assert_eq(postgres_open(NULL, named, true, ret_store), OK, "%s", fault_last()->detail);
}

static void
end_connections(const char *name)
{
    char sql[256];
    snprintf(sql, sizeof sql,
             "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
             "WHERE application_name = '%s'",
             name);
    database_run(uri, sql);
}

Test(postgres, connections_that_the_server_ended_are_made_again)
{
    owned(store_destroy) store_t *store = NULL;
    open_named("ended", &store);
    put(store, AT("key"), BYTES("1"));
    end_connections("ended");
    check_record(store, AT("key"), 0, BYTES("1"));
    put(store, AT("key"), BYTES("2"));
    check_record(store, AT("key"), 0, BYTES("2"));
}

Test(postgres, a_commit_is_not_lost_to_connections_that_the_server_ended_while_they_were_idle)
{
    owned(store_destroy) store_t *store = NULL;
    open_named("idle", &store);
    put(store, AT("key"), BYTES("1"));
    end_connections("idle");
    cr_assert_eq(commit_one(store, PUT("key", "2"), 9), STORE_OK);
}

// The temporary table of the trial must be the one that is found.
Test(postgres, a_start_writes_nothing_whatever_the_search_path)
{
    char path[DATABASE_URI_BYTES + 64];
    store_t *other = NULL;
    database_run(uri, "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
                      "'BEGIN RAISE EXCEPTION ''written''; END'");
    database_run(uri, "CREATE TRIGGER refusal BEFORE INSERT OR UPDATE OR DELETE ON diorama_record "
                      "FOR EACH STATEMENT EXECUTE FUNCTION refuse()");
    snprintf(path, sizeof path, "%s%%2Cpg_temp", uri);
    cr_assert_eq(postgres_open(NULL, path, true, &other), OK, "%s", fault_last()->detail);
    store_destroy(&other);
}

// A lock that nobody gives back: as a server that hangs.
Test(postgres, a_commit_that_is_not_answered_by_its_deadline_is_unknown)
{
    put(fixture.store, AT("key"), BYTES("1"));
    database_hold(uri, "LOCK TABLE diorama_record");
    struct store_operation operation = PUT("key", "2");
    struct store_commit commit = {.id = 9, .operations = &operation, .operation_count = 1};
    uint64_t begin_ms = clock_now_ms();
    cr_assert_eq(store_commit(fixture.store, &commit, clock_deadline_ms(SHORT_MS)), STORE_UNKNOWN);
    cr_assert_lt(clock_now_ms() - begin_ms, SHORT_MS + 2000);
    const struct store_address address = AT("key");
    store_version_t version;
    void *value;
    size_t size;
    cr_assert_eq(
        store_get(fixture.store, &address, clock_deadline_ms(SHORT_MS), &version, &value, &size),
        STORE_UNAVAILABLE);
    database_release();
    operation.value = BYTES("3");
    cr_assert_eq(store_commit(fixture.store, &commit, clock_deadline_ms(60000)), STORE_OK);
    check_record(fixture.store, AT("key"), 9, BYTES("3"));
}

Test(postgres, tables_that_are_gone_are_damage)
{
    put(fixture.store, AT("key"), BYTES("1"));
    database_run(uri, "DROP TABLE diorama_record");
    struct store_operation operation = PUT("key", "2");
    cr_assert_eq(commit_one(fixture.store, operation, 9), STORE_BAD);
}

Test(postgres, what_a_database_does_itself_is_refused)
{
    uint64_t position = 77;
    cr_assert_eq(store_checkpoint(fixture.store, "/nowhere"), STORE_BAD);
    cr_assert_eq(store_position(fixture.store, &position), STORE_BAD);
    cr_assert_eq(store_changes(fixture.store, 0, 1, NULL, NULL), STORE_BAD);
    cr_assert_eq(position, 77);
}
