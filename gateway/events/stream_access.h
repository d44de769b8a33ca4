// stream_access.h - who watches scenes, and whether they still may: a stream outlives the request
// that was permitted (decisions 12). The worker's thread.
#ifndef DIORAMA_GATEWAY_EVENTS_STREAM_ACCESS_H
#define DIORAMA_GATEWAY_EVENTS_STREAM_ACCESS_H

#include "gateway/request/actor_client.h"
#include "gateway/request/auth.h"
#include "proto/feed/event_queue.h"

// Embedded.
struct stream_access {
    actor_client_t *client;
    const struct auth_rules *auth;
    const struct http_request *request; // its token is looked up again
    struct caller caller;               // as of the last look
    uint64_t next_look_ms;
};

// Asks the actor of a scene about watching it, with `watching` (taken) or, where that is NULL, only
// whether the access may. The answer is yours; `ret_answer` may be NULL. Fails as the actor does.
fallible stream_access_ask(const struct stream_access *self, const struct text *scene,
                           struct watching *watching, struct message **ret_answer);

// Whether it is time to look at the session again, said once; never where nobody logs in.
bool stream_access_is_due(struct stream_access *self, uint64_t now_ms);

// Looks: false where the session has ended. `*ret_changed`: it has another role now.
bool stream_access_look(struct stream_access *self, bool *ret_changed);

#endif
