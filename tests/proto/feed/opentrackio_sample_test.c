// opentrackio_sample_test.c - what samples say, and which count for nothing.
#include "proto/feed/opentrackio_sample.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(opentrackio_sample, .fini = end);

static enum opentrackio_wrong
read_chars(const char *chars, struct opentrackio_sample *ret_sample)
{
    const struct json *json;
    cr_assert_eq(json_parse(&arena, chars, strlen(chars), &json), OK, "%s", chars);
    return opentrackio_sample_read(json, ret_sample);
}

static struct opentrackio_sample
sample_of(const char *chars)
{
    struct opentrackio_sample sample;
    cr_assert_eq(read_chars(chars, &sample), SAMPLE_GOOD, "%s", chars);
    return sample;
}

static void
expect_wrong(const char *chars, enum opentrackio_wrong wrong)
{
    struct opentrackio_sample sample;
    cr_expect_eq(read_chars(chars, &sample), wrong, "%s", chars);
}

#define PLACE(x, y, z) "\"translation\":{\"x\":" x ",\"y\":" y ",\"z\":" z "}"
#define TURN(pan, tilt, roll) "\"rotation\":{\"pan\":" pan ",\"tilt\":" tilt ",\"roll\":" roll "}"
#define STEP PLACE("1", "2", "3") "," TURN("90", "0", "0")
#define TRANSFORMS(...) "\"transforms\":[" __VA_ARGS__ "]"

Test(opentrackio_sample, an_empty_object_says_nothing)
{
    struct opentrackio_sample sample = sample_of("{}");
    cr_expect(!sample.has_pose);
    cr_expect(!sample.has_frame);
    cr_expect(!sample.has_timestamp);
    for (unsigned i = 0; i < LENS_VALUES; i++)
        cr_expect(!sample.has_lens[i]);
}

Test(opentrackio_sample, transforms_are_multiplied_in_their_order)
{
    struct opentrackio_sample sample = sample_of(
        "{" TRANSFORMS("{" STEP "},{" PLACE("10", "0", "0.5") "," TURN("0", "0", "0") "}") "}");
    const double expected[16] = {0, 0, 1, 1, 0, 1, 0, 3.5, -1, 0, 0, -12, 0, 0, 0, 1};
    cr_assert(sample.has_pose);
    for (int i = 0; i < 16; i++)
        cr_expect_float_eq(sample.matrix[i], expected[i], 1e-12, "element %d: %g", i,
                           sample.matrix[i]);
}

Test(opentrackio_sample, a_timecode_is_the_number_of_its_frame_since_midnight)
{
    struct opentrackio_sample sample =
        sample_of("{\"timing\":{\"timecode\":{\"hours\":1,\"minutes\":2,\"seconds\":3,\"frames\":4,"
                  "\"frameRate\":{\"num\":24000,\"denom\":1001}}}}");
    cr_assert(sample.has_frame);
    cr_assert_eq(sample.frame, (3600 + 120 + 3) * 24 + 4);
}

// SMPTE ST 12-1: at 29.97 an hour has 107,892 numbers, and 00;01;00;02 follows 00;00;59;29.
Test(opentrackio_sample, drop_frame_timecode_leaves_numbers_out)
{
    static const struct {
        int hours, minutes, seconds, frames;
        int64_t number;
    } rows[] = {
        {1, 0, 0, 0, 107892}, {0, 0, 59, 29, 1799}, {0, 1, 0, 2, 1800}, {0, 10, 0, 0, 17982}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char chars[256];
        snprintf(chars, sizeof chars,
                 "{\"timing\":{\"timecode\":{\"hours\":%d,\"minutes\":%d,\"seconds\":%d,"
                 "\"frames\":%d,\"frameRate\":{\"num\":30000,\"denom\":1001},\"dropFrame\":true}}}",
                 rows[i].hours, rows[i].minutes, rows[i].seconds, rows[i].frames);
        cr_expect_eq(sample_of(chars).frame, rows[i].number, "%s", chars);
    }
}

Test(opentrackio_sample, a_timestamp_becomes_microseconds)
{
    struct opentrackio_sample sample = sample_of(
        "{\"timing\":{\"sampleTimestamp\":{\"seconds\":1718806554,\"nanoseconds\":500000999}}}");
    cr_assert(sample.has_timestamp);
    cr_assert_eq(sample.timestamp, INT64_C(1718806554500000));
}

Test(opentrackio_sample, the_four_values_of_the_lens_are_read)
{
    struct opentrackio_sample sample =
        sample_of("{\"lens\":{\"fStop\":4,\"pinholeFocalLength\":24.305,\"focusDistance\":10.0,"
                  "\"entrancePupilOffset\":-0.125}}");
    const double expected[LENS_VALUES] = {24.305, 10, 4, -0.125};
    for (unsigned i = 0; i < LENS_VALUES; i++) {
        cr_expect(sample.has_lens[i]);
        cr_expect_eq(sample.lens[i], expected[i]);
    }
}

