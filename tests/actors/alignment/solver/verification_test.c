// verification_test.c - which scenes several devices, and several users, confirm to relate.
#include "actors/alignment/solver/verification.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { SCENES = 4 };

static struct observation items[8];
static struct observations observations;

static void
begin(void)
{
    observations = (struct observations){.items = items};
}

TestSuite(verification, .init = begin);

static struct observation *
see(uint64_t device, uint64_t user, uint32_t a, uint32_t b)
{
    struct observation *item = &items[observations.count++];
    *item =
        (struct observation){.a = a, .b = b, .device = device, .user = user, .is_accepted = true};
    return item;
}

static bool
is_confirmed(uint32_t a, uint32_t b, uint32_t confirm_users)
{
    uint32_t *regions = verification_regions(SCENES, &observations, confirm_users, NULL);
    bool is_one = regions[a] == regions[b];
    free(regions);
    return is_one;
}

Test(verification, two_devices_confirm_a_link)
{
    see(1, 0, 0, 1);
    cr_assert_not(is_confirmed(0, 1, 0));
    see(1, 0, 0, 1);
    cr_assert_not(is_confirmed(0, 1, 0), "the same device again");
    see(2, 0, 0, 1);
    cr_assert(is_confirmed(0, 1, 0));
}

Test(verification, a_cycle_whose_other_links_are_confirmed_confirms)
{
    see(1, 0, 0, 1);
    see(2, 0, 0, 1);
    see(3, 0, 0, 2);
    cr_assert_not(is_confirmed(0, 2, 0));
    see(4, 0, 1, 2);
    cr_assert(is_confirmed(0, 2, 0));
}

Test(verification, devices_must_be_of_enough_users)
{
    see(1, 7, 0, 1);
    see(2, 7, 0, 1);
    cr_assert(is_confirmed(0, 1, 1));
    cr_assert_not(is_confirmed(0, 1, 2));
    see(3, 8, 0, 1);
    cr_assert(is_confirmed(0, 1, 2));
    cr_assert_not(is_confirmed(0, 1, 3));
}

Test(verification, one_device_is_not_enough_where_one_user_is)
{
    see(1, 7, 0, 1);
    cr_assert_not(is_confirmed(0, 1, 1));
}

Test(verification, devices_of_nobody_count_as_users)
{
    see(1, 0, 0, 1);
    see(2, 0, 0, 1);
    cr_assert(is_confirmed(0, 1, 2));
}

Test(verification, what_is_rejected_or_past_confirms_nothing)
{
    see(1, 0, 0, 1);
    see(2, 0, 0, 1)->is_past = true;
    see(3, 0, 0, 1)->is_accepted = false;
    cr_assert_not(is_confirmed(0, 1, 0));
}
