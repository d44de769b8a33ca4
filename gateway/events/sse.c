// sse.c - frames server-sent events. Pure. Data is one line of JSON whose text is escaped, so no
// record can end a line or begin an event.
#include "gateway/events/sse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/http/percent.h"
#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/records/device.h"
#include "proto/records/lock.h"
#include "proto/records/scene.h"

// --- ids ---

static void
put_place(const struct sse_place *place, struct buffer *out)
{
    buffer_put_format(out, "%" PRIu64 "-%" PRIu64, place->epoch, place->seq);
}

static void
put_id(const struct sse_place *places, unsigned count, struct buffer *out)
{
    for (unsigned i = 0; i < count; i++) {
        if (count > 1) {
            buffer_put_chars(out, i ? "," : "");
            percent_encode(out, places[i].scene);
            buffer_put_char(out, ':');
        }
        put_place(&places[i], out);
    }
}

// Reads digits up to `end`.
static bool
read_number(const char **at, char end, uint64_t *ret_number)
{
    char *stop;
    if (**at < '0' || **at > '9')
        return false;
    *ret_number = strtoull(*at, &stop, 10);
    *at = stop;
    if (end && *stop == end)
        ++*at;
    return !end || *stop == end;
}

// Reads `<epoch>-<seq>`, then a comma or the end.
static void
read_place(const char *at, struct sse_place *place)
{
    uint64_t epoch, seq;
    if (!read_number(&at, '-', &epoch) || !read_number(&at, '\0', &seq) || (*at && *at != ','))
        return;
    place->epoch = epoch;
    place->seq = seq;
}

// The part after the name of the item, which has `size` bytes; NULL if it names another scene. An
// item without a name belongs to the only scene.
static const char *
item_of(const char *item, size_t size, const struct buffer *name, bool is_only)
{
    const char *colon = memchr(item, ':', size);
    if (!colon)
        return is_only ? item : NULL;
    bool is_named = (size_t)(colon - item) == name->size && name->size > 0 &&
                    memcmp(item, name->data, name->size) == 0;
    return is_named ? colon + 1 : NULL;
}

void
sse_read_id(const char *id, struct sse_place *places, unsigned count)
{
    struct buffer name = {0};
    for (unsigned i = 0; i < count && *id; i++) {
        buffer_clear(&name);
        percent_encode(&name, places[i].scene);
        for (const char *at = id; *at;) {
            size_t size = strcspn(at, ",");
            const char *place = item_of(at, size, &name, count == 1);
            if (place)
                read_place(place, &places[i]);
            at += size + (at[size] == ',');
        }
    }
    buffer_finish(&name);
}

// --- events ---

void
sse_begin(const char *name, const struct sse_place *places, unsigned count, struct buffer *out)
{
    buffer_put_format(out, "event: %s\nid: ", name);
    put_id(places, count, out);
    buffer_put_chars(out, "\ndata: ");
}

void
sse_end(struct buffer *out)
{
    buffer_put_chars(out, "\n\n");
}

void
sse_put_comment(const char *words, struct buffer *out)
{
    buffer_put_format(out, ": %s\n\n", words);
}

static bool
may_see_device(const struct caller *caller, const struct device *device)
{
    return caller->role == CALLER_TRUSTED || caller->role == CALLER_ADMIN ||
           (text_size(device->user) && text_is(device->user, caller->user));
}

// The name of the member with the record. For a scene it is not its noun, because that is the key.
static const char *
member_of(const struct event *event)
{
    const char *noun = event_noun(event->msg_type);
    return strcmp(noun, "scene") == 0 ? "record" : noun;
}

struct view
sse_view(const struct record *record, const struct caller *caller)
{
    struct view view = {.fields = 0};
    if (record->schema == &device_schema && !may_see_device(caller, device_of(record)))
        view.fields = FIELD_BIT(DEVICE_KEY) | FIELD_BIT(DEVICE_TRANSFORM);
    if (record->schema == &scene_schema) {
        view = scene_view_full;
        view.fields &= ~(FIELD_BIT(SCENE_DEVICES) | FIELD_BIT(SCENE_DISTANCE));
    }
    return view;
}

bool
sse_may_hear(const struct event *event, const struct caller *caller)
{
    if (event->msg_type != EVENT_LOCK_ASKED || caller->role == CALLER_TRUSTED)
        return true;
    const struct text *user = lock_ask_of(event_record(event))->user;
    return text_size(user) && text_is(user, caller->user);
}

void
sse_put_ask(const struct event *event, struct buffer *out)
{
    const struct text *scene = frozen_key(event->scene);
    buffer_put_format(out, "event: ask\ndata: {\"msg_type\":%u,\"scene\":", event->msg_type);
    json_put_text(out, text_bytes(scene), text_size(scene));
    buffer_put_format(out, ",\"time_us\":%" PRIu64 ",\"ask\":", event->time_us);
    record_to_json(event_record(event), NULL, out);
    buffer_put_char(out, '}');
    sse_end(out);
}

static void
put_record(const struct event *event, const struct caller *caller, struct buffer *out)
{
    const struct view view = sse_view(event_record(event), caller);
    record_to_json(event_record(event), &view, out);
}

void
sse_put_change(const struct event *event, const uint64_t *prev, const struct caller *caller,
               struct buffer *out)
{
    const struct text *scene = frozen_key(event->scene);
    buffer_put_format(out, "{\"msg_type\":%u,\"seq\":%" PRIu64 ",", event->msg_type, event->seq);
    if (prev)
        buffer_put_format(out, "\"prev\":%" PRIu64 ",", *prev);
    buffer_put_chars(out, "\"scene\":");
    json_put_text(out, text_bytes(scene), text_size(scene));
    buffer_put_format(out, ",\"%s\":", member_of(event));
    put_record(event, caller, out);
    const char *reason = event_reason_name(event->reason);
    if (reason)
        buffer_put_format(out, ",\"reason\":\"%s\"", reason);
    buffer_put_char(out, '}');
}
