// download_test.c - the name that a downloaded file is offered under.
#include "gateway/reply/download.h"

#include <criterion/criterion.h>

static void
expect(const char *expected, const char *filename)
{
    struct buffer out = {0};
    download_write_disposition(filename, &out);
    buffer_put_char(&out, '\0');
    cr_expect_str_eq(out.data, expected);
    buffer_finish(&out);
}

Test(download, plain_names_are_quoted)
{
    expect("attachment; filename=\"a b.glb\"", "a b.glb");
}

Test(download, other_names_are_told_twice)
{
    expect("attachment; filename=\"__ber.glb\"; filename*=UTF-8''%C3%BCber.glb", "\u00fcber.glb");
    expect("attachment; filename=\"a_b.glb\"; filename*=UTF-8''a%22b.glb", "a\"b.glb");
}

Test(download, no_name_ends_the_header)
{
    expect("attachment; filename=\"a__X: 1\"; filename*=UTF-8''a%0D%0AX%3A%201", "a\r\nX: 1");
}

Test(download, long_names_are_cut_between_characters)
{
    char name[300] = {0};
    struct buffer out = {0};
    for (size_t i = 0; i + 2 < sizeof name; i += 2)
        memcpy(name + i, "\u00fc", 2);
    download_write_disposition(name, &out);
    // 127 characters of two bytes, six encoded.
    cr_expect_eq(out.size, strlen("attachment; filename=\"\"; filename*=UTF-8''") + 254 + 127 * 6);
    buffer_finish(&out);
}
