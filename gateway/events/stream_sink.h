// stream_sink.h - where a stream of events is written to: a buffer that leaves when it is full.
#ifndef DIORAMA_GATEWAY_EVENTS_STREAM_SINK_H
#define DIORAMA_GATEWAY_EVENTS_STREAM_SINK_H

#include <stdbool.h>

#include "proto/base/buffer.h"

// The base of a stream.
struct stream_sink {
    struct buffer out;
    // Called after each record: sends the buffer if it is full. False: the stream ends.
    bool (*relieve)(struct stream_sink *self);
};

#endif
