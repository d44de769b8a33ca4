// publisher.h - the ZeroMQ PUB feed: every event, three frames each, for server-side consumers.
// Used by the thread that made it. A slow subscriber loses messages and sees it by `seq`; the
// server's memory does not grow.
#ifndef DIORAMA_ACTORS_STREAMER_PUB_PUBLISHER_H
#define DIORAMA_ACTORS_STREAMER_PUB_PUBLISHER_H

#include "proto/config/config.h"
#include "proto/feed/curve.h"
#include "proto/feed/event.h"

typedef struct publisher publisher_t;

// Binds pub.endpoint. If there is a folder of keys (config_curve_folder), it uses CURVE: it makes
// `server.key_secret` if that is missing, and only the keys in `clients/` may connect. Fails with
// ERR_UNAVAILABLE if it cannot bind (the detail names the endpoint). Fails with ERR_INVALID if keys
// cannot be read or made, or if the endpoint is not loopback and has neither CURVE nor
// pub.insecure.
fallible publisher_create(const struct config *config, uint64_t epoch, publisher_t **ret_publisher);
void publisher_destroy(publisher_t **self);

// The endpoint as bound, with the port that the system chose.
const char *publisher_endpoint(const publisher_t *self);

// Replaces the CURVE key: writes the files, tells subscribers the new public one by a
// heartbeat, and opens the endpoint anew. ret_keys has no secret; the folder is the publisher's.
// Fails with ERR_CONFLICT without CURVE, with ERR_UNAVAILABLE where the files cannot be written;
// then the old key stays.
fallible publisher_rotate(publisher_t *self, struct curve_keys *ret_keys, const char **ret_folder);

// Counts subscribers and their topics; must be called at least once a second. If a key was removed
// or all topics together exceed LIMIT_PUB_TOPICS_BYTES, it ends all connections (up to 200 ms).
void publisher_listen(publisher_t *self);

// Sends an event to its subscribers. Without connections nothing is encoded.
void publisher_publish(publisher_t *self, const struct event *event);

// What follows from how much was sent: at the end of each turn, and after publisher_timeout_ms.
void publisher_turn(publisher_t *self);

// When publisher_turn must be called again; INT_MAX: whenever there is a turn.
int publisher_timeout_ms(const publisher_t *self);

// Ends all connections, and takes none until publisher_listen: subscribers connect again, through a
// balancer to another server.
void publisher_rest(publisher_t *self);

// Sends the heartbeat.
void publisher_beat(publisher_t *self);

#endif
