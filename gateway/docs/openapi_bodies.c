// openapi_bodies.c - the answers of one route as OpenAPI. Pure.
#include "gateway/docs/openapi_bodies.h"

#include <ctype.h>
#include <stdio.h>

#include "gateway/docs/openapi_examples.h"
#include "gateway/reply/reply.h"
#include "gateway/request/body.h"
#include "proto/base/limits.h"
#include "proto/codec/json_write.h"
#include "proto/codec/record_openapi.h"

static void
put_reference(struct buffer *out, const char *name, const char *target)
{
    json_write_begin(out, name, '{');
    json_write_text(out, "$ref", target);
    json_write_end(out, '}');
}

static void
put_type(struct buffer *out, const char *name, const char *type)
{
    json_write_begin(out, name, '{');
    json_write_text(out, "type", type);
    json_write_end(out, '}');
}

static void
put_array(const struct route *route, const char *name, struct buffer *out)
{
    const struct view *view = route_catalogue_view(route);
    bool is_empty = route->reply.shown == SHOWN_NONE || !view;
    json_write_begin(out, name, '{');
    json_write_text(out, "type", "array");
    if (is_empty)
        json_write_number(out, "maxItems", 0);
    else
        openapi_put_reference(view->of, view, "items", out);
    json_write_end(out, '}');
}

static void
put_constant(struct buffer *out, const char *name, int value)
{
    json_write_begin(out, name, '{');
    json_write_text(out, "type", "integer");
    json_write_number(out, "const", value);
    json_write_end(out, '}');
}

// Whether it makes, changes or deletes objects or properties. Who takes a lock needs other rights.
static bool
writes_entities(const struct route *route, const struct operation_row *operation)
{
    return operation->actor == SCENE_ACTOR && operation->access == ACCESS_SHARE &&
           route_changes(route);
}

// Whether the answer says which event its state includes: reads of a scene, registrations and
// writes of what is in it do.
static bool
tells_place(const struct route *route)
{
    const struct operation_row *operation = route_operation(route);
    return operation && (writes_entities(route, operation) ||
                         (operation->target == BY_SCENE &&
                          (route->reply.is_paged || route->reply.tells_destination)));
}

// Whether the answer says what lease it gave: to a request that has a body.
static bool
tells_lease(const struct route *route)
{
    return route->operation == OBJECT_LOCK && body_is_json(route->body);
}

static bool
tells(const struct route *route, const struct field *field)
{
    switch (field->id) {
    case ENVELOPE_NEXT_START_RECORD:
        return route->reply.is_paged;
    case ENVELOPE_EVENT_DESTINATION_HOST:
    case ENVELOPE_EVENT_DESTINATION_PORT:
    case ENVELOPE_UDP:
        return route->reply.tells_destination;
    case ENVELOPE_HOLDER:
        return tells_lease(route) || route->operation == OBJECT_ASK;
    case ENVELOPE_USER:
    case ENVELOPE_SINCE:
    case ENVELOPE_UNTIL:
    case ENVELOPE_FENCE:
        return tells_lease(route);
    case ENVELOPE_EPOCH:
    case ENVELOPE_SEQ:
        return tells_place(route);
    default:
        return false;
    }
}

static void
put_warnings(struct buffer *out)
{
    json_write_begin(out, "warnings", '{');
    json_write_text(out, "type", "array");
    json_write_text(
        out, "description",
        "What was taken although it is probably not meant; only if there is something.");
    json_write_number(out, "maxItems", WARNINGS_MOST);
    json_write_begin(out, "items", '{');
    json_write_text(out, "type", "object");
    json_write_begin(out, "properties", '{');
    put_type(out, "pointer", "string");
    put_type(out, "detail", "string");
    json_write_end(out, '}');
    json_write_end(out, '}');
    json_write_end(out, '}');
}

