// openapi_components.c - records, failures and headers that the paths refer to. Pure.
#include "gateway/docs/openapi_components.h"

#include <stdlib.h>

#include "gateway/docs/openapi_bodies.h"
#include "gateway/docs/shapes.h"
#include "proto/codec/json_write.h"
#include "proto/codec/record_openapi.h"

enum { FAILURES_MAX = 64 };

// --- records ---

static void
put_problem_member(struct buffer *out, const char *name, const char *type, const char *about)
{
    json_write_begin(out, name, '{');
    json_write_text(out, "type", type);
    json_write_text(out, "description", about);
    json_write_end(out, '}');
}

static void
put_faults(struct buffer *out)
{
    json_write_begin(out, "errors", '{');
    json_write_text(out, "type", "array");
    json_write_text(out, "description", "The places in the body that are at fault.");
    json_write_begin(out, "items", '{');
    json_write_text(out, "type", "object");
    json_write_begin(out, "properties", '{');
    put_problem_member(out, "pointer", "string", "A JSON Pointer, empty for the whole request.");
    put_problem_member(out, "detail", "string", "What is wrong there.");
    json_write_end(out, '}');
    json_write_begin(out, "required", '[');
    json_write_text(out, NULL, "pointer");
    json_write_text(out, NULL, "detail");
    json_write_end(out, ']');
    json_write_end(out, '}');
    json_write_end(out, '}');
}

// clang-format off
static const struct {
    const char *name, *type, *about;
} problem_members[] = {
    {"type",        "string",  "Identifies the kind of problem."},
    {"title",       "string",  "The kind in one sentence."},
    {"status",      "integer", "The status of the answer."},
    {"detail",      "string",  "Details of this problem."},
    {"msg_type",    "integer", "As in answers of success."},
    {"err_code",    "integer", "The kind as a number."},
    {"err_msg",     "string",  "Place and detail in one sentence."},
    {"num_records", "integer", "0."},
    {"request_id",  "string",  "The X-Request-Id of the answer."},
};
// clang-format on

// Other members may follow: the array of a success is there too, and empty.
static void
put_problem(struct buffer *out)
{
    enum { COUNT = sizeof problem_members / sizeof problem_members[0] };
    json_write_begin(out, "Problem", '{');
    json_write_text(out, "type", "object");
    json_write_text(out, "description", "RFC 9457; also readable as an envelope.");
    json_write_begin(out, "properties", '{');
    for (size_t i = 0; i < COUNT; i++)
        put_problem_member(out, problem_members[i].name, problem_members[i].type,
                           problem_members[i].about);
    put_problem_member(out, "holder", "string", "The device that holds the lock.");
    put_problem_member(out, "budget", "string", "The budget that is used up.");
    put_faults(out);
    json_write_end(out, '}');
    json_write_bool(out, "additionalProperties", true);
    json_write_begin(out, "required", '[');
    for (size_t i = 0; i < COUNT; i++)
        json_write_text(out, NULL, problem_members[i].name);
    json_write_text(out, NULL, "errors");
    json_write_end(out, ']');
    json_write_end(out, '}');
}

static void
put_records(const struct route_table *routes, struct buffer *out)
{
    struct shapes *shapes = shapes_collect(routes);
    for (unsigned i = 0; i < shapes->count; i++) {
        const struct shape *shape = &shapes->items[i];
        openapi_put_record(shape->schema, shape->is_request ? NULL : &shape->view, out);
    }
    free(shapes);
}

static void
put_schemas(const struct route_table *routes, bool has_records, struct buffer *out)
{
    json_write_begin(out, "schemas", '{');
    put_problem(out);
    if (has_records)
        put_records(routes, out);
    json_write_end(out, '}');
}

// --- failures ---

static void
put_codes(uint32_t errors, struct buffer *out)
{
    json_write_begin(out, "err_code", '{');
    json_write_begin(out, "enum", '[');
    int last = 0; // those of one code are neighbours
    for (unsigned error = 0; error < ERROR_COUNT; error++) {
        int code = error_code((enum error)error);
        if (!(errors & ERROR_BIT(error)) || code == last)
            continue;
        json_write_number(out, NULL, code);
        last = code;
    }
    json_write_end(out, ']');
    json_write_end(out, '}');
}

static void
put_sentences(uint32_t errors, struct buffer *out)
{
    json_write_text_begin(out, "description");
    const char *space = "";
    for (unsigned error = 0; error < ERROR_COUNT; error++)
        if (errors & ERROR_BIT(error)) {
            buffer_put_format(out, "%s%s", space, error_sentence((enum error)error));
            space = " ";
        }
    json_write_text_end(out);
}

static void
put_failure_headers(uint32_t errors, struct buffer *out)
{
    uint32_t later =
        ERROR_BIT(ERR_UNAVAILABLE) | ERROR_BIT(ERR_THROTTLED) | ERROR_BIT(ERR_OVER_BUDGET);
    json_write_begin(out, "headers", '{');
    openapi_bodies_put_header(HEADER_REQUEST_ID, out);
    if (errors & later) {
        openapi_bodies_put_header(HEADER_RETRY_AFTER, out);
    }
    if (errors & ERROR_BIT(ERR_UNAUTHENTICATED)) {
        openapi_bodies_put_header(HEADER_CHALLENGE, out);
    }
    json_write_end(out, '}');
}

