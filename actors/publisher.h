// publisher.h - the ZeroMQ PUB feed: every event, three frames each, for server-side consumers
// (live-feed). Used by the thread that made it. Slow subscribers lose messages and see it by `seq`;
// the server never grows.
#ifndef DIORAMA_ACTORS_PUBLISHER_H
#define DIORAMA_ACTORS_PUBLISHER_H

#include "proto/base/config.h"
#include "proto/event.h"

typedef struct publisher publisher_t;

// Binds pub.endpoint. Fails with ERR_UNAVAILABLE where it cannot be bound (the detail names it) and
// with ERR_INVALID where it is not loopback and pub.insecure is not set.
fallible publisher_create(const struct config *config, uint64_t epoch, publisher_t **ret_publisher);
void publisher_destroy(publisher_t **self);

// The endpoint as bound: the port that the system chose where a free one was asked for.
const char *publisher_endpoint(const publisher_t *self);

// Takes note of who subscribed and left; cheap, never waits.
void publisher_listen(publisher_t *self);

// Sends one event to whoever subscribed to it. Without subscribers nothing is encoded.
void publisher_publish(publisher_t *self, const struct event *event);

// Sends the heartbeat.
void publisher_beat(publisher_t *self);

#endif
