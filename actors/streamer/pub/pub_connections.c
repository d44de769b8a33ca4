// pub_connections.c - connections by descriptor (pub_connections.h). A report may be old: the
// descriptor may belong to another socket by now. So the peer is remembered, and compared on a copy
// of the descriptor, which nobody can give to another socket, before that is shut down.
#include "actors/streamer/pub/pub_connections.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
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
    uint64_t sent, messages, handed; // when nothing waited for it last: bytes and messages sent to
                                     // all, bytes that the kernel had been given for it
    size_t largest;                  // message since then
    size_t waiting, waiting_bytes;   // messages, by the last look
    uint64_t handed_then;            // bytes, when rates were looked at last
    bool is_joining;                 // small segments wait for what follows them
    struct sockaddr_storage peer;    // all zero: not known, it had ended already
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

static bool
take_copy(const struct pub_connections *self, const struct pub_connection *connection)
{
    return self->copy >= 0 && dup3(connection->descriptor, self->copy, O_CLOEXEC) >= 0;
}

// Whether the copy is of the connection, and not of another socket that has its descriptor by now.
static bool
copy_is_of(const struct pub_connections *self, const struct pub_connection *connection)
{
    struct sockaddr_storage peer;
    return connection->peer.ss_family && peer_of(self->copy, &peer) &&
           memcmp(&peer, &connection->peer, sizeof peer) == 0;
}

static void
put_copy_back(const struct pub_connections *self)
{
    dup3(self->blank, self->copy, O_CLOEXEC);
}

