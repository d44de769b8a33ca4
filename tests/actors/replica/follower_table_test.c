// follower_table_test.c - followers are known by their identities, eight at a time.
#include "actors/replica/follower_table.h"

#include <criterion/criterion.h>

#include "proto/message/metrics.h"

static struct follower_table table;

static struct follower *
take(unsigned char number, uint64_t now_ms)
{
    const struct follower_identity identity = {.bytes = {number}, .size = 1};
    return follower_table_take(&table, &identity, now_ms);
}

Test(follower_table, one_that_asks_again_has_its_place)
{
    struct follower *place = take(1, 0);
    cr_assert_not_null(place);
    cr_assert_neq(take(2, 0), place);
    cr_assert_eq(take(1, 5), place);
    cr_assert_eq(place->heard_ms, 5);
}

Test(follower_table, a_ninth_has_no_place)
{
    for (unsigned char i = 0; i < FOLLOWERS; i++)
        cr_assert_not_null(take(i, 0));
    cr_assert_null(take(FOLLOWERS, FOLLOWER_IDLE_MS - 1));
    cr_assert_eq(counter_get(GAUGE_REPLICA_FOLLOWERS), FOLLOWERS);
}

Test(follower_table, one_that_is_idle_gives_its_place_up)
{
    for (unsigned char i = 0; i < FOLLOWERS; i++)
        cr_assert_not_null(take(i, i == 3));
    cr_assert_not_null(take(FOLLOWERS, FOLLOWER_IDLE_MS));
    cr_assert_eq(take(3, FOLLOWER_IDLE_MS)->heard_ms, FOLLOWER_IDLE_MS);
}

Test(follower_table, one_that_waits_keeps_its_place)
{
    for (unsigned char i = 0; i < FOLLOWERS; i++)
        take(i, 0)->is_waiting = true;
    cr_assert_null(take(FOLLOWERS, 10 * FOLLOWER_IDLE_MS));
    cr_assert(follower_table_is_waiting(&table));
}

Test(follower_table, who_is_idle_is_forgotten_and_not_counted)
{
    take(1, 0);
    take(2, 1);
    follower_table_forget(&table, FOLLOWER_IDLE_MS);
    cr_assert_eq(counter_get(GAUGE_REPLICA_FOLLOWERS), 1);
    follower_table_finish(&table);
    cr_assert_eq(counter_get(GAUGE_REPLICA_FOLLOWERS), 0);
}

Test(follower_table, nobody_is_without_an_identity)
{
    cr_assert_null(follower_table_take(&table, &(struct follower_identity){.size = 0}, 0));
}
