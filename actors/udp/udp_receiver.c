// udp_receiver.c - receives datagrams, parses them and sorts them by scene shard (udp_receiver.h).
// Nothing that a stranger sends can make this thread wait or its memory grow.

#include "actors/udp/udp_receiver.h"

#include <czmq.h>
#include <netdb.h>

#include "actors/udp/icmp_errors.h"
#include "actors/udp/shard_updates.h"
#include "actors/udp/udp_parser.h"
#include "proto/base/handover.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/message/lease.h"
#include "proto/message/mailbox.h"
#include "proto/message/metrics.h"
#include "proto/records/entity.h"

enum {
    TURN_DATAGRAMS = 64,                      // taken by one system call
    DATAGRAM_ROOM = LIMIT_DATAGRAM_BYTES + 1, // one more byte shows that a datagram is too large
    SOCKET_BUFFER_BYTES = 8 << 20,            // some 10,000 datagrams of ordinary size
};

struct udp_receiver {
    int socket;
    struct udp_receiver_settings settings;
    struct buffer opened_bytes; // what the last sealed datagram said
    mailbox_t *mailbox;
    zactor_t *thread;
    enum error opened; // the result of the thread's start
    struct fault fault;
    struct arena scratch;           // of the datagram being read
    struct shard_updates updates;   // of this turn
    struct feed_controls *controls; // of this turn, for the streamer; NULL: none
    struct mmsghdr headers[TURN_DATAGRAMS];
    struct iovec contents[TURN_DATAGRAMS];
    union udp_endpoint sources[TURN_DATAGRAMS];
    _Alignas(struct cmsghdr) char ways[TURN_DATAGRAMS][UDP_ENDPOINT_CONTROL_BYTES];
    char bytes[TURN_DATAGRAMS][DATAGRAM_ROOM];
};

// The socket

