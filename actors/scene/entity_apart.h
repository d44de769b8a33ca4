// entity_apart.h - single entities of scenes that are not in memory, read for requests that write
// them (scene_cache.h). What is read once serves all who wait for it, and stays as long as the
// last of them: meanwhile each commit of the entity changes it, so it is what is durable, as the
// entity would be in memory. What is staged stands above it, as ever. The scene stays awake, and
// does not leave memory should it come there. Scene actor's thread.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_APART_H
#define DIORAMA_ACTORS_SCENE_ENTITY_APART_H

#include "actors/runtime/actor.h"
#include "actors/scene/entity/entity_kind.h"

struct scene_state;
struct shard;

// The durable entity of the scene with this key, as it is to be shown; NULL where there is none.
// Borrowed while the message's handler runs. PARKED: it is being read, and the message runs again
// then. The message holds it from now on, and no other one.
fallible entity_apart_fetch(struct shard *self, struct scene_state *scene,
                            const struct entity_kind *kind, const struct text *key,
                            struct message *message, const frozen_t **ret_entity);
// The same of a scene that is waking, later: the message, which waits for that, holds what will be
// read of it. So the scene cannot go to rest again before.
void entity_apart_expect(struct shard *self, struct scene_state *scene,
                         const struct entity_kind *kind, const struct text *key,
                         struct message *message);
// The scene in which the message holds what there is with this key, or NULL.
struct scene_state *entity_apart_scene(const struct message *message,
                                       const struct entity_kind *kind, const struct text *key);

// The durable state of an entity is `now` (NULL = it is gone), which had this key.
void entity_apart_follow(struct shard *self, const struct scene_state *scene,
                         const struct entity_kind *kind, const struct text *key,
                         const frozen_t *now);

// PAGE_READ: of a message that waits for its entity. False: that is another one's page.
bool entity_apart_read(struct shard *self, struct message *answer);

void entities_apart_finish(struct shard *self);

#endif
