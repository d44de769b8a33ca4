// reply_warnings_test.c - warnings in envelopes and in a header.
#include "gateway/reply/reply_warnings.h"

#include <criterion/criterion.h>
#include <string.h>

static struct arena arena;
static struct buffer out;
static struct warnings warnings;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(reply_warnings, .fini = finish);

static void
warn(const char *pointer, const char *detail)
{
    const struct path path = {.name = pointer};
    warnings_add(&warnings, &arena, &path, "%s", detail);
}

static const char *
written(void)
{
    buffer_put_char(&out, '\0');
    return out.data;
}

Test(reply_warnings, none_write_nothing)
{
    reply_warnings_put(&warnings, &out);
    reply_warnings_put_header(&warnings, &out);
    cr_assert_eq(out.size, 0);
}

Test(reply_warnings, they_are_the_last_member_of_an_envelope)
{
    warn("/objects/0/nmae", "is odd");
    warn("/b", "is \"odd\"");
    reply_warnings_put(&warnings, &out);
    cr_assert_str_eq(written(),
                     ",\"warnings\":[{\"pointer\":\"/objects/0/nmae\",\"detail\":\"is odd\"},"
                     "{\"pointer\":\"/b\",\"detail\":\"is \\\"odd\\\"\"}]");
}

Test(reply_warnings, header_has_ascii_alone)
{
    warn("/caf\xc3\xa9\x7f\r\n", "is odd");
    reply_warnings_put_header(&warnings, &out);
    cr_assert_str_eq(written(), "[{\"pointer\":\"/caf??\\r\\n\",\"detail\":\"is odd\"}]");
}

Test(reply_warnings, header_has_as_many_as_fit)
{
    static char pointer[180];
    memset(pointer, 'x', sizeof pointer - 1);
    for (unsigned i = 0; i < WARNINGS_MOST; i++)
        warn(pointer, "is odd");
    reply_warnings_put_header(&warnings, &out);
    cr_assert_lt(out.size, 2200);
    cr_assert_eq(out.data[out.size - 1], ']');
    cr_assert_eq(out.data[out.size - 2], '}');
}
