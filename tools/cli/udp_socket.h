// udp_socket.h - the two UDP sockets of the client: one that sends, one that receives.
#ifndef DIORAMA_TOOLS_CLI_UDP_SOCKET_H
#define DIORAMA_TOOLS_CLI_UDP_SOCKET_H

#include <stdint.h>
#include <sys/socket.h>

#include "proto/base/error.h"

// A socket connected to `address` ("host:port", "[::1]:port"); close it.
// Fails with ERR_INVALID when there is no such address.
fallible udp_socket_connect(const char *address, int *ret_socket);

// A socket bound to `host`, an address of this machine, and `port` (0 = any free one), not
// blocking, with as large a receive buffer as the system allows; close it. `ret_port` is the port
// that it got. Fails with ERR_INVALID (no such address) or ERR_UNAVAILABLE (in use).
fallible udp_socket_bind(const char *host, uint16_t port, int *ret_socket, uint16_t *ret_port);

// The address of `host` (a name, an address, one in brackets) and `port`, as datagrams from this
// bound socket are sent to it. Fails with ERR_INVALID.
fallible udp_socket_resolve(int udp, const char *host, uint16_t port,
                            struct sockaddr_storage *ret_address, socklen_t *ret_size);

#endif
