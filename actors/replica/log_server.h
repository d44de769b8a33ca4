// log_server.h - the leader's side of followers: a thread that answers what they ask
// (replica_wire.h) at replica.endpoint. Nobody waits for it, and it waits for no actor.
#ifndef DIORAMA_ACTORS_REPLICA_LOG_SERVER_H
#define DIORAMA_ACTORS_REPLICA_LOG_SERVER_H

#include "actors/runtime/timeline.h"
#include "proto/config/config.h"
#include "proto/message/blob.h"
#include "store/store.h"

typedef struct log_server log_server_t;

// Binds replica.endpoint and starts the thread; *ret_server stays NULL where that is empty. The
// store keeps its commits (store_open.h). `timeline`: the starts of the store. All are borrowed
// until the end. Fails with ERR_UNAVAILABLE where it cannot bind, with ERR_INVALID where the
// endpoint is beyond loopback and replica.curve_dir is not set, or its keys cannot be read.
fallible log_server_create(const struct config *config, store_t *store, blobs_t *blobs,
                           const struct timeline *timeline, log_server_t **ret_server);

// Ends the thread; who waits gets no answer. A checkpoint that is being made is waited for. Accepts
// NULL.
void log_server_destroy(log_server_t **self);

// The endpoint with the port that the system chose; "" for NULL.
const char *log_server_endpoint(const log_server_t *self);

#endif
