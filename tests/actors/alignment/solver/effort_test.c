// effort_test.c - work that is counted down, and a solve that is broken off.
#include "actors/alignment/solver/effort.h"

#include <criterion/criterion.h>
#include <stddef.h>

Test(effort, it_is_over_when_all_is_spent)
{
    struct effort effort = {.left = 10};
    cr_assert(effort_spend(&effort, 9));
    cr_assert_not(effort_is_over(&effort));
    cr_assert_not(effort_spend(&effort, 1));
    cr_assert(effort_is_over(&effort));
    cr_assert_not(effort_is_stopped(&effort));
}

Test(effort, it_is_over_when_somebody_stops_it)
{
    atomic_bool stop = false;
    struct effort effort = {.stop = &stop, .left = 10};
    cr_assert(effort_spend(&effort, 1));
    atomic_store(&stop, true);
    cr_assert(effort_is_stopped(&effort));
    cr_assert(effort_is_over(&effort));
    cr_assert_not(effort_spend(&effort, 1));
}

Test(effort, exhausted_is_not_stopped)
{
    struct effort effort = {.left = 10};
    effort_exhaust(&effort);
    cr_assert(effort_is_over(&effort));
    cr_assert_not(effort_is_stopped(&effort));
}

Test(effort, none_has_no_bounds)
{
    cr_assert(effort_spend(NULL, 1e300));
    effort_exhaust(NULL);
    cr_assert_not(effort_is_over(NULL));
    cr_assert_not(effort_is_stopped(NULL));
}
