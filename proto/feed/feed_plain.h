// feed_plain.h - what listeners receive: the plain UDP datagram and the three frames of ZeroMQ PUB
// (live-feed). Pure: from an event to bytes.
#ifndef DIORAMA_PROTO_FEED_FEED_PLAIN_H
#define DIORAMA_PROTO_FEED_FEED_PLAIN_H

#include "proto/base/buffer.h"
#include "proto/feed/event.h"

// Writes the datagram of the plain form over `out`: the merged record with msg_type in front, `seq`
// and `prev` (seq of the event sent before in this scene) at the end. What would pass 8 KiB drops
// its actions, then its assets, and says `"truncated":true`. With `base64_filler` a member "_"
// makes the count of base64 characters a multiple of four. The event is an object's or a
// property's; its record is frozen.
void feed_plain(const struct event *event, uint64_t prev, bool base64_filler, struct buffer *out);

// `scene.<key>.<noun>.<msg_type>`; `.`, `%` and control characters in the key are percent-encoded.
void feed_topic(const struct event *event, struct buffer *out);

// The msgpack map {epoch, seq, time_us, scene, type}; `type` is the msg_type.
void feed_header(const struct event *event, uint64_t epoch, struct buffer *out);

// The msgpack map of the full record.
void feed_body(const struct event *event, struct buffer *out);

// The heartbeat: its topic, the msgpack map {epoch, time_us} that is its header, and the empty map
// that is its body.
#define FEED_HEARTBEAT_TOPIC "hb"
void feed_heartbeat_header(uint64_t epoch, uint64_t time_us, struct buffer *out);
void feed_heartbeat_body(struct buffer *out);

#endif
