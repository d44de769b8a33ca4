// opening.h - the steps of one request for a WebSocket: guard, origin, caller, rates, scenes,
// stream. The thread of the listener, which waits for actors here as a worker of HTTP does.
#ifndef DIORAMA_GATEWAY_FOXGLOVE_OPENING_H
#define DIORAMA_GATEWAY_FOXGLOVE_OPENING_H

#include "gateway/foxglove/foxglove.h"

// Embedded.
struct opening {
    struct foxglove_settings settings;
    struct request_guard_rules guard;
    actor_client_t *client;
    _Atomic unsigned viewers; // open ones
};

void opening_init(struct opening *self, const struct foxglove_settings *settings);
void opening_finish(struct opening *self);

// Answers the request whose head is the first `size` bytes of `head`, which it cuts into texts, and
// makes the socket a stream, which has a copy of it. Fails where the client is to be refused.
fallible opening_run(struct opening *self, int socket, const char *peer, struct buffer *head,
                     size_t size);

#endif
