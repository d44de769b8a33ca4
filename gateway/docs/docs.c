// docs.c - writes the interface as a page for people. Pure, but for the copy that is kept.
#include "gateway/docs/docs.h"

#include <pthread.h>
#include <string.h>

#include "gateway/docs/docs_records.h"
#include "gateway/docs/html.h"
#include "gateway/docs/openapi_examples.h"
#include "gateway/docs/route_catalogue.h"
#include "gateway/http/header_fields.h"
#include "gateway/reply/reply.h"
#include "gateway/request/body.h"
#include "proto/base/owned.h"
#include "proto/codec/record_openapi.h"

static void
put_header(enum header_id id, const char *type, struct buffer *out)
{
    buffer_put_chars(out, "<tr><td>");
    html_put(out, "code", NULL, header_fields[id].name);
    html_put(out, "td", "note", "header, optional");
    html_put(out, "td", NULL, type);
    html_put(out, "td", NULL, header_fields[id].about);
}

static void
put_parameters(const struct route *route, struct buffer *out)
{
    struct parameters parameters;
    route_catalogue_parameters(route, &parameters);
    if (parameters.count == 0 && !route->keeps_answer && !route_takes_fence(route))
        return;
    buffer_put_chars(out, "<b class=\"part\">Parameters</b><table>");
    for (unsigned i = 0; i < parameters.count; i++) {
        const struct parameter *parameter = &parameters.items[i];
        const char *place = parameter->in_path ? "path" : "query";
        buffer_put_chars(out, "<tr><td>");
        html_put(out, "code", NULL, parameter->name);
        html_put(out, "td", "note", parameter->required ? place : "query, optional");
        buffer_put_chars(out, "<td>");
        docs_records_put_type(parameter->field, NULL, out);
        html_put(out, "td", NULL, parameter->field->about);
    }
    if (route->keeps_answer)
        put_header(HEADER_IDEMPOTENCY_KEY, "text", out);
    if (route_takes_fence(route))
        put_header(HEADER_FENCE, "integer", out);
    buffer_put_chars(out, "</table>");
}

// {"scenes": [SceneRequest, …]}
static void
put_wrapped(const char *array, const struct schema *schema, const struct view *view,
            struct buffer *out)
{
    buffer_put_chars(out, "<code>{&quot;");
    html_put_text(out, array);
    buffer_put_chars(out, "&quot;: [");
    docs_records_put_link(schema, view, out);
    buffer_put_chars(out, ", …]}</code>");
}

static void
put_json_body(enum body_shape shape, const struct schema *schema, struct buffer *out)
{
    bool is_bare = shape != BODY_WRAPPED && shape != BODY_FILTERS;
    bool is_filter = shape == BODY_FILTERS || shape == BODY_FILTERS_OR_BARE;
    if (shape != BODY_BARE)
        put_wrapped(schema->array, schema, NULL, out);
    if (is_bare) {
        buffer_put_chars(out, shape == BODY_BARE ? "" : " or the bare record ");
        docs_records_put_link(schema, NULL, out);
    }
    if (is_filter)
        buffer_put_chars(out, "; without one everything is found");
}

static void
put_body(const struct route *route, struct buffer *out)
{
    const struct operation_row *operation = route_operation(route);
    if (route->image_most) {
        buffer_put_chars(out, "<b class=\"part\">Body</b><p>The image itself, as "
                              "<code>image/png</code> or <code>image/webp</code></p>");
        return;
    }
    if (route->body == BODY_UPLOAD) {
        buffer_put_chars(out, "<b class=\"part\">Body</b><p>The file, as the part "
                              "<code>file</code> of <code>multipart/form-data</code></p>");
        return;
    }
    if (!operation || !operation->request || !body_is_json(route->body))
        return;
    buffer_put_chars(out, "<b class=\"part\">Body</b><p>");
    put_json_body(route->body, operation->request, out);
    buffer_put_chars(out, "</p>");
}

