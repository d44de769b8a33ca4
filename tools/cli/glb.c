// glb.c - vertices of simple shapes, and the file that holds them: a header, a chunk of JSON, and a
// chunk with the bytes of each attribute of each part (glTF 2.0, 4.4).
#include "tools/cli/glb.h"

#include <math.h>
#include <string.h>

#include "proto/base/owned.h"

enum { SIDES = 16, BALL_RINGS = 9, ATTRIBUTES = 4 };
enum { MAGIC = 0x46546c67, VERSION = 2, CHUNK_JSON = 0x4e4f534a, CHUNK_BIN = 0x004e4942 };

void
glb_finish(struct glb *self)
{
    for (size_t i = 0; i < GLB_LAYERS; i++) {
        buffer_finish(&self->parts[i].positions);
        buffer_finish(&self->parts[i].normals);
        buffer_finish(&self->parts[i].colors);
        buffer_finish(&self->parts[i].indices);
    }
    *self = (struct glb){0};
}

// --- vertices ---

static float
linear(uint32_t byte)
{
    float value = (float)(byte & 0xff) / 255;
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

struct glb_color
glb_color(uint32_t rgb)
{
    return (struct glb_color){linear(rgb >> 16), linear(rgb >> 8), linear(rgb), 1};
}

static void
put_byte(struct buffer *out, float share)
{
    float most = fminf(fmaxf(share, 0), 1);
    buffer_put_char(out, (char)(uint8_t)lroundf(most * 255));
}

static void
grow(struct glb_part *part, struct glb_point at)
{
    if (part->count == 0)
        part->least = part->most = at;
    part->least = (struct glb_point){fminf(part->least.x, at.x), fminf(part->least.y, at.y),
                                     fminf(part->least.z, at.z)};
    part->most = (struct glb_point){fmaxf(part->most.x, at.x), fmaxf(part->most.y, at.y),
                                    fmaxf(part->most.z, at.z)};
}

static struct glb_point
unit(struct glb_point way)
{
    float size = sqrtf(way.x * way.x + way.y * way.y + way.z * way.z);
    return size > 0 ? (struct glb_point){way.x / size, way.y / size, way.z / size}
                    : (struct glb_point){0, 1, 0};
}

static void
put_vertex(struct glb_part *part, struct glb_point at, struct glb_point normal,
           struct glb_color color)
{
    normal = unit(normal);
    grow(part, at);
    buffer_put(&part->positions, &at, sizeof at);
    buffer_put(&part->normals, &normal, sizeof normal);
    put_byte(&part->colors, color.red);
    put_byte(&part->colors, color.green);
    put_byte(&part->colors, color.blue);
    put_byte(&part->colors, color.alpha);
    part->count++;
}

static void
put_triangle(struct glb_part *part, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t three[3] = {a, b, c};
    buffer_put(&part->indices, three, sizeof three);
}

// --- round shapes ---

// Across the outline from one ring to another, outwards.
static struct glb_ring
across(const struct glb_ring *from, const struct glb_ring *to)
{
    float high = to->y - from->y, wide = to->radius - from->radius;
    float size = sqrtf(high * high + wide * wide);
    return size > 0 ? (struct glb_ring){high / size, -wide / size} : (struct glb_ring){0, 0};
}

// The normal of the outline at an end of the piece that begins at ring `i`: the mean of the pieces
// that meet there. A piece of no length, the same ring twice, has none.
static struct glb_ring
slope(const struct glb_ring *rings, size_t count, size_t i, bool at_end)
{
    struct glb_ring own = across(&rings[i], &rings[i + 1]), other = {0, 0};
    if (at_end && i + 2 < count)
        other = across(&rings[i + 1], &rings[i + 2]);
    if (!at_end && i > 0)
        other = across(&rings[i - 1], &rings[i]);
    return (struct glb_ring){own.radius + other.radius, own.y + other.y};
}

static void
put_ring(struct glb_part *part, struct glb_point at, const struct glb_ring *ring,
         const struct glb_ring *normal, struct glb_color color)
{
    for (int side = 0; side <= SIDES; side++) {
        float angle = (float)(2 * M_PI * side / SIDES), cosine = cosf(angle), sine = sinf(angle);
        put_vertex(part,
                   (struct glb_point){at.x + ring->radius * cosine, at.y + ring->y,
                                      at.z + ring->radius * sine},
                   (struct glb_point){normal->radius * cosine, normal->y, normal->radius * sine},
                   color);
    }
}

// The triangles between two rings of vertices, the second of which begins at `above`.
static void
join_rings(struct glb_part *part, uint32_t below, uint32_t above)
{
    for (uint32_t side = 0; side < SIDES; side++) {
        put_triangle(part, below + side, above + side, below + side + 1);
        put_triangle(part, below + side + 1, above + side, above + side + 1);
    }
}

void
glb_turned(struct glb *self, enum glb_layer layer, struct glb_point at,
           const struct glb_ring *rings, size_t count, struct glb_color color)
{
    struct glb_part *part = &self->parts[layer];
    for (size_t i = 0; i + 1 < count; i++) {
        struct glb_ring own = across(&rings[i], &rings[i + 1]);
        if (own.radius == 0 && own.y == 0)
            continue;
        struct glb_ring first = slope(rings, count, i, false), last = slope(rings, count, i, true);
        uint32_t below = part->count;
        put_ring(part, at, &rings[i], &first, color);
        put_ring(part, at, &rings[i + 1], &last, color);
        join_rings(part, below, below + SIDES + 1);
    }
}

void
glb_ball(struct glb *self, enum glb_layer layer, struct glb_point at, struct glb_point radius,
         struct glb_color color)
{
    struct glb_part *part = &self->parts[layer];
    uint32_t first = part->count;
    for (int row = 0; row <= BALL_RINGS; row++) {
        float rise = (float)(M_PI * row / BALL_RINGS - M_PI / 2);
        for (int side = 0; side <= SIDES; side++) {
            float turn = (float)(2 * M_PI * side / SIDES);
            struct glb_point way = {cosf(rise) * cosf(turn), sinf(rise), cosf(rise) * sinf(turn)};
            put_vertex(part,
                       (struct glb_point){at.x + radius.x * way.x, at.y + radius.y * way.y,
                                          at.z + radius.z * way.z},
                       (struct glb_point){way.x / radius.x, way.y / radius.y, way.z / radius.z},
                       color);
        }
    }
    for (uint32_t row = 0; row < BALL_RINGS; row++)
        join_rings(part, first + row * (SIDES + 1), first + (row + 1) * (SIDES + 1));
}

// --- flat shapes ---

void
glb_quad(struct glb *self, enum glb_layer layer, const struct glb_point corners[4],
         struct glb_color color)
{
    struct glb_part *part = &self->parts[layer];
    const struct glb_point *a = &corners[0], *b = &corners[1], *c = &corners[2];
    struct glb_point one = {b->x - a->x, b->y - a->y, b->z - a->z};
    struct glb_point other = {c->x - a->x, c->y - a->y, c->z - a->z};
    struct glb_point normal = {one.y * other.z - one.z * other.y, one.z * other.x - one.x * other.z,
                               one.x * other.y - one.y * other.x};
    uint32_t first = part->count;
    for (int i = 0; i < 4; i++)
        put_vertex(part, corners[i], normal, color);
    put_triangle(part, first, first + 1, first + 2);
    put_triangle(part, first, first + 2, first + 3);
}

void
glb_box(struct glb *self, enum glb_layer layer, struct glb_point at, struct glb_point size,
        struct glb_color color)
{
    // Corners by number: bit 0 is x, bit 1 is y, bit 2 is z.
    static const uint8_t sides[6][4] = {{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3},
                                        {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}};
    for (size_t side = 0; side < 6; side++) {
        struct glb_point corners[4];
        for (size_t i = 0; i < 4; i++) {
            uint8_t corner = sides[side][i];
            corners[i] = (struct glb_point){at.x + (corner & 1 ? 0.5f : -0.5f) * size.x,
                                            at.y + (corner & 2 ? 0.5f : -0.5f) * size.y,
                                            at.z + (corner & 4 ? 0.5f : -0.5f) * size.z};
        }
        glb_quad(self, layer, corners, color);
    }
}

void
glb_shade(struct glb *self, float radius, float y, float alpha)
{
    struct glb_part *part = &self->parts[GLB_SHADE];
    const struct glb_point up = {0, 1, 0};
    uint32_t middle = part->count;
    put_vertex(part, (struct glb_point){0, y, 0}, up, (struct glb_color){0, 0, 0, alpha});
    for (int side = 0; side <= SIDES; side++) {
        float angle = (float)(2 * M_PI * side / SIDES);
        put_vertex(part, (struct glb_point){radius * cosf(angle), y, radius * sinf(angle)}, up,
                   (struct glb_color){0, 0, 0, 0});
    }
    for (uint32_t side = 1; side <= SIDES; side++)
        put_triangle(part, middle, middle + side + 1, middle + side);
}

// --- the file ---

// How an attribute stands in the file.
struct attribute {
    const char *name; // NULL = indices
    size_t offset;    // of its buffer in struct glb_part
    size_t bytes;     // of one
    int component;    // glTF's number of the type
    const char *type;
    int target;
};

// clang-format off
static const struct attribute attributes[ATTRIBUTES] = {
    {"POSITION", offsetof(struct glb_part, positions), 12, 5126, "VEC3",   34962},
    {"NORMAL",   offsetof(struct glb_part, normals),   12, 5126, "VEC3",   34962},
    {"COLOR_0",  offsetof(struct glb_part, colors),     4, 5121, "VEC4",   34962},
    {NULL,       offsetof(struct glb_part, indices),    4, 5125, "SCALAR", 34963},
};
static const char *const materials[GLB_LAYERS] = {
    "{\"name\":\"surface\",\"pbrMetallicRoughness\":{\"metallicFactor\":0,\"roughnessFactor\":0.8}}",
    "{\"name\":\"glow\",\"extensions\":{\"KHR_materials_unlit\":{}}}",
    "{\"name\":\"shade\",\"alphaMode\":\"BLEND\",\"extensions\":{\"KHR_materials_unlit\":{}}}",
};
// clang-format on

static const struct buffer *
bytes_of(const struct glb_part *part, size_t attribute)
{
    return (const void *)((const char *)part + attributes[attribute].offset);
}

// Appends the rows that `put` writes for each attribute of each part, with commas between them.
static void
put_rows(const struct glb *self, struct buffer *out, const char *name,
         void (*put)(struct buffer *out, const struct glb_part *part, size_t attribute,
                     size_t number, size_t *at))
{
    size_t number = 0, at = 0;
    buffer_put_format(out, ",\"%s\":[", name);
    for (size_t i = 0; i < GLB_LAYERS * ATTRIBUTES; i++) {
        const struct glb_part *part = &self->parts[i / ATTRIBUTES];
        if (part->count == 0)
            continue;
        if (number > 0)
            buffer_put_char(out, ',');
        put(out, part, i % ATTRIBUTES, number++, &at);
    }
    buffer_put_char(out, ']');
}

static void
put_view(struct buffer *out, const struct glb_part *part, size_t attribute, size_t number,
         size_t *at)
{
    (void)number;
    size_t size = bytes_of(part, attribute)->size;
    buffer_put_format(out, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":%d}",
                      *at, size, attributes[attribute].target);
    *at += size;
}

static void
put_accessor(struct buffer *out, const struct glb_part *part, size_t attribute, size_t number,
             size_t *at)
{
    (void)at;
    const struct attribute *row = &attributes[attribute];
    const struct glb_point *least = &part->least, *most = &part->most;
    buffer_put_format(out, "{\"bufferView\":%zu,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"",
                      number, row->component, bytes_of(part, attribute)->size / row->bytes,
                      row->type);
    if (row->component == 5121)
        buffer_put_chars(out, ",\"normalized\":true");
    if (attribute == 0)
        buffer_put_format(out, ",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]",
                          (double)least->x, (double)least->y, (double)least->z, (double)most->x,
                          (double)most->y, (double)most->z);
    buffer_put_char(out, '}');
}

static void
put_primitives(const struct glb *self, struct buffer *out)
{
    size_t number = 0;
    for (size_t layer = 0; layer < GLB_LAYERS; layer++) {
        if (self->parts[layer].count == 0)
            continue;
        size_t first = number * ATTRIBUTES;
        buffer_put_format(out,
                          "%s{\"attributes\":{\"POSITION\":%zu,\"NORMAL\":%zu,\"COLOR_0\":%zu},"
                          "\"indices\":%zu,\"material\":%zu}",
                          number ? "," : "", first, first + 1, first + 2, first + 3, layer);
        number++;
    }
}

static size_t
all_bytes(const struct glb *self)
{
    size_t size = 0;
    for (size_t i = 0; i < GLB_LAYERS * ATTRIBUTES; i++)
        size += bytes_of(&self->parts[i / ATTRIBUTES], i % ATTRIBUTES)->size;
    return size;
}

static void
put_json(const struct glb *self, const char *name, struct buffer *out)
{
    buffer_put_chars(out, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"diorama\"},"
                          "\"extensionsUsed\":[\"KHR_materials_unlit\"],\"scene\":0,"
                          "\"scenes\":[{\"nodes\":[0]}],");
    buffer_put_format(out, "\"nodes\":[{\"mesh\":0,\"name\":\"%s\"}],", name);
    buffer_put_format(out, "\"meshes\":[{\"name\":\"%s\",\"primitives\":[", name);
    put_primitives(self, out);
    buffer_put_chars(out, "]}],\"materials\":[");
    for (size_t i = 0; i < GLB_LAYERS; i++)
        buffer_put_format(out, "%s%s", i ? "," : "", materials[i]);
    buffer_put_char(out, ']');
    put_rows(self, out, "accessors", put_accessor);
    put_rows(self, out, "bufferViews", put_view);
    buffer_put_format(out, ",\"buffers\":[{\"byteLength\":%zu}]}", all_bytes(self));
    while (out->size % 4)
        buffer_put_char(out, ' ');
}

static void
put_word(struct buffer *out, size_t word)
{
    const uint32_t value = (uint32_t)word;
    const char bytes[4] = {(char)value, (char)(value >> 8), (char)(value >> 16),
                           (char)(value >> 24)};
    buffer_put(out, bytes, sizeof bytes);
}

void
glb_put(const struct glb *self, const char *name, struct buffer *out)
{
    owned(buffer_finish) struct buffer json = {0};
    size_t bytes = all_bytes(self);
    put_json(self, name, &json);
    put_word(out, MAGIC);
    put_word(out, VERSION);
    put_word(out, 12 + 8 + json.size + 8 + bytes);
    put_word(out, json.size);
    put_word(out, CHUNK_JSON);
    buffer_put(out, json.data, json.size);
    put_word(out, bytes);
    put_word(out, CHUNK_BIN);
    for (size_t i = 0; i < GLB_LAYERS * ATTRIBUTES; i++) {
        const struct buffer *part = bytes_of(&self->parts[i / ATTRIBUTES], i % ATTRIBUTES);
        buffer_put(out, part->data, part->size);
    }
}
