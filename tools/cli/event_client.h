// event_client.h - the first event of a stream of server-sent events.
#ifndef DIORAMA_TOOLS_CLI_EVENT_CLIENT_H
#define DIORAMA_TOOLS_CLI_EVENT_CLIENT_H

#include "tools/cli/event_stream.h"
#include "tools/cli/http_client.h"

// A stream up to the end of its first event that has data. All zero is one that has not begun.
struct first_event {
    struct event_stream stream;
    struct buffer lines; // its data
    struct buffer id;    // NUL-terminated
    bool is_whole;
};

void first_event_finish(struct first_event *self);

// Takes bytes of the stream: an http_taker, whose context is the event. False once it is whole, and
// where it would be larger than 1 GiB.
bool first_event_take(void *self, const char *data, size_t size);

// Gets the event and ends the connection. Fails as http_client_call does, and with ERR_MALFORMED
// if no event came.
fallible event_client_first(http_client_t *http, const struct buffer *path,
                            struct first_event *ret_event);

#endif
