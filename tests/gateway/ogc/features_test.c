// features_test.c - records as features: where they are, what they say, which of them are in a box.
#include "gateway/ogc/features.h"

#include <criterion/criterion.h>

#include "gateway/router.h"
#include "proto/codec/json_text.h"
#include "proto/records/device_report.h"
#include "proto/records/geopose.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "proto/spatial/transform.h"

static struct answer_facts facts;
static struct http_request request;
static struct http_answer answer;
static struct message *message;
static struct arena arena;
static const struct route *route;

static void
begin(void)
{
    http_answer_begin(&answer);
}

static void
end(void)
{
    message_destroy(&message);
    http_answer_finish(&answer);
    arena_finish(&arena);
}

TestSuite(features, .init = begin, .fini = end);

static void
ask(const char *path, const char *scene)
{
    struct route_match match = {0};
    request = (struct http_request){.peer = "127.0.0.1", .path = path, .query = ""};
    cr_assert_eq(OK, router_find(&arena, path, &match));
    cr_assert_eq(OK, router_pick(&match, HTTP_GET, &route));
    message = message_create((enum operation)route->operation);
    if (scene)
        record_set_text(&message->params->base, PARAMS_SCENE, text_from(&message->arena, scene));
}

static void
answer_with(const struct record *loose)
{
    const frozen_t *frozen = record_freeze(loose->schema, loose);
    reply_add(message, frozen);
    record_unref(&frozen);
}

static const struct json *
answered(page_serve *serve)
{
    const struct json *body;
    const struct answer_source source = {
        .facts = &facts, .route = route, .request = &request, .message = message};
    cr_assert_eq(OK, serve(&source, &answer));
    cr_assert_eq(OK, json_parse(&arena, answer.body.data + HTTP_HEAD_ROOM,
                                answer.body.size - HTTP_HEAD_ROOM, &body));
    return body;
}

static struct record *
scene_at(const char *key, double latitude, double longitude)
{
    struct scene *scene = (struct scene *)(void *)record_new(&arena, &scene_schema);
    record_set_text(&scene->base, SCENE_KEY, text_from(&arena, key));
    scene->latitude = latitude;
    scene->longitude = longitude;
    record_mark(&scene->base, SCENE_LATITUDE);
    record_mark(&scene->base, SCENE_LONGITUDE);
    return &scene->base;
}

static struct record *
geopose_at(double latitude, double longitude)
{
    struct geopose_position *position = (void *)record_new(&arena, &geopose_position_schema);
    struct geopose_quaternion *quaternion = (void *)record_new(&arena, &geopose_quaternion_schema);
    struct geopose *pose = (void *)record_new(&arena, &geopose_schema);
    position->lat = latitude;
    position->lon = longitude;
    position->h = 7.5;
    position->base.present = 7;
    quaternion->w = 1;
    quaternion->base.present = 15;
    pose->position = &position->base;
    pose->quaternion = &quaternion->base;
    pose->base.present = 3;
    return &pose->base;
}

static struct record *
object_at(const char *key, double latitude, double longitude)
{
    struct object_edit *object = (void *)record_new(&arena, &object_placed_schema);
    object->geopose = geopose_at(latitude, longitude);
    transform_identity(object->object.transform);
    record_mark(&object->object.base, OBJECT_GEOPOSE);
    record_set_text(&object->object.base, OBJECT_KEY, text_from(&arena, key));
    return &object->object.base;
}

static void
expect_point(double longitude, double latitude, double height, const struct json *feature)
{
    const struct json *coordinates = json_find(json_find(feature, "geometry"), "coordinates");
    const double expected[] = {longitude, latitude, height};
    cr_assert_eq(3, coordinates->count);
    for (unsigned i = 0; i < 3; i++) {
        const struct json *number = &coordinates->items[i];
        cr_assert_eq(expected[i],
                     number->type == JSON_INTEGER ? (double)number->integer : number->number);
    }
}

static unsigned
count_features(const struct json *collection)
{
    return json_find(collection, "features")->count;
}

Test(features, a_scene_is_a_point_where_its_origin_is)
{
    ask("/ogc/collections/scenes/items", NULL);
    answer_with(scene_at("hall", 52.25, -13.5));
    const struct json *body = answered(features_serve);
    const struct json *feature = &json_find(body, "features")->items[0];
    cr_assert(text_is(json_find(body, "type")->text, "FeatureCollection"));
    cr_assert(text_is(json_find(feature, "id")->text, "hall"));
    expect_point(-13.5, 52.25, 0, feature);
    cr_assert(text_is(json_find(json_find(feature, "properties"), "key")->text, "hall"));
}

Test(features, a_scene_without_a_place_has_no_geometry)
{
    ask("/ogc/collections/scenes/items", NULL);
    struct record *scene = record_new(&arena, &scene_schema);
    record_set_text(scene, SCENE_KEY, text_from(&arena, "hall"));
    answer_with(scene);
    const struct json *feature = &json_find(answered(features_serve), "features")->items[0];
    cr_assert_eq(JSON_NULL, json_find(feature, "geometry")->type);
    cr_assert_null(json_find(feature, "geopose"));
}

Test(features, an_object_is_where_its_geopose_is_and_says_that_once)
{
    ask("/ogc/collections/objects.hall/items", "hall");
    answer_with(object_at("o1", 1.5, 2.5));
    const struct json *feature = &json_find(answered(features_serve), "features")->items[0];
    expect_point(2.5, 1.5, 7.5, feature);
    cr_assert_not_null(json_find(json_find(feature, "geopose"), "quaternion"));
    cr_assert_null(json_find(json_find(feature, "properties"), "geopose"));
}

