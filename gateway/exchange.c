// exchange.c - the steps of one request: guard, route, caller, body, parameters, actor, answer.
// Worker threads. A step that refuses says why; every answer is sent in one place.
#include "gateway/exchange.h"

#include <stdio.h>

#include "gateway/exchange_read.h"
#include "gateway/reply/reply.h"
#include "gateway/request/audit_entry.h"
#include "gateway/request/device_claims.h"
#include "gateway/request/idempotency.h"
#include "gateway/router.h"
#include "proto/base/chars.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/config/config.h"
#include "proto/message/lease.h"
#include "proto/message/metrics.h"

enum { RETRY_AFTER_S = 1 };

static const char json_type[] = "application/json";
static const char problem_type[] = "application/problem+json";

void
exchange_init(struct exchange *self, struct edge *edge, struct watch *watch)
{
    *self = (struct exchange){.edge = edge, .watch = watch};
    self->client = actor_client_create(edge->boxes, edge->shown, edge->shards, edge->deadline_ms);
}

void
exchange_rest(struct exchange *self)
{
    http_answer_finish(&self->answer);
    buffer_finish(&self->body);
    buffer_finish(&self->coded);
}

void
exchange_finish(struct exchange *self)
{
    message_destroy(&self->message);
    actor_client_destroy(&self->client);
    exchange_rest(self);
    arena_finish(&self->arena);
}

static bool
is_request_id(const char *id)
{
    size_t size = strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    return size > 0 && size < HTTP_REQUEST_ID_SIZE && id[size] == '\0';
}

// The prefix, a hyphen and a number in hexadecimal.
static void
make_request_id(struct edge *edge, char ret_id[HTTP_REQUEST_ID_SIZE])
{
    uint64_t number = atomic_fetch_add(&edge->ids, 1);
    unsigned digits = 1;
    while (digits < 16 && number >> (4 * digits))
        digits++;
    size_t size = strlen(edge->id_prefix);
    memcpy(ret_id, edge->id_prefix, size);
    ret_id[size++] = '-';
    while (digits-- > 0)
        ret_id[size++] = "0123456789abcdef"[number >> (4 * digits) & 15];
    ret_id[size] = '\0';
}

static void
choose_request_id(struct exchange *self)
{
    const char *given = http_header(&self->request, "X-Request-Id");
    if (given && is_request_id(given))
        chars_copy(self->request_id, sizeof self->request_id, given);
    else
        make_request_id(self->edge, self->request_id);
}

static void
exchange_begin(struct exchange *self, struct mg_connection *connection, bool close)
{
    http_request_take(connection, &self->request);
    http_answer_begin(&self->answer);
    self->answer.close = close;
    self->answer.origin = request_guard_listed_origin(&self->request, &self->edge->rules);
    self->answer.has_origins = self->edge->rules.origins && self->edge->rules.origins[0];
    self->answer.request_id = self->request_id;
    self->match = (struct route_match){0};
    self->route = NULL;
    self->convention = NULL;
    self->wait_s = 0;
    content_coding_accept(http_header_list(&self->request, "Accept-Encoding", &self->arena),
                          &self->acceptance);
    choose_request_id(self);
}

static void
exchange_end(struct exchange *self)
{
    event_stream_destroy(&self->stream);
    upload_finish(&self->upload);
    budget_hold_end(&self->budget);
    budget_hold_end(&self->file);
    message_destroy(&self->message);
    arena_finish(&self->arena);
    http_answer_end(&self->answer);
    exchange_drop_body(self);
    buffer_rest(&self->coded, EXCHANGE_KEPT_BYTES);
    parse_memory_trim();
}

static fallible
find_route(struct exchange *self)
{
    enum error refused = request_guard_check(&self->request, &self->edge->rules);
    if (refused != OK)
        self->answer.close = true; // its end is as doubtful as its content
    TRY(refused);
    TRY(router_find(&self->arena, self->request.path, &self->match));
    if (self->request.method == HTTP_OPTIONS)
        return OK;
    TRY(router_pick(&self->match, self->request.method, &self->route));
    if (self->route->needs_accounts && !self->edge->auth.enabled)
        return fail(ERR_NOT_FOUND, "", "this is there with accounts only (auth.enabled)");
    return OK;
}

