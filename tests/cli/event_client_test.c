// event_client_test.c - the first event that has data, wherever the stream is cut into parts.
#include "tools/cli/event_client.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"

static const char stream[] =
    ": hello\n\nevent: change\nid: 1-1\n\n"
    "event: snapshot\nid: 7-12\ndata: {\"scene\":\"a\"}\n\ndata: later\n\n";

static void
assert_event(const struct first_event *event)
{
    cr_assert(event->is_whole);
    cr_assert_str_eq(event->id.data, "7-12");
    cr_assert_eq(event->lines.size, 13);
    cr_assert_arr_eq(event->lines.data, "{\"scene\":\"a\"}", 13);
}

Test(event_client, comments_and_events_without_data_are_passed_over)
{
    owned(first_event_finish) struct first_event event = {0};
    cr_assert_not(first_event_take(&event, stream, sizeof stream - 1));
    assert_event(&event);
}

Test(event_client, parts_end_anywhere)
{
    owned(first_event_finish) struct first_event event = {0};
    const char *at = stream;
    while (first_event_take(&event, at, 1))
        cr_assert_lt(++at, stream + sizeof stream - 1);
    assert_event(&event);
}

Test(event_client, stream_that_ends_within_an_event_has_none)
{
    static const char cut[] = "id: 1-2\ndata: {}\n";
    owned(first_event_finish) struct first_event event = {0};
    cr_assert(first_event_take(&event, cut, sizeof cut - 1));
    cr_assert_not(event.is_whole);
}
