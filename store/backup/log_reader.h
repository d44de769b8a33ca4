// log_reader.h - reads one segment of a log, frame by frame, each verified. One thread.
#ifndef DIORAMA_STORE_BACKUP_LOG_READER_H
#define DIORAMA_STORE_BACKUP_LOG_READER_H

#include "store/backup/backup_file.h"
#include "store/backup/log_frame.h"

typedef struct log_reader log_reader_t;

enum log_state {
    LOG_READ,  // there is a frame
    LOG_ENDED, // the file ends behind a whole frame
    LOG_TORN,  // it ends with a frame that is not whole: normal where a writer was killed
};

// Opens the segment of this name and reads its header. Fails with ERR_INVALID if it is no segment
// or one of a newer form, with ERR_NOT_FOUND if it is gone, or its writer was killed
// before its header was whole.
fallible log_reader_create(const char *dir, const char *name, log_reader_t **ret_reader);
const struct log_segment *log_reader_segment(const log_reader_t *self);

// The next frame, which lives until the next call. Fails with ERR_INVALID where the segment is
// damaged.
fallible log_reader_next(log_reader_t *self, struct log_frame *ret_frame,
                         enum log_state *ret_state);

// The digest of the last whole frame, and where in the file it ends.
struct log_digest log_reader_digest(const log_reader_t *self);
uint64_t log_reader_size(const log_reader_t *self);
// Accepts NULL.
void log_reader_destroy(log_reader_t **self);

// Reads the rest: the end of the last commit (`after` of the segment if it has none), its first
// position and id (0 = none), and the newest mark.
struct log_rest {
    uint64_t last, last_first, last_id, covered_us;
    uint64_t commits, blobs;
    bool is_closed, is_torn;
};
fallible log_reader_rest(log_reader_t *self, struct log_rest *ret_rest);

#endif
