// udp_sender.h - collects datagrams and sends many of them with one system call (sendmmsg). They
// come in *groups*: some datagrams, encoded once, that all go to each of many receivers. Used by
// one thread; the socket is borrowed and not connected.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_UDP_SENDER_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_UDP_SENDER_H

#include "actors/streamer/fanout/receivers.h"
#include "proto/base/buffer.h"
#include "proto/message/metrics.h"

typedef struct udp_sender udp_sender_t;

enum {
    GROUP_DATAGRAMS = 48
}; // at most: 56 KiB in the packed form, as much as one GSO send carries

udp_sender_t *udp_sender_create(int udp_socket);
void udp_sender_destroy(udp_sender_t **self);

// Begins a group. Its datagrams are counted in `sent` when they are sent. Earlier groups may be
// sent now.
void udp_sender_begin(udp_sender_t *self, enum metric_cell sent);

// An empty buffer to write the next datagram of the group into.
struct buffer *udp_sender_datagram(udp_sender_t *self);

// Adds a receiver of the whole group, which may not grow any more. Sends at once if the sender is
// full.
void udp_sender_to(udp_sender_t *self, const union udp_endpoint *endpoint);

// Sends what was collected. Datagrams are dropped and counted if the kernel's buffer stays full for
// some milliseconds or a receiver cannot be reached.
void udp_sender_send(udp_sender_t *self);

#endif
