// messages.c - writes the contents of messages (messages.h).
#include "gateway/foxglove/messages.h"

#include <math.h>

#include "gateway/http/percent.h"
#include "proto/base/limits.h"
#include "proto/codec/json_text.h"
#include "proto/codec/json_write.h"
#include "proto/records/value.h"
#include "proto/spatial/convention.h"
#include "proto/spatial/transform.h"

enum {
    US = 1000000,
    LEVEL_INFO = 2,
    DELETION_OF_ONE = 0,
    DELETION_OF_ALL = 1,
};

#define CUBE_M 0.2 // of an object without a model, where its scale is 1
#define FONT_PX 14

// --- parts ---

static void
put_time(const char *name, uint64_t time_us, struct buffer *out)
{
    json_write_value_begin(out, name);
    buffer_put_chars(out, "{\"sec\":");
    json_put_integer(out, (int64_t)(time_us / US));
    buffer_put_chars(out, ",\"nsec\":");
    json_put_integer(out, (int64_t)(time_us % US * 1000));
    buffer_put_char(out, '}');
}

static void
put_text(const char *name, const struct text *text, struct buffer *out)
{
    json_write_value_begin(out, name);
    json_put_text(out, text_bytes(text), text_size(text));
}

static void
put_numbers(const char *name, const char *letters, const double *numbers, struct buffer *out)
{
    json_write_value_begin(out, name);
    buffer_put_char(out, '{');
    for (size_t i = 0; letters[i]; i++) {
        const char label[] = {i ? ',' : '"', i ? '"' : letters[i], i ? letters[i] : '"',
                              i ? '"' : ':', ':'};
        buffer_put(out, label, i ? sizeof label : sizeof label - 1);
        json_put_number(out, numbers[i]);
    }
    buffer_put_char(out, '}');
}

// {x, y, z, w} of {w, x, y, z}.
static void
put_quaternion(const char *name, const double *quaternion, struct buffer *out)
{
    const double parts[] = {quaternion[1], quaternion[2], quaternion[3], quaternion[0]};
    put_numbers(name, "xyzw", parts, out);
}

static void
put_pose(const double *position, const double *quaternion, struct buffer *out)
{
    json_write_begin(out, "pose", '{');
    put_numbers("position", "xyz", position, out);
    put_quaternion("orientation", quaternion, out);
    json_write_end(out, '}');
}

static void
put_color(const double *rgba, struct buffer *out)
{
    put_numbers("color", "rgba", rgba, out);
}

// The name of a frame: the scene's key, and behind a slash that of the thing.
static void
put_frame(const char *name, const struct frame *frame, struct buffer *out)
{
    static const char device[] = "/device/";
    char chars[2 * LIMIT_KEY_BYTES + sizeof device];
    size_t size = text_size(frame->scene), mark = frame->is_device ? sizeof device - 1 : 1;
    if (!frame->thing || size + mark + text_size(frame->thing) > sizeof chars) {
        put_text(name, frame->thing ? frame->thing : frame->scene, out);
        return;
    }
    memcpy(chars, text_bytes(frame->scene), text_size(frame->scene));
    memcpy(chars + size, device, mark);
    size += mark;
    memcpy(chars + size, text_bytes(frame->thing), text_size(frame->thing));
    json_write_value_begin(out, name);
    json_put_text(out, chars, size + text_size(frame->thing));
}

// --- poses ---

static const struct convention *
viewers_axes(void)
{
    static const struct convention *_Atomic found; // any thread may find it
    const struct convention *axes = found;
    for (size_t i = 0; !axes && i < conventions_count; i++)
        if (strcmp(conventions[i].name, "enu") == 0)
            found = axes = &conventions[i];
    return axes;
}

// Splits a matrix of the axes of scenes into parts in those of viewers.
static void
split(const double *matrix, double *ret_translation, double *ret_quaternion, double *ret_scale)
{
    double turned[16], rotation[9];
    memcpy(turned, matrix, sizeof turned);
    convention_turn(viewers_axes(), CONVENTION_OUT, AXES_MATRIX, turned);
    if (transform_decompose(turned, ret_translation, rotation, ret_scale)) {
        quaternion_of_rotation(rotation, ret_quaternion);
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        ret_translation[i] = turned[4 * i + 3];
        ret_scale[i] = 1;
    }
    memcpy(ret_quaternion, (const double[]){1, 0, 0, 0}, 4 * sizeof(double));
}

void
message_pose_matrix(const struct record *pose, double *ret_matrix)
{
    double rotation[9];
    transform_identity(ret_matrix);
    if (!pose)
        return;
    const struct pose *parts = (const struct pose *)(const void *)pose;
    rotation_of_device_euler(parts->rotation, rotation);
    for (size_t i = 0; i < 3; i++) {
        memcpy(ret_matrix + 4 * i, rotation + 3 * i, 3 * sizeof(double));
        ret_matrix[4 * i + 3] = parts->translation[i];
    }
}

