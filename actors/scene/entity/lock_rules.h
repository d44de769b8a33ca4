// lock_rules.h - who may change a locked object. Pure.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_LOCK_RULES_H
#define DIORAMA_ACTORS_SCENE_ENTITY_LOCK_RULES_H

#include "proto/message/message.h"
#include "proto/records/object.h"

struct shard;

// The key of the device that holds the object's lock, or NULL.
const struct text *lock_holder(const struct object *object);
// Fails with ERR_LOCKED and names the holder in the answer.
fallible lock_refuse(struct message *message, const struct object *object);
// Whether the request may make `changed` of `stored` (NULL = a new object): it takes no lock in the
// name of a device of another user. Fails with ERR_FORBIDDEN.
fallible lock_allows(const struct message *message, const struct object *stored,
                     const struct object *changed);
// Whether `device` may change the object; with locks.enforce only the holder may.
fallible lock_permits(struct shard *self, struct message *message, const struct object *object,
                      const struct text *device);

#endif
