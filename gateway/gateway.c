// gateway.c - the HTTP server as a whole: settings of civetweb, its threads, its callbacks.
// Every request is answered from begin_request by the worker's exchange; civetweb serves no file,
// no script and no page of its own.
#include "gateway/gateway.h"

#include <arpa/inet.h>
#include <civetweb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gateway/console/console.h"
#include "gateway/exchange.h"
#include "gateway/foxglove/foxglove.h"
#include "gateway/http/left_sockets.h"
#include "gateway/http/socket.h"
#include "gateway/routes.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"
#include "proto/message/partition.h"

enum {
    WORKER_THREAD = 1,  // civetweb's thread_type of those that serve connections
    BUSY_PERCENT = 80,  // if more workers than that are busy, connections take turns:
    BUSY_REQUESTS = 16, // a connection ends after so many requests
    DRAIN_MS = 2500,    // how long requests under way may take when the server stops
    // civetweb cannot tell a head that is too long from one that is no HTTP. It therefore reads
    // more than is allowed, and request_guard.c decides.
    HEAD_BYTES_READ = 2 * LIMIT_HEADER_BYTES,
    LISTEN_SIZE = 320,
    DESCRIPTORS_BESIDE = 256, // of store, mailboxes and the like
    // A connection keeps its socket within that: behind the two infos and some pointers.
    CONNECTION_BYTES = sizeof(struct mg_request_info) + sizeof(struct mg_response_info) + 128,
};

struct gateway {
    struct mg_context *server;
    struct watchdog *watchdog;
    struct edge edge;
    struct console console;
    foxglove_t *foxglove; // NULL: off
    unsigned threads;
    const char *host; // where it listens
    int port;
    char complaint[256]; // what civetweb logged first while it started
    _Atomic bool started;
    _Atomic bool stopping;
    _Atomic bool stopped;
};

// Of one civetweb thread, which serves one connection at a time.
struct worker {
    struct exchange exchange;
    unsigned requests; // of the present connection
};

static gateway_t *
gateway_of(const struct mg_context *server)
{
    return mg_get_user_data(server);
}

static void *
on_thread_start(const struct mg_context *server, int type)
{
    if (type != WORKER_THREAD)
        return NULL;
    struct worker *worker = memory_take_zeroed(sizeof *worker);
    gateway_t *self = gateway_of(server);
    exchange_init(&worker->exchange, &self->edge, watchdog_attach(self->watchdog));
    return worker;
}

static void
on_thread_end(const struct mg_context *server, int type, void *pointer)
{
    (void)server;
    (void)type;
    struct worker *worker = pointer;
    if (worker)
        exchange_finish(&worker->exchange);
    free(worker);
}

// civetweb does not tell which socket a connection has, but keeps it behind the public members.
static int
on_connection(const struct mg_connection *connection, void **ret_data)
{
    struct worker *worker = mg_get_thread_pointer(connection);
    worker->requests = 0;
    gauge_add(GAUGE_HTTP_CONNECTIONS, 1);
    watch_open(worker->exchange.watch, socket_find(connection, CONNECTION_BYTES));
    *ret_data = NULL;
    return 0;
}

static void
on_connection_end(const struct mg_connection *connection)
{
    struct worker *worker = mg_get_thread_pointer(connection);
    watch_close(worker->exchange.watch);
    exchange_rest(&worker->exchange);
    gauge_add(GAUGE_HTTP_CONNECTIONS, -1);
}

// Whether the connection must make room: it has had its turn, and most workers are busy.
static bool
must_end(const gateway_t *self, const struct worker *worker)
{
    return atomic_load(&self->stopping) ||
           (worker->requests >= BUSY_REQUESTS &&
            watchdog_busy(self->watchdog) * 100 > self->threads * BUSY_PERCENT);
}

static int
on_request(struct mg_connection *connection)
{
    struct worker *worker = mg_get_thread_pointer(connection);
    worker->requests++;
    return exchange_serve(&worker->exchange, connection,
                          must_end(gateway_of(mg_get_context(connection)), worker));
}

// The failure of a request that civetweb could not read: it is no HTTP, or its head is too long.
// civetweb's own message does not name the reason.
static fallible
unreadable(const struct exchange *exchange, int status)
{
    if (watch_is_cut(exchange->watch))
        return fail(ERR_TOO_SLOW, "", "the header did not arrive in time");
    if (status >= 500 && status != 505)
        return fail(ERR_INTERNAL, "", "the HTTP server failed");
    return fail(ERR_MALFORMED, "", "this is no HTTP request with a header of at most %d bytes",
                LIMIT_HEADER_BYTES);
}

