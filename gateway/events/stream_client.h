// stream_client.h - the client of a stream: its socket, what the socket did not take yet, and since
// when. Nothing here waits. One thread at a time.
#ifndef DIORAMA_GATEWAY_EVENTS_STREAM_CLIENT_H
#define DIORAMA_GATEWAY_EVENTS_STREAM_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/base/buffer.h"
#include "proto/base/error.h"

// Embedded.
struct stream_client {
    int socket;         // owned; -1: none
    bool is_stuffed;    // the socket takes nothing until it says so (stream_client_has_room)
    struct buffer left; // what it did not take
    size_t at;          // so much of that is sent
    uint64_t since_ms; // since when something it was sent is on its way without a pause; 0: nothing
    uint64_t passed;   // bytes that it took since then
};

// Takes a copy of a worker's socket, of which the worker keeps its own. Fails with ERR_UNAVAILABLE
// if the system has no descriptor left, with ERR_MALFORMED if the socket is not known (-1): it has
// no peer any more.
fallible stream_client_take(struct stream_client *self, int socket);

// Closes the socket. Accepts one that is closed, or all zero but for `socket`, which is -1.
void stream_client_finish(struct stream_client *self);

// Drops what is left, so that a client that does not read costs the kernel nothing either.
void stream_client_abort(struct stream_client *self);

// Sends `size` bytes; nothing is left from before. What the socket does not take is kept. False if
// the client is gone.
bool stream_client_send(struct stream_client *self, const void *data, size_t size, uint64_t now_ms);

// Sends more of what is left. False if the client is gone.
bool stream_client_go_on(struct stream_client *self);

// Takes what the client has sent, `size` bytes at most: their number, 0 where there is nothing yet,
// -1 if the client is gone.
ssize_t stream_client_receive(const struct stream_client *self, char *data, size_t size);

// The socket has told that it takes something again.
void stream_client_has_room(struct stream_client *self);

static inline bool
stream_client_is_behind(const struct stream_client *self)
{
    return self->left.size > 0;
}

// Whether the client reads more slowly than one may that is sent an answer (client_deadlines.h).
bool stream_client_is_late(const struct stream_client *self, uint64_t now_ms);

#endif
