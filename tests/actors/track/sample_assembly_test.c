// sample_assembly_test.c - samples of several segments: in any order, lost, lying, too many.
#include "actors/track/sample_assembly.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sample_assembly assembly;
static const char *data;
static size_t size;
static unsigned lost;

static void
end(void)
{
    sample_assembly_finish(&assembly);
}

TestSuite(sample_assembly, .fini = end);

static enum assembly_result
add_at(uint64_t now_us, unsigned sequence, uint32_t offset, const char *segment, bool is_last)
{
    const struct opentrackio_header header = {.encoding = OPENTRACKIO_JSON,
                                              .sequence = (uint16_t)sequence,
                                              .offset = offset,
                                              .size = (uint16_t)strlen(segment),
                                              .is_last = is_last};
    return sample_assembly_add(&assembly, &header, segment, now_us, &data, &size, &lost);
}

static enum assembly_result
add(unsigned sequence, uint32_t offset, const char *segment, bool is_last)
{
    return add_at(1, sequence, offset, segment, is_last);
}

static void
expect_whole(const char *whole)
{
    cr_assert_eq(size, strlen(whole));
    cr_assert_eq(memcmp(data, whole, size), 0, "%.*s", (int)size, data);
}

Test(sample_assembly, one_segment_is_a_sample)
{
    cr_assert_eq(add(7, 0, "abc", true), ASSEMBLY_WHOLE);
    expect_whole("abc");
    cr_assert(sample_assembly_is_empty(&assembly));
}

// All orders of three segments, numbered one after the other and all alike.
Test(sample_assembly, segments_come_in_any_order)
{
    static const unsigned orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const char *const parts[] = {"abc", "def", "g"};
    unsigned sequence = 65530; // and around
    for (unsigned step = 0; step < 2; step++)
        for (int i = 0; i < 6; i++, sequence += 40) {
            for (int k = 0; k < 3; k++) {
                unsigned part = orders[i][k];
                cr_assert_eq(add(sequence + part * step, part * 3, parts[part], part == 2),
                             k == 2 ? ASSEMBLY_WHOLE : ASSEMBLY_WAITS, "order %d step %u", i, step);
            }
            expect_whole("abcdefg");
            cr_assert(sample_assembly_is_empty(&assembly));
        }
}

Test(sample_assembly, samples_do_not_mix)
{
    cr_assert_eq(add(1, 0, "abc", false), ASSEMBLY_WAITS);
    cr_assert_eq(add(4, 0, "uvw", false), ASSEMBLY_WAITS);
    cr_assert_eq(add(5, 3, "x", true), ASSEMBLY_WHOLE);
    expect_whole("uvwx");
    cr_assert_eq(add(2, 3, "d", true), ASSEMBLY_WHOLE);
    expect_whole("abcd");
}

// The second of the first sample and the first of the second one are lost: what is left would fit.
Test(sample_assembly, what_is_left_of_two_samples_is_none)
{
    cr_assert_eq(add(1, 0, "abc", false), ASSEMBLY_WAITS);
    cr_assert_eq(add(5, 3, "yz", true), ASSEMBLY_REFUSED);
    cr_assert(sample_assembly_is_empty(&assembly));
}

Test(sample_assembly, a_segment_that_comes_again_changes_nothing)
{
    cr_assert_eq(add(1, 0, "abc", false), ASSEMBLY_WAITS);
    cr_assert_eq(add(1, 0, "abc", false), ASSEMBLY_REPEATED);
    cr_assert_eq(add(2, 3, "d", true), ASSEMBLY_WHOLE);
    expect_whole("abcd");
}

Test(sample_assembly, segments_that_overlap_end_their_sample)
{
    cr_assert_eq(add(1, 0, "abc", false), ASSEMBLY_WAITS);
    cr_assert_eq(add(2, 2, "cd", true), ASSEMBLY_REFUSED);
    cr_assert(sample_assembly_is_empty(&assembly));
    cr_assert_eq(add(1, 0, "abc", false), ASSEMBLY_WAITS);
    cr_assert_eq(add(1, 0, "ab", false), ASSEMBLY_REFUSED);
    cr_assert_eq(add(3, 4, "e", false), ASSEMBLY_WAITS);
    cr_assert_eq(add(2, 2, "cde", false), ASSEMBLY_REFUSED);
}

Test(sample_assembly, nothing_is_behind_the_last_segment)
{
    cr_assert_eq(add(2, 3, "d", true), ASSEMBLY_WAITS);
    cr_assert_eq(add(3, 4, "e", false), ASSEMBLY_REFUSED);
    cr_assert_eq(add(2, 3, "d", true), ASSEMBLY_WAITS);
    cr_assert_eq(add(3, 4, "e", true), ASSEMBLY_REFUSED);
    cr_assert_eq(add(3, 4, "e", false), ASSEMBLY_WAITS);
    cr_assert_eq(add(2, 3, "d", true), ASSEMBLY_REFUSED);
    cr_assert(sample_assembly_is_empty(&assembly));
}

