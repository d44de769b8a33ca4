// publisher.h - the ZeroMQ PUB feed: every event, three frames each, for server-side consumers
// (live-feed). Used by the thread that made it. Slow subscribers lose messages and see it by `seq`;
// the server never grows.
#ifndef DIORAMA_ACTORS_STREAMER_PUB_PUBLISHER_H
#define DIORAMA_ACTORS_STREAMER_PUB_PUBLISHER_H

#include "proto/config/config.h"
#include "proto/feed/event.h"

typedef struct publisher publisher_t;

// Binds pub.endpoint, with CURVE where pub.curve_dir is set: its `server.key_secret` is made where
// it is missing, and only the keys in `clients/` may connect. Fails with ERR_UNAVAILABLE where it
// cannot be bound (the detail names it), with ERR_INVALID where keys cannot be read or made, and
// where it is not loopback and has neither CURVE nor pub.insecure.
fallible publisher_create(const struct config *config, uint64_t epoch, publisher_t **ret_publisher);
void publisher_destroy(publisher_t **self);

// The endpoint as bound: the port that the system chose where a free one was asked for.
const char *publisher_endpoint(const publisher_t *self);

// Takes note of who subscribed and left; to be called each second at least. Where a key was taken
// away, or all topics together are beyond LIMIT_PUB_TOPICS_BYTES, all connections end (up to 200
// ms).
void publisher_listen(publisher_t *self);

// Sends one event to whoever subscribed to it. Without connections nothing is encoded.
void publisher_publish(publisher_t *self, const struct event *event);

// Sends the heartbeat.
void publisher_beat(publisher_t *self);

#endif
