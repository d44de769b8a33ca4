// pub_connections.c - connections by descriptor (pub_connections.h). A report may be old: the
// descriptor may belong to another socket by now. So the peer is remembered, and compared on a copy
// of the descriptor, which nobody can give to another socket, before that is shut down.
#include "actors/streamer/pub/pub_connections.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/base/memory.h"

struct pub_connection {
    int descriptor;
    bool has_subscribed;
    bool is_ending; // shut down; its end is not reported yet
    uint64_t accepted_ms;
    uint64_t taken_ms; // when it was seen last that it takes what is sent, or that nothing waits
    uint64_t taken;    // bytes then
    bool was_looked_at;
    uint64_t sent, acked; // when nothing waited for it last: bytes sent to all, and taken by it
    size_t largest;       // message since then
    struct sockaddr_storage peer; // all zero: not known, it had ended already
};

void
pub_connections_init(struct pub_connections *self)
{
    *self = (struct pub_connections){.blank = open("/dev/null", O_RDONLY | O_CLOEXEC)};
    self->copy = fcntl(self->blank, F_DUPFD_CLOEXEC, 0);
}

void
pub_connections_finish(struct pub_connections *self)
{
    free(self->items);
    if (self->blank >= 0)
        close(self->blank);
    if (self->copy >= 0)
        close(self->copy);
    *self = (struct pub_connections){.blank = -1, .copy = -1};
}

static bool
peer_of(int descriptor, struct sockaddr_storage *ret_peer)
{
    socklen_t size = sizeof *ret_peer;
    memset(ret_peer, 0, sizeof *ret_peer);
    return getpeername(descriptor, (struct sockaddr *)ret_peer, &size) == 0;
}

static struct pub_connection *
find(const struct pub_connections *self, int descriptor)
{
    for (size_t i = self->count; i-- > 0;)
        if (self->items[i].descriptor == descriptor)
            return &self->items[i];
    return NULL;
}

void
pub_connections_accepted(struct pub_connections *self, int descriptor, uint64_t now_ms)
{
    pub_connections_ended(self, descriptor); // where the report of its end was lost
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : 16;
        self->items = memory_resize(self->items, self->capacity * sizeof *self->items);
    }
    struct pub_connection *connection = &self->items[self->count++];
    *connection = (struct pub_connection){
        .descriptor = descriptor, .accepted_ms = now_ms, .taken_ms = now_ms};
    if (!peer_of(descriptor, &connection->peer))
        memset(&connection->peer, 0, sizeof connection->peer);
}

void
pub_connections_ended(struct pub_connections *self, int descriptor)
{
    struct pub_connection *connection = find(self, descriptor);
    if (!connection)
        return;
    size_t place = (size_t)(connection - self->items);
    self->count--;
    memmove(connection, connection + 1, (self->count - place) * sizeof *connection);
}

void
pub_connections_subscribed(struct pub_connections *self, int descriptor)
{
    struct pub_connection *connection = find(self, descriptor);
    if (connection)
        connection->has_subscribed = true;
}

static void
end_connection(const struct pub_connections *self, struct pub_connection *connection)
{
    struct sockaddr_storage peer;
    if (self->copy < 0 || dup3(connection->descriptor, self->copy, O_CLOEXEC) < 0)
        return;
    connection->is_ending = true;
    if (connection->peer.ss_family && peer_of(self->copy, &peer) &&
        memcmp(&peer, &connection->peer, sizeof peer) == 0)
        shutdown(self->copy, SHUT_RDWR);
    dup3(self->blank, self->copy, O_CLOEXEC);
}

size_t
pub_connections_trim(struct pub_connections *self, size_t most, uint64_t idle_ms, uint64_t now_ms)
{
    size_t ended = 0;
    for (size_t i = 0; i < self->count; i++) {
        struct pub_connection *connection = &self->items[i];
        bool is_idle = !connection->has_subscribed && now_ms - connection->accepted_ms >= idle_ms;
        bool is_beyond = most && i >= most;
        if (connection->is_ending || !(is_idle || is_beyond))
            continue;
        end_connection(self, connection);
        ended++;
    }
    return ended;
}

// Whether bytes wait for it in the kernel, and how many it has taken so far.
static bool
waits(const struct pub_connection *connection, uint64_t *ret_taken)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    bool is_known = getsockopt(connection->descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
    *ret_taken = info.tcpi_bytes_acked;
    return is_known && info.tcpi_notsent_bytes > 0;
}

static bool
is_stalled(struct pub_connection *connection, uint64_t stall_ms, uint64_t now_ms)
{
    uint64_t taken;
    if (!waits(connection, &taken) || taken != connection->taken)
        connection->taken_ms = now_ms;
    connection->taken = taken;
    return now_ms - connection->taken_ms >= stall_ms;
}

size_t
pub_connections_end_stalled(struct pub_connections *self, size_t most, uint64_t stall_ms,
                            uint64_t now_ms)
{
    size_t stalled = 0, ended = 0;
    for (size_t i = 0; i < self->count; i++) {
        struct pub_connection *connection = &self->items[i];
        if (connection->is_ending || !is_stalled(connection, stall_ms, now_ms) || ++stalled <= most)
            continue;
        end_connection(self, connection);
        ended++;
    }
    return ended;
}

void
pub_connections_sent(struct pub_connections *self, size_t bytes)
{
    self->sent += bytes;
    if (bytes > self->largest)
        self->largest = bytes;
}

// About how many bytes of messages ZeroMQ keeps for it, at most: it may not want all that is sent,
// and what is too much is dropped, but no message can be larger than the largest.
static size_t
held_bytes(const struct pub_connections *self, struct pub_connection *connection, size_t queue)
{
    uint64_t acked;
    if (!waits(connection, &acked) || !connection->was_looked_at) {
        connection->was_looked_at = true;
        connection->sent = self->sent;
        connection->acked = acked;
        connection->largest = 0;
        return 0;
    }
    if (self->largest > connection->largest)
        connection->largest = self->largest;
    uint64_t sent = self->sent - connection->sent, taken = acked - connection->acked;
    uint64_t left = sent > taken ? sent - taken : 0, fitting = queue * connection->largest;
    return left < fitting ? left : fitting;
}

size_t
pub_connections_end_heavy(struct pub_connections *self, size_t queue, size_t most_bytes)
{
    size_t ended = 0;
    for (size_t i = 0; i < self->count; i++) {
        struct pub_connection *connection = &self->items[i];
        if (connection->is_ending || held_bytes(self, connection, queue) <= most_bytes)
            continue;
        end_connection(self, connection);
        ended++;
    }
    self->largest = 0;
    self->looked = self->sent;
    return ended;
}
