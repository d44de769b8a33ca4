// udp_endpoint.c - addresses and ports of UDP sockets (udp_endpoint.h).

#include "actors/udp/udp_endpoint.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static void
map_v4(const struct in_addr *v4, uint8_t ret_v6[UDP_ENDPOINT_IP_BYTES])
{
    static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};
    memcpy(ret_v6, prefix, sizeof prefix);
    memcpy(ret_v6 + sizeof prefix, v4, sizeof *v4);
}

static bool
is_v4(const union udp_endpoint *self)
{
    return self->any.sa_family == AF_INET;
}

bool
udp_endpoint_from(int family, const char *address, int port, union udp_endpoint *ret_endpoint)
{
    union udp_endpoint endpoint = {0};
    struct in_addr v4;
    bool is_v4_address = inet_pton(AF_INET, address, &v4) == 1;
    if (family == AF_INET) {
        if (!is_v4_address)
            return false;
        endpoint.v4 = (struct sockaddr_in){
            .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = v4};
    } else {
        endpoint.v6 =
            (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
        if (is_v4_address)
            map_v4(&v4, endpoint.v6.sin6_addr.s6_addr);
        else if (inet_pton(AF_INET6, address, &endpoint.v6.sin6_addr) != 1)
            return false;
    }
    *ret_endpoint = endpoint;
    return true;
}

socklen_t
udp_endpoint_size(const union udp_endpoint *self)
{
    return is_v4(self) ? sizeof self->v4 : sizeof self->v6;
}

int
udp_endpoint_port(const union udp_endpoint *self)
{
    return ntohs(is_v4(self) ? self->v4.sin_port : self->v6.sin6_port);
}

void
udp_endpoint_ip(const union udp_endpoint *self, uint8_t ret_ip[UDP_ENDPOINT_IP_BYTES])
{
    if (is_v4(self))
        map_v4(&self->v4.sin_addr, ret_ip);
    else
        memcpy(ret_ip, &self->v6.sin6_addr, UDP_ENDPOINT_IP_BYTES);
}

void
udp_endpoint_address(const union udp_endpoint *self, char ret_address[UDP_ENDPOINT_ADDRESS_SIZE])
{
    const void *ip = is_v4(self) ? (const void *)&self->v4.sin_addr : &self->v6.sin6_addr;
    if (!inet_ntop(self->any.sa_family, ip, ret_address, UDP_ENDPOINT_ADDRESS_SIZE))
        *ret_address = '\0';
}

const char *
udp_endpoint_text(const union udp_endpoint *self, char text[UDP_ENDPOINT_TEXT_SIZE])
{
    char address[UDP_ENDPOINT_ADDRESS_SIZE];
    udp_endpoint_address(self, address);
    snprintf(text, UDP_ENDPOINT_TEXT_SIZE, is_v4(self) ? "%s:%d" : "[%s]:%d", address,
             udp_endpoint_port(self));
    return text;
}

bool
udp_endpoint_equal(const union udp_endpoint *a, const union udp_endpoint *b)
{
    uint8_t ip_a[UDP_ENDPOINT_IP_BYTES], ip_b[UDP_ENDPOINT_IP_BYTES];
    if (a->any.sa_family != b->any.sa_family || udp_endpoint_port(a) != udp_endpoint_port(b))
        return false;
    udp_endpoint_ip(a, ip_a);
    udp_endpoint_ip(b, ip_b);
    return memcmp(ip_a, ip_b, sizeof ip_a) == 0;
}
