// whole_form.c - writes the usual form of a stream (whole_form.h).
#include "gateway/events/whole_form.h"

#include <inttypes.h>

#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/records/object.h"

// Writes the records of a schema; `index` moves from the first one to the one after the last.
static bool
write_records(const struct whole_form *self, struct reply *reply, const struct schema *schema,
              uint32_t *index, struct stream_sink *sink)
{
    uint32_t first = *index;
    for (; *index < reply->count && reply_record(reply, *index)->schema == schema; ++*index) {
        if (*index > first)
            buffer_put_char(&sink->out, ',');
        const frozen_t *shown = convention_shown(self->convention, reply_frozen(reply, *index));
        record_to_json(frozen_record(shown), NULL, &sink->out);
        record_unref(&shown);
        if (!sink->relieve(sink))
            return false;
    }
    return true;
}

bool
whole_form_write_snapshot(const struct whole_form *self, unsigned scene, struct reply *entities,
                          struct stream_sink *sink)
{
    const struct sse_place *place = &self->places[scene];
    struct buffer *out = &sink->out;
    uint32_t index = 0;
    sse_begin("snapshot", self->places, self->count, out);
    buffer_put_chars(out, "{\"scene\":");
    json_put_text(out, text_bytes(place->scene), text_size(place->scene));
    buffer_put_format(out, ",\"epoch\":%" PRIu64 ",\"seq\":%" PRIu64 ",\"objects\":[", place->epoch,
                      place->seq);
    if (!write_records(self, entities, &object_schema, &index, sink))
        return false;
    buffer_put_chars(out, "],\"properties\":[");
    if (index < entities->count &&
        !write_records(self, entities, reply_record(entities, index)->schema, &index, sink))
        return false;
    buffer_put_chars(out, "]}");
    sse_end(out);
    return true;
}

bool
whole_form_write_change(const struct whole_form *self, const struct event *event,
                        const uint64_t *prev, const struct caller *caller, struct stream_sink *sink)
{
    struct event shown = *event;
    shown.record = convention_shown(self->convention, event->record);
    sse_begin("change", self->places, self->count, &sink->out);
    sse_put_change(&shown, prev, caller, &sink->out);
    sse_end(&sink->out);
    record_unref(&shown.record);
    return sink->relieve(sink);
}
