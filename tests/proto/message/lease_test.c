// lease_test.c - until when answers may be given.
#include "proto/message/lease.h"

#include <criterion/criterion.h>

#include "proto/base/clock.h"

Test(lease, a_process_whose_store_is_its_own_needs_none)
{
    cr_assert(lease_holds());
    cr_assert_not(lease_is_lost());
}

Test(lease, it_holds_until_its_time_and_again_when_it_is_extended)
{
    lease_extend(clock_boot_ms() + 60000);
    cr_assert(lease_holds());
    lease_extend(clock_boot_ms());
    cr_assert_not(lease_holds());
    cr_assert_not(lease_is_lost());
    lease_extend(clock_boot_ms() + 60000);
    cr_assert(lease_holds());
}

Test(lease, one_that_is_lost_never_holds_again)
{
    lease_lose();
    lease_extend(clock_boot_ms() + 60000);
    cr_assert_not(lease_holds());
    cr_assert(lease_is_lost());
}

Test(lease, feeds_go_on_for_a_while_without_it)
{
    cr_assert_not(lease_is_needed());
    cr_assert_not(lease_is_blind());
    lease_extend(clock_boot_ms());
    cr_assert(lease_is_needed());
    cr_assert_not(lease_holds());
    cr_assert_not(lease_is_blind());
    lease_extend(clock_boot_ms() - LEASE_BLIND_MS);
    cr_assert(lease_is_blind());
    lease_extend(clock_boot_ms() + 60000);
    cr_assert_not(lease_is_blind());
}

Test(lease, how_long_that_is_may_be_said)
{
    lease_set_blind(0);
    lease_extend(clock_boot_ms());
    cr_assert(lease_is_blind());
}

Test(lease, without_hope_feeds_end_at_once)
{
    lease_extend(clock_boot_ms() + 60000);
    lease_lose();
    cr_assert(lease_is_blind());
}

Test(lease, what_others_wait_is_longer_than_it_by_more_than_clocks_may_differ)
{
    cr_assert_geq(LEASE_SILENT_MS * 10, LEASE_MS * 14); // 40 %
    cr_assert_geq(LEASE_MS, 2 * LEASE_BEAT_MS);
}
