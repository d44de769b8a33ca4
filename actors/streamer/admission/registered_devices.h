// registered_devices.h - the streamer's own list of registered devices, found by the token of their
// feed or by scene and key. Pure; used by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_REGISTERED_DEVICES_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_REGISTERED_DEVICES_H

#include "actors/streamer/fanout/device_sealer.h"
#include "proto/base/table.h"
#include "proto/feed/destinations.h"
#include "proto/feed/event.h"
#include "proto/feed/feed_token.h"

struct registered_device {
    uint64_t scene_id;
    uint64_t since;           // seq of its registration
    uint64_t ticket;          // of the subscriber that it is; 0 = it is none
    uint64_t hello_ms;        // when the minute began that `hellos` counts
    unsigned hellos;          // how often its device was answered
    uint64_t repeats_from_us; // when it may ask for repeats again
    uint64_t heard_us;        // calendar: its newest word to this actor; 0 = none yet
    bool is_old;              // it was registered before this start
    struct registered_device *next_in_scene, **in_scene; // the list of its scene
    const frozen_t *frozen;                              // one reference
    const struct device *record;                         // what it says
    struct device_sealer *sealer; // one reference; NULL: datagrams are in the clear
};

typedef struct registered_devices registered_devices_t;

registered_devices_t *registered_devices_create(void);
// Accepts NULL.
void registered_devices_destroy(registered_devices_t **self);

// Puts the device of a registration in place of an earlier one. A device that registered before
// tokens existed is found by its key alone.
struct registered_device *registered_devices_put(registered_devices_t *self,
                                                 const struct event *event);

// The device whose token has this hash, or NULL.
struct registered_device *registered_devices_find(const registered_devices_t *self,
                                                  const char token_hash[FEED_TOKEN_HASH_SIZE]);

// The device with this key in this scene, or NULL.
struct registered_device *registered_devices_at(const registered_devices_t *self, uint64_t scene_id,
                                                const struct text *key);

// Does nothing if there is no such device.
void registered_devices_remove(registered_devices_t *self, uint64_t scene_id,
                               const struct text *key);

// The devices of a scene are found no more. There may be ten thousand: they are forgotten one by
// one.
void registered_devices_end_scene(registered_devices_t *self, uint64_t scene_id);
// The next device of a scene that has ended, or NULL; and forgets it.
const struct registered_device *registered_devices_ended(const registered_devices_t *self);
void registered_devices_forget_ended(registered_devices_t *self);

#endif
