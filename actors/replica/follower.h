// follower.h - the thread that copies a leader: it asks for what was committed behind the place
// that this store is at, stores it, and lets the actors show it. Any thread may call.
//
// One window of commits is under way at a time: the actors bring into memory what it changes, it is
// stored in one commit with the place, and the actors show it. So the store is always as the leader
// was at some moment, and nobody sees a record before its commit is durable.
#ifndef DIORAMA_ACTORS_REPLICA_FOLLOWER_H
#define DIORAMA_ACTORS_REPLICA_FOLLOWER_H

#include "actors/replica/followed_place.h"
#include "proto/config/config.h"

typedef struct follower follower_t;

struct follower_settings {
    const struct config *config; // the leader, and data.dir
    struct followed_place place; // of the store
    store_t *store;              // followed.h
    blobs_t *blobs;
    unsigned shards;
    // Called on the follower's thread, once, at its end: the process shall start anew, as the
    // leader, or to take a checkpoint.
    void (*restart)(void);
};

// Starts the thread when all actors are there. Settings are copied, what they point to is borrowed.
fallible follower_create(const struct follower_settings *settings, follower_t **ret_follower);
// Ends it; before the actors end. Accepts NULL.
void follower_destroy(follower_t **self);

// The store leads from now on: what was copied so far is all of it. Returns when that is durable;
// the process starts anew then. OK where `self` is NULL: it leads already, so who heard no answer
// asks again. Fails with ERR_UNAVAILABLE if the thread is busy for too long or the store cannot be
// written.
fallible follower_promote(follower_t *self);

#endif