static void
put_envelope(const struct route *route, struct buffer *out)
{
    const struct view *view = route_catalogue_view(route);
    if (route->reply.shown == SHOWN_NONE || !view) {
        buffer_put_chars(out, "An envelope with an empty array <code>");
        html_put_text(out, route->reply.array);
        buffer_put_chars(out, "</code>");
        return;
    }
    buffer_put_chars(out, "An envelope with ");
    put_wrapped(route->reply.array, view->of, view, out);
    if (route->reply.also) {
        buffer_put_chars(out, " and the same in ");
        html_put(out, "code", NULL, route->reply.also);
    }
    if (route->reply.shown == SHOWN_IF_WRAPPED)
        buffer_put_chars(out, "; without records where the request was bare");
}

static void
put_record(const struct route *route, struct buffer *out)
{
    const struct view *view = route_catalogue_view(route);
    if (view)
        docs_records_put_link(view->of, view, out);
}

// A page of a list.
static void
put_page(const struct route *route, struct buffer *out)
{
    buffer_put_format(out, "<code>{\"total\": …, \"next\": …, \"%s\": [", route->reply.page);
    put_record(route, out);
    buffer_put_chars(out, ", …]}</code>");
}

static void
put_array(const struct route *route, struct buffer *out)
{
    if (route->reply.is_always_page) {
        put_page(route, out);
        return;
    }
    buffer_put_chars(out, "<code>[");
    put_record(route, out);
    buffer_put_chars(out, ", …]</code>");
    if (route->reply.one_by_filter)
        buffer_put_chars(out, "; with a filter the one record itself, or 404");
    if (route->reply.page) {
        buffer_put_chars(out, "; with <code>after</code> ");
        put_page(route, out);
    }
}

static void
put_text(const struct route *route, struct buffer *out)
{
    buffer_put_chars(out, "Plain text: ");
    if (route->reply.word)
        html_put(out, "code", NULL, route->reply.word);
    else
        buffer_put_chars(out, "the key");
}

static void
put_file(const struct route *route, struct buffer *out)
{
    (void)route;
    buffer_put_chars(out, "The bytes; ranges are supported");
}

static void
put_session(const struct route *route, struct buffer *out)
{
    (void)route;
    buffer_put_chars(out, "No body; the token is in the header, as <code>Authorization</code> and "
                          "as a cookie");
}

static void
put_probe(const struct route *route, struct buffer *out)
{
    html_put(out, "code", NULL, route->reply.media_type);
}

static void
put_stream(const struct route *route, struct buffer *out)
{
    if (route->operation == NO_OPERATION)
        buffer_put_chars(out, "Server-sent events: <code>sample</code> each second");
    else
        buffer_put_chars(out, "Server-sent events: <code>snapshot</code>, the objects and "
                              "properties of a scene, then <code>change</code> for every change "
                              "after it");
}

static void (*const answers[REPLY_FORM_COUNT])(const struct route *route, struct buffer *out) = {
    [REPLY_ENVELOPE] = put_envelope, [REPLY_RECORD] = put_record, [REPLY_ARRAY] = put_array,
    [REPLY_TEXT] = put_text,         [REPLY_FILE] = put_file,     [REPLY_SESSION] = put_session,
    [REPLY_PROBE] = put_probe,       [REPLY_STREAM] = put_stream,
};

static void
put_answer(const struct route *route, struct buffer *out)
{
    buffer_put_chars(out, "<b class=\"part\">Answer</b><p>");
    answers[route->reply.form](route, out);
    if (route->is_tagged)
        buffer_put_chars(out, ", with an <code>ETag</code>");
    if (route->location) {
        buffer_put_chars(out, "; <code>Location: ");
        html_put_text(out, route->location);
        buffer_put_chars(out, "</code>");
    }
    buffer_put_chars(out, "</p>");
}

static void
put_errors(uint32_t errors, struct buffer *out)
{
    buffer_put_chars(out, "<table><tr><th>Status<th>err_code<th>Meaning");
    for (unsigned error = 1; error < ERROR_COUNT; error++) {
        if (!(errors & ERROR_BIT(error)))
            continue;
        buffer_put_format(out, "<tr><td>%d<td>%d", error_status((enum error)error),
                          error_code((enum error)error));
        html_put(out, "td", NULL, error_sentence((enum error)error));
    }
    buffer_put_chars(out, "</table>");
}

// --- examples ---

// A text of the examples, which has no escapes, without its quotes.
static void
put_bare_text(const struct openapi_example *text, struct buffer *out)
{
    html_put_bytes(out, text->json + 1, text->size - 2);
}

