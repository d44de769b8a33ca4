// stream_sink.h - where the forms of a stream write to: a buffer for one write. A long text is
// written in pieces: a form stops where the sink is full, and goes on later where its cursor says.
#ifndef DIORAMA_GATEWAY_EVENTS_STREAM_SINK_H
#define DIORAMA_GATEWAY_EVENTS_STREAM_SINK_H

#include <stdbool.h>

#include "proto/base/buffer.h"

enum { STREAM_WRITE_BYTES = 65536 }; // collected for one write, beside one record

// Embedded; all zero is an empty one.
struct stream_sink {
    struct buffer out;
};

// How far a form has written an event. All zero: nothing of it.
struct stream_cursor {
    unsigned part;  // of its parts
    uint32_t next;  // of what is listed
    bool has_items; // the list of this part has some
};

static inline bool
stream_sink_is_full(const struct stream_sink *self)
{
    return self->out.size >= STREAM_WRITE_BYTES;
}

#endif
