// committer.h - the thread that waits for the disk, so that its actor does not. It takes COMMIT,
// commits the batch, and sends the same message back as COMMITTED with the result: OK, or why
// nothing was written. It reads single records for its actor too (recall.h).
#ifndef DIORAMA_ACTORS_RUNTIME_COMMITTER_H
#define DIORAMA_ACTORS_RUNTIME_COMMITTER_H

#include "actors/runtime/actor.h"
#include "store/store.h"

typedef struct committer committer_t;

// Starts it with a mailbox called `name`; the store is borrowed.
fallible committer_create(store_t *store, const char *name, committer_t **ret_committer);
// The same where other processes reach the store: `last` is the version of its marker
// (lane_claim.h; 0 = they do not). Where its place is taken the process ends: what it has in memory
// is not what is stored any more.
fallible committer_create_fenced(store_t *store, const char *name, store_version_t last,
                                 committer_t **ret_committer);
void committer_destroy(committer_t **self, mailbox_t *from);

#endif
