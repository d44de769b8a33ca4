// subscribers_order.h - what subscribers.c and subscribers_order.c share: the devices that listen,
// and the order in which they are served. Only these two include it.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_SUBSCRIBERS_ORDER_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_SUBSCRIBERS_ORDER_H

#include "actors/streamer/fanout/subscribers.h"

struct subscribers {
    struct table streams; // by scene id
    receivers_t *receivers;
    struct timer_heap batches; // of lanes
    uint32_t collecting;       // lanes where events wait for the next batch
    struct timer_heap behind;  // of devices
    struct timer_heap ageing;  // of lanes
    uint32_t lane_count;
    struct lane *leaving; // the first of the lanes that send a batch
    struct lane **leaving_end;
};

// The devices of a scene; NULL: nobody listens.
struct stream *subscribers_stream(const subscribers_t *self, uint64_t scene_id);

// Frees lanes without devices, and the stream without lanes, unless they still send.
void subscribers_release(subscribers_t *self, struct stream *stream);

#endif
