// event_stream.h - one stream of server-sent events: what a client follows, what it was told, and
// what is to be asked for it. A worker opens it; then it belongs to the thread of a stream_loop.
// What it does next is in stream_turn.c.
#ifndef DIORAMA_GATEWAY_EVENTS_EVENT_STREAM_H
#define DIORAMA_GATEWAY_EVENTS_EVENT_STREAM_H

#include "gateway/events/czml_form.h"
#include "gateway/events/delta_form.h"
#include "gateway/events/server_samples.h"
#include "gateway/events/sse.h"
#include "gateway/events/stream_access.h"
#include "gateway/events/stream_client.h"
#include "gateway/events/stream_dues.h"
#include "gateway/events/stream_form.h"
#include "proto/budget/budget_hold.h"
#include "proto/feed/event_queue.h"

// A scene of a stream.
struct watched_scene {
    struct message *join;    // the answer to a join, until it is written
    struct message *devices; // and the scene with its devices beside it, or NULL
    enum stream_wish wish;
    bool is_deleted;
};

typedef struct event_stream event_stream_t;

// What all streams share.
struct stream_limits {
    struct allowance memory, descriptors;
    uint64_t heartbeat_ms; // between two heartbeats
};

// Only stream_turn.c and stream_loop.c look inside.
struct event_stream {
    uint64_t serial; // its name for its loop, never used again
    struct stream_client client;
    struct stream_access access;
    struct budget_hold budget;           // of its user
    struct budget_hold known;            // the same, for what a delta stream keeps
    const struct convention *convention; // of what is shown; NULL: as stored
    struct arena arena;                  // of the keys of its scenes
    event_queue_t *queue;
    bool is_catalogue; // its one scene stands for the catalogue of all
    bool is_samples;   // it has no scenes, but tells of the server
    struct server_samples samples;
    unsigned count, left;         // all scenes; those that are not deleted
    struct sse_place *places;     // of the scenes, in the order of the request
    struct watched_scene *scenes; // the same
    struct delta_form *deltas;    // the same, in the delta form; else NULL
    struct czml_form *czml;       // of its one scene, as CZML; else NULL
    struct stream_form *form;     // of another protocol; NULL: server-sent events

    unsigned wishes, joins; // scenes with a wish; with a join that is not written
    unsigned asked;         // questions that are not answered
    bool is_over;           // the caller may not watch, or nobody could say it
    bool must_confirm;      // the actors must say again that the caller may watch
    bool is_rung;           // the queue has something
    bool has_input;         // the client has sent something to the form
    bool has_batch;         // `batch` is that of the scene `round`
    bool has_told;          // something in this round
    unsigned round;         // the scene whose events are written; `count`: none
    uint64_t prev;          // of the delta that is written
    struct event_batch batch;
    struct stream_cursor cursor;                          // in the join or the batch
    uint64_t tick_us, next_tick_us;                       // with a rate; else 0
    uint64_t next_beat_ms, next_confirm_ms, answer_by_ms; // answer_by_ms: while something is asked
    uint64_t next_wish_ms;                                // of the form

    struct stream_limits *limits;
    size_t held;           // of the memory
    unsigned loop;         // that serves it
    struct stream_due due; // when that looks at it although nothing happens
    event_stream_t *next;  // in the list that holds it
    bool is_listed;        // there is one
    bool awaits_room;      // the loop waits for room in the socket
};

// What a stream is made of. Limits and bell outlive it.
struct event_stream_plan {
    const struct message *request;
    const struct asker *asker;
    const struct convention *convention; // of a table
    struct stream_limits *limits;
    const struct server_facts *facts; // of the server, as long as there are streams
    event_bell_t *bell;               // of its loop
    unsigned loop;
    int socket;                // of the worker
    struct stream_form **form; // taken on success; NULL: server-sent events
};

// Makes a stream that has a copy of the socket and joins nothing yet: each scene wishes a join; one
// that tells of the server has none. Fails with ERR_UNAVAILABLE without descriptor or memory, as
// stream_client_take, watched_scenes_read, server_samples_begin and asker_identify do.
fallible event_stream_create(const struct event_stream_plan *plan, event_stream_t **ret_stream);

// Leaves the scenes, closes the socket and frees the stream. Accepts NULL.
void event_stream_destroy(event_stream_t **self);

// What to ask as the scene wishes. The wish stays until event_stream_note_asked; which files are
// asked for is told once.
struct message *event_stream_question(const event_stream_t *self, unsigned scene);
void event_stream_note_asked(event_stream_t *self, unsigned scene);

// Takes the answer to a question about the scene: a join is written in later turns, a refusal ends
// the stream.
void event_stream_take_answer(event_stream_t *self, unsigned scene, struct message **answer);

static inline void
event_stream_wish(event_stream_t *self, unsigned scene, enum stream_wish wish)
{
    self->wishes += self->scenes[scene].wish == WISH_NOTHING;
    self->scenes[scene].wish = wish;
}

// Of a CZML stream: wishes to know the files that were noted, if it wishes nothing else.
void event_stream_wonder(event_stream_t *self);

// Counts what it holds now in the memory of all streams.
void event_stream_settle(event_stream_t *self);

#endif
