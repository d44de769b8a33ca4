// track_receiver.c - receives packets of tracked cameras, reads their samples and hands them to the
// scene actors (track_receiver.h). A sender cannot make this thread wait or its memory grow.
#include "actors/track/track_receiver.h"

#include <czmq.h>
#include <sys/epoll.h>

#include "actors/track/track_socket.h"
#include "actors/track/track_target.h"
#include "actors/track/tracked_camera.h"
#include "proto/base/clock.h"
#include "proto/base/handover.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/codec/cbor_tree.h"
#include "proto/message/lease.h"

enum {
    READY_MOST = 64,     // sockets of a turn
    TURN_DATAGRAMS = 16, // of each of them
    TURN_UPDATES = READY_MOST * TARGET_UPDATES_MOST,
    SOCKET_UPDATES = TURN_DATAGRAMS * TARGET_UPDATES_MOST,
    DATAGRAM_ROOM = OPENTRACKIO_HEADER_BYTES + SAMPLE_BYTES_MOST + 1, // one more shows a larger one
    // Between two turns: hundreds of cameras that send one after the other would wake this thread
    // and a scene actor for each packet. It is the most that a pose waits here.
    PAUSE_MS = 1,
    LOOK_MS = 100, // for samples whose rest does not come
};

// A camera, and the next one that the same socket hears.
struct camera {
    struct tracked_camera state;
    struct track_target target;
    struct camera *next;
};

struct listener {
    int socket;
    struct in_addr address;
    uint16_t port;
    struct camera *cameras;
};

struct track_receiver {
    mailbox_t *mailbox;
    zactor_t *thread;
    enum error opened; // the result of the thread's start
    struct fault fault;
    int epoll;
    bool has_open; // samples that wait for segments
    bool has_more; // a socket had more than a turn takes
    unsigned camera_count, listener_count;
    struct camera cameras[TRACK_SOURCES_MOST];
    struct listener listeners[TRACK_SOURCES_MOST];
    struct arena texts;   // of the targets
    struct arena scratch; // of the sample being read
    struct shard_updates updates;
    unsigned update_count; // in them
    struct mmsghdr headers[TURN_DATAGRAMS];
    struct iovec contents[TURN_DATAGRAMS];
    struct sockaddr_in senders[TURN_DATAGRAMS];
    char bytes[TURN_DATAGRAMS][DATAGRAM_ROOM];
};

// --- one datagram ---

// Reads the sample as its encoding says; NULL if it is malformed.
static const struct json *
parse(struct arena *arena, const struct whole_sample *sample)
{
    const struct json *json = NULL;
    bool is_cbor = sample->encoding == OPENTRACKIO_CBOR;
    enum error error = is_cbor ? cbor_parse(arena, sample->data, sample->size, &json)
                               : json_parse(arena, sample->data, sample->size, &json);
    return error == OK ? json : NULL;
}

static void
track_receiver_read(track_receiver_t *self, struct camera *camera, const struct whole_sample *whole,
                    uint64_t now_us)
{
    struct opentrackio_sample sample;
    const struct json *json = parse(&self->scratch, whole);
    enum opentrackio_wrong wrong = json ? opentrackio_sample_read(json, &sample) : SAMPLE_INVALID;
    if (wrong != SAMPLE_GOOD) {
        counter_add(!json                    ? COUNT_TRACK_DROP_MALFORMED
                    : wrong == SAMPLE_SCALED ? COUNT_TRACK_DROP_SCALE
                                             : COUNT_TRACK_DROP_INVALID,
                    1);
    } else {
        tracked_camera_pace_lens(&camera->state, now_us, &sample);
        self->update_count +=
            track_target_update(&camera->target, &self->scratch, &sample, &self->updates);
        counter_add(COUNT_TRACK_SAMPLES, 1);
    }
    arena_finish(&self->scratch);
}

