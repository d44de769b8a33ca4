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

// Notes in a relationship that is to be written (loose) which scene it leads to, so that the end of
// an earlier one spares it. After relationship_access_check_ends.
void relationship_cleanup_note(const struct message *message, struct record *link);

void relationship_cleanup_finish(struct asset_actor *self);

#endif
