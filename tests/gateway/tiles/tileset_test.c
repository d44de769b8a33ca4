// tileset_test.c - scenes as tilesets: where they stand, which objects they show, how large.
#include "gateway/tiles/tileset.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "gateway/tiles/tile_items.h"
#include "gateway/tiles/tile_tree.h"
#include "proto/codec/json_text.h"
#include "proto/records/device.h"
#include "proto/records/relation.h"
#include "proto/records/scene.h"
#include "proto/spatial/transform.h"

static struct http_answer answer;
static struct message *message;
static struct arena arena;

static void
begin(void)
{
    http_answer_begin(&answer);
    message = message_create(SCENE_LAYOUT);
}

static void
end(void)
{
    message_destroy(&message);
    http_answer_finish(&answer);
    arena_finish(&arena);
}

TestSuite(tileset, .init = begin, .fini = end);

static void
take(const struct record *loose)
{
    const frozen_t *frozen = record_freeze(loose->schema, loose);
    reply_add(message, frozen);
    record_unref(&frozen);
}

static void
take_scene(const char *key, double latitude, double longitude)
{
    struct scene *scene = (struct scene *)(void *)record_new(&arena, &scene_schema);
    record_set_text(&scene->base, SCENE_KEY, text_from(&arena, key));
    scene->latitude = latitude;
    scene->longitude = longitude;
    record_mark(&scene->base, SCENE_LATITUDE);
    record_mark(&scene->base, SCENE_LONGITUDE);
    take(&scene->base);
}

static void
take_nowhere(void)
{
    struct record *scene = record_new(&arena, &scene_schema);
    record_set_text(scene, SCENE_KEY, text_from(&arena, "hall"));
    take(scene);
}

static struct object *
object(const char *key, const char *asset, double x, double y, double z)
{
    struct object *self = (struct object *)(void *)record_new(&arena, &object_schema);
    record_set_text(&self->base, OBJECT_KEY, text_from(&arena, key));
    transform_compose(&(struct transform_parts){.translation = (const double[]){x, y, z}}, NULL,
                      self->transform);
    record_mark(&self->base, OBJECT_TRANSFORM);
    if (asset) {
        self->assets = texts_of_one(&arena, text_from(&arena, asset));
        record_mark(&self->base, OBJECT_ASSETS);
    }
    return self;
}

static struct asset *
asset(const char *key, const char *type)
{
    struct asset *self = (struct asset *)(void *)record_new(&arena, &asset_schema);
    record_set_text(&self->base, ASSET_KEY, text_from(&arena, key));
    record_set_text(&self->base, ASSET_CONTENT_TYPE, text_from(&arena, type));
    return self;
}

static void
say(unsigned id, const char *value)
{
    record_set_text(&message->params->base, id, text_from(&message->arena, value));
}

static enum error
serve(const struct json **ret_body)
{
    const struct answer_source source = {.message = message};
    enum error error = tileset_serve(&source, &answer);
    if (error == OK)
        cr_assert_eq(OK, json_parse(&arena, answer.body.data + HTTP_HEAD_ROOM,
                                    answer.body.size - HTTP_HEAD_ROOM, ret_body));
    return error;
}

static const struct json *
served(void)
{
    const struct json *body = NULL;
    cr_assert_eq(OK, serve(&body));
    return body;
}

static void
expect_fault(enum error error, const char *pointer)
{
    struct fault fault;
    const struct json *body;
    cr_assert_eq(error, serve(&body));
    fault_take(error, &fault);
    cr_expect_str_eq(fault.pointer, pointer);
}

static double
number(const struct json *value)
{
    return value->type == JSON_INTEGER ? (double)value->integer : value->number;
}

static void
expect_numbers(const struct json *list, const double *wanted, uint32_t count, double delta)
{
    cr_assert_not_null(list);
    cr_assert_eq(count, list->count);
    for (uint32_t i = 0; i < count; i++)
        cr_expect_float_eq(number(&list->items[i]), wanted[i], delta, "%u: %.17g", i,
                           number(&list->items[i]));
}

static const struct json *
child(const struct json *body, uint32_t index)
{
    const struct json *children = json_find(json_find(body, "root"), "children");
    cr_assert(children && index < children->count);
    return &children->items[index];
}

static double
counted(const struct json *body, const char *name)
{
    return number(json_find(json_find(json_find(body, "asset"), "extras"), name));
}

Test(tileset, stands_on_earth_column_by_column)
{
    // at 0, 0 east is Y, north is Z and up is X of the Earth
    static const double root[16] = {0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 6378137, 0, 0, 1};
    take_scene("hall", 0, 0);
    take(&object("o1", "a1", 1, 2, 3)->base);
    take(&asset("a1", "model/gltf-binary")->base);
    const struct json *body = served();
    expect_numbers(json_find(json_find(body, "root"), "transform"), root, 16, 1e-9);
    static const double tile[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, -3, 2, 1};
    expect_numbers(json_find(child(body, 0), "transform"), tile, 16, 0);
    cr_expect(text_is(json_find(json_find(child(body, 0), "content"), "uri")->text,
                      "../../asset/a1/model.glb"));
    cr_expect(text_is(json_find(json_find(child(body, 0), "extras"), "object")->text, "o1"));
    cr_expect_neq(answer.etag.chars[0], '\0');
}

