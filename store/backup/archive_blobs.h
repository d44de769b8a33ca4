// archive_blobs.h - the bytes of assets of an archive where they are not in the data.dir: in a
// folder that servers share, or with a provider (blob_provider.h).
#ifndef DIORAMA_STORE_BACKUP_ARCHIVE_BLOBS_H
#define DIORAMA_STORE_BACKUP_ARCHIVE_BLOBS_H

#include "store/backup/archive_engine.h"
#include "store/backup/backup_file.h"
#include "store/blob_provider.h"

// Opens the provider of an engine whose store has the bytes too; else NULL. `self` may be NULL.
fallible archive_blobs_open(const struct archive_engine *self, store_t *store,
                            blob_provider_t **ret_provider);

// Sees one blob, by its hash in hex; its bytes are in a file at the path meanwhile, right or not.
typedef fallible archive_blob_visitor(void *context, const char *path, const char *hex);

// Visits all blobs of a provider in the order of their names, each fetched to a file at `path`.
fallible archive_blobs_visit(blob_provider_t *provider, const char *path,
                             archive_blob_visitor *visit, void *context);

// Puts the file of a blob to a provider, and removes it here.
fallible archive_blob_move(blob_provider_t *provider, const char *path, const char *hex);

// The path of a blob's file, `blobs/<aa>/<hash>` in the archive, in a folder that has only such.
fallible archive_blob_path(const char *folder, const char *name, char ret_path[BACKUP_PATH_SIZE]);

#endif
