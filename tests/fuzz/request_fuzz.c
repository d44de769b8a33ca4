// request_fuzz.c - the head of an HTTP request as text (request line, then a field a line): guard,
// caller, key, route and parameters. A request that passes the guard has one framing and one host;
// a match can be found again by its pattern and parameters.
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gateway/http/client_address.h"
#include "gateway/http/percent.h"
#include "gateway/http/request_guard.h"
#include "gateway/request/auth.h"
#include "gateway/request/body.h"
#include "gateway/request/idempotency.h"
#include "gateway/request/params.h"
#include "gateway/request/query.h"
#include "gateway/router.h"
#include "proto/base/limits.h"
#include "proto/record/record_check.h"
#include "tests/fuzz/fuzz.h"

static const char proxies[] = "127.0.0.1, fd00::1";
static const struct request_guard_rules rules[] = {
    {.loopback = true, .origins = "https://scenes.example"},
    {.loopback = false, .origins = ""},
};

static enum http_method
method_of(const char *name)
{
    unsigned method = 0;
    while (method < HTTP_METHOD_OTHER && strcmp(name, http_method_name(method)) != 0)
        method++;
    return method;
}

// `GET /path?query HTTP/1.0`
static void
read_request_line(char *line, struct http_request *request)
{
    char *target = strchr(line, ' ');
    char *version = target ? strchr(target + 1, ' ') : NULL;
    request->minor = !version || strcmp(version + 1, "HTTP/1.0") != 0;
    request->path = request->query = "";
    if (version)
        *version = '\0';
    if (!target)
        return;
    *target++ = '\0';
    char *query = strchr(target, '?');
    request->path = target;
    if (query) {
        *query = '\0';
        request->query = query + 1;
    }
}

// `Name: value`
static void
read_field(char *line, struct http_request *request)
{
    char *colon = strchr(line, ':');
    if (!colon || request->header_count == HTTP_HEADERS_MAX)
        return;
    *colon = '\0';
    const char *value = colon + 1 + strspn(colon + 1, " \t");
    request->headers[request->header_count++] = (struct http_header){line, value};
}

static void
read_request(struct arena *arena, struct input *input, struct http_request *request)
{
    char *line = input_line(input, arena);
    *request = (struct http_request){.peer = "127.0.0.1"};
    read_request_line(line, request);
    request->method = method_of(line);
    while (input->size)
        read_field(input_line(input, arena), request);
}

static void
check_guard(const struct http_request *request, const struct request_guard_rules *rule)
{
    if (request_guard_check(request, rule) != OK)
        return;
    unsigned lengths = http_header_count(request, "Content-Length");
    unsigned hosts = http_header_count(request, "Host");
    must(lengths + http_header_count(request, "Transfer-Encoding") <= 1);
    must(!lengths || strspn(http_header(request, "Content-Length"), "0123456789") ==
                         strlen(http_header(request, "Content-Length")));
    must(hosts == 1 || (hosts == 0 && request->minor == 0));
    must(request->header_count < HTTP_HEADERS_MAX);
    must(strlen(request->path) + strlen(request->query) <= LIMIT_URI_BYTES);
    bool is_own_page = request_guard_check_origin(request, rule) == OK;
    must(is_own_page || http_header(request, "Origin") || http_header(request, "Sec-Fetch-Site"));
}

static void
check_client_address(const struct http_request *request)
{
    struct caller caller;
    struct in6_addr address;
    client_address_find(request, proxies, &caller);
    must(inet_pton(AF_INET, caller.peer, &address) == 1 ||
         inet_pton(AF_INET6, caller.peer, &address) == 1);
    must(!caller.loopback || !http_header(request, "X-Forwarded-For"));
}

// Nobody is logged in: no header makes the caller anybody.
static void
check_identity(const struct http_request *request)
{
    static sessions_t *nobody;
    if (!nobody)
        nobody = sessions_create();
    const struct auth_rules auth = {.enabled = true, .sessions = nobody};
    struct caller caller = {0};
    bool by_cookie;
    auth_identify(&auth, request, 0, &caller, &by_cookie);
    must(caller.role == CALLER_ANONYMOUS && !caller.user[0] && !caller.session[0] && !by_cookie);
}

