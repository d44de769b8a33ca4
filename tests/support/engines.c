// engines.c - see the header.
#include "tests/support/engines.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "store/fault.h"
#include "store/postgres/postgres.h"
#include "store/rocks.h"
#include "tests/support/database.h"

static void
open_rocks(const char *path, store_t **ret_store)
{
    cr_assert_eq(rocks_open(path, true, false, ret_store), OK, "%s", fault_last()->detail);
}

static void
open_fault(const char *path, store_t **ret_store)
{
    store_t *inner = NULL;
    open_rocks(path, &inner);
    cr_assert_eq(fault_wrap(&inner, "", ret_store), OK, "%s", fault_last()->detail);
    cr_assert_null(inner);
}

static void
open_postgres(const char *path, store_t **ret_store)
{
    char uri[DATABASE_URI_BYTES];
    if (!database_is_there())
        cr_skip_test("no PostgreSQL: run it by tests/support/with_database");
    database_uri_of(path, uri);
    cr_assert_eq(postgres_open(NULL, uri, true, ret_store), OK, "%s", fault_last()->detail);
}

static void (*const engines[ENGINE_COUNT])(const char *path, store_t **ret_store) = {
    open_rocks,
    open_fault,
    open_postgres,
};

size_t engine_rows[ENGINE_COUNT] = {0, 1, 2};

void
engine_fixture_init(struct engine_fixture *self, size_t row)
{
    *self = (struct engine_fixture){.row = row};
    temporary_init(&self->directory);
    temporary_path(&self->directory, "store", self->path);
    engines[row](self->path, &self->store);
}

void
engine_fixture_finish(struct engine_fixture *self)
{
    store_destroy(&self->store);
    temporary_finish(&self->directory);
}

void
engine_fixture_reopen(struct engine_fixture *self)
{
    store_destroy(&self->store);
    cr_assert_null(self->store);
    engines[self->row](self->path, &self->store);
}

enum store_result
commit_one(store_t *store, struct store_operation operation, store_version_t id)
{
    struct store_commit commit = {.id = id, .operations = &operation, .operation_count = 1};
    return store_commit(store, &commit, 0);
}

void
put(store_t *store, struct store_address address, struct bytes value)
{
    struct store_operation operation = {.address = address, .value = value};
    cr_assert_eq(commit_one(store, operation, store_version_new()), STORE_OK);
}

void
put_letters(store_t *store)
{
    const struct store_operation operations[] = {PUT("c", "3"), PUT("a", "1"), PUT("d", "4"),
                                                 PUT("b", "2")};
    struct store_commit commit = {.id = 1, .operations = operations, .operation_count = 4};
    cr_assert_eq(store_commit(store, &commit, 0), STORE_OK);
}

void
check_record(store_t *store, struct store_address address, store_version_t version,
             struct bytes expected)
{
    store_version_t found = 0;
    void *value = NULL;
    size_t size = 0;
    cr_assert_eq(store_get(store, &address, 0, &found, &value, &size), STORE_OK);
    cr_assert_eq(size, expected.size);
    cr_assert(size == 0 || memcmp(value, expected.data, size) == 0);
    if (version)
        cr_assert_eq(found, version);
    free(value);
}

void
check_absent(store_t *store, struct store_address address)
{
    store_version_t version = 77;
    void *value = &version;
    size_t size = 88;
    cr_assert_eq(store_get(store, &address, 0, &version, &value, &size), STORE_ABSENT);
    cr_assert(version == 77 && value == &version && size == 88, "an output was touched");
}

bool
visit_log_add(void *log, struct bytes key, store_version_t version, struct bytes value)
{
    struct visit_log *self = log;
    cr_assert_neq(version, 0);
    cr_assert(value.size == 0 || value.data);
    cr_assert_lt(self->size + key.size + 1, sizeof self->keys);
    memcpy(self->keys + self->size, key.data, key.size);
    self->size += key.size;
    self->keys[self->size++] = ' ';
    return ++self->count != self->stop_after;
}
