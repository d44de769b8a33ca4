// news_log.c - writes lines about events (news_log.h).
#include "gateway/foxglove/news_log.h"

#include "proto/records/object.h"

// What is said of an event behind its noun and key; NULL: nothing.
static const char *
words_of(uint8_t msg_type)
{
    if (event_is_of_actions(msg_type))
        return "has other actions";
    switch (msg_type) {
    case EVENT_OBJECT_CREATED:
    case EVENT_PROPERTY_CREATED:
    case EVENT_SCENE_CREATED:
        return "was created";
    case EVENT_OBJECT_DELETED:
    case EVENT_PROPERTY_DELETED:
    case EVENT_SCENE_DELETED:
        return "was deleted";
    case EVENT_SCENE_UPDATED:
        return "was changed";
    case EVENT_DEVICE_REGISTERED:
        return "was registered";
    case EVENT_DEVICE_DEREGISTERED:
        return "was deregistered";
    case EVENT_ALIGNMENT_CHANGED:
        return "has moved";
    case EVENT_LOCK_GRANTED:
        return "was locked";
    case EVENT_LOCK_RELEASED:
        return "was released";
    default:
        return NULL;
    }
}

static void
put_line(const struct event *event, const char *words, struct buffer *out)
{
    const struct record *record = event_record(event);
    const char *reason = event_reason_name(event->reason);
    if (out->size)
        buffer_put_char(out, '\n');
    buffer_put_format(out, "%s ", event_noun(event->msg_type));
    if (event->msg_type != EVENT_ALIGNMENT_CHANGED) {
        buffer_put(out, text_bytes(record_key(record)), text_size(record_key(record)));
        buffer_put_char(out, ' ');
    }
    buffer_put_chars(out, words);
    if (reason && event->msg_type == EVENT_LOCK_RELEASED)
        buffer_put_format(out, ": %s", reason);
}

void
news_log_put(const struct event_batch *batch, struct buffer *out)
{
    unsigned lines = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        const char *words = words_of(batch->events[i].msg_type);
        if (words && lines++ < NEWS_LOG_LINES)
            put_line(&batch->events[i], words, out);
    }
    if (lines > NEWS_LOG_LINES)
        buffer_put_format(out, "\nand %u more", lines - NEWS_LOG_LINES);
}
