// exchange.h - one request from the gate to its answer. One a worker; its buffers are reused.
#ifndef DIORAMA_GATEWAY_EXCHANGE_H
#define DIORAMA_GATEWAY_EXCHANGE_H

#include <stdatomic.h>
#include "gateway/request/auth.h"
#include "gateway/actor_client.h"
#include "gateway/http/compress.h"
#include "gateway/request/axes.h"
#include "gateway/http/request_guard.h"
#include "gateway/request/rate_limit.h"
#include "gateway/router.h"
#include "gateway/events/event_stream.h"
#include "gateway/request/upload.h"
#include "gateway/http/watchdog.h"

// What all workers share. Nothing but `ready`, `ids` and counts change while they run.
struct edge {
    struct request_guard_rules rules;
    struct gateway_surroundings around;
    compressor_t *compressor;
    const char *udp_host; // where devices send their updates; "" = the host they reached us by
    struct auth_rules auth;
    rate_limit_t *quota;
    struct streams streams;
    const char *proxies; // comma-separated: trusted to name the peer
    int64_t deadline_ms;
    char id_prefix[9];    // of request ids: another one at each start
    _Atomic uint64_t ids; // made so far
    _Atomic bool ready;
};

struct exchange {
    struct edge *edge;
    struct actor_client *client;
    struct watch *watch; // of the worker
    struct http_request request;
    struct acceptance acceptance;
    struct http_answer answer;
    struct buffer body;
    struct upload upload;
    struct buffer coded; // the answer's body in its coding; they change places
    struct arena arena;  // of the path's texts
    struct place place;
    const struct route *route;           // NULL until it is found
    const struct convention *convention; // of the request and its answer; NULL: that of scenes
    struct caller caller;                // known with the route
    stream_t *stream;                    // of events, that the answer becomes; else NULL
    unsigned wait_s;                     // of one who asks too often
    struct message *message; // NULL until the route is found, and where an actor kept it
    char request_id[HTTP_REQUEST_ID_SIZE];
};

void exchange_init(struct exchange *self, struct edge *edge, struct watch *watch);
void exchange_finish(struct exchange *self);

// Takes the request of `connection`, answers it, returns the status. `close` ends the connection
// after the answer.
int exchange_serve(struct exchange *self, struct mg_connection *connection, bool close);

// Answers a request that the HTTP server itself could not read, and ends the connection.
void exchange_refuse(struct exchange *self, struct mg_connection *connection, enum error error);

#endif