Test(features, a_page_says_how_many_it_has)
{
    ask("/ogc/collections/objects.hall/items", "hall");
    answer_with(object_at("east", 0, 175));
    answer_with(object_at("west", 0, -175));
    const struct json *body = answered(features_serve);
    cr_assert_eq(2, count_features(body));
    cr_assert_eq(2, json_find(body, "numberReturned")->integer);
    cr_assert_null(json_find(body, "numberMatched"));
}

Test(features, a_page_says_how_many_there_are_and_leads_to_the_next)
{
    ask("/ogc/collections/scenes/items", NULL);
    struct record *envelope = &reply_envelope(message)->base;
    record_set_integer(envelope, ENVELOPE_TOTAL, 9);
    record_set_text(envelope, ENVELOPE_NEXT, text_from(&message->arena, "n"));
    answer_with(scene_at("hall", 1, 2));
    const struct json *body = answered(features_serve);
    const struct json *next = &json_find(body, "links")->items[1];
    cr_assert_eq(9, json_find(body, "numberMatched")->integer);
    cr_assert(text_is(json_find(next, "rel")->text, "next"));
    cr_assert(text_is(json_find(next, "href")->text, "/ogc/collections/scenes/items?after=n"));
}

Test(features, one_feature_leads_to_its_collection_however_its_path_is_written)
{
    ask("/ogc/collections/objects.hall/%69tems/o1", "hall");
    answer_with(object_at("o1", 1, 2));
    const struct json *link = &json_find(answered(feature_serve), "links")->items[1];
    cr_assert(text_is(json_find(link, "rel")->text, "collection"));
    cr_assert(text_is(json_find(link, "href")->text, "/ogc/collections/objects.hall"));
}

Test(features, a_feature_that_is_not_there_is_not_found)
{
    ask("/ogc/collections/scenes/items/hall", "hall");
    const struct answer_source source = {
        .facts = &facts, .route = route, .request = &request, .message = message};
    cr_assert_eq(ERR_NOT_FOUND, feature_serve(&source, &answer));
}

static struct record *
device_at(const char *scene, const char *key)
{
    struct device_report *device = (void *)record_new(&arena, &device_report_schema);
    const struct text *of_scene = text_from(&arena, scene), *of_device = text_from(&arena, key);
    record_set_text(&device->base, DEVICE_REPORT_PLACE, device_place(&arena, of_scene, of_device));
    record_set_text(&device->base, DEVICE_REPORT_SCENE, of_scene);
    record_set_text(&device->base, DEVICE_REPORT_KEY, of_device);
    device->geopose = geopose_at(1.5, 2.5);
    record_mark(&device->base, DEVICE_REPORT_GEOPOSE);
    return &device->base;
}

Test(features, a_device_is_known_by_its_key_and_that_of_its_scene)
{
    ask("/ogc/collections/devices/items", NULL);
    answer_with(device_at("hall a", "desk@1"));
    record_set_integer(&reply_envelope(message)->base, ENVELOPE_NEXT_START_RECORD, 1);
    const struct json *body = answered(features_serve);
    const struct json *feature = &json_find(body, "features")->items[0];
    const struct json *next = &json_find(body, "links")->items[1];
    cr_assert(text_is(json_find(feature, "id")->text, "desk%401@hall%20a"));
    expect_point(2.5, 1.5, 7.5, feature);
    cr_assert_null(json_find(json_find(feature, "properties"), "geopose"));
    cr_assert(text_is(json_find(next, "href")->text,
                      "/ogc/collections/devices/items?after=hall%20a%09desk%401"));
}

Test(features, lists_without_an_item_are_left_out)
{
    ask("/ogc/collections/scenes/items", NULL);
    answer_with(scene_at("hall", 1, 2));
    const struct json *feature = &json_find(answered(features_serve), "features")->items[0];
    cr_assert_null(json_find(json_find(feature, "properties"), "tags"));
    cr_assert_not_null(json_find(json_find(feature, "properties"), "description"));
}

Test(features, an_object_of_any_scene_leads_to_the_collection_of_all)
{
    ask("/ogc/collections/objects/items/o1", NULL);
    answer_with(object_at("o1", 1, 2));
    const struct json *link = &json_find(answered(feature_serve), "links")->items[1];
    cr_assert(text_is(json_find(link, "href")->text, "/ogc/collections/objects"));
}

Test(features, a_geopose_is_answered_alone)
{
    ask("/ogc/collections/objects/items/o1", NULL);
    record_set_text(&message->params->base, PARAMS_FORM, text_from(&message->arena, "geopose"));
    answer_with(object_at("o1", 1.5, 2.5));
    const struct json *body = answered(feature_serve);
    cr_assert_eq(2, body->count);
    cr_assert_eq(1.5, json_find(json_find(body, "position"), "lat")->number);
    cr_assert_str_eq("application/geopose+json", answer.media_type);
}

Test(features, what_is_nowhere_has_no_geopose)
{
    ask("/ogc/collections/objects/items/o1", NULL);
    record_set_text(&message->params->base, PARAMS_FORM, text_from(&message->arena, "geopose"));
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, "o1"));
    answer_with(object);
    const struct answer_source source = {
        .facts = &facts, .route = route, .request = &request, .message = message};
    cr_assert_eq(ERR_NOT_FOUND, feature_serve(&source, &answer));
}
