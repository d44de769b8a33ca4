// track_socket.h - the UDP socket that hears one multicast group or one address of this machine.
#ifndef DIORAMA_ACTORS_TRACK_TRACK_SOCKET_H
#define DIORAMA_ACTORS_TRACK_TRACK_SOCKET_H

#include <netinet/in.h>

#include "proto/base/error.h"

// Opens one that does not block; a group is joined on the interface (all zero: the system chooses).
// Fails with ERR_UNAVAILABLE and says the address.
fallible track_socket_open(struct in_addr address, in_port_t port, struct in_addr interface,
                           int *ret_socket);

#endif