// A command for a shell: examples have no single quotes.
static void
put_curl(const struct route *route, const struct openapi_example *target,
         const struct openapi_example *request, struct buffer *out)
{
    buffer_put_chars(out, "<pre class=\"curl\">curl ");
    if (route->method != HTTP_GET)
        buffer_put_format(out, "-X %s ", http_method_name(route->method));
    buffer_put_chars(out, "'$URL");
    put_bare_text(target, out);
    buffer_put_chars(out, "'");
    if (request->size) {
        buffer_put_chars(out, " -H 'Content-Type: application/json' -d '");
        html_put_bytes(out, request->json, request->size);
        buffer_put_chars(out, "'");
    } else if (route->image_most) {
        buffer_put_chars(out, " -H 'Content-Type: image/png' --data-binary @picture.png");
    } else if (route->body == BODY_UPLOAD) {
        buffer_put_chars(out, " -F file=@model.glb");
    }
    buffer_put_chars(out, "</pre>");
}

// What the script of the page sends; a body of bytes it does not have.
static void
put_request(const struct route *route, const struct openapi_example *target,
            const struct openapi_example *request, struct buffer *out)
{
    if (route->image_most || route->body == BODY_UPLOAD)
        return;
    buffer_put_format(out, " data-method=\"%s\" data-target=\"", http_method_name(route->method));
    put_bare_text(target, out);
    if (request->size) {
        buffer_put_chars(out, "\" data-body=\"");
        html_put_bytes(out, request->json, request->size);
    }
    buffer_put_char(out, '"');
}

static void
put_example(const char *id, const struct route *route, struct buffer *out)
{
    const struct openapi_example target = openapi_examples_find(id, "target"),
                                 request = openapi_examples_find(id, "request"),
                                 answer = openapi_examples_find(id, "answer");
    if (!target.size)
        return;
    buffer_put_chars(out, "<details class=\"example\"");
    put_request(route, &target, &request, out);
    buffer_put_chars(out, "><summary>Example</summary>");
    put_curl(route, &target, &request, out);
    if (answer.size) {
        buffer_put_chars(out, "<pre>");
        html_put_bytes(out, answer.json, answer.size);
        buffer_put_chars(out, "</pre>");
    }
    buffer_put_chars(out, "</details>");
}

static void
put_alias(const struct route_table *routes, const struct route *route, struct buffer *out)
{
    const struct route *first = route_catalogue_alias_of(routes, route);
    if (!first)
        return;
    buffer_put_chars(out, "<p>An older way to <a href=\"#");
    route_catalogue_put_id(routes, first, out);
    buffer_put_chars(out, "\">");
    route_catalogue_put_id(routes, first, out);
    buffer_put_chars(out, "</a>.</p>");
}

static void
put_route(const struct route_table *routes, const struct route *route, struct buffer *out)
{
    owned(buffer_finish) struct buffer id = {0};
    route_catalogue_put_id(routes, route, &id);
    buffer_put_char(&id, '\0');
    buffer_put_format(out, "<article id=\"%s", id.data);
    buffer_put_chars(out, "\"><h3><span class=\"method ");
    html_put_text(out, http_method_name(route->method));
    buffer_put_chars(out, "\">");
    html_put_text(out, http_method_name(route->method));
    buffer_put_chars(out, "</span> ");
    html_put(out, "span", "path", route->path);
    buffer_put_chars(out, "</h3>");
    html_put(out, "p", NULL, route_catalogue_sentence(route));
    put_alias(routes, route, out);
    put_parameters(route, out);
    put_body(route, out);
    put_answer(route, out);
    put_example(id.data, route, out);
    buffer_put_chars(out, "<details><summary>Errors</summary>");
    put_errors(route_catalogue_errors(route), out);
    buffer_put_chars(out, "</details></article>\n");
}

static bool
is_about(const struct route *route, const struct noun *noun)
{
    return strcmp(route_catalogue_noun(route)->name, noun->name) == 0;
}

