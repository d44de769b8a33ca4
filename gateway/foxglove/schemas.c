// schemas.c - writes JSON schemas from a short notation (schemas.h):
//   s n i b        string, number, integer from 0, boolean
//   T D            time {sec, nsec}, duration {sec, nsec}
//   V Q P C        vector {x, y, z}, quaternion, pose, colour
//   (name:X …)     an object with these members
//   [X]            an array of X
#include "gateway/foxglove/schemas.h"

#include "proto/codec/json_write.h"

// clang-format off
#define ENTITY \
    "timestamp:T frame_id:s id:s lifetime:D frame_locked:b metadata:[(key:s value:s)]" \
    " arrows:[(pose:P shaft_length:n shaft_diameter:n head_length:n head_diameter:n color:C)]" \
    " cubes:[(pose:P size:V color:C)]" \
    " spheres:[(pose:P size:V color:C)]" \
    " cylinders:[(pose:P size:V bottom_scale:n top_scale:n color:C)]" \
    " lines:[(type:i pose:P thickness:n scale_invariant:b points:[V] color:C colors:[C] indices:[i])]" \
    " triangles:[(pose:P points:[V] color:C colors:[C] indices:[i])]" \
    " texts:[(pose:P billboard:b font_size:n scale_invariant:b color:C text:s)]" \
    " models:[(pose:P scale:V color:C override_color:b url:s media_type:s data:s)]"

// The order of enum message_kind. Source of the shapes: the messages of these names in Foxglove's
// documentation of its schemas.
static const struct {
    const char *name, *shape;
} messages[MESSAGE_KINDS] = {
    {"foxglove.FrameTransforms", "(transforms:[(timestamp:T parent_frame_id:s child_frame_id:s translation:V rotation:Q)])"},
    {"foxglove.SceneUpdate",     "(deletions:[(timestamp:T type:i id:s)] entities:[(" ENTITY ")])"},
    {"foxglove.LocationFix",     "(timestamp:T frame_id:s latitude:n longitude:n altitude:n position_covariance:[n] position_covariance_type:i)"},
    {"foxglove.Log",             "(timestamp:T level:i message:s name:s file:s line:i)"},
    {"diorama.Property",         "(timestamp:T key:s value:n values:[n])"},
};
// clang-format on

const char *
schema_name(enum message_kind kind)
{
    return messages[kind].name;
}

static const struct {
    char letter;
    const char *shape;
} letters[] = {
    {'T', "(sec:i nsec:i)"},
    {'D', "(sec:i nsec:i)"},
    {'V', "(x:n y:n z:n)"},
    {'Q', "(x:n y:n z:n w:n)"},
    {'P', "(position:V orientation:Q)"},
    {'C', "(r:n g:n b:n a:n)"},
};

static const char *put_shape(const char *name, const char *shape, struct buffer *out);

static const char *
put_members(const char *at, struct buffer *out)
{
    char name[32];
    json_write_text(out, "type", "object");
    json_write_begin(out, "properties", '{');
    for (at++; *at != ')'; at += *at == ' ') {
        size_t size = strcspn(at, ":");
        memcpy(name, at, size);
        name[size] = '\0';
        at = put_shape(name, at + size + 1, out);
    }
    json_write_end(out, '}');
    return at + 1;
}

static const char *
put_items(const char *at, struct buffer *out)
{
    json_write_text(out, "type", "array");
    at = put_shape("items", at + 1, out);
    return at + 1; // ]
}

static const char *
put_letter(const char *at, struct buffer *out)
{
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (letters[i].letter == *at)
            (void)put_members(letters[i].shape, out);
    switch (*at) {
    case 's':
        json_write_text(out, "type", "string");
        break;
    case 'n':
        json_write_text(out, "type", "number");
        break;
    case 'b':
        json_write_text(out, "type", "boolean");
        break;
    case 'i':
        json_write_text(out, "type", "integer");
        json_write_number(out, "minimum", 0);
        break;
    default:
        break;
    }
    return at + 1;
}

// Writes one shape as a member `name` (NULL: alone). Returns what is behind it.
static const char *
put_shape(const char *name, const char *shape, struct buffer *out)
{
    json_write_begin(out, name, '{');
    shape = *shape == '('   ? put_members(shape, out)
            : *shape == '[' ? put_items(shape, out)
                            : put_letter(shape, out);
    json_write_end(out, '}');
    return shape;
}

void
schema_put(enum message_kind kind, struct buffer *out)
{
    struct buffer schema = {0}; // a document of its own: commas are put by what stands before
    (void)put_shape(NULL, messages[kind].shape, &schema);
    buffer_put(out, schema.data, schema.size);
    buffer_finish(&schema);
}
