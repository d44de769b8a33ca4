// asset_actor.h - the actor that owns assets, relationships, collections and projects. Its mailbox
// is called "asset".
#ifndef DIORAMA_ACTORS_ASSET_ASSET_ACTOR_H
#define DIORAMA_ACTORS_ASSET_ASSET_ACTOR_H

#include "actors/runtime/actor.h"
#include "actors/runtime/request_settings.h"
#include "proto/budget/budget_book.h"
#include "proto/message/blob.h"
#include "store/store.h"

typedef struct asset_actor asset_actor_t;

// Starts it; it is ready when it has read its records. Store and blobs are borrowed; `committer` is
// the name of a mailbox.
fallible asset_actor_create(store_t *store, blobs_t *blobs, budget_book_t *book,
                            const char *committer, const struct request_settings *requests,
                            asset_actor_t **ret_actor);
void asset_actor_destroy(asset_actor_t **self, mailbox_t *from);

#endif
