// mailbox.c - ROUTER to ROUTER inside the process; the only file that knows how messages are sent.
// The socket is a raw one of czmq's context, since zsock_new ends the process if no descriptor is
// left. (A message of two raw frames, name and pointer, costs half of a packed zmsg.) The second
// frame borrows the message's own memory, so that ZeroMQ tells when it drops the frame: then the
// message is destroyed.

#include "proto/message/mailbox.h"

#include <czmq.h>
#include <errno.h>

#include "proto/base/handover.h"
#include "proto/base/limits.h"
#include "proto/message/answer_box.h"
#include "proto/message/metrics.h"

enum {
    MAX_PEERS = 256, // a supervisor has three for each scene shard
    ADDRESS_SIZE = MAILBOX_NAME_SIZE + sizeof "inproc://",
};

// A mailbox that another one connected to.
struct peer {
    char name[MAILBOX_NAME_SIZE];
    uint16_t actor;
};

struct mailbox {
    char name[MAILBOX_NAME_SIZE];
    uint16_t actor; // its place in the metrics; 0: it only asks others others
    void *raw;      // ZeroMQ's socket
    int timeout_ms; // how long zmq_recv waits at present
    unsigned peer_count;
    struct peer peers[MAX_PEERS];
};

static void
set_number(void *raw, int option, int value)
{
    zmq_setsockopt(raw, option, &value, sizeof value);
}

static void
inproc_address(const char *name, char *ret_address)
{
    snprintf(ret_address, ADDRESS_SIZE, "inproc://%s", name);
}

fallible
mailbox_create(const char *name, bool open, mailbox_t **ret_mailbox)
{
    char address[ADDRESS_SIZE];
    void *raw = zmq_socket(zsys_init(), ZMQ_ROUTER);
    if (!raw)
        return fail(ERR_UNAVAILABLE, "", "no socket left for mailbox %s", name);
    set_number(raw, ZMQ_SNDHWM, LIMIT_MAILBOX_MESSAGES);
    set_number(raw, ZMQ_RCVHWM, LIMIT_MAILBOX_MESSAGES);
    set_number(raw, ZMQ_ROUTER_MANDATORY, 1);
    set_number(raw, ZMQ_LINGER, 0);
    zmq_setsockopt(raw, ZMQ_ROUTING_ID, name, strlen(name));
    inproc_address(name, address);
    if (open && zmq_bind(raw, address) != 0) {
        zmq_close(raw);
        return fail(ERR_UNAVAILABLE, "", "mailbox %s exists already", name);
    }
    mailbox_t *self = calloc(1, sizeof *self);
    if (!self)
        abort();
    snprintf(self->name, sizeof self->name, "%s", name);
    self->actor = open ? (uint16_t)metric_actor(name) : 0;
    self->raw = raw;
    self->timeout_ms = -1; // ZeroMQ's default
    *ret_mailbox = self;
    return OK;
}

void
mailbox_destroy(mailbox_t **self)
{
    if (!*self)
        return;
    struct message *message;
    while ((message = mailbox_receive(*self, 0)) != NULL)
        message_destroy(&message);
    // The socket is closed by another thread; the name is free at once.
    char address[ADDRESS_SIZE];
    inproc_address((*self)->name, address);
    zmq_unbind((*self)->raw, address);
    zmq_close((*self)->raw);
    free(*self);
    *self = NULL;
}

const char *
mailbox_name(const mailbox_t *self)
{
    return self->name;
}

// Connects when something is first sent to `to`; an inproc connection may be made before the other
// side binds.
static fallible
mailbox_connect(mailbox_t *self, const char *to, const struct peer **ret_peer)
{
    for (unsigned i = 0; i < self->peer_count; i++)
        if (strcmp(self->peers[i].name, to) == 0) {
            *ret_peer = &self->peers[i];
            return OK;
        }
    if (self->peer_count == MAX_PEERS)
        return fail(ERR_UNAVAILABLE, "", "mailbox %s has too many peers", self->name);
    char address[ADDRESS_SIZE];
    inproc_address(to, address);
    zmq_setsockopt(self->raw, ZMQ_CONNECT_ROUTING_ID, to, strlen(to));
    if (zmq_connect(self->raw, address) != 0)
        return fail(ERR_UNAVAILABLE, "", "mailbox %s cannot be reached", to);
    struct peer *peer = &self->peers[self->peer_count++];
    snprintf(peer->name, sizeof peer->name, "%s", to);
    peer->actor = (uint16_t)metric_actor(to);
    *ret_peer = peer;
    return OK;
}

