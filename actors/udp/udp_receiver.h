// udp_receiver.h - the thread that receives and parses UDP datagrams. Each turn it sends the
// updates for a scene shard to that shard as one DATAGRAMS message, whose `records` are loose edits
// with ENTITY_KEY present. It sends control datagrams (feed_controls.h) to the streamer as one
// FEED_CONTROL message.
#ifndef DIORAMA_ACTORS_UDP_UDP_RECEIVER_H
#define DIORAMA_ACTORS_UDP_UDP_RECEIVER_H

#include "proto/base/error.h"
#include "proto/config/config.h"
#include "proto/feed/sealed_intake.h"

typedef struct udp_receiver udp_receiver_t;

// Binds udp.host:udp.port (0 = any free port) with large kernel buffers.
// Fails with ERR_UNAVAILABLE, the address in the detail.
fallible udp_open(const struct config *config, int *ret_socket, int *ret_port);

struct udp_receiver_settings {
    unsigned shards;         // scene actors
    bool follows;            // another server: updates are dropped
    bool needs_token;        // updates without a token are dropped
    bool require_sealed;     // and all that is not sealed
    sealed_intake_t *intake; // borrowed: opens what is sealed
};

// Starts the thread. The socket is borrowed.
fallible udp_receiver_create(int udp_socket, const struct udp_receiver_settings *settings,
                             udp_receiver_t **ret_receiver);
// Ends the thread, then frees. Accepts NULL.
void udp_receiver_destroy(udp_receiver_t **self);

#endif
