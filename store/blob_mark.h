// blob_mark.h - the file in a folder of blobs by which servers know that they have the same one:
// a folder that is not mounted is an empty one without it.
#ifndef DIORAMA_STORE_BLOB_MARK_H
#define DIORAMA_STORE_BLOB_MARK_H

#include <stdbool.h>

#include "proto/base/error.h"

// A random number in hex, and NUL.
enum { BLOB_MARK_SIZE = 33 };

// Reads `<folder>/PLACE`; "" where it is not there, or the folder is not. Fails with ERR_CONFLICT
// where it cannot be read, or is none.
fallible blob_mark_read(const char *folder, char ret_mark[BLOB_MARK_SIZE]);

// Draws one and writes it, durable. Fails with ERR_CONFLICT.
fallible blob_mark_make(const char *folder, char ret_mark[BLOB_MARK_SIZE]);

// Writes a file and removes it. ERR_CONFLICT where that cannot be done, also of a folder that is
// not there and is to be (`must_exist`).
fallible blob_mark_try(const char *folder, bool must_exist);

#endif
