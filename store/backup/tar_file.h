// tar_file.h - reads and writes tar files. What is written depends on names and bytes alone:
// entries have no time and no owner. One thread.
#ifndef DIORAMA_STORE_BACKUP_TAR_FILE_H
#define DIORAMA_STORE_BACKUP_TAR_FILE_H

#include "store/backup/backup_file.h"

#define TAR_ENTRY_MOST ((UINT64_C(1) << 33) - 1) // bytes: 11 octal digits

typedef struct tar_writer tar_writer_t;

// Makes a file that must not exist, for this user alone.
fallible tar_writer_create(const char *path, tar_writer_t **ret_writer);
// Begins an entry of exactly `size` bytes, at most TAR_ENTRY_MOST. Fails with ERR_INVALID if it is
// longer, or its name has more than 100 bytes.
fallible tar_writer_begin(tar_writer_t *self, const char *name, uint64_t size);
fallible tar_writer_put(tar_writer_t *self, const void *data, size_t size);
// The file is complete and on the disk. The writer ends, also if this fails.
fallible tar_writer_finish(tar_writer_t **self);
// Accepts NULL.
void tar_writer_destroy(tar_writer_t **self);

typedef struct tar_reader tar_reader_t;

// Opens a tar file.
fallible tar_reader_create(const char *path, tar_reader_t **ret_reader);
// The next entry; *ret_name is NULL where there is none, and lives until the next call. Fails with
// ERR_INVALID if the file is damaged, or the entry is no file.
fallible tar_reader_next(tar_reader_t *self, const char **ret_name, uint64_t *ret_size);
// Reads at most `size` bytes of the entry; *ret_got 0 at its end.
fallible tar_reader_read(tar_reader_t *self, void *data, size_t size, size_t *ret_got);
// Accepts NULL.
void tar_reader_destroy(tar_reader_t **self);

#endif
