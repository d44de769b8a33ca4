// router_test.c - from a path to rows and parameters.
#include "gateway/router.h"

#include <criterion/criterion.h>

#include "gateway/routes.h"

static struct arena arena;
static struct route_match match;

static enum error
find(const char *path)
{
    match = (struct route_match){0};
    return router_find(&arena, path, &match);
}

static const struct route *
pick(const char *path, enum http_method method)
{
    const struct route *route = NULL;
    cr_assert_eq(find(path), OK, "%s", path);
    cr_assert_eq(router_pick(&match, method, &route), OK, "%s", path);
    return route;
}

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(router, .fini = finish);

Test(router, path_and_method_lead_to_a_row)
{
    cr_assert_eq(pick("/v1/scene/s1", HTTP_PUT)->operation, SCENE_PUT);
    cr_assert_eq(pick("/v1/scene/s1", HTTP_POST)->operation, SCENE_UPDATE);
    cr_assert_eq(pick("/v1/scene/s1/align", HTTP_PUT)->operation, ALIGN);
    cr_assert_eq(pick("/v1/scene/s1/object/o/asset/a", HTTP_DELETE)->operation, OBJECT_DROP_ASSET);
    cr_assert_eq(pick("/livez", HTTP_GET)->operation, NO_OPERATION);
}

Test(router, trailing_slash_makes_no_difference)
{
    cr_assert_eq(pick("/v1/scene/", HTTP_POST), pick("/v1/scene", HTTP_POST));
    cr_assert_eq(pick("/v1/scene/s1/object/", HTTP_POST)->operation, OBJECT_CREATE);
}

Test(router, parameters_are_named_by_the_pattern)
{
    cr_assert_eq(find("/v1/scene/s1/object/o1/asset/a1"), OK);
    cr_assert_eq(match.param_count, 3);
    cr_assert(text_is(match.params[0].name, "scene") && text_is(match.params[0].value, "s1"));
    cr_assert(text_is(match.params[1].name, "object") && text_is(match.params[1].value, "o1"));
    cr_assert(text_is(match.params[2].name, "asset") && text_is(match.params[2].value, "a1"));
}

Test(router, a_parameter_may_end_a_segment_that_begins_with_a_literal)
{
    cr_assert_eq(pick("/ogc/collections/objects.s.1/items", HTTP_GET)->operation, OBJECT_LIST);
    cr_assert_eq(match.param_count, 1);
    cr_assert(text_is(match.params[0].name, "scene") && text_is(match.params[0].value, "s.1"));
    cr_assert_eq(pick("/ogc/collections/objects.s1/items/o1", HTTP_GET)->operation, OBJECT_GET);
    cr_assert(text_is(match.params[0].value, "s1") && text_is(match.params[1].value, "o1"));
    cr_assert_eq(find("/ogc/collections/objects./items"), ERR_NOT_FOUND);
    cr_assert_eq(find("/ogc/collections/object/items"), ERR_NOT_FOUND);
}

Test(router, literals_win_over_parameters)
{
    cr_assert_eq(pick("/v1/scene/query", HTTP_POST)->operation, SCENE_QUERY);
    cr_assert_eq(pick("/v1/scene/s1/object/query", HTTP_POST)->operation, OBJECT_QUERY);
    cr_assert_eq(pick("/v1/scene/cache/s1", HTTP_PUT)->operation, NO_OPERATION);
}

Test(router, literal_hides_the_methods_of_the_parameter)
{
    const struct route *route;
    cr_assert_eq(find("/v1/scene/query"), OK);
    cr_assert_eq(router_pick(&match, HTTP_GET, &route), ERR_METHOD);
}

Test(router, segments_are_decoded_once)
{
    cr_assert_eq(find("/v1/scene/a%2Fb%2541"), OK);
    cr_assert(text_is(match.params[0].value, "a/b%41"), "%s", text_chars(match.params[0].value));
}

Test(router, plus_in_a_path_is_a_plus)
{
    cr_assert_eq(find("/v1/scene/a+b"), OK);
    cr_assert(text_is(match.params[0].value, "a+b"));
}

Test(router, encoded_literal_is_the_literal)
{
    cr_assert_eq(pick("/v1/sc%65ne/query", HTTP_POST)->operation, SCENE_QUERY);
}

Test(router, a_star_stands_for_any_segments_and_none)
{
    const struct route *page = pick("/console/scene/a%2Fb/x", HTTP_GET);
    cr_assert_str_eq(page->path, "/console/*");
    cr_assert_eq(match.param_count, 0);
    cr_assert_eq(pick("/console/a.js", HTTP_GET), page);
    cr_assert_str_eq(pick("/console/", HTTP_GET)->path, "/console");
    cr_assert_str_eq(pick("/", HTTP_GET)->path, "/");
}

Test(router, bad_encodings_are_malformed)
{
    static const char *const bad[] = {"/v1/scene/%", "/v1/scene/%4", "/v1/scene/%zz",
                                      "/v1/scene/%00", "/%4/x"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_eq(find(bad[i]), ERR_MALFORMED, "%s", bad[i]);
}

Test(router, unknown_paths_are_not_found)
{
    static const char *const unknown[] = {"",
                                          "/v1",
                                          "/v2/scene/s1",
                                          "/v1//scene",
                                          "/v1/scene//",
                                          "livez",
                                          "/livez/x",
                                          "/v1/scene/s1/register/x",
                                          "/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        cr_assert_eq(find(unknown[i]), ERR_NOT_FOUND, "%s", unknown[i]);
}

Test(router, wrong_method_is_refused_with_the_right_ones)
{
    const struct route *route;
    char allow[HTTP_ALLOW_SIZE];
    cr_assert_eq(find("/v1/scene/s1"), OK);
    cr_assert_eq(router_pick(&match, HTTP_METHOD_OTHER, &route), ERR_METHOD);
    router_allow(&match, allow);
    cr_assert_str_eq(allow, "PUT, POST, GET, HEAD, DELETE, OPTIONS");
}

Test(router, head_takes_the_row_of_get)
{
    cr_assert_eq(pick("/v1/scene/s1", HTTP_HEAD)->operation, SCENE_GET);
}

Test(router, head_never_locks)
{
    const struct route *route;
    char allow[HTTP_ALLOW_SIZE];
    cr_assert_eq(find("/v1/scene/s1/object/o1/lock"), OK);
    cr_assert_eq(router_pick(&match, HTTP_HEAD, &route), ERR_METHOD);
    router_allow(&match, allow);
    cr_assert_str_eq(allow, "PUT, GET, DELETE, OPTIONS");
}

Test(router, every_row_is_reached_by_its_own_path)
{
    for (size_t i = 0; i < routes_count; i++)
        cr_assert_eq(pick(routes[i].path, routes[i].method), &routes[i], "%s", routes[i].path);
}
