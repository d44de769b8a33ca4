// list_time_test.c - instants and intervals that a request names.
#include "proto/message/list_time.h"

#include <criterion/criterion.h>

static struct arena arena;
static struct list_time when;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(list_time, .fini = end);

static void
expect(int64_t from, int64_t to, const char *chars)
{
    cr_assert_eq(OK, list_time_read(text_from(&arena, chars), &when), "%s", chars);
    cr_assert_eq(from, when.from, "%s: %lld", chars, (long long)when.from);
    cr_assert_eq(to, when.to, "%s: %lld", chars, (long long)when.to);
}

Test(list_time, an_instant_is_its_second)
{
    expect(0, 999999, "1970-01-01T00:00:00Z");
    expect(1700000000000000, 1700000000999999, "2023-11-14t22:13:20z");
    expect(-1000000, -1, "1969-12-31T23:59:59Z");
}

Test(list_time, a_fraction_is_exact_to_the_microsecond)
{
    expect(250000, 250000, "1970-01-01T00:00:00.25Z");
    expect(123456, 123456, "1970-01-01T00:00:00.1234567Z");
}

Test(list_time, zones_are_east_of_utc)
{
    expect(0, 999999, "1970-01-01T01:30:00+01:30");
    expect(0, 999999, "1969-12-31T23:00:00-01:00");
}

Test(list_time, an_interval_has_both_its_ends)
{
    expect(0, 2999999, "1970-01-01T00:00:00Z/1970-01-01T00:00:02Z");
}

Test(list_time, one_end_may_be_open)
{
    expect(INT64_MIN, 999999, "../1970-01-01T00:00:00Z");
    expect(INT64_MIN, 999999, "/1970-01-01T00:00:00Z");
    expect(0, INT64_MAX, "1970-01-01T00:00:00Z/..");
    expect(0, INT64_MAX, "1970-01-01T00:00:00Z/");
}

Test(list_time, a_leap_second_is_taken)
{
    expect(1483228800000000, 1483228800999999, "2016-12-31T23:59:60Z");
}

Test(list_time, what_is_no_time_is_refused)
{
    static const char *const wrong[] = {
        "../..",
        "/",
        "..",
        "now",
        "2026-11-28",
        "2026-11-28T12:00:00",
        "2026-02-30T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00Zx",
        "2026-1-1T00:00:00Z",
        "2026-01-01 00:00:00Z",
        "-026-01-01T00:00:00Z",
        "2026-01-01T00:00:00+0100",
        "1970-01-01T00:00:02Z/1970-01-01T00:00:00Z",
        "1970-01-01T00:00:00Z/1970-01-01T00:00:01Z/1970-01-01T00:00:02Z"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct fault fault;
        cr_assert_eq(ERR_INVALID, list_time_read(text_from(&arena, wrong[i]), &when), "%s",
                     wrong[i]);
        fault_take(ERR_INVALID, &fault);
        cr_assert_str_eq("/datetime", fault.pointer);
    }
    cr_assert_eq(ERR_INVALID,
                 list_time_read(text_new(&arena, "1970-01-01T00:00:00Z\0x", 22), &when));
}
