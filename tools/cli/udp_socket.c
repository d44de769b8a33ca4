// udp_socket.c - resolves addresses and sets the options of sockets.
#include "tools/cli/udp_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/base/owned.h"

enum { RECEIVE_BYTES = 32 << 20, HOST_BYTES = 254 };

static void
addresses_free(struct addrinfo **addresses)
{
    if (*addresses)
        freeaddrinfo(*addresses);
}

static fallible
resolve(const char *host, const char *port, int flags, struct addrinfo **ret_addresses)
{
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = flags};
    int code = getaddrinfo(host, port, &hints, ret_addresses);
    if (code)
        return fail(ERR_INVALID, "", "%s port %s: %s", host, port, gai_strerror(code));
    return OK;
}

// Whether it is a number from 1 to 65535: getaddrinfo takes greater ones modulo 65536.
static bool
is_port(const char *chars)
{
    size_t size = strlen(chars);
    if (size == 0 || size > 5 || strspn(chars, "0123456789") != size)
        return false;
    int port = atoi(chars);
    return port >= 1 && port <= 65535;
}

// Splits "host:port" at the last colon and removes the brackets of an IPv6 address.
static fallible
split(const char *address, char *ret_host, const char **ret_port)
{
    const char *colon = strrchr(address, ':');
    const char *host = address;
    size_t size = colon ? (size_t)(colon - address) : 0;
    if (size > 2 && host[0] == '[' && host[size - 1] == ']') {
        host++;
        size -= 2;
    }
    if (size == 0 || size >= HOST_BYTES || !is_port(colon + 1))
        return fail(ERR_INVALID, "", "%s: must be host:port", address);
    memcpy(ret_host, host, size);
    ret_host[size] = '\0';
    *ret_port = colon + 1;
    return OK;
}

fallible
udp_socket_connect(const char *address, int *ret_socket)
{
    char host[HOST_BYTES];
    const char *port;
    owned(addresses_free) struct addrinfo *found = NULL;
    TRY(split(address, host, &port));
    TRY(resolve(host, port, AI_NUMERICSERV, &found));
    int udp = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (udp < 0 || connect(udp, found->ai_addr, found->ai_addrlen) < 0) {
        enum error error = fail(ERR_INVALID, "", "%s: %s", address, strerror(errno));
        if (udp >= 0)
            close(udp);
        return error;
    }
    *ret_socket = udp;
    return OK;
}

// Asks for more than net.core.rmem_max, which only root gets; others get that much.
static void
enlarge(int udp)
{
    int size = RECEIVE_BYTES;
    if (setsockopt(udp, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
        (void)setsockopt(udp, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

static uint16_t
port_of(int udp)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    getsockname(udp, (struct sockaddr *)&address, &size);
    if (address.ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)&address)->sin6_port);
    return ntohs(((const struct sockaddr_in *)&address)->sin_port);
}

fallible
udp_socket_bind(const char *host, uint16_t port, int *ret_socket, uint16_t *ret_port)
{
    char port_chars[8];
    owned(addresses_free) struct addrinfo *found = NULL;
    snprintf(port_chars, sizeof port_chars, "%u", port);
    TRY(resolve(host, port_chars, AI_NUMERICSERV | AI_PASSIVE, &found));
    int udp = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (udp < 0 || bind(udp, found->ai_addr, found->ai_addrlen) < 0) {
        enum error error = fail(ERR_UNAVAILABLE, "", "%s port %u: %s", host, port, strerror(errno));
        if (udp >= 0)
            close(udp);
        return error;
    }
    enlarge(udp);
    *ret_socket = udp;
    *ret_port = port_of(udp);
    return OK;
}

static void
socket_close(int *udp)
{
    if (*udp >= 0)
        close(*udp);
}

// Connecting a UDP socket sends nothing; it only chooses the way. Any port will do.
fallible
udp_socket_own_address(const char *host, char ret_address[UDP_SOCKET_ADDRESS_BYTES])
{
    owned(addresses_free) struct addrinfo *found = NULL;
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    TRY(resolve(host, "9", AI_NUMERICSERV, &found));
    owned(socket_close) int udp = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (udp < 0 || connect(udp, found->ai_addr, found->ai_addrlen) < 0 ||
        getsockname(udp, (struct sockaddr *)&address, &size) < 0 ||
        getnameinfo((struct sockaddr *)&address, size, ret_address, UDP_SOCKET_ADDRESS_BYTES, NULL,
                    0, NI_NUMERICHOST) != 0)
        return fail(ERR_INVALID, "", "there is no way to %s: %s", host, strerror(errno));
    return OK;
}

static int
family_of(int udp)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    getsockname(udp, (struct sockaddr *)&address, &size);
    return address.ss_family;
}

fallible
udp_socket_resolve(int udp, const char *host, uint16_t port, struct sockaddr_storage *ret_address,
                   socklen_t *ret_size)
{
    char address[HOST_BYTES + 16], bare[HOST_BYTES];
    const char *port_chars;
    owned(addresses_free) struct addrinfo *found = NULL;
    snprintf(address, sizeof address, strchr(host, ':') && host[0] != '[' ? "[%s]:%u" : "%s:%u",
             host, port);
    TRY(split(address, bare, &port_chars));
    struct addrinfo hints = {.ai_family = family_of(udp),
                             .ai_socktype = SOCK_DGRAM,
                             .ai_flags = AI_NUMERICSERV | AI_V4MAPPED};
    int code = getaddrinfo(bare, port_chars, &hints, &found);
    if (code)
        return fail(ERR_INVALID, "", "%s: %s", address, gai_strerror(code));
    memcpy(ret_address, found->ai_addr, found->ai_addrlen);
    *ret_size = found->ai_addrlen;
    return OK;
}
