// postgres_read.h - get and scan on a connection. A result that is not OK or ABSENT may leave the
// connection unclean.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_READ_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_READ_H

#include "store/postgres/postgres_session.h"

// Both as the calls of an engine (store.h).
enum store_result postgres_read_get(session_t *session, const struct store_address *address,
                                    uint64_t deadline_ms, store_version_t *ret_version,
                                    void **ret_value, size_t *ret_size);

// `visited` counts the records that were visited, also where it fails.
enum store_result postgres_read_scan(session_t *session, const struct store_scan *scan,
                                     uint64_t deadline_ms, store_visitor *visit, void *context,
                                     size_t *visited);

// Whether the database can be read and written.
enum store_result postgres_read_ping(session_t *session, uint64_t deadline_ms);

#endif
