// model_bounds_test.c - the spheres of models, and the files that have none.
#include "gateway/request/model_bounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/buffer.h"

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(model_bounds, .fini = end);

#define MESH "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"
#define BOX(low, high) "\"accessors\":[{\"min\":" low ",\"max\":" high "}]"
#define UNIT BOX("[-0.5,-0.5,-0.5]", "[0.5,0.5,0.5]")
#define SCENES "\"scenes\":[{\"nodes\":[0]}]"

static bool
read(const char *json, double *ret_sphere)
{
    return model_bounds_read(&arena, json, strlen(json), ret_sphere);
}

static void
expect(const char *json, double x, double y, double z, double radius)
{
    double sphere[4];
    const double wanted[4] = {x, y, z, radius};
    cr_assert(read(json, sphere), "%s", json);
    for (int i = 0; i < 4; i++)
        cr_expect_float_eq(sphere[i], wanted[i], 1e-12, "%d of %s: %.17g", i, json, sphere[i]);
}

static void
expect_none(const char *json)
{
    double sphere[4];
    cr_expect_not(read(json, sphere), "%s", json);
}

Test(model_bounds, are_those_of_the_positions_of_a_mesh)
{
    expect("{" SCENES ",\"nodes\":[{\"mesh\":0}]," MESH "," BOX("[1,2,3]", "[3,2,3]") "}", 2, 2, 3,
           1);
}

Test(model_bounds, stand_where_the_nodes_put_them)
{
    // turned a quarter about y, z becomes x: (0, 5, 8) is (8, 5, 0) there
    expect("{" SCENES ",\"nodes\":[{\"translation\":[30,0,0],\"rotation\":[0,0.70710678118654752,0,"
           "0.70710678118654752],\"children\":[1]},{\"matrix\":[2,0,0,0,0,2,0,0,0,0,2,0,0,5,8,1],"
           "\"mesh\":0}]," MESH "," UNIT "}",
           38, 5, 0, sqrt(3));
    expect("{" SCENES ",\"nodes\":[{\"scale\":[1,2,3],\"mesh\":0}]," MESH "," UNIT "}", 0, 0, 0,
           sqrt(14) / 2);
}

Test(model_bounds, are_around_all_meshes_of_the_scene_and_no_others)
{
    expect("{\"scene\":1,\"scenes\":[{\"nodes\":[2]},{\"nodes\":[0,1]}],\"nodes\":[{\"mesh\":0},"
           "{\"mesh\":0,\"translation\":[4,0,0]},{\"mesh\":0,\"translation\":[900,0,0]}]," MESH
           "," BOX("[0,0,0]", "[0,0,0]") "}",
           2, 0, 0, 2);
}

Test(model_bounds, of_what_moves_or_bends_are_twice_as_large)
{
    expect("{" SCENES ",\"animations\":[{}],\"nodes\":[{\"mesh\":0}]," MESH
           "," BOX("[-1,0,0]", "[1,0,0]") "}",
           0, 0, 0, 2);
    expect("{" SCENES ",\"skins\":[{}],\"nodes\":[{\"mesh\":0}]," MESH
           "," BOX("[-1,0,0]", "[1,0,0]") "}",
           0, 0, 0, 2);
}

Test(model_bounds, of_normalized_positions_are_those_that_they_stand_for)
{
    expect("{" SCENES ",\"nodes\":[{\"mesh\":0}]," MESH
           ",\"accessors\":[{\"normalized\":true,\"componentType\":5122,\"min\":[-32767,0,0],"
           "\"max\":[32767,0,0]}]}",
           0, 0, 0, 1);
}

Test(model_bounds, end_where_nodes_are_in_a_circle)
{
    expect("{" SCENES ",\"nodes\":[{\"mesh\":0,\"children\":[0,1]},{\"children\":[0,1],\"mesh\":0,"
           "\"translation\":[2,0,0]}]," MESH "," BOX("[0,0,0]", "[0,0,0]") "}",
           1, 0, 0, 1);
}

Test(model_bounds, pass_over_those_that_are_no_bounds)
{
    static const char *const odd[] = {
        BOX("[1,0,0]", "[-1,0,0]"),
        BOX("[0,0]", "[1,1]"),
        BOX("[0,0,\"a\"]", "[1,1,1]"),
        BOX("null", "[1,1,1]"),
        BOX("[0,0,0,0]", "[1,1,1,1]"),
        BOX("[-1e308,0,0]", "[1e308,0,0]"),
        BOX("[0,0,0]", "{\"x\":[1]}"),
        "\"accessors\":[3]",
        "\"accessors\":{}",
        "\"accessors\":[]",
    };
    char json[1024];
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        snprintf(json, sizeof json, "{%s,\"nodes\":[{\"mesh\":0}],%s,%s}", SCENES, MESH, odd[i]);
        expect_none(json);
    }
}

