// entities.c - writes what is drawn of objects (messages.h).
#include <math.h>

#include "gateway/foxglove/message_parts.h"
#include "gateway/http/percent.h"
#include "proto/codec/json_text.h"
#include "proto/codec/json_write.h"

enum { DELETION_OF_ONE = 0, DELETION_OF_ALL = 1 };

#define CUBE_M 0.2 // of an object without a model, where its scale is 1
#define FONT_PX 14

static void
put_color(const double *rgba, struct buffer *out)
{
    part_put_numbers("color", "rgba", rgba, out);
}

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
    part_put_pose(origin, turn, out);
    part_put_numbers("scale", "xyz", turned, out);
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
    part_put_pose(origin, upright, out);
    part_put_numbers("size", "xyz", size, out);
    put_color(blue, out);
    json_write_end(out, '}');
}

static void
put_name(const struct object *object, const double *scale, struct buffer *out)
{
    static const double upright[] = {1, 0, 0, 0}, white[] = {1, 1, 1, 1};
    const double above[] = {0, 0, CUBE_M * fabs(scale[2])};
    json_write_begin(out, NULL, '{');
    part_put_pose(above, upright, out);
    json_write_bool(out, "billboard", true);
    json_write_number(out, "font_size", FONT_PX);
    json_write_bool(out, "scale_invariant", true);
    put_color(white, out);
    part_put_text("text", text_size(object->name) ? object->name : object->key, out);
    json_write_end(out, '}');
}

static void
put_pair(const char *key, const struct text *value, struct buffer *out)
{
    if (text_size(value) == 0)
        return;
    json_write_begin(out, NULL, '{');
    json_write_text(out, "key", key);
    part_put_text("value", value, out);
    json_write_end(out, '}');
}

static void
put_shapes(const struct object *object, const struct text *assets, struct buffer *out)
{
    static const char *const others[] = {"arrows", "spheres", "cylinders", "lines", "triangles"};
    double translation[3], quaternion[4], scale[3];
    bool has_model = texts_count(object->assets) > 0;
    part_split(object->transform, translation, quaternion, scale);
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
    part_put_time("timestamp", time_us, out);
    part_put_frame("frame_id", &frame, out);
    part_put_text("id", object->key, out);
    part_put_time("lifetime", 0, out);
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
    part_put_time("timestamp", time_us, out);
    json_write_number(out, "type", key ? DELETION_OF_ONE : DELETION_OF_ALL);
    part_put_text("id", key, out);
    json_write_end(out, '}');
}
