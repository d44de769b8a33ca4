// foxglove.h - scenes for viewers that speak the WebSocket protocol of Foxglove: a listener of its
// own, whose thread reads the requests that open WebSockets; an open one is a stream of events in
// another form (gateway/events). Read-only.
#ifndef DIORAMA_GATEWAY_FOXGLOVE_FOXGLOVE_H
#define DIORAMA_GATEWAY_FOXGLOVE_FOXGLOVE_H

#include <stdatomic.h>

#include "gateway/events/event_streams.h"
#include "gateway/request/rate_limit.h"

typedef struct foxglove foxglove_t;

enum { FOXGLOVE_VIEWERS = 64 }; // connections at the same time

// All of it is borrowed and outlives the listener.
struct foxglove_settings {
    const char *host;
    int port;
    const char *assets; // what URLs of models begin with; "": HTTP of this server
    int http_port;      // of that
    const char *origins, *proxies;
    const struct auth_rules *auth;
    const struct route *route; // of a stream of events: whoever may ask for that may view
    const struct server_facts *facts;
    event_streams_t *streams;
    question_boxes_t *boxes;
    unsigned shards;
    int64_t deadline_ms;
    budget_book_t *book;
    rate_limit_t *rate_limit;
    const _Atomic bool *ready;
};

// Listens. Fails with ERR_UNAVAILABLE, the address in the detail.
fallible foxglove_create(const struct foxglove_settings *settings, foxglove_t **ret_foxglove);

// Opens no further WebSocket. Accepts NULL.
void foxglove_stop(foxglove_t *self);

// Stops it first. The streams have ended. Accepts NULL.
void foxglove_destroy(foxglove_t **self);

#endif