Test(sample_assembly, offsets_beyond_16_kib_are_refused)
{
    cr_expect_eq(add(1, SAMPLE_BYTES_MOST, "a", true), ASSEMBLY_REFUSED);
    cr_expect_eq(add(1, UINT32_MAX, "a", true), ASSEMBLY_REFUSED);
    cr_expect_eq(add(1, UINT32_MAX - 1, "abc", false), ASSEMBLY_REFUSED);
    cr_assert(sample_assembly_is_empty(&assembly));
    cr_expect_eq(add(1, SAMPLE_BYTES_MOST - 1, "a", true), ASSEMBLY_WAITS);
}

Test(sample_assembly, a_segment_of_more_than_16_kib_is_refused)
{
    static char bytes[SAMPLE_BYTES_MOST + 1];
    struct opentrackio_header header = {.encoding = OPENTRACKIO_JSON, .is_last = true};
    header.size = SAMPLE_BYTES_MOST + 1;
    cr_expect_eq(sample_assembly_add(&assembly, &header, bytes, 1, &data, &size, &lost),
                 ASSEMBLY_REFUSED);
    header.size = SAMPLE_BYTES_MOST;
    cr_expect_eq(sample_assembly_add(&assembly, &header, bytes, 1, &data, &size, &lost),
                 ASSEMBLY_WHOLE);
}

Test(sample_assembly, a_sample_has_32_segments_at_most)
{
    for (unsigned i = 0; i < SAMPLE_SEGMENTS_MOST; i++)
        cr_assert_eq(add(i, i, "a", false), ASSEMBLY_WAITS);
    cr_expect_neq(add(SAMPLE_SEGMENTS_MOST, SAMPLE_SEGMENTS_MOST, "a", true), ASSEMBLY_WHOLE);
}

Test(sample_assembly, a_fifth_open_sample_takes_the_place_of_the_oldest)
{
    for (unsigned i = 0; i < SAMPLES_OPEN_MOST; i++) {
        cr_assert_eq(add_at(10 + i, i * 100, 0, "abc", false), ASSEMBLY_WAITS);
        cr_assert_eq(lost, 0);
    }
    cr_assert_eq(add_at(20, 1000, 0, "abc", false), ASSEMBLY_WAITS);
    cr_assert_eq(lost, 1);
    cr_assert_eq(add_at(21, 101, 3, "d", true), ASSEMBLY_WHOLE, "the second is there");
    cr_assert_eq(add_at(22, 1, 3, "d", true), ASSEMBLY_WAITS, "the first is not");
}

Test(sample_assembly, a_sample_is_forgotten_after_100_ms)
{
    cr_assert_eq(add_at(1000, 1, 0, "abc", false), ASSEMBLY_WAITS);
    cr_assert_eq(sample_assembly_expire(&assembly, 100999), 0);
    cr_assert_eq(sample_assembly_expire(&assembly, 101000), 1);
    cr_assert(sample_assembly_is_empty(&assembly));
}

Test(sample_assembly, encodings_do_not_mix)
{
    const struct opentrackio_header header = {
        .encoding = OPENTRACKIO_CBOR, .sequence = 2, .offset = 3, .size = 1, .is_last = true};
    cr_assert_eq(add(1, 0, "abc", false), ASSEMBLY_WAITS);
    cr_assert_eq(sample_assembly_add(&assembly, &header, "d", 1, &data, &size, &lost),
                 ASSEMBLY_WAITS);
}

// Whatever comes, what is given out is at most 16 KiB and comes of what was put in.
Test(sample_assembly, random_segments_keep_the_bounds)
{
    static char bytes[SAMPLE_BYTES_MOST];
    memset(bytes, 'x', sizeof bytes);
    srand(7);
    for (unsigned i = 0; i < 200000; i++) {
        struct opentrackio_header header = {.encoding =
                                                rand() % 8 ? OPENTRACKIO_JSON : OPENTRACKIO_CBOR,
                                            .sequence = (uint16_t)(i / 8 + (unsigned)rand() % 4),
                                            .offset = (uint32_t)(rand() % 8 * 3),
                                            .size = (uint16_t)(1 + rand() % 4),
                                            .is_last = rand() % 4 == 0};
        if (sample_assembly_add(&assembly, &header, bytes, i, &data, &size, &lost) !=
            ASSEMBLY_WHOLE)
            continue;
        cr_assert_leq(size, SAMPLE_BYTES_MOST);
        for (size_t at = 0; at < size; at++)
            cr_assert_eq(data[at], 'x');
    }
}