static int
on_http_error(struct mg_connection *connection, int status, const char *message)
{
    struct worker *worker = mg_get_thread_pointer(connection);
    (void)message;
    exchange_refuse(&worker->exchange, connection, unreadable(&worker->exchange, status));
    return 0;
}

static int
on_log(const struct mg_connection *connection, const char *message)
{
    gateway_t *self = mg_get_user_context_data(connection);
    if (self && !atomic_load(&self->started) && !self->complaint[0])
        snprintf(self->complaint, sizeof self->complaint, "%s", message);
    else
        log_debug("civetweb", "message=%s", message);
    return 1;
}

// "host:port" as civetweb wants it: IPv6 literals in brackets.
static void
listen_address(const struct config *config, char *ret_address)
{
    struct in6_addr address;
    bool bracketed = inet_pton(AF_INET6, config->http_host, &address) == 1;
    snprintf(ret_address, LISTEN_SIZE, bracketed ? "[%s]:%lld" : "%s:%lld", config->http_host,
             (long long)config->http_port);
}

// The port that was asked for, or that the system chose.
static int
listened_port(const struct mg_context *server)
{
    struct mg_server_port port = {0};
    mg_get_server_ports(server, 1, &port);
    return port.port;
}

static const struct mg_callbacks callbacks = {
    .begin_request = on_request,
    .log_message = on_log,
    .http_error = on_http_error,
    .connection_close = on_connection_end,
    .init_thread = on_thread_start,
    .exit_thread = on_thread_end,
    .init_connection = on_connection,
};

static fallible
gateway_listen(gateway_t *self, const struct config *config)
{
    char address[LISTEN_SIZE], threads[16], head[16];
    listen_address(config, address);
    snprintf(threads, sizeof threads, "%u", self->threads);
    snprintf(head, sizeof head, "%d", HEAD_BYTES_READ);
    // clang-format off
    const char *options[] = {
        "listening_ports",              address,
        "num_threads",                  threads,
        "max_request_size",             head,
        "connection_queue",             "2048",  // accepted, waiting for a worker
        "listen_backlog",               "4096",  // not yet accepted
        "request_timeout_ms",           "30000", // the watchdog is earlier
        "enable_keep_alive",            "yes",
        "keep_alive_timeout_ms",        "30000",
        "tcp_nodelay",                  "1",     // else 44 ms an answer
        "decode_url",                   "no",    // else %2F arrives as a slash
        "decode_query_string",          "no",
        "enable_auth_domain_check",     "no",    // request_guard.c looks at Host
        "access_control_allow_origin",  "",
        "access_control_allow_methods", "",
        "enable_directory_listing",     "no",
        NULL,
    };
    // clang-format on
    self->server = mg_start(&callbacks, self, options);
    atomic_store(&self->started, true);
    if (!self->server)
        return fail(ERR_UNAVAILABLE, "", "cannot listen on %s: %s", address, self->complaint);
    self->port = listened_port(self->server);
    return OK;
}

static void
edge_init(struct edge *self, const struct config *config,
          const struct gateway_surroundings *surroundings, const struct console *console)
{
    struct arena arena = {0};
    self->rules.loopback = request_guard_is_loopback(config->http_host);
    self->rules.origins = config->http_cors_origins;
    self->shards = surroundings->shards;
    self->stands_by = surroundings->stands_by;
    self->facts = (struct answer_facts){
        .server = {.version = surroundings->version,
                   .routes = {routes, routes_described_count},
                   .config = config,
                   .epoch = surroundings->epoch,
                   .started_us = clock_calendar_us(),
                   .udp_port = surroundings->udp_port,
                   .replica_endpoint = surroundings->replica_endpoint,
                   .measure_disk = surroundings->measure_disk},
        .console = console,
        .blobs = surroundings->blobs,
        .udp_host =
            config->udp_host && !config_is_wildcard(config->udp_host) ? config->udp_host : "",
        .udp_port = surroundings->udp_port,
        .proxies = config->http_trusted_proxies,
    };
    self->compressor = compressor_create();
    self->book = surroundings->book;
    self->boxes = question_boxes_create();
    self->shown = surroundings->shown;
    self->rate_limit = rate_limit_create(self->book, (unsigned)config->http_rate_burst);
    self->auth = (struct auth_rules){.enabled = config->auth_enabled,
                                     .sessions = surroundings->sessions,
                                     .metrics_token = config->metrics_token};
    self->deadline_ms = config->http_deadline_ms;
    if (config->http_parse_memory)
        parse_memory_init((uint64_t)config->http_parse_memory);
    snprintf(self->id_prefix, sizeof self->id_prefix, "%s", text_chars(key_generate_free(&arena)));
    arena_finish(&arena);
}

