// foxglove.c - the listener and its thread (foxglove.h): accepts, reads heads of requests without
// waiting for any of them, and gives what has come whole to opening.c.
#include "gateway/foxglove/foxglove.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gateway/foxglove/handshake.h"
#include "gateway/foxglove/opening.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"

enum {
    ARRIVALS = 64,  // whose head has not all come; the oldest makes room
    HEAD_MS = 5000, // for a whole head
    LOOK_MS = 250,  // between two looks who is late
    PAUSE_MS = 100, // after the system had no descriptor
    BACKLOG = 128,
    PORT_CHARS = 8,
    LINGER_BYTES = 16 << 10, // read of a client that is refused, so that it gets the answer
};

// A connection whose request is read.
struct arrival {
    int socket; // -1: a free place
    uint64_t since_ms;
    char peer[INET6_ADDRSTRLEN];
    struct buffer head;
};

struct foxglove {
    struct opening opening;
    int listener, stop;
    uint64_t pause_ms; // until then nobody is accepted
    struct arrival arrivals[ARRIVALS];
    pthread_t thread;
    bool is_running;
};

// --- arrivals ---

static void
leave(struct arrival *arrival)
{
    if (arrival->socket >= 0)
        close(arrival->socket);
    arrival->socket = -1;
    buffer_finish(&arrival->head);
}

// A free place, or that of the oldest.
static struct arrival *
make_room(foxglove_t *self)
{
    struct arrival *oldest = &self->arrivals[0];
    for (unsigned i = 0; i < ARRIVALS; i++) {
        if (self->arrivals[i].socket < 0)
            return &self->arrivals[i];
        if (self->arrivals[i].since_ms < oldest->since_ms)
            oldest = &self->arrivals[i];
    }
    leave(oldest);
    return oldest;
}

static void
accept_one(foxglove_t *self)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int socket =
        accept4(self->listener, (struct sockaddr *)&address, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) {
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            self->pause_ms = clock_deadline_ms(PAUSE_MS);
        return;
    }
    const int on = 1;
    (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct arrival *arrival = make_room(self);
    *arrival = (struct arrival){.socket = socket, .since_ms = clock_now_ms()};
    (void)getnameinfo((struct sockaddr *)&address, size, arrival->peer, sizeof arrival->peer, NULL,
                      0, NI_NUMERICHOST);
}

// Answers why not. What the client has sent beside is read first: a socket that is closed over it
// would take the answer away.
static void
refuse(struct arrival *arrival, enum error error)
{
    char rest[LINGER_BYTES / 4];
    struct buffer answer = {0};
    struct fault fault;
    fault_take(error, &fault);
    log_debug("foxglove_refused", "peer=%s detail=%s", arrival->peer, fault.detail);
    handshake_put_refused(error, fault.detail, &answer);
    for (unsigned i = 0; i < 4 && recv(arrival->socket, rest, sizeof rest, MSG_DONTWAIT) > 0; i++)
        continue;
    (void)!send(arrival->socket, answer.data, answer.size, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(arrival->socket, SHUT_WR);
    buffer_finish(&answer);
}

// Reads more of a head; the arrival leaves when it is whole or wrong.
static void
read_more(foxglove_t *self, struct arrival *arrival)
{
    struct buffer *head = &arrival->head;
    buffer_reserve(head, HANDSHAKE_BYTES - head->size);
    ssize_t got =
        recv(arrival->socket, head->data + head->size, HANDSHAKE_BYTES - head->size, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        leave(arrival);
        return;
    }
    head->size += (size_t)got;
    size_t size = handshake_head_size(head->data, head->size);
    enum error error = OK;
    if (size)
        error = opening_run(&self->opening, arrival->socket, arrival->peer, head, size);
    else if (head->size == HANDSHAKE_BYTES)
        error = fail(ERR_HEADERS_TOO_LARGE, "", "the header may have at most %d bytes",
                     HANDSHAKE_BYTES);
    else
        return;
    if (error != OK)
        refuse(arrival, error);
    leave(arrival);
}

static void
end_late(foxglove_t *self, uint64_t now_ms)
{
    for (unsigned i = 0; i < ARRIVALS; i++)
        if (self->arrivals[i].socket >= 0 && now_ms - self->arrivals[i].since_ms >= HEAD_MS)
            leave(&self->arrivals[i]);
}

// --- the thread ---

enum { POLLED_STOP, POLLED_LISTENER, FIRST_ARRIVAL, POLLED = FIRST_ARRIVAL + ARRIVALS };

static void
await(foxglove_t *self, struct pollfd *ret_polled)
{
    bool is_paused = clock_now_ms() < self->pause_ms;
    ret_polled[POLLED_STOP] = (struct pollfd){.fd = self->stop, .events = POLLIN};
    ret_polled[POLLED_LISTENER] =
        (struct pollfd){.fd = is_paused ? -1 : self->listener, .events = POLLIN};
    bool is_waiting = is_paused;
    for (unsigned i = 0; i < ARRIVALS; i++) {
        is_waiting |= self->arrivals[i].socket >= 0;
        ret_polled[FIRST_ARRIVAL + i] =
            (struct pollfd){.fd = self->arrivals[i].socket, .events = POLLIN};
    }
    if (poll(ret_polled, POLLED, is_waiting ? LOOK_MS : -1) < 0)
        for (unsigned i = 0; i < POLLED; i++)
            ret_polled[i].revents = 0;
}

static void *
run(void *argument)
{
    foxglove_t *self = argument;
    struct pollfd polled[POLLED];
    for (;;) {
        await(self, polled);
        if (polled[POLLED_STOP].revents)
            return NULL;
        for (unsigned i = 0; i < ARRIVALS; i++)
            if (polled[FIRST_ARRIVAL + i].revents)
                read_more(self, &self->arrivals[i]);
        if (polled[POLLED_LISTENER].revents)
            accept_one(self);
        end_late(self, clock_now_ms());
    }
}

// --- life ---

static int
listen_on(const struct addrinfo *address)
{
    const int on = 1;
    int socket_ = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket_ < 0)
        return -1;
    (void)setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(socket_, address->ai_addr, address->ai_addrlen) == 0 && listen(socket_, BACKLOG) == 0)
        return socket_;
    int reason = errno;
    close(socket_);
    errno = reason;
    return -1;
}

