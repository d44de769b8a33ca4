// feed_pub.c - the three frames of ZeroMQ PUB. Pure: any thread.
#include "proto/feed/feed_pub.h"

#include <string.h>

#include "proto/codec/record_msgpack.h"
#include "proto/record/record_packed.h"
#include "proto/record/view.h"
#include "proto/records/scene.h"

void
feed_pub_topic(const struct event *event, struct buffer *out)
{
    static const char hex[] = "0123456789ABCDEF";
    const struct text *key = event_scene(event)->key;
    // What is no change stands elsewhere: who follows `scene.` counts on each seq.
    buffer_put_chars(out, event->msg_type == EVENT_LOCK_ASKED ? "ask." : "scene.");
    for (size_t i = 0; i < text_size(key); i++) {
        unsigned char byte = (unsigned char)key->data[i];
        if (byte == '.' || byte == '%' || byte < 0x20 || byte == 0x7f)
            buffer_put(out, (char[]){'%', hex[byte >> 4], hex[byte & 15]}, 3);
        else
            buffer_put_char(out, (char)byte);
    }
    if (event->msg_type == EVENT_LOCK_ASKED)
        buffer_put_format(out, ".%u", event->msg_type);
    else
        buffer_put_format(out, ".%s.%u", event_noun(event->msg_type), event->msg_type);
}

static void
put_name(const char *name, struct buffer *out)
{
    msgpack_put_text(out, name, strlen(name));
}

void
feed_pub_header(const struct event *event, uint64_t epoch, struct buffer *out)
{
    const struct text *key = event_scene(event)->key;
    const char *reason = event_reason_name(event->reason);
    bool has_seq = event->msg_type != EVENT_LOCK_ASKED;
    msgpack_put_map(out, 4U + has_seq + (reason != NULL));
    put_name("epoch", out);
    msgpack_put_unsigned(out, epoch);
    if (has_seq) {
        put_name("seq", out);
        msgpack_put_unsigned(out, event->seq);
    }
    put_name("time_us", out);
    msgpack_put_unsigned(out, event->time_us);
    put_name("scene", out);
    msgpack_put_text(out, text_bytes(key), text_size(key));
    put_name("type", out);
    msgpack_put_unsigned(out, event->msg_type);
    if (reason) {
        put_name("reason", out);
        put_name(reason, out);
    }
}

void
feed_pub_body(const struct event *event, struct buffer *out)
{
    static const struct view everything = {.with_private = true};
    struct opened room;
    record_to_published(frozen_open(event->record, &room), &everything, out);
}

void
feed_pub_heartbeat_header(uint64_t epoch, uint64_t time_us, struct buffer *out)
{
    msgpack_put_map(out, 2);
    put_name("epoch", out);
    msgpack_put_unsigned(out, epoch);
    put_name("time_us", out);
    msgpack_put_unsigned(out, time_us);
}

void
feed_pub_heartbeat_body(struct buffer *out)
{
    msgpack_put_map(out, 0);
}

void
feed_pub_key_body(const char *server_key, struct buffer *out)
{
    msgpack_put_map(out, 1);
    put_name("server_key", out);
    put_name(server_key, out);
}
