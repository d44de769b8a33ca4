// store_test.c - the end of a store, fresh versions, errors of results.
#include "store/store.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "proto/message/metrics.h"
#include "tests/support/temporary.h"

Test(store, destroying_none_is_allowed)
{
    store_t *store = NULL;
    store_destroy(&store);
}

Test(store, fresh_versions_are_not_0_and_differ)
{
    store_version_t last = store_version_new();
    cr_assert_neq(last, 0);
    for (int i = 0; i < 1000; i++) {
        store_version_t next = store_version_new();
        cr_assert_neq(next, 0);
        cr_assert_neq(next, last);
        last = next;
    }
}

Test(store, each_result_has_its_error)
{
    // clang-format off
    static const struct { enum store_result result; enum error error; } rows[] = {
        {STORE_OK,          OK},
        {STORE_ABSENT,      ERR_NOT_FOUND},
        {STORE_CONFLICT,    ERR_CONFLICT},
        {STORE_UNAVAILABLE, ERR_UNAVAILABLE},
        {STORE_UNKNOWN,     ERR_UNAVAILABLE},
        {STORE_FULL,        ERR_STORAGE_FULL},
        {STORE_LIMIT,       ERR_TOO_LARGE},
        {STORE_BAD,         ERR_INTERNAL},
    };
    // clang-format on
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(store_error(rows[i].result), rows[i].error);
}
