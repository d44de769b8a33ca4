// whole_form.c - writes the usual form of a stream (whole_form.h).
#include "gateway/events/whole_form.h"

#include <inttypes.h>

#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

enum { HEAD, OBJECTS, PROPERTIES }; // of a snapshot

// Writes the records of a schema from the cursor on; false if the sink is full before the last one.
static bool
write_records(const struct whole_form *self, struct reply *reply, const struct schema *schema,
              struct stream_cursor *cursor, struct stream_sink *sink)
{
    for (; cursor->next < reply->count && reply_record(reply, cursor->next)->schema == schema;
         cursor->next++) {
        if (stream_sink_is_full(sink))
            return false;
        if (cursor->has_items)
            buffer_put_char(&sink->out, ',');
        cursor->has_items = true;
        const frozen_t *shown =
            convention_shown(self->convention, reply_frozen(reply, cursor->next));
        record_to_json(frozen_record(shown), NULL, &sink->out);
        record_unref(&shown);
    }
    return true;
}

static void
begin_part(struct stream_cursor *cursor, unsigned part)
{
    cursor->part = part;
    cursor->has_items = false;
}

static void
write_head(const struct whole_form *self, unsigned scene, struct buffer *out)
{
    const struct sse_place *place = &self->places[scene];
    sse_begin("snapshot", self->places, self->count, out);
    buffer_put_chars(out, "{\"scene\":");
    json_put_text(out, text_bytes(place->scene), text_size(place->scene));
    buffer_put_format(out, ",\"epoch\":%" PRIu64 ",\"seq\":%" PRIu64 ",\"objects\":[", place->epoch,
                      place->seq);
}

bool
whole_form_write_snapshot(const struct whole_form *self, unsigned scene, struct reply *entities,
                          struct stream_cursor *cursor, struct stream_sink *sink)
{
    struct buffer *out = &sink->out;
    if (cursor->part == HEAD) {
        write_head(self, scene, out);
        begin_part(cursor, OBJECTS);
    }
    if (cursor->part == OBJECTS) {
        if (!write_records(self, entities, &object_schema, cursor, sink))
            return false;
        buffer_put_chars(out, "],\"properties\":[");
        begin_part(cursor, PROPERTIES);
    }
    if (!write_records(self, entities, &property_schema, cursor, sink))
        return false;
    buffer_put_chars(out, "]}");
    sse_end(out);
    return true;
}

void
whole_form_write_change(const struct whole_form *self, const struct event *event,
                        const uint64_t *prev, const struct caller *caller, struct stream_sink *sink)
{
    struct event shown = *event;
    shown.record = convention_shown(self->convention, event->record);
    sse_begin("change", self->places, self->count, &sink->out);
    sse_put_change(&shown, prev, caller, &sink->out);
    sse_end(&sink->out);
    record_unref(&shown.record);
}
