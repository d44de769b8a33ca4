// track_socket.c - opens and binds (track_socket.h; ip(7)).
#include "actors/track/track_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/config/track_sources.h"

enum { SOCKET_BUFFER_BYTES = 512 << 10 }; // seconds of one camera

// Only a privileged process may exceed net.core.rmem_max. Others get as much as it allows.
static void
widen(int socket)
{
    int size = SOCKET_BUFFER_BYTES;
    if (setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

// What is sent to this group on this interface alone: without the second option the socket would
// hear what others on this machine joined elsewhere. Several programs may listen to a group.
static bool
join(int socket, struct in_addr group, struct in_addr interface)
{
    const struct ip_mreq request = {.imr_multiaddr = group, .imr_interface = interface};
    int on = 1, off = 0;
    return setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
           setsockopt(socket, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof off) == 0 &&
           setsockopt(socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request) == 0;
}

fallible
track_socket_open(struct in_addr address, in_port_t port, struct in_addr interface, int *ret_socket)
{
    const struct sockaddr_in place = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = address};
    int opened = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (opened >= 0)
        widen(opened);
    if (opened >= 0 && (!track_address_is_group(address) || join(opened, address, interface)) &&
        bind(opened, (const struct sockaddr *)&place, sizeof place) == 0) {
        *ret_socket = opened;
        return OK;
    }
    char text[INET_ADDRSTRLEN] = "", reason[128];
    snprintf(reason, sizeof reason, "%s", strerror(errno));
    if (opened >= 0)
        close(opened);
    inet_ntop(AF_INET, &address, text, sizeof text);
    return fail(ERR_UNAVAILABLE, "track.opentrackio", "cannot listen on UDP %s:%u: %s", text,
                (unsigned)port, reason);
}
