// known_tables.h - the tables of the store that a backup has, with their digests. A table never
// changes and its name is not used again in one store: one of the same name and size need not be
// read again.
#ifndef DIORAMA_STORE_BACKUP_KNOWN_TABLES_H
#define DIORAMA_STORE_BACKUP_KNOWN_TABLES_H

#include "store/backup/backup_file.h"

typedef struct known_tables known_tables_t;

// Those of the backup in `folder`. Fails as digest_reader_next.
fallible known_tables_read(const char *folder, known_tables_t **ret_tables);
// Whether the table of this path and size is known. NULL knows none.
bool known_tables_find(const known_tables_t *self, const char *path, uint64_t size,
                       struct file_digest *ret_digest);
// Accepts NULL.
void known_tables_destroy(known_tables_t **self);

#endif
