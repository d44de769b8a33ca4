// channels.h - what a viewer may subscribe to: four channels of each scene, and one of each of its
// properties, as they come and go; and which subscription each of them has. Pure; one thread.
#ifndef DIORAMA_GATEWAY_FOXGLOVE_CHANNELS_H
#define DIORAMA_GATEWAY_FOXGLOVE_CHANNELS_H

#include "gateway/foxglove/schemas.h"
#include "proto/base/table.h"

enum {
    CHANNELS_OF_SCENE = MESSAGE_PROPERTY, // its messages but those of properties
    CHANNELS_PROPERTIES_MOST = 2048,      // of a viewer; further ones have no channel
};

struct channel {
    uint32_t id;
    uint32_t subscription;
    unsigned scene; // its number
    bool is_subscribed;
    bool is_current;       // of a property: it is in the state that is being written
    bool is_named_by_key;  // another property of the scene has its name
    struct text *property; // its key, owned; NULL: one of the four of a scene
    struct text *name;     // in the topic, owned
};

// Embedded; all zero but for what channels_init sets.
struct channels {
    unsigned scenes;
    struct channel *fixed;      // CHANNELS_OF_SCENE for each scene
    struct table properties;    // struct channel by scene and key
    struct table names;         // the same by scene and name, those that have the name alone
    struct table by_id;         // the same by id
    struct table subscriptions; // struct channel, of both kinds, by subscription
    uint32_t next_id;
    bool is_full; // there was no room for a property
};

void channels_init(struct channels *self, unsigned scenes);
void channels_finish(struct channels *self);

// A channel of a scene.
struct channel *channels_of_scene(const struct channels *self, unsigned scene,
                                  enum message_kind kind);

// The channel with this id, or NULL; the one with this subscription, or NULL.
struct channel *channels_find(const struct channels *self, uint32_t id);
struct channel *channels_subscribed(const struct channels *self, uint32_t subscription);

// Subscribes a channel that is not, by a number that is not used.
void channels_subscribe(struct channels *self, struct channel *channel, uint32_t subscription);
void channels_unsubscribe(struct channels *self, struct channel *channel);

// The channel of a property, which is made where there is none (*ret_new); NULL: there are too
// many.
struct channel *channels_property(struct channels *self, unsigned scene, const struct text *key,
                                  const struct text *name, bool *ret_new);
// The same, or NULL if there is none.
struct channel *channels_known_property(const struct channels *self, unsigned scene,
                                        const struct text *key);
// The property is gone.
void channels_remove_property(struct channels *self, struct channel *channel);

// Appends an item of `channels` of an advertisement.
void channel_put(const struct channel *self, const struct text *scene, struct buffer *out);

// What its messages are.
enum message_kind channel_kind(const struct channel *self);

// Bytes that they hold.
size_t channels_size(const struct channels *self);

#endif