static fallible
open_listener(foxglove_t *self, const char *host, int port)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *addresses;
    char service[PORT_CHARS];
    snprintf(service, sizeof service, "%d", port);
    if (getaddrinfo(host, service, &hints, &addresses) != 0)
        return fail(ERR_UNAVAILABLE, "", "foxglove.host=%.80s is no address", host);
    self->listener = listen_on(addresses);
    int reason = errno;
    freeaddrinfo(addresses);
    if (self->listener < 0)
        return fail(ERR_UNAVAILABLE, "", "cannot listen on %.80s:%d (foxglove.port): %s", host,
                    port, strerror(reason));
    return OK;
}

static fallible
start(foxglove_t *self, const struct foxglove_settings *settings)
{
    TRY(open_listener(self, settings->host, settings->port));
    self->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->stop < 0)
        return fail(ERR_UNAVAILABLE, "", "the system has no descriptor for foxglove.port");
    self->is_running = pthread_create(&self->thread, NULL, run, self) == 0;
    return self->is_running ? OK
                            : fail(ERR_UNAVAILABLE, "", "the system has no thread for foxglove");
}

fallible
foxglove_create(const struct foxglove_settings *settings, foxglove_t **ret_foxglove)
{
    foxglove_t *self = memory_take_zeroed(sizeof *self);
    self->listener = self->stop = -1;
    for (unsigned i = 0; i < ARRIVALS; i++)
        self->arrivals[i].socket = -1;
    opening_init(&self->opening, settings);
    enum error error = start(self, settings);
    if (error != OK) {
        foxglove_destroy(&self);
        return error;
    }
    log_info("foxglove_listening", "host=%s port=%d", settings->host, settings->port);
    *ret_foxglove = self;
    return OK;
}

void
foxglove_stop(foxglove_t *self)
{
    if (!self || !self->is_running)
        return;
    (void)eventfd_write(self->stop, 1);
    pthread_join(self->thread, NULL);
    self->is_running = false;
    for (unsigned i = 0; i < ARRIVALS; i++)
        leave(&self->arrivals[i]);
    close(self->listener);
    self->listener = -1;
}

void
foxglove_destroy(foxglove_t **self)
{
    foxglove_t *foxglove = *self;
    *self = NULL;
    if (!foxglove)
        return;
    foxglove_stop(foxglove);
    if (foxglove->listener >= 0)
        close(foxglove->listener);
    if (foxglove->stop >= 0)
        close(foxglove->stop);
    opening_finish(&foxglove->opening);
    free(foxglove);
}
