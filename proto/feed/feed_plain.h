// feed_plain.h - the plain UDP datagram: one event as JSON. Pure: from an event to bytes.
#ifndef DIORAMA_PROTO_FEED_FEED_PLAIN_H
#define DIORAMA_PROTO_FEED_FEED_PLAIN_H

#include "proto/base/buffer.h"
#include "proto/feed/event.h"

// Writes the datagram over `out`: the whole record with msg_type in front, and at its end `seq` and
// `prev` (the seq of the event that was sent before in this scene). A datagram that would pass 8
// KiB has no actions, then no assets, then no texts, and says `"truncated":true`. With
// `base64_filler` a member "_" makes the count of base64 characters a multiple of four. The event
// is of an object or of a property; its record is frozen.
void feed_plain_write(const struct event *event, uint64_t prev, bool base64_filler,
                      struct buffer *out);

#endif
