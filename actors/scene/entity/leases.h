// leases.h - leases of locks: each ends when its time has come, whether its scene is in memory or
// not.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_LEASES_H
#define DIORAMA_ACTORS_SCENE_ENTITY_LEASES_H

#include "actors/runtime/actor.h"
#include "actors/scene/entity/lock_rules.h"
#include "actors/scene/lease_index.h"

// An update by UDP with this claim came: the lease of the object runs anew, if it renews so.
void leases_renew(struct shard *self, const struct scene_state *scene, const frozen_t *object,
                  const struct lock_claim *claim);
// Whether the record that the update makes is to say so. Records that move at 60 Hz say it a few
// times a second at most; the lease never ends before what they say.
bool leases_must_say(const struct lock *lock, uint64_t calendar_us);

// LEASES_END, which the actor sends itself: ends those whose time has come, and what follows.
enum error leases_end(actor_t *actor, struct message *message);
enum error leases_ended(actor_t *actor, struct message *message, enum error error);
// At the end of each turn; and when the next one must be, in milliseconds of clock.h (0 = none).
void leases_turn(struct shard *self);
uint64_t leases_deadline_ms(const struct shard *self);

#endif
