// feed_notes.c - tails, refusals and asks (feed_notes.h). Pure: any thread.

#include "proto/feed/feed_notes.h"

#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/codec/record_msgpack.h"
#include "proto/feed/feed_packed.h"

static const char *const refusals[] = {
    [REFUSAL_TOO_OLD] = "too_old",
    [REFUSAL_BUSY] = "busy",
};

static void
put_plain_head(unsigned msg_type, const struct feed_place *place, struct buffer *out)
{
    buffer_clear(out);
    buffer_put_format(out, "{\"msg_type\":%u", msg_type);
    if (!place->scene)
        return;
    buffer_put_chars(out, ",\"scene\":");
    json_put_text(out, text_bytes(place->scene), text_size(place->scene));
}

// All of an empty datagram but the number of its items, `items`.
static void
put_packed_head(unsigned items, const struct feed_place *place, struct buffer *out)
{
    buffer_clear(out);
    msgpack_put_array(out, items);
    msgpack_put_unsigned(out, PACKED_VERSION);
    msgpack_put_unsigned(out, place->epoch);
    msgpack_put_unsigned(out, place->seq);
    msgpack_put_unsigned(out, place->seq);
    msgpack_put_unsigned(out, 0);
    msgpack_put_array(out, 0);
}

void
feed_note_tail(enum feed_form form, const struct feed_place *place, struct buffer *out)
{
    if (form == FEED_PACKED) {
        put_packed_head(6, place, out);
        return;
    }
    put_plain_head(NOTE_TAIL, place, out);
    buffer_put_format(out, ",\"epoch\":%llu,\"seq\":%llu}", (unsigned long long)place->epoch,
                      (unsigned long long)place->seq);
}

void
feed_note_refusal(enum feed_form form, const struct feed_place *place, uint64_t from,
                  enum feed_refusal reason, struct buffer *out)
{
    if (form == FEED_PACKED) {
        put_packed_head(7, place, out);
        msgpack_put_array(out, 3);
        msgpack_put_unsigned(out, NOTE_REFUSAL);
        msgpack_put_unsigned(out, from);
        msgpack_put_unsigned(out, reason);
        return;
    }
    put_plain_head(NOTE_REFUSAL, place, out);
    buffer_put_format(out, ",\"from\":%llu,\"reason\":\"%s\"}", (unsigned long long)from,
                      refusals[reason]);
}

void
feed_note_ask(enum feed_form form, const struct feed_place *place, const struct event *event,
              struct buffer *out)
{
    if (form == FEED_PACKED) {
        put_packed_head(7, place, out);
        msgpack_put_array(out, 3);
        msgpack_put_unsigned(out, event->msg_type);
        msgpack_put_unsigned(out, event->time_us);
        record_to_published(event_record(event), NULL, out);
        return;
    }
    put_plain_head(event->msg_type, place, out);
    buffer_put_format(out, ",\"time_us\":%llu,\"ask\":", (unsigned long long)event->time_us);
    record_to_json(event_record(event), NULL, out);
    buffer_put_char(out, '}');
}
