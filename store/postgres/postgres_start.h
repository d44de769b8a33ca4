// postgres_start.h - what is looked at before a database is used, and its tables.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_START_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_START_H

#include "store/postgres/postgres_session.h"

// Refuses a database that may lose what it acknowledged, unless it is only that no standby is in
// step and `allow_async` allows that; one with tables of another layout. Makes the tables where
// there are none; this connection holds a lock for that as long as it stands. Each refusal is
// ERR_UNAVAILABLE, and changes nothing.
fallible postgres_start_prepare(session_t *session, bool allow_async, uint64_t deadline_ms);

// Runs the statements on a record that nobody reads, and refuses a database that answers otherwise
// than they need: not all that speak the protocol lock and compare as PostgreSQL does.
fallible postgres_start_try(store_t *store, uint64_t deadline_ms);

#endif
