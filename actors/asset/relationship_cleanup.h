// relationship_cleanup.h - the end of relationships to what was deleted from scenes.
#ifndef DIORAMA_ACTORS_ASSET_RELATIONSHIP_CLEANUP_H
#define DIORAMA_ACTORS_ASSET_RELATIONSHIP_CLEANUP_H

#include "actors/repository/repository.h"

struct asset_actor;

// RELATED_GONE: a scene actor deleted an entity, or a scene with everything in it.
actor_handler related_gone;

// A change of a relationship is durable (repository_kind.committed): remembers which relationships
// lead to entities in scenes.
void relationship_cleanup_follow(struct repository *repository, const frozen_t *before,
                                 const frozen_t *after);
void relationship_cleanup_finish(struct asset_actor *self);

#endif
