// publisher.c - one XPUB socket (publisher.h): a PUB socket that also tells which topics are
// wanted, each once however many subscribers want it. Everything that a subscriber can make grow
// has a maximum. Heartbeats of ZeroMQ stay off because they can abort the process (libzmq issue
// 3937).

#include "actors/streamer/pub/publisher.h"

#include <assert.h>
#include <czmq.h>
#include <sys/resource.h>

#include "actors/streamer/pub/pub_connections.h"
#include "actors/streamer/pub/pub_keys.h"
#include "actors/streamer/pub/pub_monitor.h"
#include "actors/streamer/pub/pub_topics.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/config/config_check.h"
#include "proto/feed/feed_pub.h"
#include "proto/message/metrics.h"

enum {
    LINGER_MS = 200,
    BACKLOG = 1024, // connections that wait to be accepted
    REBIND_TRIES = 200,
    REBIND_PAUSE_US = 1000,
    BIND_EVERY_MS = 1000,     // while somebody else has the endpoint
    IDLE_MS = 30000,          // a connection that wants nothing for so long ends
    STALLED_MOST = 64,        // connections that take nothing; further ones end
    FRAMES_BYTES = 32 << 20,  // of frames that wait for all connections, at most
    MESSAGE_BYTES = 3 * 64,   // of the frames of a message, apart from what all share
    STALLED_MS = 2000,        // after so long
    HEAVY_BYTES = 32 << 20,   // that wait for one connection; it ends with more
    LOOK_MS = 1000,           // between two looks for them
    LOOK_BYTES = 8 << 20,     // the same, of what is sent, and of frames that may wait
    JOINED_BYTES = 256 << 10, // a second; of connections that are given more, segments are joined
    JOIN_MS = 50,             // between two looks for them
    DESCRIPTORS_BESIDE = 256, // of store, mailboxes and the like
    LEAST_PART = 4,           // of all descriptors, that PUB may have in any case
    TURN_NOTES = 10000,       // about subscriptions; more wait for the next turn
};

struct publisher {
    uint64_t epoch;
    struct curve_folder keys;
    char endpoint[256];   // as bound
    zsock_t *socket;      // NULL while the endpoint cannot be bound again
    void *raw;            // of the socket
    void *monitor;        // reports connections made and ended
    uint64_t subscribers; // connections
    uint64_t counted;     // of them, in the metrics
    uint64_t removals;    // of keys, as the zap_handler last said
    struct pub_connections connections;
    uint64_t looked_ms; // for connections that take nothing
    uint64_t joined_ms; // when it looked at what connections are given a second
    uint64_t bound_ms;  // when it last tried to bind the endpoint, which it had given up
    bool is_unbound;    // the log has that it could not
    int send_hwm;       // messages that wait for one subscriber; 0 would be no limit
    size_t most;        // connections, by the budget; 0 = any number
    size_t kept_back;   // descriptors for others
    struct pub_topics topics;
    struct buffer topic;
    struct buffer header;
    struct buffer body;
};

static void
socket_configure(const publisher_t *self, zsock_t *socket, const char *endpoint)
{
    zsock_set_sndhwm(socket, self->send_hwm);
    zsock_set_linger(socket, LINGER_MS);
    zsock_set_backlog(socket, BACKLOG);
    zsock_set_maxmsgsize(socket, LIMIT_PUB_TOPIC_BYTES);
    zsock_set_handshake_ivl(socket, LIMIT_PUB_HANDSHAKE_MS);
    zsock_set_xpub_verbose(socket, 1); // who subscribes is told each time, with their descriptor
    zsock_set_ipv6(socket, strchr(endpoint, '[') != NULL);
    if (!self->keys.zap_handler)
        return;
    zsock_set_curve_server(socket, 1);
    zsock_set_curve_secretkey(socket, self->keys.pair.secret);
    zsock_set_zap_domain(socket, zap_domain_names[ZAP_PUB]);
    zsock_set_zap_enforce_domain(socket, 1); // without a ZAP handler nobody may connect
}

static fallible
publisher_open(publisher_t *self, const char *endpoint)
{
    zsock_t *socket = zsock_new(ZMQ_XPUB);
    if (!socket)
        return fail(ERR_UNAVAILABLE, "pub.endpoint", "no socket left");
    socket_configure(self, socket, endpoint);
    void *raw = zsock_resolve(socket), *monitor = pub_monitor_create(raw);
    if (zsock_bind(socket, "%s", endpoint) < 0) {
        enum error error = fail(ERR_UNAVAILABLE, "pub.endpoint", "cannot bind %s: %s", endpoint,
                                zmq_strerror(zmq_errno()));
        pub_monitor_destroy(raw, &monitor);
        zsock_destroy(&socket);
        return error;
    }
    self->socket = socket;
    self->raw = raw;
    self->monitor = monitor;
    return OK;
}

static void
publisher_close(publisher_t *self)
{
    if (self->socket)
        pub_monitor_destroy(self->raw, &self->monitor);
    zsock_destroy(&self->socket);
    pub_connections_finish(&self->connections);
    pub_connections_init(&self->connections);
    pub_topics_finish(&self->topics);
    self->topics = (struct pub_topics){0};
    self->subscribers = 0;
    gauge_follow(GAUGE_PUB_SUBSCRIBERS, &self->counted, 0);
}

