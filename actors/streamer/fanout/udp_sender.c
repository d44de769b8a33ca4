// udp_sender.c - batches for sendmmsg (udp_sender.h). A datagram over loopback costs about 5 us of
// the kernel's time. A batch saves system calls. Consecutive datagrams of one size to the same
// receiver are one send that the kernel splits (UDP_SEGMENT), which saves most of the rest.

#include "actors/streamer/fanout/udp_sender.h"

#include <errno.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdlib.h>

#include "proto/base/memory.h"

enum {
    UDP_SENDER_SENDS = 256,     // of one system call
    UDP_SENDER_WAITING = 1024,  // datagrams; then they are sent, so that a turn sees the time
    UDP_SENDER_DATAGRAMS = 128, // different ones
    SEGMENTED_BYTES = 65000,    // of one send with all its segments
    SEGMENT_CONTROL = CMSG_SPACE(sizeof(uint16_t)),
    CONTROL_BYTES = SEGMENT_CONTROL + UDP_ENDPOINT_CONTROL_BYTES,
    ERROR_RETRIES = 8, // of one send: the error may belong to another datagram
    FULL_RETRIES = 3,
    FULL_WAIT_MS = 1,
};

// Datagrams that one send carries: all of one size, but the last one may be smaller.
struct run {
    unsigned first;
    unsigned count;
    enum metric_cell sent;
    union {
        char bytes[SEGMENT_CONTROL];
        struct cmsghdr align;
    } segment; // the size, if there are several datagrams
};

struct udp_sender {
    int socket;
    bool has_segments; // the kernel supports UDP_SEGMENT
    unsigned send_count;
    unsigned waiting;        // datagrams of these sends
    unsigned datagram_count; // in use
    unsigned run_count;      // in use
    unsigned group;          // its first datagram
    unsigned group_runs;     // its first run
    bool is_sealed;          // its runs are made
    enum metric_cell sent;   // of the group
    struct mmsghdr sends[UDP_SENDER_SENDS];
    const struct run *runs_sent[UDP_SENDER_SENDS];
    union udp_endpoint endpoints[UDP_SENDER_SENDS];
    _Alignas(struct cmsghdr) char controls[UDP_SENDER_SENDS][CONTROL_BYTES];
    struct run runs[UDP_SENDER_DATAGRAMS];
    struct iovec contents[UDP_SENDER_DATAGRAMS];
    struct buffer datagrams[UDP_SENDER_DATAGRAMS];
};

udp_sender_t *
udp_sender_create(int udp_socket)
{
    udp_sender_t *self = memory_take_zeroed(sizeof *self);
    int size = 0;
    socklen_t length = sizeof size;
    self->socket = udp_socket;
    self->has_segments = getsockopt(udp_socket, IPPROTO_UDP, UDP_SEGMENT, &size, &length) == 0;
    return self;
}

void
udp_sender_destroy(udp_sender_t **self)
{
    if (!*self)
        return;
    for (unsigned i = 0; i < UDP_SENDER_DATAGRAMS; i++)
        buffer_finish(&(*self)->datagrams[i]);
    free(*self);
    *self = NULL;
}

// Groups

void
udp_sender_begin(udp_sender_t *self, enum metric_cell sent)
{
    if (self->datagram_count + GROUP_DATAGRAMS > UDP_SENDER_DATAGRAMS) {
        udp_sender_send(self);
        self->datagram_count = self->run_count = 0;
    }
    self->group = self->datagram_count;
    self->group_runs = self->run_count;
    self->is_sealed = false;
    self->sent = sent;
}

struct buffer *
udp_sender_datagram(udp_sender_t *self)
{
    struct buffer *datagram = &self->datagrams[self->datagram_count++];
    buffer_clear(datagram);
    return datagram;
}

static void
run_set_segment(struct run *self, size_t size)
{
    self->segment.align = (struct cmsghdr){
        .cmsg_level = IPPROTO_UDP,
        .cmsg_type = UDP_SEGMENT,
        .cmsg_len = CMSG_LEN(sizeof(uint16_t)),
    };
    memcpy(CMSG_DATA(&self->segment.align), &(uint16_t){(uint16_t)size}, sizeof(uint16_t));
}

// How many datagrams, beginning with `first`, one send can carry.
static unsigned
udp_sender_run(const udp_sender_t *self, unsigned first)
{
    size_t size = self->contents[first].iov_len, bytes = size;
    unsigned next = first + 1;
    while (self->has_segments && next < self->datagram_count &&
           self->contents[next - 1].iov_len == size && self->contents[next].iov_len <= size &&
           bytes + self->contents[next].iov_len <= SEGMENTED_BYTES)
        bytes += self->contents[next++].iov_len;
    return next - first;
}

