// due_count_test.c - what users pay for in a library, counted anew and compared with what its actor
// has stored.
#include "actors/runtime/due_count.h"

#include <criterion/criterion.h>

#include "actors/repository/repository.h"
#include "proto/base/clock.h"
#include "tests/support/library_service.h"

#define ANNA .role = CALLER_USER, .user = "aaaaaaaaaaaaaaaaaaaaaaaa"
#define BERT .role = CALLER_USER, .user = "bbbbbbbbbbbbbbbbbbbbbbbb"

enum { WAIT_MS = 10000 };

static void
fill(struct library *library)
{
    struct library_id first = MAKE(library, ASSET_CREATE, ANNA, .records = "{}", .bytes = "abc");
    MAKE(library, ASSET_UPDATE, ANNA, .asset = first.chars, .records = "{}", .bytes = "de");
    MAKE(library, PROJECT_CREATE, BERT, .records = "{'name':'p'}");
    struct library_id gone = MAKE(library, PROJECT_CREATE, ANNA, .records = "{'name':'q'}");
    MAKE(library, RELATIONSHIP_PUT, ANNA,
         .records = "{'assetId':'x','relationshipType':'t','relatedId':'y'}");
    cr_assert_eq(DO(library, PROJECT_DELETE, ANNA, .project = gone.chars), OK);
}

// How many sums differ from what is stored; they are mended.
static uint64_t
count(struct library *library)
{
    const struct due_family family = asset_actor_dues();
    uint64_t mended;
    cr_assert_eq(due_count(library->store, &family, &mended), OK);
    return mended;
}

static void
put(struct library *library, const char *key, const char *value)
{
    const struct store_operation operation = {.address = {FAMILY_ASSET, 0, {key, strlen(key)}},
                                              .value = {value, value ? strlen(value) : 0},
                                              .is_delete = !value};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &operation, .operation_count = 1};
    cr_assert_eq(store_commit(library->store, &commit, clock_deadline_ms(WAIT_MS)), STORE_OK);
}

LIBRARY_TEST(due_count, an_actor_stores_the_sums_of_its_records)
{
    fill(library);
    cr_assert_eq(count(library), 0);
    library_restart(library);
    const struct repository *repository = (const struct repository *)(void *)library->actor;
    cr_assert_eq(due_sums_count(&repository->dues, 'A', "aaaaaaaaaaaaaaaaaaaaaaaa"), 2);
    cr_assert_eq(due_sums_count(&repository->dues, 'J', "aaaaaaaaaaaaaaaaaaaaaaaa"), 0);
    cr_assert_eq(due_sums_count(&repository->dues, 'J', "bbbbbbbbbbbbbbbbbbbbbbbb"), 1);
    cr_assert_eq(due_sums_count(&repository->dues, 'R', "aaaaaaaaaaaaaaaaaaaaaaaa"), 1);
}

LIBRARY_TEST(due_count, a_commit_that_failed_leaves_the_sums_right)
{
    fill(library);
    library_set_faults(library, "unavailable=1");
    cr_assert_neq(DO(library, PROJECT_CREATE, ANNA, .records = "{'name':'r'}"), OK);
    library_set_faults(library, "");
    MAKE(library, PROJECT_CREATE, ANNA, .records = "{'name':'s'}");
    cr_assert_eq(count(library), 0);
}

LIBRARY_TEST(due_count, sums_that_are_missing_wrong_or_of_nobody_are_mended)
{
    fill(library);
    put(library, "CAaaaaaaaaaaaaaaaaaaaaaaaa", NULL);
    put(library, "CRaaaaaaaaaaaaaaaaaaaaaaaa", "012345670123456701234567");
    put(library, "CJcccccccccccccccccccccccc", "012345670123456701234567");
    cr_assert_eq(count(library), 3);
    cr_assert_eq(count(library), 0);
}

LIBRARY_TEST(due_count, a_store_is_counted_where_the_measure_is_another_and_only_there)
{
    const struct due_family family = asset_actor_dues();
    fill(library);
    cr_assert_eq(due_count_if_needed(library->store, &family), OK);
    put(library, "CAaaaaaaaaaaaaaaaaaaaaaaaa", NULL);
    cr_assert_eq(due_count_if_needed(library->store, &family), OK);
    cr_assert_eq(count(library), 1, "the measure was ours");
    put(library, "CAaaaaaaaaaaaaaaaaaaaaaaaa", NULL);
    put(library, "C", "another.");
    cr_assert_eq(due_count_if_needed(library->store, &family), OK);
    cr_assert_eq(count(library), 0);
}
