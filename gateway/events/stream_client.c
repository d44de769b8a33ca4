// stream_client.c - sends to a client without waiting (stream_client.h).
#include "gateway/events/stream_client.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gateway/http/client_deadlines.h"
#include "gateway/http/socket.h"

enum {
    FIRST_DESCRIPTOR = 3,
    KEPT_BYTES = 0, // of `left`, when it is empty: there are as many as clients
};

fallible
stream_client_take(struct stream_client *self, int socket)
{
    *self = (struct stream_client){.socket = -1};
    if (socket < 0)
        return fail(ERR_MALFORMED, "", "the client of the stream has left");
    self->socket = fcntl(socket, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
    if (self->socket < 0)
        return fail(ERR_UNAVAILABLE, "", "the system has no descriptor left for a stream");
    socket_limit_buffer(self->socket);
    socket_limit_input(self->socket);
    return OK;
}

void
stream_client_finish(struct stream_client *self)
{
    if (self->socket >= 0)
        close(self->socket);
    self->socket = -1;
    buffer_finish(&self->left);
}

void
stream_client_abort(struct stream_client *self)
{
    socket_abort(self->socket);
}

// Returns how much the socket takes; -1 if the client is gone.
static ssize_t
pass(struct stream_client *self, const char *data, size_t size)
{
    ssize_t sent;
    do
        sent = send(self->socket, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS)
        return -1;
    self->is_stuffed = sent < (ssize_t)size;
    if (sent < 0)
        return 0;
    self->passed += (uint64_t)sent;
    return sent;
}

bool
stream_client_send(struct stream_client *self, const void *data, size_t size, uint64_t now_ms)
{
    // While some of it is on its way, more of it is no new beginning.
    if (self->since_ms && !socket_is_owing(self->socket))
        self->since_ms = 0;
    ssize_t sent = pass(self, data, size);
    if (sent < 0)
        return false;
    if ((size_t)sent == size)
        return true;
    buffer_put(&self->left, (const char *)data + sent, size - (size_t)sent);
    self->at = 0;
    if (!self->since_ms) {
        self->since_ms = now_ms;
        self->passed = 0;
    }
    return true;
}

bool
stream_client_go_on(struct stream_client *self)
{
    if (!stream_client_is_behind(self) || self->is_stuffed)
        return true;
    ssize_t sent = pass(self, self->left.data + self->at, self->left.size - self->at);
    if (sent < 0)
        return false;
    self->at += (size_t)sent;
    if (self->at == self->left.size)
        buffer_rest(&self->left, KEPT_BYTES);
    return true;
}

ssize_t
stream_client_receive(const struct stream_client *self, char *data, size_t size)
{
    ssize_t got;
    do
        got = recv(self->socket, data, size, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
    return got == 0 ? -1 : got;
}

void
stream_client_has_room(struct stream_client *self)
{
    self->is_stuffed = false;
}

bool
stream_client_is_late(const struct stream_client *self, uint64_t now_ms)
{
    if (!stream_client_is_behind(self) || now_ms < self->since_ms)
        return false;
    int64_t elapsed_ms = (int64_t)(now_ms - self->since_ms);
    return client_deadline_lateness(CLIENT_DEADLINE_ANSWER, elapsed_ms, self->passed) >=
           CLIENT_DEADLINE_LOST;
}
