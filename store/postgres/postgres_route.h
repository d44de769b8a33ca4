// postgres_route.h - which of the servers of a URI is the primary: connections to the newest one
// that was seen. A standby that is promoted begins a new timeline (PostgreSQL 15, 26.3.5), so one
// that was the primary before says that it takes writes, and has a lower number. Any thread.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_ROUTE_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_ROUTE_H

#include <pthread.h>

#include "store/postgres/postgres_known.h"
#include "store/postgres/postgres_session.h"

struct postgres_route {
    struct postgres_hosts hosts;
    _Atomic uint32_t timeline;            // the highest that was seen
    _Atomic unsigned last;                // the server that was right the last time: tried first
    pthread_mutex_t lock;                 // of the rest, and of what raises the timeline
    uint64_t system;                      // of the cluster; 0 = not known
    uint32_t database;                    // its number there; 0 = not known
    char known[POSTGRES_KNOWN_PATH_SIZE]; // the file that keeps both; "" = none
};

// All zero but for the hosts. `folder` has what is known from before, and is told what is learnt;
// NULL = none. Fails as postgres_known_read.
fallible postgres_route_init(struct postgres_route *self, const char *folder);
void postgres_route_finish(struct postgres_route *self);

// Connects to the first server that takes writes, is of the same cluster as before and of no lower
// timeline than another one was. A higher one is on the disk before anything is sent there. Each
// gets an even share of the time that is left, so that one that is silent does not take it all.
// Fails with ERR_UNAVAILABLE, and what a server says that is refused here, else the last one.
fallible postgres_route_open(struct postgres_route *self, uint64_t deadline_ms,
                             session_t **ret_session);

// The same with all servers that answer looked at, the highest timeline chosen: before anything is
// read, when no timeline was seen yet.
fallible postgres_route_open_newest(struct postgres_route *self, uint64_t deadline_ms,
                                    session_t **ret_session);

// Whether no higher timeline was seen than that of the session's server. What another one answered
// may be of the past.
bool postgres_route_is_newest(struct postgres_route *self, const session_t *session);

#endif