// A name of a member and what is before it, in one piece: transforms are written by the thousand.
#define PIECE(out, chars) buffer_put(out, chars, sizeof(chars) - 1)

static void
put_coordinates(const double *numbers, struct buffer *out)
{
    PIECE(out, "{\"x\":");
    json_put_number(out, numbers[0]);
    PIECE(out, ",\"y\":");
    json_put_number(out, numbers[1]);
    PIECE(out, ",\"z\":");
    json_put_number(out, numbers[2]);
}

void
message_put_transform(uint64_t time_us, const struct text *parent, const struct frame *child,
                      const double *matrix, struct buffer *out)
{
    double translation[3], quaternion[4], scale[3];
    split(matrix, translation, quaternion, scale);
    json_write_begin(out, NULL, '{');
    put_time("timestamp", time_us, out);
    PIECE(out, ",\"parent_frame_id\":");
    json_put_text(out, text_bytes(parent), text_size(parent));
    put_frame("child_frame_id", child, out);
    PIECE(out, ",\"translation\":");
    put_coordinates(translation, out);
    PIECE(out, "},\"rotation\":");
    put_coordinates(quaternion + 1, out);
    PIECE(out, ",\"w\":");
    json_put_number(out, quaternion[0]);
    PIECE(out, "}}");
}

// --- entities ---

bool
message_is_visible(const struct object *object)
{
    return !object->rare || !record_has(&object->base, OBJECT_VISIBLE) || object->rare->visible;
}

// The squares of the scales, without taking the matrix apart: looks are compared with each move.
static uint64_t
scale_bits(const double *matrix, unsigned column)
{
    double square = 0;
    uint64_t bits;
    for (unsigned row = 0; row < 3; row++)
        square += matrix[4 * row + column] * matrix[4 * row + column];
    square = nearbyint(square * 1e6); // a rotation changes the last digits
    memcpy(&bits, &square, sizeof bits);
    return bits;
}

// No secret: whoever finds two texts that are one here has a name of their own drawn late.
static uint64_t
mix(uint64_t looks, uint64_t more)
{
    static const uint64_t factor = 0x9e3779b97f4a7c15; // odd, with bits all over
    looks = (looks ^ more) * factor;
    return looks ^ looks >> 29;
}

static uint64_t
mix_text(uint64_t looks, const struct text *text)
{
    const char *at = text_bytes(text), *end = at + text_size(text);
    for (; at < end; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        size_t left = (size_t)(end - at);
        memcpy(&word, at, left < sizeof word ? left : sizeof word);
        looks = mix(looks, word);
    }
    return mix(looks, text_size(text));
}

uint64_t
message_looks(const struct object *object)
{
    uint64_t looks = mix_text(message_is_visible(object), object->name);
    looks = mix_text(mix(looks, 0), object->type);
    if (texts_count(object->assets))
        looks = mix_text(mix(looks, 1), object->assets->items[0]);
    for (unsigned i = 0; i < 3; i++)
        looks = mix(looks, scale_bits(object->transform, i));
    return looks;
}

static void
put_url(const struct text *asset, const struct text *assets, struct buffer *out)
{
    struct buffer url = {0};
    buffer_put(&url, text_bytes(assets), text_size(assets));
    buffer_put_chars(&url, "/v1/asset/");
    percent_encode(&url, asset);
    buffer_put_chars(&url, "/model.glb");
    json_write_value_begin(out, "url");
    json_put_text(out, url.data, url.size);
    buffer_finish(&url);
}

// glTF has Y up, a frame of viewers Z: a quarter turn about X.
static void
put_model(const struct object *object, const double *scale, const struct text *assets,
          struct buffer *out)
{
    static const double turn[] = {M_SQRT1_2, M_SQRT1_2, 0, 0}, origin[3], white[] = {1, 1, 1, 1};
    const double turned[] = {scale[0], scale[2], scale[1]};
    json_write_begin(out, NULL, '{');
    put_pose(origin, turn, out);
    put_numbers("scale", "xyz", turned, out);
    put_color(white, out);
    json_write_bool(out, "override_color", false);
    put_url(object->assets->items[0], assets, out);
    json_write_text(out, "media_type", "");
    json_write_text(out, "data", "");
    json_write_end(out, '}');
}

static void
put_cube(const double *scale, struct buffer *out)
{
    static const double upright[] = {1, 0, 0, 0}, origin[3], blue[] = {0.25, 0.5, 0.9, 0.9};
    const double size[] = {CUBE_M * fabs(scale[0]), CUBE_M * fabs(scale[1]),
                           CUBE_M * fabs(scale[2])};
    json_write_begin(out, NULL, '{');
    put_pose(origin, upright, out);
    put_numbers("size", "xyz", size, out);
    put_color(blue, out);
    json_write_end(out, '}');
}

