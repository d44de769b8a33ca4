// registered_devices.h - the streamer's own list of registered devices, found by the token of their
// feed or by scene and key. Pure; used by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_REGISTERED_DEVICES_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_REGISTERED_DEVICES_H

#include "actors/streamer/fanout/subscribers.h"
#include "proto/base/table.h"
#include "proto/feed/destinations.h"
#include "proto/feed/event.h"
#include "proto/feed/feed_token.h"

// What a device has once it said HELLO or asked for repeats.
struct greeting {
    uint64_t hello_ms;        // when the minute began that `hellos` counts
    uint64_t repeats_from_us; // when it may ask for repeats again
    unsigned hellos;          // how often its device was answered
};

// The devices of one scene.
struct registered_scene;

// While its feed has no lane, `since` of that is the seq of the registration.
struct registered_device {
    struct subscriber subscriber; // its feed
    struct registered_scene *scene;
    const frozen_t *frozen; // one reference
    uint64_t heard_us;      // calendar: its newest word to this actor; 0 = none yet
    struct greeting *greeting;
    struct registered_device *next_in_scene, **in_scene; // the list of its scene
    uint32_t ticket; // of its registration: an answer about an older one has another
    bool is_old;     // it was registered before this start
};

_Static_assert(sizeof(struct registered_device) == 120, "each registered device has one");

// What it says, in `room` or where it is.
static inline const struct device *
registered_open(const struct registered_device *self, struct opened *room)
{
    return device_open(self->frozen, room);
}

typedef struct registered_devices registered_devices_t;

registered_devices_t *registered_devices_create(void);
// None has a lane any more. Accepts NULL.
void registered_devices_destroy(registered_devices_t **self);

uint64_t registered_scene_id(const struct registered_device *device);
// What is counted of its words; begins it.
struct greeting *registered_greeting(struct registered_device *device);

// Puts the device of a registration, or what a new registration says in place of an earlier one. A
// device that registered before tokens existed is found by its key alone.
struct registered_device *registered_devices_put(registered_devices_t *self,
                                                 const struct event *event);

// The device whose token has this hash, or NULL.
struct registered_device *registered_devices_find(const registered_devices_t *self,
                                                  const char token_hash[FEED_TOKEN_HASH_SIZE]);

// The device with this key in this scene, or NULL.
struct registered_device *registered_devices_at(const registered_devices_t *self, uint64_t scene_id,
                                                const struct text *key);

// Forgets a device that has no lane any more.
void registered_devices_remove(registered_devices_t *self, struct registered_device *device);

// The devices of a scene are found no more. There may be ten thousand: they are forgotten one by
// one.
void registered_devices_end_scene(registered_devices_t *self, uint64_t scene_id);
// The next device of a scene that has ended, or NULL; and forgets it, which has no lane any more.
struct registered_device *registered_devices_ended(const registered_devices_t *self);
void registered_devices_forget_ended(registered_devices_t *self);

#endif
