// udp_socket.h - opens the two kinds of UDP sockets of the client: for sending and for receiving.
#ifndef DIORAMA_TOOLS_CLI_UDP_SOCKET_H
#define DIORAMA_TOOLS_CLI_UDP_SOCKET_H

#include <stdint.h>
#include <sys/socket.h>

#include "proto/base/error.h"

// A socket connected to `address` ("host:port", "[::1]:port"); close it.
// Fails with ERR_INVALID if there is no such address.
fallible udp_socket_connect(const char *address, int *ret_socket);

// A non-blocking socket bound to `host`, an address of this machine, and `port` (0 = any free one),
// with the largest receive buffer that the system allows; close it. `ret_port` is its port. Fails
// with ERR_INVALID (no such address) or ERR_UNAVAILABLE (in use).
fallible udp_socket_bind(const char *host, uint16_t port, int *ret_socket, uint16_t *ret_port);

// The address of this machine that the system would send from to `host`, without asking anybody:
// the one that `host` can answer to if no router changes addresses. Fails with ERR_INVALID if there
// is no such host, or no way to it.
enum { UDP_SOCKET_ADDRESS_BYTES = 64 };
fallible udp_socket_own_address(const char *host, char ret_address[UDP_SOCKET_ADDRESS_BYTES]);

// The address to which this bound socket sends datagrams for `host` (a name, or an address with or
// without brackets) and `port`. Fails with ERR_INVALID.
fallible udp_socket_resolve(int udp, const char *host, uint16_t port,
                            struct sockaddr_storage *ret_address, socklen_t *ret_size);

#endif