// The value of a parameter of the path, or NULL.
static const struct text *
match_param(const struct route_match *match, const char *name)
{
    for (unsigned i = 0; i < match->param_count; i++)
        if (text_is(match->params[i].name, name))
            return match->params[i].value;
    return NULL;
}

// Changes go to the leader, which the answer names.
static fallible
check_leads(const struct exchange *self)
{
    const struct config *config = self->edge->facts.server.config;
    unsigned operation = (unsigned)self->route->operation;
    if (!config_follows(config) || operation >= OPERATION_COUNT ||
        !operation_is_for_leader(operation))
        return OK;
    return fail(ERR_FOLLOWER, "", "this server follows %s: send changes there", config->follow);
}

// Refuses, before the body is read, who may not use the route as far as its head tells, or asks too
// often. It decides nothing else: whoever waits for the body looks up the caller again.
static fallible
admit(struct exchange *self)
{
    const struct edge *edge = self->edge;
    struct caller caller;
    self->asker = (struct asker){.auth = &edge->auth,
                                 .guard = &edge->rules,
                                 .proxies = edge->facts.proxies,
                                 .request = &self->request,
                                 .route = self->route,
                                 .user = match_param(&self->match, "user")};
    if (edge->stands_by && self->route->operation != NO_OPERATION)
        TRY(exchange_check_ready(self)); // nobody can be logged in there
    TRY(asker_identify(&self->asker, &caller));
    parse_payer_init(&self->payer, edge->book, &caller);
    TRY(check_leads(self));
    if (self->route->for_operators)
        return OK;
    TRY(rate_limit_take(edge->rate_limit, self->route, &caller, &self->wait_s));
    TRY(request_budget_take(&self->budget, edge->book, self->route, &caller));
    // A repeat stores nothing, and only its whole file tells that it is one.
    if (idempotency_is_asked(&self->request, self->route))
        return OK;
    return request_budget_begin_file(&self->file, edge->book, self->route, &caller);
}

// Whether the request concerns devices, or acts for one (an update of what that device has locked).
static bool
names_devices(const struct exchange *self)
{
    return route_access(self->route) == ACCESS_DEVICE ||
           record_has(&self->message->params->base, PARAMS_DEVICE) ||
           device_claims_name_owner(self->message);
}

static fallible
begin_stream(struct exchange *self)
{
    const struct event_stream_host host = {
        .client = self->client,
        .asker = &self->asker,
        .watch = self->watch,
        .facts = &self->edge->facts.server,
        .convention = self->convention,
        .budget = &self->budget,
    };
    if (self->request.method == HTTP_HEAD)
        return event_streams_check(&host, self->message);
    return event_streams_open(self->edge->streams, &host, self->message, &self->stream);
}

// A query waits until few enough of its caller run. Its place is free again before the answer is
// written: a client that reads slowly holds none.
static fallible
ask_in_turn(struct exchange *self)
{
    const struct edge *edge = self->edge;
    uint64_t deadline_ms = clock_deadline_ms((uint64_t)edge->deadline_ms);
    struct caller caller;
    if (request_budget_of(self->route) != BUDGET_QUERIES)
        return actor_client_ask(self->client, &self->asker, &self->message);
    TRY(asker_identify(&self->asker, &caller));
    TRY(request_budget_await(&self->budget, edge->book, self->route, &caller, deadline_ms));
    enum error error = actor_client_ask(self->client, &self->asker, &self->message);
    budget_hold_end(&self->budget);
    return error;
}

