// stream_dues_test.c - who is due next, of many.
#include "gateway/events/stream_dues.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct stream_dues dues;

static void
end(void)
{
    stream_dues_finish(&dues);
}

TestSuite(stream_dues, .fini = end);

Test(stream_dues, first_is_who_is_due_first)
{
    struct stream_due late = {0}, soon = {0};
    cr_assert_null(stream_dues_first(&dues));
    stream_dues_set(&dues, &late, 20);
    stream_dues_set(&dues, &soon, 10);
    cr_assert_eq(stream_dues_first(&dues), &soon);
    stream_dues_set(&dues, &soon, 30);
    cr_assert_eq(stream_dues_first(&dues), &late);
    stream_dues_remove(&dues, &late);
    stream_dues_remove(&dues, &late);
    cr_assert_eq(stream_dues_first(&dues), &soon);
}

Test(stream_dues, all_come_in_the_order_of_their_times_whatever_was_changed_before)
{
    enum { COUNT = 500 };
    static struct stream_due all[COUNT];
    unsigned left = 0;
    srand(7);
    for (unsigned round = 0; round < 4; round++)
        for (unsigned i = 0; i < COUNT; i++) {
            stream_dues_set(&dues, &all[i], (uint64_t)rand() % 1000);
            if (rand() % 4 == 0)
                stream_dues_remove(&dues, &all[i]);
        }
    for (unsigned i = 0; i < COUNT; i++)
        left += all[i].place != 0;
    uint64_t last = 0;
    for (struct stream_due *due; (due = stream_dues_first(&dues)) != NULL; left--) {
        cr_assert_geq(due->at_us, last);
        last = due->at_us;
        stream_dues_remove(&dues, due);
    }
    cr_assert_eq(left, 0);
}