static void
put_failure_schema(uint32_t errors, struct buffer *out)
{
    json_write_begin(out, "schema", '{');
    json_write_begin(out, "allOf", '[');
    json_write_begin(out, NULL, '{');
    json_write_text(out, "$ref", "#/components/schemas/Problem");
    json_write_end(out, '}');
    json_write_begin(out, NULL, '{');
    json_write_begin(out, "properties", '{');
    put_codes(errors, out);
    json_write_end(out, '}');
    json_write_bool(out, "additionalProperties", true);
    json_write_end(out, '}');
    json_write_end(out, ']');
    json_write_end(out, '}');
}

static void
put_failure(uint32_t errors, struct buffer *out)
{
    struct buffer name = {0};
    openapi_bodies_put_failure_name(errors, &name);
    buffer_put_char(&name, '\0');
    json_write_begin(out, name.data, '{');
    put_sentences(errors, out);
    put_failure_headers(errors, out);
    json_write_begin(out, "content", '{');
    json_write_begin(out, "application/problem+json", '{');
    put_failure_schema(errors, out);
    json_write_end(out, '}');
    json_write_end(out, '}');
    json_write_end(out, '}');
    buffer_finish(&name);
}

// Collects the sets of failures that share a status in a route, each set once.
static unsigned
collect_failures(const struct route_table *routes, uint32_t *ret_failures)
{
    unsigned count = 0;
    for (size_t i = 0; i < routes->count; i++)
        for (unsigned error = 0; error < ERROR_COUNT; error++) {
            uint32_t failure =
                openapi_bodies_failure(route_catalogue_errors(&routes->rows[i]), (enum error)error);
            unsigned known = 0;
            while (known < count && ret_failures[known] != failure)
                known++;
            if (failure && known == count && count < FAILURES_MAX)
                ret_failures[count++] = failure;
        }
    return count;
}

static void
put_responses(const struct route_table *routes, struct buffer *out)
{
    uint32_t failures[FAILURES_MAX];
    unsigned count = collect_failures(routes, failures);
    json_write_begin(out, "responses", '{');
    json_write_begin(out, "NotModified", '{');
    json_write_text(out, "description", "The client has this state already.");
    json_write_end(out, '}');
    for (unsigned i = 0; i < count; i++)
        put_failure(failures[i], out);
    json_write_end(out, '}');
}

// --- headers and security ---

static void
put_headers(struct buffer *out)
{
    json_write_begin(out, "headers", '{');
    for (const struct header_field *row = header_fields; row < header_fields + HEADER_COUNT;
         row++) {
        if (!row->component)
            continue;
        json_write_begin(out, row->component, '{');
        json_write_text(out, "description", row->about);
        json_write_begin(out, "schema", '{');
        json_write_text(out, "type", row->type);
        json_write_end(out, '}');
        json_write_end(out, '}');
    }
    json_write_end(out, '}');
}

static void
put_security_schemes(struct buffer *out)
{
    json_write_begin(out, "securitySchemes", '{');
    json_write_begin(out, "bearer", '{');
    json_write_text(out, "type", "http");
    json_write_text(out, "scheme", "bearer");
    json_write_text(out, "description", "The token of a login, for programs.");
    json_write_end(out, '}');
    json_write_begin(out, "cookie", '{');
    json_write_text(out, "type", "apiKey");
    json_write_text(out, "in", "cookie");
    json_write_text(out, "name", "access_token");
    json_write_text(out, "description", "The same, for browsers.");
    json_write_end(out, '}');
    json_write_end(out, '}');
}

// The size of a page of features, where OGC 17-069r4 (7.15.2) shows it and QGIS looks for it:
// without it QGIS asks for pages of 100.
static void
put_page_limit(const struct route_table *routes, struct buffer *out)
{
    const struct route *page = routes->rows, *end = routes->rows + routes->count;
    while (page < end && !page->takes_any_page)
        page++;
    if (page == end)
        return;
    json_write_begin(out, "parameters", '{');
    json_write_begin(out, "limit", '{');
    json_write_text(out, "name", "limit");
    json_write_text(out, "in", "query");
    json_write_text(out, "description", "Features of a page.");
    json_write_begin(out, "schema", '{');
    json_write_text(out, "type", "integer");
    json_write_number(out, "minimum", 1);
    json_write_number(out, "maximum", page->page_most);
    json_write_number(out, "default", page->page);
    json_write_end(out, '}');
    json_write_end(out, '}');
    json_write_end(out, '}');
}

void
openapi_components_put(const struct route_table *routes, bool has_records, struct buffer *out)
{
    json_write_begin(out, "components", '{');
    put_schemas(routes, has_records, out);
    if (!has_records)
        put_page_limit(routes, out);
    put_responses(routes, out);
    put_headers(out);
    put_security_schemes(out);
    json_write_end(out, '}');
}
