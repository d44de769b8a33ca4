// log_folder.h - the folder of a log, `backup.log`: which segments it has, and which may go. A
// segment is NAME.log, named by the time when it began; blobs that came meanwhile are in
// NAME.blobs. One thread.
#ifndef DIORAMA_STORE_BACKUP_LOG_FOLDER_H
#define DIORAMA_STORE_BACKUP_LOG_FOLDER_H

#include "store/backup/backup_file.h"
#include "store/backup/log_frame.h"

// Makes the folder if it is absent, for this user alone, and locks it for this process: one server
// writes a log. `*ret_lock` is a descriptor, yours to close. Fails with ERR_CONFLICT if another
// process has it, as backup_file_copy otherwise.
fallible log_folder_take(const char *dir, int *ret_lock);

struct log_segments {
    struct log_segment *items;
    size_t count;
};

void log_segments_finish(struct log_segments *self);

// What all files in the folder say of themselves, chain by chain in the order in which the chains
// began, each in its own order. What is no segment is left out and told to `complain`, which may
// be NULL. Fails if the folder cannot be read.
fallible log_folder_read(const char *dir, void (*complain)(void *context, const char *what),
                         void *context, struct log_segments *ret_segments);

// Whether the segment at `index` goes on with the one at `index - 1`.
bool log_segment_follows(const struct log_segments *segments, size_t index);

// The folder of the blobs of a segment.
fallible log_blobs_path(const char *dir, const struct log_segment *segment,
                        char ret_path[BACKUP_PATH_SIZE]);

// Which backup of a chain is the oldest one that is kept.
struct log_need {
    unsigned char chain[LOG_CHAIN_BYTES];
    uint64_t position, created_us; // of the backup (backup.h)
};

// Whether a restore of a backup of `position` and `created_us` has no use for the segment at
// `index`: the next one began before the backup did, and at no later position.
bool log_segment_is_before(const struct log_segments *segments, size_t index, uint64_t position,
                           uint64_t created_us);

// Removes what no kept backup needs: segments before all `needs` of their chain, and chains without
// any, except the `active` one.
fallible log_folder_prune(const char *dir, const struct log_segments *segments,
                          const struct log_need *needs, size_t count,
                          const unsigned char active[LOG_CHAIN_BYTES]);

#endif
