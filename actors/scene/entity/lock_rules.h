// lock_rules.h - who may change a locked object. Pure.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_LOCK_RULES_H
#define DIORAMA_ACTORS_SCENE_ENTITY_LOCK_RULES_H

#include "proto/message/message.h"
#include "proto/records/object.h"

struct scene_state;
struct shard;

// What a write says of the lock that it relies on.
struct lock_claim {
    const struct text *device; // that makes it; NULL: it names none
    int64_t fence;
    bool has_fence;
};

// The claim of a request about the thing with this key.
struct lock_claim lock_claim_of(const struct params *params, const struct text *key);

// Takes over the fence that an edit of an object names besides; false: it names none.
bool lock_claim_take(struct lock_claim *self, const struct record *edit);

// The key of the device that holds the object's lock, or NULL.
const struct text *lock_holder(const struct object *object);
// Whether the claim is that of the lock's holder.
bool lock_is_claimed(const struct object *object, const struct lock_claim *claim);
// Fails with ERR_LOCKED and names holder and fence in the answer.
fallible lock_refuse(struct message *message, const struct object *object);
// Whether no newer lock of the object was given out than the one that the claim names, if it names
// one. Fails with ERR_LOCKED, and with ERR_INVALID where the scene never gave out that fence.
fallible lock_check_fence(struct message *message, const struct scene_state *scene,
                          const struct object *object, const struct lock_claim *claim);
// Whether the request may make `changed` of `stored` (NULL = a new object): it takes no lock in the
// name of a device of another user. Fails with ERR_FORBIDDEN.
fallible lock_allows(const struct message *message, const struct object *stored,
                     const struct object *changed);
// Whether a write with this claim may change the object: its fence is good, and with locks.enforce
// it is the holder's.
fallible lock_permits(struct shard *self, struct message *message, const struct scene_state *scene,
                      const struct object *object, const struct lock_claim *claim);

// The lease of the object, if a write with this claim renews it; or NULL.
const struct lock *lock_that_renews(const struct record *object, const struct lock_claim *claim);
// Renews it in `changed`, loose, which was made of `stored`.
void lock_renew(struct arena *arena, const struct record *stored, const struct lock_claim *claim,
                struct record *changed);

#endif
