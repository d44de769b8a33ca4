// engines.h - the engines that a contract test runs against, and the words such tests are told in.
// A new engine is one more row of `engines` (engines.c). The row of PostgreSQL needs
// tests/support/with_database.
#ifndef DIORAMA_TESTS_SUPPORT_ENGINES_H
#define DIORAMA_TESTS_SUPPORT_ENGINES_H

#include <criterion/parameterized.h>

#include "proto/base/owned.h"
#include "store/store.h"
#include "tests/support/temporary.h"

enum { ENGINE_COUNT = 3, PART = 5 };

// One index per engine: parameters of Criterion must not hold pointers.
extern size_t engine_rows[ENGINE_COUNT];

// An open store in a directory of its own.
struct engine_fixture {
    struct temporary directory;
    size_t row;
    char path[TEMPORARY_PATH_BYTES];
    store_t *store;
};

void engine_fixture_init(struct engine_fixture *self, size_t row);
void engine_fixture_finish(struct engine_fixture *self);

// Closes the store and opens it again.
void engine_fixture_reopen(struct engine_fixture *self);

// A test that runs once for each engine, on its `fixture`.
#define CONTRACT(suite, name)                                                                      \
    static void suite##_##name(struct engine_fixture *fixture);                                    \
    ParameterizedTestParameters(suite, name)                                                       \
    {                                                                                              \
        return cr_make_param_array(size_t, engine_rows, ENGINE_COUNT);                             \
    }                                                                                              \
    ParameterizedTest(const size_t *row, suite, name)                                              \
    {                                                                                              \
        owned(engine_fixture_finish) struct engine_fixture fixture;                                \
        engine_fixture_init(&fixture, *row);                                                       \
        suite##_##name(&fixture);                                                                  \
    }                                                                                              \
    static void suite##_##name(struct engine_fixture *fixture)

// Literals as bytes, addresses of the scene family in PART, and operations there.
#define BYTES(literal) ((struct bytes){(literal), sizeof(literal) - 1})
#define AT(key) ((struct store_address){FAMILY_SCENE, PART, BYTES(key)})
#define PUT(key, literal) ((struct store_operation){.address = AT(key), .value = BYTES(literal)})
#define DELETE(key) ((struct store_operation){.address = AT(key), .is_delete = true})
#define UNBOUNDED ((struct bytes){NULL, 0})

enum store_result commit_one(store_t *store, struct store_operation operation, store_version_t id);

// Puts one record under a fresh version; ends the test where that fails.
void put(store_t *store, struct store_address address, struct bytes value);

// Puts `a` to `d` with the values `1` to `4` in one commit with id 1.
void put_letters(store_t *store);

// End the test where the record is not so; version 0 = any.
void check_record(store_t *store, struct store_address address, store_version_t version,
                  struct bytes expected);
void check_absent(store_t *store, struct store_address address);

// Keys visited, each followed by a blank.
struct visit_log {
    char keys[256];
    size_t size;
    size_t count;
    size_t stop_after; // ends the scan; 0 = never
};

// A store_visitor; the context is a visit_log.
bool visit_log_add(void *log, struct bytes key, store_version_t version, struct bytes value);

#endif
