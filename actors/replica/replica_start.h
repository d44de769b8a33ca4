// replica_start.h - opens the store of a server that may follow another one. Main's thread, before
// any actor runs.
#ifndef DIORAMA_ACTORS_REPLICA_REPLICA_START_H
#define DIORAMA_ACTORS_REPLICA_REPLICA_START_H

#include "actors/replica/followed_place.h"
#include "proto/config/config.h"

// What is done with the store before it is looked at: where others reach it this process takes
// charge of it, and it is brought to the format of this version.
struct store_preparation {
    enum error (*run)(void *context, store_t *store);
    void *context;
};

// Opens it (store_open.h). With `follow` it is a copy of the leader, which is taken first where
// there is none, and takes nothing but copies (followed.h). A store that was promoted leads:
// `follow` is emptied then, whatever was asked for. Fails with ERR_UNAVAILABLE and a detail that
// says what to do where a store of another kind stands there: one that never followed, or, without
// `follow`, one that still does.
// The store may be open although it fails, and is the caller's to destroy.
fallible replica_open(struct config *config, bool (*must_end)(void),
                      const struct store_preparation *preparation, store_t **ret_store,
                      struct followed_place *ret_place);

#endif
