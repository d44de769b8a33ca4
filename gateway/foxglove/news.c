// news.c - the parts of what a viewer is told of a scene (news.h).
#include "gateway/foxglove/news.h"

#include <stdlib.h>

#include "gateway/foxglove/messages.h"
#include "proto/base/memory.h"

// --- lists in messages ---

struct news_list
news_list_begin(const struct channel *channel, const char *head, struct buffer *out)
{
    struct news_list listing = {.begin = viewer_message_begin(channel, out)};
    buffer_put_chars(out, head);
    listing.empty = out->size;
    return listing;
}

void
news_list_end(const struct news_list *self, const char *tail, struct buffer *out)
{
    if (out->size == self->empty) {
        out->size = self->begin;
        return;
    }
    buffer_put_chars(out, tail);
    viewer_message_end(out, self->begin);
}

struct channel *
news_channel(const struct news *self, enum message_kind kind)
{
    return channels_of_scene(&self->viewer->channels, self->scene, kind);
}

bool
news_is_wanted(const struct news *self, enum message_kind kind)
{
    return news_channel(self, kind)->is_subscribed;
}

void
news_put_object(const struct news *self, const struct object *object)
{
    const struct frame frame = {.scene = self->viewed->key, .thing = object->key};
    message_put_transform(self->now_us, self->viewed->key, &frame, object->transform,
                          &self->sink->out);
}

void
news_put_device(const struct news *self, const struct text *key, const struct record *pose)
{
    const struct frame frame = {.scene = self->viewed->key, .thing = key, .is_device = true};
    double matrix[16];
    if (!pose)
        return; // nobody has said where it is
    message_pose_matrix(pose, matrix);
    message_put_transform(self->now_us, self->viewed->key, &frame, matrix, &self->sink->out);
}

// --- properties ---

static void
advertise(const struct news *self, const struct channel *channel)
{
    size_t begin = websocket_begin(&self->sink->out);
    buffer_put_chars(&self->sink->out, "{\"op\":\"advertise\",\"channels\":[");
    channel_put(channel, self->viewed->key, &self->sink->out);
    buffer_put_chars(&self->sink->out, "]}");
    websocket_end(&self->sink->out, begin, WEBSOCKET_TEXT);
}

void
news_remove_property(const struct news *self, struct channel *channel)
{
    if (!channel)
        return;
    size_t begin = websocket_begin(&self->sink->out);
    buffer_put_format(&self->sink->out, "{\"op\":\"unadvertise\",\"channelIds\":[%u]}",
                      channel->id);
    websocket_end(&self->sink->out, begin, WEBSOCKET_TEXT);
    channels_remove_property(&self->viewer->channels, channel);
}

static void
tell_full(struct viewer *viewer)
{
    if (!viewer->has_told_full)
        viewer_tell(viewer, 1, "there are too many properties: some have no channel");
    viewer->has_told_full = true;
}

void
news_put_property(const struct news *self, const struct property *property)
{
    bool is_new;
    struct channel *channel = channels_property(&self->viewer->channels, self->scene, property->key,
                                                property->name, &is_new);
    if (!channel) {
        tell_full(self->viewer);
        return;
    }
    channel->is_current = true;
    if (is_new)
        advertise(self, channel);
    if (!channel->is_subscribed)
        return;
    size_t begin = viewer_message_begin(channel, &self->sink->out);
    message_put_property(self->now_us, property, &self->sink->out);
    viewer_message_end(&self->sink->out, begin);
}

// Marks the properties of the scene as not current, or removes those that still are not.
void
news_sweep_properties(const struct news *self, bool removes)
{
    const struct table *table = &self->viewer->channels.by_id;
    struct channel **gone = memory_take((table->count + 1) * sizeof(struct channel *));
    size_t cursor = 0, count = 0;
    for (struct channel *channel; (channel = table_next(table, &cursor)) != NULL;) {
        if (channel->scene != self->scene)
            continue;
        if (removes && !channel->is_current)
            gone[count++] = channel;
        channel->is_current = false;
    }
    for (size_t i = 0; i < count; i++)
        news_remove_property(self, gone[i]);
    free(gone);
}

void
news_put_location(const struct news *self, const struct record *record)
{
    const struct channel *channel = news_channel(self, MESSAGE_LOCATION);
    if (!record || !channel->is_subscribed || !scene_is_on_map(scene_of(record)))
        return;
    size_t begin = viewer_message_begin(channel, &self->sink->out);
    message_put_location(self->now_us, scene_of(record), &self->sink->out);
    viewer_message_end(&self->sink->out, begin);
}

void
news_put_log(const struct news *self, const struct buffer *words)
{
    size_t begin = viewer_message_begin(news_channel(self, MESSAGE_LOG), &self->sink->out);
    message_put_log(self->now_us, words->data, words->size, self->viewed->key, &self->sink->out);
    viewer_message_end(&self->sink->out, begin);
}

void
news_forget_entities(const struct news *self)
{
    table_clear(&self->viewed->looks);
    size_t begin = viewer_message_begin(news_channel(self, MESSAGE_SCENE), &self->sink->out);
    buffer_put_chars(&self->sink->out, "{\"deletions\":[");
    message_put_deletion(self->now_us, NULL, &self->sink->out);
    buffer_put_chars(&self->sink->out, "],\"entities\":[]}");
    viewer_message_end(&self->sink->out, begin);
}

void
news_end_scene(const struct news *self)
{
    struct channels *channels = &self->viewer->channels;
    struct buffer *out = &self->sink->out;
    if (news_is_wanted(self, MESSAGE_SCENE))
        news_forget_entities(self);
    news_sweep_properties(self, false);
    news_sweep_properties(self, true);
    size_t begin = websocket_begin(out);
    buffer_put_chars(out, "{\"op\":\"unadvertise\",\"channelIds\":[");
    for (unsigned kind = 0; kind < CHANNELS_OF_SCENE; kind++) {
        struct channel *channel = news_channel(self, kind);
        buffer_put_format(out, "%s%u", kind ? "," : "", channel->id);
        channels_unsubscribe(channels, channel);
    }
    buffer_put_chars(out, "]}");
    websocket_end(out, begin, WEBSOCKET_TEXT);
}
