// record_copy.h - such an actor on a server that follows another one: it shows what the leader has
// committed, and decides nothing itself (actors/replica). Actor's thread.
#ifndef DIORAMA_ACTORS_REPOSITORY_RECORD_COPY_H
#define DIORAMA_ACTORS_REPOSITORY_RECORD_COPY_H

#include "actors/repository/repository.h"

// For the actor's row of COPY_NEED: what the batch, which is not stored yet, takes the place of is
// in memory from now until it is applied, so that events and hooks have it. PARKED: it is read.
// Fails where it cannot be read.
actor_handler record_copy_need;

// For the actor's row of COPY_APPLY: the writes of the batch, which are stored, become visible.
// Fails with ERR_INTERNAL where a record is damaged; those before it are visible then.
actor_handler record_copy_apply;

#endif
