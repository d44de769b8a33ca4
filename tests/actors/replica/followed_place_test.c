// followed_place_test.c - how far a store has copied a leader, as it is written and read.
#include "actors/replica/followed_place.h"

#include <criterion/criterion.h>

#include "actors/replica/replica_family.h"
#include "proto/base/clock.h"
#include "tests/support/tested_store.h"

static struct temporary directory;
static store_t *store;

static void
begin(void)
{
    temporary_init(&directory);
    store = tested_store_open(&directory);
}

static void
end(void)
{
    store_destroy(&store);
    temporary_finish(&directory);
}

TestSuite(followed_place, .init = begin, .fini = end);

static void
write_value(struct bytes value)
{
    const struct key key = key_of_tag(KEY_FOLLOWED);
    const struct store_operation put = {.address = {FAMILY_STREAMER, 0, key_bytes(&key)},
                                        .value = value};
    const struct store_commit commit = {.id = 1, .operations = &put, .operation_count = 1};
    cr_assert_eq(STORE_OK, store_commit(store, &commit, clock_deadline_ms(10000)));
}

Test(followed_place, a_store_that_never_followed_has_none)
{
    struct followed_place place = {FOLLOWED_ONCE, {1, 2}};
    cr_assert_eq(OK, followed_place_read(store, &place));
    cr_assert_eq(FOLLOWED_NOT, place.state);
}

Test(followed_place, what_was_written_is_read)
{
    const struct followed_place written = {FOLLOWED_NOW, {UINT64_C(1) << 52, 77}};
    struct followed_place place;
    cr_assert_eq(OK, followed_place_write(store, &written));
    cr_assert_eq(OK, followed_place_read(store, &place));
    cr_assert_eq(FOLLOWED_NOW, place.state);
    cr_assert_eq(UINT64_C(1) << 52, place.leader.epoch);
    cr_assert_eq(77, place.leader.position);
}

Test(followed_place, one_of_another_size_or_state_is_refused)
{
    struct followed_place place;
    write_value((struct bytes){"\1short", 6});
    cr_assert_eq(ERR_INTERNAL, followed_place_read(store, &place));
    write_value((struct bytes){"\3aaaaaaaabbbbbbbb", 17});
    cr_assert_eq(ERR_INTERNAL, followed_place_read(store, &place));
}
