// glb_test.c - a file that is made has the parts that its header and its JSON tell. A reader that
// shares no code with this one looks at whole models (tests/system/demo_test.py).
#include "tools/cli/glb.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tools/cli/json_value.h"

static const struct glb_point origin = {0, 0, 0};

static uint32_t
word(const struct buffer *file, size_t at)
{
    uint32_t value;
    memcpy(&value, file->data + at, sizeof value);
    return value;
}

static void
make(const struct glb *glb, struct buffer *file, struct arena *arena, const struct json **ret_json)
{
    glb_put(glb, "thing", file);
    cr_assert_geq(file->size, 20);
    cr_assert_eq(json_parse(arena, file->data + 20, word(file, 12), ret_json), OK);
}

Test(glb, the_header_tells_the_sizes_of_the_chunks)
{
    owned(glb_finish) struct glb glb = {0};
    owned(buffer_finish) struct buffer file = {0};
    owned(arena_finish) struct arena arena = {0};
    const struct json *json;
    glb_box(&glb, GLB_SURFACE, origin, (struct glb_point){1, 2, 3}, glb_color(0xff0000));
    make(&glb, &file, &arena, &json);
    cr_expect_eq(memcmp(file.data, "glTF", 4), 0);
    cr_expect_eq(word(&file, 4), 2);
    cr_expect_eq(word(&file, 8), file.size);
    uint32_t json_size = word(&file, 12), bytes = word(&file, 20 + json_size);
    cr_expect_eq(json_size % 4, 0);
    cr_expect_eq(28 + json_size + bytes, file.size);
    cr_expect_eq(bytes, 24 * (12 + 12 + 4) + 36 * 4);
    cr_expect_eq(json_value_unsigned(json_value_item(json, "buffers", 0), "byteLength", 0), bytes);
}

Test(glb, bounds_are_those_of_the_shape)
{
    owned(glb_finish) struct glb glb = {0};
    owned(buffer_finish) struct buffer file = {0};
    owned(arena_finish) struct arena arena = {0};
    const struct json *json;
    double least[3], most[3];
    glb_box(&glb, GLB_SURFACE, (struct glb_point){1, 1, 1}, (struct glb_point){1, 2, 3},
            glb_color(0));
    make(&glb, &file, &arena, &json);
    const struct json *positions = json_value_item(json, "accessors", 0);
    cr_assert(json_value_numbers(positions, "min", 3, least));
    cr_assert(json_value_numbers(positions, "max", 3, most));
    cr_expect(least[0] == 0.5 && least[1] == 0 && least[2] == -0.5);
    cr_expect(most[0] == 1.5 && most[1] == 2 && most[2] == 2.5);
}

Test(glb, a_layer_without_shapes_is_no_primitive)
{
    owned(glb_finish) struct glb glb = {0};
    owned(buffer_finish) struct buffer file = {0};
    owned(arena_finish) struct arena arena = {0};
    const struct json *json;
    glb_shade(&glb, 1, 0, 0.5f);
    make(&glb, &file, &arena, &json);
    const struct json *mesh = json_value_item(json, "meshes", 0);
    const struct json *primitive = json_value_item(mesh, "primitives", 0);
    cr_expect_eq(json_value_unsigned(primitive, "material", 9), GLB_SHADE);
    cr_expect_null(json_value_item(mesh, "primitives", 1));
}

// Of a triangle of the only layer: across its face, times the sum of its normals.
static float
outwards(const struct glb_part *part, size_t triangle)
{
    const uint32_t *corners = (const uint32_t *)(const void *)part->indices.data + 3 * triangle;
    const struct glb_point *at = (const void *)part->positions.data;
    const struct glb_point *normals = (const void *)part->normals.data;
    const struct glb_point *a = &at[corners[0]], *b = &at[corners[1]], *c = &at[corners[2]];
    struct glb_point one = {b->x - a->x, b->y - a->y, b->z - a->z};
    struct glb_point other = {c->x - a->x, c->y - a->y, c->z - a->z};
    struct glb_point face = {one.y * other.z - one.z * other.y, one.z * other.x - one.x * other.z,
                             one.x * other.y - one.y * other.x};
    float sum = 0;
    for (size_t i = 0; i < 3; i++) {
        const struct glb_point *normal = &normals[corners[i]];
        sum += face.x * normal->x + face.y * normal->y + face.z * normal->z;
    }
    return sum;
}

Test(glb, triangles_face_where_their_normals_point)
{
    static const struct glb_ring rings[] = {{1, 0}, {1, 2}, {1, 2}, {0, 2}};
    owned(glb_finish) struct glb glb = {0};
    glb_box(&glb, GLB_SURFACE, origin, (struct glb_point){1, 1, 1}, glb_color(0));
    glb_turned(&glb, GLB_SURFACE, origin, rings, 4, glb_color(0));
    glb_ball(&glb, GLB_SURFACE, origin, (struct glb_point){1, 2, 1}, glb_color(0));
    const struct glb_part *part = &glb.parts[GLB_SURFACE];
    size_t triangles = part->indices.size / (3 * sizeof(uint32_t));
    cr_assert_gt(triangles, 100);
    for (size_t i = 0; i < triangles; i++)
        cr_expect_geq(outwards(part, i), -1e-6f, "triangle %zu", i);
}

Test(glb, colours_become_linear)
{
    struct glb_color color = glb_color(0xff8000);
    cr_expect_float_eq(color.red, 1, 1e-6);
    cr_expect_float_eq(color.green, 0.2158605, 1e-6);
    cr_expect_float_eq(color.blue, 0, 1e-6);
    cr_expect_float_eq(color.alpha, 1, 1e-6);
}
