// stream_access.h - the caller of a stream, and whether they may still watch its scenes: a stream
// outlives the request that was permitted, so it has a copy of all that tells who asked. One thread
// at a time.
#ifndef DIORAMA_GATEWAY_EVENTS_STREAM_ACCESS_H
#define DIORAMA_GATEWAY_EVENTS_STREAM_ACCESS_H

#include "gateway/request/asker.h"
#include "proto/feed/event_queue.h"

// Embedded.
struct stream_access {
    const struct auth_rules *rules; // of the server
    const struct route *route;      // of the table
    struct auth_token token;        // looked up again and again
    struct caller caller;           // as of the last look-up: decides what is shown
    uint64_t next_look_ms;
};

// Copies what the request says. Fails as asker_identify does.
fallible stream_access_begin(struct stream_access *self, const struct asker *asker);

// A question to the actor of a scene. SCENE_WATCH: to be watched by `watching` (taken) or, if that
// is NULL, only whether the caller may watch it. SCENE_GET: for its record and devices, as the
// caller may see them now. Its caller must be signed before it is sent.
struct message *stream_access_question(enum operation operation, const struct text *scene,
                                       struct watching *watching);

// Writes who asks at this moment into a question. Fails as asker_identify does.
fallible stream_access_sign(const struct stream_access *self, struct message *question);

// Whether the session must be looked up again; true once per interval, never without auth.enabled.
bool stream_access_is_due(struct stream_access *self, uint64_t now_ms);

// Looks up the session; false if it has ended. `*ret_changed`: it has another role now.
bool stream_access_look(struct stream_access *self, bool *ret_changed);

#endif
