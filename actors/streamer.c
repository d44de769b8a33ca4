// streamer.c - the actor between scenes and listeners (streamer.h; live-feed). PUB gets each event
// as it comes; devices get rounds of datagrams (subscribers.h): at once while the server keeps up,
// at a tick with newest-wins while it does not. No turn sends for longer than a slice, so that the
// mailbox is emptied however many devices there are.

#include "actors/streamer.h"
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include "actors/admissions.h"
#include "actors/burst.h"
#include "actors/publisher.h"
#include "actors/subscribers.h"
#include "proto/base/clock.h"
#include "proto/metrics.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/feed.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

enum {
    TICK_US = 16000, // from round to round under load
    SLICE_US = 4000, // of sending in one turn
    HEARTBEAT_MS = 1000,
    STOP_MS = 1000, // for what is left to be sent at the end
};

struct streamer {
    struct actor actor;
    const struct config *config;
    uint64_t epoch;
    int family; // of the UDP socket
    subscribers_t *subscribers;
    admissions_t *admissions;
    burst_t *burst;
    publisher_t *publisher; // NULL where pub.endpoint is empty
    bool load;              // the last turn left work: newest wins
    uint64_t next_round_us; // under load
    uint64_t next_beat_ms;
    uint64_t stop_ms; // when STOP gives up; 0 = it has not come
    char endpoint[256];
};

static streamer_t *
streamer_of(actor_t *actor)
{
    return (streamer_t *)(void *)actor;
}

// Events in

static void
streamer_take(streamer_t *self, const struct event *event)
{
    if (self->publisher && event->msg_type != EVENT_DEVICE_KNOWN)
        publisher_publish(self->publisher, event);
    if (event->msg_type <= EVENT_LAST_FOR_DEVICES)
        subscribers_take(self->subscribers, event, self->load);
    else
        admissions_take(self->admissions, event);
}

static enum error
streamer_events(actor_t *actor, struct message *message)
{
    streamer_t *self = streamer_of(actor);
    const struct events *events = events_of(message);
    if (self->publisher)
        publisher_listen(self->publisher);
    for (uint32_t i = 0; events && i < events->count; i++)
        streamer_take(self, &events->items[i]);
    return OK;
}

// Datagrams out

// One encoding, to all devices that were admitted before the event.
static void
streamer_send(streamer_t *self, const struct event *event, struct stream *stream)
{
    uint64_t unreachable = 0;
    struct buffer *datagram = burst_datagram(self->burst);
    feed_plain(event, stream->sent, self->config->udp_base64_filler, datagram);
    for (uint32_t i = 0; i < stream->device_count; i++) {
        const struct subscriber *device = stream->devices[i];
        if (device->since >= event->seq)
            continue;
        if (device->state == SUBSCRIBER_REACHABLE)
            burst_to(self->burst, &device->endpoint);
        else if (device->state == SUBSCRIBER_UNREACHABLE)
            unreachable++;
    }
    stream->sent = event->seq;
    if (unreachable)
        counter_add(COUNT_UDP_OUT_FAILED, unreachable);
}

// Sends what is leaving, for about a slice.
static void
streamer_send_slice(streamer_t *self, uint64_t end_us)
{
    const struct event *event;
    struct stream *stream;
    while ((event = subscribers_next(self->subscribers, &stream)) != NULL) {
        streamer_send(self, event, stream);
        if (clock_now_us() >= end_us)
            break;
    }
    burst_send(self->burst);
}

static void
streamer_stream(streamer_t *self)
{
    uint64_t now_us = clock_now_us();
    if (!subscribers_leave(self->subscribers) && subscribers_collect(self->subscribers) &&
        (!self->load || now_us >= self->next_round_us)) {
        subscribers_begin_round(self->subscribers);
        self->next_round_us = now_us + TICK_US;
    }
    streamer_send_slice(self, now_us + SLICE_US);
    self->load = self->actor.backlog || subscribers_leave(self->subscribers);
}

