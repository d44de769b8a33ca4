// sealed_group.h - the datagrams of a sealed lane before they are sealed: encoded once for all its
// devices, then sealed for each of them, as each has a key of its own. One thread.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_SEALED_GROUP_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_SEALED_GROUP_H

#include "actors/streamer/fanout/udp_sender.h"
#include "proto/feed/feed_seal.h"

// Embedded; all zero is valid and empty.
struct sealed_group {
    struct buffer clear[GROUP_DATAGRAMS];
    unsigned count;
};

void sealed_group_finish(struct sealed_group *self);

// Forgets the datagrams of the group before.
void sealed_group_begin(struct sealed_group *self);

// An empty buffer to write the next datagram of the group into; at most GROUP_DATAGRAMS.
struct buffer *sealed_group_datagram(struct sealed_group *self);

// Seals the group and gives it to the sender.
void sealed_group_to(const struct sealed_group *self, struct feed_sealer *sealer,
                     udp_sender_t *sender, const union udp_endpoint *endpoint);

#endif