// The path of `pattern` with the parameters of the match.
static void
put_path(const struct route_match *match, const char *pattern, struct buffer *out)
{
    unsigned param = 0;
    while (*pattern) {
        size_t size = strcspn(pattern, "{");
        buffer_put(out, pattern, size);
        pattern += size;
        if (!*pattern)
            break;
        percent_encode(out, match->params[param++].value);
        pattern += strcspn(pattern, "}") + 1;
    }
    if (out->size > 1) // "/" has its slash
        buffer_put_char(out, '/');
    buffer_put_char(out, '\0');
}

static void
check_match(struct arena *arena, const struct route_match *match)
{
    struct route_match again;
    struct buffer path = {0};
    put_path(match, match->rows[0].path, &path);
    must(router_find(arena, path.data, &again) == OK);
    must(again.rows == match->rows && again.param_count == match->param_count);
    for (unsigned i = 0; i < match->param_count; i++) {
        must(text_equal(again.params[i].name, match->params[i].name));
        must(text_equal(again.params[i].value, match->params[i].value));
    }
    buffer_finish(&path);
}

static void
check_route(const struct route_match *match, const struct http_request *request)
{
    char allow[HTTP_ALLOW_SIZE];
    const struct route *route;
    router_allow(match, allow);
    must(strlen(allow) + 1 < HTTP_ALLOW_SIZE);
    if (router_pick(match, request->method, &route) == OK) {
        must(strstr(allow, http_method_name(request->method)));
        must(request->method != HTTP_HEAD || !route_changes(route));
    }
}

static void
check_params(struct arena *arena, const struct route_match *match,
             const struct http_request *request)
{
    struct params *params = (struct params *)(void *)record_new(arena, &params_schema);
    if (params_from_query(arena, request->query, UINT64_MAX >> 1, params) != OK ||
        params_from_path(arena, match, params) != OK)
        return;
    must(record_check(&params->base, "") == OK);
    for (unsigned i = 0; i < match->param_count; i++)
        if (text_is(match->params[i].name, "scene"))
            must(text_equal(params->scene, match->params[i].value));
    if (params_settle(arena, params, &match->rows[0]) != OK)
        return;
    must(params->num_records >= 0 && params->num_records <= LIMIT_RECORDS);
    must(!match->rows[0].page || params->num_records > 0);
}

// A query string in place of a record obeys its rules like any other.
static void
check_query(struct arena *arena, const struct route_match *match,
            const struct http_request *request)
{
    const struct route *route = &match->rows[0];
    const struct schema *schema =
        route->operation < OPERATION_COUNT ? operation_rows[route->operation].request : NULL;
    struct record *record;
    if (!schema)
        return;
    if (query_read(arena, schema, NULL, request->query, &record) == OK)
        must(record_check(record, "") == OK);
    else
        must(fault_last()->pointer[0] == '\0' && strlen(fault_last()->detail) > 0);
}

// A key that is taken is what was sent, printable and within its limit.
static void
check_idempotency(const struct http_request *request)
{
    static const struct route route = {.keeps_answer = true};
    struct message *message = message_create(OBJECT_CREATE);
    const char *key = http_header(request, "Idempotency-Key");
    enum error error = idempotency_take(request, &route, "", 0, message);
    const struct params *params = message->params;
    must((error == OK && key) == (params->repeat_key != NULL) && (error == OK || key));
    if (params->repeat_key) {
        const struct text *name = params->repeat_key; // the key, a NUL, what it belongs to
        must(text_size(name) > strlen(key) && strcmp(text_bytes(name), key) == 0);
        must(strlen(key) > 0 && strlen(key) <= LIMIT_IDEMPOTENCY_KEY_BYTES);
        must(utf8_is_valid(key, strlen(key)) && params->repeat_print);
    }
    message_destroy(&message);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct input input = input_of(data, size);
    struct http_request request;
    struct route_match match;
    read_request(&arena, &input, &request);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        check_guard(&request, &rules[i]);
    check_client_address(&request);
    check_identity(&request);
    check_idempotency(&request);
    error_ignore(body_check_media(&request), "only that it ends matters");
    if (router_find(&arena, request.path, &match) == OK) {
        check_match(&arena, &match);
        check_route(&match, &request);
        check_params(&arena, &match, &request);
        check_query(&arena, &match, &request);
    }
    arena_finish(&arena);
    return 0;
}
