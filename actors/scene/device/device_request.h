// device_request.h - the devices that a request names: those of its scene records, one after
// another. A request with many is committed in slices (message->progress: so many are durable), and
// all of its devices are looked at before the first one, in slices too.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_REQUEST_H
#define DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_REQUEST_H

#include "actors/runtime/actor.h"
#include "proto/records/device.h"

struct scene_state;
struct shard;

enum { DEVICES_PER_COMMIT = 150 };

// Does something with one device of the request.
typedef enum error device_function(struct shard *self, struct message *message,
                                   struct scene_state *scene, const struct device *device,
                                   const char *pointer);

// Places of devices in a request, and where it is among them.
struct device_walk {
    const struct message *message;
    size_t place, end;    // the next one, and behind the last one
    size_t record, index; // where the next one is: which scene record, which of its devices
};

// Those that the next commit takes; all of them.
struct device_walk device_walk_slice(const struct message *message);
struct device_walk device_walk_all(const struct message *message);
// The next one, borrowed; NULL = there are no more.
const struct device *device_walk_next(struct device_walk *self);

// How far device_request_look has come: the work of a request until its first commit.
struct device_looking {
    struct parcel base;
    size_t looked;     // so many of them
    size_t fresh;      // of those, how many the scene does not have; a registration counts them
    uint64_t scene_id; // internal, of the scene that was looked at; 0 = there was none
};

// Whether the request has scene records, for the scene of its path, and each has devices: at most
// LIMIT_SCENE_DEVICES in all. Fails with ERR_MISSING, ERR_MALFORMED or ERR_INVALID.
fallible device_request_check(struct message *message);
// Whether all devices have keys. Fails with ERR_MISSING.
fallible device_request_check_keys(struct message *message);

// How many devices the next commit takes; those before `progress` are done.
size_t device_request_slice(const struct message *message);

// Looks at all devices before the first commit, so that nothing is written of a request with a
// fault. PARKED: goes on in a later turn. What was found may have changed since.
enum error device_request_look(struct shard *self, struct message *message,
                               struct scene_state *scene, device_function *look);
struct device_looking *device_looking_of(struct message *message);

// Does something with each device that the next commit takes.
enum error device_request_each(struct shard *self, struct message *message,
                               struct scene_state *scene, device_function *function);

#endif