// The camera that hears the sender; NULL: he is a stranger.
static struct camera *
find_camera(const struct listener *listener, struct in_addr sender)
{
    struct camera *camera = listener->cameras;
    while (camera && !track_source_hears(&camera->state.source, sender))
        camera = camera->next;
    return camera;
}

static void
track_receiver_take(track_receiver_t *self, const struct listener *listener, unsigned i,
                    uint64_t now_us)
{
    struct whole_sample sample;
    struct camera *camera = find_camera(listener, self->senders[i].sin_addr);
    counter_add(COUNT_TRACK_IN, 1);
    if (!camera)
        counter_add(COUNT_TRACK_DROP_SENDER, 1);
    else if (!lease_holds())
        counter_add(COUNT_TRACK_DROP_LEASE, 1);
    else if (tracked_camera_take(&camera->state, &self->senders[i], self->bytes[i],
                                 self->headers[i].msg_len, now_us, &sample))
        track_receiver_read(self, camera, &sample, now_us);
    else
        self->has_open = true; // perhaps: the next look says
}

// --- the thread ---

static void
track_receiver_send(track_receiver_t *self)
{
    shard_updates_send(&self->updates, self->mailbox);
    self->update_count = 0;
}

static void
track_receiver_hear(track_receiver_t *self, const struct listener *listener, uint64_t now_us)
{
    for (int i = 0; i < TURN_DATAGRAMS; i++) // the kernel overwrote it in the last turn
        self->headers[i].msg_hdr.msg_namelen = sizeof self->senders[i];
    int count = recvmmsg(listener->socket, self->headers, TURN_DATAGRAMS, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count; i++)
        track_receiver_take(self, listener, (unsigned)i, now_us);
    self->has_more |= count == TURN_DATAGRAMS;
    if (self->update_count > TURN_UPDATES - SOCKET_UPDATES)
        track_receiver_send(self);
}

static void
track_receiver_turn(track_receiver_t *self)
{
    struct epoll_event ready[READY_MOST];
    uint64_t now_us = clock_now_us();
    self->has_more = false;
    int count = epoll_wait(self->epoll, ready, READY_MOST, 0);
    for (int i = 0; i < count; i++)
        track_receiver_hear(self, ready[i].data.ptr, now_us);
    track_receiver_send(self);
}

static void
track_receiver_look(track_receiver_t *self)
{
    uint64_t now_us = clock_now_us();
    self->has_open = false;
    for (unsigned i = 0; i < self->camera_count; i++)
        self->has_open |= tracked_camera_expire(&self->cameras[i].state, now_us);
}

// Waits for the pipe or, after a pause behind a turn, for packets.
static void
track_receiver_wait(const track_receiver_t *self, zmq_pollitem_t items[2])
{
    bool is_after_turn = items[1].revents != 0 && !self->has_more;
    items[1].revents = 0;
    if (is_after_turn && zmq_poll(items, 1, PAUSE_MS) > 0)
        return;
    zmq_poll(items, 2, self->has_open ? LOOK_MS : -1);
}

static void
track_receiver_run(zsock_t *pipe, void *argument)
{
    track_receiver_t *self = argument;
    uint64_t look_ms = clock_deadline_ms(LOOK_MS);
    self->opened = mailbox_create("track_receiver", false, &self->mailbox);
    fault_take(self->opened, &self->fault);
    handover_give(self);
    zsock_signal(pipe, 0);
    zmq_pollitem_t items[] = {
        {.socket = zsock_resolve(pipe), .events = ZMQ_POLLIN}, // $TERM is the only message
        {.fd = self->epoll, .events = ZMQ_POLLIN},
    };
    if (self->opened != OK)
        items[1].events = 0;
    while (!(items[0].revents & ZMQ_POLLIN)) {
        if (items[1].revents)
            track_receiver_turn(self);
        if (self->has_open && clock_left_ms(look_ms) == 0) {
            track_receiver_look(self);
            look_ms = clock_deadline_ms(LOOK_MS);
        }
        track_receiver_wait(self, items);
    }
    mailbox_destroy(&self->mailbox);
    handover_give(self);
}

