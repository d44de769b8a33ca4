// backup_actor.h - the actor that is asked for what concerns the server as a whole: begins a
// backup, lists them, makes a follower the leader.
#ifndef DIORAMA_ACTORS_BACKUP_BACKUP_ACTOR_H
#define DIORAMA_ACTORS_BACKUP_BACKUP_ACTOR_H

#include "actors/backup/log_shipper.h"
#include "actors/replica/follower.h"
#include "actors/runtime/actor.h"
#include "proto/config/config.h"
#include "proto/message/blob.h"
#include "store/store.h"

typedef struct backup_actor backup_actor_t;

// Starts the actor and the thread that makes backups. Configuration, store, blobs, the shipper of
// the log and the follower, both of which may be NULL, are borrowed.
fallible backup_actor_create(const struct config *config, store_t *store, blobs_t *blobs,
                             log_shipper_t *shipper, follower_t *follower, uint64_t epoch,
                             backup_actor_t **ret_actor);
// Ends both; a backup that is being made is broken off. Accepts NULL.
void backup_actor_destroy(backup_actor_t **self, mailbox_t *from);

#endif
