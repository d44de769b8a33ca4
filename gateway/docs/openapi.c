// openapi.c - the interface as an OpenAPI 3.1 document. Pure, but for the copy that is kept.
#include "gateway/docs/openapi.h"

#include <pthread.h>
#include "gateway/docs/openapi_bodies.h"
#include "gateway/docs/openapi_components.h"
#include "proto/codec/json_write.h"
#include "proto/codec/record_openapi.h"

static const char about[] =
    "A spatial scene server. Requests are JSON; most stand in an array with a name, some may be "
    "the bare record. A member that is absent, null, or an empty array says nothing, unknown ones "
    "are ignored. Texts are UTF-8 and their lengths count bytes. Paths may end in a slash. HEAD "
    "works wherever GET does and changes nothing, OPTIONS tells the methods of a path. Records "
    "with an ETag take If-Match and If-None-Match.";

static void
put_info(const struct gateway_surroundings *around, struct buffer *out)
{
    json_write_text(out, "openapi", "3.1.0");
    json_write_begin(out, "info", '{');
    json_write_text(out, "title", "Diorama");
    json_write_text(out, "version", around->version ? around->version : "0");
    json_write_text(out, "description", about);
    json_write_begin(out, "license", '{');
    json_write_text(out, "name", "Apache-2.0");
    json_write_text(out, "identifier", "Apache-2.0");
    json_write_end(out, '}');
    json_write_end(out, '}');
    json_write_begin(out, "servers", '[');
    json_write_begin(out, NULL, '{');
    json_write_text(out, "url", "/");
    json_write_end(out, '}');
    json_write_end(out, ']');
}

// Nouns that some route is about; those with an empty sentence are other places of an earlier one.
static void
put_tags(struct buffer *out)
{
    json_write_begin(out, "tags", '[');
    for (size_t i = 0; i < catalogue_noun_count; i++) {
        if (!catalogue_nouns[i].sentence[0])
            continue;
        json_write_begin(out, NULL, '{');
        json_write_text(out, "name", catalogue_nouns[i].name);
        json_write_text(out, "description", catalogue_nouns[i].sentence);
        json_write_end(out, '}');
    }
    json_write_end(out, ']');
}

static void
put_parameter(const struct route *route, const struct parameter *parameter, struct buffer *out)
{
    static const struct openapi_form form = {.has_limits = true};
    struct field field = *parameter->field;
    if (field.id == PARAMS_NUM_RECORDS && route->page_most)
        field.maximum = route->page_most;
    json_write_begin(out, NULL, '{');
    json_write_text(out, "name", parameter->name);
    json_write_text(out, "in", parameter->in_path ? "path" : "query");
    json_write_bool(out, "required", parameter->required);
    json_write_text(out, "description", field.about);
    openapi_put_field(&field, &form, "schema", out);
    json_write_end(out, '}');
}

static void
put_parameters(const struct route *route, struct buffer *out)
{
    struct parameters parameters;
    catalogue_parameters(route, &parameters);
    if (parameters.count == 0)
        return;
    json_write_begin(out, "parameters", '[');
    for (unsigned i = 0; i < parameters.count; i++)
        put_parameter(route, &parameters.items[i], out);
    json_write_end(out, ']');
}

// Nobody needs to say who they are while authentication is off; `{}` says so.
static void
put_security(const struct route *route, struct buffer *out)
{
    static const char *const schemes[] = {"bearer", "cookie"};
    bool is_open = route_access(route) == ACCESS_OPEN && !route->for_operators;
    json_write_begin(out, "security", '[');
    for (size_t i = 0; !is_open && i < sizeof schemes / sizeof schemes[0]; i++) {
        json_write_begin(out, NULL, '{');
        json_write_begin(out, schemes[i], '[');
        json_write_end(out, ']');
        json_write_end(out, '}');
    }
    if (!is_open) {
        json_write_begin(out, NULL, '{');
        json_write_end(out, '}');
    }
    json_write_end(out, ']');
}

static void
put_method(struct buffer *out, enum http_method method)
{
    char name[8] = {0};
    const char *upper = http_method_name(method);
    for (size_t i = 0; upper[i] && i < sizeof name - 1; i++)
        name[i] = (char)(upper[i] | 0x20);
    json_write_begin(out, name, '{');
}

static void
put_operation(const struct route *route, struct buffer *out)
{
    put_method(out, route->method);
    json_write_text(out, "summary", catalogue_sentence(route));
    json_write_text_begin(out, "operationId");
    catalogue_put_id(route, out);
    json_write_text_end(out);
    json_write_begin(out, "tags", '[');
    json_write_text(out, NULL, catalogue_noun(route)->name);
    json_write_end(out, ']');
    put_security(route, out);
    put_parameters(route, out);
    openapi_put_request_body(route, out);
    openapi_put_responses(route, out);
    json_write_end(out, '}');
}

static void
put_paths(struct buffer *out)
{
    json_write_begin(out, "paths", '{');
    for (size_t i = 0; i < routes_count; i++) {
        bool is_first = i == 0 || strcmp(routes[i].path, routes[i - 1].path) != 0;
        bool is_last = i + 1 == routes_count || strcmp(routes[i].path, routes[i + 1].path) != 0;
        if (is_first)
            json_write_begin(out, routes[i].path, '{');
        put_operation(&routes[i], out);
        if (is_last)
            json_write_end(out, '}');
    }
    json_write_end(out, '}');
}

static void
make_document(const struct gateway_surroundings *around, struct buffer *out)
{
    json_write_begin(out, NULL, '{');
    put_info(around, out);
    put_tags(out);
    put_paths(out);
    openapi_put_components(out);
    json_write_end(out, '}');
}

void
openapi_print(const struct gateway_surroundings *around, struct buffer *out)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct buffer document; // the tables do not change, so neither does it
    pthread_mutex_lock(&lock);
    if (document.size == 0)
        make_document(around, &document);
    pthread_mutex_unlock(&lock);
    buffer_put(out, document.data, document.size);
}
