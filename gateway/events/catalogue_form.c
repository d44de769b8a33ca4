// catalogue_form.c - the events of the catalogue (catalogue_form.h).
#include "gateway/events/catalogue_form.h"

#include <inttypes.h>

#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/feed/topic.h"

void
catalogue_form_write_reset(const struct catalogue_form *self, unsigned place,
                           struct stream_sink *sink)
{
    const struct sse_place *topic = &self->places[place];
    sse_begin("reset", self->places, self->count, &sink->out);
    buffer_put_chars(&sink->out, "{\"topic\":");
    json_put_text(&sink->out, text_bytes(topic->scene), text_size(topic->scene));
    buffer_put_format(&sink->out, ",\"epoch\":%" PRIu64 ",\"seq\":%" PRIu64 "}", topic->epoch,
                      topic->seq);
    sse_end(&sink->out);
}

// `msg_type`, `seq`, and the key under the noun of the topic.
static void
put_head(const struct topic *topic, const struct event *event, unsigned msg_type,
         struct buffer *out)
{
    const struct text *key = frozen_key(event->record);
    buffer_put_format(out, "{\"msg_type\":%u,\"seq\":%" PRIu64 ",\"%s\":", msg_type, event->seq,
                      topic->schema->name);
    json_put_text(out, text_bytes(key), text_size(key));
}

static void
put_record(const struct event *event, const struct caller *caller, struct buffer *out)
{
    const struct view view = sse_view(event_record(event), caller);
    buffer_put_chars(out, ",\"record\":");
    record_to_json(event_record(event), &view, out);
}

void
catalogue_form_write_change(const struct catalogue_form *self, const struct event *event,
                            struct stream_sink *sink)
{
    const struct topic *topic = topic_of(event->msg_type);
    bool is_hidden = !topic_is_seen(topic, event_record(event), self->caller);
    bool was_read = event->reason == REASON_HIDDEN && self->caller->role == CALLER_USER;
    if (is_hidden && !was_read)
        return;
    sse_begin("change", self->places, self->count, &sink->out);
    put_head(topic, event, is_hidden ? topic->created + 2u : event->msg_type, &sink->out);
    if (!is_hidden)
        put_record(event, self->caller, &sink->out);
    buffer_put_char(&sink->out, '}');
    sse_end(&sink->out);
}