// --- start and end ---

static fallible
add_listener(track_receiver_t *self, const struct track_source *source, struct in_addr interface,
             struct listener **ret_listener)
{
    for (unsigned i = 0; i < self->listener_count; i++) {
        struct listener *there = &self->listeners[i];
        if (there->address.s_addr == source->address.s_addr && there->port == source->port) {
            *ret_listener = there;
            return OK;
        }
    }
    struct listener *listener = &self->listeners[self->listener_count];
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = listener};
    *listener = (struct listener){.address = source->address, .port = source->port};
    TRY(track_socket_open(source->address, source->port, interface, &listener->socket));
    self->listener_count++;
    if (epoll_ctl(self->epoll, EPOLL_CTL_ADD, listener->socket, &event) != 0)
        return fail(ERR_UNAVAILABLE, "track.opentrackio", "no epoll: %s", strerror(errno));
    *ret_listener = listener;
    return OK;
}

static fallible
add_cameras(track_receiver_t *self, const struct config *config)
{
    struct in_addr interface = track_interface_of(config->track_interface);
    const char *list = config->track_opentrackio, *wrong;
    struct track_source source;
    while (self->camera_count < TRACK_SOURCES_MOST && track_source_next(&list, &source, &wrong)) {
        struct camera *camera = &self->cameras[self->camera_count];
        struct listener *listener;
        TRY(add_listener(self, &source, interface, &listener));
        tracked_camera_init(&camera->state, &source);
        track_target_init(&camera->target, &self->texts, &source);
        camera->next = listener->cameras;
        listener->cameras = camera;
        self->camera_count++;
    }
    return OK;
}

static track_receiver_t *
track_receiver_new(unsigned shards)
{
    track_receiver_t *self = memory_take_zeroed(sizeof *self);
    self->epoll = epoll_create1(EPOLL_CLOEXEC);
    shard_updates_init(&self->updates, shards, TURN_UPDATES);
    for (unsigned i = 0; i < TURN_DATAGRAMS; i++) {
        self->contents[i] = (struct iovec){self->bytes[i], DATAGRAM_ROOM};
        self->headers[i].msg_hdr = (struct msghdr){
            .msg_name = &self->senders[i], .msg_iov = &self->contents[i], .msg_iovlen = 1};
    }
    return self;
}

static fallible
start(track_receiver_t *self, const struct config *config)
{
    TRY(add_cameras(self, config));
    self->thread = zactor_new(track_receiver_run, self);
    if (!self->thread)
        return fail(ERR_UNAVAILABLE, "", "no thread left for the receiver of tracked cameras");
    handover_take(self);
    if (self->opened != OK)
        return fault_note_again(&self->fault);
    log_info("track_listening", "sources=%u sockets=%u", self->camera_count, self->listener_count);
    return OK;
}

fallible
track_receiver_create(const struct config *config, unsigned shards, track_receiver_t **ret_receiver)
{
    *ret_receiver = NULL;
    if (!*config->track_opentrackio)
        return OK;
    track_receiver_t *self = track_receiver_new(shards);
    enum error error = start(self, config);
    if (error != OK)
        track_receiver_destroy(&self);
    *ret_receiver = self;
    return error;
}

void
track_receiver_destroy(track_receiver_t **self)
{
    track_receiver_t *receiver = *self;
    if (!receiver)
        return;
    zactor_destroy(&receiver->thread);
    handover_take(receiver);
    for (unsigned i = 0; i < receiver->camera_count; i++)
        tracked_camera_finish(&receiver->cameras[i].state);
    for (unsigned i = 0; i < receiver->listener_count; i++)
        close(receiver->listeners[i].socket);
    if (receiver->epoll >= 0)
        close(receiver->epoll);
    shard_updates_finish(&receiver->updates);
    arena_finish(&receiver->texts);
    arena_finish(&receiver->scratch);
    free(receiver);
    *self = NULL;
}
