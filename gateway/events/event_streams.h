// event_streams.h - all streams of server-sent events: how many there may be, and the threads that
// serve them. A stream is opened by the worker of its request, and holds it no longer than until
// the head of its answer has left.
#ifndef DIORAMA_GATEWAY_EVENTS_EVENT_STREAMS_H
#define DIORAMA_GATEWAY_EVENTS_EVENT_STREAMS_H

#include "gateway/events/event_stream.h"
#include "gateway/http/watchdog.h"
#include "gateway/request/actor_client.h"

typedef struct event_streams event_streams_t;

struct event_streams_settings {
    unsigned shards;      // scene actors
    int64_t deadline_ms;  // of their answers
    int64_t heartbeat_ms; // between two heartbeats
    size_t memory;        // bytes that all streams may hold
    size_t kept_back;     // descriptors that streams leave to others
};

// Fails with ERR_UNAVAILABLE without a thread, a descriptor or a mailbox.
fallible event_streams_create(const struct event_streams_settings *settings,
                              event_streams_t **ret_streams);

// Ends all streams, and from now on each that is handed over. Accepts NULL.
void event_streams_stop(event_streams_t *self);

// Stops it first. Accepts NULL.
void event_streams_destroy(event_streams_t **self);

// What a stream needs from its exchange, for the call.
struct event_stream_host {
    actor_client_t *client;
    const struct asker *asker;
    struct watch *watch;
    const struct server_facts *facts;    // as long as there are streams
    const struct convention *convention; // of the records that are shown; NULL: as stored
    struct budget_hold *budget;          // of its user: the stream takes it over
    struct stream_form **form;           // of another protocol, or NULL
    int socket;                          // of such a stream, which takes a copy
};

// Joins the scenes that the message names, after the last event that the client has; where the
// route asks no actor, the stream tells of the server. Events are sent in order or, with
// params.rate, at its ticks. Fails with ERR_UNAVAILABLE if descriptors or memory for streams are
// used up, as watched_scenes_read does, and as the scene actor does if a scene may not be read.
fallible event_streams_open(event_streams_t *self, const struct event_stream_host *host,
                            const struct message *message, event_stream_t **ret_stream);

// Checks that the caller may watch the scenes, for HEAD. Fails as event_streams_open does.
fallible event_streams_check(const struct event_stream_host *host, const struct message *message);

// The same for a stream of another protocol, which takes host->form on success: it is checked here
// that the caller may watch the scenes; its loop joins them.
fallible event_streams_prepare(event_streams_t *self, const struct event_stream_host *host,
                               const struct message *message, event_stream_t **ret_stream);
// Its client may be written to now.
void event_streams_begin(event_streams_t *self, event_stream_t **stream);

// The head of the answer is sent: takes the stream over from the worker, whose connection ends
// beside it.
void event_streams_take(event_streams_t *self, struct watch *watch, event_stream_t **stream);

#endif
