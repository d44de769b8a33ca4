// icmp_errors.h - ICMP errors about datagrams that were sent to an unreachable endpoint. The thread
// that waits on the socket reads them and sends them to the streamer as UNREACHABLE messages.
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

// Asks the kernel to queue ICMP errors of the socket. From then on any call on the socket may fail
// once with the error of an earlier datagram. Such a call has done nothing and can be repeated.
void icmp_errors_listen(int udp_socket);

// Tells the streamer which endpoints are unreachable, if there are any. Never waits.
void icmp_errors_forward(int udp_socket, mailbox_t *mailbox);

static inline const struct icmp_errors *
icmp_errors_of(const struct message *message)
{
    return (const struct icmp_errors *)(const void *)message->parcel;
}

#endif