static void
udp_sender_seal(udp_sender_t *self)
{
    for (unsigned i = self->group; i < self->datagram_count; i++)
        self->contents[i] = (struct iovec){self->datagrams[i].data, self->datagrams[i].size};
    for (unsigned i = self->group; i < self->datagram_count;) {
        struct run *run = &self->runs[self->run_count++];
        *run = (struct run){.first = i, .count = udp_sender_run(self, i), .sent = self->sent};
        if (run->count > 1)
            run_set_segment(run, self->contents[i].iov_len);
        i += run->count;
    }
    self->is_sealed = true;
}

// What goes along with a send: how the kernel splits it, and from where it leaves.
static void
udp_sender_control(struct msghdr *header, const struct run *run, const union udp_endpoint *endpoint,
                   char control[CONTROL_BYTES])
{
    size_t size = run->count > 1 ? sizeof run->segment.bytes : 0;
    memcpy(control, run->segment.bytes, size);
    size += udp_endpoint_control(endpoint, control + size);
    header->msg_control = size ? control : NULL;
    header->msg_controllen = size;
}

static void
udp_sender_add(udp_sender_t *self, struct run *run, const union udp_endpoint *endpoint)
{
    if (self->send_count == UDP_SENDER_SENDS || self->waiting >= UDP_SENDER_WAITING)
        udp_sender_send(self);
    unsigned place = self->send_count++;
    self->waiting += run->count;
    self->runs_sent[place] = run;
    self->endpoints[place] = *endpoint;
    self->sends[place].msg_hdr = (struct msghdr){
        .msg_name = &self->endpoints[place],
        .msg_namelen = udp_endpoint_size(endpoint),
        .msg_iov = &self->contents[run->first],
        .msg_iovlen = run->count,
    };
    udp_sender_control(&self->sends[place].msg_hdr, run, endpoint, self->controls[place]);
}

void
udp_sender_to(udp_sender_t *self, const union udp_endpoint *endpoint)
{
    if (!self->is_sealed)
        udp_sender_seal(self);
    for (unsigned i = self->group_runs; i < self->run_count; i++)
        udp_sender_add(self, &self->runs[i], endpoint);
}

// Sending

// What to do after an error: repeat the send, give it up, or give up all sends.
enum verdict { AGAIN, NEXT, NONE };

// The kernel reports an ICMP error to the next send, which then did nothing and did not cause it.
static enum verdict
udp_sender_judge(const udp_sender_t *self, int error, unsigned *retries, unsigned *full)
{
    if (error == EINTR)
        return AGAIN;
    if (error != EAGAIN && error != ENOBUFS)
        return ++*retries > ERROR_RETRIES ? NEXT : AGAIN;
    if (++*full > FULL_RETRIES)
        return NONE;
    struct pollfd room = {.fd = self->socket, .events = POLLOUT};
    poll(&room, 1, FULL_WAIT_MS);
    return AGAIN;
}

// Sends the datagrams of a refused send one by one. Returns how many were sent.
static unsigned
udp_sender_send_singly(const udp_sender_t *self, unsigned place)
{
    const struct run *run = self->runs_sent[place];
    unsigned sent = 0;
    for (unsigned i = 0; i < run->count; i++) {
        struct msghdr single = self->sends[place].msg_hdr;
        single.msg_iov += i;
        single.msg_iovlen = 1;
        single.msg_control = NULL;
        single.msg_controllen = 0;
        sent += sendmsg(self->socket, &single, MSG_DONTWAIT) >= 0;
    }
    return sent;
}

static void
udp_sender_count(const udp_sender_t *self, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++)
        counter_add(self->runs_sent[i]->sent, self->runs_sent[i]->count);
}

// Gives up one send, except for datagrams that can be sent one by one, from any address of ours.
static void
udp_sender_give_up(const udp_sender_t *self, unsigned place)
{
    const struct run *run = self->runs_sent[place];
    bool has_control = self->sends[place].msg_hdr.msg_controllen > 0;
    unsigned sent = has_control ? udp_sender_send_singly(self, place) : 0;
    counter_add(run->sent, sent);
    counter_add(COUNT_UDP_OUT_FAILED, run->count - sent);
}

static bool
is_of_segments(int error)
{
    return error == EINVAL || error == EIO || error == EMSGSIZE || error == EOPNOTSUPP;
}

void
udp_sender_send(udp_sender_t *self)
{
    unsigned done = 0, retries = 0, full = 0;
    while (done < self->send_count) {
        int sent =
            sendmmsg(self->socket, self->sends + done, self->send_count - done, MSG_DONTWAIT);
        if (sent > 0) {
            udp_sender_count(self, done, (unsigned)sent);
            done += (unsigned)sent;
            retries = 0;
            continue;
        }
        bool is_refused = is_of_segments(errno) && self->runs_sent[done]->count > 1;
        enum verdict verdict = is_refused ? NEXT : udp_sender_judge(self, errno, &retries, &full);
        if (verdict == NEXT) {
            udp_sender_give_up(self, done++);
            retries = 0;
        } else if (verdict == NONE) {
            for (; done < self->send_count; done++)
                counter_add(COUNT_UDP_OUT_FAILED, self->runs_sent[done]->count);
        }
    }
    self->send_count = self->waiting = 0;
}
