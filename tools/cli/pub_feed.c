// pub_feed.c - a SUB socket, its subscriptions, keys and monitor.
#include "tools/cli/pub_feed.h"

#include "proto/base/clock.h"
#include "proto/feed/curve.h"

enum { QUEUE_MESSAGES = 100000 };

// Sets the CURVE keys. Ours and the server's are needed together.
static fallible
unlock(zsock_t *socket, const struct pub_feed_values *values)
{
    struct curve_keys ours, server;
    if (!*values->curve_key && !*values->curve_server_key)
        return OK;
    if (!*values->curve_key || !*values->curve_server_key)
        return fail(ERR_INVALID, "", "--curve-key and --curve-server-key need each other");
    TRY(curve_keys_read_secret(values->curve_key, &ours));
    TRY(curve_keys_read(values->curve_server_key, &server));
    zsock_set_curve_publickey(socket, ours.open);
    zsock_set_curve_secretkey(socket, ours.secret);
    zsock_set_curve_serverkey(socket, server.open);
    return OK;
}

static bool
stays_in_word(unsigned char byte)
{
    return byte > 0x1f && byte != 0x7f && byte != '.' && byte != '%';
}

void
pub_feed_put_word(struct buffer *out, const char *chars)
{
    for (; *chars; chars++)
        if (stays_in_word((unsigned char)*chars))
            buffer_put_char(out, *chars);
        else
            buffer_put_format(out, "%%%02X", (unsigned char)*chars);
}

// Called after connecting: ZeroMQ sends earlier subscriptions in the order of their bytes.
static void
subscribe(zsock_t *socket, const struct option_texts *scenes)
{
    struct buffer topic = {0};
    if (scenes->count == 0)
        zsock_set_subscribe(socket, "scene.");
    for (size_t i = 0; i < scenes->count; i++) {
        buffer_clear(&topic);
        buffer_put_chars(&topic, "scene.");
        pub_feed_put_word(&topic, scenes->items[i]);
        buffer_put(&topic, ".", sizeof "."); // with its NUL
        zsock_set_subscribe(socket, topic.data);
    }
    zsock_set_subscribe(socket, "hb");
    buffer_finish(&topic);
}

static void *
monitor_open(zsock_t *socket)
{
    static const char endpoint[] = "inproc://pub_feed.monitor";
    void *monitor = zmq_socket(zsys_init(), ZMQ_PAIR);
    if (!monitor)
        return NULL;
    if (zmq_socket_monitor(zsock_resolve(socket), endpoint,
                           ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_RETRIED) == 0 &&
        zmq_connect(monitor, endpoint) == 0)
        return monitor;
    zmq_close(monitor);
    return NULL;
}

fallible
pub_feed_open(const struct pub_feed_values *values, const struct option_texts *scenes,
              struct pub_feed *ret_feed)
{
    *ret_feed = (struct pub_feed){.socket = zsock_new(ZMQ_SUB)};
    TRY(unlock(ret_feed->socket, values));
    zsock_set_rcvhwm(ret_feed->socket, QUEUE_MESSAGES);
    zsock_set_rcvtimeo(ret_feed->socket, 0);
    zsock_set_linger(ret_feed->socket, 0);
    ret_feed->monitor = monitor_open(ret_feed->socket);
    if (zsock_connect(ret_feed->socket, "%s", values->endpoint) < 0)
        return fail(ERR_INVALID, "", "--pub: %s is not an endpoint", values->endpoint);
    subscribe(ret_feed->socket, scenes);
    return OK;
}

void
pub_feed_finish(struct pub_feed *self)
{
    if (self->monitor) {
        zmq_socket_monitor(zsock_resolve(self->socket), NULL, 0);
        zmq_close(self->monitor);
    }
    zsock_destroy(&self->socket);
}

// A message of the monitor has two frames; the first begins with the number of the event.
static void
take_note(struct pub_feed *self, const char *note)
{
    uint16_t event;
    memcpy(&event, note, sizeof event);
    if (event == ZMQ_EVENT_CONNECTED)
        self->connections++;
    else
        self->refusals++;
}

bool
pub_feed_is_dead(const struct pub_feed *self, uint64_t deadline_ms)
{
    if (!self->monitor || self->connections > 0)
        return false;
    return self->refusals > 0 || clock_left_ms(deadline_ms) <= 0;
}

bool
pub_feed_is_renewed(struct pub_feed *self)
{
    unsigned before = self->connections;
    char note[256];
    while (self->monitor && zmq_recv(self->monitor, note, sizeof note, ZMQ_DONTWAIT) >= 0) {
        take_note(self, note);
        (void)zmq_recv(self->monitor, note, sizeof note, ZMQ_DONTWAIT);
    }
    return before > 0 && self->connections > before;
}
