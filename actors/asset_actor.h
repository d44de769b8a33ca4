// asset_actor.h - the actor of assets and of what people sort them into: relationships,
// collections, projects. Its mailbox is called "asset".
#ifndef DIORAMA_ACTORS_ASSET_ACTOR_H
#define DIORAMA_ACTORS_ASSET_ACTOR_H

#include "actors/actor.h"
#include "store/store.h"

typedef struct asset_actor asset_actor_t;

// Reads what it keeps, then is ready. The store is borrowed, `committer` names a mailbox.
fallible asset_actor_create(store_t *store, const char *committer, asset_actor_t **ret_actor);
void asset_actor_destroy(asset_actor_t **self, mailbox_t *from);

#endif
