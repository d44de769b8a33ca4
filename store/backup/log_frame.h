// log_frame.h - the form of a log of commits (log_writer.h): frames, one behind the other.
//
// A frame is a check of its size (1 byte), its size (3, of the body), the body, and a digest (16)
// of the frame and of the digest before: none can be changed, left out or moved without being
// noticed. The check is there since form 2 (before, the size had four bytes): a size with a flipped
// bit could lead behind the end of the file, as that of a frame that a kill left torn does. Numbers
// are big-endian. A body begins with a letter, its kind:
//
//   H  form (8), chain (16), number (8), after (8), started_us (8), digest before (16), lineage:
//      first of a segment
//   C  first (8), last (8), time_us (8), id (8), operations: family (1), is_delete (1), part (2),
//      size of the key (2), of the value (4), key, value: a commit (store.h)
//   B  size (8), SHA-256 (32): a blob that lies beside the segment since then
//   M  last (8), time_us (8): all that was committed before this time is before this frame
//   E  as M: the segment is complete; another one goes on
#ifndef DIORAMA_STORE_BACKUP_LOG_FRAME_H
#define DIORAMA_STORE_BACKUP_LOG_FRAME_H

#include "proto/base/buffer.h"
#include "proto/message/blob.h"
#include "proto/records/backup.h"
#include "store/store.h"

enum {
    LOG_DIGEST_BYTES = 16,
    LOG_CHAIN_BYTES = 16,
    LOG_CHAIN_HEX_SIZE = 2 * LOG_CHAIN_BYTES + 1,
    LOG_LINEAGE_SIZE = 64,
    LOG_FORM_CHECKED = 2,            // the first with checks of sizes
    LOG_FORM_NOW = LOG_FORM_CHECKED, // what is newer is refused
    LOG_BODY_BYTES =
        (16 << 20) - 1, // at most: a commit has 4 MiB and what surrounds each operation
    LOG_SIZE_BYTES = 4, // before a body
    LOG_NAME_SIZE = BACKUP_NAME_SIZE + 8,
};

struct log_digest {
    unsigned char bytes[LOG_DIGEST_BYTES];
};

// One file of a log. Segments of one chain follow each other without a gap.
struct log_segment {
    char name[LOG_NAME_SIZE];             // of the file
    unsigned char chain[LOG_CHAIN_BYTES]; // random
    uint64_t number;                      // in its chain, from 0
    uint64_t after;                       // position before its first commit
    uint64_t started_us;                  // by the calendar
    struct log_digest before;       // the last one of the segment before; zero = there is none
    char lineage[LOG_LINEAGE_SIZE]; // names the store that commits come from (backup.h)
};

enum log_kind {
    LOG_HEADER = 'H',
    LOG_CHANGE = 'C',
    LOG_BLOB = 'B',
    LOG_MARK = 'M',
    LOG_CLOSE = 'E',
};

// A frame that was read; what it points to lives until the next one.
struct log_frame {
    enum log_kind kind;
    struct store_change change; // LOG_CHANGE
    struct blob_hash hash;      // LOG_BLOB
    uint64_t size;              // of the blob
    uint64_t last, time_us;     // LOG_MARK, LOG_CLOSE
};

void log_put_header(struct buffer *out, const struct log_segment *segment);
void log_put_change(struct buffer *out, const struct store_change *change);
void log_put_blob(struct buffer *out, const struct blob_hash *hash, uint64_t size);
void log_put_mark(struct buffer *out, enum log_kind kind, uint64_t last, uint64_t time_us);

// Puts the frame of a body; `digest` is the one before, then that of the frame.
void log_put_frame(struct buffer *out, const struct buffer *body, struct log_digest *digest);
// What stands before a body of this size (at most LOG_BODY_BYTES), and the size that it says.
// `may_lack_check`: also without a check, as in form 1. False where it is none.
void log_put_head(unsigned char ret_head[LOG_SIZE_BYTES], size_t size);
bool log_read_head(const unsigned char head[LOG_SIZE_BYTES], bool may_lack_check, size_t *ret_size);

// The digest of the frame of a body behind `digest`.
void log_digest_next(const void *body, size_t size, struct log_digest *digest);

// What a body says. False on what no writer wrote. `operations` holds those of a change, and is
// resized; its owner frees it.
bool log_read_header(const unsigned char *body, size_t size, struct log_segment *ret_segment,
                     uint64_t *ret_form);
bool log_read_body(const unsigned char *body, size_t size, struct store_operation **operations,
                   size_t *capacity, struct log_frame *ret_frame);

void log_chain_to_hex(const unsigned char chain[LOG_CHAIN_BYTES], char ret_hex[LOG_CHAIN_HEX_SIZE]);

#endif
