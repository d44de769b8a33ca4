// icmp_errors.c - the error queue of the UDP socket (icmp_errors.h; ip(7), IP_RECVERR).

#include "actors/udp/icmp_errors.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <stdlib.h>

#include "proto/base/memory.h"

enum {
    TURN_ERRORS = 64, // read at once; the rest stays in the kernel until the next time
    CONTROL_BYTES = 256,
};

void
icmp_errors_listen(int udp_socket)
{
    int on = 1; // an IPv4 socket refuses the second option
    setsockopt(udp_socket, IPPROTO_IP, IP_RECVERR, &on, sizeof on);
    setsockopt(udp_socket, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof on);
}

static bool
is_unreachable(const struct sock_extended_err *error)
{
    bool is_icmp = error->ee_origin == SO_EE_ORIGIN_ICMP || error->ee_origin == SO_EE_ORIGIN_ICMP6;
    return is_icmp && error->ee_errno != EMSGSIZE;
}

static bool
says_unreachable(struct msghdr *header)
{
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
        bool is_error = (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_RECVERR) ||
                        (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_RECVERR);
        if (is_error && is_unreachable((const void *)CMSG_DATA(part)))
            return true;
    }
    return false;
}

// Reads the next error; false if there is none. Writes where its datagram was sent to, or AF_UNSPEC
// if the error does not mean that the endpoint is unreachable.
static bool
error_read(int udp_socket, union udp_endpoint *ret_endpoint)
{
    _Alignas(struct cmsghdr) char control[CONTROL_BYTES];
    struct msghdr header = {.msg_name = ret_endpoint,
                            .msg_namelen = sizeof *ret_endpoint,
                            .msg_control = control,
                            .msg_controllen = sizeof control};
    if (recvmsg(udp_socket, &header, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
        return false;
    if (!says_unreachable(&header))
        ret_endpoint->any.sa_family = AF_UNSPEC;
    return true;
}

static void
icmp_errors_destroy(struct parcel *parcel)
{
    free(parcel);
}

void
icmp_errors_forward(int udp_socket, mailbox_t *mailbox)
{
    union udp_endpoint endpoint = {0};
    struct icmp_errors *list = NULL;
    for (unsigned i = 0; i < TURN_ERRORS && error_read(udp_socket, &endpoint); i++) {
        if (endpoint.any.sa_family == AF_UNSPEC)
            continue;
        if (!list) {
            list = memory_take(sizeof *list + TURN_ERRORS * sizeof list->items[0]);
            *list = (struct icmp_errors){.base.destroy = icmp_errors_destroy};
        }
        list->items[list->count++] = endpoint;
    }
    if (!list)
        return;
    struct message *message = message_create(UNREACHABLE);
    message->parcel = &list->base;
    if (mailbox_send(mailbox, actor_mailbox(STREAMER_ACTOR), &message) != OK)
        message_destroy(&message); // the next datagrams cause the same errors
}
