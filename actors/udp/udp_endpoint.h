// udp_endpoint.h - the address and port of a UDP socket: read from text, written as text, compared.
// Pure: any thread.
#ifndef DIORAMA_ACTORS_UDP_UDP_ENDPOINT_H
#define DIORAMA_ACTORS_UDP_UDP_ENDPOINT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum { UDP_ENDPOINT_IP_BYTES = 16 };

// In the address family of the socket that sends to it or received from it. `local` is the address
// of ours that it spoke to, mapped into IPv6: what it is sent leaves from there, since the way back
// may lead through a gateway that knows no other. All zero: the kernel chooses.
union udp_endpoint {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct {
        struct sockaddr_in6 remote;
        uint8_t local[UDP_ENDPOINT_IP_BYTES];
    } way;
};

enum {
    UDP_ENDPOINT_ADDRESS_SIZE = INET6_ADDRSTRLEN,
    UDP_ENDPOINT_TEXT_SIZE = 56,
    UDP_ENDPOINT_CONTROL_BYTES = 64, // more than either family takes
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

// Asks the kernel to tell where datagrams to this socket went, if it is bound to all addresses.
void udp_endpoint_listen(int udp_socket);

// Takes from a received message where it went.
void udp_endpoint_note_local(union udp_endpoint *self, struct msghdr *received);

// Writes the control message that sends from `local`. Returns its size; 0 if the kernel chooses.
size_t udp_endpoint_control(const union udp_endpoint *self,
                            char control[UDP_ENDPOINT_CONTROL_BYTES]);

// Whether both are of one family, address and port.
bool udp_endpoint_equal(const union udp_endpoint *a, const union udp_endpoint *b);

#endif
