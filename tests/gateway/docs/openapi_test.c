// openapi_test.c - what the description of the interface says of rows of the tables. That all of it
// is valid OpenAPI, and what the server does, is for tests/system/openapi_test.py and
// contract_test.py.
#include "gateway/docs/openapi.h"

#include <criterion/criterion.h>

#include "gateway/docs/route_catalogue.h"
#include "gateway/router.h"
#include "gateway/routes.h"
#include "proto/codec/json_text.h"
#include "proto/codec/json_write.h"
#include "proto/codec/record_openapi.h"
#include "proto/records/object.h"
#include "proto/records/params.h"
#include "proto/records/scene.h"

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(openapi, .fini = finish);

static const struct route *
route_to(enum http_method method, const char *path)
{
    struct route_match match = {0};
    const struct route *route;
    cr_assert_eq(router_find(&arena, path, &match), OK);
    cr_assert_eq(router_pick(&match, method, &route), OK);
    return route;
}

static const struct json *
parse(void)
{
    const struct json *json;
    cr_assert_eq(json_parse(&arena, out.data, out.size, &json), OK, "%s", fault_last()->detail);
    return json;
}

// What stands at the end of a way of members.
static const struct json *
find(const struct json *json, size_t count, const char *const *names)
{
    for (size_t i = 0; i < count; i++) {
        json = json_find(json, names[i]);
        cr_assert_not_null(json, "%s", names[i]);
    }
    return json;
}

#define FIND(json, ...)                                                                            \
    find((json), sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),                           \
         (const char *[]){__VA_ARGS__})

static const struct json *
printed(probe_print *print)
{
    const struct server_facts facts = {.version = "1.2.3",
                                       .routes = {routes, routes_described_count}};
    cr_assert_eq(print(&(struct probe){.facts = &facts}, &out), OK);
    return parse();
}

static const struct json *
document(void)
{
    return printed(openapi_print);
}

static bool
has_item(const struct json *array, const char *text)
{
    for (uint32_t i = 0; i < array->count; i++)
        if (array->items[i].type == JSON_TEXT && text_is(array->items[i].text, text))
            return true;
    return false;
}

Test(openapi, every_route_is_described)
{
    const struct json *paths = FIND(document(), "paths");
    for (size_t i = 0; i < routes_described_count; i++) {
        char method[8] = {0};
        const char *upper = http_method_name(routes[i].method);
        for (size_t j = 0; upper[j]; j++)
            method[j] = (char)(upper[j] | 0x20);
        const struct json *operation = FIND(paths, routes[i].path, method);
        cr_assert(text_size(FIND(operation, "summary")->text) > 5, "%s needs SAYS(…)",
                  routes[i].path);
        cr_assert_not_null(FIND(operation, "responses", "200"));
    }
}

Test(openapi, names_of_routes_are_unique)
{
    const struct route_table table = {routes, routes_described_count};
    for (size_t i = 0; i < routes_described_count; i++)
        for (size_t j = 0; j < i; j++) {
            struct buffer a = {0}, b = {0};
            route_catalogue_put_id(&table, &routes[i], &a);
            route_catalogue_put_id(&table, &routes[j], &b);
            cr_assert(a.size != b.size || memcmp(a.data, b.data, a.size) != 0, "%s and %s",
                      routes[i].path, routes[j].path);
            buffer_finish(&a);
            buffer_finish(&b);
        }
}

Test(openapi, names_of_routes_have_no_numbers_at_their_end)
{
    const struct route_table table = {routes, routes_described_count};
    for (size_t i = 0; i < routes_described_count; i++) {
        struct buffer id = {0};
        route_catalogue_put_id(&table, &routes[i], &id);
        cr_assert(id.data[id.size - 1] > '9', "%.*s", (int)id.size, id.data);
        buffer_finish(&id);
    }
}

Test(openapi, every_parameter_of_a_path_is_a_member_of_params)
{
    for (size_t i = 0; i < routes_described_count; i++) {
        struct parameters parameters;
        unsigned braces = 0, in_path = 0;
        for (const char *at = routes[i].path; *at; at++)
            braces += *at == '{';
        route_catalogue_parameters(&routes[i], &parameters);
        for (unsigned j = 0; j < parameters.count; j++)
            in_path += parameters.items[j].in_path;
        cr_assert_eq(in_path, braces, "%s", routes[i].path);
        cr_assert_lt(parameters.count, ROUTE_CATALOGUE_PARAMETERS_MAX, "%s", routes[i].path);
    }
}

Test(openapi, version_is_that_of_the_server)
{
    cr_assert(text_is(FIND(document(), "info", "version")->text, "1.2.3"));
}