static void
end_connection(const struct pub_connections *self, struct pub_connection *connection)
{
    if (!take_copy(self, connection))
        return;
    connection->is_ending = true;
    if (copy_is_of(self, connection))
        shutdown(self->copy, SHUT_RDWR);
    put_copy_back(self);
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

// What the kernel knows of a connection.
struct socket_bytes {
    uint64_t taken;   // by its peer so far
    uint64_t handed;  // to the kernel so far; ZeroMQ keeps what has no room there
    uint64_t waiting; // of these, not sent yet
};

static struct socket_bytes
bytes_of(const struct pub_connection *connection)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    bool is_known = getsockopt(connection->descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
    if (!is_known)
        return (struct socket_bytes){0};
    return (struct socket_bytes){.taken = info.tcpi_bytes_acked,
                                 .handed = info.tcpi_bytes_sent - info.tcpi_bytes_retrans +
                                           info.tcpi_notsent_bytes,
                                 .waiting = info.tcpi_notsent_bytes};
}

static bool
is_stalled(struct pub_connection *connection, uint64_t stall_ms, uint64_t now_ms)
{
    struct socket_bytes bytes = bytes_of(connection);
    if (!bytes.waiting || bytes.taken != connection->taken)
        connection->taken_ms = now_ms;
    connection->taken = bytes.taken;
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
    self->messages++;
    if (bytes > self->largest)
        self->largest = bytes;
}

// Whether the kernel takes more for it: then ZeroMQ has handed over all that it had.
static bool
has_room(const struct pub_connection *connection)
{
    struct pollfd asked = {.fd = connection->descriptor, .events = POLLOUT};
    return poll(&asked, 1, 0) > 0 && (asked.revents & POLLOUT);
}

// Estimates what ZeroMQ keeps for a connection, at most: bytes and messages. It may not want all
// that is sent, and what is too much is dropped; but the queue takes no more messages than that,
// and none is larger than the largest.
static void
look_at(const struct pub_connections *self, struct pub_connection *connection, size_t queue)
{
    struct socket_bytes bytes = bytes_of(connection);
    connection->waiting = connection->waiting_bytes = 0;
    if (!bytes.waiting || has_room(connection) || !connection->was_looked_at) {
        connection->was_looked_at = true;
        connection->sent = self->sent;
        connection->messages = self->messages;
        connection->handed = bytes.handed;
        connection->largest = 0;
        return;
    }
    if (self->largest > connection->largest)
        connection->largest = self->largest;
    uint64_t sent = self->sent - connection->sent, given = bytes.handed - connection->handed;
    if (sent <= given)
        return;
    uint64_t left = sent - given, fitting = queue * connection->largest;
    double share = (double)left / (double)sent;
    double messages = (double)(self->messages - connection->messages) * share;
    connection->waiting = messages < (double)queue ? (size_t)messages : queue;
    connection->waiting_bytes = left < fitting ? left : fitting;
}

static int
by_waiting(const void *left, const void *right)
{
    const struct pub_connection *a = *(struct pub_connection *const *)left;
    const struct pub_connection *b = *(struct pub_connection *const *)right;
    if (a->waiting != b->waiting)
        return a->waiting < b->waiting ? -1 : 1;
    return (a > b) - (a < b); // of equals the oldest first
}

// Of those for which something waits, keeps as many as fit into `most` messages: those for which
// little waits first, so who reads is spared however many others do not.
static size_t
end_beyond(const struct pub_connections *self, size_t most)
{
    struct pub_connection **holders = memory_take(self->count * sizeof(struct pub_connection *));
    size_t count = 0, messages = 0, ended = 0;
    for (size_t i = 0; i < self->count; i++)
        if (!self->items[i].is_ending && self->items[i].waiting > 0)
            holders[count++] = &self->items[i];
    qsort(holders, count, sizeof(struct pub_connection *), by_waiting);
    for (size_t i = 0; i < count; i++) {
        messages += holders[i]->waiting;
        if (messages <= most)
            continue;
        end_connection(self, holders[i]);
        ended++;
    }
    free(holders);
    return ended;
}

size_t
pub_connections_end_heavy(struct pub_connections *self, const struct pub_connections_limits *limits)
{
    size_t ended = 0, messages = 0;
    for (size_t i = 0; i < self->count; i++) {
        struct pub_connection *connection = &self->items[i];
        if (connection->is_ending)
            continue;
        look_at(self, connection, limits->queue);
        if (connection->waiting_bytes <= limits->bytes) {
            messages += connection->waiting;
            continue;
        }
        end_connection(self, connection);
        ended++;
    }
    if (messages > limits->messages)
        ended += end_beyond(self, limits->messages);
    self->largest = 0;
    self->looked_sent = self->sent;
    self->looked_messages = self->messages;
    return ended;
}

// Whether the kernel keeps a segment that is not full until what was sent before has arrived.
static void
set_joining(const struct pub_connections *self, struct pub_connection *connection, bool is_joining)
{
    int no_delay = !is_joining; // which also sends what was kept
    if (!take_copy(self, connection))
        return;
    if (copy_is_of(self, connection))
        setsockopt(self->copy, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
    put_copy_back(self);
    connection->is_joining = is_joining;
}

static void
join_by_rates(struct pub_connections *self, uint64_t bytes_a_s, uint64_t passed_ms)
{
    self->joining = 0;
    for (size_t i = 0; i < self->count; i++) {
        struct pub_connection *connection = &self->items[i];
        if (connection->is_ending)
            continue;
        uint64_t handed = bytes_of(connection).handed, then = connection->handed_then;
        bool is_fast = handed > then && (handed - then) * 1000 >= bytes_a_s * passed_ms;
        connection->handed_then = handed;
        if (is_fast != connection->is_joining)
            set_joining(self, connection, is_fast);
        self->joining += connection->is_joining;
    }
}

void
pub_connections_join(struct pub_connections *self, uint64_t bytes_a_s, uint64_t now_ms)
{
    uint64_t sent = self->sent - self->paced_sent, passed_ms = now_ms - self->paced_ms;
    self->paced_sent = self->sent;
    self->paced_ms = now_ms;
    if (self->joining == 0 && sent * 1000 < bytes_a_s * passed_ms)
        return;
    join_by_rates(self, bytes_a_s, now_ms - self->rates_ms);
    self->rates_ms = now_ms;
}
