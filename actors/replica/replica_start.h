// replica_start.h - opens the store of a server that may follow another one. Main's thread, before
// any actor runs.
#ifndef DIORAMA_ACTORS_REPLICA_REPLICA_START_H
#define DIORAMA_ACTORS_REPLICA_REPLICA_START_H

#include "actors/replica/followed_place.h"
#include "proto/config/config.h"

// Opens it (store_open.h). With `follow` it is a copy of the leader, which is taken first where
// there is none, and takes nothing but copies (followed.h). A store that was promoted leads:
// `follow` is emptied then, whatever was asked for. Fails with ERR_UNAVAILABLE and a detail that
// says what to do where a store of another kind stands there: one that never followed, or, without
// `follow`, one that still does.
// `migrate` brings the store to the format of this version, before it is looked at.
fallible replica_open(struct config *config, bool (*must_end)(void),
                      enum error (*migrate)(store_t *store), store_t **ret_store,
                      struct followed_place *ret_place);

#endif