Test(openapi, routes_belong_to_the_noun_that_comes_last)
{
    static const struct {
        enum http_method method;
        const char *path, *noun;
    } expected[] = {
        {HTTP_POST, "/v1/scene/query", "scenes"},
        {HTTP_PUT, "/v1/scene/s/asset/a", "scenes"},
        {HTTP_GET, "/v1/scene/s/object/o/lock", "objects"},
        {HTTP_PUT, "/v1/scene/s/align", "devices"},
        {HTTP_GET, "/livez", "server"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        cr_assert_str_eq(route_catalogue_noun(route_to(expected[i].method, expected[i].path))->name,
                         expected[i].noun);
}

Test(openapi, lock_needs_a_device_and_may_be_refused)
{
    const struct route *lock = route_to(HTTP_GET, "/v1/scene/s/object/o/lock");
    uint32_t errors = route_catalogue_errors(lock);
    struct parameters parameters;
    cr_assert(errors & ERROR_BIT(ERR_LOCKED));
    cr_assert(errors & ERROR_BIT(ERR_MISSING));
    cr_assert(errors & ERROR_BIT(ERR_NOT_FOUND));
    cr_assert_not(errors & ERROR_BIT(ERR_MEDIA_TYPE));
    route_catalogue_parameters(lock, &parameters);
    bool is_required = false;
    for (unsigned i = 0; i < parameters.count; i++)
        is_required |= strcmp(parameters.items[i].name, "device") == 0 &&
                       parameters.items[i].required && !parameters.items[i].in_path;
    cr_assert(is_required);
}

Test(openapi, request_has_what_may_be_sent_and_limits)
{
    json_write_begin(&out, NULL, '{');
    openapi_put_record(&object_edit_schema, NULL, &out);
    json_write_end(&out, '}');
    const struct json *members = FIND(parse(), "ObjectRequest", "properties");
    const struct json *translation = FIND(members, "translation");
    cr_assert(has_item(FIND(translation, "type"), "null"));
    cr_assert_eq(FIND(translation, "maxItems")->integer, 3);
    cr_assert_eq(FIND(members, "owner", "maxLength")->integer, 128);
}

Test(openapi, answer_has_the_members_of_its_view)
{
    json_write_begin(&out, NULL, '{');
    openapi_put_record(&scene_schema, &scene_view_found, &out);
    json_write_end(&out, '}');
    const struct json *scene = FIND(parse(), "SceneFound");
    cr_assert_not_null(FIND(scene, "properties", "asset_ids"));
    cr_assert_null(json_find(FIND(scene, "properties"), "devices"));
    cr_assert(has_item(FIND(scene, "required"), "name"));
    cr_assert(has_item(FIND(scene, "required"), "key"));          // every answer has it
    cr_assert_not(has_item(FIND(scene, "required"), "height_m")); // left out where absent
    cr_assert(text_is(FIND(scene, "properties", "latitude", "x-unit")->text, "deg"));
}

Test(openapi, member_of_several_types_is_any_of_them)
{
    json_write_begin(&out, NULL, '{');
    openapi_put_record(&params_body_schema, NULL, &out);
    json_write_end(&out, '}');
    const struct json *id = FIND(parse(), "ParamsRequest", "properties", "transaction_id");
    cr_assert_eq(FIND(id, "anyOf")->count, 3);
}

Test(openapi, map_clients_are_told_what_is_for_them_in_the_form_that_they_read)
{
    const struct json *json = printed(openapi_print_features), *paths = FIND(json, "paths");
    size_t count = 0;
    cr_assert(text_is(FIND(json, "openapi")->text, "3.0.3"));
    for (size_t i = 0; i < routes_described_count; i++) {
        if (strncmp(routes[i].path, "/ogc", 4) != 0)
            continue;
        cr_assert_not_null(json_find(paths, routes[i].path), "%s", routes[i].path);
        count++;
    }
    cr_assert_eq(paths->count, count);
}

Test(openapi, map_clients_find_the_size_of_a_page)
{
    const struct json *components = FIND(printed(openapi_print_features), "components");
    const struct json *limit = FIND(FIND(components, "parameters"), "limit");
    cr_assert_eq(1000, FIND(FIND(limit, "schema"), "maximum")->integer);
    cr_assert_eq(1000, FIND(FIND(limit, "schema"), "default")->integer);
}

// Lists of types, and a few words, are what OpenAPI 3.1 has and 3.0 has not.
static void
expect_no_newer_words(const struct json *json)
{
    static const char *const newer[] = {"const",      "examples", "prefixItems",
                                        "identifier", "$defs",    "contentMediaType"};
    if (json->type == JSON_ARRAY)
        for (uint32_t i = 0; i < json->count; i++)
            expect_no_newer_words(&json->items[i]);
    if (json->type != JSON_OBJECT)
        return;
    for (size_t i = 0; i < sizeof newer / sizeof newer[0]; i++)
        cr_expect_null(json_find(json, newer[i]), "%s", newer[i]);
    const struct json *type = json_find(json, "type");
    cr_expect(!type || type->type != JSON_ARRAY, "a list of types");
    for (uint32_t i = 0; i < json->count; i++)
        expect_no_newer_words(&json->members[i].value);
}

Test(openapi, what_map_clients_are_told_has_no_words_of_a_newer_form)
{
    expect_no_newer_words(printed(openapi_print_features));
}
