// postgres_pool.h - the connections of a store: as many as threads call it at the same time, up to
// a bound; those that broke are replaced by the next call. Any thread.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_POOL_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_POOL_H

#include <pthread.h>

#include "store/postgres/postgres_route.h"

enum { POOL_MOST = 48 }; // connections; PostgreSQL takes 100 if it is not told otherwise

struct postgres_pool {
    struct postgres_route *route;
    fallible (*prepare)(session_t *session, uint64_t deadline_ms); // of a new one
    unsigned most;
    pthread_mutex_t mutex; // guards all below
    pthread_cond_t freed;
    session_t *idle[POOL_MOST];
    unsigned idle_count, open_count;
    bool is_failing;  // the last connection could not be made: said once
    char reason[128]; // that was said, as far as it fits
    uint64_t told_ms; // when
};

// For records, up to POOL_MOST of them.
void postgres_pool_init(struct postgres_pool *self, struct postgres_route *route);

// For bytes of assets beside them, up to `most`.
void postgres_pool_init_blobs(struct postgres_pool *self, struct postgres_route *route,
                              unsigned most);

void postgres_pool_finish(struct postgres_pool *self);

// A connection that is sound, until postgres_pool_give. False where none could be had before the
// deadline (0 = none), or none could be made.
bool postgres_pool_take(struct postgres_pool *self, uint64_t deadline_ms, session_t **ret_session);

// Gives a connection back; one that is not `is_clean` (a statement of it may still run, a
// transaction may be open) is closed. False where its server was replaced meanwhile: what it
// answered does not count, as if the connection had been lost.
bool postgres_pool_give(struct postgres_pool *self, session_t **session, bool is_clean);

#endif
