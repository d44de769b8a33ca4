// czml_packet.c - writes packets of CZML (czml_packet.h).
#include "gateway/events/czml_packet.h"

#include <math.h>

#include "gateway/http/percent.h"
#include "proto/codec/json_text.h"
#include "proto/records/device.h"
#include "proto/spatial/matrix3.h"
#include "proto/spatial/transform.h"

#define FARTHEST_M 1e9 // beyond it nothing is drawn
#define DEVICE "device:"
#define SCENE "scene:"

// CesiumJS takes +Z of a model, which is its front, for the X of the entity, and +Y for its Z: so
// X, Y, Z of an entity are Z, X, Y of its object.
static const double model_to_object[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};

static void
put_id(const char *kind, const struct text *key, struct buffer *out)
{
    buffer_put_chars(out, "{\"id\":");
    size_t start = out->size;
    json_put_text(out, text_bytes(key), text_size(key));
    if (!*kind)
        return;
    out->size = start;
    buffer_put_format(out, "\"%s", kind);
    size_t quote = out->size;
    json_put_text(out, text_bytes(key), text_size(key));
    memmove(out->data + quote, out->data + quote + 1, out->size - quote - 1);
    out->size--;
}

static void
put_numbers(const double *numbers, unsigned count, struct buffer *out)
{
    for (unsigned i = 0; i < count; i++) {
        buffer_put_char(out, i ? ',' : '[');
        json_put_number(out, numbers[i]);
    }
    buffer_put_char(out, ']');
}

// --- places ---

// Where a point of the scene is on Earth; false if that is too far away to be shown.
static bool
find_point(const struct czml_form *form, const double *point, double *ret_ecef)
{
    matrix3_rotate(form->rotation, point, ret_ecef);
    for (int i = 0; i < 3; i++) {
        ret_ecef[i] += form->frame.ecef[i];
        if (!(fabs(ret_ecef[i]) < FARTHEST_M))
            return false;
    }
    return true;
}

struct placed {
    double ecef[3], quaternion[4]; // x, y, z, w
    double scale;
};

// One number for a scale that has three.
static double
scale_of(const double *scale)
{
    double x = fabs(scale[0]), y = fabs(scale[1]), z = fabs(scale[2]);
    bool is_even = fabs(x - y) <= 1e-9 * x && fabs(x - z) <= 1e-9 * x;
    return is_even ? x : cbrt(x) * cbrt(y) * cbrt(z);
}

static bool
find_place(const struct czml_form *form, const double *matrix, struct placed *ret)
{
    double translation[3], rotation[9], scale[3], quaternion[4];
    if (!transform_decompose(matrix, translation, rotation, scale))
        return false;
    matrix3_multiply(form->rotation, rotation, rotation);
    matrix3_multiply(rotation, model_to_object, rotation);
    quaternion_of_rotation(rotation, quaternion);
    memcpy(ret->quaternion, quaternion + 1, 3 * sizeof *quaternion);
    ret->quaternion[3] = quaternion[0];
    ret->scale = scale_of(scale);
    return isfinite(ret->scale) && find_point(form, translation, ret->ecef);
}

// --- packets ---

// Relative to the stream, so that it holds behind a proxy too.
static void
put_model(const struct text *key, const char *name, double scale, struct buffer *out)
{
    buffer_put_chars(out, ",\"model\":{\"show\":true,\"gltf\":\"../../asset/");
    percent_encode(out, key);
    buffer_put_format(out, "/%s\",\"scale\":", name);
    json_put_number(out, scale);
    buffer_put_char(out, '}');
}

static bool
is_hidden(const struct object *object)
{
    return record_has(&object->base, OBJECT_VISIBLE) && object->rare && !object->rare->visible;
}

void
czml_packet_put_object(const struct czml_form *form, const struct object *object, const char *name,
                       struct buffer *out)
{
    struct placed placed;
    put_id("", object->key, out);
    if (text_size(object->name)) {
        buffer_put_chars(out, ",\"name\":");
        json_put_text(out, text_bytes(object->name), text_size(object->name));
    }
    bool is_placed = find_place(form, object->transform, &placed);
    if (is_placed) {
        buffer_put_chars(out, ",\"position\":{\"cartesian\":");
        put_numbers(placed.ecef, 3, out);
        buffer_put_chars(out, "},\"orientation\":{\"unitQuaternion\":");
        put_numbers(placed.quaternion, 4, out);
        buffer_put_char(out, '}');
    }
    if (is_placed && name && !is_hidden(object))
        put_model(object->assets->items[0], name, placed.scale, out);
    else
        buffer_put_chars(out, ",\"model\":{\"show\":false}");
    buffer_put_char(out, '}');
}

// Names of members that the class of an entity's properties has for itself, or every object.
static bool
is_taken(const struct text *name)
{
    static const char *const taken[] = {
        "propertyNames",
        "isConstant",
        "definitionChanged",
        "hasProperty",
        "addProperty",
        "removeProperty",
        "getValue",
        "merge",
        "equals",
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toString",
        "toLocaleString",
        "valueOf",
    };
    if (text_size(name) == 0 || text_bytes(name)[0] == '_')
        return true;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (text_is(name, taken[i]))
            return true;
    return false;
}

bool
czml_packet_put_property(const struct property *property, bool is_deleted, struct buffer *out)
{
    const struct records *values = property->values;
    if (!values || values->count != 1 || is_taken(property->name))
        return false;
    bool has_object = text_size(property->parent) > 0;
    put_id(has_object ? "" : SCENE, has_object ? property->parent : property->scene, out);
    buffer_put_chars(out, ",\"properties\":{");
    json_put_text(out, text_bytes(property->name), text_size(property->name));
    buffer_put_char(out, ':');
    if (is_deleted)
        buffer_put_chars(out, "{\"delete\":true}");
    else
        json_put_number(out, ((const struct value *)(const void *)values->items[0])->value);
    buffer_put_chars(out, "}}");
    return true;
}

void
czml_packet_put_device(const struct czml_form *form, const struct text *key,
                       const struct record *pose, struct buffer *out)
{
    double ecef[3];
    bool is_placed =
        pose && find_point(form, ((const struct pose *)(const void *)pose)->translation, ecef);
    if (!is_placed) {
        czml_packet_put_end(DEVICE, key, out);
        return;
    }
    put_id(DEVICE, key, out);
    buffer_put_chars(out, ",\"name\":");
    json_put_text(out, text_bytes(key), text_size(key));
    buffer_put_chars(out, ",\"position\":{\"cartesian\":");
    put_numbers(ecef, 3, out);
    buffer_put_chars(out, "},\"point\":{\"pixelSize\":8}}");
}

void
czml_packet_put_end(const char *kind, const struct text *key, struct buffer *out)
{
    put_id(kind, key, out);
    buffer_put_chars(out, ",\"delete\":true}");
}
