// topic.h - what the catalogue tells of: kinds of records that stand by themselves, and in no
// scene. Each is a topic, which clients follow by its name. Pure.
#ifndef DIORAMA_PROTO_FEED_TOPIC_H
#define DIORAMA_PROTO_FEED_TOPIC_H

#include "proto/feed/event.h"

enum { TOPIC_SCENES, TOPIC_ASSETS, TOPIC_COLLECTIONS, TOPIC_PROJECTS, TOPIC_USERS, TOPIC_COUNT };

// A row: the array of its schema is its name, the noun of that names one record.
struct topic {
    const struct schema *schema;
    uint8_t created;   // enum event_type; updated and deleted are the next two
    uint8_t owner;     // id of the member with the user it belongs to
    uint8_t is_public; // the same, whether everybody may read it; NO_FIELD: none is public
};

extern const struct topic topics[TOPIC_COUNT];

// The topic that clients call so, or NULL.
const struct topic *topic_named(const struct text *name);

// The topic that an event is of, or NULL: it is of what is in a scene.
const struct topic *topic_of(uint8_t msg_type);

// Its place in the table.
static inline unsigned
topic_index(const struct topic *self)
{
    return (unsigned)(self - topics);
}

// Stands in events for the id of a scene, which is never even.
static inline uint64_t
topic_id(const struct topic *self)
{
    return 2 * (uint64_t)topic_index(self);
}
static inline bool
topic_has_id(uint64_t scene_id)
{
    return scene_id % 2 == 0;
}

// Whether everybody may read the record.
bool topic_is_public(const struct topic *self, const struct record *record);
// Whether the caller may.
bool topic_is_seen(const struct topic *self, const struct record *record,
                   const struct caller *caller);

#endif
