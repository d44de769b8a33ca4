// openapi.c - writes the interface as OpenAPI documents. Pure, but for the copies that are kept.
#include "gateway/docs/openapi.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#include "gateway/docs/openapi_bodies.h"
#include "gateway/docs/openapi_components.h"
#include "gateway/docs/openapi_examples.h"
#include "gateway/docs/openapi_requests.h"
#include "gateway/http/header_fields.h"
#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/codec/json_write.h"
#include "proto/codec/record_openapi.h"
#include "proto/records/params.h"

static const char about[] =
    "A spatial scene server. Requests are JSON: records in a named array, or on some routes the "
    "bare "
    "record. A member that is absent, null or an empty array is not set; unknown members are "
    "ignored. Texts are UTF-8 and their lengths count bytes. Paths may end in a slash. HEAD works "
    "wherever GET does and changes nothing; OPTIONS lists the methods of a path. Records with an "
    "ETag support If-Match and If-None-Match. A POST with an Idempotency-Key may be "
    "sent again: it is done once.";

// Which part of the interface a document describes, and in which form of OpenAPI.
struct edition {
    const char *version;                        // of OpenAPI
    const char *noun;                           // of its routes (route_catalogue.h); NULL = all
    const char *license_member, *license_value; // of `license`, beside its name
    bool has_records; // schemas of records, which are in the form of 3.1 alone
};

static const struct edition whole = {"3.1.0", NULL, "identifier", "Apache-2.0", true};
// Its operations refer to no record.
static const struct edition of_features = {"3.0.3", "features", "url",
                                           "https://www.apache.org/licenses/LICENSE-2.0", false};

static bool
edition_has(const struct edition *edition, const struct noun *noun)
{
    return !edition->noun || strcmp(noun->name, edition->noun) == 0;
}

// Routes of a noun are neighbours.
static struct route_table
edition_routes(const struct edition *edition, struct route_table all)
{
    struct route_table part = {all.rows, 0};
    for (size_t i = 0; i < all.count; i++) {
        if (!edition_has(edition, route_catalogue_noun(&all.rows[i])))
            continue;
        if (part.count == 0)
            part.rows = &all.rows[i];
        assert(part.rows + part.count == &all.rows[i]);
        part.count++;
    }
    return part;
}

static void
put_info(const struct edition *edition, const char *version, struct buffer *out)
{
    json_write_text(out, "openapi", edition->version);
    json_write_begin(out, "info", '{');
    json_write_text(out, "title", "Diorama");
    json_write_text(out, "version", version ? version : "0");
    json_write_text(out, "description", about);
    json_write_begin(out, "license", '{');
    json_write_text(out, "name", "Apache-2.0");
    json_write_text(out, edition->license_member, edition->license_value);
    json_write_end(out, '}');
    json_write_end(out, '}');
    json_write_begin(out, "servers", '[');
    json_write_begin(out, NULL, '{');
    json_write_text(out, "url", "/");
    json_write_end(out, '}');
    json_write_end(out, ']');
}

// The nouns; one with an empty sentence is another path of an earlier one.
static void
put_tags(const struct edition *edition, struct buffer *out)
{
    json_write_begin(out, "tags", '[');
    for (size_t i = 0; i < route_catalogue_noun_count; i++) {
        const struct noun *noun = &route_catalogue_nouns[i];
        if (!noun->sentence[0] || !edition_has(edition, noun))
            continue;
        json_write_begin(out, NULL, '{');
        json_write_text(out, "name", noun->name);
        json_write_text(out, "description", noun->sentence);
        json_write_end(out, '}');
    }
    json_write_end(out, ']');
}

static void
put_parameter(const struct route *route, const char *id, const struct parameter *parameter,
              struct buffer *out)
{
    char part[64];
    static const struct openapi_form form = {.has_limits = true};
    struct field field = *parameter->field;
    if (field.id == PARAMS_NUM_RECORDS && route->page_most)
        field.maximum = route->page_most;
    if (field.id == PARAMS_NUM_RECORDS && route->is_exact)
        field.minimum = 1;
    json_write_begin(out, NULL, '{');
    json_write_text(out, "name", parameter->name);
    json_write_text(out, "in", parameter->in_path ? "path" : "query");
    json_write_bool(out, "required", parameter->required);
    json_write_text(out, "description", field.about);
    openapi_put_field(&field, &form, "schema", out);
    snprintf(part, sizeof part, "%s.%s", parameter->in_path ? "path" : "query", parameter->name);
    openapi_examples_put(id, part, out);
    json_write_end(out, '}');
}

