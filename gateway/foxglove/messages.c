// messages.c - writes transforms, places, lines and values (messages.h).
#include "gateway/foxglove/messages.h"

#include "gateway/foxglove/message_parts.h"
#include "proto/codec/json_text.h"
#include "proto/codec/json_write.h"
#include "proto/records/value.h"
#include "proto/spatial/transform.h"

enum { LEVEL_INFO = 2 };

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
    part_split(matrix, translation, quaternion, scale);
    json_write_begin(out, NULL, '{');
    part_put_time("timestamp", time_us, out);
    PIECE(out, ",\"parent_frame_id\":");
    json_put_text(out, text_bytes(parent), text_size(parent));
    part_put_frame("child_frame_id", child, out);
    PIECE(out, ",\"translation\":");
    put_coordinates(translation, out);
    PIECE(out, "},\"rotation\":");
    put_coordinates(quaternion + 1, out);
    PIECE(out, ",\"w\":");
    json_put_number(out, quaternion[0]);
    PIECE(out, "}}");
}

// --- others ---

void
message_put_location(uint64_t time_us, const struct scene *scene, struct buffer *out)
{
    buffer_put_char(out, '{');
    part_put_time("timestamp", time_us, out);
    part_put_text("frame_id", scene->key, out);
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
    part_put_time("timestamp", time_us, out);
    json_write_number(out, "level", LEVEL_INFO);
    json_write_value_begin(out, "message");
    json_put_text(out, words, size);
    part_put_text("name", scene, out);
    json_write_text(out, "file", "");
    json_write_number(out, "line", 0);
    buffer_put_char(out, '}');
}

void
message_put_property(uint64_t time_us, const struct property *property, struct buffer *out)
{
    uint32_t count = property->values ? property->values->count : 0;
    buffer_put_char(out, '{');
    part_put_time("timestamp", time_us, out);
    part_put_text("key", property->key, out);
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
