// udp_endpoint.h - the address and port of a UDP socket: read from text, written as text, compared.
// Pure: any thread.
#ifndef DIORAMA_ACTORS_UDP_UDP_ENDPOINT_H
#define DIORAMA_ACTORS_UDP_UDP_ENDPOINT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

// In the address family of the socket that sends to it or received from it.
union udp_endpoint {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

enum {
    UDP_ENDPOINT_IP_BYTES = 16,
    UDP_ENDPOINT_ADDRESS_SIZE = INET6_ADDRSTRLEN,
    UDP_ENDPOINT_TEXT_SIZE = 56,
};

// Reads a numeric address for a socket of `family`: AF_INET, or AF_INET6, which reaches IPv4 too.
// False if it is no address or cannot be reached from such a socket.
bool udp_endpoint_from(int family, const char *address, int port, union udp_endpoint *ret_endpoint);

socklen_t udp_endpoint_size(const union udp_endpoint *self);
int udp_endpoint_port(const union udp_endpoint *self);

// The bytes of its IPv6 address; an IPv4 address is mapped into IPv6.
void udp_endpoint_ip(const union udp_endpoint *self, uint8_t ret_ip[UDP_ENDPOINT_IP_BYTES]);

// The address without the port, as text.
void udp_endpoint_address(const union udp_endpoint *self,
                          char ret_address[UDP_ENDPOINT_ADDRESS_SIZE]);

// `[2001:db8::1]:5000` or `192.0.2.1:5000`, written to `text`, which is returned.
const char *udp_endpoint_text(const union udp_endpoint *self, char text[UDP_ENDPOINT_TEXT_SIZE]);

// Whether both are of one family, address and port.
bool udp_endpoint_equal(const union udp_endpoint *a, const union udp_endpoint *b);

#endif