static fallible
ask_actors(struct exchange *self)
{
    struct caller caller;
    bool is_stream = self->route->reply.form == REPLY_STREAM;
    if (self->route->operation == NO_OPERATION) {
        TRY(asker_identify(&self->asker, &caller));
        return is_stream ? begin_stream(self) : OK;
    }
    TRY(exchange_check_ready(self));
    if (is_stream)
        return begin_stream(self);
    if (self->edge->auth.enabled && names_devices(self))
        TRY(device_claims_settle(self->client, &self->asker, self->message));
    TRY(ask_in_turn(self));
    return self->message->reply.fault.error;
}

static fallible
answer_success(struct exchange *self)
{
    const struct answer_source source = {
        .facts = &self->edge->facts,
        .route = self->route,
        .request = &self->request,
        .asker = &self->asker,
        .acceptance = &self->acceptance,
        .convention = self->convention,
        .message = self->message,
    };
    return answer_write(&source, &self->answer);
}

static void
answer_options(struct exchange *self)
{
    self->answer.status = 204;
    router_allow(&self->match, self->answer.allow);
}

// The fault of a failure: that of the actor if one answered, else the one noted by this thread.
static void
find_fault(const struct exchange *self, enum error error, struct fault *ret_fault)
{
    if (self->message && self->message->reply.fault.error == error)
        *ret_fault = self->message->reply.fault;
    else
        fault_take(error, ret_fault);
}

// Seconds until the client may try again: as somebody said, else soon.
static unsigned
retry_after_s(const struct exchange *self)
{
    const struct record *record = self->message ? self->message->reply.envelope : NULL;
    if (self->wait_s)
        return self->wait_s;
    if (!record || !record_has(record, ENVELOPE_RETRY_AFTER_S))
        return RETRY_AFTER_S;
    return (unsigned)((const struct envelope *)(const void *)record)->retry_after_s;
}

// Whether the log shall tell of it. What one user has used up is no failure of the server; that it
// stands by, as it shall, is on the log once.
static bool
is_failure(const struct exchange *self, enum error error)
{
    return self->answer.status >= 500 && error != ERR_OVER_STORED_BUDGET && !self->edge->stands_by;
}

static void
answer_failure(struct exchange *self, enum error error)
{
    struct fault fault;
    find_fault(self, error, &fault);
    if (error == ERR_INVALID && self->route && self->route->is_exact)
        error = fault.error = ERR_MALFORMED;
    self->answer.body.size = HTTP_HEAD_ROOM;
    self->answer.etag.chars[0] = '\0';
    self->answer.token = NULL;
    buffer_clear(&self->answer.warnings);
    http_answer_drop_file(&self->answer);
    self->answer.status = error_status(error);
    self->answer.media_type = problem_type;
    if (error == ERR_METHOD)
        router_allow(&self->match, self->answer.allow);
    if (error == ERR_UNAVAILABLE || error == ERR_THROTTLED || error == ERR_OVER_BUDGET)
        self->answer.retry_after_s = retry_after_s(self);
    reply_write_failure(
        &(struct reply_failure){
            .fault = &fault,
            .route = self->route ? self->route : self->match.rows,
            .envelope = self->message ? self->message->reply.envelope : NULL,
            .request_id = self->request_id,
        },
        &self->answer.body);
    if (is_failure(self, error))
        log_warning("http_failed", "op=%s status=%d id=%s detail=%s",
                    self->route ? self->route->path : "-", self->answer.status, self->request_id,
                    fault.detail);
}

// What actors said is from their memory. Where another process may have taken the place of this one
// meanwhile it is not told, whatever it is: it may be old, or never become durable.
static fallible
check_lease(struct exchange *self)
{
    if (self->route->operation == NO_OPERATION || lease_holds())
        return OK;
    if (self->message)
        self->message->reply.fault = (struct fault){.error = OK};
    return lease_check();
}

static fallible
exchange_run(struct exchange *self, struct mg_connection *connection)
{
    TRY(find_route(self));
    if (!self->route)
        return OK;
    TRY(admit(self));
    TRY(exchange_read(self, connection));
    enum error error = ask_actors(self);
    TRY(check_lease(self));
    return error;
}