static void
put_name(const struct object *object, const double *scale, struct buffer *out)
{
    static const double upright[] = {1, 0, 0, 0}, white[] = {1, 1, 1, 1};
    const double above[] = {0, 0, CUBE_M * fabs(scale[2])};
    json_write_begin(out, NULL, '{');
    put_pose(above, upright, out);
    json_write_bool(out, "billboard", true);
    json_write_number(out, "font_size", FONT_PX);
    json_write_bool(out, "scale_invariant", true);
    put_color(white, out);
    put_text("text", text_size(object->name) ? object->name : object->key, out);
    json_write_end(out, '}');
}

static void
put_pair(const char *key, const struct text *value, struct buffer *out)
{
    if (text_size(value) == 0)
        return;
    json_write_begin(out, NULL, '{');
    json_write_text(out, "key", key);
    put_text("value", value, out);
    json_write_end(out, '}');
}

static void
put_shapes(const struct object *object, const struct text *assets, struct buffer *out)
{
    static const char *const others[] = {"arrows", "spheres", "cylinders", "lines", "triangles"};
    double translation[3], quaternion[4], scale[3];
    bool has_model = texts_count(object->assets) > 0;
    split(object->transform, translation, quaternion, scale);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        json_write_begin(out, others[i], '[');
        json_write_end(out, ']');
    }
    json_write_begin(out, "cubes", '[');
    if (!has_model)
        put_cube(scale, out);
    json_write_end(out, ']');
    json_write_begin(out, "texts", '[');
    if (!has_model)
        put_name(object, scale, out);
    json_write_end(out, ']');
    json_write_begin(out, "models", '[');
    if (has_model)
        put_model(object, scale, assets, out);
    json_write_end(out, ']');
}

void
message_put_entity(uint64_t time_us, const struct text *scene, const struct object *object,
                   const struct text *assets, struct buffer *out)
{
    const struct frame frame = {.scene = scene, .thing = object->key};
    json_write_begin(out, NULL, '{');
    put_time("timestamp", time_us, out);
    put_frame("frame_id", &frame, out);
    put_text("id", object->key, out);
    put_time("lifetime", 0, out);
    json_write_bool(out, "frame_locked", true);
    json_write_begin(out, "metadata", '[');
    put_pair("name", object->name, out);
    put_pair("type", object->type, out);
    json_write_end(out, ']');
    put_shapes(object, assets, out);
    json_write_end(out, '}');
}

void
message_put_deletion(uint64_t time_us, const struct text *key, struct buffer *out)
{
    json_write_begin(out, NULL, '{');
    put_time("timestamp", time_us, out);
    json_write_number(out, "type", key ? DELETION_OF_ONE : DELETION_OF_ALL);
    put_text("id", key, out);
    json_write_end(out, '}');
}

// --- others ---

void
message_put_location(uint64_t time_us, const struct scene *scene, struct buffer *out)
{
    buffer_put_char(out, '{');
    put_time("timestamp", time_us, out);
    put_text("frame_id", scene->key, out);
    json_write_value_begin(out, "latitude");
    json_put_number(out, scene->latitude);
    json_write_value_begin(out, "longitude");
    json_put_number(out, scene->longitude);
    json_write_value_begin(out, "altitude");
    json_put_number(out, scene->height_m);
    json_write_value_begin(out, "position_covariance");
    buffer_put_chars(out, "[0,0,0,0,0,0,0,0,0]");
    json_write_number(out, "position_covariance_type", 0); // not known
    buffer_put_char(out, '}');
}

void
message_put_log(uint64_t time_us, const char *words, size_t size, const struct text *scene,
                struct buffer *out)
{
    buffer_put_char(out, '{');
    put_time("timestamp", time_us, out);
    json_write_number(out, "level", LEVEL_INFO);
    json_write_value_begin(out, "message");
    json_put_text(out, words, size);
    put_text("name", scene, out);
    json_write_text(out, "file", "");
    json_write_number(out, "line", 0);
    buffer_put_char(out, '}');
}

void
message_put_property(uint64_t time_us, const struct property *property, struct buffer *out)
{
    uint32_t count = property->values ? property->values->count : 0;
    buffer_put_char(out, '{');
    put_time("timestamp", time_us, out);
    put_text("key", property->key, out);
    json_write_value_begin(out, "value");
    json_put_number(
        out, count ? ((const struct value *)(const void *)property->values->items[0])->value : 0);
    json_write_begin(out, "values", '[');
    for (uint32_t i = 0; i < count; i++) {
        json_write_value_begin(out, NULL);
        json_put_number(out,
                        ((const struct value *)(const void *)property->values->items[i])->value);
    }
    json_write_end(out, ']');
    buffer_put_char(out, '}');
}
