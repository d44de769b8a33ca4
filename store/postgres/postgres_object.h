// postgres_object.h - one object of bytes on a connection: rows of 4 MiB, put, fetched and removed
// with one of them in memory. After a failure the connection is of no use: closing it rolls back.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_OBJECT_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_OBJECT_H

#include "store/postgres/postgres_session.h"
#include "store/postgres/postgres_statements.h"

// Puts the bytes of the file in one transaction: nobody sees any of it before its end, which checks
// the fence (fence.h; 0 = none) in the same flush as it commits. `*ret_bytes` counts them, also
// where it fails. Errors as blob_provider_put.
fallible postgres_object_put(session_t *session, const char *object, int file,
                             store_version_t fence, uint64_t *ret_bytes);

// Writes the bytes of the object, as they are in one state, to the file. As blob_provider_fetch.
fallible postgres_object_fetch(session_t *session, const char *object, int file,
                               uint64_t *ret_bytes);

// Removes its rows, some in each transaction, each of which checks the fence.
fallible postgres_object_remove(session_t *session, const char *object, store_version_t fence);

// The next names behind `after` in bytewise order, as rows; fewer than POSTGRES_PAGE_OBJECTS are
// the last ones.
fallible postgres_object_page(session_t *session, const char *after, PGresult **ret_names);

#endif
