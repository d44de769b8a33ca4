// follower_socket.c - see follower_socket.h.
#include "actors/replica/follower_socket.h"

#include <czmq.h>

#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"

enum {
    ANSWERS_WAITING = 2, // of one peer
    REQUESTS_WAITING = 16,
    CONNECTIONS_WAITING = 16, // to be accepted
    LINGER_MS = 200,
    BIND_TRIES = 200,
    BIND_PAUSE_US = 1000,
};

struct follower_socket {
    const struct curve_folder *keys;
    zsock_t *socket;
    void *handle;
    char endpoint[256];
};

static void
configure(zsock_t *socket, const char *endpoint, const struct curve_folder *keys)
{
    zsock_set_sndhwm(socket, ANSWERS_WAITING);
    zsock_set_rcvhwm(socket, REQUESTS_WAITING);
    zsock_set_backlog(socket, CONNECTIONS_WAITING);
    zsock_set_maxmsgsize(socket, REPLICA_REQUEST_BYTES);
    zsock_set_handshake_ivl(socket, LIMIT_PUB_HANDSHAKE_MS);
    zsock_set_linger(socket, LINGER_MS);
    zsock_set_ipv6(socket, strchr(endpoint, '[') != NULL);
    if (!keys->zap_handler)
        return;
    zsock_set_curve_server(socket, 1);
    zsock_set_curve_secretkey(socket, keys->pair.secret);
    zsock_set_zap_domain(socket, zap_domain_names[ZAP_REPLICA]);
    zsock_set_zap_enforce_domain(socket, 1); // without a ZAP handler nobody may connect
}

static fallible
bind_to(follower_socket_t *self, const char *endpoint)
{
    zsock_t *socket = zsock_new(ZMQ_ROUTER);
    if (!socket)
        return fail(ERR_UNAVAILABLE, "replica.endpoint", "no socket left");
    configure(socket, endpoint, self->keys);
    if (zsock_bind(socket, "%s", endpoint) < 0) {
        enum error error = fail(ERR_UNAVAILABLE, "replica.endpoint", "cannot bind %.120s: %s",
                                endpoint, zmq_strerror(zmq_errno()));
        zsock_destroy(&socket);
        return error;
    }
    self->socket = socket;
    self->handle = zsock_resolve(socket);
    return OK;
}

fallible
follower_socket_create(const char *endpoint, const struct curve_folder *keys,
                       follower_socket_t **ret_socket)
{
    follower_socket_t *self = memory_take_zeroed(sizeof *self);
    self->keys = keys;
    enum error error = bind_to(self, endpoint);
    if (error != OK) {
        follower_socket_destroy(&self);
        return error;
    }
    snprintf(self->endpoint, sizeof self->endpoint, "%s", zsock_endpoint(self->socket));
    *ret_socket = self;
    return OK;
}

fallible
follower_socket_reopen(follower_socket_t *self)
{
    zsock_destroy(&self->socket);
    self->handle = NULL;
    enum error error = bind_to(self, self->endpoint);
    for (int i = 0; i < BIND_TRIES && error != OK; i++) {
        usleep(BIND_PAUSE_US); // the old socket is closed by another thread
        error = bind_to(self, self->endpoint);
    }
    return error;
}

void
follower_socket_destroy(follower_socket_t **self)
{
    if (!*self)
        return;
    zsock_destroy(&(*self)->socket);
    free(*self);
    *self = NULL;
}

const char *
follower_socket_endpoint(const follower_socket_t *self)
{
    return self->endpoint;
}

void *
follower_socket_handle(const follower_socket_t *self)
{
    return self->handle;
}

// The next frame of a message; false if there is none at all.
static bool
receive_frame(const follower_socket_t *self, struct buffer *frame, bool *ret_is_last)
{
    zmq_msg_t part;
    zmq_msg_init(&part);
    bool is_there = zmq_msg_recv(&part, self->handle, ZMQ_DONTWAIT) >= 0;
    if (is_there) {
        buffer_clear(frame);
        buffer_put(frame, zmq_msg_data(&part), zmq_msg_size(&part));
        *ret_is_last = !zmq_msg_more(&part);
    }
    zmq_msg_close(&part);
    return is_there;
}

bool
follower_socket_receive(follower_socket_t *self, struct follower_identity *ret_from,
                        struct buffer *request)
{
    bool is_last = true;
    if (!self->handle || !receive_frame(self, request, &is_last))
        return false;
    ret_from->size = request->size < sizeof ret_from->bytes ? request->size : 0;
    memcpy(ret_from->bytes, request->data, ret_from->size);
    buffer_clear(request);
    size_t frames = 0;
    for (; !is_last && receive_frame(self, request, &is_last); frames++)
        continue;
    if (frames != 1)
        buffer_clear(request);
    return true;
}

static bool
send_frame(const follower_socket_t *self, const void *data, size_t size, int flags)
{
    return zmq_send(self->handle, data, size, flags | ZMQ_DONTWAIT) >= 0;
}

// ZeroMQ learns that the peer read the last answers when it looks for events; before that it would
// take two answers that were read for two that wait, and drop this one.
void
follower_socket_send(follower_socket_t *self, const struct follower_identity *to,
                     const struct buffer *head, const struct buffer *bytes)
{
    if (self->handle)
        (void)zsock_events(self->socket);
    bool is_sent = self->handle && send_frame(self, to->bytes, to->size, ZMQ_SNDMORE) &&
                   send_frame(self, head->data, head->size, ZMQ_SNDMORE) &&
                   send_frame(self, bytes->data, bytes->size, 0);
    if (is_sent)
        counter_add(COUNT_REPLICA_SENT, head->size + bytes->size);
}
