// calendar_time_test.c - times as people write them.
#include "tools/cli/calendar_time.h"

#include <criterion/criterion.h>

static void
check(uint64_t expected_us, const char *text)
{
    uint64_t time_us = 0;
    cr_assert(calendar_time_read(text, &time_us), "%s", text);
    cr_assert_eq(time_us, expected_us, "%s: %llu", text, (unsigned long long)time_us);
}

Test(calendar_time, is_read_with_a_zone_and_a_fraction)
{
    check(1000000, "1970-01-01T00:00:01Z");
    check(1500000, "1970-01-01T00:00:01.5Z");
    check(1000001, "1970-01-01T00:00:01.000001Z");
    check(1000001, "1970-01-01T00:00:01.0000019Z");
    check(1000000, "1970-01-01T01:00:01+01:00");
    check(3601000000, "1970-01-01T00:30:01-00:30");
    check(1795547051512000, "2026-11-24T19:04:11.512Z");
}

Test(calendar_time, that_is_none_is_refused)
{
    static const char *const bad[] = {"",
                                      "now",
                                      "2026-11-24",
                                      "2026-11-24T19:04:11",
                                      "2026-11-24T19:04:11Zoo",
                                      "2026-11-24T19:04:11.Z",
                                      "2026-11-24T19:04:11+1:00",
                                      "2026-11-24T19:04:11+01:00x",
                                      "2026-11-24T19:04:11+01:60",
                                      "2026-02-30T19:04:11Z",
                                      "2026-13-24T19:04:11Z",
                                      "1969-12-31T23:59:59Z",
                                      " 2026-11-24T19:04:11Z"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t time_us = 7;
        cr_assert_not(calendar_time_read(bad[i], &time_us), "%s", bad[i]);
        cr_assert_eq(time_us, 7);
    }
}
