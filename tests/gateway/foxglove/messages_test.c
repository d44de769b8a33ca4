// messages_test.c - transforms, entities and the like, as JSON.
#include "gateway/foxglove/messages.h"

#include <criterion/criterion.h>

#include "proto/codec/json_text.h"
#include "proto/spatial/transform.h"

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    buffer_finish(&out);
    arena_finish(&arena);
}

TestSuite(messages, .fini = finish);

static const struct text *
text(const char *chars)
{
    return text_from(&arena, chars);
}

static struct object *
object(const char *key, const struct transform_parts *parts)
{
    struct object *self = (struct object *)(void *)record_new(&arena, &object_schema);
    record_set_text(&self->base, OBJECT_KEY, text(key));
    transform_compose(parts, NULL, self->transform);
    return self;
}

static void
assert_written(const char *expected)
{
    cr_assert_eq(out.size, strlen(expected), "%.*s", (int)out.size, out.data);
    cr_assert_arr_eq(out.data, expected, out.size, "%.*s", (int)out.size, out.data);
}

Test(messages, a_transform_has_z_up)
{
    const struct frame frame = {.scene = text("hall"), .thing = text("a\"b")};
    const struct transform_parts parts = {.translation = (const double[]){1, 2, 3}};
    message_put_transform(1500000, frame.scene, &frame, object("a", &parts)->transform, &out);
    assert_written(
        "{\"timestamp\":{\"sec\":1,\"nsec\":500000000},\"parent_frame_id\":\"hall\","
        "\"child_frame_id\":\"hall/a\\\"b\",\"translation\":{\"x\":1.0,\"y\":-3.0,\"z\":2.0},"
        "\"rotation\":{\"x\":0.0,\"y\":0.0,\"z\":0.0,\"w\":1.0}}");
}

Test(messages, a_matrix_that_is_no_pose_keeps_its_translation)
{
    const struct frame frame = {.scene = text("hall"), .thing = text("d"), .is_device = true};
    const double sheared[] = {1, 1, 0, 4, 0, 1, 0, 5, 0, 0, 1, 6, 0, 0, 0, 1};
    message_put_transform(0, frame.scene, &frame, sheared, &out);
    assert_written(
        "{\"timestamp\":{\"sec\":0,\"nsec\":0},\"parent_frame_id\":\"hall\","
        "\"child_frame_id\":\"hall/device/d\",\"translation\":{\"x\":4.0,\"y\":-6.0,\"z\":5.0},"
        "\"rotation\":{\"x\":0.0,\"y\":0.0,\"z\":0.0,\"w\":1.0}}");
}

Test(messages, looks_are_others_where_something_but_the_pose_is)
{
    const double half[] = {0.7071067811865476, 0.7071067811865476, 0, 0};
    struct object *one = object("a", &(struct transform_parts){0});
    uint64_t looks = message_looks(one);
    const struct transform_parts turned = {.translation = (const double[]){9, 9, 9},
                                           .quaternion = half};
    cr_assert_eq(message_looks(object("b", &turned)), looks);
    const struct transform_parts scaled = {.scale = (const double[]){1, 2, 1}};
    cr_assert_neq(message_looks(object("a", &scaled)), looks);
    record_set_text(&one->base, OBJECT_NAME, text("12345678"));
    uint64_t named = message_looks(one);
    cr_assert_neq(named, looks);
    record_set_text(&one->base, OBJECT_NAME, text("123456789"));
    cr_assert_neq(message_looks(one), named);
}

Test(messages, an_object_without_a_model_is_a_cube_with_a_name)
{
    const struct json *entity;
    const struct transform_parts scaled = {.scale = (const double[]){1, 2, 3}};
    message_put_entity(0, text("hall"), object("lamp", &scaled), text("http://x"), &out);
    cr_assert_eq(json_parse(&arena, out.data, out.size, &entity), OK);
    cr_assert(text_is(json_find(entity, "frame_id")->text, "hall/lamp"));
    const struct json *size = json_find(&json_find(entity, "cubes")->items[0], "size");
    cr_assert_float_eq(json_find(size, "y")->number, 0.6, 1e-12); // Z of a scene
    cr_assert(text_is(json_find(&json_find(entity, "texts")->items[0], "text")->text, "lamp"));
    cr_assert_eq(json_find(entity, "models")->count, 0);
}

Test(messages, the_first_asset_is_the_model)
{
    const struct json *entity;
    struct object *chair = object("chair", &(struct transform_parts){0});
    chair->assets = texts_of_one(&arena, text("a b"));
    record_mark(&chair->base, OBJECT_ASSETS);
    message_put_entity(0, text("hall"), chair, text("http://x:1"), &out);
    cr_assert_eq(json_parse(&arena, out.data, out.size, &entity), OK);
    const struct json *model = &json_find(entity, "models")->items[0];
    cr_assert(text_is(json_find(model, "url")->text, "http://x:1/v1/asset/a%20b/model.glb"));
    cr_assert_eq(json_find(entity, "cubes")->count, 0);
}

Test(messages, a_deletion_is_of_one_or_of_all)
{
    message_put_deletion(0, text("a"), &out);
    assert_written("{\"timestamp\":{\"sec\":0,\"nsec\":0},\"type\":0,\"id\":\"a\"}");
    buffer_clear(&out);
    message_put_deletion(0, NULL, &out);
    assert_written("{\"timestamp\":{\"sec\":0,\"nsec\":0},\"type\":1,\"id\":\"\"}");
}

Test(messages, long_keys_have_frames_too)
{
    char key[300];
    memset(key, 'k', sizeof key);
    const struct frame frame = {.scene = text_new(&arena, key, sizeof key), .thing = text("t")};
    const double identity[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    message_put_transform(0, frame.scene, &frame, identity, &out);
    cr_assert_gt(out.size, 300);
}