Test(model_bounds, of_what_is_no_model_are_unknown)
{
    static const char *const broken[] = {
        "",
        "{",
        "[]",
        "3",
        "null",
        "{}",
        "{\"nodes\":[{\"mesh\":0}]," MESH "," UNIT "}",
        "{\"scenes\":[{\"nodes\":[7,-1,0.5,\"0\",null]}],\"nodes\":[{\"mesh\":0}]," MESH "," UNIT
        "}",
        "{\"scenes\":[3],\"nodes\":[3]," MESH "," UNIT "}",
        "{" SCENES ",\"nodes\":[{\"mesh\":9}]," MESH "," UNIT "}",
        "{" SCENES
        ",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[3,{\"attributes\":[]}]}]," UNIT "}",
        "{" SCENES ",\"nodes\":[{\"mesh\":0,\"scale\":[1e200,1e200,1e200]}]," MESH "," UNIT "}",
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++)
        expect_none(broken[i]);
}

Test(model_bounds, of_a_million_brackets_are_unknown)
{
    struct buffer json = {0};
    double sphere[4];
    for (int i = 0; i < 1 << 20; i++)
        buffer_put_char(&json, '[');
    cr_expect_not(model_bounds_read(&arena, json.data, json.size, sphere));
    buffer_finish(&json);
}

Test(model_bounds, of_a_long_chain_of_nodes_are_found)
{
    struct buffer json = {0};
    double sphere[4];
    buffer_put_chars(&json, "{" SCENES "," MESH "," BOX("[0,0,0]", "[0,0,0]") ",\"nodes\":[");
    for (int i = 1; i < MODEL_NODES_MOST; i++)
        buffer_put_format(&json, "{\"translation\":[1,0,0],\"children\":[%d]},", i);
    buffer_put_chars(&json, "{\"mesh\":0}]}");
    cr_assert(model_bounds_read(&arena, json.data, json.size, sphere));
    cr_expect_eq(sphere[0], MODEL_NODES_MOST - 1);
    buffer_finish(&json);
}

// --- files ---

static const char head[MODEL_HEAD_BYTES + 1] = "glTF\2\0\0\0\0\1\0\0\20\0\0\0JSON";

static void
expect_place(const char *bytes, size_t known, uint64_t size, uint64_t first, size_t json_size)
{
    uint64_t at;
    size_t found;
    cr_assert(model_json_find(bytes, known, size, &at, &found));
    cr_expect_eq(at, first);
    cr_expect_eq(found, json_size);
}

Test(model_bounds, are_in_the_first_chunk_of_a_binary_file_or_in_a_whole_other)
{
    expect_place(head, MODEL_HEAD_BYTES, 256, 20, 16);
    expect_place(head, MODEL_HEAD_BYTES, 36, 20, 16);
    expect_place("{}", 2, 2, 0, 2);
    expect_place("{}", 2, MODEL_JSON_BYTES, 0, MODEL_JSON_BYTES);
}

Test(model_bounds, are_not_looked_for_where_a_file_ends_or_is_too_large)
{
    char forged[MODEL_HEAD_BYTES];
    uint64_t at;
    size_t size;
    cr_expect_not(model_json_find(head, MODEL_HEAD_BYTES, 35, &at, &size), "the chunk is cut");
    cr_expect_not(model_json_find(head, 12, 12, &at, &size), "there is no chunk");
    cr_expect_not(model_json_find("", 0, 0, &at, &size), "it is empty");
    cr_expect_not(model_json_find("{}", 2, MODEL_JSON_BYTES + 1, &at, &size), "it is too large");
    memcpy(forged, head, sizeof forged);
    memset(forged + 12, 0xff, 4);
    cr_expect_not(model_json_find(forged, sizeof forged, 1 << 30, &at, &size), "4 GiB of JSON");
    memcpy(forged, head, sizeof forged);
    forged[16] = 'B';
    cr_expect_not(model_json_find(forged, sizeof forged, 256, &at, &size), "it is no JSON");
    memset(forged + 12, 0, 4);
    cr_expect_not(model_json_find(forged, sizeof forged, 256, &at, &size), "it is empty");
}
