// feed_pub.h - the three frames of ZeroMQ PUB: topic, header, body. Pure: from an event to bytes.
#ifndef DIORAMA_PROTO_FEED_FEED_PUB_H
#define DIORAMA_PROTO_FEED_FEED_PUB_H

#include "proto/base/buffer.h"
#include "proto/feed/event.h"

// `scene.<key>.<noun>.<msg_type>`; `.`, `%` and control characters in the key are percent-encoded.
void feed_pub_topic(const struct event *event, struct buffer *out);

// The msgpack map {epoch, seq, time_us, scene, type}; `type` is the msg_type.
void feed_pub_header(const struct event *event, uint64_t epoch, struct buffer *out);

// The msgpack map of the whole record.
void feed_pub_body(const struct event *event, struct buffer *out);

// The heartbeat: its topic, the msgpack map {epoch, time_us} that is its header, and the map that
// is its body: empty, or {server_key} with the public key that the server takes right after it.
#define FEED_PUB_HEARTBEAT "hb"
void feed_pub_heartbeat_header(uint64_t epoch, uint64_t time_us, struct buffer *out);
void feed_pub_heartbeat_body(struct buffer *out);
void feed_pub_key_body(const char *server_key, struct buffer *out);

#endif
