// device_view.h - what answers show of the devices in a scene.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_VIEW_H
#define DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_VIEW_H

#include "actors/runtime/actor.h"
#include "actors/runtime/record_set.h"
#include "proto/records/scene.h"

struct device;
struct scene_state;
struct shard;

// Whether the caller may see more of a device than others do: it is theirs, or they are an
// administrator.
bool device_is_own(const struct caller *caller, const struct device *device);

// The struct alignment of a transform that the device sent.
const struct record *device_alignment_sent(struct arena *arena, const struct device *device);

// A scene with its devices, as they were when it began and as a caller may see them, worked out in
// slices. In an arena.
struct showing;

struct showing *showing_new(struct arena *arena, const struct record *scene,
                            struct record_set *devices);
void showing_destroy(struct showing **self);

// Shows devices to who sent the message, in its arena, until the actor must pause; true: all of
// them are shown.
bool showing_goes_on(struct shard *self, struct message *message, struct showing *showing);

// The scene's record with the devices that are shown so far, loose.
const struct record *showing_record(const struct showing *self);

// Answers a request to read a scene with what is durable, and tells where that is among the events
// of the scene. Fails with ERR_INVALID if it asks for GeoPoses and the scene has no place. PARKED:
// the handler runs again, and goes on.
enum error scene_answer(struct shard *self, struct message *message, struct scene_state *scene);

// Write the answer of REGISTER, and of ALIGN and DEREGISTER, from what is durable now, in slices.
enum error registration_answer(actor_t *actor, struct message *message, enum error error);
enum error devices_answer(actor_t *actor, struct message *message, enum error error);

#endif
