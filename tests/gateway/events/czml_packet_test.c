// czml_packet_test.c - packets of CZML, letter by letter where that is possible.
#include "gateway/events/czml_packet.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/records/device.h"
#include "proto/spatial/transform.h"

static struct arena arena;
static struct buffer out;
static struct czml_form form;

// The scene is at 0, 0: X of the Earth is up, Y is east, Z is north.
static void
begin(void)
{
    struct scene *scene = (struct scene *)(void *)record_new(&arena, &scene_schema);
    scene->base.present = FIELD_BIT(SCENE_LATITUDE) | FIELD_BIT(SCENE_LONGITUDE);
    form = (struct czml_form){.is_placed = false};
    cr_assert(czml_form_place(&form, scene));
}

static void
end(void)
{
    buffer_finish(&out);
    arena_finish(&arena);
}

TestSuite(czml_packet, .init = begin, .fini = end);

static void
expect(const char *wanted)
{
    buffer_put_char(&out, '\0');
    cr_expect_str_eq(out.data, wanted);
    buffer_clear(&out);
}

static struct object *
object_new(const struct transform_parts *parts)
{
    struct object *object = (struct object *)(void *)record_new(&arena, &object_schema);
    record_set_text(&object->base, OBJECT_KEY, text_from(&arena, "o1"));
    object->assets = texts_of_one(&arena, text_from(&arena, "a 1"));
    transform_compose(parts, NULL, object->transform);
    return object;
}

Test(czml_packet, has_the_place_the_turn_and_the_model_of_an_object)
{
    const double at[3] = {1, 2, 3}, scale[3] = {2, 2, 2};
    struct object *object =
        object_new(&(struct transform_parts){.translation = at, .scale = scale});
    record_set_text(&object->base, OBJECT_NAME, text_from(&arena, "a \"b\""));
    czml_packet_put_object(&form, object, "model.glb", &out);
    // +Z of the model is south; so X of the entity is -Z of the Earth, Y is Y, Z is X
    expect(
        "{\"id\":\"o1\",\"name\":\"a \\\"b\\\"\",\"position\":{\"cartesian\":[6378139.0,1.0,-3.0]"
        "},\"orientation\":{\"unitQuaternion\":[0.0,0.7071067811865475,0.0,0.7071067811865475]},"
        "\"model\":{\"show\":true,\"gltf\":\"../../asset/a%201/model.glb\",\"scale\":2.0}}");
}

Test(czml_packet, shows_no_model_of_what_is_hidden_or_has_none)
{
    struct object *object = object_new(&(struct transform_parts){.translation = NULL});
    czml_packet_put_object(&form, object, NULL, &out);
    buffer_put_char(&out, '\0');
    cr_expect_not_null(strstr(out.data, ",\"model\":{\"show\":false}}"));
    buffer_clear(&out);
    object->rare->visible = false;
    record_mark(&object->base, OBJECT_VISIBLE);
    czml_packet_put_object(&form, object, "model.glb", &out);
    buffer_put_char(&out, '\0');
    cr_expect_not_null(strstr(out.data, ",\"model\":{\"show\":false}}"));
}

Test(czml_packet, has_no_place_that_no_number_says)
{
    const double far[3] = {1e308, -1e308, 1e308};
    struct object *object = object_new(&(struct transform_parts){.translation = far});
    czml_packet_put_object(&form, object, "model.glb", &out);
    expect("{\"id\":\"o1\",\"model\":{\"show\":false}}");
    object->transform[1] = 5; // sheared
    czml_packet_put_object(&form, object, "model.glb", &out);
    expect("{\"id\":\"o1\",\"model\":{\"show\":false}}");
}

static struct property *
property_new(const char *name, const char *parent, unsigned values)
{
    struct property *property = (struct property *)(void *)record_new(&arena, &property_schema);
    struct records *list = records_new(&arena, values);
    for (; list->count < values; list->count++) {
        list->items[list->count] = record_new(&arena, &value_schema);
        ((struct value *)(void *)list->items[list->count])->value = 21.5;
    }
    property->values = list;
    record_set_text(&property->base, PROPERTY_NAME, text_from(&arena, name));
    record_set_text(&property->base, PROPERTY_PARENT, text_from(&arena, parent));
    record_set_text(&property->base, PROPERTY_SCENE, text_from(&arena, "hall"));
    return property;
}

Test(czml_packet, has_the_one_value_of_a_property_at_its_object_or_scene)
{
    cr_assert(czml_packet_put_property(property_new("heat", "o1", 1), false, &out));
    expect("{\"id\":\"o1\",\"properties\":{\"heat\":21.5}}");
    cr_assert(czml_packet_put_property(property_new("heat", "", 1), false, &out));
    expect("{\"id\":\"scene:hall\",\"properties\":{\"heat\":21.5}}");
    cr_assert(czml_packet_put_property(property_new("heat", "o1", 1), true, &out));
    expect("{\"id\":\"o1\",\"properties\":{\"heat\":{\"delete\":true}}}");
}

Test(czml_packet, is_none_of_other_properties)
{
    static const char *const taken[] = {"", "__proto__", "_x", "hasProperty", "constructor"};
    cr_expect_not(czml_packet_put_property(property_new("heat", "o1", 0), false, &out));
    cr_expect_not(czml_packet_put_property(property_new("heat", "o1", 2), false, &out));
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        cr_expect_not(czml_packet_put_property(property_new(taken[i], "o1", 1), false, &out));
    cr_expect_eq(0, out.size);
}

Test(czml_packet, has_the_point_of_a_device_or_its_end)
{
    struct pose *pose = (struct pose *)(void *)record_new(&arena, &pose_schema);
    pose->translation[1] = 2;
    czml_packet_put_device(&form, text_from(&arena, "a\"b"), &pose->base, &out);
    expect(
        "{\"id\":\"device:a\\\"b\",\"name\":\"a\\\"b\",\"position\":{\"cartesian\":[6378139.0,0.0,"
        "0.0]},\"point\":{\"pixelSize\":8}}");
    czml_packet_put_device(&form, text_from(&arena, "d"), NULL, &out);
    expect("{\"id\":\"device:d\",\"delete\":true}");
    czml_packet_put_end("", text_from(&arena, "o1"), &out);
    expect("{\"id\":\"o1\",\"delete\":true}");
}
