// event_stream.h - a stream of server-sent events: the state of one or several scenes, then their
// changes. It holds its worker as long as the client stays and may read the scenes.
#ifndef DIORAMA_GATEWAY_EVENTS_EVENT_STREAM_H
#define DIORAMA_GATEWAY_EVENTS_EVENT_STREAM_H

#include <stdatomic.h>

#include "gateway/http/watchdog.h"
#include "gateway/request/actor_client.h"
#include "proto/spatial/convention.h"

// What all streams share. Only `count` changes while workers run.
struct event_streams {
    unsigned most;        // streams at the same time
    int64_t heartbeat_ms; // between two heartbeats
    _Atomic unsigned count;
};

// What a stream needs from its exchange; all of it outlives the stream.
struct event_stream_host {
    struct event_streams *streams;
    actor_client_t *client;
    struct watch *watch;
    const struct asker *asker;
    const _Atomic bool *ready;           // false: the server stops
    const struct convention *convention; // of the records that are shown; NULL: as stored
};

typedef struct event_stream event_stream_t;

// Joins the scenes that the message names, after the last event that the client has. Events are
// sent in order or, with params.rate, at its ticks. Fails with ERR_UNAVAILABLE if all places for
// streams are taken, as watched_scenes_read does, and as the scene actor does if a scene may not be
// read.
fallible event_stream_open(const struct event_stream_host *host, const struct message *message,
                           event_stream_t **ret_stream);

// Checks that the caller may watch the scenes, for HEAD. Fails as event_stream_open does.
fallible event_stream_check(const struct event_stream_host *host, const struct message *message);

// Writes events until the client leaves or loses access, its last scene is deleted, or the server
// stops. Call it after the head of the answer is sent.
void event_stream_run(event_stream_t *self, struct mg_connection *connection);

// Leaves the scenes and frees the stream. Accepts NULL.
void event_stream_close(event_stream_t **self);

#endif
