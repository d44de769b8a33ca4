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
    union udp_endpoint endpoint;
    struct in_addr v4;
    memset(&endpoint, 0, sizeof endpoint);
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

void
udp_endpoint_listen(int udp_socket)
{
    static const uint8_t all_v4[4], all_v6[UDP_ENDPOINT_IP_BYTES];
    union udp_endpoint bound = {.any.sa_family = AF_UNSPEC};
    socklen_t size = sizeof bound;
    int on = 1;
    if (getsockname(udp_socket, &bound.any, &size) != 0)
        return;
    if (is_v4(&bound) && memcmp(&bound.v4.sin_addr, all_v4, sizeof all_v4) == 0)
        setsockopt(udp_socket, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
    else if (!is_v4(&bound) && memcmp(&bound.v6.sin6_addr, all_v6, sizeof all_v6) == 0)
        setsockopt(udp_socket, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
}

void
udp_endpoint_note_local(union udp_endpoint *self, struct msghdr *received)
{
    memset(self->way.local, 0, sizeof self->way.local);
    for (struct cmsghdr *part = CMSG_FIRSTHDR(received); part; part = CMSG_NXTHDR(received, part)) {
        struct in_pktinfo v4;
        struct in6_pktinfo v6;
        if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
            memcpy(&v4, CMSG_DATA(part), sizeof v4);
            map_v4(&v4.ipi_spec_dst, self->way.local);
        } else if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
            memcpy(&v6, CMSG_DATA(part), sizeof v6);
            if (!IN6_IS_ADDR_MULTICAST(&v6.ipi6_addr))
                memcpy(self->way.local, &v6.ipi6_addr, sizeof self->way.local);
        }
    }
}

static size_t
put_control(int level, int type, const void *data, size_t size,
            char control[UDP_ENDPOINT_CONTROL_BYTES])
{
    struct cmsghdr head = {.cmsg_len = CMSG_LEN(size), .cmsg_level = level, .cmsg_type = type};
    memset(control, 0, CMSG_SPACE(size));
    memcpy(control, &head, sizeof head);
    memcpy(control + CMSG_LEN(0), data, size);
    return CMSG_SPACE(size);
}

size_t
udp_endpoint_control(const union udp_endpoint *self, char control[UDP_ENDPOINT_CONTROL_BYTES])
{
    static const uint8_t unknown[UDP_ENDPOINT_IP_BYTES];
    if (memcmp(self->way.local, unknown, sizeof unknown) == 0)
        return 0;
    if (is_v4(self)) {
        struct in_pktinfo v4 = {0};
        memcpy(&v4.ipi_spec_dst, self->way.local + 12, sizeof v4.ipi_spec_dst);
        return put_control(IPPROTO_IP, IP_PKTINFO, &v4, sizeof v4, control);
    }
    struct in6_pktinfo v6 = {0};
    memcpy(&v6.ipi6_addr, self->way.local, sizeof v6.ipi6_addr);
    return put_control(IPPROTO_IPV6, IPV6_PKTINFO, &v6, sizeof v6, control);
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
