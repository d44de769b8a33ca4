// news_changes.c - the changes of a tick as a viewer is told them (viewer.h): one message a
// channel, as far as 64 KiB hold it.
#include "gateway/foxglove/messages.h"
#include "gateway/foxglove/news.h"
#include "gateway/foxglove/news_log.h"
#include "proto/base/clock.h"
#include "proto/records/relation.h"

static void
change_transform(const struct news *self, const struct event *event)
{
    const struct record *record = event_record(event);
    if (event->msg_type == EVENT_OBJECT_CREATED || event->msg_type == EVENT_OBJECT_UPDATED) {
        news_put_object(self, object_of(record));
    } else if (event->msg_type == EVENT_DEVICE_REGISTERED) {
        news_put_device(self, device_of(record)->key, device_rare_of(device_of(record))->transform);
    } else if (event->msg_type == EVENT_ALIGNMENT_CHANGED) {
        const struct alignment_change *change =
            (const struct alignment_change *)(const void *)record;
        if (change->device)
            news_put_device(self, change->device, change->transform);
        else
            self->viewed->wants_links = true;
    }
}

static bool
change_transforms(const struct news *self, const struct event_batch *batch)
{
    struct stream_cursor *cursor = self->cursor;
    if (!news_is_wanted(self, MESSAGE_TRANSFORMS))
        return true;
    struct news_list listing = news_list_begin(news_channel(self, MESSAGE_TRANSFORMS),
                                               "{\"transforms\":[", &self->sink->out);
    for (; cursor->next < batch->count && !stream_sink_is_full(self->sink); cursor->next++)
        change_transform(self, &batch->events[cursor->next]);
    news_list_end(&listing, "]}", &self->sink->out);
    return cursor->next == batch->count;
}

// Deletions go to `out`, entities to `entities`, which stands behind them later.
static void
change_entity(const struct news *self, const struct event *event, struct buffer *entities)
{
    const struct object *object = object_of(event_record(event));
    bool is_gone = event->msg_type == EVENT_OBJECT_DELETED;
    if (!is_gone && event->msg_type != EVENT_OBJECT_CREATED &&
        event->msg_type != EVENT_OBJECT_UPDATED)
        return;
    if (is_gone || !message_is_visible(object)) {
        if (viewer_looks_drop(self->viewed, object->key))
            message_put_deletion(self->now_us, object->key, &self->sink->out);
    } else if (viewer_looks_take(self->viewed, object->key, message_looks(object))) {
        message_put_entity(self->now_us, self->viewed->key, object, self->viewer->assets, entities);
    }
}

static bool
change_entities(const struct news *self, const struct event_batch *batch)
{
    static const char between[] = "],\"entities\":[";
    struct stream_cursor *cursor = self->cursor;
    struct buffer entities = {0}, *out = &self->sink->out;
    if (!news_is_wanted(self, MESSAGE_SCENE))
        return true;
    struct news_list listing =
        news_list_begin(news_channel(self, MESSAGE_SCENE), "{\"deletions\":[", out);
    buffer_put_char(&entities, '[');
    for (; cursor->next < batch->count && out->size + entities.size < STREAM_WRITE_BYTES;
         cursor->next++)
        change_entity(self, &batch->events[cursor->next], &entities);
    if (entities.size > 1 || out->size > listing.empty) {
        buffer_put(out, between, sizeof between - 1);
        buffer_put(out, entities.data + 1, entities.size - 1);
    }
    news_list_end(&listing, "]}", out);
    buffer_finish(&entities);
    return cursor->next == batch->count;
}

static void
change_property(const struct news *self, const struct event *event)
{
    const struct record *record = event_record(event);
    if (event->msg_type == EVENT_PROPERTY_CREATED || event->msg_type == EVENT_PROPERTY_UPDATED)
        news_put_property(self, property_of(record));
    else if (event->msg_type == EVENT_PROPERTY_DELETED)
        news_remove_property(self, channels_known_property(&self->viewer->channels, self->scene,
                                                           record_key(record)));
    else if (event->msg_type == EVENT_SCENE_UPDATED)
        news_put_location(self, record);
}

static bool
change_properties(const struct news *self, const struct event_batch *batch)
{
    struct stream_cursor *cursor = self->cursor;
    for (; cursor->next < batch->count; cursor->next++) {
        if (stream_sink_is_full(self->sink))
            return false;
        change_property(self, &batch->events[cursor->next]);
    }
    return true;
}

static void
change_log(const struct news *self, const struct event_batch *batch)
{
    struct buffer words = {0};
    if (!news_is_wanted(self, MESSAGE_LOG))
        return;
    news_log_put(batch, &words);
    if (words.size)
        news_put_log(self, &words);
    buffer_finish(&words);
}

static bool
has_ended(const struct event_batch *batch)
{
    return batch->count && batch->events[batch->count - 1].msg_type == EVENT_SCENE_DELETED;
}

enum { CHANGE_TRANSFORMS, CHANGE_ENTITIES, CHANGE_PROPERTIES, CHANGE_REST };

bool
viewer_write_changes(struct stream_form *form, unsigned scene, const struct event_batch *batch,
                     struct stream_cursor *cursor, struct stream_sink *sink)
{
    struct viewer *viewer = viewer_of(form);
    const struct news news = {viewer, &viewer->scenes[scene], scene, clock_calendar_us(), cursor,
                              sink};
    while (cursor->part < CHANGE_REST) {
        if (stream_sink_is_full(sink))
            return false;
        bool is_whole = cursor->part == CHANGE_TRANSFORMS ? change_transforms(&news, batch)
                        : cursor->part == CHANGE_ENTITIES ? change_entities(&news, batch)
                                                          : change_properties(&news, batch);
        if (!is_whole)
            return false;
        *cursor = (struct stream_cursor){.part = cursor->part + 1};
    }
    change_log(&news, batch);
    if (has_ended(batch))
        news_end_scene(&news);
    return true;
}
