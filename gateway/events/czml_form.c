// czml_form.c - writes a stream as CZML (czml_form.h).
#include "gateway/events/czml_form.h"

#include <stdlib.h>

#include "gateway/events/czml_packet.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/codec/json_text.h"
#include "proto/records/asset.h"
#include "proto/records/device.h"
#include "proto/records/ids.h"
#include "proto/records/relation.h"

// A file that an object shows.
struct czml_file {
    const char *name; // of a model, for clients; NULL: it is none, or not to be read
    struct czml_file *next;
    struct text *key;
};

static const struct text *
key_of_file(const struct record *record)
{
    if (record->schema != &object_schema)
        return NULL;
    const struct texts *assets = object_of(record)->assets;
    return texts_count(assets) && text_size(assets->items[0]) ? assets->items[0] : NULL;
}

// --- the place ---

bool
czml_form_place(struct czml_form *self, const struct scene *scene)
{
    self->is_placed = scene_frame(scene, &self->frame);
    self->heading_deg = scene->heading_deg;
    if (self->is_placed)
        geo_frame_rotation(&self->frame, self->rotation);
    return self->is_placed;
}

static bool
is_here(const struct czml_form *self, const struct scene *scene)
{
    const struct geo_point *origin = &self->frame.origin;
    return scene_is_on_map(scene) && scene->latitude == origin->latitude_deg &&
           scene->longitude == origin->longitude_deg && scene->height_m == origin->height_m &&
           scene->heading_deg == self->heading_deg;
}

bool
czml_form_stays(const struct czml_form *self, const struct event *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (events[i].msg_type == EVENT_SCENE_UPDATED &&
            !is_here(self, scene_of(event_record(&events[i]))))
            return false;
    return true;
}

// --- files ---

void
czml_form_finish(struct czml_form *self)
{
    size_t cursor = 0;
    struct czml_file *file;
    while ((file = table_next(&self->files, &cursor)) != NULL) {
        free(file->key);
        free(file);
    }
    table_finish(&self->files);
}

static bool
has_key(const void *value, const void *key)
{
    return text_equal(((const struct czml_file *)value)->key, key);
}

static struct czml_file *
find_file(const struct czml_form *self, const struct text *key)
{
    return table_find(&self->files, table_hash_text(key), has_key, key);
}

bool
czml_form_note(struct czml_form *self, const struct record *record)
{
    const struct text *key = key_of_file(record);
    if (!key || find_file(self, key))
        return true;
    if (self->files.count == CZML_FILES_MOST)
        return false;
    struct czml_file *file = memory_take(sizeof *file);
    *file = (struct czml_file){.next = self->unasked, .key = text_duplicate(key)};
    self->unasked = file;
    self->bytes += sizeof *file + sizeof(struct table_slot) * 2 + text_size(key);
    table_add(&self->files, table_hash_text(key), file);
    return true;
}

bool
czml_form_wonders(const struct czml_form *self)
{
    return self->unasked != NULL;
}

struct message *
czml_form_question(struct czml_form *self)
{
    if (!self->unasked)
        return NULL;
    struct message *question = message_create(ASSET_BULK);
    struct arena *arena = &question->arena;
    struct texts *ids = arena_alloc(arena, sizeof *ids + self->files.count * sizeof(void *));
    for (; self->unasked && ids->count < LIMIT_RECORDS; self->unasked = self->unasked->next)
        ids->items[ids->count++] = text_copy(arena, self->unasked->key);
    struct record *wanted = record_new(arena, &ids_schema);
    ((struct ids *)(void *)wanted)->ids = ids;
    record_mark(wanted, IDS_IDS);
    question->records = records_new(arena, 1);
    question->records->items[question->records->count++] = wanted;
    return question;
}

void
czml_form_learn(struct czml_form *self, const struct reply *reply)
{
    for (uint32_t i = 0; i < reply->count; i++) {
        const struct record *asset = reply_record(reply, i);
        struct czml_file *file = find_file(self, record_key(asset));
        if (file)
            file->name = asset_model_name(asset_of(asset));
    }
}

// --- packets ---

static void
put_object(const struct czml_form *self, const struct record *record, struct buffer *out)
{
    const struct text *key = key_of_file(record);
    const struct czml_file *file = key ? find_file(self, key) : NULL;
    czml_packet_put_object(self, object_of(record), file ? file->name : NULL, out);
}

