// event_stream.h - cuts a stream of server-sent events into its events, wherever its parts end.
// (HTML Living Standard, 9.2.6, as our server writes it: lines end with LF, an event has one line
// of data.)
#ifndef DIORAMA_TOOLS_CLI_EVENT_STREAM_H
#define DIORAMA_TOOLS_CLI_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/buffer.h"

// All are NUL-terminated and stand in the lines of the stream, until the taker returns.
struct stream_event {
    const char *name; // "message" if it was not named
    const char *id;   // "" if it has none
    char *data;
    size_t data_size;
};

// False ends the stream; its lines then stay as they are.
typedef bool event_taker(void *context, const struct stream_event *event);

// All zero but for the taker is a stream that has not begun.
struct event_stream {
    event_taker *take; // gets the events that have data; comments are passed over
    void *context;
    struct buffer lines; // that belong to no event yet
    size_t seen;         // no event ends before this
};

void event_stream_finish(struct event_stream *self);

// Takes bytes of the stream: an http_taker, whose context is the stream. False once the taker has
// said so, and where an event would be larger than 1 GiB.
bool event_stream_take(void *self, const char *data, size_t size);

#endif
