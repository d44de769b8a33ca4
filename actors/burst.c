// burst.c - sendmmsg in batches (burst.h). A datagram over loopback costs about 5 us of the
// kernel's time; the batch saves the system call.

#include "actors/burst.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include "proto/metrics.h"
#include "proto/base/memory.h"

enum {
    BURST_SENDS = 256,    // receivers of one system call
    BURST_DATAGRAMS = 64, // different ones among them
    FULL_RETRIES = 3,
    FULL_WAIT_MS = 1,
};

struct burst {
    int socket;
    unsigned send_count;
    unsigned datagram_count; // the last one is still being addressed
    struct mmsghdr sends[BURST_SENDS];
    union endpoint endpoints[BURST_SENDS];
    struct iovec contents[BURST_DATAGRAMS];
    struct buffer datagrams[BURST_DATAGRAMS];
};

burst_t *
burst_create(int udp_socket)
{
    burst_t *self = memory_take_zeroed(sizeof *self);
    self->socket = udp_socket;
    return self;
}

void
burst_destroy(burst_t **self)
{
    if (!*self)
        return;
    for (unsigned i = 0; i < BURST_DATAGRAMS; i++)
        buffer_finish(&(*self)->datagrams[i]);
    free(*self);
    *self = NULL;
}

struct buffer *
burst_datagram(burst_t *self)
{
    if (self->datagram_count == BURST_DATAGRAMS) {
        burst_send(self);
        self->datagram_count = 0;
    }
    struct buffer *datagram = &self->datagrams[self->datagram_count++];
    buffer_clear(datagram);
    return datagram;
}

void
burst_to(burst_t *self, const union endpoint *endpoint)
{
    if (self->send_count == BURST_SENDS)
        burst_send(self);
    unsigned last = self->datagram_count - 1, place = self->send_count++;
    self->contents[last] = (struct iovec){self->datagrams[last].data, self->datagrams[last].size};
    self->endpoints[place] = *endpoint;
    self->sends[place].msg_hdr = (struct msghdr){
        .msg_name = &self->endpoints[place],
        .msg_namelen = endpoint_size(endpoint),
        .msg_iov = &self->contents[last],
        .msg_iovlen = 1,
    };
}

static bool
burst_waits(const burst_t *self, int error, unsigned *retries)
{
    if (error == EINTR)
        return true;
    if ((error != EAGAIN && error != ENOBUFS) || ++*retries > FULL_RETRIES)
        return false;
    struct pollfd room = {.fd = self->socket, .events = POLLOUT};
    poll(&room, 1, FULL_WAIT_MS);
    return true;
}

void
burst_send(burst_t *self)
{
    unsigned done = 0, failed = 0, retries = 0;
    if (!self->send_count)
        return;
    while (done < self->send_count) {
        int sent =
            sendmmsg(self->socket, self->sends + done, self->send_count - done, MSG_DONTWAIT);
        if (sent > 0)
            done += (unsigned)sent;
        else if (!burst_waits(self, errno, &retries)) {
            // Of a full buffer all that is left fails, of a bad receiver only its own datagram.
            unsigned lost = retries > FULL_RETRIES ? self->send_count - done : 1;
            failed += lost;
            done += lost;
        }
    }
    counter_add(COUNT_UDP_OUT, done - failed);
    counter_add(COUNT_UDP_OUT_FAILED, failed);
    self->send_count = 0;
}