static void
enter_queue(struct message *message, uint16_t actor)
{
    message->queue = actor;
    if (actor)
        gauge_add(GAUGE_ACTOR_QUEUE + actor, 1);
}

static void
leave_queue(struct message *message)
{
    if (message->queue)
        gauge_add(GAUGE_ACTOR_QUEUE + message->queue, -1);
    message->queue = 0;
}

// ZeroMQ calls it when it is done with a frame: it was received, or its receiver ended before.
static void
frame_release(void *data, void *hint)
{
    struct message *message = data;
    (void)hint;
    if (!message->is_travelling)
        return;
    handover_take(message);
    leave_queue(message);
    message_destroy(&message);
}

// Sends two frames: the receiver's name, then the message. False if the receiver is gone or full;
// then the message is still the caller's.
static bool
mailbox_put(mailbox_t *self, const char *to, uint16_t actor, struct message *message)
{
    zmq_msg_t frame;
    if (zmq_send(self->raw, to, strlen(to), ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0)
        return false;
    if (zmq_msg_init_data(&frame, message, sizeof *message, frame_release, NULL) != 0)
        abort(); // no memory
    message->is_travelling = true;
    enter_queue(message, actor);
    handover_give(message);
    if (zmq_msg_send(&frame, self->raw, ZMQ_DONTWAIT) >= 0)
        return true;
    message->is_travelling = false;
    leave_queue(message);
    zmq_msg_close(&frame);
    return false;
}

fallible
mailbox_send(mailbox_t *self, const char *to, struct message **message)
{
    const struct peer *peer;
    TRY(mailbox_connect(self, to, &peer));
    (*message)->origin = self->actor;
    if (!mailbox_put(self, to, peer->actor, *message))
        return fail(ERR_UNAVAILABLE, "", "mailbox %s is full", to);
    *message = NULL;
    return OK;
}

fallible
mailbox_send_back(mailbox_t *self, const char *to, struct message **message)
{
    (*message)->origin = self->actor;
    if (!mailbox_put(self, to, (uint16_t)metric_actor(to), *message))
        return fail(ERR_UNAVAILABLE, "", "mailbox %s is full, or not there yet", to);
    *message = NULL;
    return OK;
}

void
mailbox_reply(mailbox_t *self, struct message **message)
{
    if ((*message)->answers)
        answer_box_put(message);
    else if (!mailbox_put(self, (*message)->sender, (*message)->origin, *message))
        message_destroy(message);
    *message = NULL;
}

// zmq_recv itself waits: it polls the descriptor once, zmq_poll twice.
static void
mailbox_set_timeout(mailbox_t *self, int timeout_ms)
{
    if (self->timeout_ms == timeout_ms)
        return;
    zmq_setsockopt(self->raw, ZMQ_RCVTIMEO, &timeout_ms, sizeof timeout_ms);
    self->timeout_ms = timeout_ms;
}

// The frame after the sender's name; both arrive together.
static struct message *
mailbox_take(mailbox_t *self)
{
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    int got = zmq_msg_recv(&frame, self->raw, 0);
    struct message *message = zmq_msg_data(&frame);
    assert(got == (int)sizeof *message); // only mailboxes write to mailboxes
    (void)got;
    handover_take(message);
    message->is_travelling = false;
    leave_queue(message);
    zmq_msg_close(&frame);
    return message;
}

struct message *
mailbox_receive(mailbox_t *self, int timeout_ms)
{
    char sender[MAILBOX_NAME_SIZE];
    int size, flags = timeout_ms == 0 ? ZMQ_DONTWAIT : 0;
    if (timeout_ms != 0)
        mailbox_set_timeout(self, timeout_ms);
    do
        size = zmq_recv(self->raw, sender, sizeof sender - 1, flags);
    while (size < 0 && errno == EINTR);
    if (size < 0)
        return NULL;
    struct message *message = mailbox_take(self);
    memcpy(message->sender, sender, (size_t)size);
    message->sender[size] = '\0';
    return message;
}

void *
mailbox_socket(mailbox_t *self)
{
    return self->raw;
}

int
mailbox_descriptor(mailbox_t *self)
{
    int descriptor = -1;
    size_t size = sizeof descriptor;
    zmq_getsockopt(self->raw, ZMQ_FD, &descriptor, &size);
    return descriptor;
}

void
mailbox_shard_name(unsigned shard, char *ret_name)
{
    snprintf(ret_name, MAILBOX_NAME_SIZE, "scene.%u", shard);
}