static void
note_unbound(publisher_t *self)
{
    if (!self->is_unbound)
        log_error("pub_not_bound", "reason=%s", fault_last()->detail);
    self->is_unbound = true;
    self->bound_ms = clock_now_ms();
}

// ZeroMQ cannot end one connection, so all end. Subscribers that may connect do so again within
// about 100 ms and see by `seq` what they missed. Messages that waited for the old connections are
// lost.
static void
publisher_reopen(publisher_t *self, const char *reason, int linger_ms)
{
    log_warning("pub_reopened", "reason=%s connections=%llu", reason,
                (unsigned long long)self->subscribers);
    if (self->socket)
        zsock_set_linger(self->socket, linger_ms);
    publisher_close(self);
    for (int i = 0; i < REBIND_TRIES && publisher_open(self, self->endpoint) != OK; i++)
        usleep(REBIND_PAUSE_US); // the old socket is closed by another thread
    if (!self->socket)
        note_unbound(self);
}

// The endpoint was given up, or lost. Nobody waits for it here: feeds of devices go through this
// thread too.
static void
bind_again(publisher_t *self)
{
    uint64_t now_ms = clock_now_ms();
    if (now_ms - self->bound_ms < BIND_EVERY_MS)
        return;
    self->bound_ms = now_ms;
    if (publisher_open(self, self->endpoint) != OK) {
        note_unbound(self);
        return;
    }
    self->is_unbound = false;
    log_info("pub_bound_again", "endpoint=%s", self->endpoint);
}

fallible
publisher_create(const struct config *config, uint64_t epoch, publisher_t **ret_publisher)
{
    TRY(config_check_publisher(config));
    publisher_t *self = memory_take_zeroed(sizeof *self);
    self->epoch = epoch;
    pub_connections_init(&self->connections);
    self->most = (size_t)config->budgets[BUDGET_PUB_CONNECTIONS];
    assert(config->pub_sndhwm > 0);
    self->send_hwm = (int)config->pub_sndhwm;
    self->kept_back = (size_t)config->http_threads + DESCRIPTORS_BESIDE;
    enum error error = pub_keys_open(&self->keys, config);
    if (error == OK)
        error = publisher_open(self, config->pub_endpoint);
    if (error != OK) {
        publisher_destroy(&self);
        return error;
    }
    snprintf(self->endpoint, sizeof self->endpoint, "%s", zsock_endpoint(self->socket));
    *ret_publisher = self;
    return OK;
}

// The socket is closed first because it may still ask the zap_handler.
void
publisher_destroy(publisher_t **self)
{
    if (!*self)
        return;
    publisher_close(*self);
    pub_connections_finish(&(*self)->connections);
    curve_folder_finish(&(*self)->keys);
    buffer_finish(&(*self)->topic);
    buffer_finish(&(*self)->header);
    buffer_finish(&(*self)->body);
    free(*self);
    *self = NULL;
}

const char *
publisher_endpoint(const publisher_t *self)
{
    return self->endpoint;
}

static void
count_subscribers(publisher_t *self, uint64_t now_ms)
{
    struct pub_report report;
    while (self->monitor && pub_monitor_next(self->monitor, &report)) {
        if (report.is_end)
            pub_connections_ended(&self->connections, report.descriptor);
        else
            pub_connections_accepted(&self->connections, report.descriptor, now_ms);
    }
    self->subscribers = self->connections.count;
    gauge_follow(GAUGE_PUB_SUBSCRIBERS, &self->counted, self->subscribers);
}

// A note is 1 or 0 and then the topic. Anything else is a message that a subscriber may not send.
static void
read_topic(publisher_t *self, zmq_msg_t *note)
{
    const char *chars = zmq_msg_data(note);
    size_t size = zmq_msg_size(note);
    if (size == 0 || size > LIMIT_PUB_TOPIC_BYTES || (chars[0] != 0 && chars[0] != 1))
        return;
    pub_topics_note(&self->topics, chars + 1, size - 1, chars[0] == 1);
    if (chars[0] == 1)
        pub_connections_subscribed(&self->connections, zmq_msg_get(note, ZMQ_SRCFD));
}

static void
read_topics(publisher_t *self)
{
    int size = 0;
    for (unsigned i = 0; i < TURN_NOTES && size >= 0; i++) {
        zmq_msg_t note;
        zmq_msg_init(&note);
        size = zmq_msg_recv(&note, self->raw, ZMQ_DONTWAIT);
        if (size > 0)
            read_topic(self, &note);
        zmq_msg_close(&note);
    }
}

// How many connections there may be: those of the budget, but of the descriptors of the process
// only what HTTP does not need.
static size_t
most_connections(const publisher_t *self)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return self->most;
    size_t all = (size_t)limit.rlim_cur, left = all / LEAST_PART;
    if (all > self->kept_back && all - self->kept_back > left)
        left = all - self->kept_back;
    return self->most && self->most < left ? self->most : left;
}

