// blob_queue.h - blobs that were finished and are not in the log of backups yet. None of them is
// removed meanwhile. Any thread adds; one thread takes.
#ifndef DIORAMA_ACTORS_BACKUP_BLOB_QUEUE_H
#define DIORAMA_ACTORS_BACKUP_BLOB_QUEUE_H

#include "proto/message/blob.h"

typedef struct blob_queue blob_queue_t;

// The blobs are borrowed until the end.
blob_queue_t *blob_queue_create(blobs_t *blobs);
// All that wait may be removed then. Accepts NULL.
void blob_queue_destroy(blob_queue_t **self);

// A blob_listener.
void blob_queue_note(void *queue, const struct blob_hash *hash);

// Adds the blobs of the data.dir that were written shortly before this time or later: ten minutes
// cover an upload that was slow to be synced.
void blob_queue_add_since(blob_queue_t *self, const char *data_dir, uint64_t time_us);

size_t blob_queue_size(blob_queue_t *self);

// Visits the `count` oldest until one fails.
fallible blob_queue_visit(blob_queue_t *self, size_t count,
                          enum error (*visit)(void *context, const struct blob_hash *hash),
                          void *context);

// The `count` oldest, or all, are in the log, or need not come there: they may be removed.
void blob_queue_drop(blob_queue_t *self, size_t count);
void blob_queue_clear(blob_queue_t *self);

#endif
