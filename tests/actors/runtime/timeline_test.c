// timeline_test.c - which places a store went through.
#include "actors/runtime/timeline.h"

#include <criterion/criterion.h>

// Three starts: the first at 0, the second at 100, the third, which runs and is at 250, at 200.
static struct timeline
three_starts(void)
{
    struct timeline timeline = {.count = 0};
    timeline_add(&timeline, 10, 0);
    timeline_add(&timeline, 20, 100);
    timeline_add(&timeline, 30, 200);
    return timeline;
}

Test(timeline, a_start_goes_to_where_the_next_one_began)
{
    struct timeline timeline = three_starts();
    cr_assert(timeline_has(&timeline, 10, 100, 250));
    cr_assert_not(timeline_has(&timeline, 10, 101, 250));
    cr_assert(timeline_has(&timeline, 20, 200, 250));
    cr_assert_not(timeline_has(&timeline, 20, 201, 250));
}

Test(timeline, this_start_goes_to_where_the_store_is)
{
    struct timeline timeline = three_starts();
    cr_assert(timeline_has(&timeline, 30, 250, 250));
    cr_assert_not(timeline_has(&timeline, 30, 251, 250));
}

Test(timeline, a_start_has_all_that_earlier_ones_had)
{
    struct timeline timeline = three_starts();
    cr_assert(timeline_has(&timeline, 30, 5, 250));
}

Test(timeline, a_start_that_it_does_not_know_has_nothing)
{
    struct timeline timeline = three_starts();
    cr_assert_not(timeline_has(&timeline, 15, 0, 250));
}

Test(timeline, the_oldest_go)
{
    struct timeline timeline = {.count = 0};
    for (unsigned i = 0; i <= TIMELINE_STARTS; i++)
        timeline_add(&timeline, i + 1, i);
    cr_assert_eq(timeline.count, TIMELINE_STARTS);
    cr_assert_not(timeline_has(&timeline, 1, 0, 1000));
    cr_assert(timeline_has(&timeline, 2, 0, 1000));
    cr_assert(timeline_has(&timeline, TIMELINE_STARTS + 1, 1000, 1000));
}
