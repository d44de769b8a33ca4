// openapi_requests.c - the request body of one route as OpenAPI. Pure.
#include "gateway/docs/openapi_requests.h"

#include "gateway/docs/openapi_examples.h"
#include "gateway/request/body.h"
#include "proto/codec/json_write.h"
#include "proto/codec/record_openapi.h"

static bool
may_be_bare(enum body_shape shape)
{
    return shape == BODY_BARE || shape == BODY_WRAPPED_OR_BARE || shape == BODY_FILTERS_OR_BARE;
}

// The array and the envelope's members beside it.
static void
put_wrapped(const struct route *route, const struct schema *schema, const char *name,
            struct buffer *out)
{
    json_write_begin(out, name, '{');
    json_write_text(out, "type", "object");
    json_write_begin(out, "allOf", '[');
    json_write_begin(out, NULL, '{');
    json_write_text(out, "$ref", "#/components/schemas/ParamsRequest");
    json_write_end(out, '}');
    json_write_end(out, ']');
    json_write_begin(out, "properties", '{');
    json_write_begin(out, schema->array, '{');
    json_write_text(out, "type", "array");
    json_write_number(out, "maxItems", body_most_records(route->body));
    openapi_put_reference(schema, NULL, "items", out);
    json_write_end(out, '}');
    json_write_end(out, '}');
    if (body_is_required(route->body)) {
        json_write_begin(out, "required", '[');
        json_write_text(out, NULL, schema->array);
        json_write_end(out, ']');
    }
    json_write_end(out, '}');
}

static void
put_json_schema(const struct route *route, const struct schema *schema, struct buffer *out)
{
    if (route->body == BODY_BARE) {
        openapi_put_reference(schema, NULL, "schema", out);
        return;
    }
    if (!may_be_bare(route->body)) {
        put_wrapped(route, schema, "schema", out);
        return;
    }
    json_write_begin(out, "schema", '{');
    json_write_begin(out, "anyOf", '[');
    put_wrapped(route, schema, NULL, out);
    openapi_put_reference(schema, NULL, NULL, out);
    json_write_end(out, ']');
    json_write_end(out, '}');
}

static void
put_upload_schema(struct buffer *out)
{
    json_write_begin(out, "schema", '{');
    json_write_text(out, "type", "object");
    json_write_begin(out, "properties", '{');
    json_write_begin(out, "file", '{');
    json_write_text(out, "type", "string");
    json_write_text(out, "contentMediaType", "application/octet-stream");
    json_write_text(out, "description", "The bytes of the asset.");
    json_write_end(out, '}');
    json_write_end(out, '}');
    json_write_begin(out, "required", '[');
    json_write_text(out, NULL, "file");
    json_write_end(out, ']');
    json_write_end(out, '}');
}

// The body is the image itself.
static void
put_images(struct buffer *out)
{
    static const char *const types[] = {"image/png", "image/webp"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        json_write_begin(out, types[i], '{');
        json_write_begin(out, "schema", '{');
        json_write_text(out, "type", "string");
        json_write_text(out, "contentMediaType", types[i]);
        json_write_text(out, "description", "The bytes of the image.");
        json_write_end(out, '}');
        json_write_end(out, '}');
    }
}

static void
put_content(const struct route *route, const char *id, struct buffer *out)
{
    bool is_upload = route->body == BODY_UPLOAD;
    if (route->image_most) {
        put_images(out);
        return;
    }
    json_write_begin(out, is_upload ? "multipart/form-data" : "application/json", '{');
    if (is_upload)
        put_upload_schema(out);
    else
        put_json_schema(route, route_operation(route)->request, out);
    openapi_examples_put(id, "request", out);
    json_write_end(out, '}');
}

void
openapi_requests_put(const struct route *route, const char *id, struct buffer *out)
{
    const struct operation_row *operation = route_operation(route);
    bool is_upload = route->body == BODY_UPLOAD;
    if (!is_upload && !(operation && operation->request && body_is_json(route->body)))
        return;
    json_write_begin(out, "requestBody", '{');
    bool is_needed = body_is_required(route->body) && !route->may_lack_body;
    json_write_bool(out, "required", is_upload || is_needed);
    json_write_begin(out, "content", '{');
    put_content(route, id, out);
    json_write_end(out, '}');
    json_write_end(out, '}');
}