static void
put_idempotency_key(struct buffer *out)
{
    const struct header_field *key = &header_fields[HEADER_IDEMPOTENCY_KEY];
    json_write_begin(out, NULL, '{');
    json_write_text(out, "name", key->name);
    json_write_text(out, "in", "header");
    json_write_bool(out, "required", false);
    json_write_text(out, "description", key->about);
    json_write_begin(out, "schema", '{');
    json_write_text(out, "type", "string");
    json_write_number(out, "minLength", 1);
    json_write_number(out, "maxLength", LIMIT_IDEMPOTENCY_KEY_BYTES);
    json_write_end(out, '}');
    json_write_end(out, '}');
}

static void
put_fence(struct buffer *out)
{
    const struct header_field *fence = &header_fields[HEADER_FENCE];
    json_write_begin(out, NULL, '{');
    json_write_text(out, "name", fence->name);
    json_write_text(out, "in", "header");
    json_write_bool(out, "required", false);
    json_write_text(out, "description", fence->about);
    json_write_begin(out, "schema", '{');
    json_write_text(out, "type", "integer");
    json_write_number(out, "minimum", 1);
    json_write_end(out, '}');
    json_write_end(out, '}');
}

static void
put_parameters(const struct route *route, const char *id, struct buffer *out)
{
    struct parameters parameters;
    route_catalogue_parameters(route, &parameters);
    if (parameters.count == 0 && !route->keeps_answer && !route_takes_fence(route))
        return;
    json_write_begin(out, "parameters", '[');
    for (unsigned i = 0; i < parameters.count; i++)
        put_parameter(route, id, &parameters.items[i], out);
    if (route->keeps_answer)
        put_idempotency_key(out);
    if (route_takes_fence(route))
        put_fence(out);
    json_write_end(out, ']');
}

// `{}` says that a request needs no authentication, as while auth.enabled is false.
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

// Generators of clients may leave out what is another way to the same.
static void
put_alias(const struct route_table *routes, const struct route *route, struct buffer *out)
{
    const struct route *first = route_catalogue_alias_of(routes, route);
    if (!first)
        return;
    json_write_bool(out, "deprecated", true);
    json_write_text_begin(out, "x-alias-of");
    route_catalogue_put_id(routes, first, out);
    json_write_text_end(out);
}

static void
put_operation(const struct route_table *routes, const struct route *route, struct buffer *out)
{
    owned(buffer_finish) struct buffer id = {0};
    route_catalogue_put_id(routes, route, &id);
    buffer_put_char(&id, '\0');
    put_method(out, route->method);
    json_write_text(out, "summary", route_catalogue_sentence(route));
    json_write_text(out, "operationId", id.data);
    put_alias(routes, route, out);
    json_write_begin(out, "tags", '[');
    json_write_text(out, NULL, route_catalogue_noun(route)->name);
    json_write_end(out, ']');
    put_security(route, out);
    put_parameters(route, id.data, out);
    openapi_requests_put(route, id.data, out);
    openapi_bodies_put_responses(route, id.data, out);
    json_write_end(out, '}');
}

static void
put_paths(const struct route_table *routes, struct buffer *out)
{
    json_write_begin(out, "paths", '{');
    for (size_t i = 0; i < routes->count; i++) {
        const struct route *route = &routes->rows[i];
        bool is_first = i == 0 || strcmp(route->path, route[-1].path) != 0;
        bool is_last = i + 1 == routes->count || strcmp(route->path, route[1].path) != 0;
        if (is_first)
            json_write_begin(out, route->path, '{');
        put_operation(routes, route, out);
        if (is_last)
            json_write_end(out, '}');
    }
    json_write_end(out, '}');
}

static void
make_document(const struct edition *edition, const struct server_facts *facts, struct buffer *out)
{
    const struct route_table routes = edition_routes(edition, facts->routes);
    json_write_begin(out, NULL, '{');
    put_info(edition, facts->version, out);
    put_tags(edition, out);
    put_paths(&routes, out);
    openapi_components_put(&routes, edition->has_records, out);
    json_write_end(out, '}');
}

// The tables do not change, so neither does a document that is made of them.
static void
print_once(const struct edition *edition, const struct probe *probe, struct buffer *document,
           struct buffer *out)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (document->size == 0)
        make_document(edition, probe->facts, document);
    pthread_mutex_unlock(&lock);
    buffer_put(out, document->data, document->size);
}

fallible
openapi_print(const struct probe *probe, struct buffer *out)
{
    static struct buffer document;
    print_once(&whole, probe, &document, out);
    return OK;
}

fallible
openapi_print_features(const struct probe *probe, struct buffer *out)
{
    static struct buffer document;
    print_once(&of_features, probe, &document, out);
    return OK;
}
