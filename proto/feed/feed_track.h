// feed_track.h - the form of OpenTrackIO: packets of one JSON sample, the pose of one object. Pure.
#ifndef DIORAMA_PROTO_FEED_FEED_TRACK_H
#define DIORAMA_PROTO_FEED_FEED_TRACK_H

#include "proto/base/buffer.h"
#include "proto/feed/event.h"

// Whether the event tells where the object with this key ("" = none) is: it changed, and has a
// pose.
bool feed_track_tells(const struct event *event, const char *object);

struct track_packet {
    uint64_t epoch;  // of this start of the server
    uint16_t number; // of the packet; the next one has the next
    uint8_t source;  // number of the source, 1 to 200
};

// Writes the packet over `out`: less than 1 KiB. `sourceId` follows from the key of the object,
// `sampleId` from the state that is told, so a repeat has the same. A scale is there where it is
// not 1.
void feed_track_write(const struct event *event, const struct track_packet *packet,
                      struct buffer *out);

#endif
