// top_values_test.c - numbers as `diorama top` shows them.
#include "tools/cli/top_values.h"

#include <criterion/criterion.h>
#include <math.h>

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(top_values, .fini = finish);

static struct top_span
span_of(const char *text)
{
    const struct json *json;
    cr_assert_eq(json_parse(&arena, text, strlen(text), &json), OK);
    return top_span_of(json);
}

static void
assert_put(const char *expected, double value, const char *unit)
{
    out.size = 0;
    top_value_put(&out, value, unit);
    buffer_put_char(&out, '\0');
    cr_expect_str_eq(out.data, expected);
}

Test(top_values, span_has_the_newest_the_mean_and_the_largest)
{
    struct top_span span = span_of("[1, 6.5, 3]");
    cr_assert_eq(span.now, 3);
    cr_assert_eq(span.mean, 3.5);
    cr_assert_eq(span.most, 6.5);
}

Test(top_values, what_was_not_measured_counts_for_nothing)
{
    struct top_span span = span_of("[null, -2, -4, null]");
    cr_assert(isnan(span.now));
    cr_assert_eq(span.mean, -3);
    cr_assert_eq(span.most, -2);
}

Test(top_values, empty_series_has_no_numbers)
{
    struct top_span span = span_of("[]");
    cr_assert(isnan(span.now) && isnan(span.mean) && isnan(span.most));
}

Test(top_values, rates_have_three_digits_that_say_something)
{
    assert_put("0 /s", 0, "1/s");
    assert_put("0.25 /s", 0.25, "1/s");
    assert_put("12.3 /s", 12.34, "1/s");
    assert_put("1235 /s", 1234.6, "1/s");
}

Test(top_values, units_stand_behind_their_numbers)
{
    assert_put("1.50 ms", 1.5, "ms");
    assert_put("7 %", 7, "%");
    assert_put("42", 42, "");
    assert_put("-", NAN, "ms");
}

Test(top_values, bytes_are_shown_in_the_unit_that_fits)
{
    assert_put("1023 B", 1023, "bytes");
    assert_put("1.0 KiB", 1024, "bytes");
    assert_put("128 MiB", 128.0 * 1024 * 1024, "bytes");
    assert_put("3072 TiB", 3072.0 * 1024 * 1024 * 1024 * 1024, "bytes");
}
