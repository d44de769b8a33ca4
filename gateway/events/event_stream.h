// event_stream.h - a stream of server-sent events: the state of one scene or several, then what
// changes (live-feed). It holds its worker as long as the client stays and may read the scenes.
#ifndef DIORAMA_GATEWAY_EVENTS_EVENT_STREAM_H
#define DIORAMA_GATEWAY_EVENTS_EVENT_STREAM_H

#include <stdatomic.h>

#include "gateway/http/watchdog.h"
#include "gateway/request/actor_client.h"
#include "gateway/request/auth.h"
#include "proto/spatial/convention.h"

// What all streams share. Nothing but `count` changes while workers run.
struct event_streams {
    unsigned most;        // at the same time
    int64_t heartbeat_ms; // between two signs of life
    _Atomic unsigned count;
};

// What a stream needs of the exchange that it belongs to; all of it outlives the stream.
struct event_stream_host {
    struct event_streams *streams;
    actor_client_t *client;
    struct watch *watch;
    const struct auth_rules *auth;
    const struct http_request *request;
    const _Atomic bool *ready;           // false: the server stops
    const struct convention *convention; // that the client sees entities in; NULL: that of scenes
};

typedef struct event_stream event_stream_t;

// Joins the scenes that the message names and stays, in order or, with params.rate, at its ticks,
// from the event on that the client says it has. Fails with ERR_UNAVAILABLE where workers are few,
// as watched_scenes_read, and as the scene actor does where one may not be read.
fallible event_stream_open(const struct event_stream_host *host, const struct message *message,
                           event_stream_t **ret_stream);

// Whether the caller may watch the scenes: what HEAD asks.
fallible event_stream_check(const struct event_stream_host *host, const struct message *message);

// Writes events until the client goes, loses access, its last scene is deleted, or the server
// stops. After the head of the answer.
void event_stream_run(event_stream_t *self, struct mg_connection *connection);

// Leaves. Accepts NULL.
void event_stream_close(event_stream_t **self);

#endif
