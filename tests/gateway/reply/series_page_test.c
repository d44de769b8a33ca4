// series_page_test.c - the JSON of series.
#include "gateway/reply/series_page.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/arena.h"
#include "proto/base/error.h"
#include "proto/codec/json_text.h"
#include "proto/message/metrics.h"
#include "proto/message/series.h"
#include "proto/records/params.h"

static struct buffer out;
static struct arena arena;

static void
finish(void)
{
    buffer_finish(&out);
    arena_finish(&arena);
}

TestSuite(series_page, .fini = finish);

static fallible
ask(const char *names, int64_t seconds)
{
    struct params *params = (struct params *)(void *)record_new(&arena, &params_schema);
    if (names)
        record_set_text(&params->base, PARAMS_SERIES, text_from(&arena, names));
    if (seconds)
        record_set_integer(&params->base, PARAMS_SECONDS, seconds);
    buffer_clear(&out);
    return series_page_print(&(struct probe){.params = params}, &out);
}

// The answer but for `until_us`, which is the calendar's.
static const char *
say(const char *names, int64_t seconds)
{
    cr_assert_eq(ask(names, seconds), OK);
    buffer_put_char(&out, '\0');
    return strstr(out.data, "\"units\"");
}

Test(series_page, those_that_are_named_are_told_in_the_order_of_the_table)
{
    series_sample(1000);
    counter_add(COUNT_EVENTS, 3);
    series_sample(3000);
    cr_assert_str_eq(say("events,commit_p99", 2),
                     "\"units\":{\"commit_p99\":\"ms\",\"events\":\"1/s\"},"
                     "\"series\":{\"commit_p99\":[null,null],\"events\":[null,1.5]}}");
}

Test(series_page, before_the_first_sample_arrays_are_empty)
{
    cr_assert_str_eq(say("events", 0),
                     "\"units\":{\"events\":\"1/s\"},\"series\":{\"events\":[]}}");
}

Test(series_page, without_names_all_are_told)
{
    const struct json *page;
    cr_assert_eq(ask(NULL, 0), OK);
    cr_assert_eq(json_parse(&arena, out.data, out.size, &page), OK);
    cr_assert_eq(json_find(page, "series")->count, series_count);
    cr_assert_eq(json_find(page, "units")->count, series_count);
}

static void
assert_refused(const char *names, const char *detail)
{
    struct fault fault;
    enum error error = ask(names, 0);
    fault_take(error, &fault);
    cr_assert_eq(error, ERR_INVALID);
    cr_assert_str_eq(fault.pointer, "/names");
    cr_assert_str_eq(fault.detail, detail);
}

Test(series_page, an_unknown_name_is_refused)
{
    assert_refused("events,bytes", "there is no series bytes");
    assert_refused("events,", "there is no series ");
    assert_refused("", "there is no series ");
}
