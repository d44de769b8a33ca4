// icmp_errors.h - what comes back by ICMP about datagrams that were sent: nobody is there
// (live-feed, "Who may be sent to"). The thread that waits on the socket reads it, the streamer
// gets it as UNREACHABLE messages.
#ifndef DIORAMA_ACTORS_UDP_ICMP_ERRORS_H
#define DIORAMA_ACTORS_UDP_ICMP_ERRORS_H

#include "actors/udp/udp_endpoint.h"
#include "proto/message/mailbox.h"

// The parcel of an UNREACHABLE message.
struct icmp_errors {
    struct parcel base;
    uint32_t count;
    union udp_endpoint items[];
};

// Asks the kernel to keep what comes back. From then on any call on the socket may fail once with
// an error that is of a datagram sent before; the call has done nothing then, and can be repeated.
void icmp_errors_listen(int udp_socket);

// Gives the streamer who cannot be reached, if there is anybody. Never waits.
void icmp_errors_forward(int udp_socket, mailbox_t *mailbox);

static inline const struct icmp_errors *
icmp_errors_of(const struct message *message)
{
    return (const struct icmp_errors *)(const void *)message->parcel;
}

#endif
