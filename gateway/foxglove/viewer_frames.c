// viewer_frames.c - frames to a viewer's client: what is sent on a channel, and what is told of the
// connection (viewer.h).
#include "gateway/foxglove/viewer.h"
#include "proto/base/clock.h"
#include "proto/codec/json_write.h"
#include "proto/message/metrics.h"

enum { MESSAGE_DATA = 1 }; // opcode of what is sent on a channel

static void
put_little_endian(uint64_t number, unsigned bytes, struct buffer *out)
{
    for (unsigned i = 0; i < bytes; i++)
        buffer_put_char(out, (char)(number >> (8 * i)));
}

size_t
viewer_message_begin(const struct channel *channel, struct buffer *out)
{
    size_t begin = websocket_begin(out);
    buffer_put_char(out, MESSAGE_DATA);
    put_little_endian(channel->subscription, 4, out);
    put_little_endian(clock_calendar_us() * 1000, 8, out);
    return begin;
}

void
viewer_message_end(struct buffer *out, size_t begin)
{
    websocket_end(out, begin, WEBSOCKET_BINARY);
    counter_add(COUNT_FOXGLOVE_MESSAGES, 1);
}

void
viewer_tell(struct viewer *self, unsigned level, const char *words)
{
    if (self->told.size > VIEWER_TOLD_BYTES)
        return;
    size_t begin = websocket_begin(&self->told);
    buffer_put_char(&self->told, '{');
    json_write_text(&self->told, "op", "status");
    json_write_number(&self->told, "level", level);
    json_write_text(&self->told, "message", words);
    json_write_end(&self->told, '}');
    websocket_end(&self->told, begin, WEBSOCKET_TEXT);
}
