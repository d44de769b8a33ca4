// copied_window.h - commits of the leader that are stored in one commit, and what of them each
// actor has to show. The follower's thread alone.
#ifndef DIORAMA_ACTORS_REPLICA_COPIED_WINDOW_H
#define DIORAMA_ACTORS_REPLICA_COPIED_WINDOW_H

#include "actors/replica/followed_place.h"
#include "actors/runtime/copied_batch.h"
#include "proto/message/mailbox.h"

typedef struct copied_window copied_window_t;

// Who shows a part of the window, and what of it.
struct window_part {
    char name[MAILBOX_NAME_SIZE];
    struct copied_batch *batch; // or NULL
    uint64_t asked;             // id of the message that it is in; 0 = none (window_sender.h)
};

copied_window_t *copied_window_create(unsigned shards);
void copied_window_destroy(copied_window_t **self);

// Adds a copy of the commit; false where it has no room beside what is in it already.
bool copied_window_add(copied_window_t *self, const struct store_change *change);
bool copied_window_is_empty(const copied_window_t *self);

// Calls for the hash of each blob that an asset of the window refers to.
typedef enum error copied_blob_visitor(void *context, const struct blob_hash *hash);
fallible copied_window_blobs(const copied_window_t *self, copied_blob_visitor *visit,
                             void *context);

// Stores it, with the place that it brings the store to, in one commit.
fallible copied_window_store(copied_window_t *self, store_t *store,
                             const struct followed_place *place);

// The parts for the actors; *ret_count of them. Who sends a batch takes it and leaves NULL.
struct window_part *copied_window_parts(copied_window_t *self, unsigned *ret_count);

// Empties it.
void copied_window_clear(copied_window_t *self);

#endif
