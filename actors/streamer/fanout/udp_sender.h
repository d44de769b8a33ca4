// udp_sender.h - datagrams gathered for one system call. They come in *groups*: some datagrams,
// encoded once, that all go to each of many receivers. Used by one thread; the socket is borrowed
// and needs no connection.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_UDP_SENDER_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_UDP_SENDER_H

#include "actors/streamer/fanout/receivers.h"
#include "proto/base/buffer.h"
#include "proto/message/metrics.h"

typedef struct udp_sender udp_sender_t;

enum { GROUP_DATAGRAMS = 48 }; // at most; of the packed form 56 KiB, what one GSO send may carry

udp_sender_t *udp_sender_create(int udp_socket);
void udp_sender_destroy(udp_sender_t **self);

// A new group; its datagrams are counted there when they leave. What came before may leave now.
void udp_sender_begin(udp_sender_t *self, enum metric_cell sent);

// An empty buffer to write the next datagram of the group into.
struct buffer *udp_sender_datagram(udp_sender_t *self);

// Addresses the whole group, which may not grow any more, to one more receiver. Leaves at once
// when the sender is full.
void udp_sender_to(udp_sender_t *self, const union udp_endpoint *endpoint);

// Sends what is gathered. Where the kernel's buffer stays full for some milliseconds, or a receiver
// cannot be reached, datagrams are dropped and counted.
void udp_sender_send(udp_sender_t *self);

#endif
