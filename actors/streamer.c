// streamer.c - the actor between scenes and listeners (streamer.h; live-feed). PUB gets each event
// as it comes; devices get rounds of datagrams (subscribers.h): at once while the server keeps up,
// at a tick with newest-wins while it does not. No turn sends for longer than a slice, so that the
// mailbox is emptied however many devices there are.

#include "actors/streamer.h"
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include "actors/burst.h"
#include "actors/destinations.h"
#include "actors/publisher.h"
#include "actors/resolver.h"
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
    RESOLVER_POLL_MS = 20, // while names are being resolved
    STOP_MS = 1000,        // for what is left to be sent at the end
};

struct streamer {
    struct actor actor;
    const struct config *config;
    uint64_t epoch;
    int family; // of the UDP socket
    subscribers_t *subscribers;
    burst_t *burst;
    publisher_t *publisher; // NULL where pub.endpoint is empty
    resolver_t *resolver;
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

// Devices

static const struct device *
device_of(const struct event *event)
{
    return (const struct device *)(const void *)event->record;
}

static void
streamer_set_endpoint(const streamer_t *self, struct subscriber *subscriber, const char *address,
                      int port)
{
    bool reachable = endpoint_from(self->family, address, port, &subscriber->endpoint);
    subscriber->state = reachable ? SUBSCRIBER_REACHABLE : SUBSCRIBER_UNREACHABLE;
    if (!reachable)
        log_warning("device_unreachable", "device=%s address=%s", text_chars(subscriber->key),
                    address);
}

static void
streamer_resolve(streamer_t *self, uint64_t scene_id, struct subscriber *subscriber,
                 const struct device *device, const struct destination *asked)
{
    struct resolution *question = resolution_create(subscriber->key);
    memcpy(question->host, asked->host, strlen(asked->host));
    snprintf(question->peer, sizeof question->peer, "%s", text_chars(device->peer));
    question->port = asked->port;
    question->scene_id = scene_id;
    question->ticket = subscriber->ticket;
    if (resolver_ask(self->resolver, &question))
        return;
    log_warning("device_unresolved", "device=%s reason=busy", text_chars(subscriber->key));
    resolution_destroy(&question);
}

static void
streamer_admit(streamer_t *self, const struct event *event)
{
    const struct device *device = device_of(event);
    struct destination asked;
    if (!destination_of(device, &asked)) {
        subscribers_remove(self->subscribers, event->scene_id, device->key);
        return;
    }
    struct subscriber *subscriber =
        subscribers_admit(self->subscribers, event->scene_id, device->key, event->seq);
    if (text_size(device->address))
        streamer_set_endpoint(self, subscriber, text_chars(device->address), asked.port);
    else
        streamer_resolve(self, event->scene_id, subscriber, device, &asked);
}

// A device that went or came again meanwhile has another ticket, or none: its answer is stale.
static void
streamer_take_answers(streamer_t *self)
{
    struct resolution *answer;
    while ((answer = resolver_answer(self->resolver)) != NULL) {
        struct subscriber *subscriber =
            subscribers_find(self->subscribers, answer->scene_id, answer->key, answer->ticket);
        if (subscriber && destination_is_proven(answer->address, answer->peer,
                                                self->config->udp_trusted_networks))
            streamer_set_endpoint(self, subscriber, answer->address, answer->port);
        resolution_destroy(&answer);
    }
}

// Events in

static void
streamer_take(streamer_t *self, const struct event *event)
{
    if (self->publisher && event->msg_type != EVENT_DEVICE_KNOWN)
        publisher_publish(self->publisher, event);
    switch (event->msg_type) {
    case EVENT_DEVICE_REGISTERED:
    case EVENT_DEVICE_KNOWN:
        streamer_admit(self, event);
        break;
    case EVENT_DEVICE_DEREGISTERED:
        subscribers_remove(self->subscribers, event->scene_id, device_of(event)->key);
        break;
    case EVENT_SCENE_DELETED:
        subscribers_end_scene(self->subscribers, event->scene_id);
        break;
    default:
        if (event->msg_type <= EVENT_LAST_FOR_DEVICES)
            subscribers_take(self->subscribers, event, self->load);
    }
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
    streamer_take_answers(self);
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
    if (resolver_is_busy(self->resolver) && RESOLVER_POLL_MS < timeout_ms)
        timeout_ms = RESOLVER_POLL_MS;
    return timeout_ms;
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

// While the server listens on loopback only and trusts no proxy, every peer is on loopback: then a
// name may resolve to loopback too. The registration itself does not say who its peer was.
static bool
peers_are_loopback(const struct config *config)
{
    return (strncmp(config->http_host, "127.", 4) == 0 || strcmp(config->http_host, "::1") == 0 ||
            strcmp(config->http_host, "localhost") == 0) &&
           !*config->http_trusted_proxies;
}

static enum error
streamer_open(actor_t *actor)
{
    streamer_t *self = streamer_of(actor);
    TRY(resolver_create(resolver_lookup_system, self->family, peers_are_loopback(self->config),
                        &self->resolver));
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
    resolver_destroy(&self->resolver);
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
