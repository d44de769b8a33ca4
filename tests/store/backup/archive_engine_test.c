// archive_engine_test.c - which stores may be filled.
#include "store/backup/archive_engine.h"

#include <criterion/criterion.h>

#include "store/fence.h"
#include "tests/support/engines.h"

CONTRACT(archive_engine, a_store_without_records_is_empty)
{
    cr_assert_eq(archive_engine_check_empty(fixture->store), OK);
}

CONTRACT(archive_engine, one_that_says_only_who_writes_is_empty)
{
    const struct key marker = key_of_number(KEY_COMMIT, 0);
    put(fixture->store, fence_place(), BYTES(""));
    put(fixture->store, (struct store_address){FAMILY_USER, COMMIT_PART, key_bytes(&marker)},
        BYTES(""));
    cr_assert_eq(archive_engine_check_empty(fixture->store), OK);
}

CONTRACT(archive_engine, one_record_behind_those_makes_it_not_empty)
{
    const struct key marker = key_of_number(KEY_COMMIT, 0);
    put(fixture->store, (struct store_address){FAMILY_USER, COMMIT_PART, key_bytes(&marker)},
        BYTES(""));
    put(fixture->store, (struct store_address){FAMILY_USER, COMMIT_PART, BYTES("Zz")}, BYTES(""));
    cr_assert_eq(archive_engine_check_empty(fixture->store), ERR_CONFLICT);
}
