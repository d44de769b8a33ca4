// asset_actor.h - the actor that owns assets, relationships, collections and projects. Its mailbox
// is called "asset".
#ifndef DIORAMA_ACTORS_ASSET_ASSET_ACTOR_H
#define DIORAMA_ACTORS_ASSET_ASSET_ACTOR_H

#include "actors/runtime/actor.h"
#include "actors/runtime/due_count.h"
#include "actors/runtime/request_settings.h"
#include "proto/budget/budget_book.h"
#include "proto/message/blob.h"
#include "proto/message/shown.h"
#include "store/store.h"

typedef struct asset_actor asset_actor_t;

// Starts it, and the thread that reads for it; it is ready when it has read the records of those
// kinds that are all in memory. Store and blobs are borrowed; `committer` is the name of a mailbox;
// `memory` are the bytes of library.memory; `book` and `shown` may be NULL.
fallible asset_actor_create(store_t *store, blobs_t *blobs, budget_book_t *book, shown_t *shown,
                            const char *committer, size_t memory,
                            const struct request_settings *requests, asset_actor_t **ret_actor);
void asset_actor_destroy(asset_actor_t **self, mailbox_t *from);

// What its records are found by in the store.
struct index_family asset_actor_indexes(void);
// Who pays for them.
struct due_family asset_actor_dues(void);

#endif
