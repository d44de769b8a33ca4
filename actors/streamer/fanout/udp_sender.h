// udp_sender.h - datagrams gathered for one system call. They come in *volleys*: some datagrams,
// encoded once, that all go to each of many receivers. Used by one thread; the socket is borrowed
// and needs no connection.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_UDP_SENDER_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_UDP_SENDER_H

#include "actors/streamer/fanout/receivers.h"
#include "proto/base/buffer.h"
#include "proto/message/metrics.h"

typedef struct burst burst_t;

enum { VOLLEY_DATAGRAMS = 48 }; // at most; of the packed form 56 KiB, what one GSO send may carry

burst_t *burst_create(int udp_socket);
void burst_destroy(burst_t **self);

// A new volley; its datagrams are counted there when they leave. What came before may leave now.
void burst_begin(burst_t *self, enum metric_cell sent);

// An empty buffer to write the next datagram of the volley into.
struct buffer *burst_datagram(burst_t *self);

// Addresses the whole volley, which may not grow any more, to one more receiver. Leaves at once
// when the burst is full.
void burst_to(burst_t *self, const union endpoint *endpoint);

// Sends what is gathered. Where the kernel's buffer stays full for some milliseconds, or a receiver
// cannot be reached, datagrams are dropped and counted.
void burst_send(burst_t *self);

#endif
