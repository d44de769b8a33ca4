// header_fields_test.c - what scripts of other origins may send and read, and what is described.
#include "gateway/http/header_fields.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"

static void
assert_names(bool sent, const char *expected)
{
    owned(buffer_finish) struct buffer out = {0};
    header_fields_put_names(&out, sent);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
}

Test(header_fields, scripts_may_send_what_the_interface_reads)
{
    assert_names(true,
                 "X-Request-Id, Authorization, Idempotency-Key, X-Fence, Content-Type, If-Match, "
                 "If-None-Match, Last-Event-ID, Range, If-Range");
}

Test(header_fields, scripts_may_read_what_answers_say_but_no_cookie)
{
    assert_names(false, "X-Request-Id, ETag, Location, Idempotency-Replayed, Diorama-Warnings, "
                        "Retry-After, Authorization, Content-Range");
}

Test(header_fields, what_may_be_read_is_described)
{
    for (unsigned id = 0; id < HEADER_COUNT; id++) {
        const struct header_field *row = &header_fields[id];
        cr_assert(row->component || !row->is_read, "%s", row->name);
        cr_assert(!row->component || (row->type && row->about), "%s", row->name);
    }
}
