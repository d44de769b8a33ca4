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

// A mark comes in two steps, so that of several servers one has the folder, and a kill between them
// leaves a step that can be finished. The first: draws one and writes it as `PLACE.<mark>`,
// durable; makes the folder if it is absent. Fails with ERR_CONFLICT.
fallible blob_mark_prepare(const char *folder, char ret_mark[BLOB_MARK_SIZE]);

bool blob_mark_is_prepared(const char *folder, const char *mark);

// The second: what was prepared becomes `PLACE`, durable, unless there is one: that one is told,
// and stays. Fails with ERR_CONFLICT.
fallible blob_mark_claim(const char *folder, const char *mark, char ret_found[BLOB_MARK_SIZE]);

// Removes what was prepared.
void blob_mark_forget(const char *folder, const char *mark);

// Writes a file and removes it. ERR_CONFLICT where that cannot be done, also of a folder that is
// not there and is to be (`must_exist`).
fallible blob_mark_try(const char *folder, bool must_exist);

#endif
