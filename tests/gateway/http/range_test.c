// range_test.c - Range and If-Range of a file of ten bytes.
#include "gateway/http/range.h"

#include <criterion/criterion.h>

#define HASH "bddd813c634239723171ef3fee98579b"

static const struct etag etag = {.chars = HASH};

static struct range part;

static enum range_verdict
decide(const char *range, const char *if_range)
{
    part = (struct range){99, 99};
    return range_decide(range, if_range, &etag, 10, &part);
}

// Expects the part that `range` asks for.
static void
expect_part(const char *range, uint64_t first, uint64_t size)
{
    cr_expect_eq(decide(range, NULL), RANGE_PART, "%s", range);
    cr_expect_eq(part.first, first, "%s", range);
    cr_expect_eq(part.size, size, "%s", range);
}

static void
expect(enum range_verdict verdict, const char *range)
{
    cr_expect_eq(decide(range, NULL), verdict, "%s", range);
    cr_expect_eq(part.first, 99, "%s", range);
}

Test(range, one_part_is_found)
{
    expect_part("bytes=0-9", 0, 10);
    expect_part("bytes=0-0", 0, 1);
    expect_part("bytes=9-9", 9, 1);
    expect_part("Bytes= 2-5 ", 2, 4);
}

Test(range, an_open_end_is_the_end_of_the_file)
{
    expect_part("bytes=3-", 3, 7);
    expect_part("bytes=3-10", 3, 7);
    expect_part("bytes=3-99999999999999999999999999", 3, 7);
}

Test(range, a_suffix_is_counted_from_the_end)
{
    expect_part("bytes=-1", 9, 1);
    expect_part("bytes=-10", 0, 10);
    expect_part("bytes=-99999999999999999999999999", 0, 10);
}

Test(range, what_begins_beyond_the_end_is_nowhere)
{
    expect(RANGE_NOWHERE, "bytes=10-");
    expect(RANGE_NOWHERE, "bytes=10-20");
    expect(RANGE_NOWHERE, "bytes=99999999999999999999999999-");
    expect(RANGE_NOWHERE, "bytes=-0");
}

Test(range, an_empty_file_has_no_parts)
{
    cr_expect_eq(range_decide("bytes=0-", NULL, &etag, 0, &part), RANGE_NOWHERE);
    cr_expect_eq(range_decide("bytes=-1", NULL, &etag, 0, &part), RANGE_NOWHERE);
    cr_expect_eq(range_decide(NULL, NULL, &etag, 0, &part), RANGE_WHOLE);
}

Test(range, what_cannot_be_understood_and_several_parts_are_the_whole)
{
    static const char *const others[] = {
        "bytes=0-1,3-4", "bytes=5-4", "bytes=",     "bytes=-",    "bytes=a-b",   "bytes=1",
        "bytes 0-1",     "rows=0-1",  "bytes=+1-2", "bytes=1-2x", "bytes=0x1-2", "",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        expect(RANGE_WHOLE, others[i]);
    expect(RANGE_WHOLE, NULL);
}

Test(range, the_tag_of_the_file_is_a_condition_that_holds)
{
    cr_expect_eq(decide("bytes=0-1", "\"" HASH "\""), RANGE_PART);
}

Test(range, any_other_condition_gives_the_whole)
{
    static const char *const others[] = {
        "\"another\"",       "W/\"" HASH "\"",      "*", "Sat, 21 Nov 2026 10:00:00 GMT",
        "\"" HASH "-gzip\"", "\"" HASH "\", \"b\"", "",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_expect_eq(decide("bytes=0-1", others[i]), RANGE_WHOLE, "%s", others[i]);
}
