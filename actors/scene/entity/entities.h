// entities.h - the operations on entities, whatever their kind: the row of an operation says of
// which kind, and what a change makes of one.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_ENTITIES_H
#define DIORAMA_ACTORS_SCENE_ENTITY_ENTITIES_H

#include "actors/runtime/actor.h"
#include "actors/runtime/staging.h"
#include "actors/scene/entity/entity_edit.h"

// What an operation works on.
struct entity_operation {
    const struct entity_kind *kind;
    entity_editor *edit; // of entity_change
};

enum error entity_create(actor_t *actor, struct message *message);
enum error entity_change(actor_t *actor, struct message *message);
enum error entity_get(actor_t *actor, struct message *message);
enum error entity_delete(actor_t *actor, struct message *message);
enum error entity_query(actor_t *actor, struct message *message);

// A slice of a creation is durable: whether there is another one.
bool entity_creation_goes_on(struct message *message);
// Fills the reply with the first `count` entities of a creation that came before.
enum error entity_remake(actor_t *actor, struct message *message, uint32_t count);
// A creation ends: where it fails and earlier slices are durable, the detail says how many records.
enum error entity_creation_ends(actor_t *actor, struct message *message, enum error error);

// Whoever makes an entity larger pays for it: `changed`, loose, names the caller where that is so,
// and `*bytes` is what it takes then. Fails with ERR_OVER_STORED_BUDGET where `is_limited`.
fallible entity_grow(struct shard *self, struct message *message, const struct scene_state *scene,
                     bool is_limited, const frozen_t *latest, struct record *changed,
                     size_t *bytes);
// Stages the end of an entity, of which relationships hear too: 3 writes at most. Its event is that
// of the operation `told`.
void entity_stage_delete(struct shard *self, struct message *message, struct scene_state *scene,
                         const struct entity_kind *kind, const frozen_t *latest,
                         enum operation told);

// A change of an entity is durable, or will never be.
void entity_committed(struct shard *self, const struct change *change);
void entity_dropped(struct shard *self, const struct change *change);

#endif
