// relationship_cleanup.h - the end of relationships to what was deleted from scenes.
#ifndef DIORAMA_ACTORS_ASSET_RELATIONSHIP_CLEANUP_H
#define DIORAMA_ACTORS_ASSET_RELATIONSHIP_CLEANUP_H

#include "actors/repository/repository.h"

// RELATED_GONE: a scene actor deleted an entity, or a scene with everything in it.
actor_handler related_gone;

// Whether it goes on behind what is durable now: it ended something, and more may follow.
bool related_gone_goes_on(struct message *message);

// Notes in a relationship that is to be written (loose) which scene it leads to, so that the end of
// an earlier one spares it. After relationship_access_check_ends.
void relationship_cleanup_note(const struct message *message, struct record *link);

#endif
