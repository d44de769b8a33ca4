// event_stream_test.c - events of a stream, wherever it is cut into parts.
#include "tools/cli/event_stream.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"

static const char text[] =
    ": hello\n\nevent: reset\nid: 1-1\ndata: {}\n\nid: 1-2\n\n"
    "data:{\"a\":1}\nretry: 9\n\n\nevent: change\ndata: {\"data: \":2}\n\ndata: cut";
static const char expected[] = "reset 1-1 {}|message  {\"a\":1}|change  {\"data: \":2}|";

struct heard {
    struct buffer out;
    int left;
};

static bool
hear(void *context, const struct stream_event *event)
{
    struct heard *self = context;
    cr_expect_eq(event->data_size, strlen(event->data));
    buffer_put_format(&self->out, "%s %s %s|", event->name, event->id, event->data);
    return --self->left != 0;
}

// What is heard of the stream in parts of this size.
static void
assert_heard(size_t part)
{
    struct heard heard = {0};
    owned(event_stream_finish) struct event_stream stream = {.take = hear, .context = &heard};
    for (size_t at = 0; at < sizeof text - 1; at += part)
        cr_assert(event_stream_take(&stream, text + at,
                                    at + part < sizeof text - 1 ? part : sizeof text - 1 - at));
    cr_assert_eq(heard.out.size, sizeof expected - 1, "parts of %zu", part);
    cr_assert_arr_eq(heard.out.data, expected, sizeof expected - 1, "parts of %zu", part);
    buffer_finish(&heard.out);
}

Test(event_stream, parts_end_anywhere)
{
    for (size_t part = 1; part < sizeof text; part++)
        assert_heard(part);
}

Test(event_stream, a_taker_ends_it)
{
    struct heard heard = {.left = 2};
    owned(event_stream_finish) struct event_stream stream = {.take = hear, .context = &heard};
    cr_assert_not(event_stream_take(&stream, text, sizeof text - 1));
    cr_assert_eq(heard.left, 0);
    buffer_finish(&heard.out);
}

Test(event_stream, no_bytes_are_no_end)
{
    struct heard heard = {0};
    owned(event_stream_finish) struct event_stream stream = {.take = hear, .context = &heard};
    cr_assert(event_stream_take(&stream, "", 0));
    cr_assert_eq(heard.out.size, 0);
}
