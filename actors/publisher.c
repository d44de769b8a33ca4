// publisher.c - one XPUB socket (publisher.h): PUB that also tells which topics are wanted, so that
// events nobody listens to cost no encoding. It passes each topic on once, however many subscribers
// want it, so the count of topics is bounded by their variety.

#include "actors/publisher.h"
#include <czmq.h>
#include "proto/base/clock.h"
#include "proto/base/config_check.h"
#include "proto/metrics.h"
#include "proto/base/memory.h"
#include "proto/feed.h"

enum {
    SEND_HWM = 1000, // messages waiting for one subscriber; more are dropped. Never 0
    LINGER_MS = 200,
    MONITOR_HWM = 10000, // connections made and ended between two looks
};

struct publisher {
    uint64_t epoch;
    zsock_t *socket;
    void *raw;            // of the socket
    void *monitor;        // tells of connections made and ended
    uint64_t subscribers; // connections
    uint64_t told;        // of them, to the metrics
    uint64_t topics;      // subscribed to, but for the heartbeat alone
    struct buffer topic;
    struct buffer header;
    struct buffer body;
};

static fallible
publisher_check(const struct config *config)
{
    if (config->pub_curve_dir && *config->pub_curve_dir)
        return fail(ERR_INVALID, "pub.curve_dir", "this version has no CURVE; leave it empty");
    return config_check_publisher(config);
}

// A socket that is told of connections made and ended; NULL, which costs one number of the metrics,
// where no descriptor is left.
static void *
monitor_create(void *raw)
{
    char address[64];
    int limit = MONITOR_HWM;
    void *monitor = zmq_socket(zsys_init(), ZMQ_PAIR);
    if (!monitor)
        return NULL;
    snprintf(address, sizeof address, "inproc://monitor.%p", raw);
    zmq_setsockopt(monitor, ZMQ_RCVHWM, &limit, sizeof limit);
    if (zmq_socket_monitor(raw, address, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED) == 0 &&
        zmq_connect(monitor, address) == 0)
        return monitor;
    zmq_socket_monitor(raw, NULL, 0);
    zmq_close(monitor);
    return NULL;
}

// What is told to nobody would wait for a listener: the telling ends first.
static void
monitor_destroy(void *raw, void **monitor)
{
    if (!*monitor)
        return;
    zmq_socket_monitor(raw, NULL, 0);
    zmq_close(*monitor);
    *monitor = NULL;
}

fallible
publisher_create(const struct config *config, uint64_t epoch, publisher_t **ret_publisher)
{
    TRY(publisher_check(config));
    zsock_t *socket = zsock_new(ZMQ_XPUB);
    if (!socket)
        return fail(ERR_UNAVAILABLE, "pub.endpoint", "no socket left");
    zsock_set_sndhwm(socket, SEND_HWM);
    zsock_set_linger(socket, LINGER_MS);
    zsock_set_ipv6(socket, strchr(config->pub_endpoint, '[') != NULL);
    void *raw = zsock_resolve(socket), *monitor = monitor_create(raw);
    if (zsock_bind(socket, "%s", config->pub_endpoint) < 0) {
        monitor_destroy(raw, &monitor);
        zsock_destroy(&socket);
        return fail(ERR_UNAVAILABLE, "pub.endpoint", "cannot bind %s: %s", config->pub_endpoint,
                    zmq_strerror(zmq_errno()));
    }
    publisher_t *self = memory_take_zeroed(sizeof *self);
    self->epoch = epoch;
    self->socket = socket;
    self->raw = raw;
    self->monitor = monitor;
    *ret_publisher = self;
    return OK;
}

void
publisher_destroy(publisher_t **self)
{
    if (!*self)
        return;
    monitor_destroy((*self)->raw, &(*self)->monitor);
    gauge_follow(GAUGE_PUB_SUBSCRIBERS, &(*self)->told, 0);
    zsock_destroy(&(*self)->socket);
    buffer_finish(&(*self)->topic);
    buffer_finish(&(*self)->header);
    buffer_finish(&(*self)->body);
    free(*self);
    *self = NULL;
}

const char *
publisher_endpoint(const publisher_t *self)
{
    return zsock_endpoint(self->socket);
}

// A subscription to `hb` or longer can mean the heartbeat only; "" and "h" mean events too.
static bool
topic_is_heartbeat(const char *topic, size_t size)
{
    size_t length = strlen(FEED_HEARTBEAT_TOPIC);
    return size >= length && memcmp(topic, FEED_HEARTBEAT_TOPIC, length) == 0;
}

// Each note has two frames: the event's number and value, then the address.
static void
count_subscribers(publisher_t *self)
{
    uint16_t note[3];
    char address[256];
    while (self->monitor && zmq_recv(self->monitor, note, sizeof note, ZMQ_DONTWAIT) > 0) {
        if (note[0] == ZMQ_EVENT_ACCEPTED)
            self->subscribers++;
        else if (note[0] == ZMQ_EVENT_DISCONNECTED && self->subscribers)
            self->subscribers--;
        (void)zmq_recv(self->monitor, address, sizeof address, ZMQ_DONTWAIT);
    }
    gauge_follow(GAUGE_PUB_SUBSCRIBERS, &self->told, self->subscribers);
}

void
publisher_listen(publisher_t *self)
{
    count_subscribers(self);
    char note[256]; // 1 or 0, then the topic; the end of a long one does not matter
    int size;
    while ((size = zmq_recv(self->raw, note, sizeof note, ZMQ_DONTWAIT)) > 0) {
        size_t topic_size = (size_t)size < sizeof note ? (size_t)size - 1 : sizeof note - 1;
        if (topic_is_heartbeat(note + 1, topic_size))
            continue;
        if (note[0] == 1)
            self->topics++;
        else if (note[0] == 0 && self->topics)
            self->topics--;
    }
}

static bool
publisher_put(publisher_t *self, const struct buffer *frame, int flags)
{
    return zmq_send(self->raw, frame->data, frame->size, ZMQ_DONTWAIT | flags) >= 0;
}

static bool
publisher_send(publisher_t *self)
{
    return publisher_put(self, &self->topic, ZMQ_SNDMORE) &&
           publisher_put(self, &self->header, ZMQ_SNDMORE) && publisher_put(self, &self->body, 0);
}

static void
publisher_clear(publisher_t *self)
{
    buffer_clear(&self->topic);
    buffer_clear(&self->header);
    buffer_clear(&self->body);
}

void
publisher_publish(publisher_t *self, const struct event *event)
{
    if (!self->topics)
        return;
    publisher_clear(self);
    feed_topic(event, &self->topic);
    feed_header(event, self->epoch, &self->header);
    feed_body(event, &self->body);
    counter_add(publisher_send(self) ? COUNT_PUB_SENT : COUNT_PUB_DROPPED, 1);
}

void
publisher_beat(publisher_t *self)
{
    publisher_clear(self);
    buffer_put_chars(&self->topic, FEED_HEARTBEAT_TOPIC);
    feed_heartbeat_header(self->epoch, clock_calendar_us(), &self->header);
    feed_heartbeat_body(&self->body);
    (void)publisher_send(self); // the next one comes in a second
}
