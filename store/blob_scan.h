// blob_scan.h - the files that an earlier run left in a folder which is a cache now
// (blob_remote.h). Only store/blob includes it.
#ifndef DIORAMA_STORE_BLOB_SCAN_H
#define DIORAMA_STORE_BLOB_SCAN_H

#include "store/blob_folder.h"

// Whether the folder with this path is a cache: all in it is a copy of what the database has.
bool blob_scan_is_cache(const char *path);

// Puts what the provider does not have, until the process must end (the next start goes on), where
// the folder was no cache yet, and then counts all files, those that changed last as used last.
// Nobody else uses the folder yet.
fallible blob_scan_run(struct folder *self);

#endif
