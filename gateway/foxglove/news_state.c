// news_state.c - the state of a scene as a viewer is told it (viewer.h), in pieces of 64 KiB.
#include "gateway/foxglove/messages.h"
#include "gateway/foxglove/news.h"
#include "proto/base/clock.h"

static bool
is_object(const struct reply *entities, uint32_t i)
{
    return i < entities->count && reply_record(entities, i)->schema == &object_schema;
}

static bool
state_transforms(const struct news *self, const struct reply *entities)
{
    struct stream_cursor *cursor = self->cursor;
    if (!news_is_wanted(self, MESSAGE_TRANSFORMS))
        return true;
    struct news_list listing = news_list_begin(news_channel(self, MESSAGE_TRANSFORMS),
                                               "{\"transforms\":[", &self->sink->out);
    for (; is_object(entities, cursor->next) && !stream_sink_is_full(self->sink); cursor->next++)
        news_put_object(self, object_of(reply_record(entities, cursor->next)));
    news_list_end(&listing, "]}", &self->sink->out);
    return !is_object(entities, cursor->next);
}

static bool
state_devices(const struct news *self, const struct record *record)
{
    const struct records *devices = record ? scene_of(record)->devices : NULL;
    struct stream_cursor *cursor = self->cursor;
    uint32_t count = devices ? devices->count : 0;
    if (!news_is_wanted(self, MESSAGE_TRANSFORMS))
        return true;
    struct news_list listing = news_list_begin(news_channel(self, MESSAGE_TRANSFORMS),
                                               "{\"transforms\":[", &self->sink->out);
    for (; cursor->next < count && !stream_sink_is_full(self->sink); cursor->next++) {
        const struct device *device = device_of(devices->items[cursor->next]);
        news_put_device(self, device->key, device_rare_of(device)->transform);
    }
    news_list_end(&listing, "]}", &self->sink->out);
    return cursor->next >= count;
}

static bool
state_entities(const struct news *self, const struct reply *entities)
{
    struct stream_cursor *cursor = self->cursor;
    struct buffer *out = &self->sink->out;
    if (!news_is_wanted(self, MESSAGE_SCENE))
        return true;
    if (!cursor->has_items)
        news_forget_entities(self);
    cursor->has_items = true;
    struct news_list listing =
        news_list_begin(news_channel(self, MESSAGE_SCENE), "{\"deletions\":[],\"entities\":[", out);
    for (; is_object(entities, cursor->next) && !stream_sink_is_full(self->sink); cursor->next++) {
        const struct object *object = object_of(reply_record(entities, cursor->next));
        if (!message_is_visible(object))
            continue;
        (void)viewer_looks_take(self->viewed, object->key, message_looks(object));
        message_put_entity(self->now_us, self->viewed->key, object, self->viewer->assets, out);
    }
    news_list_end(&listing, "]}", out);
    return !is_object(entities, cursor->next);
}

static bool
state_properties(const struct news *self, const struct reply *entities)
{
    struct stream_cursor *cursor = self->cursor;
    if (!cursor->has_items)
        news_sweep_properties(self, false);
    cursor->has_items = true;
    for (; cursor->next < entities->count; cursor->next++) {
        if (is_object(entities, cursor->next))
            continue;
        if (stream_sink_is_full(self->sink))
            return false;
        news_put_property(self, property_of(reply_record(entities, cursor->next)));
    }
    news_sweep_properties(self, true);
    return true;
}

static void
state_log(const struct news *self, const struct reply *entities)
{
    struct buffer words = {0};
    uint32_t objects = 0;
    if (!news_is_wanted(self, MESSAGE_LOG))
        return;
    while (is_object(entities, objects))
        objects++;
    buffer_put_format(&words, "%u objects, %u properties", objects, entities->count - objects);
    news_put_log(self, &words);
    buffer_finish(&words);
}

enum { STATE_TRANSFORMS, STATE_DEVICES, STATE_ENTITIES, STATE_PROPERTIES, STATE_REST };

bool
viewer_write_state(struct stream_form *form, unsigned scene, struct reply *entities,
                   const struct record *record, struct stream_cursor *cursor,
                   struct stream_sink *sink)
{
    struct viewer *viewer = viewer_of(form);
    const struct news news = {viewer, &viewer->scenes[scene], scene, clock_calendar_us(), cursor,
                              sink};
    while (cursor->part < STATE_REST) {
        if (stream_sink_is_full(sink))
            return false;
        bool is_whole = cursor->part == STATE_TRANSFORMS ? state_transforms(&news, entities)
                        : cursor->part == STATE_DEVICES  ? state_devices(&news, record)
                        : cursor->part == STATE_ENTITIES ? state_entities(&news, entities)
                                                         : state_properties(&news, entities);
        if (!is_whole)
            return false;
        *cursor = (struct stream_cursor){.part = cursor->part + 1};
    }
    news_put_location(&news, record);
    state_log(&news, entities);
    return true;
}
