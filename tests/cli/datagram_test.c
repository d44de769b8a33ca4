// datagram_test.c - both forms of the feed as changes, places and lines.
#include "tools/cli/datagram.h"

#include <criterion/criterion.h>
#include <string.h>

static struct arena arena;
static struct datagram datagram;
static struct buffer lines;

static void
start(void)
{
    arena_init(&arena);
    buffer_init(&lines);
}

static void
end(void)
{
    arena_finish(&arena);
    buffer_finish(&lines);
}

TestSuite(datagram, .init = start, .fini = end);

static enum error
read_plain(const char *text)
{
    return datagram_read_plain(&arena, text, strlen(text), &datagram);
}

// Epoch 3, prev 4, seq 9: "k" has the name "n", and "p" was deleted.
static const char packed[] = "\x96\x01\x03\x04\x09\x02\x92"
                             "\x93\x01\xa1k\x81\x01\xa1n"
                             "\x93\x0b\xa1p\x80";

static void
expect_lines(const char *expected)
{
    datagram_put_lines(&lines, &datagram);
    buffer_put_char(&lines, '\0');
    cr_expect_str_eq(lines.data, expected);
}

Test(datagram, plain_one_is_a_change_at_its_place)
{
    static const char text[] =
        "{\"msg_type\":1,\"key\":\"k\",\"scene\":\"s\",\"seq\":9,\"prev\":4}";
    cr_assert_eq(read_plain(text), OK);
    cr_expect_str_eq(datagram.place.scene, "s");
    cr_expect_eq(datagram.place.epoch, 0);
    cr_expect_eq(datagram.place.prev, 4);
    cr_expect_eq(datagram.place.seq, 9);
    cr_expect_eq(datagram.count, 1);
    expect_lines("{\"msg_type\":1,\"key\":\"k\",\"scene\":\"s\",\"seq\":9,\"prev\":4}\n");
}

Test(datagram, plain_one_that_is_no_object_is_malformed)
{
    cr_expect_eq(read_plain("[1]"), ERR_MALFORMED);
    cr_expect_eq(read_plain("{"), ERR_MALFORMED);
    cr_expect_eq(read_plain(""), ERR_MALFORMED);
}

Test(datagram, packed_one_is_its_changes_with_the_place_in_each_line)
{
    cr_assert_eq(datagram_read_packed(&arena, "s", packed, sizeof packed - 1, &datagram), OK);
    cr_expect_str_eq(datagram.place.scene, "s");
    cr_expect_eq(datagram.place.epoch, 3);
    cr_expect_eq(datagram.place.prev, 4);
    cr_expect_eq(datagram.place.seq, 9);
    expect_lines("{\"msg_type\":1,\"key\":\"k\",\"name\":\"n\",\"epoch\":3,\"seq\":9,\"prev\":4}\n"
                 "{\"msg_type\":11,\"key\":\"p\",\"epoch\":3,\"seq\":9,\"prev\":4}\n");
}

Test(datagram, forms_do_not_read_each_other)
{
    static const char text[] = "{\"msg_type\":1}";
    cr_expect_eq(datagram_read_packed(&arena, "s", text, sizeof text - 1, &datagram),
                 ERR_MALFORMED);
    cr_expect_eq(datagram_read_plain(&arena, packed, sizeof packed - 1, &datagram), ERR_MALFORMED);
}