static bool
put_entity(const struct czml_form *self, const struct record *record, bool is_deleted,
           struct buffer *out)
{
    if (record->schema == &property_schema)
        return czml_packet_put_property((const struct property *)(const void *)record, is_deleted,
                                        out);
    if (is_deleted)
        czml_packet_put_end("", record_key(record), out);
    else
        put_object(self, record, out);
    return true;
}

// --- the state ---

enum { HEAD, ENTITIES, DEVICES }; // of a snapshot

static void
put_document(const struct scene *scene, struct buffer *out)
{
    const struct text *name = text_size(scene->name) ? scene->name : scene->key;
    buffer_put_chars(out, "[{\"id\":\"document\",\"name\":");
    json_put_text(out, text_bytes(name), text_size(name));
    buffer_put_chars(out, ",\"version\":\"1.0\"}");
}

static bool
write_entities(const struct czml_form *self, struct reply *reply, struct stream_cursor *cursor,
               struct stream_sink *sink)
{
    for (; cursor->next < reply->count; cursor->next++) {
        if (stream_sink_is_full(sink))
            return false;
        buffer_put_char(&sink->out, ',');
        if (!put_entity(self, reply_record(reply, cursor->next), false, &sink->out))
            sink->out.size--;
    }
    return true;
}

static bool
write_devices(const struct czml_form *self, const struct records *devices,
              struct stream_cursor *cursor, struct stream_sink *sink)
{
    for (; devices && cursor->next < devices->count; cursor->next++) {
        const struct device *device = device_of(devices->items[cursor->next]);
        if (stream_sink_is_full(sink))
            return false;
        buffer_put_char(&sink->out, ',');
        czml_packet_put_device(self, device->key, device_rare_of(device)->transform, &sink->out);
    }
    return true;
}

bool
czml_form_write_snapshot(const struct czml_form *self, const struct sse_place *place,
                         struct reply *entities, const struct scene *scene,
                         struct stream_cursor *cursor, struct stream_sink *sink)
{
    if (cursor->part == HEAD) {
        sse_begin("czml", place, 1, &sink->out);
        put_document(scene, &sink->out);
        *cursor = (struct stream_cursor){.part = ENTITIES};
    }
    if (cursor->part == ENTITIES) {
        if (!write_entities(self, entities, cursor, sink))
            return false;
        *cursor = (struct stream_cursor){.part = DEVICES};
    }
    if (!write_devices(self, scene->devices, cursor, sink))
        return false;
    buffer_put_char(&sink->out, ']');
    sse_end(&sink->out);
    return true;
}

// --- changes ---

// Of a device whose coordinates have moved.
static bool
put_correction(const struct czml_form *self, const struct record *record, struct buffer *out)
{
    const struct alignment_change *change = (const struct alignment_change *)(const void *)record;
    if (!text_size(change->device))
        return false;
    czml_packet_put_device(self, change->device, change->transform, out);
    return true;
}

// What has happened, as a packet; false if it is nothing that CZML shows.
static bool
put_change(const struct czml_form *self, const struct event *event, struct buffer *out)
{
    const struct record *record = event_record(event);
    switch (event->msg_type) {
    case EVENT_OBJECT_CREATED:
    case EVENT_OBJECT_UPDATED:
    case EVENT_OBJECT_DELETED:
    case EVENT_PROPERTY_CREATED:
    case EVENT_PROPERTY_UPDATED:
    case EVENT_PROPERTY_DELETED:
        return put_entity(self, record, event_is_delete(event->msg_type), out);
    case EVENT_DEVICE_REGISTERED:
        czml_packet_put_device(self, device_of(record)->key,
                               device_rare_of(device_of(record))->transform, out);
        return true;
    case EVENT_DEVICE_DEREGISTERED:
        czml_packet_put_device(self, device_of(record)->key, NULL, out);
        return true;
    case EVENT_ALIGNMENT_CHANGED:
        return put_correction(self, record, out);
    default:
        return false;
    }
}

void
czml_form_write_change(const struct czml_form *self, const struct sse_place *place,
                       const struct event *event, struct stream_sink *sink)
{
    size_t start = sink->out.size;
    sse_begin("czml", place, 1, &sink->out);
    if (event->msg_type == EVENT_SCENE_DELETED) {
        put_document(scene_of(event_record(event)), &sink->out); // and nothing else
    } else {
        buffer_put_char(&sink->out, '[');
        if (!put_change(self, event, &sink->out)) {
            sink->out.size = start;
            return;
        }
    }
    buffer_put_char(&sink->out, ']');
    sse_end(&sink->out);
}
