// openapi_requests_test.c - the member requestBody of routes with JSON, with bytes and without it.
#include "gateway/docs/openapi_requests.h"

#include <criterion/criterion.h>

#include "gateway/router.h"
#include "proto/codec/json_text.h"
#include "proto/codec/json_write.h"

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(openapi_requests, .fini = finish);

static const struct json *
body_of(enum http_method method, const char *path, const char *id)
{
    struct route_match match = {0};
    const struct route *route;
    const struct json *json;
    cr_assert_eq(router_find(&arena, path, &match), OK);
    cr_assert_eq(router_pick(&match, method, &route), OK);
    json_write_begin(&out, NULL, '{');
    openapi_requests_put(route, id, &out);
    json_write_end(&out, '}');
    cr_assert_eq(json_parse(&arena, out.data, out.size, &json), OK, "%s", fault_last()->detail);
    return json_find(json, "requestBody");
}

static const struct json *
content_of(const struct json *body, const char *media_type)
{
    return json_find(json_find(body, "content"), media_type);
}

Test(openapi_requests, route_without_a_body_has_no_member)
{
    cr_assert_null(body_of(HTTP_GET, "/v1/scene/a", "sceneGet"));
}

Test(openapi_requests, body_of_json_has_its_example)
{
    const struct json *body = body_of(HTTP_PUT, "/v1/scene/a", "scenePut");
    const struct json *example = json_find(content_of(body, "application/json"), "example");
    cr_assert_not_null(json_find(example, "scenes"));
}

Test(openapi_requests, alias_has_no_example)
{
    const struct json *body = body_of(HTTP_PUT, "/v1/scene/a", "putSceneScene");
    cr_assert_null(json_find(content_of(body, "application/json"), "example"));
}

Test(openapi_requests, upload_is_a_form)
{
    const struct json *body = body_of(HTTP_POST, "/v1/asset", "assetCreate");
    cr_assert_not_null(content_of(body, "multipart/form-data"));
    cr_assert(json_find(body, "required")->boolean);
}

Test(openapi_requests, picture_is_an_image)
{
    const struct json *body = body_of(HTTP_PUT, "/v1/asset/a/thumbnail", "thumbnailPut");
    cr_assert_not_null(content_of(body, "image/webp"));
}
