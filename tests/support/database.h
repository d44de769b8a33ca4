// database.h - a place in the PostgreSQL that tests run beside (tests/support/with_database).
#ifndef DIORAMA_TESTS_SUPPORT_DATABASE_H
#define DIORAMA_TESTS_SUPPORT_DATABASE_H

#include <stddef.h>

enum { DATABASE_URI_BYTES = 1024 };

// Whether there is one.
_Bool database_is_there(void);

// The URI of a schema of its own for what stands at `path`: the same for the same path. Makes it
// where it is not there; ends the test where it cannot.
void database_uri_of(const char *path, char ret_uri[DATABASE_URI_BYTES]);

// Runs SQL there; ends the test where that fails.
void database_run(const char *uri, const char *sql);

// Runs SQL in a transaction that stays open until database_release. One at a time.
void database_hold(const char *uri, const char *sql);
void database_release(void);

#endif
