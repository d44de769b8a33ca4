// channels.c - finds channels by what names them (channels.h).
#include "gateway/foxglove/channels.h"

#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/codec/json_text.h"
#include "proto/codec/json_write.h"

static const char *const topics[CHANNELS_OF_SCENE] = {
    [MESSAGE_TRANSFORMS] = "tf",
    [MESSAGE_SCENE] = "scene",
    [MESSAGE_LOCATION] = "location",
    [MESSAGE_LOG] = "events",
};

void
channels_init(struct channels *self, unsigned scenes)
{
    unsigned count = scenes * CHANNELS_OF_SCENE;
    *self = (struct channels){.scenes = scenes, .next_id = count + 1};
    self->fixed = memory_take_zeroed(count * sizeof *self->fixed);
    for (unsigned i = 0; i < count; i++) {
        self->fixed[i].id = i + 1;
        self->fixed[i].scene = i / CHANNELS_OF_SCENE;
    }
}

static void
destroy(struct channel *channel)
{
    free(channel->property);
    free(channel->name);
    free(channel);
}

void
channels_finish(struct channels *self)
{
    size_t cursor = 0;
    for (struct channel *channel; (channel = table_next(&self->by_id, &cursor)) != NULL;)
        destroy(channel);
    table_finish(&self->by_id);
    table_finish(&self->properties);
    table_finish(&self->names);
    table_finish(&self->subscriptions);
    free(self->fixed);
}

struct channel *
channels_of_scene(const struct channels *self, unsigned scene, enum message_kind kind)
{
    return &self->fixed[scene * CHANNELS_OF_SCENE + kind];
}

// --- finding ---

// A property of a scene, by its key or by its name.
struct wanted {
    unsigned scene;
    const struct text *text;
};

static uint64_t
hash_of(unsigned scene, const struct text *text)
{
    return table_hash_u64(table_hash_text(text) ^ scene);
}

static bool
has_key(const void *value, const void *key)
{
    const struct channel *channel = value;
    const struct wanted *wanted = key;
    return channel->scene == wanted->scene && text_equal(channel->property, wanted->text);
}

static bool
has_name(const void *value, const void *key)
{
    const struct channel *channel = value;
    const struct wanted *wanted = key;
    return channel->scene == wanted->scene && text_equal(channel->name, wanted->text);
}

static bool
has_id(const void *value, const void *key)
{
    const struct channel *channel = value;
    const uint32_t *id = key;
    return channel->id == *id;
}

static bool
has_subscription(const void *value, const void *key)
{
    const struct channel *channel = value;
    const uint32_t *subscription = key;
    return channel->subscription == *subscription;
}

struct channel *
channels_find(const struct channels *self, uint32_t id)
{
    if (id >= 1 && id <= self->scenes * CHANNELS_OF_SCENE)
        return &self->fixed[id - 1];
    return table_find(&self->by_id, table_hash_u64(id), has_id, &id);
}

struct channel *
channels_subscribed(const struct channels *self, uint32_t subscription)
{
    return table_find(&self->subscriptions, table_hash_u64(subscription), has_subscription,
                      &subscription);
}

struct channel *
channels_known_property(const struct channels *self, unsigned scene, const struct text *key)
{
    const struct wanted wanted = {scene, key};
    return table_find(&self->properties, hash_of(scene, key), has_key, &wanted);
}

// --- changing ---

void
channels_subscribe(struct channels *self, struct channel *channel, uint32_t subscription)
{
    channel->subscription = subscription;
    channel->is_subscribed = true;
    table_add(&self->subscriptions, table_hash_u64(subscription), channel);
}

void
channels_unsubscribe(struct channels *self, struct channel *channel)
{
    if (!channel->is_subscribed)
        return;
    channel->is_subscribed = false;
    table_remove(&self->subscriptions, table_hash_u64(channel->subscription), channel);
}

static struct channel *
make_property(struct channels *self, unsigned scene, const struct text *key,
              const struct text *name)
{
    const struct wanted wanted = {scene, text_size(name) ? name : key};
    struct channel *channel = memory_take_zeroed(sizeof *channel);
    channel->id = self->next_id++;
    channel->scene = scene;
    channel->property = text_duplicate(key);
    channel->name = text_duplicate(wanted.text);
    uint64_t hash = hash_of(scene, channel->name);
    channel->is_named_by_key = table_find(&self->names, hash, has_name, &wanted) != NULL;
    if (!channel->is_named_by_key)
        table_add(&self->names, hash, channel);
    table_add(&self->properties, hash_of(scene, key), channel);
    table_add(&self->by_id, table_hash_u64(channel->id), channel);
    return channel;
}

struct channel *
channels_property(struct channels *self, unsigned scene, const struct text *key,
                  const struct text *name, bool *ret_new)
{
    struct channel *channel = channels_known_property(self, scene, key);
    *ret_new = false;
    if (channel)
        return channel;
    if (self->by_id.count == CHANNELS_PROPERTIES_MOST) {
        self->is_full = true;
        return NULL;
    }
    *ret_new = true;
    return make_property(self, scene, key, name);
}

void
channels_remove_property(struct channels *self, struct channel *channel)
{
    channels_unsubscribe(self, channel);
    table_remove(&self->properties, hash_of(channel->scene, channel->property), channel);
    table_remove(&self->names, hash_of(channel->scene, channel->name), channel);
    table_remove(&self->by_id, table_hash_u64(channel->id), channel);
    destroy(channel);
}

// --- telling ---

enum message_kind
channel_kind(const struct channel *self)
{
    return self->property ? MESSAGE_PROPERTY
                          : (enum message_kind)((self->id - 1) % CHANNELS_OF_SCENE);
}

static void
put_topic(const struct channel *self, const struct text *scene, struct buffer *out)
{
    struct buffer topic = {0};
    buffer_put_char(&topic, '/');
    buffer_put(&topic, text_bytes(scene), text_size(scene));
    buffer_put_char(&topic, '/');
    if (self->property) {
        buffer_put_chars(&topic, "properties/");
        buffer_put(&topic, text_bytes(self->name), text_size(self->name));
        if (self->is_named_by_key) {
            buffer_put_char(&topic, '.');
            buffer_put(&topic, text_bytes(self->property), text_size(self->property));
        }
    } else {
        buffer_put_chars(&topic, topics[channel_kind(self)]);
    }
    json_write_value_begin(out, "topic");
    json_put_text(out, topic.data, topic.size);
    buffer_finish(&topic);
}

void
channel_put(const struct channel *self, const struct text *scene, struct buffer *out)
{
    struct buffer schema = {0};
    schema_put(channel_kind(self), &schema);
    json_write_begin(out, NULL, '{');
    json_write_number(out, "id", self->id);
    put_topic(self, scene, out);
    json_write_text(out, "encoding", "json");
    json_write_text(out, "schemaName", schema_name(channel_kind(self)));
    json_write_value_begin(out, "schema");
    json_put_text(out, schema.data, schema.size);
    json_write_text(out, "schemaEncoding", "jsonschema");
    json_write_end(out, '}');
    buffer_finish(&schema);
}

size_t
channels_size(const struct channels *self)
{
    enum { SLOTS_BYTES = 128, TEXT_BYTES = 96 }; // of a property, in four tables; of its texts
    return self->scenes * CHANNELS_OF_SCENE * sizeof(struct channel) +
           self->by_id.count * (sizeof(struct channel) + SLOTS_BYTES + TEXT_BYTES);
}
