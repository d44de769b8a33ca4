// postgres_start.h - what is looked at before a database is used, and its tables.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_START_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_START_H

#include "store/postgres/postgres_session.h"

// Refuses a database that may lose what it acknowledged, unless it is only that no standby is in
// step and `allow_async` allows that; one with tables of another layout. Makes the tables where
// there are none. Each refusal is ERR_UNAVAILABLE, and changes nothing.
fallible postgres_start_prepare(session_t *session, bool allow_async, uint64_t deadline_ms);

// Runs the statements on a table that only this connection sees and that ends with it, and refuses
// a database that answers otherwise than they need: not all that speak the protocol lock and
// compare as PostgreSQL does. Behind postgres_start_prepare; the connection is of no other use
// then.
fallible postgres_start_try(session_t *session, uint64_t deadline_ms);

#endif