static void
put_envelope_properties(const struct route *route, struct buffer *out)
{
    const struct operation_row *operation = route_operation(route);
    json_write_begin(out, "properties", '{');
    put_constant(out, "msg_type", operation ? operation->msg_type : 0);
    put_constant(out, "err_code", error_code(OK));
    put_type(out, "num_records", "integer");
    json_write_begin(out, "transaction_id", '{');
    json_write_text(out, "description", "As in the request.");
    json_write_end(out, '}');
    if (route->reply.is_paged)
        put_type(out, "start_record", "integer");
    for (uint32_t i = 0; i < envelope_schema.count; i++) {
        const struct field *field = &envelope_schema.fields[i];
        if (tells(route, field))
            openapi_put_field(field, &(struct openapi_form){.view = route_catalogue_view(route)},
                              field->name, out);
    }
    put_array(route, route->reply.array, out);
    if (route->reply.also)
        put_array(route, route->reply.also, out);
    if (body_is_json(route->body))
        put_warnings(out);
    json_write_end(out, '}');
}

static void
put_envelope(const struct route *route, struct buffer *out)
{
    json_write_begin(out, "schema", '{');
    json_write_text(out, "type", "object");
    put_envelope_properties(route, out);
    json_write_begin(out, "required", '[');
    json_write_text(out, NULL, "msg_type");
    json_write_text(out, NULL, "err_code");
    json_write_text(out, NULL, "num_records");
    if (route->reply.is_paged)
        json_write_text(out, NULL, "start_record");
    json_write_text(out, NULL, route->reply.array);
    if (route->reply.also)
        json_write_text(out, NULL, route->reply.also);
    json_write_end(out, ']');
    json_write_end(out, '}');
}

static void
put_record(const struct route *route, struct buffer *out)
{
    const struct view *view = route_catalogue_view(route);
    if (view)
        openapi_put_reference(view->of, view, "schema", out);
    else
        put_type(out, "schema", "object");
}

// A page of a list.
static void
put_page(const struct route *route, const char *name, struct buffer *out)
{
    static const unsigned told[] = {ENVELOPE_TOTAL, ENVELOPE_AT_LEAST, ENVELOPE_NEXT};
    json_write_begin(out, name, '{');
    json_write_text(out, "type", "object");
    json_write_begin(out, "properties", '{');
    for (unsigned i = 0; i < sizeof told / sizeof told[0]; i++) {
        const struct field *field = schema_field(&envelope_schema, told[i]);
        openapi_put_field(field, &(struct openapi_form){.view = NULL}, field->name, out);
    }
    put_array(route, route->reply.page, out);
    json_write_end(out, '}');
    json_write_begin(out, "required", '[');
    json_write_text(out, NULL, "total");
    json_write_text(out, NULL, route->reply.page);
    json_write_end(out, ']');
    json_write_end(out, '}');
}

// A bare array; or a page, or the one record, if the route says so.
static void
put_records(const struct route *route, struct buffer *out)
{
    if (route->reply.is_always_page) {
        put_page(route, "schema", out);
        return;
    }
    if (!route->reply.one_by_filter && !route->reply.page) {
        put_array(route, "schema", out);
        return;
    }
    json_write_begin(out, "schema", '{');
    json_write_begin(out, "anyOf", '[');
    put_array(route, NULL, out);
    if (route->reply.page)
        put_page(route, NULL, out);
    if (route->reply.one_by_filter)
        openapi_put_reference(route_catalogue_view(route)->of, route_catalogue_view(route), NULL,
                              out);
    json_write_end(out, ']');
    json_write_end(out, '}');
}

static void
put_string(const struct route *route, struct buffer *out)
{
    json_write_begin(out, "schema", '{');
    json_write_text(out, "type", "string");
    if (route->reply.word)
        json_write_text(out, "const", route->reply.word);
    json_write_end(out, '}');
}

static void
put_bytes(const struct route *route, struct buffer *out)
{
    (void)route;
    json_write_begin(out, "schema", '{');
    json_write_text(out, "type", "string");
    json_write_text(out, "format", "binary");
    json_write_end(out, '}');
}

static void
put_probe(const struct route *route, struct buffer *out)
{
    bool is_json = strstr(route->reply.media_type, "json") != NULL;
    put_type(out, "schema", is_json ? "object" : "string");
}

// The writer of each form's schema; NULL: no body.
static void (*const writers[REPLY_FORM_COUNT])(const struct route *route, struct buffer *out) = {
    [REPLY_ENVELOPE] = put_envelope, [REPLY_RECORD] = put_record, [REPLY_ARRAY] = put_records,
    [REPLY_TEXT] = put_string,       [REPLY_FILE] = put_bytes,    [REPLY_SESSION] = NULL,
    [REPLY_PROBE] = put_probe,       [REPLY_STREAM] = put_string,
};

