// postgres_route.h - which of the servers of a URI is the primary: connections to the newest one
// that was seen. A standby that is promoted begins a new timeline (PostgreSQL 15, 26.3.5), so one
// that was the primary before says that it takes writes, and has a lower number. Any thread.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_ROUTE_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_ROUTE_H

#include "store/postgres/postgres_session.h"

struct postgres_route {
    struct postgres_hosts hosts;
    _Atomic uint32_t timeline; // the highest that was seen
    _Atomic unsigned last;     // the server that was right the last time: tried first
};

// Connects to the first server that takes writes and is of no lower timeline than another one was.
// Each gets an even share of the time that is left, so that one that is silent does not take it
// all. Fails with ERR_UNAVAILABLE, and what the last of them says.
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
