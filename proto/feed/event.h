// event.h - one change of a scene, or of what stands beside scenes, after it was applied.
#ifndef DIORAMA_PROTO_FEED_EVENT_H
#define DIORAMA_PROTO_FEED_EVENT_H

#include "proto/message/message.h"
#include "proto/records/scene.h"

enum event_type {
    EVENT_OBJECT_CREATED = 0,
    EVENT_OBJECT_UPDATED = 1,
    EVENT_OBJECT_DELETED = 3,
    EVENT_PROPERTY_CREATED = 8,
    EVENT_PROPERTY_UPDATED = 9,
    EVENT_PROPERTY_DELETED = 11,
    EVENT_OBJECT_KEYFRAME_CREATED = 15,
    EVENT_OBJECT_KEYFRAME_UPDATED = 16,
    EVENT_OBJECT_KEYFRAME_DELETED = 18,
    EVENT_OBJECT_ACTION_CREATED = 19,
    EVENT_OBJECT_ACTION_UPDATED = 20,
    EVENT_OBJECT_ACTION_DELETED = 22,
    EVENT_PROPERTY_KEYFRAME_CREATED = 23,
    EVENT_PROPERTY_KEYFRAME_UPDATED = 24,
    EVENT_PROPERTY_KEYFRAME_DELETED = 26,
    EVENT_PROPERTY_ACTION_CREATED = 27,
    EVENT_PROPERTY_ACTION_UPDATED = 28,
    EVENT_PROPERTY_ACTION_DELETED = 30,
    EVENT_LAST_FOR_DEVICES = 30, // devices get 0 to 30; servers and browsers get all
    EVENT_SCENE_CREATED = 40,
    EVENT_SCENE_UPDATED = 41,
    EVENT_SCENE_DELETED = 42,
    EVENT_DEVICE_REGISTERED = 43,
    EVENT_DEVICE_DEREGISTERED = 44,
    EVENT_ALIGNMENT_CHANGED = 45,
    EVENT_LOCK_GRANTED = 46,
    EVENT_LOCK_RELEASED = 47,
    EVENT_LOCK_ASKED = 48, // no change: it has no seq of its own, and is kept nowhere
    // Of the catalogue alone (topic.h). They have no scene.
    EVENT_ASSET_CREATED = 50,
    EVENT_ASSET_UPDATED = 51,
    EVENT_ASSET_DELETED = 52,
    EVENT_COLLECTION_CREATED = 53,
    EVENT_COLLECTION_UPDATED = 54,
    EVENT_COLLECTION_DELETED = 55,
    EVENT_PROJECT_CREATED = 56,
    EVENT_PROJECT_UPDATED = 57,
    EVENT_PROJECT_DELETED = 58,
    EVENT_USER_CREATED = 59,
    EVENT_USER_UPDATED = 60,
    EVENT_USER_DELETED = 61,
    EVENT_DEVICE_KNOWN =
        200, // at the start: a registration read from the store; no seq, not published
    // A queue gets the events after this one. It has the seq of the newest event.
    EVENT_QUEUE_JOINED = 201,
};

// Why a lock has ended, and what a change of a scene was.
enum event_reason {
    REASON_NONE,
    REASON_EXPIRED,
    REASON_RELEASED,
    REASON_DEVICE_GONE,
    REASON_REVOKED, // by who may end the locks of others
    REASON_TAKEN,   // another device has it now
    REASON_HIDDEN,  // of what a topic tells: it was public, and is not any more; not told
    REASON_LOST,    // events of this topic were dropped before this one, which has no record
};

// As clients read it; NULL of REASON_NONE.
const char *event_reason_name(uint8_t reason);

struct event {
    uint64_t seq;           // numbers the events of a scene without gaps
    uint64_t time_us;       // calendar time of the change
    uint64_t scene_id;      // internal: a scene deleted and made again is another one
    const frozen_t *scene;  // struct scene, one reference; NULL: it is of no scene
    const frozen_t *record; // struct object, property, scene, device …, one reference
    uint8_t msg_type;       // enum event_type
    uint8_t reason;         // enum event_reason
    struct parcel *parcel;  // of EVENT_QUEUE_JOINED: struct watching, owned; else NULL
};

// The record of the event and its scene; borrowed.
static inline const struct record *
event_record(const struct event *self)
{
    return frozen_record(self->record);
}
static inline const struct scene *
event_scene(const struct event *self)
{
    return scene_of(frozen_record(self->scene));
}

// Whether an entity exists from this event on.
static inline bool
event_is_create(uint8_t msg_type)
{
    return msg_type == EVENT_OBJECT_CREATED || msg_type == EVENT_PROPERTY_CREATED;
}

// Whether an entity changed, apart from its actions.
static inline bool
event_is_update(uint8_t msg_type)
{
    return msg_type == EVENT_OBJECT_UPDATED || msg_type == EVENT_PROPERTY_UPDATED;
}

// Whether an entity is there no more.
static inline bool
event_is_delete(uint8_t msg_type)
{
    return msg_type == EVENT_OBJECT_DELETED || msg_type == EVENT_PROPERTY_DELETED;
}

// Whether it is about actions or keyframes. The plain form shows actions in these events only.
static inline bool
event_is_of_actions(uint8_t msg_type)
{
    return msg_type >= EVENT_OBJECT_KEYFRAME_CREATED && msg_type <= EVENT_LAST_FOR_DEVICES;
}

// Orders events by seq; for qsort.
int event_order(const void *a, const void *b);

// What one turn of a scene actor changed, in order. The parcel of an EVENTS message.
struct events {
    struct parcel base;
    uint32_t taken; // so many of the first ones are gone
    uint32_t count;
    uint32_t capacity;
    struct event items[];
};

// `*self` is NULL until the first event. Takes the references of the event, and its parcel.
void events_add(struct events **self, const struct event *event);
void events_destroy(struct events **self);
// Takes up to `count` of the first events as a list of its own; NULL: there are none. `*self` is
// NULL when none are left.
struct events *events_take(struct events **self, uint32_t count);
// Puts back what was taken last.
void events_put_back(struct events **self, struct events **taken);
static inline struct events *
events_of(struct message *message)
{
    return (struct events *)(void *)message->parcel;
}

// The noun in the topic and in the body of an SSE event: object, property, scene, device,
// alignment, lock.
const char *event_noun(uint8_t msg_type);

#endif
