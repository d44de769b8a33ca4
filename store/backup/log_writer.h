// log_writer.h - writes a log of commits into `backup.log`: segments of one chain (log_frame.h).
// What is put is staged until a sync; a sync that fails leaves the log as it was before. One
// thread.
#ifndef DIORAMA_STORE_BACKUP_LOG_WRITER_H
#define DIORAMA_STORE_BACKUP_LOG_WRITER_H

#include "store/backup/backup_file.h"
#include "store/backup/log_frame.h"

typedef struct log_writer log_writer_t;

// Begins a new chain behind position `after` of the store of this lineage. Fails as
// backup_file_copy; nothing is left then.
fallible log_writer_begin(const char *dir, const char *lineage, uint64_t after, uint64_t time_us,
                          log_writer_t **ret_writer);

// Goes on with the newest chain of this lineage; *ret_writer stays NULL where there is none. What a
// kill left torn is cut off. Fails with ERR_INVALID if its newest segment is damaged.
fallible log_writer_resume(const char *dir, const char *lineage, log_writer_t **ret_writer);

const unsigned char *log_writer_chain(const log_writer_t *self);
// The end of the last commit that is on the disk, its beginning and its id (0 = there is none), and
// the newest mark.
uint64_t log_writer_last(const log_writer_t *self);
uint64_t log_writer_last_first(const log_writer_t *self);
store_version_t log_writer_last_id(const log_writer_t *self);
uint64_t log_writer_covered_us(const log_writer_t *self);

void log_writer_put_change(log_writer_t *self, const struct store_change *change);
void log_writer_put_mark(log_writer_t *self, uint64_t last, uint64_t time_us);
size_t log_writer_staged(const log_writer_t *self); // bytes

// Links or copies the blob from the data.dir; what is missing or damaged there is left out and
// logged. Fails as backup_file_copy.
fallible log_writer_put_blob(log_writer_t *self, const char *data_dir, const struct blob_hash *hash,
                             const struct backup_pace *pace);

// What is staged is on the disk then, else it is dropped. A segment that has become long is closed,
// and the next one begun.
fallible log_writer_sync(log_writer_t *self, uint64_t time_us);

// What is staged is dropped. Accepts NULL.
void log_writer_destroy(log_writer_t **self);

#endif
