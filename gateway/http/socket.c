// socket.c - finds, asks and ends sockets that civetweb owns. They are never closed here.
#define _GNU_SOURCE // dup3, memmem
#include "gateway/http/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h> // netinet/tcp.h lacks the byte counts
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 15000,
    BUFFER_BYTES = 128 << 10,
    INPUT_BYTES = 4096,
    SEND_BYTES = 2 << 20, // of a file at once
};

// The size of an address up to the end of its host; the rest may be padding.
static size_t
address_size(const struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET6 ? offsetof(struct sockaddr_in6, sin6_scope_id)
                                          : offsetof(struct sockaddr_in, sin_zero);
}

// Whether the addresses of `candidate` stand at `at`, one after the other.
static bool
is_described(int candidate, const char *at, size_t left)
{
    struct sockaddr_storage local = {0}, peer = {0};
    socklen_t local_size = sizeof local, peer_size = sizeof peer;
    if (getsockname(candidate, (struct sockaddr *)&local, &local_size) != 0 ||
        getpeername(candidate, (struct sockaddr *)&peer, &peer_size) != 0)
        return false;
    size_t size = address_size(&local);
    return size <= left && memcmp(at, &local, size) == 0 &&
           memmem(at + size, left - size, &peer, address_size(&peer)) != NULL;
}

int
socket_find(const void *object, size_t size)
{
    const char *start = object;
    for (size_t at = 0; at + 2 * sizeof(int) <= size; at += sizeof(int)) {
        int candidate;
        sa_family_t family;
        memcpy(&candidate, start + at, sizeof candidate);
        memcpy(&family, start + at + sizeof candidate, sizeof family);
        if (candidate >= 0 && (family == AF_INET || family == AF_INET6) &&
            is_described(candidate, start + at + sizeof candidate, size - at - sizeof candidate))
            return candidate;
    }
    return -1;
}

void
socket_limit_patience(int socket)
{
    const unsigned patience = PATIENCE_MS;
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
}

void
socket_limit_buffer(int socket)
{
    const int bytes = BUFFER_BYTES;
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

void
socket_limit_input(int socket)
{
    const int bytes = INPUT_BYTES;
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

int
socket_make_stand_in(void)
{
    return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

bool
socket_replace(int socket, int stand_in)
{
    int replaced;
    do
        replaced = dup3(stand_in, socket, O_CLOEXEC);
    while (replaced < 0 && (errno == EINTR || errno == EBUSY));
    return replaced >= 0;
}

static struct tcp_info
socket_info(int socket)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return (struct tcp_info){0};
    return info;
}

uint64_t
socket_received(int socket)
{
    return socket_info(socket).tcpi_bytes_received;
}

uint64_t
socket_acknowledged(int socket)
{
    return socket_info(socket).tcpi_bytes_acked;
}

bool
socket_is_owing(int socket)
{
    int waiting = 0;
    return ioctl(socket, SIOCOUTQ, &waiting) == 0 && waiting > 0;
}

// The socket may be one that never blocks.
static bool
await_room(int socket)
{
    struct pollfd wanted = {.fd = socket, .events = POLLOUT};
    int ready;
    do
        ready = poll(&wanted, 1, 2 * PATIENCE_MS);
    while (ready < 0 && errno == EINTR);
    return ready == 1 && !(wanted.revents & (POLLERR | POLLHUP | POLLNVAL));
}

bool
socket_send_file(int socket, int file, uint64_t first, uint64_t size)
{
    off_t at = (off_t)first, end = (off_t)(first + size);
    while (at < end) {
        size_t wanted = end - at < SEND_BYTES ? (size_t)(end - at) : SEND_BYTES;
        ssize_t sent = sendfile(socket, file, &at, wanted);
        if (sent > 0 || (sent < 0 && errno == EINTR))
            continue;
        if (sent == 0 || errno != EAGAIN || !await_room(socket)) // 0: the file was cut
            return false;
    }
    return true;
}

void
socket_end_input(int socket)
{
    shutdown(socket, SHUT_RD);
}

void
socket_end(int socket)
{
    shutdown(socket, SHUT_RDWR);
}

void
socket_abort(int socket)
{
    const struct linger at_once = {.l_onoff = 1};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    socket_end(socket);
}