static void
put_noun(const struct route_table *routes, const struct noun *noun, struct buffer *out)
{
    buffer_put_chars(out, "<section id=\"");
    html_put_text(out, noun->name);
    buffer_put_chars(out, "\">");
    html_put(out, "h2", NULL, noun->name);
    html_put(out, "p", "lead", noun->sentence);
    for (size_t i = 0; i < routes->count; i++)
        if (is_about(&routes->rows[i], noun))
            put_route(routes, &routes->rows[i], out);
    buffer_put_chars(out, "</section>\n");
}

static bool
has_routes(const struct route_table *routes, const struct noun *noun)
{
    for (size_t i = 0; noun->sentence[0] && i < routes->count; i++)
        if (is_about(&routes->rows[i], noun))
            return true;
    return false;
}

static void
put_contents(const struct route_table *routes, struct buffer *out)
{
    buffer_put_chars(out, "<nav><ul><li><a href=\"#top\">Diorama</a><li><a href=\"#records\">"
                          "Records</a><li><a href=\"#errors\">Errors</a></ul>");
    for (size_t i = 0; i < route_catalogue_noun_count; i++) {
        if (!has_routes(routes, &route_catalogue_nouns[i]))
            continue;
        buffer_put_chars(out, "<h2>");
        html_put_link(out, route_catalogue_nouns[i].name, route_catalogue_nouns[i].name);
        buffer_put_chars(out, "</h2><ul>");
        for (size_t j = 0; j < routes->count; j++) {
            if (!is_about(&routes->rows[j], &route_catalogue_nouns[i]))
                continue;
            buffer_put_chars(out, "<li><a href=\"#");
            route_catalogue_put_id(routes, &routes->rows[j], out);
            buffer_put_chars(out, "\">");
            route_catalogue_put_id(routes, &routes->rows[j], out);
            buffer_put_chars(out, "</a>");
        }
        buffer_put_chars(out, "</ul>");
    }
    buffer_put_chars(out, "</nav>\n");
}

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
    "<title>Diorama: its interface</title><link rel=\"stylesheet\" href=\"/docs/style.css\">"
    "<script src=\"/docs/docs.js\" defer></script></head><body>\n";

static const char lead[] =
    "<p>A spatial scene server. Requests are JSON. A member that is absent, <code>null</code> or "
    "an empty array is not set; unknown members are ignored. Paths may end in a slash. "
    "<code>HEAD</code> works wherever <code>GET</code> does and changes nothing; "
    "<code>OPTIONS</code> lists the methods of a path. An envelope has <code>msg_type</code>, "
    "<code>err_code</code> (100 is success), <code>num_records</code> and the "
    "<code>transaction_id</code> of the request; records with an <code>ETag</code> support "
    "<code>If-Match</code> and <code>If-None-Match</code>. The same as OpenAPI 3.1: "
    "<a href=\"/openapi.json\">/openapi.json</a>.</p>";

static const char about_errors[] =
    "<section id=\"errors\"><h2>Errors</h2><p class=\"lead\">Every error is "
    "<code>application/problem+json</code> (RFC 9457) that reads as an envelope too: "
    "<code>status</code>, <code>err_code</code>, <code>err_msg</code>, and in <code>errors</code> "
    "the places of the body that are at fault, as JSON Pointers.</p>";

static void
make_page(const struct server_facts *facts, struct buffer *out)
{
    const struct route_table *routes = &facts->routes;
    buffer_put_chars(out, head);
    put_contents(routes, out);
    buffer_put_chars(out, "<main id=\"top\"><h1>Diorama ");
    html_put(out, "small", NULL, facts->version ? facts->version : "");
    buffer_put_chars(out, "</h1>");
    buffer_put_chars(out, lead);
    for (size_t i = 0; i < route_catalogue_noun_count; i++)
        if (has_routes(routes, &route_catalogue_nouns[i]))
            put_noun(routes, &route_catalogue_nouns[i], out);
    docs_records_put(routes, out);
    buffer_put_chars(out, about_errors);
    put_errors(UINT32_MAX & ~ERROR_BIT(PARKED), out);
    buffer_put_chars(out, "</section></main></body></html>\n");
}

fallible
docs_print(const struct probe *probe, struct buffer *out)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct buffer page; // the tables do not change, so neither does it
    pthread_mutex_lock(&lock);
    if (page.size == 0)
        make_page(probe->facts, &page);
    pthread_mutex_unlock(&lock);
    buffer_put(out, page.data, page.size);
    return OK;
}
