// news.h - what a viewer is told of a scene, part by part: news_state.c and news_changes.c put it
// together. Times are those of writing: a viewer takes what has an older time than what it knows
// for old.
#ifndef DIORAMA_GATEWAY_FOXGLOVE_NEWS_H
#define DIORAMA_GATEWAY_FOXGLOVE_NEWS_H

#include "gateway/foxglove/viewer.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

// What is written at the moment: a scene of a viewer.
struct news {
    struct viewer *viewer;
    struct viewed_scene *viewed;
    unsigned scene;
    uint64_t now_us;
    struct stream_cursor *cursor;
    struct stream_sink *sink;
};

// A message with a list that is written in pieces. It is taken back where nothing has come.
struct news_list {
    size_t begin, empty;
};

struct news_list news_list_begin(const struct channel *channel, const char *head,
                                 struct buffer *out);
void news_list_end(const struct news_list *self, const char *tail, struct buffer *out);

struct channel *news_channel(const struct news *self, enum message_kind kind);
bool news_is_wanted(const struct news *self, enum message_kind kind);

// Items of lists of transforms. A device whose place nobody has said has none.
void news_put_object(const struct news *self, const struct object *object);
void news_put_device(const struct news *self, const struct text *key, const struct record *pose);

// Advertises the channel of a property that has none, and tells the values to who has subscribed.
void news_put_property(const struct news *self, const struct property *property);
// Its channel (or NULL) ends.
void news_remove_property(const struct news *self, struct channel *channel);
// Marks the properties of the scene as not current, or removes those that still are not.
void news_sweep_properties(const struct news *self, bool removes);

// Whole messages, where they are wanted. The first has the client forget all entities: it may have
// some that are there no more.
void news_forget_entities(const struct news *self);
void news_put_location(const struct news *self, const struct record *scene);
void news_put_log(const struct news *self, const struct buffer *words);

// The scene is gone, with all its channels.
void news_end_scene(const struct news *self);

static inline const struct property *
property_of(const struct record *record)
{
    return (const struct property *)(const void *)record;
}

#endif
