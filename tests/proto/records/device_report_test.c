// device_report_test.c - places of devices: their order, and what clients make of them.
#include "proto/records/device_report.h"

#include <criterion/criterion.h>

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(device_report, .fini = end);

static void
expect_split(const char *place, const char *scene, const char *device)
{
    const struct text *first, *second;
    device_place_split(&arena, text_from(&arena, place), &first, &second);
    cr_expect_str_eq(text_chars(first), scene);
    cr_expect_str_eq(text_chars(second), device);
}

static const struct text *
place(const char *scene, const char *device)
{
    return device_place(&arena, text_from(&arena, scene), text_from(&arena, device));
}

Test(device_report, a_place_is_split_into_the_keys_it_was_made_of)
{
    expect_split(text_chars(place("a b", "c/d")), "a b", "c/d");
    expect_split("hall", "hall", "");
    expect_split("", "", "");
    expect_split("\t", "", "");
    expect_split("a\tb\tc", "a", "b\tc");
}

Test(device_report, places_are_in_the_order_of_scenes_then_of_devices)
{
    cr_assert_lt(text_compare(place("a", "z"), place("a b", "a")), 0);
    cr_assert_lt(text_compare(place("a", "b"), place("a", "c")), 0);
}