void
openapi_bodies_put_header(enum header_id id, struct buffer *out)
{
    json_write_begin(out, header_fields[id].name, '{');
    json_write_text_begin(out, "$ref");
    buffer_put_chars(out, "#/components/headers/");
    buffer_put_chars(out, header_fields[id].component);
    json_write_text_end(out);
    json_write_end(out, '}');
}

static void
put_headers(const struct route *route, bool is_range, struct buffer *out)
{
    json_write_begin(out, "headers", '{');
    openapi_bodies_put_header(HEADER_REQUEST_ID, out);
    if (route->is_tagged || route->reply.form == REPLY_FILE)
        openapi_bodies_put_header(HEADER_TAG, out);
    if (is_range)
        openapi_bodies_put_header(HEADER_CONTENT_RANGE, out);
    if (route->location)
        openapi_bodies_put_header(HEADER_LOCATION, out);
    if (route->keeps_answer)
        openapi_bodies_put_header(HEADER_REPLAYED, out);
    if (body_is_json(route->body) && route->reply.form != REPLY_ENVELOPE)
        openapi_bodies_put_header(HEADER_WARNINGS, out);
    if (route->reply.form == REPLY_SESSION) {
        openapi_bodies_put_header(HEADER_AUTHORIZATION, out);
        openapi_bodies_put_header(HEADER_COOKIE, out);
    }
    json_write_end(out, '}');
}

static void
put_success(const struct route *route, const char *id, const char *status, const char *description,
            struct buffer *out)
{
    const char *media_type = reply_media_type(route);
    json_write_begin(out, status, '{');
    json_write_text(out, "description", description);
    put_headers(route, strcmp(status, "206") == 0, out);
    if (writers[route->reply.form]) {
        json_write_begin(out, "content", '{');
        json_write_begin(out, media_type ? media_type : "*/*", '{');
        writers[route->reply.form](route, out);
        openapi_examples_put(id, "answer", out);
        json_write_end(out, '}');
        json_write_end(out, '}');
    }
    json_write_end(out, '}');
}

uint32_t
openapi_bodies_failure(uint32_t errors, enum error first)
{
    uint32_t same = 0;
    for (unsigned error = 0; error < ERROR_COUNT; error++)
        if ((errors & ERROR_BIT(error)) && error_status((enum error)error) == error_status(first))
            same |= ERROR_BIT(error);
    bool is_first = (same & (ERROR_BIT(first) - 1)) == 0;
    return (errors & ERROR_BIT(first)) && is_first ? same : 0;
}

void
openapi_bodies_put_failure_name(uint32_t errors, struct buffer *out)
{
    bool is_first = true;
    for (unsigned error = 0; error < ERROR_COUNT; error++) {
        if (!(errors & ERROR_BIT(error)))
            continue;
        bool is_start = true;
        buffer_put_chars(out, is_first ? "" : "Or");
        for (const char *at = error_slug((enum error)error); *at; at++) {
            if (*at != '-')
                buffer_put_char(out, (char)(is_start ? toupper((unsigned char)*at) : *at));
            is_start = *at == '-';
        }
        is_first = false;
    }
}

static void
put_failures(const struct route *route, struct buffer *out)
{
    uint32_t errors = route_catalogue_errors(route);
    for (unsigned error = 0; error < ERROR_COUNT; error++) {
        uint32_t failure = openapi_bodies_failure(errors, (enum error)error);
        if (!failure)
            continue;
        char status[12];
        snprintf(status, sizeof status, "%d", error_status((enum error)error));
        json_write_begin(out, status, '{');
        json_write_text_begin(out, "$ref");
        buffer_put_chars(out, "#/components/responses/");
        openapi_bodies_put_failure_name(failure, out);
        json_write_text_end(out);
        json_write_end(out, '}');
    }
}

void
openapi_bodies_put_responses(const struct route *route, const char *id, struct buffer *out)
{
    bool is_file = route->reply.form == REPLY_FILE;
    json_write_begin(out, "responses", '{');
    put_success(route, id, "200", "Success.", out);
    if (is_file)
        put_success(route, id, "206", "The range that was asked for.", out);
    if (is_file || (route->is_tagged && !route_changes(route)))
        put_reference(out, "304", "#/components/responses/NotModified");
    put_failures(route, out);
    json_write_end(out, '}');
}