// Whether a body of this type may be compressed. Metrics and the bytes of assets are not.
static bool
is_compressible(const char *media_type)
{
    static const char *const types[] = {json_type, problem_type, "application/geo+json",
                                        "text/html", "text/css"};
    for (size_t i = 0; media_type && i < sizeof types / sizeof types[0]; i++)
        if (strncmp(media_type, types[i], strlen(types[i])) == 0)
            return true;
    return false;
}

// Compresses JSON and pages in the coding that the client prefers, if that saves enough.
static void
encode_answer(struct exchange *self)
{
    struct http_answer *answer = &self->answer;
    if (answer->has_ranges || answer->is_encoded || !is_compressible(answer->media_type))
        return;
    answer->is_negotiated = true;
    enum content_coding coding =
        content_coding_choose(&self->acceptance, answer->body.size - HTTP_HEAD_ROOM);
    bool wanted = self->acceptance.weights[CONTENT_CODING_IDENTITY] == 0;
    if (coding == CONTENT_CODING_IDENTITY ||
        !compressor_run(self->edge->compressor, coding, wanted, &answer->body, HTTP_HEAD_ROOM,
                        &self->coded))
        return;
    struct buffer plain = answer->body;
    answer->body = self->coded;
    self->coded = plain;
    answer->coding = content_coding_name(coding);
}

static void
exchange_send(struct exchange *self, struct mg_connection *connection)
{
    encode_answer(self);
    watch_enter(self->watch, CLIENT_DEADLINE_ANSWER);
    self->answer.file.socket = watch_socket(self->watch);
    http_answer_send(connection, &self->request, &self->answer);
    watch_enter(self->watch, CLIENT_DEADLINE_IDLE);
}

// Tells the audit log, before the client knows: about the caller that an actor was told, or about
// whoever it is that was refused before.
static void
exchange_audit(const struct exchange *self)
{
    bool is_repeated = self->message && self->message->reply.is_replayed; // nothing was done
    if (!audit_entry_is_told(self->route) || is_repeated)
        return;
    struct caller caller;
    bool is_signed = self->message && self->message->caller.peer[0];
    if (!is_signed)
        asker_see(&self->asker, &caller);
    const struct audit_entry entry = {
        .route = self->route,
        .match = &self->match,
        .caller = is_signed ? &self->message->caller : &caller,
        .message = self->message,
        .request_id = self->request_id,
        .status = self->answer.status,
    };
    audit_entry_note(&entry);
}

// Logs the request and counts it.
static void
exchange_report(const struct exchange *self, uint64_t took_us)
{
    const struct route *route = self->route;
    answer_observe(route ? route->operation : NO_OPERATION, self->answer.status, took_us);
    log_debug("http", "op=%s method=%s status=%d id=%s peer=%s ms=%.3f", route ? route->path : "-",
              http_method_name(self->request.method), self->answer.status, self->request_id,
              self->request.peer, (double)took_us / 1e3);
}

int
exchange_serve(struct exchange *self, struct mg_connection *connection, bool close)
{
    uint64_t begin_us = clock_now_us();
    exchange_begin(self, connection, close);
    enum error error = exchange_run(self, connection);
    if (error == OK && self->route)
        error = answer_success(self);
    if (error != OK)
        answer_failure(self, error);
    else if (!self->route)
        answer_options(self);
    exchange_audit(self);
    exchange_send(self, connection);
    exchange_report(self, clock_now_us() - begin_us);
    if (self->stream)
        event_streams_take(self->edge->streams, self->watch, &self->stream);
    exchange_end(self);
    return self->answer.status;
}

void
exchange_refuse(struct exchange *self, struct mg_connection *connection, enum error error)
{
    uint64_t begin_us = clock_now_us();
    exchange_begin(self, connection, true);
    self->request.body_read = false;
    answer_failure(self, error);
    exchange_send(self, connection);
    exchange_report(self, clock_now_us() - begin_us);
    exchange_end(self);
}