// Only a privileged process may exceed net.core.rmem_max. Others get as much as it allows.
static void
udp_widen(int socket)
{
    int size = SOCKET_BUFFER_BYTES;
    if (setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (setsockopt(socket, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size) != 0)
        setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

static int
udp_bind(const struct addrinfo *info)
{
    int opened = socket(info->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (opened < 0)
        return -1;
    int off = 0;
    if (info->ai_family == AF_INET6) // serve IPv4 too
        setsockopt(opened, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    udp_widen(opened);
    icmp_errors_listen(opened);
    if (bind(opened, info->ai_addr, info->ai_addrlen) == 0) {
        udp_endpoint_listen(opened);
        return opened;
    }
    int error = errno;
    close(opened);
    errno = error;
    return -1;
}

static int
udp_port(int socket)
{
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    char port[NI_MAXSERV] = "";
    if (getsockname(socket, (struct sockaddr *)&bound, &size) == 0)
        getnameinfo((struct sockaddr *)&bound, size, NULL, 0, port, sizeof port,
                    NI_NUMERICSERV | NI_DGRAM);
    return atoi(port);
}

fallible
udp_open(const struct config *config, int *ret_socket, int *ret_port)
{
    char port[NI_MAXSERV];
    snprintf(port, sizeof port, "%d", (int)config->udp_port);
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    int wrong = getaddrinfo(config->udp_host, port, &hints, &found);
    if (wrong != 0)
        return fail(ERR_UNAVAILABLE, "udp.host", "no address for UDP on %s: %s", config->udp_host,
                    gai_strerror(wrong));
    int opened = udp_bind(found);
    int error = errno;
    freeaddrinfo(found);
    if (opened < 0)
        return fail(ERR_UNAVAILABLE, "udp.port", "cannot bind UDP %s:%s: %s", config->udp_host,
                    port, strerror(error));
    *ret_socket = opened;
    *ret_port = udp_port(opened);
    return OK;
}

// One datagram

static void
udp_receiver_collect(udp_receiver_t *self, const struct feed_control *control,
                     const union udp_endpoint *source)
{
    if (!self->controls)
        self->controls = feed_controls_create();
    if (!self->controls) {
        counter_add(COUNT_UDP_DROP_BUSY, 1);
        return;
    }
    struct feed_control *copy = &self->controls->items[self->controls->count++];
    *copy = *control;
    copy->source = *source;
}

// Who has not shown that the session is of now may only do so.
static bool
is_of_admission(const struct udp_parsed *update)
{
    return update->control &&
           (update->control->type == CONTROL_HELLO || update->control->type == CONTROL_ECHO);
}

// Who is cut off from the database lets nobody in: their feed would have no source. It answers what
// was lost of a feed for as long as that goes on.
static bool
is_out_of_lease(const struct udp_parsed *update)
{
    return update->control && !is_of_admission(update) ? lease_is_blind() : !lease_holds();
}

// What a datagram says, which `sender` sealed (NULL: nobody).
static void
udp_receiver_read(udp_receiver_t *self, const char *data, size_t size,
                  const struct sealed_sender *sender, const union udp_endpoint *source)
{
    struct udp_parsed update;
    enum metric_cell reason;
    if (!udp_parse(&self->scratch, data, size, sender, &update, &reason))
        counter_add(reason, 1);
    else if (sender && !sender->is_admitted && !is_of_admission(&update))
        counter_add(COUNT_UDP_DROP_SESSION, 1);
    else if (is_out_of_lease(&update))
        counter_add(COUNT_UDP_DROP_LEASE, 1);
    else if (update.control)
        udp_receiver_collect(self, update.control, source);
    else if (self->settings.follows)
        counter_add(COUNT_UDP_DROP_FOLLOWER, 1);
    else if (self->settings.needs_token && !record_has(update.edit, ENTITY_TOKEN))
        counter_add(COUNT_UDP_DROP_TOKEN, 1);
    else
        shard_updates_put(&self->updates, update.partition, update.edit, update.key);
    arena_finish(&self->scratch);
}

static void
udp_receiver_take(udp_receiver_t *self, const char *data, size_t size,
                  const union udp_endpoint *source)
{
    struct sealed_sender sender;
    enum metric_cell reason;
    counter_add(COUNT_UDP_IN, 1);
    if (size > LIMIT_DATAGRAM_BYTES)
        counter_add(COUNT_UDP_DROP_SIZE, 1);
    else if (feed_seal_is(data, size)) {
        if (sealed_intake_open(self->settings.intake, data, size, &self->opened_bytes, &sender,
                               &reason))
            udp_receiver_read(self, self->opened_bytes.data, self->opened_bytes.size, &sender,
                              source);
        else
            counter_add(reason, 1);
    } else if (self->settings.require_sealed) {
        counter_add(COUNT_UDP_DROP_UNSEALED, 1);
    } else {
        udp_receiver_read(self, data, size, NULL, source);
    }
}

// The thread

static void
udp_receiver_hand_over_controls(udp_receiver_t *self)
{
    if (!self->controls)
        return;
    uint32_t count = self->controls->count;
    struct message *message = message_create(FEED_CONTROL);
    message->parcel = &self->controls->base;
    self->controls = NULL; // the message's now
    if (mailbox_send(self->mailbox, actor_mailbox(STREAMER_ACTOR), &message) == OK)
        return;
    counter_add(COUNT_UDP_DROP_BUSY, count);
    message_destroy(&message);
}

static void
udp_receiver_turn(udp_receiver_t *self)
{
    for (int i = 0; i < TURN_DATAGRAMS; i++) { // the kernel overwrote the sizes in the last turn
        self->headers[i].msg_hdr.msg_namelen = sizeof self->sources[i].v6;
        self->headers[i].msg_hdr.msg_controllen = sizeof self->ways[i];
    }
    int count = recvmmsg(self->socket, self->headers, TURN_DATAGRAMS, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count; i++) {
        udp_endpoint_note_local(&self->sources[i], &self->headers[i].msg_hdr);
        udp_receiver_take(self, self->bytes[i], self->headers[i].msg_len, &self->sources[i]);
    }
    if (count > 0)
        shard_updates_send(&self->updates, self->mailbox);
    udp_receiver_hand_over_controls(self);
    icmp_errors_forward(self->socket, self->mailbox); // queued errors keep the socket readable
}

static void
udp_receiver_run(zsock_t *pipe, void *argument)
{
    udp_receiver_t *self = argument;
    self->opened = mailbox_create("udp_receiver", false, &self->mailbox);
    fault_take(self->opened, &self->fault);
    handover_give(self);
    zsock_signal(pipe, 0);
    zmq_pollitem_t items[] = {
        {.socket = zsock_resolve(pipe), .events = ZMQ_POLLIN}, // $TERM is the only message
        {.fd = self->socket, .events = ZMQ_POLLIN},
    };
    if (self->opened != OK)
        items[1].events = 0;
    while (!(items[0].revents & ZMQ_POLLIN)) {
        if (items[1].revents)
            udp_receiver_turn(self);
        zmq_poll(items, 2, -1);
    }
    mailbox_destroy(&self->mailbox);
    handover_give(self);
}

static udp_receiver_t *
udp_receiver_new(int udp_socket, const struct udp_receiver_settings *settings)
{
    udp_receiver_t *self = memory_take_zeroed(sizeof *self);
    self->socket = udp_socket;
    self->settings = *settings;
    shard_updates_init(&self->updates, settings->shards, TURN_DATAGRAMS);
    for (unsigned i = 0; i < TURN_DATAGRAMS; i++) {
        self->contents[i] = (struct iovec){self->bytes[i], DATAGRAM_ROOM};
        self->headers[i].msg_hdr = (struct msghdr){.msg_name = &self->sources[i],
                                                   .msg_iov = &self->contents[i],
                                                   .msg_iovlen = 1,
                                                   .msg_control = self->ways[i]};
    }
    return self;
}

fallible
udp_receiver_create(int udp_socket, const struct udp_receiver_settings *settings,
                    udp_receiver_t **ret_receiver)
{
    udp_receiver_t *self = udp_receiver_new(udp_socket, settings);
    self->thread = zactor_new(udp_receiver_run, self);
    handover_take(self);
    if (self->thread && self->opened == OK) {
        *ret_receiver = self;
        return OK;
    }
    bool has_thread = self->thread != NULL;
    struct fault fault = self->fault;
    udp_receiver_destroy(&self);
    if (!has_thread)
        return fail(ERR_UNAVAILABLE, "", "no thread left for the UDP receiver");
    return fault_note_again(&fault);
}

void
udp_receiver_destroy(udp_receiver_t **self)
{
    if (!*self)
        return;
    zactor_destroy(&(*self)->thread);
    handover_take(*self);
    buffer_finish(&(*self)->opened_bytes);
    shard_updates_finish(&(*self)->updates);
    free(*self);
    *self = NULL;
}
