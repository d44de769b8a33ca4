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

Test(lease, what_others_wait_is_longer_than_it_by_more_than_clocks_may_differ)
{
    cr_assert_geq(LEASE_SILENT_MS * 10, LEASE_MS * 14); // 40 %
    cr_assert_geq(LEASE_MS, 2 * LEASE_BEAT_MS);
}
