// postgres_known.h - what is known of a database from before, in a file beside what is this
// process's own: of which cluster it is, which of its databases, and how often the primary was
// replaced. A process that starts, and reaches the old primary alone, would take it for the
// database.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_KNOWN_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_KNOWN_H

#include <stdint.h>

#include "proto/base/error.h"

// The file in the folder of the store. A database that contradicts it is refused; whoever means
// another one removes the file.
#define POSTGRES_KNOWN_FILE "DATABASE"

enum { POSTGRES_KNOWN_PATH_SIZE = 4096 };

struct postgres_known {
    uint64_t system;   // identifier of the cluster, which its copies have too; 0 = not known
    uint32_t database; // its number in the cluster; 0 = not known
    uint32_t timeline; // the highest that was seen; 0 = not known
};

// All zero where there is no file. Fails with ERR_UNAVAILABLE where it cannot be read, or is not as
// it was written.
fallible postgres_known_read(const char *path, struct postgres_known *ret_known);

// It is on the disk then. Fails with ERR_UNAVAILABLE; what was there stays.
fallible postgres_known_write(const char *path, const struct postgres_known *known);

#endif
