// server_samples.h - what the stream of `GET /v1/server/events` tells: once a second an event
// `sample`, how much the server holds and whether its disk is full; to administrators and where
// nobody logs in also its series, each second once. Belongs to the thread of its stream.
#ifndef DIORAMA_GATEWAY_EVENTS_SERVER_SAMPLES_H
#define DIORAMA_GATEWAY_EVENTS_SERVER_SAMPLES_H

#include "gateway/events/stream_sink.h"
#include "gateway/request/route.h"
#include "proto/message/message.h"

// Embedded; all zero: the stream is of scenes.
struct server_samples {
    const struct server_facts *facts; // borrowed, as long as there are streams
    uint64_t wanted;                  // series, a bit for each place
    unsigned seconds;                 // how far back the first ones go
    uint64_t told_second;             // of clock_now_ms, up to which they were told; 0: nothing was
    uint64_t next_us;                 // of clock_now_us: when the next event is due
};

// Whether the route's stream is one of these, and not of scenes.
static inline bool
streams_samples(const struct route *route)
{
    return route->operation == NO_OPERATION;
}

// Reads which series are wanted, and from when on. Fails with ERR_INVALID for a name that no series
// has.
fallible server_samples_begin(struct server_samples *self, const struct params *params,
                              const struct server_facts *facts);

// Writes the event if it is due at `now_us` (of clock_now_us), as `caller` may see it; returns
// whether it was.
bool server_samples_write(struct server_samples *self, const struct caller *caller, uint64_t now_us,
                          struct stream_sink *sink);

#endif