// HTTP and PUB have the descriptors that they may need; streams have the others.
static fallible
open_streams(const struct config *config, struct edge *edge)
{
    const struct event_streams_settings settings = {
        .shards = edge->shards,
        .deadline_ms = config->http_deadline_ms,
        .heartbeat_ms = config->events_heartbeat_ms,
        .memory = (size_t)config->events_memory,
        .kept_back = (size_t)config->http_threads + DESCRIPTORS_BESIDE +
                     (size_t)config->budgets[BUDGET_PUB_CONNECTIONS],
    };
    return event_streams_create(&settings, &edge->streams);
}

// The route of streams of events: whoever may ask for it may view scenes.
static const struct route *
stream_route(void)
{
    const struct route *route = routes;
    while (route->operation != SCENE_WATCH || route->reply.form != REPLY_STREAM)
        route++;
    return route;
}

static fallible
open_foxglove(gateway_t *self, const struct config *config)
{
    const struct edge *edge = &self->edge;
    if (!config->foxglove_port)
        return OK;
    return foxglove_create(
        &(struct foxglove_settings){
            .host = config->foxglove_host,
            .port = (int)config->foxglove_port,
            .assets = config->foxglove_assets,
            .http_port = self->port,
            .origins = config->http_cors_origins,
            .proxies = config->http_trusted_proxies,
            .auth = &edge->auth,
            .route = stream_route(),
            .facts = &edge->facts.server,
            .streams = edge->streams,
            .boxes = edge->boxes,
            .shards = edge->shards,
            .deadline_ms = edge->deadline_ms,
            .book = edge->book,
            .rate_limit = edge->rate_limit,
            .ready = &edge->ready,
        },
        &self->foxglove);
}

fallible
gateway_create(const struct config *config, const struct gateway_surroundings *surroundings,
               gateway_t **ret_gateway)
{
    gateway_t *self = memory_take_zeroed(sizeof *self);
    self->threads = (unsigned)config->http_threads;
    self->host = config->http_host;
    console_init(&self->console, config->console_enabled, config->console_dir);
    edge_init(&self->edge, config, surroundings, &self->console);
    mg_init_library(MG_FEATURES_DEFAULT);
    enum error error = watchdog_create(self->threads, &self->watchdog);
    if (error == OK)
        error = open_streams(config, &self->edge);
    if (error == OK)
        error = gateway_listen(self, config);
    if (error == OK)
        error = open_foxglove(self, config);
    if (error != OK) {
        gateway_destroy(&self);
        return error;
    }
    *ret_gateway = self;
    return OK;
}

int
gateway_port(const gateway_t *self)
{
    return self->port;
}

bool
gateway_has_console(const gateway_t *self)
{
    return console_is_there(&self->console);
}

void
gateway_set_ready(gateway_t *self, bool ready)
{
    atomic_store(&self->edge.ready, ready);
}

// Connects to the server until nobody listens any more, and ends connections until it has stopped:
// its main thread looks at its stop flag only every two seconds, or when somebody connects, and a
// worker that has just taken a connection waits as long for its first bytes.
static void *
wake_server(void *argument)
{
    gateway_t *self = argument;
    const struct timespec pause = {.tv_nsec = 5000000};
    char reason[64];
    bool listens = true;
    while (!atomic_load(&self->stopped)) {
        struct mg_connection *wake =
            listens ? mg_connect_client(self->host, self->port, 0, reason, sizeof reason) : NULL;
        listens = wake != NULL;
        if (wake)
            mg_close_connection(wake);
        watchdog_end_connections(self->watchdog);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void
gateway_stop(gateway_t *self)
{
    pthread_t waker;
    gateway_set_ready(self, false);
    atomic_store(&self->stopping, true);
    foxglove_stop(self->foxglove);
    event_streams_stop(self->edge.streams);
    watchdog_drain(self->watchdog, clock_deadline_ms(DRAIN_MS));
    bool waking = pthread_create(&waker, NULL, wake_server, self) == 0;
    mg_stop(self->server);
    atomic_store(&self->stopped, true);
    if (waking)
        pthread_join(waker, NULL);
    left_sockets_close(self->port); // nobody would ever answer them
}

void
gateway_destroy(gateway_t **self)
{
    if (!*self)
        return;
    if ((*self)->server)
        gateway_stop(*self);
    watchdog_destroy(&(*self)->watchdog);
    mg_exit_library();
    event_streams_destroy(&(*self)->edge.streams);
    foxglove_destroy(&(*self)->foxglove);
    compressor_destroy(&(*self)->edge.compressor);
    question_boxes_destroy(&(*self)->edge.boxes);
    rate_limit_destroy(&(*self)->edge.rate_limit);
    free(*self);
    *self = NULL;
}
