// message_parts.c - writes the parts of messages (message_parts.h).
#include "gateway/foxglove/message_parts.h"

#include "proto/base/limits.h"
#include "proto/codec/json_text.h"
#include "proto/codec/json_write.h"
#include "proto/spatial/convention.h"
#include "proto/spatial/transform.h"

enum { US = 1000000 };

void
part_put_time(const char *name, uint64_t time_us, struct buffer *out)
{
    json_write_value_begin(out, name);
    buffer_put_chars(out, "{\"sec\":");
    json_put_integer(out, (int64_t)(time_us / US));
    buffer_put_chars(out, ",\"nsec\":");
    json_put_integer(out, (int64_t)(time_us % US * 1000));
    buffer_put_char(out, '}');
}

void
part_put_text(const char *name, const struct text *text, struct buffer *out)
{
    json_write_value_begin(out, name);
    json_put_text(out, text_bytes(text), text_size(text));
}

void
part_put_numbers(const char *name, const char *letters, const double *numbers, struct buffer *out)
{
    json_write_value_begin(out, name);
    buffer_put_char(out, '{');
    for (size_t i = 0; letters[i]; i++) {
        const char label[] = {'"', letters[i], '"', ':'};
        if (i)
            buffer_put_char(out, ',');
        buffer_put(out, label, sizeof label);
        json_put_number(out, numbers[i]);
    }
    buffer_put_char(out, '}');
}

// {x, y, z, w} of {w, x, y, z}.
static void
put_quaternion(const char *name, const double *quaternion, struct buffer *out)
{
    const double parts[] = {quaternion[1], quaternion[2], quaternion[3], quaternion[0]};
    part_put_numbers(name, "xyzw", parts, out);
}

void
part_put_pose(const double *position, const double *quaternion, struct buffer *out)
{
    json_write_begin(out, "pose", '{');
    part_put_numbers("position", "xyz", position, out);
    put_quaternion("orientation", quaternion, out);
    json_write_end(out, '}');
}

void
part_put_frame(const char *name, const struct frame *frame, struct buffer *out)
{
    static const char device[] = "/device/";
    char chars[2 * LIMIT_KEY_BYTES + sizeof device];
    size_t size = text_size(frame->scene), mark = frame->is_device ? sizeof device - 1 : 1;
    if (!frame->thing || size + mark + text_size(frame->thing) > sizeof chars) {
        part_put_text(name, frame->thing ? frame->thing : frame->scene, out);
        return;
    }
    memcpy(chars, text_bytes(frame->scene), text_size(frame->scene));
    memcpy(chars + size, device, mark);
    size += mark;
    memcpy(chars + size, text_bytes(frame->thing), text_size(frame->thing));
    json_write_value_begin(out, name);
    json_put_text(out, chars, size + text_size(frame->thing));
}

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

void
part_split(const double *matrix, double *ret_translation, double *ret_quaternion, double *ret_scale)
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
