// directory.h - folders whose names outlive a power failure.
#ifndef DIORAMA_PROTO_BASE_DIRECTORY_H
#define DIORAMA_PROTO_BASE_DIRECTORY_H

#include <stdbool.h>

// Puts the names in the folder at `path` on the disk; false, with errno, where that failed. A file
// system that has nothing to sync there is taken as it is.
bool directory_sync(const char *path);

// The same for the folder in which the folder `path` stands.
bool directory_sync_above(const char *path);

#endif
