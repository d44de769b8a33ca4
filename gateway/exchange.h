// exchange.h - one request from its head to its answer. Each worker has one exchange and reuses its
// buffers.
#ifndef DIORAMA_GATEWAY_EXCHANGE_H
#define DIORAMA_GATEWAY_EXCHANGE_H

#include <stdatomic.h>

#include "gateway/events/event_streams.h"
#include "gateway/http/compressor.h"
#include "gateway/http/request_guard.h"
#include "gateway/http/watchdog.h"
#include "gateway/reply/answer.h"
#include "gateway/request/actor_client.h"
#include "gateway/request/rate_limit.h"
#include "gateway/request/request_budget.h"
#include "gateway/request/upload.h"
#include "proto/budget/parse_memory.h"

// What all workers share. Only `ready`, `ids` and counts change while they run.
struct edge {
    struct request_guard_rules rules;
    struct answer_facts facts;
    struct auth_rules auth;
    event_streams_t *streams;
    compressor_t *compressor;
    rate_limit_t *rate_limit;
    budget_book_t *book;
    question_boxes_t *boxes;
    const struct shown_tables *shown; // or NULL
    unsigned shards;                  // scene actors: mailboxes "scene.0" to "scene.<shards - 1>"
    int64_t deadline_ms;
    char id_prefix[9];    // of request ids; each start draws another one
    _Atomic uint64_t ids; // made so far
    bool stands_by;       // another server is in charge of the store: this one has no actors yet
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
    struct parse_payer payer;    // of the memory that the body takes
    struct parse_share arriving; // what the body takes until it is read
    struct upload upload;
    struct budget_hold budget; // of an upload, a query, a stream that begins
    struct budget_hold file;   // what has come of a file that is no asset yet
    struct buffer coded;       // for the compressed body, which changes places with the answer's
    struct arena arena;        // of the texts of the path
    struct route_match match;
    const struct route *route;           // NULL until it is found
    const struct convention *convention; // of the request and its answer; NULL: as stored
    struct asker asker;                  // known with the route; nothing here keeps a caller
    event_stream_t *stream;              // that follows the answer, or NULL
    unsigned wait_s;                     // how long a client that asks too often must wait
    struct message *message;             // NULL until the route is found, and if an actor kept it
    char request_id[HTTP_REQUEST_ID_SIZE];
};

void exchange_init(struct exchange *self, struct edge *edge, struct watch *watch);
void exchange_finish(struct exchange *self);
// Between two connections: what was kept for further requests goes.
void exchange_rest(struct exchange *self);

// Takes the request of `connection`, answers it and returns the status. `close` ends the connection
// after the answer.
int exchange_serve(struct exchange *self, struct mg_connection *connection, bool close);

// Answers a request that the HTTP server itself could not read, and ends the connection.
void exchange_refuse(struct exchange *self, struct mg_connection *connection, enum error error);

#endif