Test(opentrackio_sample, wrong_times_and_lens_values_are_absent)
{
    static const char *const rows[] = {
        "{\"timing\":{\"timecode\":{\"hours\":24,\"minutes\":0,\"seconds\":0,\"frames\":0,"
        "\"frameRate\":{\"num\":24,\"denom\":1}}}}",
        "{\"timing\":{\"timecode\":{\"hours\":1,\"minutes\":0,\"seconds\":0,\"frames\":24,"
        "\"frameRate\":{\"num\":24,\"denom\":1}}}}",
        "{\"timing\":{\"timecode\":{\"hours\":1,\"minutes\":0,\"seconds\":0,\"frames\":0,"
        "\"frameRate\":{\"num\":24,\"denom\":0}}}}",
        "{\"timing\":{\"timecode\":{\"hours\":1,\"minutes\":0,\"seconds\":0,\"frames\":0}}}",
        "{\"timing\":{\"timecode\":[1,2],\"sampleTimestamp\":7},\"lens\":[]}",
        "{\"timing\":{\"sampleTimestamp\":{\"seconds\":9223372036854775807,\"nanoseconds\":0}}}",
        "{\"timing\":{\"sampleTimestamp\":{\"seconds\":-1,\"nanoseconds\":0}}}",
        "{\"timing\":{\"sampleTimestamp\":{\"seconds\":1.5,\"nanoseconds\":0}}}",
        "{\"timing\":null,\"lens\":{\"fStop\":\"4\",\"focusDistance\":null,\"pinholeFocalLength\":["
        "]}}",
        "{\"timing\":5,\"lens\":\"wide\"}",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct opentrackio_sample sample = sample_of(rows[i]);
        cr_expect(!sample.has_frame, "%s", rows[i]);
        cr_expect(!sample.has_timestamp, "%s", rows[i]);
        cr_expect(!sample.has_lens[LENS_F_STOP] && !sample.has_lens[LENS_FOCUS_DISTANCE] &&
                      !sample.has_lens[LENS_PINHOLE_FOCAL_LENGTH],
                  "%s", rows[i]);
    }
}

Test(opentrackio_sample, a_scale_of_one_is_none)
{
    cr_expect(sample_of("{" TRANSFORMS("{" STEP ",\"scale\":{\"x\":1.0,\"y\":1,\"z\":1.0}}") "}")
                  .has_pose);
    cr_expect(sample_of("{" TRANSFORMS("{" STEP ",\"scale\":null}") "}").has_pose);
}

Test(opentrackio_sample, another_scale_is_refused)
{
    expect_wrong("{" TRANSFORMS("{" STEP ",\"scale\":{\"x\":2,\"y\":2,\"z\":2}}") "}",
                 SAMPLE_SCALED);
    expect_wrong(
        "{" TRANSFORMS("{" STEP "},{" STEP ",\"scale\":{\"x\":1,\"y\":1,\"z\":1.0000001}}") "}",
        SAMPLE_SCALED);
    expect_wrong("{" TRANSFORMS("{" STEP ",\"scale\":{\"x\":1}}") "}", SAMPLE_INVALID);
}

Test(opentrackio_sample, what_is_no_pose_is_invalid)
{
    static const char *const rows[] = {
        "[]",
        "5",
        "{\"transforms\":{}}",
        "{" TRANSFORMS() "}",
        "{" TRANSFORMS("5") "}",
        "{" TRANSFORMS("{}") "}",
        "{" TRANSFORMS("{" PLACE("1", "2", "3") "}") "}",
        "{" TRANSFORMS("{" TURN("1", "2", "3") "}") "}",
        "{" TRANSFORMS("{" PLACE("1", "2", "null") "," TURN("0", "0", "0") "}") "}",
        "{" TRANSFORMS("{" PLACE("1", "2", "\"3\"") "," TURN("0", "0", "0") "}") "}",
        "{" TRANSFORMS("{" PLACE("1", "2", "3") "," TURN("0", "true", "0") "}") "}",
        // A product that is larger than all numbers.
        "{" TRANSFORMS("{" PLACE("1e308", "0", "0") "," TURN("0", "0", "0") "},{" PLACE(
            "1e308", "0", "0") "," TURN("0", "0", "0") "}") "}",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_wrong(rows[i], SAMPLE_INVALID);
}

Test(opentrackio_sample, the_largest_numbers_are_numbers)
{
    struct opentrackio_sample sample = sample_of("{" TRANSFORMS(
        "{" PLACE("1e308", "-1e308", "0") "," TURN("1e308", "-1e308", "1e308") "}") "}");
    for (int i = 0; i < 16; i++)
        cr_expect(isfinite(sample.matrix[i]));
}

Test(opentrackio_sample, more_than_32_transforms_are_invalid)
{
    static char chars[8192] = "{\"transforms\":[{" STEP "}";
    for (int i = 1; i < 32; i++)
        strcat(chars, ",{" STEP "}");
    size_t size = strlen(chars);
    strcat(chars, "]}");
    cr_expect(sample_of(chars).has_pose);
    strcpy(chars + size, ",{" STEP "}]}");
    expect_wrong(chars, SAMPLE_INVALID);
}

Test(opentrackio_sample, other_protocols_and_reserved_sources_are_invalid)
{
    static const char *const rows[] = {
        "{\"protocol\":{\"name\":\"OpenTrackIX\",\"version\":[1,0,1]}}",
        "{\"protocol\":{\"name\":5}}",
        "{\"protocol\":{\"name\":\"OpenTrackIO\",\"version\":[2,0,0]}}",
        "{\"protocol\":{\"name\":\"OpenTrackIO\",\"version\":[]}}",
        "{\"protocol\":{\"name\":\"OpenTrackIO\",\"version\":\"1\"}}",
        "{\"sourceNumber\":0}",
        "{\"sourceNumber\":201}",
        "{\"sourceNumber\":1.5}",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_wrong(rows[i], SAMPLE_INVALID);
    sample_of("{\"protocol\":{\"name\":\"OpenTrackIO\",\"version\":[0,9,3]},\"sourceNumber\":200}");
}
