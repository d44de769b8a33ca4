// pub_feed.h - subscribes to what a server publishes on ZeroMQ PUB, with CURVE keys, and notices
// new connections. One thread.
#ifndef DIORAMA_TOOLS_CLI_PUB_FEED_H
#define DIORAMA_TOOLS_CLI_PUB_FEED_H

#include <czmq.h>

#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "tools/cli/options.h"

struct pub_feed_values {
    const char *endpoint;
    const char *curve_key;        // file of our keys; "" = no CURVE
    const char *curve_server_key; // file of the server's public key
};

struct pub_feed {
    zsock_t *socket;
    void *monitor;        // reports connections; NULL if there is no descriptor left
    unsigned connections; // made so far
    unsigned refusals;    // attempts that failed so far
};

// Connects and subscribes to events of `scenes` (none = of all) and then to heartbeats: after the
// first heartbeat no event is missed. Fails with ERR_INVALID or ERR_NOT_FOUND (the files of keys,
// the endpoint). Finish `ret_feed` in any case.
fallible pub_feed_open(const struct pub_feed_values *values, const struct option_texts *scenes,
                       struct pub_feed *ret_feed);
void pub_feed_finish(struct pub_feed *self);

// Appends a key as one word of a topic: `.`, `%` and control characters are percent-encoded.
void pub_feed_put_word(struct buffer *out, const char *chars);

// Whether the first connection was refused, or was not made by this time. False without monitor.
bool pub_feed_is_dead(const struct pub_feed *self, uint64_t deadline_ms);

// Whether the connection was made again since the last call. ZeroMQ then subscribes to heartbeats
// first, so events are complete from the second heartbeat on.
bool pub_feed_is_renewed(struct pub_feed *self);

#endif
