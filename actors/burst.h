// burst.h - datagrams gathered for one system call: one encoding each, many receivers. Used by one
// thread; the socket is borrowed and needs no connection.
#ifndef DIORAMA_ACTORS_BURST_H
#define DIORAMA_ACTORS_BURST_H

#include "actors/subscribers.h"
#include "proto/base/buffer.h"

typedef struct burst burst_t;

burst_t *burst_create(int udp_socket);
void burst_destroy(burst_t **self);

// An empty buffer to write the next datagram into. What came before may leave now.
struct buffer *burst_datagram(burst_t *self);

// Addresses that datagram to one more receiver. Leaves at once when the burst is full.
void burst_to(burst_t *self, const union endpoint *endpoint);

// Sends what is gathered. Where the kernel's buffer stays full for some milliseconds, or a receiver
// cannot be reached, datagrams are dropped and counted.
void burst_send(burst_t *self);

#endif
