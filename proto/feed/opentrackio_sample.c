// opentrackio_sample.c - reads samples (opentrackio_sample.h). The names are those of the
// standard's schema.
#include "proto/feed/opentrackio_sample.h"

#include <math.h>

#include "proto/base/text.h"
#include "proto/feed/opentrackio_pose.h"
#include "proto/spatial/transform.h"

enum {
    TRANSFORMS_MOST = 32,
    SOURCES_MOST = 200, // larger numbers are reserved
    MAJOR_VERSION = 1,
    SECOND_US = 1000000,
};

const char *const opentrackio_lens_names[LENS_VALUES] = {
    [LENS_PINHOLE_FOCAL_LENGTH] = "pinholeFocalLength",
    [LENS_FOCUS_DISTANCE] = "focusDistance",
    [LENS_F_STOP] = "fStop",
    [LENS_ENTRANCE_PUPIL_OFFSET] = "entrancePupilOffset",
};

// --- members ---

// The value of a member; NULL where it is absent, null, or there is no object.
static const struct json *
member(const struct json *object, const char *name)
{
    const struct json *value = object ? json_find(object, name) : NULL;
    return value && value->type != JSON_NULL ? value : NULL;
}

static bool
number_of(const struct json *value, double *ret_number)
{
    if (!value || (value->type != JSON_INTEGER && value->type != JSON_NUMBER))
        return false;
    *ret_number = value->type == JSON_INTEGER ? (double)value->integer : value->number;
    return isfinite(*ret_number);
}

// A whole number from `least` to `most`.
static bool
whole_of(const struct json *value, int64_t least, int64_t most, int64_t *ret_number)
{
    if (!value || value->type != JSON_INTEGER || value->integer < least || value->integer > most)
        return false;
    *ret_number = value->integer;
    return true;
}

static bool
numbers_of(const struct json *object, const char *const names[3], double ret_numbers[3])
{
    for (int i = 0; i < 3; i++)
        if (!number_of(member(object, names[i]), &ret_numbers[i]))
            return false;
    return true;
}

// --- the pose ---

static const char *const axes[3] = {"x", "y", "z"};
static const char *const angles[3] = {"pan", "tilt", "roll"};

static enum opentrackio_wrong
check_scale(const struct json *scale)
{
    double factors[3];
    if (!scale)
        return SAMPLE_GOOD;
    if (!numbers_of(scale, axes, factors))
        return SAMPLE_INVALID;
    return factors[0] == 1 && factors[1] == 1 && factors[2] == 1 ? SAMPLE_GOOD : SAMPLE_SCALED;
}

// Moves `matrix` by one transform, on its right.
static enum opentrackio_wrong
apply_transform(const struct json *transform, double matrix[16])
{
    struct opentrackio_pose pose;
    enum opentrackio_wrong wrong = check_scale(member(transform, "scale"));
    if (wrong != SAMPLE_GOOD)
        return wrong;
    if (!numbers_of(member(transform, "translation"), axes, pose.translation) ||
        !numbers_of(member(transform, "rotation"), angles, pose.rotation))
        return SAMPLE_INVALID;
    opentrackio_pose_apply(&pose, matrix);
    return SAMPLE_GOOD;
}

static bool
is_finite(const double matrix[16])
{
    for (int i = 0; i < 16; i++)
        if (!isfinite(matrix[i]))
            return false;
    return true;
}

static enum opentrackio_wrong
read_pose(const struct json *transforms, struct opentrackio_sample *sample)
{
    if (!transforms)
        return SAMPLE_GOOD;
    if (transforms->type != JSON_ARRAY || transforms->count == 0 ||
        transforms->count > TRANSFORMS_MOST)
        return SAMPLE_INVALID;
    transform_identity(sample->matrix);
    for (uint32_t i = 0; i < transforms->count; i++) {
        enum opentrackio_wrong wrong = apply_transform(&transforms->items[i], sample->matrix);
        if (wrong != SAMPLE_GOOD)
            return wrong;
    }
    if (!is_finite(sample->matrix)) // the product of numbers that are
        return SAMPLE_INVALID;
    opentrackio_pose_to_scene(sample->matrix);
    sample->has_pose = true;
    return SAMPLE_GOOD;
}