static void
streamer_beat(streamer_t *self)
{
    uint64_t now_ms = clock_now_ms();
    if (!self->publisher || now_ms < self->next_beat_ms)
        return;
    publisher_listen(self->publisher);
    publisher_beat(self->publisher);
    self->next_beat_ms = now_ms + HEARTBEAT_MS;
}

static void
streamer_drained(actor_t *actor)
{
    streamer_t *self = streamer_of(actor);
    admissions_turn(self->admissions);
    streamer_stream(self);
    streamer_beat(self);
}

static int
streamer_round_timeout_ms(const streamer_t *self)
{
    if (subscribers_leave(self->subscribers))
        return 0;
    if (!subscribers_collect(self->subscribers))
        return HEARTBEAT_MS;
    uint64_t now_us = clock_now_us();
    if (!self->load || now_us >= self->next_round_us)
        return 0;
    return (int)((self->next_round_us - now_us + 999) / 1000);
}

static int
streamer_timeout_ms(actor_t *actor)
{
    const streamer_t *self = streamer_of(actor);
    int timeout_ms = streamer_round_timeout_ms(self);
    if (self->publisher && clock_left_ms(self->next_beat_ms) < timeout_ms)
        timeout_ms = clock_left_ms(self->next_beat_ms);
    int admissions_ms = admissions_timeout_ms(self->admissions);
    return admissions_ms < timeout_ms ? admissions_ms : timeout_ms;
}

// Life

static bool
streamer_stopping(actor_t *actor)
{
    streamer_t *self = streamer_of(actor);
    if (!self->stop_ms)
        self->stop_ms = clock_deadline_ms(STOP_MS);
    bool has_work = subscribers_leave(self->subscribers) || subscribers_collect(self->subscribers);
    return !has_work || clock_left_ms(self->stop_ms) == 0;
}

static enum error
streamer_open(actor_t *actor)
{
    streamer_t *self = streamer_of(actor);
    TRY(admissions_create(self->config, self->family, self->subscribers, &self->admissions));
    if (!*self->config->pub_endpoint)
        return OK;
    TRY(publisher_create(self->config, self->epoch, &self->publisher));
    snprintf(self->endpoint, sizeof self->endpoint, "%s", publisher_endpoint(self->publisher));
    log_info("pub_listening", "endpoint=%s", self->endpoint);
    return OK;
}

static void
streamer_close(actor_t *actor)
{
    streamer_t *self = streamer_of(actor);
    publisher_destroy(&self->publisher);
    admissions_destroy(&self->admissions);
}

static const struct actor_behaviour streamer_behaviour = {
    .handlers = {[EVENTS] = streamer_events},
    .open = streamer_open,
    .drained = streamer_drained,
    .timeout_ms = streamer_timeout_ms,
    .stopping = streamer_stopping,
    .close = streamer_close,
};

static int
socket_family(int udp_socket)
{
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    if (getsockname(udp_socket, (struct sockaddr *)&bound, &size) != 0)
        return AF_INET;
    return bound.ss_family;
}

static void
streamer_free(streamer_t *self)
{
    burst_destroy(&self->burst);
    subscribers_destroy(&self->subscribers);
    free(self);
}

fallible
streamer_create(const struct config *config, int udp_socket, uint64_t epoch,
                streamer_t **ret_streamer)
{
    streamer_t *self = memory_take_zeroed(sizeof *self);
    self->config = config;
    self->epoch = epoch;
    self->family = socket_family(udp_socket);
    self->subscribers = subscribers_create();
    self->burst = burst_create(udp_socket);
    enum error error = actor_start(&self->actor, &streamer_behaviour, "streamer");
    if (error != OK) {
        streamer_free(self);
        return error;
    }
    *ret_streamer = self;
    return OK;
}

void
streamer_destroy(streamer_t **self, mailbox_t *from)
{
    if (!*self)
        return;
    actor_stop(&(*self)->actor, from);
    streamer_free(*self);
    *self = NULL;
}

const char *
streamer_pub_endpoint(const streamer_t *self)
{
    return self->endpoint;
}