Test(tileset, has_the_spheres_of_models_in_their_tiles)
{
    struct asset *known = asset("a1", "model/gltf+json");
    const double bounds[4] = {1, 2, 3, 4};
    memcpy(known->bounds, bounds, sizeof bounds);
    record_mark(&known->base, ASSET_BOUNDS);
    take_scene("hall", 0, 0);
    take(&object("o1", "a1", 0, 0, 0)->base);
    take(&object("o2", "a2", 0, 0, 0)->base);
    take(&known->base);
    take(&asset("a2", "model/gltf-binary")->base);
    const struct json *body = served();
    static const double turned[4] = {1, -3, 2, 4}, unknown[4] = {0, 0, 0, TILE_RADIUS_M};
    const struct json *first = child(body, 0), *second = child(body, 1);
    bool is_first = text_is(json_find(json_find(first, "extras"), "object")->text, "o1");
    expect_numbers(json_find(json_find(is_first ? first : second, "boundingVolume"), "sphere"),
                   turned, 4, 1e-12);
    expect_numbers(json_find(json_find(is_first ? second : first, "boundingVolume"), "sphere"),
                   unknown, 4, 0);
}

Test(tileset, leaves_out_and_counts_what_it_cannot_show)
{
    struct object *hidden = object("o2", "a1", 0, 0, 0), *flat = object("o3", "a1", 0, 0, 0);
    struct object *far = object("o4", "a1", 1e300, 0, 0), *odd = object("o8", "a1", 0, 0, 0);
    hidden->rare->visible = false;
    record_mark(&hidden->base, OBJECT_VISIBLE);
    flat->transform[0] = 0;
    odd->transform[12] = 1; // no affine matrix
    take_scene("hall", 0, 0);
    take(&object("o1", "a1", 0, 0, 0)->base);
    take(&hidden->base);
    take(&flat->base);
    take(&far->base);
    take(&object("o5", "a2", 0, 0, 0)->base);
    take(&object("o6", NULL, 0, 0, 0)->base);
    take(&object("o7", "gone", 0, 0, 0)->base);
    take(&odd->base);
    take(&asset("a1", "model/gltf-binary")->base);
    take(&asset("a2", "image/png")->base);
    const struct json *body = served();
    cr_expect_eq(1, json_find(json_find(body, "root"), "children")->count);
    cr_expect_eq(8, counted(body, "objects"));
    cr_expect_eq(3, counted(body, "without_model"));
    cr_expect_eq(1, counted(body, "hidden"));
    cr_expect_eq(3, counted(body, "flat"));
}

Test(tileset, of_nothing_has_no_children)
{
    take_scene("hall", 0, 0);
    cr_expect_null(json_find(json_find(served(), "root"), "children"));
}

Test(tileset, needs_a_place_unless_it_is_local)
{
    take_nowhere();
    expect_fault(ERR_INVALID, "/latitude");
    say(PARAMS_PLACED_IN, "local");
    cr_expect_null(json_find(json_find(served(), "root"), "transform"));
}

static void
take_relation(const char *status, double x)
{
    struct relation_record *relation =
        (struct relation_record *)(void *)record_new(&arena, &relation_schema);
    struct pose *pose = (struct pose *)(void *)record_new(&arena, &pose_schema);
    pose->translation[0] = x;
    pose->base.present = FIELD_BIT(POSE_TRANSLATION) | FIELD_BIT(POSE_ROTATION);
    record_set_text(&relation->base, RELATION_STATUS, text_from(&arena, status));
    relation->transform = &pose->base;
    relation->sigma_t_m = 0.25;
    relation->base.present |= FIELD_BIT(RELATION_TRANSFORM) | FIELD_BIT(RELATION_SIGMA_T);
    take(&relation->base);
}

Test(tileset, stands_where_alignment_says)
{
    static const double root[16] = {0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 6378137, 7, 0, 1};
    say(PARAMS_PLACED_IN, "yard");
    take_nowhere();
    take_scene("yard", 0, 0);
    take_relation("corrected", 7);
    const struct json *tile = json_find(served(), "root");
    expect_numbers(json_find(tile, "transform"), root, 16, 1e-9);
    cr_expect(text_is(json_find(json_find(tile, "extras"), "status")->text, "corrected"));
    cr_expect_eq(0.25, number(json_find(json_find(tile, "extras"), "sigma_t_m")));
}

Test(tileset, is_a_conflict_where_nothing_aligns_the_scenes)
{
    say(PARAMS_PLACED_IN, "yard");
    take_nowhere();
    take_scene("yard", 0, 0);
    take_relation("none", 0);
    expect_fault(ERR_CONFLICT, "");
}

Test(tileset, of_many_has_parts_that_stand_in_the_whole)
{
    char key[16];
    take_nowhere();
    for (int i = 0; i <= TILE_WHOLE; i++) {
        snprintf(key, sizeof key, "o%d", i);
        take(&object(key, "a1", i % 2 ? -10 : 10, 0, i)->base);
    }
    take(&asset("a1", "model/gltf-binary")->base);
    say(PARAMS_PLACED_IN, "local");
    const struct json *part = child(served(), 0);
    cr_expect(text_is(json_find(json_find(part, "content"), "uri")->text, "tileset.json?node=4"));
    cr_expect_eq(12, json_find(json_find(part, "boundingVolume"), "box")->count);
    cr_expect_gt(number(json_find(part, "geometricError")), 0);
    message->params->placed_in = NULL;
    answer.body.size = HTTP_HEAD_ROOM;
    say(PARAMS_NODE, "4");
    cr_expect_null(json_find(json_find(served(), "root"), "transform"));
}

Test(tileset, refuses_forged_names_of_parts)
{
    take_scene("hall", 0, 0);
    say(PARAMS_NODE, "01238");
    expect_fault(ERR_INVALID, "");
    say(PARAMS_NODE, "0123");
    expect_fault(ERR_NOT_FOUND, "");
}
