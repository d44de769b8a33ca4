// streamer.h - the actor that sends events to everybody who listens: UDP datagrams to devices,
// ZeroMQ PUB to servers, queues of event streams. Its mailbox is called "streamer". It takes
// EVENTS, FEED_CONTROL, FEED_REPORT, UNREACHABLE and STOP.
#ifndef DIORAMA_ACTORS_STREAMER_STREAMER_H
#define DIORAMA_ACTORS_STREAMER_STREAMER_H

#include "actors/runtime/actor.h"
#include "actors/streamer/streamer_epoch.h"
#include "proto/config/config.h"
#include "proto/feed/sealed_intake.h"

typedef struct streamer streamer_t;

// Starts it. `udp_socket` is the bound UDP socket (udp_open), borrowed: datagrams leave from the
// port that they come in by, so that NAT works. `epoch` numbers this start of the server.
// `config` and `intake` are borrowed. An empty pub.endpoint means no PUB.
// Fails with ERR_UNAVAILABLE where PUB cannot bind (the detail names the endpoint), with
// ERR_INVALID where pub.endpoint is not loopback and pub.insecure is not set.
fallible streamer_create(const struct config *config, int udp_socket, uint64_t epoch,
                         sealed_intake_t *intake, streamer_t **ret_streamer);
// Ends it by STOP from `from`, once all waiting events are sent or after 1 s. Accepts NULL.
void streamer_destroy(streamer_t **self, mailbox_t *from);

// The endpoint of PUB with the port that the system chose; "" if there is no PUB.
const char *streamer_pub_endpoint(const streamer_t *self);

#endif
