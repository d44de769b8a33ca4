// lease_states.h - keeps the index of leases (lease_index.h) in step with the states of objects
// that everybody sees.
#ifndef DIORAMA_ACTORS_SCENE_LEASE_STATES_H
#define DIORAMA_ACTORS_SCENE_LEASE_STATES_H

#include "proto/record/record.h"

struct scene_state;
struct shard;

// The newest visible state of an entity is `entity`, or it is gone.
void lease_states_follow(struct shard *self, struct scene_state *scene, const frozen_t *entity);
void lease_states_forget(struct shard *self, struct scene_state *scene, const struct text *key);
// An entity was read from the disk: as it is to be shown, with the end that its lease has in this
// start of the server, which is known from then on unless its scene is gone. One reference, yours.
const frozen_t *lease_states_shown(struct shard *self, struct scene_state *scene,
                                   const frozen_t *entity);
// The same of one that was read apart from its scene (entity_pages.h): memory may know a newer
// state of it by now, so nothing follows from this one.
const frozen_t *lease_states_shown_apart(const struct shard *self, const struct scene_state *scene,
                                         const frozen_t *entity);

#endif