// --- time and lens ---

// Frames in a second of timecode: those of the rate, rounded up.
static bool
frames_a_second(const struct json *rate, int64_t *ret_frames)
{
    int64_t num, denom;
    if (!whole_of(member(rate, "num"), 1, INT32_MAX, &num) ||
        !whole_of(member(rate, "denom"), 1, UINT32_MAX, &denom) || num / denom >= 1000)
        return false;
    *ret_frames = (num + denom - 1) / denom;
    return true;
}

// SMPTE ST 12-1: drop-frame timecode leaves out the first two numbers (of 30 a second) of each
// minute but every tenth.
static int64_t
dropped_frames(const struct json *timecode, int64_t minutes, int64_t frames)
{
    const struct json *drop = member(timecode, "dropFrame");
    bool is_dropping = drop && drop->type == JSON_BOOL && drop->boolean;
    return is_dropping ? frames / 30 * 2 * (minutes - minutes / 10) : 0;
}

static void
read_frame(const struct json *timecode, struct opentrackio_sample *sample)
{
    int64_t hours, minutes, seconds, number, frames;
    sample->has_frame = frames_a_second(member(timecode, "frameRate"), &frames) &&
                        whole_of(member(timecode, "hours"), 0, 23, &hours) &&
                        whole_of(member(timecode, "minutes"), 0, 59, &minutes) &&
                        whole_of(member(timecode, "seconds"), 0, 59, &seconds) &&
                        whole_of(member(timecode, "frames"), 0, frames - 1, &number);
    if (!sample->has_frame)
        return;
    minutes += hours * 60;
    sample->frame =
        (minutes * 60 + seconds) * frames + number - dropped_frames(timecode, minutes, frames);
}

static void
read_timestamp(const struct json *timestamp, struct opentrackio_sample *sample)
{
    int64_t seconds, nanoseconds;
    sample->has_timestamp =
        whole_of(member(timestamp, "seconds"), 0, INT64_MAX / SECOND_US - 1, &seconds) &&
        whole_of(member(timestamp, "nanoseconds"), 0, 999999999, &nanoseconds);
    if (sample->has_timestamp)
        sample->timestamp = seconds * SECOND_US + nanoseconds / 1000;
}

static void
read_lens(const struct json *lens, struct opentrackio_sample *sample)
{
    for (unsigned i = 0; i < LENS_VALUES; i++)
        sample->has_lens[i] = number_of(member(lens, opentrackio_lens_names[i]), &sample->lens[i]);
}

// --- the sample ---

static bool
is_of_protocol(const struct json *protocol)
{
    int64_t major;
    const struct json *name = member(protocol, "name"), *version = member(protocol, "version");
    if (name && (name->type != JSON_TEXT || !text_is(name->text, "OpenTrackIO")))
        return false;
    return !version || (version->type == JSON_ARRAY && version->count > 0 &&
                        whole_of(&version->items[0], 0, MAJOR_VERSION, &major));
}

enum opentrackio_wrong
opentrackio_sample_read(const struct json *json, struct opentrackio_sample *ret_sample)
{
    struct opentrackio_sample sample = {0};
    int64_t number;
    const struct json *source = member(json, "sourceNumber"), *timing = member(json, "timing");
    if (json->type != JSON_OBJECT || !is_of_protocol(member(json, "protocol")) ||
        (source && !whole_of(source, 1, SOURCES_MOST, &number)))
        return SAMPLE_INVALID;
    enum opentrackio_wrong wrong = read_pose(member(json, "transforms"), &sample);
    if (wrong != SAMPLE_GOOD)
        return wrong;
    read_frame(member(timing, "timecode"), &sample);
    read_timestamp(member(timing, "sampleTimestamp"), &sample);
    read_lens(member(json, "lens"), &sample);
    *ret_sample = sample;
    return SAMPLE_GOOD;
}
