// stream_access.h - the caller of a stream, and whether they may still watch its scenes: a stream
// outlives the request that was permitted. The worker's thread.
#ifndef DIORAMA_GATEWAY_EVENTS_STREAM_ACCESS_H
#define DIORAMA_GATEWAY_EVENTS_STREAM_ACCESS_H

#include "gateway/request/actor_client.h"
#include "proto/feed/event_queue.h"

// Embedded.
struct stream_access {
    actor_client_t *client;
    const struct asker *asker; // looked up again and again
    struct caller caller;      // as of the last look-up: decides what is shown, not what is asked
    uint64_t next_look_ms;
};

// Asks the actor of a scene. SCENE_WATCH: to be watched by `watching` (taken) or, if that is NULL,
// only whether the caller may watch it. SCENE_GET: for its record and devices, as the caller may
// see them now. The answer is yours; `ret_answer` may be NULL. Fails as the actor does.
fallible stream_access_ask(const struct stream_access *self, enum operation operation,
                           const struct text *scene, struct watching *watching,
                           struct message **ret_answer);

// Whether the session must be looked up again; true once per interval, never without auth.enabled.
bool stream_access_is_due(struct stream_access *self, uint64_t now_ms);

// Looks up the session; false if it has ended. `*ret_changed`: it has another role now.
bool stream_access_look(struct stream_access *self, bool *ret_changed);

#endif