// How many connections may take nothing: fewer, the more messages wait for each.
static size_t
most_stalled(const publisher_t *self)
{
    size_t fitting = FRAMES_BYTES / ((size_t)self->send_hwm * MESSAGE_BYTES);
    return fitting < STALLED_MOST ? fitting : STALLED_MOST;
}

// Whether LOOK_BYTES were sent since the last look, or that much may wait in frames since then.
static bool
must_look(const struct pub_connections *connections)
{
    uint64_t messages = connections->messages - connections->looked_messages;
    return connections->sent - connections->looked_sent >= LOOK_BYTES ||
           messages * connections->count * MESSAGE_BYTES >= LOOK_BYTES;
}

static void
end_connections(publisher_t *self, uint64_t now_ms)
{
    const struct pub_connections_limits limits = {.queue = (size_t)self->send_hwm,
                                                  .messages = FRAMES_BYTES / MESSAGE_BYTES,
                                                  .bytes = HEAVY_BYTES};
    size_t ended =
        pub_connections_trim(&self->connections, most_connections(self), IDLE_MS, now_ms);
    if (now_ms - self->looked_ms >= LOOK_MS || must_look(&self->connections))
        ended += pub_connections_end_heavy(&self->connections, &limits);
    if (now_ms - self->looked_ms >= LOOK_MS) {
        self->looked_ms = now_ms;
        ended +=
            pub_connections_end_stalled(&self->connections, most_stalled(self), STALLED_MS, now_ms);
    }
    if (ended == 0)
        return;
    counter_add(COUNT_BUDGET_REFUSED + BUDGET_PUB_CONNECTIONS, ended);
    log_info("pub_connections_ended", "count=%zu left=%zu", ended, self->connections.count - ended);
}

void
publisher_listen(publisher_t *self)
{
    if (!self->socket)
        bind_again(self);
    if (!self->socket)
        return;
    uint64_t now_ms = clock_now_ms();
    count_subscribers(self, now_ms);
    read_topics(self);
    end_connections(self, now_ms);
    uint64_t removals = curve_folder_removals(&self->keys);
    if (removals != self->removals)
        publisher_reopen(self, "key_removed", 0);
    else if (self->topics.size > LIMIT_PUB_TOPICS_BYTES)
        publisher_reopen(self, "too_many_topics", 0);
    self->removals = removals;
}

void
publisher_rest(publisher_t *self)
{
    if (!self->socket)
        return;
    log_warning("pub_rests", "connections=%llu", (unsigned long long)self->subscribers);
    publisher_close(self);
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

// Topics do not decide this: in these notes a subscriber can end the subscription of another.
static bool
has_listeners(const publisher_t *self)
{
    return self->socket && (self->subscribers || !self->monitor);
}

void
publisher_publish(publisher_t *self, const struct event *event)
{
    if (!has_listeners(self))
        return;
    publisher_clear(self);
    feed_pub_topic(event, &self->topic);
    feed_pub_header(event, self->epoch, &self->header);
    feed_pub_body(event, &self->body);
    counter_add(publisher_send(self) ? COUNT_PUB_SENT : COUNT_PUB_DROPPED, 1);
    pub_connections_sent(&self->connections,
                         self->topic.size + self->header.size + self->body.size);
}

void
publisher_turn(publisher_t *self)
{
    uint64_t now_ms = clock_now_ms();
    if (now_ms - self->joined_ms < JOIN_MS)
        return;
    self->joined_ms = now_ms;
    pub_connections_join(&self->connections, JOINED_BYTES, now_ms);
}

int
publisher_timeout_ms(const publisher_t *self)
{
    return self->connections.joining ? clock_left_ms(self->joined_ms + JOIN_MS) : INT_MAX;
}

void
publisher_beat(publisher_t *self)
{
    if (!self->socket)
        return;
    publisher_clear(self);
    buffer_put_chars(&self->topic, FEED_PUB_HEARTBEAT);
    feed_pub_heartbeat_header(self->epoch, clock_calendar_us(), &self->header);
    feed_pub_heartbeat_body(&self->body);
    (void)publisher_send(self); // the next one comes in a second
}

// The heartbeat that tells a new key: only those who know the present one can read it.
static void
publisher_announce(publisher_t *self, const char *server_key)
{
    if (!self->socket)
        return;
    publisher_clear(self);
    buffer_put_chars(&self->topic, FEED_PUB_HEARTBEAT);
    feed_pub_heartbeat_header(self->epoch, clock_calendar_us(), &self->header);
    feed_pub_key_body(server_key, &self->body);
    (void)publisher_send(self); // the file has it too
}

fallible
publisher_rotate(publisher_t *self, struct curve_keys *ret_keys, const char **ret_folder)
{
    struct curve_keys fresh;
    TRY(pub_keys_replace(&self->keys, &fresh));
    publisher_announce(self, fresh.open);
    pub_keys_take(&self->keys, &fresh);
    publisher_reopen(self, "key_rotated", LINGER_MS);
    *ret_keys = fresh;
    *ret_folder = self->keys.path;
    return OK;
}
