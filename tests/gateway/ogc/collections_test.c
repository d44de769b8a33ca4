// collections_test.c - what map clients are told beside the features.
#include "gateway/ogc/collections.h"

#include <criterion/criterion.h>

#include "proto/codec/json_text.h"
#include "proto/config/config.h"
#include "proto/records/scene.h"

static struct config config;
static struct answer_facts facts = {.server.config = &config};
static struct http_request request;
static struct http_answer answer;
static struct message *message;
static struct arena arena;
static const struct route route = {
    .method = HTTP_GET, .reply = {.form = REPLY_PROBE, .media_type = "application/json"}};

static void
begin(void)
{
    request = (struct http_request){.peer = "127.0.0.1", .path = "/ogc", .query = ""};
    http_answer_begin(&answer);
    message = message_create(SCENE_LIST);
}

static void
end(void)
{
    message_destroy(&message);
    http_answer_finish(&answer);
    arena_finish(&arena);
}

TestSuite(collections, .init = begin, .fini = end);

static const struct json *
answered(page_serve *serve)
{
    const struct json *body;
    const struct answer_source source = {
        .facts = &facts, .route = &route, .request = &request, .message = message};
    cr_assert_eq(OK, serve(&source, &answer));
    cr_assert_eq(OK, json_parse(&arena, answer.body.data + HTTP_HEAD_ROOM,
                                answer.body.size - HTTP_HEAD_ROOM, &body));
    return body;
}

static void
add_scene(const char *key, const char *name)
{
    struct record *scene = record_new(&arena, &scene_schema);
    record_set_text(scene, SCENE_KEY, text_from(&arena, key));
    record_set_text(scene, SCENE_NAME, text_from(&arena, name));
    const frozen_t *frozen = record_freeze(&scene_schema, scene);
    reply_add(message, frozen);
    record_unref(&frozen);
}

static void
expect_items(const char *path, const struct json *collection)
{
    const struct json *link = &json_find(collection, "links")->items[0];
    cr_assert(text_is(json_find(link, "rel")->text, "items"));
    cr_assert(text_is(json_find(link, "href")->text, path));
}

Test(collections, the_landing_page_leads_to_everything_else)
{
    static const char *const expected[] = {"self", "service-desc", "service-doc", "conformance",
                                           "data"};
    const struct json *links = json_find(answered(landing_serve), "links");
    cr_assert_eq(5, links->count);
    for (size_t i = 0; i < 5; i++)
        cr_assert(text_is(json_find(&links->items[i], "rel")->text, expected[i]));
}

Test(collections, it_conforms_to_the_core_to_geojson_and_to_openapi_3_0)
{
    cr_assert_eq(3, json_find(answered(conformance_serve), "conformsTo")->count);
}

Test(collections, scenes_and_objects_come_first_then_those_of_each_scene_by_its_name_or_key)
{
    add_scene("a b", "Hall");
    add_scene("yard", "");
    const struct json *list = json_find(answered(collections_serve), "collections");
    cr_assert_eq(4, list->count);
    cr_assert(text_is(json_find(&list->items[0], "id")->text, "scenes"));
    expect_items("/ogc/collections/scenes/items", &list->items[0]);
    expect_items("/ogc/collections/objects/items", &list->items[1]);
    cr_assert(text_is(json_find(&list->items[2], "id")->text, "objects.a b"));
    cr_assert(text_is(json_find(&list->items[2], "title")->text, "Hall"));
    expect_items("/ogc/collections/objects.a%20b/items", &list->items[2]);
    cr_assert(text_is(json_find(&list->items[3], "title")->text, "yard"));
}

Test(collections, devices_are_listed_where_there_are_accounts)
{
    config.auth_enabled = true;
    const struct json *list = json_find(answered(collections_serve), "collections");
    config.auth_enabled = false;
    cr_assert_eq(3, list->count);
    expect_items("/ogc/collections/devices/items", &list->items[2]);
}

Test(collections, one_collection_is_what_the_list_says_of_it)
{
    add_scene("yard", "");
    expect_items("/ogc/collections/objects.yard/items", answered(objects_collection_serve));
}

Test(collections, that_of_scenes_needs_no_scene)
{
    expect_items("/ogc/collections/scenes/items", answered(scenes_collection_serve));
}

Test(collections, those_of_all_objects_and_of_devices_need_none_either)
{
    expect_items("/ogc/collections/objects/items", answered(all_objects_collection_serve));
    end();
    begin();
    expect_items("/ogc/collections/devices/items", answered(devices_collection_serve));
}

Test(collections, that_of_a_scene_that_is_not_there_is_not_found)
{
    const struct answer_source source = {
        .facts = &facts, .route = &route, .request = &request, .message = message};
    cr_assert_eq(ERR_NOT_FOUND, objects_collection_serve(&source, &answer));
}
